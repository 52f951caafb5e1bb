//go:build slow

package export

import (
	"archive/zip"
	"bufio"
	"context"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/npy"
	"github.com/trackgen-go/trackgen/internal/required"
)

// TestNPZBeyond4GiB assembles an archive with an array of more than 4 GiB and a small array behind it. In the spool
// file, the large array is a hole; in the archive, it occupies its full size on the disk.
func TestNPZBeyond4GiB(t *testing.T) {
	const size = 1<<32 + 4096
	path := filepath.Join(t.TempDir(), "large.npz")
	w, err := NewNPZWriter(path, Shape{1, 1}, sampleMetadata())
	require.NoError(t, err)
	defer w.Abort()
	require.NoError(t, w.spool.file.Truncate(size))

	large := newNPZEntry("large", npy.Header{Descr: "<f4", Shape: []int64{size / wordSize}})
	large.size, large.filled = size, size
	small := newNPZEntry("small", npy.Header{Descr: "<f4", Shape: []int64{2}})
	small.size, small.filled = 8, 8
	small.crc = crc32.Update(small.crc, crc32.IEEETable, make([]byte, 8))

	out := bufio.NewWriter(w.file)
	archive := zip.NewWriter(out)
	require.NoError(t, w.archive.assembleEntry(context.Background(), archive, &large))
	require.NoError(t, w.archive.assembleEntry(context.Background(), archive, &small))
	require.NoError(t, archive.Close())
	require.NoError(t, out.Flush())
	require.NoError(t, w.file.Commit())
	require.NoError(t, w.removeSpool())
	w.closed = true

	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(math.MaxUint32))
	read, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer read.Close()
	for _, f := range read.File {
		data, err := f.Open()
		require.NoError(t, err)
		n, err := io.Copy(io.Discard, data)
		require.NoError(t, err)
		require.Equal(t, int64(f.UncompressedSize64), n)
	}
	required.Python(t, "numpy", `
import sys, zipfile
import numpy as np
assert zipfile.ZipFile(sys.argv[1]).testzip() is None
assert np.load(sys.argv[1])["small"].tolist() == [0, 0]
`, path)
}
