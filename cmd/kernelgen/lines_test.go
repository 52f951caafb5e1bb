package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// TestGeneratedLinesAreShort checks that no line of the generated Go files of the repository has more than 120 columns,
// of which a tab takes four.
func TestGeneratedLinesAreShort(t *testing.T) {
	files := 0
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_generated.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !source.IsGenerated(text) {
			return err
		}
		files++
		for i, line := range bytes.Split(text, []byte("\n")) {
			columns := utf8.RuneCount(line) + 3*bytes.Count(line, []byte("\t"))
			assert.LessOrEqual(t, columns, 120, "%s:%d", path, i+1)
		}
		return nil
	}))
	require.Greater(t, files, 80)
}
