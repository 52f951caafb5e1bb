package export

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// writeGroup writes a group of three files with the same text.
func writeGroup(folder, text string) error {
	g := CreateAtomicFiles(folder)
	defer g.Abort() // after Commit it does nothing
	for _, name := range []string{"image", "line", "description"} {
		err := g.WriteFile(name, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
		if err != nil {
			return err
		}
	}
	return g.Commit()
}

func TestAtomicFiles(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "other"), []byte("theirs"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "image"), []byte("before"), 0o600))
	g := CreateAtomicFiles(folder)
	for _, name := range []string{"image", "description"} {
		require.NoError(t, g.WriteFile(name, func(w io.Writer) error { _, err := io.WriteString(w, name); return err }))
	}
	require.Equal(t, "before", string(readFile(t, filepath.Join(folder, "image"))), "nothing shows before Commit")
	require.NoFileExists(t, filepath.Join(folder, "description"))
	require.NoError(t, g.Commit())
	require.NoError(t, g.Abort())
	require.ErrorIs(t, g.Commit(), os.ErrClosed)
	require.ErrorIs(t, g.WriteFile("late", func(io.Writer) error { return nil }), os.ErrClosed)
	requireFiles(t, folder, "image", "description", "other")
	require.Equal(t, "image", string(readFile(t, filepath.Join(folder, "image"))))
	info, err := os.Stat(filepath.Join(folder, "image"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "that of the file that was replaced")

	// An error leaves existing files untouched.
	g = CreateAtomicFiles(folder)
	require.NoError(t, g.WriteFile("image", func(io.Writer) error { return nil }))
	require.ErrorIs(t, g.WriteFile("description", func(io.Writer) error { return errFull }), errFull)
	for _, name := range []string{"", ".", "..", "a/b", "../image"} {
		require.Error(t, g.WriteFile(name, func(io.Writer) error { return nil }), name)
	}
	require.NoError(t, g.Abort())
	requireFiles(t, folder, "image", "description", "other")
	require.Equal(t, "image", string(readFile(t, filepath.Join(folder, "image"))))

	require.Equal(t, "a.png", CreateAtomicFiles("").path("a.png"))
	require.Equal(t, filepath.Join("maps", "a.png"), CreateAtomicFiles("maps").path("a.png"))
	require.Equal(t, filepath.Join("maps", "a.png"), CreateAtomicFiles("maps"+string(filepath.Separator)).path("a.png"))
	missing := CreateAtomicFiles(filepath.Join(folder, "none"))
	require.ErrorIs(t, missing.WriteFile("image", func(io.Writer) error { return nil }), os.ErrNotExist)
	require.NoError(t, missing.Commit(), "there is nothing to rename")
}

// A description that cannot be replaced is an error before the first file is replaced.
func TestAtomicFilesKeepOldOnesTogether(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, writeGroup(folder, "old"))
	g := CreateAtomicFiles(folder)
	for _, name := range []string{"image", "description"} {
		require.NoError(t, g.WriteFile(name, func(io.Writer) error { return nil }))
	}
	description := filepath.Join(folder, "description")
	require.NoError(t, os.Remove(description))
	require.NoError(t, os.MkdirAll(filepath.Join(description, "full"), 0o755))
	require.Error(t, g.Commit())
	require.Equal(t, "old", string(readFile(t, filepath.Join(folder, "image"))))
	requireFiles(t, folder, "image", "line", "description")
}

// Groups that are written at the same time take turns, so all remaining files are of the same group.
func TestAtomicFilesAtOnce(t *testing.T) {
	folder := t.TempDir()
	const writers, rounds = 4, 10
	errors := make([]error, writers)
	var running sync.WaitGroup
	for k := range writers {
		running.Go(func() {
			for round := range rounds {
				if err := writeGroup(folder, fmt.Sprint(k, " ", round)); err != nil {
					errors[k] = err
					return
				}
			}
		})
	}
	running.Wait()
	for _, err := range errors {
		require.NoError(t, err)
	}
	requireFiles(t, folder, "image", "line", "description")
	text := string(readFile(t, filepath.Join(folder, "description")))
	require.Equal(t, text, string(readFile(t, filepath.Join(folder, "image"))))
	require.Equal(t, text, string(readFile(t, filepath.Join(folder, "line"))))
}

// A group waits until another process has finished, and a process that ends leaves nothing behind.
func TestAtomicFilesTakeTurnsAtOnce(t *testing.T) {
	folder := t.TempDir()
	f, err := CreateAtomic(filepath.Join(folder, "description"))
	require.NoError(t, err)
	unlock, err := lockTarget(f)
	require.NoError(t, err)
	require.NoError(t, f.Abort())
	done := make(chan error, 1)
	go func() { done <- writeGroup(folder, "late") }()
	for {
		entries, err := os.ReadDir(folder)
		require.NoError(t, err)
		if len(entries) == 4 { // the three temporary files and the lock
			break
		}
		require.Empty(t, done, "the group did not wait")
	}
	time.Sleep(50 * time.Millisecond) // enough for a group that does not wait
	require.Empty(t, done)
	require.NoFileExists(t, filepath.Join(folder, "image"))
	unlock()
	require.NoError(t, <-done)
	requireFiles(t, folder, "image", "line", "description")
}
