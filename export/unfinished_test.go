package export

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A process that exits in the middle of its work leaves only what it has committed.
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
	// The work continues until the process exits.
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
