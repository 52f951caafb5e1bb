package exec_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// countDef adds 1 to the first element of its buffer.
var countDef = kernel.Def{
	Name:   "test.count",
	Params: []kernel.Param{{Name: "counter", Type: kernel.Int32, Buffer: true, Access: kernel.ReadWrite}},
	Go:     func(_, _ int32, args *kernel.Args) { kernel.Slice[int32](args, 0)[0]++ },
}

func count(lc *exec.LaunchContext, counter exec.Array[int32]) {
	l := lc.Prepare(&countDef, 1)
	exec.Bind(l, counter)
	l.Launch()
}

// producer counts how often its body was emitted and how often the device ran it.
type producer struct {
	*exec.GraphRunner
	counter exec.Array[int32]
	bodies  int
}

func newProducer(t testing.TB, device backend.Device, options exec.RunnerOptions) *producer {
	t.Helper()
	runner, err := exec.NewGraphRunner(device, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, runner.Close()) })
	return &producer{GraphRunner: runner, counter: newArray(t, device, int32(0))}
}

func (p *producer) body(lc *exec.LaunchContext) {
	p.bodies++
	count(lc, p.counter)
}

func (p *producer) run(t testing.TB, options exec.RunOptions) *exec.LaunchContext {
	t.Helper()
	lc, err := p.Run(t.Context(), p.body, options)
	require.NoError(t, err)
	return lc
}

// requireRuns checks how often the device ran the body and how often it was emitted.
func (p *producer) requireRuns(t testing.TB, ran int32, emitted int) {
	t.Helper()
	require.Equal(t, []int32{ran}, read(t, p.counter))
	require.Equal(t, emitted, p.bodies)
}

func TestRunEagerOnCPU(t *testing.T) { // R64 M7
	device := openCPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	lc := p.run(t, exec.RunOptions{})
	p.run(t, exec.RunOptions{Key: "k", Sync: true}) // C2: no ErrNotPrepared where no graph would be selected
	p.run(t, exec.RunOptions{Policy: exec.Eager})
	p.requireRuns(t, 3, 3)
	assert.Same(t, device.DefaultStream(), lc.Stream()) // R62
	assert.Nil(t, p.Graph())                            // R76
	assert.Empty(t, p.GraphKeys())
}

func TestRunEagerAllocatesNothing(t *testing.T) {
	device := openCPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true, Name: "p"})
	flag := newArray(t, device, int32(1))
	count3 := func(lc *exec.LaunchContext) { p.body(lc) }
	body := func(lc *exec.LaunchContext) {
		p.body(lc)
		exec.Fill(lc, flag, 1)
		exec.SkipUnless(lc, flag, count3)
		p.body(lc)
	}
	ctx := exec.Unconditional(exec.With(t.Context(), launchContext(t, device)), true)
	var key any = &countDef
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := p.Run(ctx, body, exec.RunOptions{Key: key, Sync: true}); err != nil {
			t.Error(err)
		}
	})
	assert.Zero(t, allocations)
}

func TestReplayAllocatesNothing(t *testing.T) {
	device := asGPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	ctx, body := t.Context(), p.body
	_, err := p.Run(ctx, body, exec.RunOptions{})
	require.NoError(t, err)
	device.log = make([]string, 0, 1000)
	allocations := testing.AllocsPerRun(100, func() {
		if _, err := p.Run(ctx, body, exec.RunOptions{}); err != nil {
			t.Error(err)
		}
	})
	assert.LessOrEqual(t, allocations, 1.0, "the double itself allocates one closure per call")
}

func TestRunRecordsIntoCapture(t *testing.T) { // R64 M1, M5, R64b (with D14), R65, R82
	for _, device := range []backend.Device{openCPU(t), asGPU(t)} {
		p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		graph := capture(t, device.DefaultStream(), func() {
			p.run(t, exec.RunOptions{Sync: true, Key: "ignored", Policy: exec.Eager}) // R72: no wait
		})
		p.requireRuns(t, 0, 1)
		require.NoError(t, device.DefaultStream().Replay(graph))
		require.NoError(t, device.DefaultStream().Replay(graph))
		p.requireRuns(t, 2, 1)
		assert.Empty(t, p.GraphKeys())
	}
}

