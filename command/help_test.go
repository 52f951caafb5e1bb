package command

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
)

// eachCommand calls visit with every command that the help lists, and with the root.
func eachCommand(t *testing.T, visit func(*cobra.Command)) {
	t.Helper()
	var below func(*cobra.Command)
	below = func(command *cobra.Command) {
		visit(command)
		for _, c := range command.Commands() {
			below(c)
		}
	}
	below(newApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}).rootCommand())
}

// The help names the values of flags with words, not with types of Go. The same flag, or the same letter, has the same
// kind of value in every command.
func TestValuesOfFlags(t *testing.T) {
	type flag struct{ name, letter, value string }
	seen := map[string]flag{}
	// Columns are those of a picture for plot, and those of a file for import. A course is drawn by plot, and made by
	// others. A race is measured by bench, and has a file of settings in drive.
	exceptions := []string{"-", "--help", "-h", "--columns", "--course", "--race"}
	eachCommand(t, func(command *cobra.Command) {
		assert.NotEmpty(t, command.Short, command.CommandPath())
		command.LocalFlags().VisitAll(func(f *pflag.Flag) {
			value, _ := pflag.UnquoteUsage(f)
			assert.NotContains(t, []string{"string", "strings", "stringArray", "int", "float", "duration", "value"}, value,
				"%s --%s", command.CommandPath(), f.Name)
			this := flag{f.Name, f.Shorthand, strings.ReplaceAll(value, "folder", "file")}
			for _, key := range []string{"--" + f.Name, "-" + f.Shorthand} {
				if slices.Contains(exceptions, key) {
					continue
				}
				if before, ok := seen[key]; ok {
					assert.Equal(t, before, this, "%s of %s", key, command.CommandPath())
				}
				seen[key] = this
			}
		})
	})
	assert.Equal(t, flag{"envs", "n", "number"}, seen["-n"])
	assert.Equal(t, flag{"env", "e", "list"}, seen["--env"])
}

// Every command is in a group, except the commands of a command.
func TestGroupsOfCommands(t *testing.T) {
	root := newApp(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}).rootCommand()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		assert.NotEmpty(t, c.GroupID, c.Name())
	}
}

// Help fits a terminal of any width, except for words that are wider.
func TestHelpFits(t *testing.T) {
	for _, width := range []int{60, 80, 110} {
		eachCommand(t, func(command *cobra.Command) {
			for line := range strings.Lines(fill(command.Long, width) + usage(command, width)) {
				line = strings.TrimRight(line, "\n")
				words := len(strings.Fields(line))
				assert.True(t, len([]rune(line)) <= width || words < 2 || strings.HasSuffix(line, `\`) && words < 5,
					"%s at %d: %q", command.CommandPath(), width, line)
			}
		})
	}
}

func TestFill(t *testing.T) {
	const text = `One two three
four.

Items:
  a     first thing
        and more
  long  second
  {"x": 1,
   "y": 2}

  alone  last
Done.`
	assert.Equal(t, `One two three
four.

Items:
  a     first
        thing
        and
        more
  long  second
  {"x": 1,
    "y": 2}

  alone  last
Done.
`, fill(text, 14))
	assert.Equal(t, `One two three four.

Items:
  a     first thing and more
  long  second
  {"x": 1, "y": 2}

  alone  last
Done.
`, fill(text, 40))
	assert.Equal(t, "  run --set a=1 | jq \\\n      '.a b' > out\n", examples("  run --set a=1 | jq '.a b' > out", 22))
	assert.Equal(t, "  run --set a=1 | jq .a\n", examples("  run --set a=1 | jq .a", 23))
	assert.Empty(t, fill("", 80))
}
