package interop_test

import (
	"context"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/interop"
	"github.com/trackgen-go/trackgen/kernel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// foreigner is the CPU with streams that another library owns. It also plays the foreign library, through begin and
// end.
type foreigner struct {
	backend.Device
	mutex   sync.Mutex
	adopted map[uintptr]int
}

// foreignStream is a stream of the foreign library. It claims states that the CPU cannot have.
type foreignStream struct {
	backend.Stream
	device *foreigner
	handle uintptr
	claim  backend.CaptureState
}

func openForeigner(t testing.TB) *foreigner {
	t.Helper()
	device, err := backend.Open("cpu", backend.Workers(2))
	require.NoError(t, err)
	f := &foreigner{Device: device, adopted: map[uintptr]int{}}
	t.Cleanup(func() {
		require.NoError(t, interop.Release(f))
		require.NoError(t, interop.Release(f))
		require.NoError(t, device.Close(), "no wrapper leaks")
	})
	return f
}

func (f *foreigner) Caps() backend.Caps {
	caps := f.Device.Caps()
	caps.ForeignStreams, caps.OwnGraphs = true, true
	return caps
}

func (f *foreigner) AdoptStream(handle uintptr) (backend.Stream, error) {
	stream, err := f.Device.NewStream()
	if err != nil {
		return nil, err
	}
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.adopted[handle]++
	return &foreignStream{Stream: stream, device: f, handle: handle}, nil
}

// The library's own streams are those of the underlying device, and report the foreigner as their device.
func (f *foreigner) own(s backend.Stream) backend.Stream { return &foreignStream{Stream: s, device: f} }

func (f *foreigner) DefaultStream() backend.Stream { return f.own(f.Device.DefaultStream()) }
func (f *foreigner) CurrentStream() backend.Stream { return f.own(f.Device.CurrentStream()) }
func (f *foreigner) NewStream() (backend.Stream, error) {
	s, err := f.Device.NewStream()
	if err != nil {
		return nil, err
	}
	return f.own(s), nil
}

func (s *foreignStream) Device() backend.Device { return s.device }
func (s *foreignStream) Handle() uintptr        { return s.handle }

func (s *foreignStream) Capture() backend.CaptureState {
	if s.claim != backend.CaptureNone {
		return s.claim
	}
	return s.Stream.Capture()
}

// captured captures s in the foreign library while body runs, and returns its graph.
func (s *foreignStream) captured(t testing.TB, body func()) backend.Graph {
	t.Helper()
	require.NoError(t, s.BeginCapture())
	s.claim = backend.CaptureForeign
	body()
	s.claim = backend.CaptureNone
	graph, err := s.EndCapture()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, graph.Close()) })
	return graph
}

func streamFor(t testing.TB, f *foreigner, handle uintptr) *foreignStream {
	t.Helper()
	stream, err := interop.StreamFor(f, handle)
	require.NoError(t, err)
	return stream.(*foreignStream)
}

// requireArgError requires a *backend.ArgumentError about arg.
func requireArgError(t testing.TB, err error, arg string) {
	t.Helper()
	var argError *backend.ArgumentError
	require.ErrorAs(t, err, &argError)
	require.Equal(t, arg, argError.Argument)
}

func newArray[T kernel.Element](t testing.TB, device backend.Device, values ...T) exec.Array[T] {
	t.Helper()
	a, err := exec.FromSlice(device, values)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, a.Close()) })
	return a
}

func read(t testing.TB, a exec.Array[int32]) int32 {
	t.Helper()
	values, err := a.Read(t.Context())
	require.NoError(t, err)
	return values[0]
}

func TestStreamForIsCached(t *testing.T) { // R118c, D18
	f, other := openForeigner(t), openForeigner(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for handle := range uintptr(5) {
				stream, err := interop.StreamFor(f, handle)
				assert.NoError(t, err)
				assert.Equal(t, handle, stream.Handle())
			}
		})
	}
	wait.Wait()
	assert.Equal(t, map[uintptr]int{0: 1, 1: 1, 2: 1, 3: 1, 4: 1}, f.adopted)
	assert.Same(t, streamFor(t, f, 3), streamFor(t, f, 3))
	assert.NotSame(t, streamFor(t, f, 3), streamFor(t, other, 3))

	before := streamFor(t, f, 3)
	require.NoError(t, interop.Release(f))
	assert.NotSame(t, before, streamFor(t, f, 3), "a new one after Release")
}

