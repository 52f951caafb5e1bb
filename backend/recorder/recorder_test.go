package recorder

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/references"
	"github.com/trackgen-go/trackgen/kernel"
)

// fake is a device whose queues count the operations that they receive.
type fake struct {
	Device
	Synchronous

	ran     int
	compile error // the error that Compile returns
	loops   int64 // Caps.LoopIterations
}

type fakeMemory struct{ users references.Count }

func (m *fakeMemory) Retain() bool { return m.users.Retain() }
func (m *fakeMemory) Release()     { m.users.Release() }
func (*fakeMemory) Bytes() []byte  { return nil }

func newFakeMemory() *fakeMemory {
	m := new(fakeMemory)
	m.users.Begin()
	return m
}

func (f *fake) Info() backend.Info { return backend.Info{Name: "fake"} }
func (f *fake) Caps() backend.Caps {
	return backend.Caps{Capture: true, CaptureConditionals: true, LoopIterations: f.loops}
}
func (f *fake) AdoptStream(uintptr) (backend.Stream, error)    { return nil, backend.ErrUnsupported }
func (f *fake) Allocate(string, int64) (Memory, error)         { return newFakeMemory(), nil }
func (f *fake) AllocateHost(string, int64) (HostMemory, error) { return newFakeMemory(), nil }
func (f *fake) Runnable(*kernel.Def) error                     { return nil }
func (f *fake) Prepare(*kernel.Def) error                      { return nil }
func (f *fake) NewQueue(*Stream) (Queue, error)                { return fakeQueue{f: f}, nil }
func (f *fake) MakeStream() (s *Stream, self backend.Stream)   { s = new(Stream); return s, s }
func (f *fake) Compile(*Work) (Executable, error)              { return nil, f.compile }
func (f *fake) Close() error                                   { _, err := f.Shut(); return err }

type fakeQueue struct {
	SynchronousQueue
	f *fake
}

func (q fakeQueue) Run(*Operation) error { q.f.ran++; return nil }
func (q fakeQueue) Replay(*Work) error   { return nil }

// openFake returns a device with one buffer, and a view of it.
func openFake(t *testing.T, limits Limits) (*fake, backend.View) {
	f := new(fake)
	require.NoError(t, f.Start(f, f, limits, false))
	b, err := f.Alloc(4)
	require.NoError(t, err)
	return f, backend.View{Buffer: b, Bytes: 4}
}

// A stream keeps no references to the operation that it emitted last.
func TestStreamKeepsNoOperand(t *testing.T) {
	f, v := openFake(t, LimitsCPU)
	require.NoError(t, f.base.Fill(v, 1))
	require.Equal(t, 1, f.ran)
	require.Equal(t, Operation{}, f.base.operand)
}

// If replays copy the operations of a graph, the number of operations is limited; otherwise counting stops at the
// limit.
func TestNodesAreLimited(t *testing.T) {
	for _, limits := range []Limits{{Depth: 50, Nodes: 100}, {Depth: 50, Nodes: 100, CountOnly: true}} {
		f, v := openFake(t, limits)
		s := f.base
		require.NoError(t, s.BeginCapture())
		require.NoError(t, s.Fill(v, 1))
		g, err := s.EndCapture()
		require.NoError(t, err)
		for range 20 {
			require.NoError(t, s.BeginCapture())
			err = errors.Join(s.Replay(g), s.Replay(g))
			next, ended := s.EndCapture()
			require.NoError(t, ended)
			if err != nil {
				break
			}
			g = next
		}
		if limits.CountOnly {
			require.NoError(t, err)
			require.Equal(t, 100, g.Nodes())
		} else {
			require.ErrorIs(t, err, backend.ErrInvalid)
			require.LessOrEqual(t, g.Nodes(), 100)
		}
	}
}

