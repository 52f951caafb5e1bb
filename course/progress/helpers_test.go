package progress_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// upload copies checkpoints to a device until the test ends.
func upload(t testing.TB, device backend.Device, h *checkpoints.HostSet) *checkpoints.Set {
	t.Helper()
	s := &checkpoints.Set{Envs: h.Envs, MaxCheckpoints: h.MaxCheckpoints}
	s.Position, s.Left = coursetest.Upload(t, device, h.Position), coursetest.Upload(t, device, h.Left)
	s.Right, s.Forward = coursetest.Upload(t, device, h.Right), coursetest.Upload(t, device, h.Forward)
	s.UpHalf, s.Count = coursetest.Upload(t, device, h.UpHalf), coursetest.Upload(t, device, h.Count)
	return s
}

// newTracker makes a tracker until the test ends.
func newTracker(t testing.TB, device backend.Device, set *checkpoints.Set, agents int,
	with ...progress.Option) *progress.Tracker {
	t.Helper()
	tracker, err := progress.NewTracker(device, set, progress.Config{Agents: agents}, with...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tracker.Close()) })
	return tracker
}

// ring returns n checkpoints around the origin, at the distance 2 from it, that are passed counter-clockwise. They are
// 3 wide, and 1 high.
func ring(n int) []gate {
	list := make([]gate, n)
	for i := range list {
		angle := 2 * math.Pi * float64(i) / float64(n)
		x, y := float32(math.Cos(angle)), float32(math.Sin(angle))
		list[i] = gate{position: kernel.V3(2*x, 2*y, 0), left: kernel.V3(0.5*x, 0.5*y, 0),
			right: kernel.V3(3.5*x, 3.5*y, 0), forward: kernel.V3(-y, x, 0), half: 0.5}
	}
	return list
}

// gate is one checkpoint.
type gate struct {
	position, left, right, forward kernel.Vec3
	half                           float32
}

// setOf joins the checkpoints of several envs. Rows are padded with NaN to room.
func setOf(room int, envs ...[]gate) *checkpoints.HostSet {
	nan := kernel.NaN()
	none := gate{half: nan}
	for _, v := range []*kernel.Vec3{&none.position, &none.left, &none.right, &none.forward} {
		*v = kernel.V3(nan, nan, nan)
	}
	h := &checkpoints.HostSet{Envs: len(envs), MaxCheckpoints: room}
	for _, list := range envs {
		for k := range room {
			g := none
			if k < len(list) {
				g = list[k]
			}
			h.Position, h.Left, h.Right = append(h.Position, g.position), append(h.Left, g.left), append(h.Right, g.right)
			h.Forward, h.UpHalf = append(h.Forward, g.forward), append(h.UpHalf, g.half)
		}
		h.Count = append(h.Count, int32(len(list)))
	}
	return h
}

// courses are checkpoints that are hard to follow: none, one, two, several in one place and in one plane, gates without
// a width, turned, tilted, far away, or with a NaN, and a count beyond the room.
func courses() *checkpoints.HostSet {
	same := ring(6)
	same[3], same[4] = same[2], same[2]
	tilted := ring(5)
	for i := range tilted {
		tilted[i].forward = kernel.V3(tilted[i].forward.X, tilted[i].forward.Y, 0.7)
		tilted[i].left.Z += 0.3
	}
	odd := ring(7)
	odd[0].position.X = kernel.Inf()
	odd[1].left = odd[1].right
	odd[2].forward = kernel.Vec3{}
	odd[3].half = kernel.NaN()
	odd[4].position.Y = kernel.NaN()
	odd[5].right.Z = kernel.NaN()
	odd[6].forward = odd[6].left.Sub(odd[6].right)
	plane := ring(2)
	plane[1].forward = plane[0].forward
	h := setOf(8, ring(8), nil, ring(1), plane, same, tilted, odd, ring(3))
	h.Count[0], h.Count[1] = 11, -2
	return h
}

// positions returns where agents are in a step: on the ways between the checkpoints of their envs, on their planes and
// their ends, far away, and NaN.
func positions(r *rand.Rand, h *checkpoints.HostSet, agents int) []kernel.Vec3 {
	list := make([]kernel.Vec3, h.Envs*agents)
	for i := range list {
		row := i / agents * h.MaxCheckpoints
		k := row + r.IntN(h.MaxCheckpoints)
		angle, far := 2*math.Pi*r.Float64(), 1+2*r.Float64()
		p := kernel.V3(float32(far*math.Cos(angle)), float32(far*math.Sin(angle)), float32(r.Float64()-0.5))
		switch r.IntN(16) {
		case 0:
			p = h.Position[k]
		case 1:
			p = h.Left[k]
		case 2:
			p = h.Right[k]
		case 3:
			p.Y = kernel.NaN()
		case 4:
			p = p.Scale(1e20)
		case 5:
			p.X = kernel.Inf()
		case 6, 7, 8:
			p = h.Position[k].Add(h.Forward[k].Scale(float32(r.Float64() - 0.5)))
		case 9:
			p.Z = math.Float32frombits(0xffc12345) // a NaN with other bits
		}
		list[i] = p
	}
	return list
}

// words returns all bits of events and of a state.
func words(e *progress.HostEvents, s *progress.HostState) []uint32 {
	var list []uint32
	for _, values := range [][]int32{e.Passed, e.CheckpointPassed, e.NextCheckpoint, e.Laps, e.Progress, e.WrongWay,
		e.WrongCheckpoint, e.Place, s.Target, s.Laps, s.Total} {
		for _, v := range values {
			list = append(list, uint32(v))
		}
	}
	for _, values := range [][]float32{e.DistToNext, e.Gap} {
		for _, v := range values {
			list = append(list, math.Float32bits(v))
		}
	}
	for _, p := range s.Previous {
		list = append(list, math.Float32bits(p.X), math.Float32bits(p.Y), math.Float32bits(p.Z))
	}
	return list
}

// read returns the events and the state of a tracker.
func read(t testing.TB, tracker *progress.Tracker) (*progress.HostEvents, *progress.HostState) {
	t.Helper()
	ctx := context.Background()
	events, err := tracker.Events().Read(ctx)
	require.NoError(t, err)
	state, from := &progress.HostState{}, tracker.State()
	to := progress.StateSchema.Host(state)
	for i, c := range progress.StateSchema.Device(&from) {
		require.NoError(t, c.Read(ctx, to[i]))
	}
	return events, state
}
