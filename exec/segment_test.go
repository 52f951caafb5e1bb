package exec_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// pipeline has three segments: one doubles a number, a HOST segment adds one to it, and one copies it.
type pipeline struct {
	*exec.GraphRunner
	number, result exec.Array[int32]
	slot           *exec.StageSlot
	emitted        [3]int
	segments       []exec.Segment
}

func newPipeline(t testing.TB, device backend.Device, options exec.RunnerOptions) *pipeline {
	t.Helper()
	runner, err := exec.NewGraphRunner(device, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, runner.Close()) })
	p := &pipeline{GraphRunner: runner, number: newArray(t, device, int32(0)), result: newArray(t, device, int32(0)),
		slot: newSlot(t, device, "infer", exec.Host)}
	via := newHostArray[int32](t, device, 1)
	host := func(lc *exec.LaunchContext) {
		h, err := lc.Host()
		if err != nil {
			lc.Fail(err)
			return
		}
		n, err := h.ReadInt32(p.number, 0)
		lc.Fail(err)
		via.Values()[0] = n + 10
		lc.Fail(exec.Upload(h, p.number, via.Values(), via))
	}
	p.segments = []exec.Segment{
		{Class: exec.Static, StageID: "count", Body: func(lc *exec.LaunchContext) {
			p.emitted[0]++
			count(lc, p.number)
		}},
		{Class: exec.Host, StageID: "infer", Body: func(lc *exec.LaunchContext) {
			p.emitted[1]++
			p.slot.Run(lc, host)
		}},
		{Class: exec.Bounded, StageID: "copy", Body: func(lc *exec.LaunchContext) {
			p.emitted[2]++
			exec.Copy(lc, p.result, p.number)
		}},
	}
	return p
}

func (p *pipeline) run(t testing.TB, options exec.RunOptions) {
	t.Helper()
	_, err := p.RunSegments(t.Context(), p.segments, options)
	require.NoError(t, err)
}

func TestSegmentsReplayOwnGraphs(t *testing.T) { // R64 M10, R75, R76, R155, C12
	device := asGPU(t)
	p := newPipeline(t, device, exec.RunnerOptions{Name: "inference", StageIDs: []string{"infer"}})
	p.run(t, exec.RunOptions{})
	assert.Equal(t, [3]int{2, 2, 2}, p.emitted, "prepared, then captured; the HOST segment runs each time")
	assert.Equal(t, []int32{22}, read(t, p.result), "twice on the device")
	p.run(t, exec.RunOptions{})
	p.run(t, exec.RunOptions{})
	assert.Equal(t, [3]int{2, 4, 2}, p.emitted)
	assert.Equal(t, []int32{44}, read(t, p.result))

	assert.Nil(t, p.Graph(), "R76: a segmented body has no whole graph")
	assert.Equal(t, []any{nil}, p.GraphKeys())
	graphs := p.SegmentGraphsFor(nil)
	require.Len(t, graphs, 3)
	assert.NotNil(t, graphs[0])
	assert.Nil(t, graphs[1], "R76: none for HOST segments")
	assert.NotNil(t, graphs[2])
	assert.Nil(t, p.SegmentGraphsFor("unknown"))
	assert.Nil(t, p.SegmentGraphsFor([]int{1}))

	device.take()
	p.run(t, exec.RunOptions{})
	assert.Equal(t, []string{"replay", "sync", "sync", "replay"}, device.take(), "in order on the stream of the call")
}

func TestSegmentsRunInOrderElsewhere(t *testing.T) { // R64 M7, M8
	for _, device := range []backend.Device{openCPU(t), asGPU(t)} {
		p := newPipeline(t, device, exec.RunnerOptions{})
		for range 2 {
			p.run(t, exec.RunOptions{Policy: exec.Eager, Sync: true})
		}
		assert.Equal(t, []int32{22}, read(t, p.result))
		assert.Equal(t, [3]int{2, 2, 2}, p.emitted)
		assert.Empty(t, p.GraphKeys())

		capture(t, device.DefaultStream(), func() { // M4, M6, R66
			_, err := p.RunSegments(t.Context(), p.segments, exec.RunOptions{})
			var refused *exec.NotCapturableError
			require.ErrorAs(t, err, &refused)
		})
		assert.Equal(t, [3]int{2, 2, 2}, p.emitted)
	}
}

