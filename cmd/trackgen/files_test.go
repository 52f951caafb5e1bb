package main

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
)

// noFiles lists the flags with a text value that is not a file name.
var noFiles = []string{
	"addr", "blend", "columns", "compression", "course", "course-set", "crs", "device", "devices", "env", "every",
	"files", "format", "generator", "generators", "invalid", "line", "mix", "modes", "name", "origin",
	"precision", "progress", "prop-mode", "race-set", "set", "shard", "title", "to", "vehicle", "view", "where",
}

// Every flag that names a file has a role. Otherwise, refuseSharedFiles would not check the file.
func TestEveryFileHasARole(t *testing.T) {
	roles := []role{roleInput, roleStream, roleOutput, roleFolder}
	var walk func(command *cobra.Command)
	walk = func(command *cobra.Command) {
		command.Flags().VisitAll(func(f *pflag.Flag) {
			at := command.CommandPath() + " --" + f.Name
			thing, _ := pflag.UnquoteUsage(f)
			isText := slices.Contains([]string{"string", "stringSlice", "stringArray"}, f.Value.Type())
			r := f.Annotations[roleAnnotation]
			if thing == "file" || thing == "folder" || isText && !slices.Contains(noFiles, f.Name) {
				if assert.Len(t, r, 1, "%s names a file: add it with fileFlag, or to noFiles", at) {
					assert.Contains(t, roles, role(r[0]), at)
				}
			} else {
				assert.Empty(t, r, at)
			}
			if len(r) == 1 && thing == "folder" {
				assert.Equal(t, roleFolder, role(r[0]), at)
				assert.NotEmpty(t, f.Annotations[filesAnnotation], at)
			}
		})
		r, ok := command.Annotations[roleAnnotation]
		takesFiles := strings.Contains(command.Use, "FILE")
		assert.Equal(t, takesFiles, ok, "%s: the files of its arguments need a role", command.CommandPath())
		if ok {
			assert.Contains(t, []role{roleInput, roleStream}, role(r), command.CommandPath())
		}
		for _, below := range command.Commands() {
			walk(below)
		}
	}
	root := newApp(nil, io.Discard, io.Discard).rootCommand()
	walk(root)
}
