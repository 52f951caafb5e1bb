package exec_test

import (
	"context"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// foreignCapture runs body while a foreign library captures the stream, and returns the graph.
func foreignCapture(t testing.TB, stream *doubleStream, body func()) backend.Graph {
	t.Helper()
	return capture(t, stream.Stream, func() {
		stream.claim = backend.CaptureForeign
		defer func() { stream.claim = backend.CaptureNone }()
		body()
	})
}

// foreignDevice returns a double that supports foreign streams, and one such stream.
func foreignDevice(t testing.TB) (*double, *doubleStream) {
	device := asGPU(t)
	device.caps.ForeignStreams = true
	return device, newStream(t, device).(*doubleStream)
}

func register(t testing.TB, stream backend.Stream, options exec.ForeignOptions) *exec.ForeignCapture {
	t.Helper()
	c, err := exec.RegisterForeign(stream, options)
	require.NoError(t, err)
	t.Cleanup(c.End)
	return c
}

func TestForeignStreamResolution(t *testing.T) { // R6(4), R7, D18
	device, foreign := foreignDevice(t)
	other := newStream(t, device)
	ctx := exec.WithForeignStream(t.Context(), foreign, true)
	stream := func(ctx context.Context, options ...exec.Option) backend.Stream {
		lc, err := exec.For(ctx, device, options...)
		require.NoError(t, err)
		return lc.Stream()
	}
	assert.Same(t, device.CurrentStream(), stream(ctx), "R6(5): the foreign stream is not being captured")
	foreignCapture(t, foreign, func() {
		assert.Same(t, foreign, stream(ctx), "R6(4)")
		assert.Same(t, other, stream(ctx, exec.DefaultStream(other)), "R6(3)")
		assert.Same(t, other, stream(ctx, exec.OnStream(other)), "R6(1)")
		assert.Same(t, device.CurrentStream(), stream(t.Context()), "a context without a foreign stream")
		lc, err := exec.OnCurrentStream(device)
		require.NoError(t, err)
		assert.Same(t, device.CurrentStream(), lc.Stream(), "R12")
		elsewhere := openCPU(t)
		lc, err = exec.For(ctx, elsewhere)
		require.NoError(t, err)
		assert.Same(t, elsewhere.CurrentStream(), lc.Stream(), "R9")
	})
}

func TestRecordingIntoForeignCapture(t *testing.T) { // R25, R24, R65, R118a, R118f
	device, foreign := foreignDevice(t)
	flag := newArray(t, device, int32(0))
	for _, test := range []struct {
		options      *exec.ForeignOptions
		ctx          context.Context
		conditional  bool
		description  string
		expectedRuns int32
	}{
		{nil, t.Context(), false, "R25 not registered", 1},
		{&exec.ForeignOptions{}, t.Context(), false, "R25 without the opt-in", 1},
		{&exec.ForeignOptions{}, exec.Conditional(t.Context(), true), false, "R48 conditional() is for own captures", 1},
		{&exec.ForeignOptions{Conditional: true}, t.Context(), true, "R24 with the opt-in", 0},
		{&exec.ForeignOptions{Conditional: true}, exec.Unconditional(t.Context(), true), false, "R49", 1},
	} {
		p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		var conditional bool
		graph := foreignCapture(t, foreign, func() {
			if test.options != nil {
				defer register(t, foreign, *test.options).End()
			}
			_, err := p.Run(test.ctx, func(lc *exec.LaunchContext) {
				conditional = exec.SkipUnless(lc, flag, p.body)
			}, exec.RunOptions{Stream: foreign, Sync: true})
			require.NoError(t, err)
		})
		require.NoError(t, foreign.Replay(graph))
		assert.Equal(t, test.conditional, conditional, test.description)
		p.requireRuns(t, test.expectedRuns, 1)
		assert.Equal(t, []int32{test.expectedRuns}, read(t, p.counter), test.description)
	}
}

func TestOwnCaptureOnForeignStream(t *testing.T) { // C5, R48
	device, foreign := foreignDevice(t)
	flag := newArray(t, device, int32(0))
	known := exec.WithForeignStream(t.Context(), foreign, false)
	capture(t, foreign, func() { // begun through this library, on the stream that the foreign library works on
		for _, test := range []struct {
			ctx  context.Context
			want bool
		}{
			{known, false},
			{exec.Conditional(known, true), true},
			{exec.Conditional(exec.Conditional(known, true), false), false},
			{t.Context(), true}, // nothing says that the capture is the foreign library's
		} {
			lc, err := exec.For(test.ctx, device, exec.OnStream(foreign))
			require.NoError(t, err)
			assert.Equal(t, test.want, exec.SkipUnless(lc, flag, func(*exec.LaunchContext) {}))
			require.NoError(t, lc.Err())
		}
	})
}

func TestRegisterForeign(t *testing.T) { // R118d, R118e, R118h, R118j
	device, foreign := foreignDevice(t)
	_, err := exec.RegisterForeign(foreign, exec.ForeignOptions{})
	require.ErrorIs(t, err, exec.ErrCapture)
	_, err = exec.RegisterForeign(nil, exec.ForeignOptions{})
	requireArgError(t, err, "stream")
	_, err = exec.RegisterForeign(foreign, exec.ForeignOptions{Mode: 3})
	requireArgError(t, err, "Mode")
	foreign.claim = backend.CaptureInvalidated
	_, err = exec.RegisterForeign(foreign, exec.ForeignOptions{})
	require.ErrorIs(t, err, exec.ErrCapture)
	foreign.claim = backend.CaptureJoined
	joined := register(t, foreign, exec.ForeignOptions{Conditional: true})
	assert.False(t, joined.Registered(), "R118e")
	foreign.claim = backend.CaptureNone

	foreignCapture(t, foreign, func() {
		outer := register(t, foreign, exec.ForeignOptions{})
		inner := register(t, foreign, exec.ForeignOptions{Conditional: true})
		assert.True(t, outer.Registered())
		assert.False(t, inner.Registered(), "R118d: the outer one owns")
		flag := newArray(t, device, int32(0))
		lc := launchContext(t, device, exec.OnStream(foreign))
		assert.False(t, exec.SkipUnless(lc, flag, func(*exec.LaunchContext) {}), "R118d: the inner opt-in is ignored")
		inner.End()
		assert.True(t, outer.Registered())
		outer.End()
		outer.End()
		assert.False(t, outer.Registered())
		assert.Same(t, foreign, outer.Stream())
	})
	(*exec.ForeignCapture)(nil).End()
	assert.Equal(t, "global thread_local relaxed ForeignMode(7)",
		exec.ForeignGlobal.String()+" "+exec.ForeignThreadLocal.String()+" "+exec.ForeignRelaxed.String()+
			" "+exec.ForeignMode(7).String())
}

func TestForeignCaptureElsewhere(t *testing.T) { // R164, R59, R72, D18
	device, foreign := foreignDevice(t)
	ready := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	ready.run(t, exec.RunOptions{})
	window := func(t *testing.T, ctx context.Context) {
		p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		require.ErrorIs(t, p.Prepare(ctx, p.body), exec.ErrCapture)
		_, err := p.EnsureNotCapturing(ctx)
		require.ErrorIs(t, err, exec.ErrCapture)
		device.take()
		for _, key := range []any{nil, 1} {
			_, err = p.Run(ctx, p.body, exec.RunOptions{Stream: device.DefaultStream(), Key: key, Sync: true})
			require.NoError(t, err)
		}
		assert.Equal(t, []string{"launch", "launch"}, device.take(), "R164: eager; R72: no wait")
		assert.Empty(t, p.GraphKeys())
		_, err = ready.Run(ctx, ready.body, exec.RunOptions{Stream: device.DefaultStream()})
		require.NoError(t, err)
		assert.Equal(t, []string{"replay"}, device.take(), "R164: replays are allowed")
	}
	t.Run("the caller says so", func(t *testing.T) {
		window(t, exec.WithForeignStream(t.Context(), foreign, true))
	})
	t.Run("a registered capture in GLOBAL mode", func(t *testing.T) {
		foreignCapture(t, foreign, func() {
			defer register(t, foreign, exec.ForeignOptions{}).End()
			window(t, t.Context())
		})
	})
	foreignCapture(t, foreign, func() { // another mode blocks nothing
		defer register(t, foreign, exec.ForeignOptions{Mode: exec.ForeignRelaxed}).End()
		p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		p.run(t, exec.RunOptions{})
		assert.NotNil(t, p.Graph())
	})
	device.caps.ForeignStreams = false
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	_, err := p.Run(exec.WithForeignStream(t.Context(), foreign, true), p.body, exec.RunOptions{})
	require.NoError(t, err)
	assert.NotNil(t, p.Graph(), "a device without foreign streams is untouched")
}

func TestForeignCaptureKeepsOwners(t *testing.T) { // R118g, D22
	device, foreign := foreignDevice(t)
	owner := &struct{ name [64]byte }{}
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true, Owner: exec.WeakOwner(owner)})
	var kept []any
	foreignCapture(t, foreign, func() {
		defer register(t, foreign, exec.ForeignOptions{Keep: func(o any) { kept = append(kept, o) }}).End()
		p.run(t, exec.RunOptions{Stream: foreign})
		p.run(t, exec.RunOptions{Stream: foreign})
	})
	assert.Len(t, kept, 2)
	assert.Same(t, owner, kept[0])
	assert.Same(t, owner, device.anchors[0], "and on the graph, where the backend can")

	foreignCapture(t, foreign, func() { // without a graph: until End
		c := register(t, foreign, exec.ForeignOptions{})
		p.run(t, exec.RunOptions{Stream: foreign})
		p.run(t, exec.RunOptions{Stream: foreign})
		c.End()
	})
	runtime.KeepAlive(owner)
}

