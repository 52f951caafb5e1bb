package examples_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/required"
)

// The generator is another module, which the tests of this module do not cover: its generated files are up to date.
// TestGeneratorFromItsPage runs its tests.
func TestGenerator(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles kernels")
	}
	for _, arguments := range [][]string{{"tool", "kernelgen", "-check", "."}, {"mod", "tidy", "-diff"}} {
		command := exec.CommandContext(t.Context(), "go", arguments...)
		command.Dir = "generator"
		output, err := command.CombinedOutput()
		require.NoError(t, err, "go %v:\n%s", arguments, output)
	}
}

// step is a block of code of a page.
type step struct {
	file string // that a block of Go is appended to; empty for a block of commands
	text string
}

// stepsOfThePage returns the blocks of the page about writing a generator, in their order.
func stepsOfThePage(t *testing.T) []step {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "writing-a-generator.md"))
	require.NoError(t, err)
	var steps []step
	blocks := regexp.MustCompile("(?ms)^```(\\w+) ?(\\S*)\n(.*?)^```$")
	for _, block := range blocks.FindAllStringSubmatch(string(page), -1) {
		isCode := block[1] == "go"
		require.True(t, isCode || block[1] == "sh", "a block of %q", block[1])
		require.Equal(t, isCode, block[2] != "", "a block of Go names its file:\n%s", block[3])
		steps = append(steps, step{file: block[2], text: block[3]})
	}
	return steps
}

// The blocks of Go of the page make up the files of the example, word for word.
func TestGeneratorPageIsComplete(t *testing.T) {
	files := map[string]string{}
	for _, s := range stepsOfThePage(t) {
		if before, begun := files[s.file]; begun {
			files[s.file] = before + "\n" + s.text
		} else {
			files[s.file] = s.text
		}
	}
	delete(files, "")
	written, err := filepath.Glob(filepath.Join("generator", "*.go"))
	require.NoError(t, err)
	for _, path := range written {
		if strings.Contains(path, "_generated") || strings.Contains(path, "_lanes_") {
			continue
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, string(want), files[filepath.Base(path)], path)
		delete(files, filepath.Base(path))
	}
	assert.Empty(t, files, "files that the example does not have")
}

// The steps of the page work in their order, in an empty folder. What they generate is what the example holds.
func TestGeneratorFromItsPage(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles kernels, and the tests of another module")
	}
	for _, tool := range []string{"bash", "clang-19", "glslangValidator", "spirv-val"} {
		required.Program(t, tool)
	}
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	require.NoError(t, os.Symlink(root, filepath.Join(dir, "trackgen")))
	script := "set -eux\n"
	begun := map[string]bool{}
	for _, s := range stepsOfThePage(t) {
		switch {
		case s.file == "":
			script += s.text
		case begun[s.file]:
			script += fmt.Sprintf("cat >>%s <<'END OF BLOCK'\n\n%sEND OF BLOCK\n", s.file, s.text)
		default:
			script += fmt.Sprintf("cat >%s <<'END OF BLOCK'\n%sEND OF BLOCK\n", s.file, s.text)
		}
		begun[s.file] = true
	}
	command := exec.CommandContext(t.Context(), "bash", "-c", script)
	command.Dir = dir
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	generated, err := filepath.Glob(filepath.Join(dir, "generator", "*_generated*"))
	require.NoError(t, err)
	assert.NotEmpty(t, generated)
	for _, path := range generated {
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		want, err := os.ReadFile(filepath.Join("generator", filepath.Base(path)))
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), filepath.Base(path))
	}
}
