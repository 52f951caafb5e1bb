package trackgen_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// maxColumns is the maximum length of a line of hand-written Go, in characters; a tab counts as one.
const maxColumns = 120

// longLines are the areas and files that may still have longer lines. The comments of kernels are copied into generated
// files.
var longLines = []string{
	"backend/backendtest/kernels/", "backend/cuda/", "cmd/kernelgen/", "cmd/trackgen/", "export/", "kernel/", "kernels/",
	"track/",
	"bench/roofline/kernel.go", "examples/generator/kernel.go", "examples/kernels/kernels.go",
	"examples/trainloop/simulation/drive.go",
}

func TestLinesOfGoCode(t *testing.T) {
	used := make(map[string]bool)
	for _, path := range files(t, ".go") {
		if strings.Contains(path, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for i, line := range strings.Split(string(text), "\n") {
			columns := utf8.RuneCountInString(line)
			if columns <= maxColumns {
				continue
			}
			exception := slices.IndexFunc(longLines, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
			if assert.GreaterOrEqual(t, exception, 0, "%s:%d has %d columns; allowed: %d", path, i+1, columns, maxColumns) {
				used[longLines[exception]] = true
			}
		}
	}
	for _, prefix := range longLines {
		assert.True(t, used[prefix], "%s has no long line: take it off the list", prefix)
	}
}
