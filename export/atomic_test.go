package export

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAtomicFileAppearsWhole(t *testing.T) {
	folder := t.TempDir()
	target := filepath.Join(folder, "out.txt")
	require.NoError(t, os.WriteFile(target, []byte("old"), 0o600))

	f, err := CreateAtomic(target)
	require.NoError(t, err)
	_, err = io.WriteString(f, "new")
	require.NoError(t, err)
	require.Equal(t, "old", string(readFile(t, target)), "until Commit")

	require.NoError(t, f.Commit())
	require.Equal(t, "new", string(readFile(t, target)))
	require.NoError(t, f.Abort(), "after Commit it does nothing")
	require.ErrorIs(t, f.Commit(), fs.ErrClosed)
	requireFiles(t, folder, "out.txt")
}

func TestAtomicFileAbortLeavesNothing(t *testing.T) {
	folder := t.TempDir()
	f, err := CreateAtomic(filepath.Join(folder, "out.txt"))
	require.NoError(t, err)
	_, err = io.WriteString(f, "half")
	require.NoError(t, err)
	require.NoError(t, f.Abort())
	require.NoError(t, f.Abort())
	requireFiles(t, folder)

	failure := errors.New("no more to say")
	err = WriteFile(filepath.Join(folder, "out.txt"), func(w io.Writer) error {
		_, _ = io.WriteString(w, "half")
		return failure
	})
	require.ErrorIs(t, err, failure)
	requireFiles(t, folder)
}

func TestAtomicFileFollowsSymbolicLinks(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "data"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "data", "real"), nil, 0o600))
	link := filepath.Join(folder, "link")
	require.NoError(t, os.Symlink(filepath.Join("data", "real"), link))
	require.NoError(t, WriteFile(link, func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }))
	require.Equal(t, "text", string(readFile(t, filepath.Join(folder, "data", "real"))))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeSymlink)
}

// ".." after a symbolic link means the parent of the linked folder, both for the temporary file and for the target.
func TestAtomicBehindALinkedFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll(filepath.Join("dir", "below"), 0o755))
	require.NoError(t, os.Symlink(filepath.Join("dir", "below"), "deep"))
	file, err := CreateAtomic("deep/../file")
	require.NoError(t, err)
	require.NoError(t, writeText(file))
	several, err := CreateAtomicFolder("deep/../several/")
	require.NoError(t, err)
	require.NoError(t, several.WriteFile("a/./b", writeText))
	requireFiles(t, ".", "deep", "dir")
	require.NoError(t, file.Commit())
	require.NoError(t, several.Commit())
	requireFiles(t, ".", "deep", "dir")
	requireFiles(t, "dir", "below", "file", "several")
	requireFiles(t, filepath.Join("dir", "several", "a"), "b")

	require.ErrorContains(t, Probe("missing/../file"), `folder "missing/..": no such file or directory`)
	require.ErrorContains(t, ProbeFolder("missing/../several"), `folder "missing/..": no such file or directory`)
}

// An empty folder is replaced, whichever path names it.
func TestAtomicFolderReplacesTheFolderItIsIn(t *testing.T) {
	parent := t.TempDir()
	for name, target := range map[string]string{"a": ".", "b": "below/..", "c": "./"} {
		require.NoError(t, os.Mkdir(filepath.Join(parent, name), 0o755))
		t.Chdir(filepath.Join(parent, name))
		if name == "b" {
			require.NoError(t, os.Mkdir("below", 0o755))
			require.ErrorContains(t, ProbeFolder(target), "the folder is not empty")
			continue
		}
		several, err := CreateAtomicFolder(target)
		require.NoError(t, err)
		require.NoError(t, several.WriteFile("x", writeText))
		require.NoError(t, several.Commit())
		requireFiles(t, filepath.Join(parent, name), "x")
	}
	requireFiles(t, parent, "a", "b", "c")
}

func writeText(w io.Writer) error {
	_, err := io.WriteString(w, "text")
	return err
}

