package noop_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/backend/noop"
	"github.com/trackgen-go/trackgen/kernel"
)

func open(t testing.TB, options ...backend.Option) backend.Device {
	device, err := noop.Open(options...)
	require.NoError(t, err)
	return device
}

// computes lists the cases that inspect computed or copied data. All other cases hold for a device that does nothing:
// the states of captures, what is refused, what is closed, and what memory is kept.
var computes = []string{
	"transfer/upload and download", "transfer/parts", "transfer/copy", "transfer/fill", "transfer/nothing",
	"transfer/misuse",
	"launch/item counts", "launch/each item once", "launch/fewer items than elements",
	"launch/hints change nothing", "launch/addition", "launch/float arithmetic", "launch/no contraction",
	"launch/float comparisons", "launch/float bits survive", "launch/packed vectors", "launch/integer arithmetic",
	"launch/conversions", "launch/all parameter types", "launch/group reduction", "launch/group phases",
	"launch/shared memory is zero", "launch/atomics", "launch/bound in memory", "launch/arguments are copied",
	"launch/misuse",
	"language/functions", "language/functions of two", "language/zeros that compilers know",
	"language/pairs of conversions", "language/vectors",
	"language/draws", "language/statements", "language/group scope",
	"stream/order", "stream/kinds of work in order", "stream/events order two streams", "stream/events",
	"capture/records and does not run", "capture/replay", "capture/all kinds of work",
	"capture/arguments are copied", "capture/other streams go on", "capture/two at once", "capture/misuse",
	"capture/event from outside", "capture/event of another capture", "capture/joined stream",
	"capture/stream not joined back", "capture/replay in a capture", "capture/close a stream that captures",
	"if/taken and not taken", "if/flag written by the graph", "if/body changes the flag",
	"if/all kinds of work in a body", "if/nested means both", "if/launches with a bound", "if/error of the body",
	"if/outer stream while a body is open", "if/what a body may not hold",
	"if/replays of graphs with host copies in a body", "if/misuse", "if/eager", "if/eager beside other work",
	"if/graph with a conditional in a capture",
	"repeat/until the flag is zero or the limit is reached", "repeat/refused",
	"lifetime/buffer closed before a replay", "lifetime/all closed before the end of the capture",
	"lifetime/host buffers", "lifetime/conditionals", "lifetime/loops", "lifetime/graph inside a graph",
	"lifetime/eager work", "lifetime/close during replays",
	"retain/outlives the buffer", "retain/in a capture",
	"concurrency/streams", "concurrency/one stream", "concurrency/replays of one graph",
}

func TestConformance(t *testing.T) { // R166
	expected := make(map[string]string)
	for _, name := range computes {
		expected[name] = "the device computes nothing"
	}
	backendtest.Run(t, backendtest.Config{Open: open, ExpectFail: expected})
}

// add is a kernel that never runs.
var add = &kernels.IncrementDef

