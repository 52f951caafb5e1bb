package export

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// limitVariable is set in the process that TestFullDisk starts.
const limitVariable = "TRACKGEN_TEST_FILE_SIZE"

// TestFullDisk makes the kernel refuse writes beyond a file size, as it does when a disk is full. The limit applies to
// the whole process, and the test process also writes files for the go command. So the test runs in a child process.
func TestFullDisk(t *testing.T) {
	if os.Getenv(limitVariable) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestFullDisk$")
		child.Env = append(os.Environ(), limitVariable+"=1")
		output, err := child.CombinedOutput()
		require.NoError(t, err, string(output))
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
	defer func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)) }()

	b := sampleBatch() // 7 * 96 * 64 bytes of points
	for name, create := range writers {
		for _, room := range []uint64{0, 100, 20_000, 43_500} {
			if name != "npz" && room > 100 {
				continue // the other files are smaller, or their size depends on the digits of their numbers
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
