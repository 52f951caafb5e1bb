package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The generator is another module, which the tests of this module do not cover: its generated files are up to date and
// its tests pass.
func TestGenerator(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles kernels, and the tests of another module")
	}
	for _, arguments := range [][]string{
		{"tool", "kernelgen", "-check", "."},
		{"mod", "tidy", "-diff"},
		{"vet", "./..."},
		{"test", "./..."},
	} {
		command := exec.CommandContext(t.Context(), "go", arguments...)
		command.Dir = "generator"
		output, err := command.CombinedOutput()
		require.NoError(t, err, "go %v:\n%s", arguments, output)
	}
}

// All Go code of the document occurs in the example, word for word.
func TestGeneratorDocument(t *testing.T) {
	document, err := os.ReadFile(filepath.Join("..", "docs", "writing-a-generator.md"))
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join("generator", "*.go"))
	require.NoError(t, err)
	var sources strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		sources.Write(text)
	}
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(document), -1)
	assert.Len(t, blocks, 7)
	for _, block := range blocks {
		assert.Contains(t, sources.String(), block[1])
	}
}