// record captures the work of emit.
func record(t *testing.T, s backend.Stream, emit func()) backend.Graph {
	require.NoError(t, s.BeginCapture())
	emit()
	g, err := s.EndCapture()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

func TestCounts(t *testing.T) {
	d := open(t, backend.MemoryLimit(1000))
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	s := d.DefaultStream()
	b, err := d.Alloc(400)
	require.NoError(t, err)
	h, err := d.AllocHost(100)
	require.NoError(t, err)
	v, flag := backend.View{Buffer: b, Bytes: 400}, backend.View{Buffer: b, Bytes: 4}
	launch := func(s backend.Stream, n int32) {
		require.NoError(t, s.Launch(add, backend.Launch{N: n, Buffers: []backend.View{v}}))
	}
	inner := record(t, s, func() {
		launch(s, 100)
		require.NoError(t, s.(backend.Repeater).Repeat(flag, 7, func(body backend.Stream) error {
			launch(body, 10)
			return body.If(flag, func(deep backend.Stream) error { return deep.Fill(v, 1) })
		}))
	})
	outer := record(t, s, func() {
		require.NoError(t, s.Replay(inner))
		require.NoError(t, s.Replay(inner))
		require.NoError(t, s.Upload(backend.View{Buffer: b, Bytes: 100}, h, 0))
	})
	r, err := noop.Of(d)
	require.NoError(t, err)
	want := noop.Report{
		Device: noop.Memory{Made: 400, Open: 400, Peak: 400},
		Host:   noop.Memory{Made: 100, Open: 100, Peak: 100},
	}
	require.Equal(t, want, r, "what is recorded does not count")

	require.NoError(t, s.Replay(outer))
	launch(s, 3)
	require.NoError(t, s.If(flag, func(body backend.Stream) error { launch(body, 5); return nil }))
	require.NoError(t, b.Close())
	require.NoError(t, h.Close())
	r, err = noop.Of(d)
	require.NoError(t, err)
	require.Equal(t, noop.Report{
		Kernels:      []noop.Kernel{{Name: add.Name, Launches: 18, Items: 348, MostItems: 100}},
		Fills:        noop.Transfers{Count: 14, Bytes: 5600},
		Uploads:      noop.Transfers{Count: 1, Bytes: 100},
		Conditionals: 15,
		Loops:        []noop.Loop{{Limit: 7, Count: 2}},
		Replays:      3,
		Device:       want.Device,
		Host:         want.Host,
	}, r, "graphs keep the memory")
	_, err = d.Alloc(501)
	require.ErrorIs(t, err, backend.ErrOutOfMemory)
}

// Each graph replays the previous one twice: counts saturate at the largest number instead of overflowing.
func TestCountsSaturate(t *testing.T) {
	d := open(t)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	s := d.DefaultStream()
	b, err := d.Alloc(4)
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	g := record(t, s, func() { require.NoError(t, s.Fill(backend.View{Buffer: b, Bytes: 4}, 1)) })
	for range 100 {
		last := g
		g = record(t, s, func() {
			require.NoError(t, s.Replay(last))
			require.NoError(t, s.Replay(last))
		})
	}
	require.NoError(t, s.Replay(g))
	r, err := noop.Of(d)
	require.NoError(t, err)
	require.Equal(t, noop.Transfers{Count: math.MaxInt64, Bytes: math.MaxInt64}, r.Fills)
	require.EqualValues(t, math.MaxInt64, r.Replays)
}

func TestOnlyItsOwnDevices(t *testing.T) {
	_, err := noop.Of(nil)
	require.ErrorIs(t, err, backend.ErrInvalid)
}

// No list of devices contains the device, and no name opens it.
func TestNotRegistered(t *testing.T) {
	_, err := backend.Open("noop")
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = noop.Open(backend.Workers(-1))
	require.ErrorIs(t, err, backend.ErrInvalid)
}

// The bound on loop iterations is the largest that the kernel states for the arguments of a launch, also in graphs.
func TestIterations(t *testing.T) {
	d := open(t)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	s := d.DefaultStream()
	b, err := d.Alloc(400)
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()
	bounded := kernels.IncrementDef
	bounded.Iterations = func(items int32, args *kernel.Args) float64 {
		return float64(items) + float64(args.Buffers[0].Len) + 0.5
	}
	launch := func(n int32, bytes int64) {
		require.NoError(t, s.Launch(&bounded, backend.Launch{N: n, Buffers: []backend.View{{Buffer: b, Bytes: bytes}}}))
	}
	launch(7, 40)
	require.EqualValues(t, 18, report(t, d).Kernels[0].Iterations, "7 items and 10 elements, rounded up")
	g := record(t, s, func() { launch(7, 400); launch(1, 4) })
	require.EqualValues(t, 18, report(t, d).Kernels[0].Iterations, "what is recorded does not count")
	require.NoError(t, s.Replay(g))
	require.EqualValues(t, 108, report(t, d).Kernels[0].Iterations)
	for _, made := range []float64{1e300, math.NaN()} {
		unknown := kernels.IncrementDef
		unknown.Iterations = func(int32, *kernel.Args) float64 { return made }
		require.NoError(t, s.Launch(&unknown, backend.Launch{N: 1, Buffers: []backend.View{{Buffer: b, Bytes: 4}}}))
		require.EqualValues(t, math.MaxInt64, slices.MaxFunc(report(t, d).Kernels, func(x, y noop.Kernel) int {
			return cmp.Compare(x.Iterations, y.Iterations)
		}).Iterations)
	}
}

func report(t *testing.T, d backend.Device) noop.Report {
	r, err := noop.Of(d)
	require.NoError(t, err)
	return r
}

// Host memory exists once Bytes is called, and stays the same.
func TestHostMemory(t *testing.T) {
	d := open(t)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	h, err := d.AllocHost(8)
	require.NoError(t, err)
	defer func() { require.NoError(t, h.Close()) }()
	copy(h.Bytes(), "kept")
	require.Equal(t, "kept", string(h.Bytes()[:4]))
}
