package cpu

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// childVariable marks the process that TestAddressSpaceLimit starts.
const childVariable = "TRACKGEN_TEST_ADDRESS_SPACE"

// Go ends a process that exceeds its address space limit; the budget must refuse first.
func TestAddressSpaceLimit(t *testing.T) {
	if os.Getenv(childVariable) == "" {
		child := exec.Command(os.Args[0], "-test.run=^TestAddressSpaceLimit$")
		child.Env = append(os.Environ(), childVariable+"=1")
		output, err := child.CombinedOutput()
		require.NoError(t, err, string(output))
		return
	}
	pages, ok := number(strings.Fields(readFile("/proc/self/statm"))[0])
	require.True(t, ok)
	limit := uint64(pages)*uint64(os.Getpagesize()) + 1<<30
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit}))
	d := openTest(t, backend.Options{})
	_, err := d.Alloc(1 << 30)
	require.ErrorIs(t, err, backend.ErrOutOfMemory)
	b, err := d.Alloc(64 << 20)
	require.NoError(t, err)
	require.NoError(t, b.Close())
}
