package progress_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// zero is the mask of all agents.
var zero exec.Array[int32]

// drive makes updates with one env and returns the events of the last one.
func drive(t *testing.T, tracker *progress.Tracker, steps ...[]kernel.Vec3) *progress.HostEvents {
	t.Helper()
	for _, position := range steps {
		_, err := tracker.UpdateAt(t.Context(), coursetest.Upload(t, tracker.Arrays().Previous.Device(), position))
		require.NoError(t, err)
	}
	events, _ := read(t, tracker)
	return events
}

// at returns a place between two checkpoints of a ring of n: the way of a lap is n.
func at(n int, lap float64) []kernel.Vec3 {
	list := ring(n * 100)
	k := int(lap * 100)
	for k < 0 {
		k += len(list)
	}
	return []kernel.Vec3{list[k%len(list)].position}
}

// Laps are counted when the last checkpoint is passed, also by an agent that starts on the plane of the first one.
func TestLaps(t *testing.T) {
	device := coursetest.OpenCPU(t)
	tracker := newTracker(t, device, upload(t, device, setOf(4, ring(4))), 1)
	e := drive(t, tracker, at(4, -0.3))
	assert.Equal(t, []int32{0, -1, 0}, []int32{e.Passed[0], e.CheckpointPassed[0], e.NextCheckpoint[0]})
	e = drive(t, tracker, at(4, 0))
	assert.Equal(t, []int32{1, 0, 1, 1}, []int32{e.Passed[0], e.CheckpointPassed[0], e.NextCheckpoint[0], e.Progress[0]},
		"a way that ends on the plane passes")
	e = drive(t, tracker, at(4, 0.5))
	assert.Equal(t, []int32{0, 1, 0}, []int32{e.Passed[0], e.Progress[0], e.Laps[0]}, "one that begins on it does not")
	e = drive(t, tracker, at(4, 1.5), at(4, 2.5), at(4, 3.5))
	assert.Equal(t, []int32{1, 3, 0, 4, 1}, []int32{e.Passed[0], e.CheckpointPassed[0], e.NextCheckpoint[0], e.Progress[0],
		e.Laps[0]})
	e = drive(t, tracker, at(4, 2.5))
	assert.Equal(t, []int32{0, 0, 3}, []int32{e.Passed[0], e.WrongWay[0], e.WrongCheckpoint[0]})
	e = drive(t, tracker, at(4, 3.5), at(4, 4.5), at(4, 5.5), at(4, 6.5), at(4, 5.9))
	assert.Equal(t, []int32{0, 0, 2, 3}, []int32{e.Passed[0], e.WrongWay[0], e.WrongCheckpoint[0], e.NextCheckpoint[0]})
	require.NoError(t, tracker.Reset(t.Context(), zero))
	e = drive(t, tracker, at(4, 0.1), at(4, -0.1))
	assert.Equal(t, []int32{0, 1, -1, 0}, []int32{e.Passed[0], e.WrongWay[0], e.WrongCheckpoint[0], e.NextCheckpoint[0]},
		"backwards through the next one")
}

// The edge of an opening belongs to it. An opening that is hardly wider than a point has none.
func TestEdgesOfOpenings(t *testing.T) {
	device := coursetest.OpenCPU(t)
	wide := gate{left: kernel.V3(0, -2, 1), right: kernel.V3(0, 2, 1), forward: kernel.V3(1, 0, 0), half: 0.5}
	wide.position = kernel.V3(0, 0, 1)
	narrow := wide
	narrow.left, narrow.right, narrow.half = kernel.V3(0, -4e-13, 0), kernel.V3(0, 4e-13, 0), 2
	for _, c := range []struct {
		gate   gate
		y, z   float32
		passed int32
	}{
		{wide, 2, 1, 1}, {wide, -2, 1.5, 1}, {wide, 0, 0.5, 1},
		{wide, 2.001, 1, 0}, {wide, -2.001, 1, 0}, {wide, 0, 1.501, 0}, {wide, 0, 0.499, 0}, {narrow, 0, 0, 0},
	} {
		tracker := newTracker(t, device, upload(t, device, setOf(1, []gate{c.gate})), 1)
		e := drive(t, tracker, []kernel.Vec3{{X: -1, Y: c.y, Z: c.z}}, []kernel.Vec3{{X: 1, Y: c.y, Z: c.z}})
		assert.Equal(t, c.passed, e.Passed[0], "%v, %v", c.y, c.z)
		assert.Equal(t, c.passed, e.Laps[0], "one checkpoint is a lap")
		e = drive(t, tracker, []kernel.Vec3{{X: -1, Y: c.y, Z: c.z}})
		assert.Equal(t, c.passed, e.WrongWay[0], "%v, %v back", c.y, c.z)
	}
}