func TestStreamForRefuses(t *testing.T) { // R7
	_, err := interop.StreamFor(nil, 1)
	requireArgError(t, err, "device")
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	_, err = interop.StreamFor(device, 1)
	require.ErrorIs(t, err, backend.ErrUnsupported)
	_, err = interop.Adopt(t.Context(), device, 1, true)
	require.ErrorIs(t, err, backend.ErrUnsupported)
	_, _, err = interop.Register(t.Context(), device, 1, interop.Options{})
	require.ErrorIs(t, err, backend.ErrUnsupported)
	require.NoError(t, device.Close())
	_, err = interop.Adopt(nil, device, 1, true) //nolint:staticcheck // a nil context is what is tested
	requireArgError(t, err, "ctx")
}

func TestAdopt(t *testing.T) { // R6(4), D18
	f := openForeigner(t)
	stream := streamFor(t, f, 7)
	ctx, err := interop.Adopt(t.Context(), f, 7, true)
	require.NoError(t, err)
	stream.captured(t, func() {
		lc, err := exec.For(ctx, f)
		require.NoError(t, err)
		assert.Same(t, stream, lc.Stream())
	})
}

func TestRegister(t *testing.T) { // R118a, R118b, R118f, R24
	f := openForeigner(t)
	stream := streamFor(t, f, 7)
	flag, value := newArray(t, f, int32(0)), newArray(t, f, int32(0))
	for _, conditional := range []bool{false, true} {
		require.NoError(t, value.Write(t.Context(), []int32{0}))
		graph := stream.captured(t, func() {
			ctx, registration, err := interop.Register(t.Context(), f, 7, interop.Options{Conditional: conditional})
			require.NoError(t, err)
			assert.Same(t, stream, registration.Stream())
			assert.True(t, registration.InForce())
			lc, err := exec.For(ctx, f)
			require.NoError(t, err)
			assert.Equal(t, conditional, exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { exec.Fill(lc, value, 1) }))
			require.NoError(t, lc.Err())
			registration.End()
			registration.End()
			assert.False(t, registration.InForce())
			assert.Equal(t, backend.CaptureForeign, stream.Capture(), "R118f: the capture continues")
			assert.False(t, exec.SkipUnless(lc, flag, func(*exec.LaunchContext) {}), "after the registration")
		})
		require.NoError(t, stream.Replay(graph))
		assert.Equal(t, conditional, read(t, value) == 0)
	}
}

func TestNestedRegistration(t *testing.T) { // R118d
	f := openForeigner(t)
	stream := streamFor(t, f, 7)
	stream.captured(t, func() {
		_, outer, err := interop.Register(t.Context(), f, 7, interop.Options{})
		require.NoError(t, err)
		graph := new(interop.Graph)
		_, inner, err := interop.Register(t.Context(), f, 7, interop.Options{Conditional: true, Graph: graph})
		require.NoError(t, err)
		assert.Same(t, stream, inner.Stream())
		assert.False(t, inner.InForce())
		inner.End()
		assert.True(t, outer.InForce())
		outer.End()
	})
}

func TestRegisterJoinedStream(t *testing.T) { // R118e
	f := openForeigner(t)
	joined := streamFor(t, f, 8)
	require.NoError(t, joined.BeginCapture())
	joined.claim = backend.CaptureJoined
	ctx, registration, err := interop.Register(t.Context(), f, 8, interop.Options{Conditional: true})
	require.NoError(t, err)
	assert.False(t, registration.InForce())
	flag := newArray(t, f, int32(0))
	lc, err := exec.For(ctx, f)
	require.NoError(t, err)
	assert.Same(t, joined, lc.Stream())
	assert.False(t, exec.SkipUnless(lc, flag, func(*exec.LaunchContext) {}))
	require.NoError(t, lc.Err())
	registration.End()
	graph, err := joined.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
	joined.claim = backend.CaptureNone
}

