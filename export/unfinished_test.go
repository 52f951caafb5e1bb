package export

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A process that ends in the middle of its work leaves what is committed, and nothing else.
func TestRemoveUnfinished(t *testing.T) {
	folder := t.TempDir()
	text := func(w io.Writer) error {
		_, err := io.WriteString(w, "text")
		return err
	}
	require.NoError(t, WriteFile(filepath.Join(folder, "whole"), text))
	file, err := CreateAtomic(filepath.Join(folder, "file"))
	require.NoError(t, err)
	require.NoError(t, text(file))
	several, err := CreateAtomicFolder(filepath.Join(folder, "folder"))
	require.NoError(t, err)
	require.NoError(t, several.WriteFile("a/b", text))

	t.Cleanup(func() { unfinished.gone = false })
	require.NoError(t, RemoveUnfinished())
	// The work goes on until the process ends.
	require.NoError(t, text(file))
	require.Error(t, several.WriteFile("a/c", text))
	require.Error(t, file.Commit())
	require.Error(t, several.Commit())
	require.Error(t, WriteFile(filepath.Join(folder, "late"), text))
	_, err = CreateAtomicFolder(filepath.Join(folder, "late"))
	require.Error(t, err)

	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	assert.Equal(t, "whole", entries[0].Name())
}
