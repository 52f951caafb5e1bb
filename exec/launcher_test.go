package exec_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// mixDef has one parameter of each kind: out[i] = in[i] + float32(a) + float32(b) + c.
var mixDef = kernel.Def{
	Name: "test.mix",
	Params: []kernel.Param{
		{Name: "in", Type: kernel.Float32, Buffer: true, Access: kernel.Read},
		{Name: "more", Type: kernel.Float32, Buffer: true, Access: kernel.Read},
		{Name: "a", Type: kernel.Int32},
		{Name: "b", Type: kernel.Uint32},
		{Name: "c", Type: kernel.Float32},
		{Name: "out", Type: kernel.Float32, Buffer: true, Access: kernel.Write},
	},
	Go: func(first, last int32, args *kernel.Args) {
		in, more, out := kernel.Slice[float32](args, 0), kernel.Slice[float32](args, 1), kernel.Slice[float32](args, 2)
		sum := float32(int32(args.Scalars[0])) + float32(args.Scalars[1]) + math.Float32frombits(args.Scalars[2])
		for i := first; i < last; i++ {
			out[i] = in[i] + more[i] + sum
		}
	},
}

// mix launches mixDef as a generated launcher would.
func mix(lc *exec.LaunchContext, n int, in, more exec.Array[float32], a int32, b uint32, c float32,
	out exec.Array[float32]) {
	l := lc.Prepare(&mixDef, n)
	exec.Bind(l, in)
	exec.Bind(l, more)
	l.Int32(a)
	l.Uint32(b)
	l.Float32(c)
	exec.Bind(l, out)
	l.Launch()
}

// effectiveDef is a definition with two buffers that is never run.
var effectiveDef = kernel.Def{
	Name: "test.effective",
	Params: []kernel.Param{
		{Name: "seeds", Type: kernel.Int32, Buffer: true, Access: kernel.Read},
		{Name: "out", Type: kernel.Int32, Buffer: true, Access: kernel.Write},
	},
	Go: func(_, _ int32, _ *kernel.Args) {},
}

func TestLaunchPassesArgumentsInOrder(t *testing.T) {
	device := openCPU(t)
	lc := launchContext(t, device)
	in, out := newArray(t, device, float32(1), 2, 3, 4), newArray(t, device, float32(0), 0, 0, 0)
	tail, err := in.Slice(2, 4)
	require.NoError(t, err)

	mix(lc, 2, tail, tail, -10, 100, 0.5, out) // two arrays that are only read may overlap
	require.NoError(t, lc.Err())
	assert.Equal(t, []float32{96.5, 98.5, 0, 0}, read(t, out))

	mix(lc, 4, in, in, 0, 0, 0, out) // the launcher is reused
	require.NoError(t, lc.Err())
	assert.Equal(t, []float32{2, 4, 6, 8}, read(t, out))
}

func TestLaunchOfNothingIsChecked(t *testing.T) {
	device := asGPU(t)
	in, out := newArray(t, device, float32(1)), newArray(t, device, float32(2))
	lc := launchContext(t, device)
	device.take()
	mix(lc, 0, in, in, 1, 1, 1, out)
	require.NoError(t, lc.Err())
	assert.Empty(t, device.take())

	mix(lc, 0, in, out, 1, 1, 1, out)
	requireArgError(t, lc.Err(), "out")
}

func TestLaunchRefuses(t *testing.T) {
	device, other := openCPU(t), openCPU(t)
	in, out := newArray(t, device, float32(1), 2), newArray(t, device, float32(0), 0)
	elsewhere := newArray(t, other, float32(1), 2)
	closed, err := exec.NewArray[float32](device, 2)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	head, err := out.Slice(0, 1)
	require.NoError(t, err)

	arg := func(name string) func(testing.TB, error) {
		return func(t testing.TB, err error) { requireArgError(t, err, name) }
	}
	is := func(target error) func(testing.TB, error) {
		return func(t testing.TB, err error) { require.ErrorIs(t, err, target) }
	}
	tests := []struct {
		name  string
		emit  func(lc *exec.LaunchContext)
		check func(testing.TB, error)
	}{
		{"no kernel", func(lc *exec.LaunchContext) { lc.Prepare(nil, 1).Launch() }, arg("kernel")},
		{"negative n", func(lc *exec.LaunchContext) { mix(lc, -1, in, in, 0, 0, 0, out) }, arg("n")},
		{"n beyond int32", func(lc *exec.LaunchContext) { mix(lc, math.MaxInt32+1, in, in, 0, 0, 0, out) }, arg("n")},
		{"zero array", func(lc *exec.LaunchContext) { mix(lc, 2, exec.Array[float32]{}, in, 0, 0, 0, out) }, arg("in")},
		{"closed array", func(lc *exec.LaunchContext) { mix(lc, 2, in, closed, 0, 0, 0, out) }, is(exec.ErrClosed)},
		{"array of another device", func(lc *exec.LaunchContext) { mix(lc, 2, elsewhere, in, 0, 0, 0, out) },
			is(exec.ErrDeviceMismatch)},
		{"output is the input", func(lc *exec.LaunchContext) { mix(lc, 2, out, in, 0, 0, 0, out) }, arg("out")},
		{"output overlaps the input", func(lc *exec.LaunchContext) { mix(lc, 1, in, head, 0, 0, 0, out) }, arg("out")},
		{"too few arguments", func(lc *exec.LaunchContext) {
			l := lc.Prepare(&mixDef, 1)
			exec.Bind(l, in)
			l.Launch()
		}, arg("number of arguments")},
		{"too many arguments", func(lc *exec.LaunchContext) {
			mixPrepared := lc.Prepare(&kernel.Def{Name: "test.none"}, 1)
			mixPrepared.Int32(1)
			mixPrepared.Launch()
		}, arg("number of arguments")},
		{"scalar for a buffer", func(lc *exec.LaunchContext) {
			l := lc.Prepare(&mixDef, 1)
			l.Float32(1)
			exec.Bind(l, in)
			l.Launch()
		}, arg("in")},
		{"buffer of another type", func(lc *exec.LaunchContext) {
			l := lc.Prepare(&mixDef, 1)
			exec.Bind(l, exec.Array[kernel.Vec2]{})
			l.Launch()
		}, arg("in")},
		{"scalar of another type", func(lc *exec.LaunchContext) {
			l := lc.Prepare(&mixDef, 1)
			exec.Bind(l, in)
			exec.Bind(l, in)
			l.Uint32(1)
			l.Launch()
		}, arg("a")},
		{"unfinished launch", func(lc *exec.LaunchContext) {
			lc.Prepare(&effectiveDef, 1)
			mix(lc, 1, in, in, 0, 0, 0, out)
		}, arg("previous launch")},
		{"definition beyond the limits", func(lc *exec.LaunchContext) {
			def := kernel.Def{Name: "test.wide", Params: make([]kernel.Param, kernel.MaxScalars+1)}
			l := lc.Prepare(&def, 1)
			for range def.Params {
				l.Int32(0)
			}
			l.Launch()
		}, arg("")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			lc := launchContext(t, device)
			test.emit(lc)
			test.check(t, lc.Err())
			mix(lc, 2, in, in, 1, 1, 1, out)
			assert.Equal(t, []float32{0, 0}, read(t, out), "nothing was emitted")
		})
	}
}