func TestRunRefusesCapture(t *testing.T) { // R64 M4, M6, R66, R77
	for _, device := range []backend.Device{openCPU(t), asGPU(t)} {
		p := newProducer(t, device, exec.RunnerOptions{Name: "repulsive", StageIDs: []string{"infer"}})
		lc := launchContext(t, device)
		require.NoError(t, p.CheckRecord(lc))
		graph := capture(t, device.DefaultStream(), func() {
			_, err := p.Run(t.Context(), p.body, exec.RunOptions{})
			for _, err := range []error{err, p.CheckRecord(lc)} {
				require.ErrorIs(t, err, exec.ErrCapture)
				var notCapturable *exec.NotCapturableError
				require.ErrorAs(t, err, &notCapturable)
				assert.Equal(t, "repulsive", notCapturable.Name)
				assert.Equal(t, []string{"infer"}, notCapturable.StageIDs)
				assert.Contains(t, err.Error(), "infer")
			}
			count(lc, p.counter) // the caller's capture is untouched
			require.NoError(t, lc.Err())
		})
		assert.Equal(t, 1, graph.Nodes())
		p.requireRuns(t, 0, 0)
		p.run(t, exec.RunOptions{}) // R64 M9: eager outside
		p.requireRuns(t, 1, 1)
	}
}

func TestRunInvalidatedCapture(t *testing.T) { // D18
	device := asGPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	device.wrap(device.Device.DefaultStream()).claim = backend.CaptureInvalidated
	device.take()
	_, err := p.Run(t.Context(), p.body, exec.RunOptions{})
	var captureError *backend.CaptureError
	require.ErrorAs(t, err, &captureError)
	require.ErrorIs(t, p.CheckRecord(launchContext(t, device)), exec.ErrCapture)
	assert.Empty(t, device.take())
	assert.Zero(t, p.bodies)
}

func TestRunOwnGraph(t *testing.T) { // R64 M11, R67, R69, R73, C12
	device := asGPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	device.take()
	p.run(t, exec.RunOptions{})
	assert.Equal(t, []string{"launch", "sync", "begin", "launch", "end", "replay"}, device.take(),
		"C12: once directly and waited for, once captured and launched")
	p.requireRuns(t, 2, 2)
	assert.True(t, p.Prepared())
	graph := p.Graph()
	require.NotNil(t, graph)
	assert.Equal(t, []any{nil}, p.GraphKeys()) // R76

	device.take()
	p.run(t, exec.RunOptions{Sync: true}) // R72
	assert.Equal(t, []string{"replay", "sync"}, device.take())
	p.requireRuns(t, 3, 2)
	p.run(t, exec.RunOptions{Policy: exec.Eager}) // R64 M8
	p.requireRuns(t, 4, 3)
	assert.Same(t, graph, p.Graph())

	stream := newStream(t, device) // R81: the graph is launched on the stream of the call
	lc := p.run(t, exec.RunOptions{Stream: stream})
	assert.Same(t, stream, lc.Stream())
	p.requireRuns(t, 5, 3)
}

func TestRunPreparedOwnGraphExecutesOnce(t *testing.T) { // C12
	device := asGPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	require.NoError(t, p.Prepare(t.Context(), p.body))
	p.requireRuns(t, 1, 1)
	p.run(t, exec.RunOptions{})
	p.requireRuns(t, 2, 2)
}