func TestAtomicFileTakesTheLongestName(t *testing.T) {
	folder := t.TempDir()
	name := strings.Repeat("n", 255)
	require.NoError(t, WriteFile(filepath.Join(folder, name), func(w io.Writer) error { return nil }))
	requireFiles(t, folder, name)
}

// writers creates each kind of BatchWriter.
var writers = map[string]func(target string, shape Shape) (BatchWriter, error){
	"npz": func(target string, shape Shape) (BatchWriter, error) {
		return NewNPZWriter(target, shape, sampleMetadata())
	},
	"points.csv": func(target string, shape Shape) (BatchWriter, error) {
		return Create(target, func(w io.Writer) (Encoder, error) { return NewPointsCSV(w, shape) })
	},
	"summary.csv": func(target string, shape Shape) (BatchWriter, error) {
		return Create(target, func(w io.Writer) (Encoder, error) { return NewSummaryCSV(w, shape) })
	},
	"tracks.json": func(target string, shape Shape) (BatchWriter, error) {
		return Create(target, func(w io.Writer) (Encoder, error) { return NewTracksJSON(w, shape, sampleMetadata()) })
	},
	"geojson": func(target string, shape Shape) (BatchWriter, error) {
		return Create(target, func(w io.Writer) (Encoder, error) {
			return NewGeoJSON(w, shape, sampleMetadata(), GeoJSON{Invalid: true})
		})
	},
}

func TestEveryWriterCleansUp(t *testing.T) {
	ctx := context.Background()
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	b := sampleBatch()
	for name, create := range writers {
		open := func(t *testing.T) (BatchWriter, string) {
			folder := t.TempDir()
			w, err := create(filepath.Join(folder, "out"), ShapeOf(b))
			require.NoError(t, err)
			return w, folder
		}
		t.Run(name+"/abort", func(t *testing.T) {
			w, folder := open(t)
			require.NoError(t, w.Append(ctx, slice(b, 0, 3)))
			require.NoError(t, w.Abort())
			require.NoError(t, w.Abort())
			requireFiles(t, folder)
			require.Error(t, w.Commit(ctx), "after Abort")
			requireFiles(t, folder)
		})
		t.Run(name+"/too few envs", func(t *testing.T) {
			w, folder := open(t)
			require.NoError(t, w.Append(ctx, slice(b, 0, 3)))
			require.ErrorContains(t, w.Commit(ctx), "is to hold 7 envs but only 3 were appended")
			requireFiles(t, folder)
		})
		t.Run(name+"/too many envs", func(t *testing.T) {
			w, folder := open(t)
			require.NoError(t, w.Append(ctx, b))
			require.ErrorContains(t, w.Append(ctx, slice(b, 0, 1)), "exceeds the 7 envs")
			require.ErrorContains(t, w.Commit(ctx), "exceeds the 7 envs", "the first error stays")
			requireFiles(t, folder)
		})
		t.Run(name+"/cancelled", func(t *testing.T) {
			w, folder := open(t)
			require.NoError(t, w.Append(ctx, b))
			require.ErrorIs(t, w.Commit(cancelled), context.Canceled)
			requireFiles(t, folder)
		})
		t.Run(name+"/wrong batches", func(t *testing.T) {
			for want, spoil := range wrongBatches {
				w, folder := open(t)
				require.ErrorContains(t, w.Append(ctx, spoil()), want)
				require.Error(t, w.Commit(ctx))
				requireFiles(t, folder)
			}
		})
		t.Run(name+"/wrong shapes", func(t *testing.T) {
			folder := t.TempDir()
			for _, shape := range []Shape{{0, 5}, {-1, 5}, {5, 0}, {5, -1}, {1 << 40, 5}, {5, 1 << 40}} {
				_, err := create(filepath.Join(folder, "out"), shape)
				require.ErrorContains(t, err, "must be 1 to")
			}
			requireFiles(t, folder)
		})
	}
}