func TestClosedArraysNeverReachTheBackend(t *testing.T) {
	device := asGPU(t)
	open := newArray(t, device, int32(1))
	closed, err := exec.NewArray[int32](device, 1)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	device.take()
	for _, emit := range []exec.Enqueue{
		func(lc *exec.LaunchContext) { count(lc, closed) },
		func(lc *exec.LaunchContext) { exec.Fill(lc, closed, 1) },
		func(lc *exec.LaunchContext) { exec.Copy(lc, closed, open) },
		func(lc *exec.LaunchContext) { exec.Copy(lc, open, closed) },
		func(lc *exec.LaunchContext) { exec.SkipUnless(lc, closed, func(*exec.LaunchContext) {}) },
	} {
		lc := launchContext(t, device)
		emit(lc)
		require.ErrorIs(t, lc.Err(), exec.ErrClosed)
	}
	assert.Empty(t, device.take())
}

func TestAdjacentSlicesAreDisjoint(t *testing.T) {
	device := openCPU(t)
	array := newArray(t, device, float32(1), 2, 3, 4)
	lc := launchContext(t, device)
	low, err := array.Slice(0, 2)
	require.NoError(t, err)
	high, err := array.Slice(2, 4)
	require.NoError(t, err)
	none, err := array.Slice(1, 1)
	require.NoError(t, err)
	mix(lc, 2, low, low, 0, 0, 1, high)
	mix(lc, 0, none, none, 0, 0, 0, array)
	require.NoError(t, lc.Err())
	assert.Equal(t, []float32{1, 2, 3, 5}, read(t, array))
}

func TestLaunchLimitOfDevice(t *testing.T) {
	device := asGPU(t)
	device.caps.MaxItems = 1
	in, out := newArray(t, device, float32(1), 2), newArray(t, device, float32(0), 0)
	lc := launchContext(t, device)
	mix(lc, 1, in, in, 0, 0, 0, out)
	require.NoError(t, lc.Err())
	mix(lc, 2, in, in, 0, 0, 0, out)
	requireArgError(t, lc.Err(), "n")
}

func TestLaunchKeepsBackendError(t *testing.T) {
	device := asGPU(t)
	in, out := newArray(t, device, float32(1)), newArray(t, device, float32(0))
	device.wrap(device.Device.DefaultStream()).fail = map[string]error{"launch": backend.ErrDeviceLost}
	lc := launchContext(t, device)
	mix(lc, 1, in, in, 0, 0, 0, out)
	require.ErrorIs(t, lc.Err(), backend.ErrDeviceLost)
	assert.Contains(t, lc.Err().Error(), "test.mix")
}

func TestLaunchAllocatesNothing(t *testing.T) { // R20
	device := openCPU(t)
	in, out := newArray(t, device, float32(1), 2), newArray(t, device, float32(0), 0)
	vectors := newArray(t, device, kernel.Quat{}, kernel.Quat{})
	def := kernel.Def{Name: "test.quat", Params: []kernel.Param{{Name: "q", Type: kernel.TypeQuat, Buffer: true,
		Access: kernel.Write}},
		Go: func(_, _ int32, _ *kernel.Args) {}}
	lc := launchContext(t, device)
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		mix(lc, 2, in, in, 1, 2, 3, out)
		exec.Fill(lc, in, 4)
		exec.Copy(lc, in, out)
		l := lc.Prepare(&def, 2)
		exec.Bind(l, vectors)
		l.Launch()
	}))
	require.NoError(t, lc.Err())
}

func BenchmarkLaunch(b *testing.B) {
	device := openCPU(b)
	in, out := newArray(b, device, float32(1), 2), newArray(b, device, float32(0), 0)
	lc, err := exec.OnCurrentStream(device)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		mix(lc, 2, in, in, 1, 2, 3, out)
	}
	require.NoError(b, lc.Err())
}
