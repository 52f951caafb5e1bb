package exec_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

func TestContextIsOneDeviceAndOneStream(t *testing.T) { // R1, R2, R3, R5, R11
	device := asGPU(t)
	stream := newStream(t, device)
	a, b := newArray(t, device, int32(1)), newArray(t, device, int32(2))
	ctx := exec.With(t.Context(), launchContext(t, device, exec.OnStream(stream)))
	public := func(ctx context.Context) *exec.LaunchContext { // a public entry point creates the context once
		lc, err := exec.For(ctx, device)
		require.NoError(t, err)
		helper := func(lc *exec.LaunchContext) { // and passes it on
			exec.Fill(lc, a, 5)
			exec.Copy(lc, b, a)
		}
		helper(lc.With(exec.MaxBlocks(1)))
		helper(lc.Unconditional())
		return lc
	}
	claimed := stream.(*doubleStream)
	claimed.fail = map[string]error{"fill": backend.ErrDeviceLost}
	lc := public(ctx)
	assert.Same(t, device, lc.Device())
	assert.Same(t, stream, lc.Stream())
	require.ErrorIs(t, lc.Err(), backend.ErrDeviceLost, "all work goes to that stream, and all derived contexts share "+
		"the error")
	claimed.fail = nil
	require.NoError(t, public(ctx).Err())
	assert.Equal(t, []int32{5}, read(t, b))
}

func TestNotCapturableProducer(t *testing.T) { // R52, R64 M4, M9, R66
	device := asGPU(t)
	p := newProducer(t, device, exec.RunnerOptions{Name: "p", StageIDs: []string{"infer"}})
	p.run(t, exec.RunOptions{})
	p.run(t, exec.RunOptions{Key: 1})
	assert.Empty(t, p.GraphKeys(), "it runs eagerly")
	p.requireRuns(t, 2, 2)
	graph := capture(t, device.DefaultStream(), func() {
		device.take()
		_, err := p.Run(t.Context(), p.body, exec.RunOptions{})
		var refused *exec.NotCapturableError
		require.ErrorAs(t, err, &refused)
		assert.Equal(t, "p", refused.Name)
		assert.Equal(t, []string{"infer"}, refused.StageIDs)
		assert.Empty(t, device.take(), "before any device work")
	})
	assert.Zero(t, graph.Nodes(), "the caller's capture is untouched")
}

func TestUnconditionalGraphs(t *testing.T) { // R46, R51
	device := openCPU(t)
	flag, value := newArray(t, device, int32(0)), newArray(t, device, int32(0), 0)
	left, err := value.Slice(0, 1)
	require.NoError(t, err)
	right, err := value.Slice(1, 2)
	require.NoError(t, err)
	main, side := device.DefaultStream(), newStream(t, device)
	fork, err := device.NewEvent()
	require.NoError(t, err)
	join, err := device.NewEvent()
	require.NoError(t, err)
	defer func() {
		require.NoError(t, fork.Close())
		require.NoError(t, join.Close())
	}()
	ctx := exec.Unconditional(t.Context(), true)
	p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	body := func(lc *exec.LaunchContext) {
		assert.False(t, exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { exec.Fill(lc, left, 1) }))
	}
	child := capture(t, main, func() {
		require.NoError(t, main.Record(fork)) // an outstanding fork
		require.NoError(t, side.Wait(fork))
		_, err := p.Run(ctx, body, exec.RunOptions{})
		require.NoError(t, err)
		exec.Fill(launchContext(t, device, exec.OnStream(side)), right, 2)
		require.NoError(t, side.Record(join))
		require.NoError(t, main.Wait(join))
	})
	assert.Equal(t, 2, child.Nodes(), "no conditional node")
	parent := capture(t, main, func() { require.NoError(t, main.Replay(child)) }) // as a child graph
	require.NoError(t, main.Replay(parent))
	assert.Equal(t, []int32{1, 2}, read(t, value))

	_, err = p.Run(ctx, body, exec.RunOptions{}) // R51: accepted in eager calls, where it changes nothing
	require.NoError(t, err)
}

func TestConstructorOrder(t *testing.T) { // C3, R60, R56
	device := asGPU(t)
	runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, runner.Close()) }()
	capture(t, device.DefaultStream(), func() {
		_, err := runner.EnsureNotCapturing(t.Context())
		require.ErrorIs(t, err, exec.ErrCapture, "refused before the first allocation")
	})
	_, err = runner.EnsureNotCapturing(t.Context())
	require.NoError(t, err)
	result := newArray(t, device, int32(0))
	require.NoError(t, runner.Prepare(t.Context(), func(lc *exec.LaunchContext) { exec.Fill(lc, result, 7) }))
	assert.True(t, runner.Prepared())
	assert.Equal(t, []int32{7}, read(t, result), "the producer holds a valid result")
}

// R166: only Close releases device memory, never the garbage collector
func TestOwnGraphOutlivesItsOwner(t *testing.T) {
	device := asGPU(t)
	counter := newArray(t, device, int32(0))
	collected := make(chan struct{})
	runner := func() *exec.GraphRunner {
		owner := &struct{ name [64]byte }{}
		runtime.AddCleanup(owner, func(done chan struct{}) { close(done) }, collected)
		runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true, Owner: exec.WeakOwner(owner)})
		require.NoError(t, err)
		_, err = runner.Run(t.Context(), func(lc *exec.LaunchContext) { count(lc, counter) }, exec.RunOptions{})
		require.NoError(t, err)
		return runner
	}()
	waitForCollection(t, collected)
	require.NoError(t, device.DefaultStream().Replay(runner.Graph()))
	assert.Equal(t, []int32{3}, read(t, counter))
	graph := runner.Graph()
	require.NoError(t, runner.Close())
	require.ErrorIs(t, device.DefaultStream().Replay(graph), exec.ErrClosed)
}

func TestLoopBodyMayCountOnTheHost(t *testing.T) { // C10: its counter is not read after the loop
	device := openCPU(t)
	c := newCountdown(t, device, 3)
	emitted := 0
	require.NoError(t, eager(t, t.Context(), device, func(lc *exec.LaunchContext) {
		c.begin(lc)
		exec.BoundedLoop(lc, 10, func(lc *exec.LaunchContext, i int) {
			emitted++
			c.iteration(lc, i)
		}, exec.LoopOptions{Active: c.flag})
	}))
	assert.Equal(t, 3, emitted)
	assert.Equal(t, wantSum(10, 3), read(t, c.sum)[0])
}

func TestCapturesOfOthersDoNotDisturb(t *testing.T) { // R80, R67
	device := asGPU(t)
	p, other := newProducer(t, device, exec.RunnerOptions{Capturable: true}),
		newProducer(t, device, exec.RunnerOptions{Capturable: true})
	other.run(t, exec.RunOptions{})
	_, err := p.Run(t.Context(), func(lc *exec.LaunchContext) {
		p.body(lc)
		if !lc.Capturing() {
			return
		}
		done := make(chan struct{}) // another goroutine allocates and replays while this graph is captured
		go func() {
			defer close(done)
			a, err := exec.NewArray[int32](device, 10)
			assert.NoError(t, err)
			assert.NoError(t, a.Close())
			_, err = other.Run(t.Context(), other.body, exec.RunOptions{Sync: true})
			assert.NoError(t, err)
		}()
		<-done
	}, exec.RunOptions{})
	require.NoError(t, err)
	assert.NotNil(t, p.Graph())
	p.requireRuns(t, 2, 2)
}
