package exec_test

import (
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// released returns an owner that reports its release.
func released() (backend.Releaser, <-chan struct{}) {
	done := make(chan struct{})
	return backend.ReleaseFunc(func() { close(done) }), done
}

// addressOf returns the address of the first element of a slice.
func addressOf[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

func requireReleased(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("the owner was not released")
	}
}

func requireKept(t *testing.T, done <-chan struct{}) {
	t.Helper()
	for range 100 {
		runtime.Gosched()
	}
	select {
	case <-done:
		t.Fatal("the owner was released too early")
	default:
	}
}

// An array in memory of somebody else reads and writes that memory, and its owner is released after Close.
func TestWrap(t *testing.T) {
	device := openCPU(t)
	memory := []int32{1, 2, 3, 4}
	owner, done := released()
	a, err := exec.Wrap[int32](device, addressOf(memory), len(memory), owner)
	require.NoError(t, err)
	require.Equal(t, addressOf(memory), a.Address())
	got, err := a.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int32{1, 2, 3, 4}, got)
	require.NoError(t, a.Write(t.Context(), []int32{5, 6, 7, 8}))
	require.Equal(t, []int32{5, 6, 7, 8}, memory)
	requireKept(t, done)
	require.NoError(t, a.Close())
	requireReleased(t, done)
}