func TestRunKeyed(t *testing.T) { // R64 M12-M14, R68-R70, R74, R98
	device := asGPU(t)
	var warnings []exec.Warning
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true, Name: "p",
		Warn: func(w exec.Warning) { warnings = append(warnings, w) }})
	device.take()
	_, err := p.Run(t.Context(), p.body, exec.RunOptions{Key: 1}) // M13
	require.ErrorIs(t, err, exec.ErrNotPrepared)
	require.ErrorIs(t, err, exec.ErrCapture) // D6
	var captureError *backend.CaptureError
	require.ErrorAs(t, err, &captureError)
	require.NoError(t, p.CheckRecord(launchContext(t, device)), "C22")
	assert.Empty(t, device.take())

	require.NoError(t, p.Prepare(t.Context(), p.body))
	p.run(t, exec.RunOptions{}) // the default body takes no key
	bodies := p.bodies
	for key := range exec.DefaultMaxKeyedGraphs {
		p.run(t, exec.RunOptions{Key: key})
		p.run(t, exec.RunOptions{Key: key})
	}
	assert.Equal(t, bodies+exec.DefaultMaxKeyedGraphs, p.bodies)
	assert.Len(t, p.GraphKeys(), 1+exec.DefaultMaxKeyedGraphs)
	assert.NotSame(t, p.GraphFor(3), p.GraphFor(4))
	assert.Empty(t, warnings)

	ran := read(t, p.counter)[0]
	p.run(t, exec.RunOptions{Key: "one more"}) // M14
	p.run(t, exec.RunOptions{Key: "and more"})
	assert.Equal(t, []exec.Warning{exec.KeyedGraphLimitWarning{Name: "p", Limit: exec.DefaultMaxKeyedGraphs}}, warnings,
		"R98: once")
	assert.Contains(t, warnings[0].Warning(), "16")
	assert.Nil(t, p.GraphFor("one more"))
	p.requireRuns(t, ran+2, bodies+exec.DefaultMaxKeyedGraphs+2)
	p.run(t, exec.RunOptions{Key: 0}) // known keys go on
	p.requireRuns(t, ran+3, bodies+exec.DefaultMaxKeyedGraphs+2)
}

func TestRunKeyLimitIsAnOption(t *testing.T) { // D11
	device := asGPU(t)
	warned := 0
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true, MaxKeyedGraphs: 1,
		Warn: func(exec.Warning) { warned++ }})
	require.NoError(t, p.Prepare(t.Context(), p.body))
	p.run(t, exec.RunOptions{Key: 1})
	p.run(t, exec.RunOptions{Key: 2})
	assert.Equal(t, []any{1}, p.GraphKeys())
	assert.Equal(t, 1, warned)
}

func TestRunRefusesArguments(t *testing.T) {
	device, other := asGPU(t), openCPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true, Name: "p"})
	refuse := func(ctx context.Context, body exec.Enqueue, options exec.RunOptions) error {
		lc, err := p.Run(ctx, body, options)
		assert.Nil(t, lc)
		return err
	}
	device.take()
	requireArgError(t, refuse(t.Context(), p.body, exec.RunOptions{Policy: 2}), "Policy") // R63
	requireArgError(t, refuse(t.Context(), nil, exec.RunOptions{}), "body")
	requireArgError(t, refuse(nil, p.body, exec.RunOptions{}), "ctx")
	require.ErrorIs(t, refuse(t.Context(), p.body, exec.RunOptions{Stream: other.DefaultStream()}), exec.ErrDeviceMismatch)
	for _, key := range []any{[]int{1}, struct{ f any }{map[int]int{}}, math.NaN()} {
		requireArgError(t, refuse(t.Context(), p.body, exec.RunOptions{Key: key}), "Key")
		assert.Nil(t, p.GraphFor(key))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, refuse(cancelled, p.body, exec.RunOptions{}), context.Canceled)
	require.ErrorIs(t, p.Prepare(cancelled, p.body), context.Canceled)
	requireArgError(t, p.Prepare(t.Context(), nil), "body")
	assert.Empty(t, device.take())
	assert.Zero(t, p.bodies)
	p.run(t, exec.RunOptions{})

	var missing *exec.GraphRunner
	_, err := missing.Run(t.Context(), p.body, exec.RunOptions{})
	requireArgError(t, err, "runner")
	requireArgError(t, missing.Prepare(t.Context(), p.body), "runner")
	require.NoError(t, missing.Close())

	_, err = exec.NewGraphRunner(nil, exec.RunnerOptions{})
	requireArgError(t, err, "device")
	_, err = exec.NewGraphRunner(device, exec.RunnerOptions{MaxKeyedGraphs: -1})
	requireArgError(t, err, "MaxKeyedGraphs")
	_, err = exec.NewGraphRunner(device, exec.RunnerOptions{DefaultStream: other.DefaultStream()})
	require.ErrorIs(t, err, exec.ErrDeviceMismatch)
	require.ErrorIs(t, p.CheckRecord(launchContext(t, other)), exec.ErrDeviceMismatch)
	requireArgError(t, p.CheckRecord(nil), "context")
}

