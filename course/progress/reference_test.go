package progress_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// reference follows agents as C-60 to C-65 say, one rule after the other.
type reference struct {
	set    *checkpoints.HostSet
	agents int
	events progress.HostEvents
	state  progress.HostState
}

func nan3() kernel.Vec3 { return kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN()) }

func isNaN(p kernel.Vec3) bool { return kernel.IsNaN(p.X) || kernel.IsNaN(p.Y) || kernel.IsNaN(p.Z) }

// newReference returns agents at the start, after an update without positions.
func newReference(set *checkpoints.HostSet, agents int) *reference {
	r := &reference{set: set, agents: agents}
	n := set.Envs * agents
	for _, c := range progress.EventSchema.Host(&r.events) {
		c.Resize(n)
	}
	for _, c := range progress.StateSchema.Host(&r.state) {
		c.Resize(n)
	}
	for i := range n {
		r.reset(i)
	}
	r.update(slices.Repeat([]kernel.Vec3{nan3()}, n))
	return r
}

func (r *reference) reset(i int) {
	r.state.Previous[i] = nan3()
	r.state.Target[i], r.state.Laps[i], r.state.Total[i] = 0, 0, 0
}

func unit(v kernel.Vec3) kernel.Vec3 {
	length := v.Len()
	if length < 1e-12 {
		return kernel.Vec3{}
	}
	return kernel.V3(v.X/length, v.Y/length, v.Z/length)
}

// pass is C-60.
func (r *reference) pass(k int, from, to kernel.Vec3) int {
	left, right, forward := r.set.Left[k], r.set.Right[k], r.set.Forward[k]
	middle := left.Add(right).Scale(0.5)
	d0, d1 := from.Sub(middle).Dot(forward), to.Sub(middle).Dot(forward)
	u := right.Sub(left)
	part := d0 / (d0 - d1)
	x := from.Add(to.Sub(from).Scale(part)).Sub(middle)
	side := unit(u)
	switch {
	case u.Len() < 1e-12,
		!(kernel.Abs(x.Dot(side)) <= float32(0.5*u.Len())),
		!(kernel.Abs(x.Dot(unit(side.Cross(forward)))) <= r.set.UpHalf[k]):
		return 0
	case d0 < 0 && d1 >= 0:
		return 1
	case d0 > 0 && d1 <= 0:
		return -1
	}
	return 0
}

// update is C-61, C-64 and C-65.
func (r *reference) update(position []kernel.Vec3) {
	for i, now := range position {
		r.updateOne(i, now)
	}
	for i := range position {
		r.rank(i)
	}
}

func (r *reference) count(env int) int { return min(int(r.set.Count[env]), r.set.MaxCheckpoints) }

func (r *reference) updateOne(i int, now kernel.Vec3) {
	e, s := &r.events, &r.state
	before, base, n := s.Previous[i], i/r.agents*r.set.MaxCheckpoints, r.count(i/r.agents)
	s.Previous[i] = now
	if isNaN(now) {
		s.Previous[i] = nan3()
	}
	e.Passed[i], e.CheckpointPassed[i], e.WrongWay[i], e.WrongCheckpoint[i] = 0, -1, 0, -1
	e.DistToNext[i] = kernel.NaN()
	if n >= 1 {
		goal := int(s.Target[i])
		if goal < 0 || goal >= n {
			goal = 0
		}
		s.Target[i] = int32(goal)
		if !isNaN(before) {
			for k := n - 1; k >= 0; k-- {
				switch way := r.pass(base+k, before, now); {
				case k != goal && way != 0:
					e.WrongCheckpoint[i] = int32(k)
				case k == goal && way == 1:
					e.Passed[i], e.CheckpointPassed[i] = 1, int32(k)
				case k == goal && way == -1:
					e.WrongWay[i] = 1
				}
			}
		}
		if e.Passed[i] == 1 {
			s.Total[i]++
			s.Target[i]++
			if int(s.Target[i]) == n {
				s.Target[i] = 0
				s.Laps[i]++
			}
		}
		if d := r.set.Position[base+int(s.Target[i])].Sub(now).Len(); !kernel.IsNaN(d) {
			e.DistToNext[i] = d
		}
	}
	e.NextCheckpoint[i], e.Laps[i], e.Progress[i] = s.Target[i], s.Laps[i], s.Total[i]
}

