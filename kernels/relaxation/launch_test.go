package relaxation_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
)

// largeArgs returns arguments of RelaxLarge for a list of no envs, which do nothing.
func largeArgs(t testing.TB, device backend.Device) relaxation.RelaxLargeArgs {
	t.Helper()
	vectors := func() exec.Array[kernel.Vec2] { return empty[kernel.Vec2](t, device) }
	integers := func() exec.Array[int32] { return empty[int32](t, device) }
	floats := func() exec.Array[float32] { return empty[float32](t, device) }
	return relaxation.RelaxLargeArgs{
		Active: integers(), Stride: 1, Point: vectors(), Count: integers(), PerEnv: 1,
		Size: floats(), Band: 1, Sweeps: 1, Refresh: 1, Slots: 1, FirstAccelerated: 1, SmoothPasses: 1, SpacingSweeps: 1,
		WeightSeparation: 1, WeightSpacing: 1, WeightBend: 1, Gamma: 1, Omega: floats(), X: vectors(), Pull: vectors(),
		Edge: floats(), CloseBeads: integers(), CloseCount: integers(), BoxLo: vectors(), BoxHi: vectors(),
		Relaxed: vectors(), Dropped: integers(),
	}
}

// empty returns an array of one zero.
func empty[T kernel.Element](t testing.TB, device backend.Device) exec.Array[T] {
	array, err := exec.NewArray[T](device, 1)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, array.Close()) })
	return array
}

func openCPU(t testing.TB) backend.Device {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// TestLaunchRefusesAnArrayThatIsLeftOut leaves out each array of the arguments in turn: the error names it.
func TestLaunchRefusesAnArrayThatIsLeftOut(t *testing.T) {
	device := openCPU(t)
	args := largeArgs(t, device)
	arrays := 0
	fields := reflect.TypeOf(args)
	for i := range fields.NumField() {
		field := fields.Field(i)
		if !strings.HasPrefix(field.Type.Name(), "Array[") {
			continue
		}
		arrays++
		without := args
		reflect.ValueOf(&without).Elem().Field(i).SetZero()
		lc, err := exec.For(context.Background(), device)
		require.NoError(t, err)
		relaxation.RelaxLarge(lc, 1, without)
		var refused *backend.ArgumentError
		require.ErrorAs(t, lc.Err(), &refused, field.Name)
		require.Equal(t, strings.ToLower(field.Name[:1])+field.Name[1:], refused.Argument)
	}
	require.Equal(t, 14, arrays)
}

// TestLaunchOfManyArgumentsAllocatesNothing launches the kernel with the most arguments.
func TestLaunchOfManyArgumentsAllocatesNothing(t *testing.T) {
	device := openCPU(t)
	args := largeArgs(t, device)
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)
	require.Zero(t, testing.AllocsPerRun(100, func() { relaxation.RelaxLarge(lc, 1, args) }))
	require.NoError(t, lc.Err())
}

// BenchmarkLaunch is what the host pays for a launch with the most arguments: n is 0, so that nothing runs.
func BenchmarkLaunch(b *testing.B) {
	device := openCPU(b)
	args := largeArgs(b, device)
	lc, err := exec.For(b.Context(), device)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		relaxation.RelaxLarge(lc, 0, args)
	}
	require.NoError(b, lc.Err())
}