// A position that is NaN pauses an agent: no event in that update and in the next one, and the state stays.
func TestPausedAgents(t *testing.T) {
	device := coursetest.OpenCPU(t)
	tracker := newTracker(t, device, upload(t, device, setOf(4, ring(4))), 1)
	e := drive(t, tracker, at(4, -0.3), at(4, 0.3), []kernel.Vec3{{X: 1, Y: kernel.NaN()}})
	assert.Equal(t, []int32{0, -1, 1, 1, 0, -1}, []int32{e.Passed[0], e.CheckpointPassed[0], e.NextCheckpoint[0],
		e.Progress[0], e.WrongWay[0], e.WrongCheckpoint[0]})
	assert.True(t, kernel.IsNaN(e.DistToNext[0]))
	e = drive(t, tracker, at(4, 1.3))
	assert.Equal(t, []int32{0, 1, 1}, []int32{e.Passed[0], e.NextCheckpoint[0], e.Progress[0]})
	e = drive(t, tracker, at(4, 0.8), at(4, 1.3))
	assert.Equal(t, []int32{1, 2, 2}, []int32{e.Passed[0], e.NextCheckpoint[0], e.Progress[0]})
}

// Agents are ranked by laps, progress and distance. The gap is the way along the checkpoints, through as many laps as
// the agent in front is ahead.
func TestRanking(t *testing.T) {
	device := coursetest.OpenCPU(t)
	const n, agents = 8, 6
	tracker := newTracker(t, device, upload(t, device, setOf(n, ring(n))), agents)
	var e *progress.HostEvents
	// Agent 3 drives two and a half laps, agent 1 one lap; 0 and 4 are in the same place; 2 has never moved; 5 is paused.
	for step := range 41 {
		far := float64(step) / 2
		var position []kernel.Vec3
		for _, most := range []float64{4.25, 8.25, -0.1, 20, 4.25} {
			position = append(position, at(n, min(far, most)-0.1)...)
		}
		e = drive(t, tracker, append(position, nan3()))
	}
	assert.Equal(t, []int32{5, 9, 0, 20, 5, 0}, e.Progress)
	assert.Equal(t, []int32{0, 1, 0, 2, 0, 0}, e.Laps)
	assert.Equal(t, []int32{3, 2, 5, 1, 4, 6}, e.Place)
	chord := ring(n)[1].position.Sub(ring(n)[0].position).Len()
	assert.Zero(t, e.Gap[4], "in the same place")
	assert.InDelta(t, 4*chord, e.Gap[0], 1e-5)
	assert.InDelta(t, 11*chord+e.DistToNext[1]-e.DistToNext[3], e.Gap[1], 1e-5)
	assert.InDelta(t, 5*chord+e.DistToNext[2]-e.DistToNext[4], e.Gap[2], 1e-5)
	assert.True(t, kernel.IsNaN(e.Gap[3]) && kernel.IsNaN(e.Gap[5]))
	require.Greater(t, e.Gap[1], 8*chord, "more than a lap")
}

// A reset by mask puts all agents of an env, or single agents, to the start. Events keep what they report.
func TestResets(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	tracker := newTracker(t, device, upload(t, device, setOf(4, ring(4), ring(4), ring(4))), 2)
	move := func(lap float64) {
		position := at(4, lap)[0]
		_, err := tracker.UpdateAt(ctx, coursetest.Upload(t, device,
			[]kernel.Vec3{position, position, position, position, position, position}))
		require.NoError(t, err)
	}
	move(-0.5)
	move(0.5)
	before, _ := read(t, tracker)
	assert.Equal(t, []int32{1, 1, 1, 1, 1, 1}, before.Progress)
	require.NoError(t, tracker.Reset(ctx, coursetest.Upload(t, device, []int32{0, -3, 0})))
	require.NoError(t, tracker.Reset(ctx, coursetest.Upload(t, device, []int32{1, 0, 0, 0, 0, 0})))
	after, state := read(t, tracker)
	assert.Equal(t, before.Progress, after.Progress)
	assert.Equal(t, []int32{0, 1, 0, 0, 1, 1}, state.Total)
	assert.Equal(t, []int32{0, 1, 0, 0, 1, 1}, state.Target)
	assert.True(t, isNaN(state.Previous[0]) && !isNaN(state.Previous[1]) && isNaN(state.Previous[3]))
	move(1.5)
	after, _ = read(t, tracker)
	assert.Equal(t, []int32{0, 2, 0, 0, 2, 2}, after.Progress)
	assert.Equal(t, []int32{2, 1, 1, 2, 1, 2}, after.Place)
	require.NoError(t, tracker.Reset(ctx, zero))
	_, state = read(t, tracker)
	assert.Equal(t, make([]int32, 6), state.Total)
}
