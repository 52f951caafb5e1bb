package cpu

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// record captures the work of emit on s.
func record(t testing.TB, s backend.Stream, emit func()) backend.Graph {
	require.NoError(t, s.BeginCapture())
	emit()
	g, err := s.EndCapture()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// nestIf nests conditionals and returns the error of the first that fails.
func nestIf(s backend.Stream, flag backend.View, levels int) error {
	if levels == 0 {
		return nil
	}
	return s.If(flag, func(inner backend.Stream) error { return nestIf(inner, flag, levels-1) })
}

func TestDepthIsBounded(t *testing.T) {
	d := openTest(t, backend.Options{})
	flag := alloc(t, d, 1)
	ints(t, flag)[0] = 1
	g := record(t, d.base, func() {
		require.NoError(t, nestIf(d.base, flag, recorder.LimitsCPU.Depth))
		require.ErrorIs(t, nestIf(d.base, flag, recorder.LimitsCPU.Depth+1), backend.ErrInvalid)
	})
	require.Equal(t, recorder.LimitsCPU.Depth, g.Nodes(), "the refused conditionals are not recorded")
	require.NoError(t, d.base.Replay(g))

	inner := record(t, d.base, func() { require.NoError(t, nestIf(d.base, flag, recorder.LimitsCPU.Depth-1)) })
	record(t, d.base, func() {
		require.NoError(t, d.base.Replay(inner))
		require.ErrorIs(t, d.base.Replay(g), backend.ErrInvalid, "a graph of the maximum depth")
		require.ErrorIs(t, d.base.If(flag, func(body backend.Stream) error { return body.Replay(inner) }), backend.ErrInvalid)
	})
}

// Each graph replays the previous one twice: counting must neither overflow nor take as long as a replay.
func TestNodesSaturate(t *testing.T) {
	d := openTest(t, backend.Options{})
	v := alloc(t, d, 1)
	g := record(t, d.base, func() { require.NoError(t, d.base.Launch(quick, launchOf(v))) })
	for level := range 100 {
		last := g
		g = record(t, d.base, func() {
			require.NoError(t, d.base.Replay(last))
			require.NoError(t, d.base.Replay(last))
		})
		if level == 9 {
			require.Equal(t, 1<<10+2*(1<<10-1), g.Nodes())
			require.NoError(t, d.base.Replay(g))
			require.Equal(t, int32(1<<10), ints(t, v)[0])
		}
	}
	require.Equal(t, recorder.LimitsCPU.Nodes, g.Nodes())
}

func TestBodyThatDoesNotReturn(t *testing.T) {
	d := openTest(t, backend.Options{})
	flag := alloc(t, d, 1)
	x := alloc(t, d, 1)
	ints(t, flag)[0] = 1
	g := record(t, d.base, func() {
		require.PanicsWithValue(t, "body", func() {
			_ = d.base.If(flag, func(backend.Stream) error { panic("body") })
		})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = d.base.If(flag, func(backend.Stream) error { runtime.Goexit(); return nil })
		}()
		<-ended
		require.NoError(t, d.base.Launch(quick, launchOf(x)))
	})
	require.NoError(t, d.base.Replay(g))
	require.Equal(t, int32(1), ints(t, x)[0])
}

// A body is safe if its capture is dropped while it is being emitted.
func TestStreamClosedInsideABody(t *testing.T) {
	d := openTest(t, backend.Options{})
	flag := alloc(t, d, 1)
	s, err := d.NewStream()
	require.NoError(t, err)
	require.NoError(t, s.BeginCapture())
	require.ErrorIs(t, s.If(flag, func(inner backend.Stream) error {
		require.ErrorIs(t, s.Close(), backend.ErrCapture)
		require.ErrorIs(t, inner.Fill(flag, 1), backend.ErrCapture)
		return nil
	}), backend.ErrCapture, "the conditional is not recorded")
	_, err = s.EndCapture()
	require.ErrorIs(t, err, backend.ErrClosed)
}

// The work of a failed body is dropped, and a replay does not need the memory that only this body used.
func TestFailedBodyLeavesNothing(t *testing.T) {
	d := openTest(t, backend.Options{})
	flag := alloc(t, d, 1)
	b, err := d.Alloc(4)
	require.NoError(t, err)
	g := record(t, d.base, func() {
		require.Error(t, d.base.If(flag, func(inner backend.Stream) error {
			require.NoError(t, inner.Fill(backend.View{Buffer: b, Bytes: 4}, 1))
			return backend.ErrDeviceLost
		}))
	})
	require.Zero(t, g.Nodes())
	require.NoError(t, b.Close())
	require.NoError(t, d.base.Replay(g))
}