func TestRunnerProperties(t *testing.T) { // R55, R16
	device := openCPU(t)
	stream := newStream(t, device)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true, Name: "bezier", DefaultStream: stream})
	assert.Same(t, device, p.Device())
	assert.True(t, p.Capturable())
	assert.Equal(t, "bezier", p.Name())
	assert.Same(t, stream, p.DefaultStream())
	assert.False(t, p.Prepared())
	lc, err := p.Context(t.Context(), nil)
	require.NoError(t, err)
	assert.Same(t, stream, lc.Stream())
	lc, err = p.Context(t.Context(), device.DefaultStream())
	require.NoError(t, err)
	assert.Same(t, device.DefaultStream(), lc.Stream())
	assert.Same(t, stream, p.run(t, exec.RunOptions{}).Stream())
}

func TestPrepare(t *testing.T) { // R56-R58
	device := asGPU(t)
	stream := newStream(t, device)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true, DefaultStream: stream})
	device.take()
	require.NoError(t, p.Prepare(t.Context(), p.body))
	assert.Equal(t, []string{"wait", "launch", "sync"}, device.take(), "R58: ordered after the allocations")
	assert.True(t, p.Prepared())
	p.requireRuns(t, 1, 1)
}

func TestPrepareRunsConditionalBodies(t *testing.T) { // R57, R42
	device := asGPU(t)
	device.caps.EagerConditionals = true
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	flag := newArray(t, device, int32(0))
	require.NoError(t, p.Prepare(t.Context(), func(lc *exec.LaunchContext) {
		exec.SkipUnless(lc, flag, p.body)
	}))
	p.requireRuns(t, 1, 1)
}

func TestPanicInPrepareLeavesNothing(t *testing.T) {
	device := asGPU(t)
	device.caps.EagerConditionals = true
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	flag := newArray(t, device, int32(0))
	func() {
		defer func() { assert.Equal(t, "out", recover()) }()
		_ = p.Prepare(t.Context(), func(*exec.LaunchContext) { panic("out") })
	}()
	assert.False(t, p.Prepared())
	_, err := p.Run(t.Context(), func(lc *exec.LaunchContext) { exec.SkipUnless(lc, flag, p.body) },
		exec.RunOptions{Policy: exec.Eager})
	require.NoError(t, err)
	p.requireRuns(t, 0, 0)
}

func TestPrepareRefusesCaptures(t *testing.T) { // R59, R60, C12
	device := openCPU(t)
	current, bound, call := newStream(t, device), newStream(t, device), newStream(t, device)
	require.NoError(t, device.SetCurrentStream(current))
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true, DefaultStream: bound})
	ctx := exec.With(t.Context(), launchContext(t, device, exec.OnStream(call)))
	for name, stream := range map[string]backend.Stream{"current": current, "default": bound, "call": call} {
		t.Run(name, func(t *testing.T) {
			capture(t, stream, func() {
				require.ErrorIs(t, p.Prepare(ctx, p.body), exec.ErrCapture)
				_, err := p.EnsureNotCapturing(ctx)
				require.ErrorIs(t, err, exec.ErrCapture)
			})
		})
	}
	assert.False(t, p.Prepared())
	assert.Zero(t, p.bodies)
	lc, err := p.EnsureNotCapturing(ctx)
	require.NoError(t, err)
	assert.Same(t, call, lc.Stream())
	_, err = p.EnsureNotCapturing(nil) //nolint:staticcheck // a nil context is what is tested
	requireArgError(t, err, "ctx")
}

