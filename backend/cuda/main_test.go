//go:build cgo && linux

package cuda

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// gpuVariable makes the tests that can run on a GPU use the installed driver (make test-gpu). The other tests, which
// make the driver fail or count its calls, must be left out.
const gpuVariable = "TRACKGEN_TEST_GPU"

func onGPU() bool { return os.Getenv(gpuVariable) != "" }

// versions are the driver versions that tests run with, as cuDriverGetVersion returns them.
var versions = driverVersions()

func driverVersions() []int {
	if onGPU() {
		return []int{0} // the installed version
	}
	return []int{12030, 12040, 12080, 13000}
}

// start starts an emulated driver that has the kernels of the conformance suite. At the end of the test, nothing may be
// alive in the driver, and it must have seen no mistakes.
func start(t testing.TB, version int, seed uint64) *emulator.Emulator {
	if onGPU() {
		s, err := readSettings()
		require.NoError(t, err)
		l, _, _, err := connect(s.libraries)
		require.NoError(t, err)
		return emulator.Real(t, l.path)
	}
	e := emulator.Start(t, version, seed)
	loadKernels(t, e, "../backendtest/kernels")
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		orphans.sweep()
		require.Empty(t, e.Complaint())
		require.Empty(t, e.Live())
	})
	return e
}

// loadKernels registers the kernels of a package with an emulated driver.
func loadKernels(t testing.TB, e *emulator.Emulator, directory string) {
	if e.IsReal() {
		return // a real driver compiles the PTX
	}
	e.LoadKernels(t, filepath.Join(directory, "kernel_generated.cu"))
}

// openTest opens the emulated device, which must have no leaks at the end of the test.
func openTest(t testing.TB, options ...backend.Option) *device {
	d := openDevice(t, options...)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

func openDevice(t testing.TB, options ...backend.Option) *device {
	d, err := backend.Open("cuda:0", options...)
	require.NoError(t, err)
	return d.(*device)
}
