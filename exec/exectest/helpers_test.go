package exectest_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/kernel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openCPU opens the CPU and requires at the end of the test that nothing leaked.
func openCPU(t testing.TB) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu", backend.Workers(2))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// gpu is the CPU with the capabilities of a GPU.
type gpu struct{ backend.Device }

func (g gpu) Caps() backend.Caps {
	caps := g.Device.Caps()
	caps.OwnGraphs, caps.CheapHostPoll = true, false
	return caps
}

func instrumented(t testing.TB) *exectest.Device {
	t.Helper()
	return exectest.Instrument(openCPU(t))
}

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

// launchContext returns a context on device.
func launchContext(t testing.TB, device backend.Device, options ...exec.Option) *exec.LaunchContext {
	t.Helper()
	lc, err := exec.For(t.Context(), device, options...)
	require.NoError(t, err)
	return lc
}

// mixDef writes a number derived from seed[e] to out[e].
var mixDef = kernel.Def{
	Name: "test.mix",
	Params: []kernel.Param{
		{Name: "seed", Type: kernel.Int32, Buffer: true, Access: kernel.Read},
		{Name: "add", Type: kernel.Int32},
		{Name: "out", Type: kernel.Int32, Buffer: true, Access: kernel.Write},
	},
	Go: func(first, last int32, args *kernel.Args) {
		seed, out := kernel.Slice[int32](args, 0), kernel.Slice[int32](args, 1)
		for e := first; e < last; e++ {
			out[e] = seed[e]*31 + 7 + int32(args.Scalars[0])
		}
	},
}

func mix(lc *exec.LaunchContext, seed exec.Array[int32], add int32, out exec.Array[int32]) {
	l := lc.Prepare(&mixDef, out.Len())
	exec.Bind(l, seed)
	l.Int32(add)
	exec.Bind(l, out)
	l.Launch()
}

// addDef adds to each element of out.
var addDef = kernel.Def{
	Name: "test.add",
	Params: []kernel.Param{
		{Name: "add", Type: kernel.Int32},
		{Name: "out", Type: kernel.Int32, Buffer: true, Access: kernel.ReadWrite},
	},
	Go: func(first, last int32, args *kernel.Args) {
		out := kernel.Slice[int32](args, 0)
		for e := first; e < last; e++ {
			out[e] += int32(args.Scalars[0])
		}
	},
}

func add(lc *exec.LaunchContext, value int32, out exec.Array[int32]) {
	l := lc.Prepare(&addDef, out.Len())
	l.Int32(value)
	exec.Bind(l, out)
	l.Launch()
}

// shrinkDef is an absorbing iteration over all envs: it subtracts a step from each value that is 1 or more, and sets
// the flag while any such value is left. With absorb 0 it subtracts from every value.
var shrinkDef = kernel.Def{
	Name: "test.shrink",
	Params: []kernel.Param{
		{Name: "absorb", Type: kernel.Int32},
		{Name: "value", Type: kernel.Int32, Buffer: true, Access: kernel.ReadWrite},
		{Name: "steps", Type: kernel.Int32, Buffer: true, Access: kernel.ReadWrite},
		{Name: "flag", Type: kernel.Int32, Buffer: true, Access: kernel.Write},
	},
	Go: func(_, _ int32, args *kernel.Args) {
		value, steps, flag := kernel.Slice[int32](args, 0), kernel.Slice[int32](args, 1), kernel.Slice[int32](args, 2)
		flag[0] = 0
		for e := range value {
			if value[e] > 0 || args.Scalars[0] == 0 {
				value[e]--
				steps[e]++
			}
			if value[e] > 0 {
				flag[0] = 1
			}
		}
	},
}

func shrink(lc *exec.LaunchContext, absorb int32, value, steps, flag exec.Array[int32]) {
	l := lc.Prepare(&shrinkDef, 1)
	l.Int32(absorb)
	exec.Bind(l, value)
	exec.Bind(l, steps)
	exec.Bind(l, flag)
	l.Launch()
}

// stage is a stage assembled from functions.
type stage struct {
	class   exec.CaptureClass
	build   func(b exec.Builder) (exec.Enqueue, error)
	outputs func() []backend.View
}

func (s stage) ID() string                                 { return "mine" }
func (s stage) Class() exec.CaptureClass                   { return s.class }
func (s stage) Build(b exec.Builder) (exec.Enqueue, error) { return s.build(b) }

// withOutputs is a stage that names its outputs.
type withOutputs struct{ stage }

func (s withOutputs) Outputs() []backend.View { return s.outputs() }

// allocated holds the arrays of the test stages.
type allocated struct {
	out, other exec.Array[int32] // per env
	flag, word exec.Array[int32] // one element
	via        exec.HostArray[int32]
}

// with returns a stage on these arrays.
func with(class exec.CaptureClass, body func(b exec.Builder, a allocated) exec.Enqueue) stage {
	return stage{class: class, build: func(b exec.Builder) (exec.Enqueue, error) {
		var a allocated
		var errs [4]error
		a.out, errs[0] = exec.PerEnv[int32](b, 1)
		a.other, errs[1] = exec.PerEnv[int32](b, 1)
		a.flag, errs[2] = exec.Scratch[int32](b, 1)
		a.word, errs[3] = exec.Scratch[int32](b, 1)
		for _, err := range errs {
			if err != nil {
				return nil, err
			}
		}
		if class == exec.Host {
			via, err := exec.HostBuffer[int32](b, b.Envs())
			if err != nil {
				return nil, err
			}
			a.via = via
		}
		return body(b, a), nil
	}}
}