// The bytes of closed memory return to the budget when no recorded work uses them any more, and not before (R166).
func TestRecordedWorkKeepsItsMemory(t *testing.T) { // R166
	d := openTest(t, backend.Options{MemoryLimit: 1 << 20})
	flag, x := alloc(t, d, 1), alloc(t, d, 1)
	ints(t, flag)[0] = 1
	scratch, err := d.Alloc(512 << 10)
	require.NoError(t, err)
	host, err := d.AllocHost(400 << 10)
	require.NoError(t, err)
	v := backend.View{Buffer: scratch, Bytes: 4}
	inner := record(t, d.base, func() {
		require.NoError(t, d.base.If(flag, func(body backend.Stream) error { return body.Launch(quick, launchOf(v)) }))
		require.NoError(t, d.base.Copy(x, v))
	})
	outer := record(t, d.base, func() { require.NoError(t, d.base.Replay(inner)) })
	transfer := record(t, d.base, func() { require.NoError(t, d.base.Upload(x, host, 0)) })
	host.Bytes()[0] = 50
	require.NoError(t, scratch.Close())
	require.NoError(t, host.Close())
	require.NoError(t, inner.Close())
	used := d.memory.used
	for want := range int32(3) {
		require.NoError(t, d.base.Replay(outer))
		require.Equal(t, want+1, ints(t, x)[0])
	}
	require.NoError(t, d.base.Replay(transfer))
	require.Equal(t, int32(50), ints(t, x)[0])
	require.Equal(t, used, d.memory.used, "a replay releases nothing")
	require.NoError(t, outer.Close())
	require.Equal(t, used-512<<10, d.memory.used)
	require.NoError(t, transfer.Close())
	require.Equal(t, int64(8), d.memory.used)
}

// A capture that does not become a graph keeps no memory, no matter how it ends.
func TestDroppedCapturesKeepNothing(t *testing.T) { // R166
	d := openTest(t, backend.Options{})
	flag := alloc(t, d, 1)
	side := newStream(t, d)
	fork, err := d.NewEvent()
	require.NoError(t, err)
	defer func() { require.NoError(t, fork.Close()) }()
	for name, end := range map[string]func(s backend.Stream){
		"stream closed": func(s backend.Stream) { require.ErrorIs(t, s.Close(), backend.ErrCapture) },
		"not joined back": func(s backend.Stream) {
			require.NoError(t, s.Record(fork))
			require.NoError(t, side.Wait(fork))
			require.NoError(t, side.Fill(flag, 0))
			_, err := s.EndCapture()
			require.ErrorIs(t, err, backend.ErrCapture)
		},
		"only a body that failed": func(s backend.Stream) {
			g, err := s.EndCapture()
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, g.Close()) })
		},
	} {
		b, err := d.Alloc(400)
		require.NoError(t, err)
		s, err := d.NewStream()
		require.NoError(t, err)
		require.NoError(t, s.BeginCapture())
		emit := func(s backend.Stream) error { return s.Fill(backend.View{Buffer: b, Bytes: 400}, 1) }
		require.Error(t, s.If(flag, func(inner backend.Stream) error {
			require.NoError(t, emit(inner))
			return backend.ErrDeviceLost
		}))
		if name != "only a body that failed" {
			require.NoError(t, emit(s))
		}
		require.NoError(t, b.Close())
		require.Equal(t, int64(404), d.memory.used, name)
		end(s)
		require.Equal(t, int64(4), d.memory.used, name)
		require.NoError(t, s.Close())
	}
}

// Closing a device releases the memory that only its open captures use.
func TestDeviceCloseDropsCaptures(t *testing.T) { // R166
	d := openDevice(t, backend.Options{})
	s, err := d.NewStream()
	require.NoError(t, err)
	b, err := d.Alloc(400)
	require.NoError(t, err)
	for _, stream := range []backend.Stream{s, d.base} {
		require.NoError(t, stream.BeginCapture())
		require.NoError(t, stream.Fill(backend.View{Buffer: b, Bytes: 400}, 1))
	}
	require.NoError(t, b.Close())
	require.ErrorIs(t, d.Close(), backend.ErrLeak)
	require.Zero(t, d.memory.used)
}

// Replays continue while their memory is closed. A replay in flight completes after its graph is closed.
func TestCloseDuringReplays(t *testing.T) { // R166
	d := openTest(t, backend.Options{Workers: 2})
	for range 50 {
		b, err := d.Alloc(4000)
		require.NoError(t, err)
		v := backend.View{Buffer: b, Bytes: 4000}
		g := record(t, d.base, func() {
			for range 10 {
				require.NoError(t, d.base.Launch(quick, launchOf(v)))
				require.NoError(t, d.base.Fill(v, 3))
			}
		})
		refused := make(chan error)
		go func() {
			for {
				if err := d.base.Replay(g); err != nil {
					refused <- err
					return
				}
			}
		}()
		runtime.Gosched()
		require.NoError(t, b.Close())
		runtime.Gosched()
		require.NoError(t, g.Close())
		err = <-refused
		require.ErrorIs(t, err, backend.ErrClosed)
		require.ErrorContains(t, err, "the graph is closed")
		require.Zero(t, d.memory.used)
	}
}

