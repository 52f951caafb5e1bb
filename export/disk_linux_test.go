package export

import (
	"context"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFullDisk lets the kernel refuse writes beyond a size, as it does when a disk is full. It must not run beside other
// tests, because the limit is the process's.
func TestFullDisk(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	defer func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)) }()

	b := sampleBatch() // 7 * 96 * 64 bytes of points
	for name, create := range writers {
		for _, room := range []uint64{0, 100, 20_000, 43_500} {
			if name != "npz" && room > 100 {
				continue // the others are smaller, or as large as their numbers are long
			}
			folder := t.TempDir()
			w, err := create(filepath.Join(folder, "out"), ShapeOf(b))
			require.NoError(t, err)

			limit := old
			limit.Cur = room
			require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
			err = w.Append(context.Background(), b)
			if err == nil {
				err = w.Commit(context.Background())
			} else {
				require.Error(t, w.Commit(context.Background()))
			}
			require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))

			require.ErrorIs(t, err, syscall.EFBIG, "%s with room for %d bytes", name, room)
			require.ErrorContains(t, err, `/out": file too large`)
			requireFiles(t, folder)
		}
	}
}