// compare orders agents of one env from the first place to the last.
func (r *reference) compare(a, b int) int {
	e := &r.events
	na, nb := kernel.IsNaN(e.DistToNext[a]), kernel.IsNaN(e.DistToNext[b])
	switch {
	case na != nb:
		return map[bool]int{true: 1, false: -1}[na]
	case e.Laps[a] != e.Laps[b]:
		return int(e.Laps[b]) - int(e.Laps[a])
	case e.Progress[a] != e.Progress[b]:
		return int(e.Progress[b]) - int(e.Progress[a])
	case e.DistToNext[a] < e.DistToNext[b]:
		return -1
	case e.DistToNext[a] > e.DistToNext[b]:
		return 1
	}
	return a - b
}

func (r *reference) rank(i int) {
	e, env := &r.events, i/r.agents
	var order []int
	for a := range r.agents {
		order = append(order, env*r.agents+a)
	}
	slices.SortFunc(order, r.compare)
	at := slices.Index(order, i)
	e.Place[i], e.Gap[i] = int32(at+1), kernel.NaN()
	n := r.count(env)
	if at == 0 || n < 1 {
		return
	}
	front := order[at-1]
	chord := func(k int) float32 {
		base := env * r.set.MaxCheckpoints
		return r.set.Position[base+(k+1)%n].Sub(r.set.Position[base+k%n]).Len()
	}
	sum := func(from, number int) (length float32) {
		for k := range number {
			length += chord(from + k)
		}
		return length
	}
	steps, way := int(e.Progress[front]-e.Progress[i]), e.DistToNext[i]
	if steps >= n {
		way += float32(float32(steps/n) * sum(0, n))
		steps %= n
	}
	way += sum(int(e.NextCheckpoint[i]), steps)
	gap := way - e.DistToNext[front]
	switch {
	case gap < 0:
		e.Gap[i] = 0
	case !kernel.IsNaN(gap):
		e.Gap[i] = gap
	}
}

// Every bit is that of the rules, for agents that go anywhere past checkpoints that are hard to follow.
func TestEventsFollowTheRules(t *testing.T) {
	device, set := coursetest.OpenCPU(t), courses()
	for _, agents := range []int{1, 2, 5, 40} {
		r := rand.New(rand.NewPCG(1, uint64(agents)))
		tracker, want := newTracker(t, device, upload(t, device, set), agents), newReference(set, agents)
		e, s := read(t, tracker)
		require.Equal(t, words(&want.events, &want.state), words(e, s), "at the start")
		position := coursetest.Upload(t, device, positions(r, set, agents))
		require.NoError(t, tracker.Bind(position))
		var passed, wrongWay, wrongCheckpoint, gaps int
		for step := range 300 {
			values := positions(r, set, agents)
			if step == 100 { // targets outside of the checkpoints
				for i := range want.state.Target {
					want.state.Target[i] = int32(i%13) - 3
				}
				require.NoError(t, tracker.State().Target.Write(t.Context(), want.state.Target))
			}
			require.NoError(t, position.Write(t.Context(), values))
			_, err := tracker.Update(t.Context())
			require.NoError(t, err)
			want.update(values)
			e, s = read(t, tracker)
			require.Equal(t, words(&want.events, &want.state), words(e, s), "%d agents, step %d", agents, step)
			for i := range values {
				passed += int(e.Passed[i])
				wrongWay += int(e.WrongWay[i])
				wrongCheckpoint += min(1, int(e.WrongCheckpoint[i]+1))
				if e.Gap[i] > 0 {
					gaps++
				}
			}
		}
		require.Greater(t, min(passed, wrongWay, wrongCheckpoint), 10*agents, "the script has every event")
		require.Equal(t, agents > 1, gaps > 100)
	}
}
