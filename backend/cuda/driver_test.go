//go:build cgo && linux

package cuda

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// onThread calls a function of the driver with the context of the device.
func onThread(e *emulator.Emulator, name string, arguments ...uint64) int {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return e.Call(name, arguments...)
}

func TestDescription(t *testing.T) {
	start(t, 12040, 1)
	devices, err := driver{}.Devices()
	require.NoError(t, err)
	require.Equal(t, []backend.Info{{Name: "cuda:0", Backend: "cuda", Driver: "CUDA 12.4", MemoryBytes: 2 << 30,
		Description: "Emulated GPU (compute capability 7.0, 1 multiprocessors)"}}, devices)
}

// If the driver is older than 12.4, or has no conditional nodes, or conditionals are turned off, captures do not
// support conditionals and Caps says so.
func TestConditionalSupport(t *testing.T) {
	for _, version := range versions {
		start(t, version, 1)
		require.Equal(t, version >= 12040, openTest(t).Caps().CaptureConditionals)
	}
	t.Run("off", func(t *testing.T) {
		start(t, 12080, 1)
		t.Setenv(conditionalsVariable, "off")
		d := openTest(t)
		require.False(t, d.Caps().CaptureConditionals || d.Caps().WhileNodes)
		s := newStream(t, d)
		require.NoError(t, s.BeginCapture())
		err := s.If(view(t, d, 1), func(backend.Stream) error { return nil })
		require.ErrorIs(t, err, backend.ErrUnsupported)
		require.ErrorContains(t, err, conditionalsVariable)
		g, err := s.EndCapture()
		require.NoError(t, err)
		require.NoError(t, g.Close())
	})
	for call, code := range map[string]int{"cuGraphConditionalHandleCreate": codeNotSupported,
		"cuModuleLoadDataEx": codeUnsupportedPTX,
		"cuGraphAddNode":     codeInvalidValue, "cuStreamBeginCaptureToGraph": codeIllegalState,
		"cuStreamUpdateCaptureDependencies": 900,
		"cuGraphInstantiateWithParams":      codeNotSupported, "cuFuncLoad": codeInvalidSource} {
		e := start(t, 12080, 1)
		e.FailNext(call, code)
		d := openTest(t)
		require.False(t, d.Caps().CaptureConditionals, call)
		require.Contains(t, d.ifs.reason, call)
		require.NoError(t, churn(d))
	}
}

func TestUnavailable(t *testing.T) {
	t.Setenv(libraryVariable, filepath.Join(t.TempDir(), "libcuda.so.1"))
	_, err := driver{}.Devices()
	require.ErrorIs(t, err, backend.ErrUnavailable)
	require.ErrorContains(t, err, "there is none in "+filepath.Dir(os.Getenv(libraryVariable)))

	file := filepath.Join(t.TempDir(), "libcuda.so.1")
	require.NoError(t, os.WriteFile(file, []byte("no library"), 0o600))
	t.Setenv(libraryVariable, file)
	_, err = driver{}.Open(0, backend.Options{})
	require.ErrorIs(t, err, backend.ErrUnavailable)

	start(t, 12020, 1)
	_, err = driver{}.Devices()
	require.ErrorIs(t, err, backend.ErrUnavailable, "an old driver")
	require.ErrorContains(t, err, "12.3")

	e := start(t, 12080, 1)
	for _, code := range []int{codeNoDevice, codeNewerDriver, 999} {
		e.FailNext("cuInit", code)
		_, err = driver{}.Devices()
		require.ErrorIs(t, err, backend.ErrUnavailable)
		require.ErrorContains(t, err, "cuInit")
	}
	for _, code := range []int{codeDeviceUnavailable, codeServiceUnreachable} {
		e.FailNext("cuDevicePrimaryCtxRetain", code)
		_, err = driver{}.Open(0, backend.Options{})
		require.ErrorIs(t, err, backend.ErrUnavailable, "so that \"auto\" uses another device")
		require.ErrorContains(t, err, advice[code])
	}
	e.SetAttribute(attributeMajor, 6)
	_, err = driver{}.Open(0, backend.Options{})
	require.ErrorIs(t, err, backend.ErrUnavailable)
	require.ErrorContains(t, err, "6.0")
	t.Setenv(conditionalsVariable, "yes")
	_, err = driver{}.Devices()
	require.ErrorIs(t, err, backend.ErrInvalid)
	require.ErrorContains(t, err, conditionalsVariable)
}

// The limit counts the device and host memory that is allocated.
func TestMemoryLimit(t *testing.T) {
	start(t, 12080, 1)
	d := openTest(t, backend.MemoryLimit(1000))
	b, err := d.Alloc(600)
	require.NoError(t, err)
	_, err = d.AllocHost(401)
	var memory *backend.OutOfMemoryError
	require.ErrorAs(t, err, &memory)
	require.Equal(t, int64(400), memory.Limit)
	require.NoError(t, b.Close())
	h, err := d.AllocHost(1000)
	require.NoError(t, err)
	require.NoError(t, h.Close())
}

// A leak report names the line that made the resource.
func TestLeakSites(t *testing.T) {
	start(t, 12080, 1)
	d := openDevice(t, backend.Debug(true))
	_, err := d.Alloc(64)
	require.NoError(t, err)
	s, err := d.NewStream()
	require.NoError(t, err)
	require.NoError(t, s.BeginCapture())
	err = d.Close()
	require.ErrorIs(t, err, backend.ErrLeak)
	require.ErrorContains(t, err, "buffer of 64 bytes made at")
	require.ErrorContains(t, err, "driver_test.go")
}

// What was made in a context that is gone is gone with it. The driver's functions are not called on it.
func TestContextIsGone(t *testing.T) {
	for _, code := range []int{codeInvalidContext, codeContextDestroyed} {
		e := start(t, 12080, 1)
		d := openDevice(t)
		b, err := d.Alloc(64)
		require.NoError(t, err)
		address := b.(interface{ Address() uintptr }).Address()
		frees := e.Calls("cuMemFree")
		e.FailNth("cuCtxGetCurrent", 1, code) // after the one that waits for the default stream
		require.ErrorIs(t, b.Close(), backend.ErrDeviceLost)
		require.Equal(t, "cuCtxGetCurrent", e.Failed())
		require.Equal(t, frees, e.Calls("cuMemFree"))
		require.Zero(t, d.reserved.Load())
		require.NoError(t, d.Close())
		require.Empty(t, d.pending)
		o := newOwner(t, e)
		o.must("cuMemFree", uint64(address)) // the context of the emulated driver is still there
	}
}
