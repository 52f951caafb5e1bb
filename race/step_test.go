package race_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/seeds"
	"github.com/trackgen-go/trackgen/track"
)

// hashesOf runs steps on a device in every way to run, and returns the hash of each.
func hashesOf(t *testing.T, device backend.Device, c race.Config, steps int) map[string]uint64 {
	t.Helper()
	ctx := t.Context()
	list := map[string]uint64{}

	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	called := newLoop(t, device, stream, c)
	for range steps {
		called.call(ctx)
	}
	list["calls"] = called.hash()

	emitted := newLoop(t, device, nil, c)
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	for range steps {
		emitted.enqueue(lc)
	}
	require.NoError(t, lc.Err())
	require.NoError(t, lc.Stream().Sync())
	list["emitted"] = emitted.hash()

	staged := newLoop(t, device, nil, c)
	for range steps {
		staged.driver.EnqueueUpdate(lc)
		for _, stage := range staged.race.Stages() {
			stage.Body(lc)
		}
	}
	require.NoError(t, lc.Err())
	require.NoError(t, lc.Stream().Sync())
	list["stages"] = staged.hash()

	recorded := newLoop(t, device, stream, c)
	require.NoError(t, stream.BeginCapture())
	recorded.call(ctx)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	for range steps {
		require.NoError(t, stream.Replay(graph))
	}
	require.NoError(t, stream.Sync())
	list["replayed"] = recorded.hash()
	return list
}

// The bits are the same with one worker and with three, called, emitted as a whole or in stages, and replayed.
func TestRunsAreEqual(t *testing.T) {
	const steps = 150
	for name, c := range map[string]race.Config{"cars": lively(), "drones": flying(),
		"racing lines": lively(func(c *race.Config) { c.Follow = race.Racing })} {
		want := uint64(0)
		for _, workers := range []int{1, 3} {
			for way, hash := range hashesOf(t, coursetest.OpenCPU(t, backend.Workers(workers)), c, steps) {
				if want == 0 {
					want = hash
				}
				assert.Equal(t, want, hash, "%s, %s", name, way)
			}
		}
	}
}

// Episodes end and begin as Gymnasium's AutoresetMode.NEXT_STEP has it: the step after the last one of an episode has
// rewards of 0, stands at the start of a new track, and has the next number; other envs drive on.
func TestEpisodes(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	l := newLoop(t, device, nil, lively())
	length := l.race.Course().Source().Tracks.Length
	before, lengths := l.episodes(), coursetest.Download(t, length)
	require.Equal(t, make([]int32, loopEnvs), before)
	done, begun, crashed := make([]int32, loopEnvs), 0, 0
	for range 200 {
		l.call(ctx)
		out, err := l.race.Outcomes().Read(ctx)
		require.NoError(t, err)
		episodes, now := l.episodes(), coursetest.Download(t, length)
		state, err := l.race.State().Read(ctx)
		require.NoError(t, err)
		for e := range done {
			assert.Equal(t, before[e]+done[e], episodes[e], "env %d", e)
			if done[e] == 0 {
				require.Equal(t, lengths[e], now[e], "the track stays")
				continue
			}
			begun++
			require.NotEqual(t, lengths[e], now[e], "another track")
			for a := 2 * e; a < 2*e+2; a++ {
				require.Zero(t, out.Reward[a])
				require.EqualValues(t, 0, out.Terminated[a]|out.Truncated[a])
				speed := state.Velocity[a].Len()
				require.True(t, speed > 0.99 && speed < 4.01, "the start speed, not %v", speed)
			}
			require.Less(t, out.Length[2*e], int32(2))
		}
		for _, reason := range out.Reasons {
			if reason&reward.OffRoad != 0 {
				crashed++
			}
		}
		before, lengths, done = episodes, now, slices.Clone(out.Done)
	}
	require.Greater(t, begun, 10)
	require.Greater(t, crashed, 3, "some cars are too fast")
	totals, err := l.race.Totals().Read(ctx)
	require.NoError(t, err)
	sum := int32(0)
	for _, n := range totals.Episodes {
		sum += n
	}
	require.InDelta(t, 2*begun, sum, 2*loopEnvs, "episodes of all agents")
}

