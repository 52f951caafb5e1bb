package trackgen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The script that compares the API with the last release, in a repository with a module of its own: compatible changes
// pass, incompatible ones fail unless the changelog announces them.
func TestAPIOfReleases(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	}
	run := func(name string, arguments ...string) (string, int) {
		command := exec.Command(name, arguments...)
		command.Dir = folder
		command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := command.CombinedOutput()
		if _, failed := err.(*exec.ExitError); err != nil && !failed {
			require.NoError(t, err)
		}
		return string(out), command.ProcessState.ExitCode()
	}
	git := func(arguments ...string) {
		out, code := run("git", arguments...)
		require.Zero(t, code, "git %v: %s", arguments, out)
	}
	for _, name := range []string{"scripts/api.sh", "go.sum", "go.mod"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		write(name, regexp.MustCompile(`(?m)^module .*`).ReplaceAllString(string(text), "module example.com/small"))
	}
	changelog := "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n\n### Added\n\n- Incompatible: an old one\n"
	write("CHANGELOG.md", changelog)
	write("small.go", "package small\n\nfunc Tracks(n int) int { return n }\n")
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "one")

	out, code := run("scripts/api.sh", "--released")
	assert.Zero(t, code, out)
	assert.Contains(t, out, "NOT RUN: the comparison of the API with the last release, because there is no tag")
	out, code = run("scripts/api.sh")
	assert.Equal(t, 2, code, out)

	git("tag", "v0.1.0")
	write("small.go", "package small\n\nfunc Tracks(n int) int { return n }\n\nfunc Gates() {}\n")
	out, code = run("scripts/api.sh", "--released")
	assert.Zero(t, code, out)
	assert.Contains(t, out, "0 incompatible changes, 1 changes")

	write("small.go", "package small\n\nfunc Tracks(n int64) int { return int(n) }\n")
	out, code = run("scripts/api.sh", "--released")
	assert.Equal(t, 1, code, out)
	assert.Contains(t, out, "Tracks: changed from func(int) int to func(int64) int")
	assert.Contains(t, out, "CHANGELOG.md must say so under [Unreleased]")

	write("CHANGELOG.md", regexp.MustCompile(`Unreleased]\n`).ReplaceAllString(changelog,
		"Unreleased]\n\n### Changed\n\n- Incompatible: Tracks takes an int64.\n"))
	out, code = run("scripts/api.sh", "--released")
	assert.Zero(t, code, out)
	assert.Contains(t, out, "1 incompatible changes")
	assert.Contains(t, out, "- Incompatible: Tracks takes an int64.")
}
