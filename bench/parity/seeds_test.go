package parity

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/seeds"
)

// drawn holds the bits of everything that the kernels of package seeds compute, by name.
type drawn map[string][]uint32

// draw runs every kernel of package seeds on a device.
func draw(t *testing.T, device backend.Device) drawn {
	t.Helper()
	const envs = 300
	all := drawn{}
	lc, err := exec.For(t.Context(), device)
	require.NoError(t, err)
	mask := make([]int32, envs)
	ids, values := []int32{5, 7, 5, 299, -1, 300, 0}, []int32{1, -2, math.MaxInt32, math.MinInt32, 9, 8, 7}
	for e := range mask {
		mask[e] = int32(e % 3)
	}
	masked, listed, given := array(t, device, mask), array(t, device, ids), array(t, device, values)

	state, err := seeds.New(device, envs, seeds.Options{Base: -150})
	require.NoError(t, err)
	effective, flag := array(t, device, make([]int32, envs)), array(t, device, []int32{0})
	state.Effective(lc, effective)
	keep(t, all, lc, "effective", effective)
	state.Advance(lc)
	state.AdvanceMasked(lc, masked)
	state.SetIDs(lc, listed, given)
	state.ResetEpochMasked(lc, array(t, device, append(make([]int32, envs-1), 1)))
	state.EffectiveMasked(lc, effective, masked)
	seeds.AnySet(lc, masked, flag)
	keep(t, all, lc, "effective masked", effective)
	keep(t, all, lc, "epochs", state.Epoch())
	keep(t, all, lc, "seeds", state.Seed())
	keep(t, all, lc, "any set", flag)
	require.NoError(t, state.Close())

	r, err := seeds.NewPerEnv(device, envs, seeds.Options{Base: 77})
	require.NoError(t, err)
	for round := range 2 {
		shape := seeds.Samples{Rows: 2, Columns: 3}
		n := 6 * envs
		if round == 1 {
			shape.IDs, n = listed, 6*len(ids)
			r.SetSeedsIDs(lc, listed, given)
		}
		name := []string{" of all", " of some"}[round]
		floats, integers, quaternions := array(t, device, make([]float32, n)), array(t, device, make([]int32, n)),
			array(t, device, make([]kernel.Quat, n))
		for kind, emit := range map[string]func(){
			"uniform":    func() { r.Uniform(lc, floats, -3, 5, shape) },
			"sign float": func() { r.SignFloat(lc, floats, shape) },
			"normal":     func() { r.Normal(lc, floats, 1, 2, shape) },
		} {
			r.Restart(lc)
			emit()
			keep(t, all, lc, kind+name, floats)
		}
		for kind, emit := range map[string]func(){
			"integer":  func() { r.Integer(lc, integers, -7, 1000, shape) },
			"sign int": func() { r.SignInt(lc, integers, shape) },
			"poisson":  func() { r.Poisson(lc, integers, 4.5, shape) },
		} {
			r.Restart(lc)
			emit()
			keep(t, all, lc, kind+name, integers)
		}
		r.Restart(lc)
		r.Quaternion(lc, quaternions, shape)
		keep(t, all, lc, "quaternion"+name, quaternions)
	}
	require.NoError(t, r.Close())
	return all
}

// array uploads values to an array that is closed at the end of the test.
func array[T kernel.Element](t *testing.T, device backend.Device, values []T) exec.Array[T] {
	t.Helper()
	made, err := exec.FromSlice(device, values)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, made.Close()) })
	return made
}

// keep stores the bits of an array.
func keep[T kernel.Element](t *testing.T, all drawn, lc *exec.LaunchContext, name string, from exec.Array[T]) {
	t.Helper()
	require.NoError(t, lc.Err(), name)
	require.NoError(t, lc.Stream().Sync())
	values, err := from.Read(t.Context())
	require.NoError(t, err, name)
	var bits []uint32
	for _, value := range values {
		switch v := any(value).(type) {
		case int32:
			bits = append(bits, uint32(v))
		case float32:
			bits = append(bits, math.Float32bits(v))
		case kernel.Quat:
			bits = append(bits, math.Float32bits(v.X), math.Float32bits(v.Y), math.Float32bits(v.Z), math.Float32bits(v.W))
		}
	}
	all[name] = bits
}

// Seeds and random numbers are the same on every device.
func TestSeedsAgree(t *testing.T) {
	devices := openAll(t)
	want := draw(t, devices[0])
	require.Len(t, want, 5+2*7)
	for _, device := range devices[1:] {
		got := draw(t, device)
		for name := range want {
			require.Equal(t, want[name], got[name], "%s on %s", name, device.Info().Name)
		}
	}
}