func TestPrepareFails(t *testing.T) {
	device := asGPU(t)
	stream := device.wrap(device.Device.DefaultStream())
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true, Name: "p"})
	for _, op := range []string{"launch", "sync"} {
		stream.fail = map[string]error{op: backend.ErrDeviceLost}
		require.ErrorIs(t, p.Prepare(t.Context(), p.body), backend.ErrDeviceLost)
		assert.False(t, p.Prepared())
		lc, err := p.Run(t.Context(), p.body, exec.RunOptions{})
		require.ErrorIs(t, err, backend.ErrDeviceLost)
		require.ErrorIs(t, err, lc.Err())
		assert.Equal(t, 1, strings.Count(err.Error(), `producer "p"`), "%v", err)
		assert.Nil(t, p.Graph())
	}
	stream.fail = nil
	require.NoError(t, p.Prepare(t.Context(), p.body))
	stream.fail = map[string]error{"replay": backend.ErrDeviceLost}
	_, err := p.Run(t.Context(), p.body, exec.RunOptions{})
	require.ErrorIs(t, err, backend.ErrDeviceLost)
	stream.fail = map[string]error{"sync": backend.ErrDeviceLost}
	_, err = p.Run(t.Context(), p.body, exec.RunOptions{Sync: true})
	require.ErrorIs(t, err, backend.ErrDeviceLost)
	stream.fail = nil

	elsewhere := newStream(t, device)
	bound := newProducer(t, device, exec.RunnerOptions{Capturable: true, DefaultStream: elsewhere})
	elsewhere.(*doubleStream).fail = map[string]error{"wait": backend.ErrDeviceLost}
	require.ErrorIs(t, bound.Prepare(t.Context(), bound.body), backend.ErrDeviceLost)
	assert.Zero(t, bound.bodies)
}

func TestOwnGraphCaptureFails(t *testing.T) {
	device := asGPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	require.NoError(t, p.Prepare(t.Context(), p.body))
	failure := errors.New("body")
	_, err := p.Run(t.Context(), func(lc *exec.LaunchContext) {
		p.body(lc)
		lc.Fail(failure)
	}, exec.RunOptions{})
	require.ErrorIs(t, err, failure)
	assert.Nil(t, p.Graph())

	func() {
		defer func() { assert.Equal(t, "out", recover()) }()
		_, _ = p.Run(t.Context(), func(*exec.LaunchContext) { panic("out") }, exec.RunOptions{})
	}()
	assert.Nil(t, p.Graph())

	p.run(t, exec.RunOptions{}) // the private stream and the runner are still usable
	p.requireRuns(t, 2, 3)
	assert.NotNil(t, p.Graph())
}

func TestOwnGraphCaptureDoesNotEnd(t *testing.T) {
	device := asGPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	require.NoError(t, p.Prepare(t.Context(), p.body))
	_, err := p.Run(t.Context(), func(lc *exec.LaunchContext) {
		lc.Stream().(*doubleStream).fail = map[string]error{"end": backend.ErrCapture}
	}, exec.RunOptions{})
	require.ErrorIs(t, err, exec.ErrCapture)
	p.run(t, exec.RunOptions{}) // a new private stream replaces the broken one
	p.requireRuns(t, 2, 2)
}

func TestOwnGraphStaysUnconditional(t *testing.T) { // R47, R71
	device := asGPU(t)
	flag := newArray(t, device, int32(0))
	for _, unconditional := range []bool{false, true} {
		p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		body := func(lc *exec.LaunchContext) { exec.SkipUnless(lc, flag, p.body) }
		require.NoError(t, p.Prepare(t.Context(), body))
		_, err := p.Run(exec.Unconditional(t.Context(), unconditional), body, exec.RunOptions{})
		require.NoError(t, err)
		_, err = p.Run(t.Context(), body, exec.RunOptions{}) // replays what the first call captured
		require.NoError(t, err)
		want := int32(1)
		if unconditional {
			want = 3
		}
		p.requireRuns(t, want, 2)
	}
}

