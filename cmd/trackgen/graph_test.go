package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The graphs in the documentation are up to date. If this fails, run make pictures.
func TestDocumentedGraphs(t *testing.T) {
	for name, arguments := range map[string][]string{"graph-generate.svg": nil, "graph-regenerate.svg": {"--regenerate"}} {
		var out, messages bytes.Buffer
		code := newApp(nil, &out, &messages).execute(t.Context(),
			append([]string{"graph", "--device", "cpu", "--envs", "4096", "--format", "svg"}, arguments...))
		require.Equal(t, exitDone, code, messages.String())
		want, err := os.ReadFile(filepath.Join("..", "..", "docs", "images", name))
		require.NoError(t, err)
		assert.Equal(t, string(want), out.String(), name)
	}
}