func TestReplayStopsAtTheFirstFailure(t *testing.T) {
	d := openTest(t, backend.Options{})
	x := alloc(t, d, 1)
	g := record(t, d.base, func() {
		require.NoError(t, d.base.Launch(quick, launchOf(x)))
		require.NoError(t, d.base.Launch(define(func(int32, int32, []int32) { panic("stop") }), launchOf(x)))
		require.NoError(t, d.base.Launch(quick, launchOf(x)))
	})
	require.ErrorIs(t, d.base.Replay(g), backend.ErrKernel)
	require.Equal(t, int32(1), ints(t, x)[0])
}

// Anchored owners live exactly as long as the last graph that needs them.
func TestAnchorsAreReleased(t *testing.T) {
	d := openTest(t, backend.Options{})
	collected := make(chan struct{})
	capture := func(emit func()) backend.Graph {
		require.NoError(t, d.base.BeginCapture())
		emit()
		g, err := d.base.EndCapture()
		require.NoError(t, err)
		return g
	}
	inner := capture(func() {
		owner := new([64]int)
		runtime.AddCleanup(owner, func(done chan struct{}) { close(done) }, collected)
		require.NoError(t, d.base.Anchor(owner))
	})
	outer := capture(func() { require.NoError(t, d.base.Replay(inner)) })
	require.NoError(t, inner.Close())
	for range 3 {
		runtime.GC()
	}
	select {
	case <-collected:
		require.Fail(t, "the owner was collected while a graph needed it")
	default:
	}
	require.NoError(t, outer.Close())
	for range 100 {
		runtime.GC()
		select {
		case <-collected:
			return
		default:
			runtime.Gosched()
		}
	}
	require.Fail(t, "the owner outlives its graphs")
}

// action is one call of a random program: the operation, which of three arrays it uses, and the calls inside a
// conditional.
type action struct {
	kind     int
	dst, src int
	body     []action
}

func drawActions(t *rapid.T, depth int) []action {
	actions := make([]action, rapid.IntRange(0, 6).Draw(t, "actions"))
	for i := range actions {
		kinds := 4
		if depth == 0 {
			kinds = 3
		}
		a := action{kind: rapid.IntRange(0, kinds-1).Draw(t, "kind"), dst: rapid.IntRange(0, 2).Draw(t, "dst")}
		a.src = (a.dst + rapid.IntRange(1, 2).Draw(t, "src")) % 3
		if a.kind == 3 {
			a.body = drawActions(t, depth-1)
		}
		actions[i] = a
	}
	return actions
}

// A random program gives the same numbers in a model, in a graph, and in a graph inside a graph.
func TestGraphsMatchAModel(t *testing.T) {
	d := openTest(t, backend.Options{Workers: 2})
	arrays := []backend.View{alloc(t, d, 1), alloc(t, d, 1), alloc(t, d, 1)}
	rapid.Check(t, func(t *rapid.T) {
		program := drawActions(t, 3)
		var start, model [3]int32
		for i := range start {
			start[i] = int32(rapid.IntRange(-1, 1).Draw(t, "start"))
		}
		var interpret func([]action)
		interpret = func(actions []action) {
			for _, a := range actions {
				switch a.kind {
				case 0:
					model[a.dst]++
				case 1:
					model[a.dst] = model[a.src]
				case 2:
					model[a.dst] = -1
				case 3:
					if model[a.src] != 0 {
						interpret(a.body)
					}
				}
			}
		}
		var emit func(backend.Stream, []action) error
		emit = func(s backend.Stream, actions []action) error {
			for _, a := range actions {
				err := error(nil)
				switch a.kind {
				case 0:
					err = s.Launch(quick, launchOf(arrays[a.dst]))
				case 1:
					err = s.Copy(arrays[a.dst], arrays[a.src])
				case 2:
					err = s.Fill(arrays[a.dst], 0xffffffff)
				case 3:
					err = s.If(arrays[a.src], func(inner backend.Stream) error { return emit(inner, a.body) })
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
		require.NoError(t, d.base.BeginCapture())
		require.NoError(t, emit(d.base, program))
		graph, err := d.base.EndCapture()
		require.NoError(t, err)
		require.NoError(t, d.base.BeginCapture())
		require.NoError(t, d.base.Replay(graph))
		outer, err := d.base.EndCapture()
		require.NoError(t, err)
		for _, g := range []backend.Graph{graph, outer} {
			model = start
			for i, v := range arrays {
				require.NoError(t, d.base.Fill(v, uint32(start[i])))
			}
			for range 2 {
				interpret(program)
				require.NoError(t, d.base.Replay(g))
			}
			for i, v := range arrays {
				data, _ := pointer(spanOf(v))
				require.Equal(t, model[i], *(*int32)(data), "array %d", i)
			}
		}
		require.NoError(t, graph.Close())
		require.NoError(t, outer.Close())
	})
}
