package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/formats.md, to which the help refers, has every format in its table.
func TestFormatsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "formats.md"))
	require.NoError(t, err)
	for _, f := range exportFormats {
		require.Regexp(t, `(?m)^\| .*\b`+string(f.name)+`\b.* \| (any number|up to 1000|one) \|`, string(text), "%s", f.name)
	}
}