func TestConcurrentUse(t *testing.T) { // R79, D8
	p := newProducer(t, openCPU(t), exec.RunnerOptions{Name: "p"})
	entered, leave := make(chan struct{}), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		_, err := p.Run(t.Context(), func(lc *exec.LaunchContext) {
			close(entered)
			<-leave
			p.body(lc)
		}, exec.RunOptions{})
		assert.NoError(t, err)
	})
	<-entered
	_, err := p.Run(t.Context(), p.body, exec.RunOptions{})
	require.ErrorIs(t, err, exec.ErrConcurrentUse)
	require.ErrorIs(t, p.Prepare(t.Context(), p.body), exec.ErrConcurrentUse)
	require.ErrorIs(t, p.Close(), exec.ErrConcurrentUse)
	assert.Empty(t, p.GraphKeys(), "other goroutines may read (R165)")
	close(leave)
	wait.Wait()
	p.requireRuns(t, 1, 1)

	_, err = p.Run(t.Context(), func(lc *exec.LaunchContext) { // re-entry is concurrent use too
		_, err := p.Run(t.Context(), p.body, exec.RunOptions{})
		lc.Fail(err)
	}, exec.RunOptions{})
	require.ErrorIs(t, err, exec.ErrConcurrentUse)
}

func TestRunnersAreIndependent(t *testing.T) { // R67, R79
	device := openCPU(t)
	var wait sync.WaitGroup
	for range 4 {
		p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		stream := newStream(t, device)
		wait.Go(func() {
			for range 50 {
				_, err := p.Run(t.Context(), p.body, exec.RunOptions{Stream: stream})
				assert.NoError(t, err)
			}
			values, err := p.counter.Read(t.Context())
			assert.NoError(t, err)
			assert.Equal(t, []int32{50}, values)
		})
	}
	wait.Wait()
}

func TestClosedRunner(t *testing.T) {
	device := asGPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	p.run(t, exec.RunOptions{})
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	assert.Nil(t, p.Graph())
	_, err := p.Run(t.Context(), p.body, exec.RunOptions{})
	require.ErrorIs(t, err, exec.ErrClosed)
	require.ErrorIs(t, p.Prepare(t.Context(), p.body), exec.ErrClosed)
}

func TestRecordAnchorsOwner(t *testing.T) { // R54, R65, D22
	device := asGPU(t)
	owner := &struct{ name [64]byte }{}
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true, Owner: exec.WeakOwner(owner)})
	p.run(t, exec.RunOptions{})
	assert.Empty(t, device.anchors, "the runner's graph belongs to the owner and must not keep it alive")

	capture(t, device.DefaultStream(), func() { p.run(t, exec.RunOptions{}) })
	require.Len(t, device.anchors, 1)
	assert.Same(t, owner, device.anchors[0])

	device.caps.GraphRetain = false
	loose := newProducer(t, device, exec.RunnerOptions{Capturable: true, Owner: exec.WeakOwner(owner)})
	device.anchors = nil
	capture(t, device.DefaultStream(), func() { loose.run(t, exec.RunOptions{}) })
	assert.Empty(t, device.anchors, "D22: only where the device can")

	bodies := p.bodies
	stream := device.wrap(device.Device.DefaultStream())
	stream.fail = map[string]error{"anchor": backend.ErrCapture}
	capture(t, stream, func() {
		_, err := p.Run(t.Context(), p.body, exec.RunOptions{})
		require.ErrorIs(t, err, exec.ErrCapture)
	})
	assert.Equal(t, bodies, p.bodies)
	runtime.KeepAlive(owner)
}

