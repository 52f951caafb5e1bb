package notices_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/notices"
)

var listed = regexp.MustCompile(`(?m)^  (\S+ v\S+)$`)

// The notices name the modules of the program, on all platforms of a release, and no others.
func TestNoticesOfAllModules(t *testing.T) {
	head, texts, ok := strings.Cut(notices.Text, "\nTheir licences and notices follow.\n")
	require.True(t, ok)
	var got []string
	for _, match := range listed.FindAllStringSubmatch(head, -1) {
		got = append(got, match[1])
	}
	used := map[string]bool{}
	for _, platform := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}",
				"github.com/trackgen-go/trackgen/cmd/trackgen")
			list.Env = append(os.Environ(), "GOOS="+platform, "GOARCH="+arch, "CGO_ENABLED=0")
			list.Stderr = os.Stderr
			out, err := list.Output()
			require.NoError(t, err, "%s/%s", platform, arch)
			for line := range strings.Lines(string(out)) {
				if name := strings.TrimSpace(line); name != "" && name != "github.com/trackgen-go/trackgen" {
					used[name] = true
				}
			}
		}
	}
	require.Greater(t, len(used), 20)
	var want []string
	for name := range used {
		want = append(want, name)
	}
	require.ElementsMatch(t, want, got, "run scripts/notices.sh, and commit what it writes")
	for _, name := range append(got, "Go (standard library)") {
		assert.Regexp(t, `(?m)^`+regexp.QuoteMeta(name)+`$`, texts, "a licence of %s", name)
	}
	for _, words := range []string{"Copyright 2009 The Go Authors", "Apache License", "Permission is hereby granted"} {
		assert.Contains(t, texts, words)
	}
}