// After many regenerations, the tracks, the signals and the speed profiles of an env are those of a new race with its
// effective seed.
func TestPartsFollowRegenerations(t *testing.T) { // R110
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	racing := func(c *race.Config) { c.Follow = race.Racing }
	l := newLoop(t, device, nil, lively(racing))
	for range 120 {
		l.call(ctx)
	}
	of := l.race.Course().Seeds()
	seed, epoch := coursetest.Download(t, of.Seed()), coursetest.Download(t, of.Epoch())
	require.Equal(t, epoch, l.episodes())
	var effective []int32
	for e := range seed {
		require.Positive(t, epoch[e])
		effective = append(effective, seeds.EffectiveSeed(seed[e], epoch[e]))
	}
	fresh, err := race.New(device, lively(racing), track.WithSeeds(effective))
	require.NoError(t, err)
	defer func() { require.NoError(t, fresh.Close()) }()
	want, err := fresh.Profile().Read(ctx)
	require.NoError(t, err)
	got, err := l.race.Profile().Read(ctx)
	require.NoError(t, err)
	coursetest.SameBits(t, "speed", want.Speed, got.Speed)
	wanted, err := fresh.Raceline().Read(ctx)
	require.NoError(t, err)
	lines, err := l.race.Raceline().Read(ctx)
	require.NoError(t, err)
	coursetest.SameBits(t, "racing line", coursetest.Components(wanted.Center), coursetest.Components(lines.Center))
}

// With Restart the tracks stay, and poses and parameters are drawn anew; with Never an env that is over waits for
// Reset.
func TestAutoreset(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	l := newLoop(t, device, nil, lively(func(c *race.Config) { c.Autoreset = race.Restart }))
	center := l.race.Course().Source().Tracks.Center
	tracks, mass := coursetest.Download(t, center), coursetest.Download(t, l.race.Parameters().Car.Mass)
	for range 120 {
		l.call(ctx)
	}
	after := coursetest.Download(t, center)
	coursetest.SameBits(t, "tracks", coursetest.Components(tracks), coursetest.Components(after))
	for e, m := range coursetest.Download(t, l.race.Parameters().Car.Mass) {
		assert.NotEqual(t, mass[e], m)
		assert.Positive(t, l.episodes()[e])
	}

	l = newLoop(t, device, nil, lively(func(c *race.Config) { c.Autoreset = race.Never }))
	for range 120 {
		l.call(ctx)
	}
	out := l.race.Outcomes()
	require.Equal(t, []int32{1, 1, 1, 1, 1}, coursetest.Download(t, out.Done))
	rest := coursetest.Download(t, l.race.State().Position)
	l.call(ctx)
	require.Equal(t, rest, coursetest.Download(t, l.race.State().Position), "envs that are over do not move")
	require.NoError(t, l.race.Reset(ctx, coursetest.Upload(t, device, []int32{0, 1, 0, 0, 1})))
	require.Equal(t, []int32{1, 0, 1, 1, 0}, coursetest.Download(t, out.Done))
	require.Equal(t, []int32{0, 1, 0, 0, 1}, l.episodes())
	begun := coursetest.Download(t, l.race.State().Position)
	l.call(ctx)
	for i, p := range coursetest.Download(t, l.race.State().Position) {
		e := i / 2
		assert.Equal(t, e == 1 || e == 4, p != begun[i], "agent %d", i)
		assert.Equal(t, e == 1 || e == 4, begun[i] != rest[i], "agent %d", i)
	}
	require.NoError(t, l.race.Reset(ctx, exec.Array[int32]{}))
	require.Equal(t, make([]int32, loopEnvs), coursetest.Download(t, out.Done))
	require.Equal(t, []int32{1, 2, 1, 1, 2}, l.episodes())
}

// Observations are those of the present poses after New, Reset and Step: an agent sees the point of the line in front
// of it.
func TestObservationsAreOfThePresent(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	l := newLoop(t, device, nil, lively(func(c *race.Config) { c.Course.Agents, c.Course.Collision.Agents = 1, false }))
	check := func(when string) {
		t.Helper()
		seen, err := l.race.Observations().Read(ctx)
		require.NoError(t, err)
		require.NoError(t, l.race.Course().Localiser().LocateAt(ctx, l.race.State().Position))
		n := coursetest.Download(t, l.race.Course().Signals().Places.N)
		for e := range loopEnvs {
			values := seen.Preview.Values[e*len(seen.Preview.Channels)*seen.Preview.Places:]
			near := kernel.V2(values[0], values[1]).Len() // half a track unit ahead
			assert.Less(t, near, 0.8+kernel.Abs(n[e]), when)
			assert.Greater(t, values[0], float32(0.1), when)
		}
	}
	check("at first")
	for range 3 {
		l.call(ctx)
		check("after a step")
	}
	require.NoError(t, l.race.Reset(ctx, coursetest.Upload(t, device, []int32{0, 1, 0, 0, 1})))
	check("after a reset")
}