func TestRunnerHoldsOwnerWeakly(t *testing.T) { // R54
	device := openCPU(t)
	collected := make(chan struct{})
	p := func() *producer {
		owner := &struct{ name [64]byte }{}
		runtime.AddCleanup(owner, func(done chan struct{}) { close(done) }, collected)
		return newProducer(t, device, exec.RunnerOptions{Capturable: true, Owner: exec.WeakOwner(owner)})
	}()
	waitForCollection(t, collected)
	capture(t, device.DefaultStream(), func() { p.run(t, exec.RunOptions{}) }) // there is no owner left to anchor
	assert.NotPanics(t, func() {
		none := newProducer(t, device, exec.RunnerOptions{Capturable: true, Owner: exec.WeakOwner[int](nil)})
		capture(t, device.DefaultStream(), func() { none.run(t, exec.RunOptions{}) })
	})
}

// waitForCollection waits for the cleanup of an unreachable value.
func waitForCollection(t testing.TB, collected <-chan struct{}) {
	t.Helper()
	require.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-collected:
			return true
		default:
			return false
		}
	}, 20*time.Second, time.Millisecond)
}

func TestBodyContextIsFreshInEveryRun(t *testing.T) {
	device := asGPU(t)
	p := newProducer(t, device, exec.RunnerOptions{})
	failure := errors.New("once")
	device.take()
	lc, err := p.Run(t.Context(), func(lc *exec.LaunchContext) { lc.Fail(failure) }, exec.RunOptions{Sync: true})
	assert.Empty(t, device.take(), "no wait after an error")
	assert.Same(t, failure, err)
	assert.Same(t, failure, lc.Err())
	p.run(t, exec.RunOptions{})
	p.requireRuns(t, 1, 1)
}

func BenchmarkRunEager(b *testing.B) {
	p := newProducer(b, openCPU(b), exec.RunnerOptions{Capturable: true})
	ctx, body := b.Context(), p.body
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Run(ctx, body, exec.RunOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

// Every method of a nil or zero runner that can return an error does so.
func TestRunnerThatNobodyMade(t *testing.T) { // R99
	lc := launchContext(t, openCPU(t))
	ctx, body := t.Context(), func(*exec.LaunchContext) {}
	for _, r := range []*exec.GraphRunner{nil, {}} {
		_, err := r.Run(ctx, body, exec.RunOptions{})
		requireArgError(t, err, "runner")
		_, err = r.RunSegments(ctx, []exec.Segment{{Body: body}}, exec.RunOptions{})
		requireArgError(t, err, "runner")
		requireArgError(t, r.Prepare(ctx, body), "runner")
		requireArgError(t, r.CheckRecord(lc), "runner")
		_, err = r.Context(ctx, nil)
		requireArgError(t, err, "runner")
		_, err = r.EnsureNotCapturing(ctx)
		requireArgError(t, err, "runner")
		_, release, err := r.Serial(ctx, lc)
		requireArgError(t, err, "runner")
		release()
		require.NoError(t, r.Close())
	}
	var none context.Context
	legacy := newLegacyRunner(t, asGPU(t), exec.RunnerOptions{Capturable: true})
	_, release, err := legacy.Serial(none, launchContext(t, legacy.Device()))
	requireArgError(t, err, "ctx")
	release()
	requireArgError(t, exec.RefuseCapture(nil, "test", "detail"), "stream")
	var capture *exec.ForeignCapture
	assert.Nil(t, capture.Stream())
	assert.False(t, capture.Registered())
	capture.End()
}

// sliceStream is a stream with an open capture that Go cannot compare.
type sliceStream struct {
	backend.Stream
	_ []int
}

func (sliceStream) Capture() backend.CaptureState { return backend.CaptureForeign }

// A foreign stream that Go cannot compare is refused before its registration is looked up.
func TestForeignStreamWithoutIdentity(t *testing.T) { // R99, R118c
	device := openCPU(t)
	ctx := exec.WithForeignStream(t.Context(), sliceStream{Stream: device.DefaultStream()}, true)
	_, err := exec.For(ctx, device)
	requireArgError(t, err, "foreign stream")
}