func TestRegisterRefuses(t *testing.T) { // R118h, R118j
	f := openForeigner(t)
	_, _, err := interop.Register(t.Context(), f, 7, interop.Options{})
	require.ErrorIs(t, err, exec.ErrCapture)
	_, _, err = interop.Register(t.Context(), f, 7, interop.Options{Mode: 9})
	requireArgError(t, err, "Mode")
	_, _, err = interop.Register(nil, f, 7, interop.Options{}) //nolint:staticcheck // a nil context is what is tested
	requireArgError(t, err, "ctx")
	_, _, err = interop.RegisterStream(t.Context(), nil, interop.Options{})
	requireArgError(t, err, "stream")
	closed := new(interop.Graph)
	require.NoError(t, closed.Close())
	_, _, err = interop.Register(t.Context(), f, 7, interop.Options{Graph: closed})
	require.ErrorIs(t, err, backend.ErrClosed)
	stream := streamFor(t, f, 7)
	stream.claim = backend.CaptureInvalidated
	_, _, err = interop.Register(t.Context(), f, 7, interop.Options{})
	require.ErrorIs(t, err, exec.ErrCapture)
	var none *interop.Registration
	none.End()
	assert.False(t, none.InForce())
	assert.Nil(t, none.Stream())
}

func TestRetain(t *testing.T) { // R118k
	var graph interop.Graph
	a, b := new(int), new(int)
	require.NoError(t, interop.Retain(&graph, a, nil, b, a))
	require.NoError(t, interop.Retain(&graph, b))
	assert.Equal(t, 2, graph.Retained(), "once by identity, although they are equal")
	type box struct{ content any }
	require.NoError(t, interop.Retain(&graph, box{1}, box{1}))
	assert.Equal(t, 3, graph.Retained())
	for _, owner := range []any{[]int{1}, box{[]int{1}}, [1]any{map[int]int{}}, func() {}, math.NaN()} {
		for range 2 { // the second would be compared with the first
			requireArgError(t, interop.Retain(&graph, new(int), owner), "owner 1")
		}
	}
	assert.Equal(t, 3, graph.Retained(), "all or nothing")
	requireArgError(t, interop.Retain(nil, a), "graph")
	require.NoError(t, graph.Close())
	require.NoError(t, graph.Close())
	require.ErrorIs(t, interop.Retain(&graph, a), backend.ErrClosed)
	assert.Zero(t, graph.Retained())
	var none *interop.Graph
	assert.Zero(t, none.Retained())
	require.NoError(t, none.Close())
}

func TestGraphKeepsProducers(t *testing.T) { // R118g, R54
	f := openForeigner(t)
	stream := streamFor(t, f, 7)
	value := newArray(t, f, int32(0))
	gone := make(chan struct{})
	graph := new(interop.Graph)
	recorded := stream.captured(t, func() {
		owner := new([64]byte)
		runtime.AddCleanup(owner, func(done chan struct{}) { close(done) }, gone)
		runner, err := exec.NewGraphRunner(f, exec.RunnerOptions{Capturable: true, Owner: exec.WeakOwner(owner)})
		require.NoError(t, err)
		ctx, registration, err := interop.Register(t.Context(), f, 7, interop.Options{Graph: graph})
		require.NoError(t, err)
		_, err = runner.Run(ctx, func(lc *exec.LaunchContext) { exec.Fill(lc, value, 3) }, exec.RunOptions{})
		require.NoError(t, err)
		registration.End()
		runtime.KeepAlive(owner)
	})
	require.NoError(t, stream.Replay(recorded))
	assert.Equal(t, int32(3), read(t, value))
	assert.Equal(t, 1, graph.Retained())
	require.NoError(t, recorded.Close()) // the device's graph releases it
	for range 3 {
		runtime.GC()
	}
	select {
	case <-gone:
		t.Fatal("the foreign graph keeps the producer")
	default:
	}
	require.NoError(t, graph.Close())
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-gone:
			return true
		default:
			return false
		}
	}, 20*time.Second, time.Millisecond)
}

func TestGlobalCaptureElsewhere(t *testing.T) { // R164, R72
	f := openForeigner(t)
	stream := streamFor(t, f, 7)
	value := newArray(t, f, int32(0))
	runner, err := exec.NewGraphRunner(f, exec.RunnerOptions{Capturable: true})
	require.NoError(t, err)
	defer runner.Close()
	body := func(lc *exec.LaunchContext) { exec.Fill(lc, value, 3) }
	stream.captured(t, func() {
		_, registration, err := interop.Register(t.Context(), f, 7, interop.Options{})
		require.NoError(t, err)
		defer registration.End()
		_, err = runner.Run(context.Background(), body, exec.RunOptions{})
		require.NoError(t, err)
		assert.Nil(t, runner.Graph())
	})
	_, err = runner.Run(context.Background(), body, exec.RunOptions{})
	require.NoError(t, err)
	assert.NotNil(t, runner.Graph())
}