// A step allocates nothing and waits for nothing, on a device that is watched; it has few launches.
func TestStepIsHot(t *testing.T) {
	ctx, device := t.Context(), exectest.Instrument(coursetest.OpenCPU(t))
	l := newLoop(t, device, nil, lively())
	for range 60 { // remembers the work
		l.call(ctx)
	}
	step := func(ctx context.Context) error { return l.race.Step(ctx) }
	require.NoError(t, exectest.HotPath(device, exectest.Options{}).Do(ctx, step))
	if testing.CoverMode() == "" {
		assert.Zero(t, testing.AllocsPerRun(20, func() { _ = step(ctx) }))
	}
}

// A step in which no episode begins has seventeen launches: two of the generator and one that count the envs to begin
// anew, one of the vehicles, two of the course, one each of the judge, the totals, the own motion and the preview, four
// of a range finder with noise, and three that join these in a vector. What begins episodes is under two conditions.
func TestLaunchesOfAStep(t *testing.T) {
	device := coursetest.OpenCPU(t)
	l := newLoop(t, device, nil, lively())
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	require.NoError(t, l.race.Step(t.Context()))
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	launches, conditions := 0, 0
	for _, operation := range graph.(backend.Inspector).Operations() {
		switch operation.Kind {
		case backend.OperationLaunch:
			launches++
		default:
			conditions++
			t.Log(operation.Kind)
		}
	}
	assert.Equal(t, 17, launches)
	assert.Equal(t, 2, conditions)
}

// The stages of a step are the parts that a race has.
func TestStages(t *testing.T) {
	device := coursetest.OpenCPU(t)
	names := func(r *race.Race) (list []string) {
		for _, stage := range r.Stages() {
			list = append(list, stage.StageID)
		}
		return list
	}
	assert.Equal(t, []string{"resets", "vehicle", "progress+localise", "collision", "reward", "motion", "preview", "beams",
		"vector"}, names(newLoop(t, device, nil, lively()).race))
	c := race.DefaultConfig()
	c.Course.Tracks, c.Autoreset = roads(2), race.Never
	r, err := race.New(device, c)
	require.NoError(t, err)
	assert.Equal(t, []string{"vehicle", "progress+localise", "collision", "reward"}, names(r))
	lc, err := exec.For(t.Context(), device)
	require.NoError(t, err)
	stages := r.Stages()
	stages[0].Body(lc)
	require.ErrorContains(t, lc.Err(), "race: stages: ", "there are no actions")
	require.NoError(t, r.Close())
	require.Nil(t, r.Stages())
	var none *race.Race
	require.Nil(t, none.Stages())
}

// The step after a reset by the program, and after the construction, is the first one of the episodes: it is counted
// and rewarded. One that begins an episode by itself is not.
func TestTheStepAfterAResetCounts(t *testing.T) {
	device := coursetest.OpenCPU(t)
	l := newLoop(t, device, nil, lively(func(c *race.Config) { c.Vehicle.StartSpeed = vehicle.Exactly(3) }))
	counted := func(from string, length int32) {
		t.Helper()
		l.call(t.Context())
		outcomes, err := l.race.Outcomes().Read(t.Context())
		require.NoError(t, err)
		for agent, n := range outcomes.Length {
			assert.Equal(t, length, n, "%s: length", from)
			assert.Equal(t, length > 0, outcomes.Progress[agent] > 0.02, "%s: progress of %v", from, outcomes.Progress[agent])
			assert.EqualValues(t, 1, outcomes.Alive[agent], from)
		}
	}
	counted("construction", 1)
	require.NoError(t, l.race.Reset(t.Context(), exec.Array[int32]{}))
	counted("reset", 1)
	require.NoError(t, l.race.SetSeeds(t.Context(), []int32{5, 6, 7, 8, 9}))
	counted("other seeds", 1)
	require.NoError(t, l.race.Outcomes().Done.Write(t.Context(), []int32{1, 1, 1, 1, 1}))
	counted("a new episode", 0)
}