// Nil pointers of the right types are refused as things of another device.
func TestTypedNil(t *testing.T) {
	f, v := openFake(t, LimitsCPU)
	s := f.base
	for _, stream := range []backend.Stream{(*Stream)(nil), (*Looping)(nil), (*Polling)(nil)} {
		require.ErrorIs(t, f.SetCurrentStream(stream), backend.ErrInvalid)
	}
	require.ErrorIs(t, s.Replay((*Graph)(nil)), backend.ErrInvalid)
	require.ErrorIs(t, s.Record((*Event)(nil)), backend.ErrInvalid)
	require.ErrorIs(t, s.Wait((*Event)(nil)), backend.ErrInvalid)
	require.ErrorIs(t, s.Fill(backend.View{Buffer: (*Buffer)(nil), Bytes: 4}, 1), backend.ErrInvalid)
	require.ErrorIs(t, s.Upload(v, (*HostBuffer)(nil), 0), backend.ErrInvalid)
}

// If the device is closed while a body is open, the error says that the device is closed, not that a capture is
// unfinished.
func TestDeviceClosedInsideABody(t *testing.T) {
	f, v := openFake(t, LimitsCPU)
	require.NoError(t, f.base.BeginCapture())
	err := f.base.If(v, func(inner backend.Stream) error {
		require.ErrorIs(t, f.Close(), backend.ErrLeak)
		require.ErrorIs(t, inner.Fill(v, 1), backend.ErrClosed)
		return nil
	})
	require.ErrorIs(t, err, backend.ErrClosed)
}

// If the driver cannot compile a capture, the capture is dropped and releases all that it kept.
func TestGraphThatDoesNotCompile(t *testing.T) {
	f, v := openFake(t, LimitsCPU)
	s := f.base
	m := v.Buffer.(*Buffer).memory
	f.compile = backend.ErrDeviceLost
	require.NoError(t, s.BeginCapture())
	require.NoError(t, s.Fill(v, 1))
	require.NoError(t, v.Buffer.Close())
	require.True(t, m.Retain(), "the capture keeps the memory")
	m.Release()
	_, err := s.EndCapture()
	require.ErrorIs(t, err, backend.ErrDeviceLost)
	require.False(t, m.Retain())
	require.Equal(t, backend.CaptureNone, s.Capture())
}

// A launch whose loops may need more iterations than the device allows is refused before anything is emitted, whether
// it is eager, recorded, or in a body. The bound depends on the scalars and lengths of the launch.
func TestLoopsTooLongForTheDevice(t *testing.T) {
	f, v := openFake(t, LimitsCPU)
	s := f.base
	def := &kernel.Def{Name: "test.long",
		Params: []kernel.Param{{Name: "x", Buffer: true, Type: kernel.Int32}, {Name: "n"}},
		Iterations: func(items int32, args *kernel.Args) float64 {
			return float64(items) + float64(args.Buffers[0].Len) + float64(args.Scalars[0])
		}}
	buffers, scalars := []backend.View{v}, []uint32{0}
	launch := func(s backend.Stream, n uint32) error {
		scalars[0] = n
		return s.Launch(def, backend.Launch{N: 10, Buffers: buffers, Scalars: scalars})
	}
	require.NoError(t, launch(s, 1000), "the device ends no loop")
	f.loops = 100
	require.NoError(t, launch(s, 89))
	err := launch(s, 90)
	require.ErrorIs(t, err, backend.ErrUnsupported)
	require.EqualError(t, err, "fake: kernel test.long is not supported: "+
		"its loops may make 101 iterations with these arguments, and the device ends them after 100")
	require.Equal(t, 2, f.ran)
	require.Equal(t, Operation{}, s.operand)

	require.NoError(t, s.BeginCapture())
	require.ErrorIs(t, launch(s, 90), backend.ErrUnsupported)
	require.ErrorIs(t, s.If(v, func(body backend.Stream) error { return launch(body, 90) }), backend.ErrUnsupported)
	g, err := s.EndCapture()
	require.NoError(t, err)
	require.Zero(t, g.Nodes())
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if err := launch(s, 1); err != nil {
			t.Error(err)
		}
	}))

	def.Iterations = nil
	require.NoError(t, launch(s, 90), "the kernel states no bound")
}
