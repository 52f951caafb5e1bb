package seeds_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/seeds"
)

// openCPU opens the CPU and requires at the end of the test that nothing leaked.
func openCPU(t testing.TB, options ...backend.Option) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu", options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// newArray allocates an array and closes it at the end of the test.
func newArray[T kernel.Element](t testing.TB, device backend.Device, values ...T) exec.Array[T] {
	t.Helper()
	a, err := exec.FromSlice(device, values)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

func read[T kernel.Element](t testing.TB, a exec.Array[T]) []T {
	t.Helper()
	values, err := a.Read(t.Context())
	require.NoError(t, err)
	return values
}

func newState(t testing.TB, device backend.Device, envs int, options seeds.Options) *seeds.State {
	t.Helper()
	s, err := seeds.New(device, envs, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func newPerEnv(t testing.TB, device backend.Device, envs int, options seeds.Options) *seeds.PerEnv {
	t.Helper()
	r, err := seeds.NewPerEnv(device, envs, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	return r
}

// emit runs body on a context of device and returns its error.
func emit(t testing.TB, device backend.Device, body exec.Enqueue) error {
	t.Helper()
	lc, err := exec.For(t.Context(), device)
	require.NoError(t, err)
	body(lc)
	return lc.Err()
}

// do is emit without an error.
func do(t testing.TB, device backend.Device, body exec.Enqueue) {
	t.Helper()
	require.NoError(t, emit(t, device, body))
}

// requireArgError requires a *backend.ArgumentError about arg.
func requireArgError(t testing.TB, err error, arg string) {
	t.Helper()
	var argError *backend.ArgumentError
	require.ErrorAs(t, err, &argError)
	require.Equal(t, arg, argError.Argument)
}

// repeat returns n copies of v.
func repeat[T any](v T, n int) []T {
	values := make([]T, n)
	for i := range values {
		values[i] = v
	}
	return values
}