func TestSegmentKeysCountOnce(t *testing.T) { // R75, R70, R74
	device := asGPU(t)
	warned := 0
	p := newPipeline(t, device, exec.RunnerOptions{MaxKeyedGraphs: 1, Warn: func(exec.Warning) { warned++ }})
	_, err := p.RunSegments(t.Context(), p.segments, exec.RunOptions{Key: 1})
	require.ErrorIs(t, err, exec.ErrNotPrepared)
	require.NoError(t, p.PrepareSegments(t.Context(), p.segments))
	p.run(t, exec.RunOptions{Key: 1})
	p.run(t, exec.RunOptions{Key: 2})
	p.run(t, exec.RunOptions{Key: 1})
	assert.Equal(t, []any{1}, p.GraphKeys())
	assert.Equal(t, 1, warned)
	assert.Equal(t, []int32{44}, read(t, p.result))
	assert.Nil(t, p.GraphFor(1))
	assert.Len(t, p.SegmentGraphsFor(1), 3)
}

func TestCapturableSegmentsAreOneGraph(t *testing.T) { // R64a
	device := asGPU(t)
	p := newPipeline(t, device, exec.RunnerOptions{Capturable: true})
	segments := []exec.Segment{p.segments[0], p.segments[2]}
	for range 3 {
		_, err := p.RunSegments(t.Context(), segments, exec.RunOptions{})
		require.NoError(t, err)
	}
	assert.NotNil(t, p.Graph())
	assert.Nil(t, p.SegmentGraphsFor(nil))
	assert.Equal(t, []int32{4}, read(t, p.result))
	graph := capture(t, device.DefaultStream(), func() { // R64 M1
		_, err := p.RunSegments(t.Context(), segments, exec.RunOptions{})
		require.NoError(t, err)
	})
	assert.Equal(t, 2, graph.Nodes())
}

func TestSegmentsRefuse(t *testing.T) {
	device := asGPU(t)
	p := newPipeline(t, device, exec.RunnerOptions{})
	refuse := func(p *pipeline, segments []exec.Segment) error {
		_, err := p.RunSegments(t.Context(), segments, exec.RunOptions{})
		return err
	}
	nop := func(*exec.LaunchContext) {}
	requireArgError(t, refuse(p, nil), "segments")
	requireArgError(t, p.PrepareSegments(t.Context(), nil), "segments")
	requireArgError(t, refuse(p, []exec.Segment{{Body: nop}, {}}), "segments[1].Body")
	requireArgError(t, refuse(p, []exec.Segment{{Class: 3, Body: nop}}), "segments[0].Class")
	capturable := newPipeline(t, device, exec.RunnerOptions{Capturable: true})
	requireArgError(t, refuse(capturable, capturable.segments), "segments[1].Class")
	assert.Zero(t, p.emitted)

	p.run(t, exec.RunOptions{})
	requireArgError(t, refuse(p, p.segments[:2]), "body") // R68: the same key, another body
	capturable = newPipeline(t, device, exec.RunnerOptions{Capturable: true})
	_, err := capturable.Run(t.Context(), capturable.segments[0].Body, exec.RunOptions{})
	require.NoError(t, err)
	require.NoError(t, refuse(capturable, capturable.segments[:1]), "one whole graph either way")
}

func TestSegmentFailures(t *testing.T) {
	device := asGPU(t)
	p := newPipeline(t, device, exec.RunnerOptions{Name: "p"})
	require.NoError(t, p.PrepareSegments(t.Context(), p.segments))
	failure := errors.New("no")
	fail := true
	last := p.segments[2].Body
	p.segments[2].Body = func(lc *exec.LaunchContext) {
		last(lc)
		if fail {
			lc.Fail(failure)
		}
	}
	before := p.emitted
	_, err := p.RunSegments(t.Context(), p.segments, exec.RunOptions{})
	require.ErrorIs(t, err, failure)
	assert.Contains(t, err.Error(), `segment 2 (stage "copy")`)
	assert.Contains(t, err.Error(), `producer "p"`)
	assert.Equal(t, before[1], p.emitted[1], "nothing ran")
	assert.Empty(t, p.GraphKeys())

	fail = false
	stream := device.wrap(device.Device.DefaultStream())
	stream.fail = map[string]error{"replay": backend.ErrDeviceLost}
	_, err = p.RunSegments(t.Context(), p.segments, exec.RunOptions{})
	require.ErrorIs(t, err, backend.ErrDeviceLost)
	stream.fail = nil
	p.run(t, exec.RunOptions{})
}

func TestSegmentedReplayAllocatesNothing(t *testing.T) {
	device := asGPU(t)
	p := newPipeline(t, device, exec.RunnerOptions{})
	ctx := t.Context()
	device.log = make([]string, 0, 10000)
	assert.LessOrEqual(t, testing.AllocsPerRun(50, func() {
		if _, err := p.RunSegments(ctx, p.segments, exec.RunOptions{}); err != nil {
			t.Error(err)
		}
	}), 4.0, "the double itself allocates one closure for each call that it logs")
}