func TestOnContext(t *testing.T) { // R167, C15, R13
	device, other := openCPU(t), openCPU(t)
	stream, another := newStream(t, device), newStream(t, device)
	given := launchContext(t, device, exec.OnStream(stream))
	given.Fail(assert.AnError)
	for _, options := range [][]exec.Option{{exec.OnContext(given)}, {exec.OnContext(given), exec.OnStream(stream)}} {
		lc, err := exec.For(t.Context(), device, options...)
		require.NoError(t, err)
		assert.Same(t, stream, lc.Stream())
		require.NoError(t, lc.Err(), "D16: a clean cell")
	}
	_, err := exec.For(t.Context(), device, exec.OnContext(given), exec.OnStream(another))
	requireArgError(t, err, "stream")
	_, err = exec.For(t.Context(), other, exec.OnContext(given))
	require.ErrorIs(t, err, exec.ErrDeviceMismatch)
	_, err = exec.For(t.Context(), device, exec.OnContext(&exec.LaunchContext{}))
	requireArgError(t, err, "context")
	lc, err := exec.For(t.Context(), device, exec.OnContext(nil))
	require.NoError(t, err)
	assert.Same(t, device.CurrentStream(), lc.Stream())
	flag := newArray(t, device, int32(1))
	exec.SkipUnless(lc, flag, func(*exec.LaunchContext) {
		_, err := exec.For(t.Context(), device, exec.OnContext(lc))
		require.ErrorIs(t, err, exec.ErrCapture) // D17
	})
}

func TestForeignRegistrationsFromManyGoroutines(t *testing.T) { // R165
	device, _ := foreignDevice(t)
	var wait sync.WaitGroup
	for range 4 {
		stream := newStream(t, device).(*doubleStream)
		p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		wait.Go(func() {
			for range 20 {
				assert.NoError(t, stream.Stream.BeginCapture())
				stream.claim = backend.CaptureForeign
				c, err := exec.RegisterForeign(stream, exec.ForeignOptions{Mode: exec.ForeignRelaxed})
				assert.NoError(t, err)
				_, err = p.Run(t.Context(), p.body, exec.RunOptions{Stream: stream})
				assert.NoError(t, err)
				assert.True(t, c.Registered())
				c.End()
				stream.claim = backend.CaptureNone
				graph, err := stream.Stream.EndCapture()
				assert.NoError(t, err)
				assert.NoError(t, graph.Close())
				_, err = p.Run(t.Context(), p.body, exec.RunOptions{})
				assert.NoError(t, err)
			}
		})
	}
	wait.Wait()
}
