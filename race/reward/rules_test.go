package reward_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/reward"
)

// drive makes updates with the inputs of each step and returns the outcomes of the last one.
func drive(t *testing.T, judge *reward.Judge, steps ...step) *reward.HostColumns {
	t.Helper()
	for _, s := range steps {
		if s.checkpoint == nil {
			s.checkpoint = none(len(s.s))
		}
		_, err := judge.UpdateAt(t.Context(), upload(t, judge.Outcomes().Reward.Device(), s))
		require.NoError(t, err)
	}
	return read(t, judge)
}

// none returns n times -1: no checkpoint was passed.
func none(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

// at returns a step in which the agents are at some arc lengths.
func at(s ...float32) step { return step{s: s} }

var nan = kernel.NaN()

// The way is the shorter one around the line, in both directions over its begin. The first update of an episode, and
// the first after a pause, have none.
func TestProgress(t *testing.T) {
	judge := newJudge(t, coursetest.OpenCPU(t), reward.DefaultConfig(), []float32{10})
	for _, c := range []struct{ s, want float32 }{
		{9, 0}, {9.5, 0.5}, {0.25, 0.75}, {9.75, -0.5}, {4.75, -5}, {9.75, 5}, {nan, 0}, {1, 0}, {2, 1}, {8.5, -3.5},
		{kernel.Inf(), 0}, {8.5, 0}, {2, 3.5},
	} {
		h := drive(t, judge, at(c.s))
		assert.Equal(t, []float32{c.want, c.want}, []float32{h.Progress[0], h.Reward[0]}, "at %v", c.s)
		assert.EqualValues(t, 1, h.Alive[0])
	}
	h := read(t, judge)
	assert.EqualValues(t, 10, h.Length[0], "neither the first update nor the pauses are steps")
	assert.InDelta(t, 1.75, h.Return[0], 1e-6)
	require.NoError(t, judge.Reset(t.Context(), zero))
	h = drive(t, judge, at(5))
	assert.Equal(t, []float32{0, 0, 0}, []float32{h.Progress[0], h.Reward[0], h.Return[0]})
	assert.Zero(t, h.Length[0])
}

// The sum of the progress over closed laps is their length, however long the steps are, also with steps back.
func TestProgressOverALap(t *testing.T) {
	device := coursetest.OpenCPU(t)
	rapid.Check(t, func(rt *rapid.T) {
		length := rapid.Float32Range(0.5, 1000).Draw(rt, "length")
		start := rapid.Float64Range(0, 0.999).Draw(rt, "start") * float64(length)
		laps := rapid.IntRange(-3, 3).Draw(rt, "laps")
		moves := rapid.SliceOfN(rapid.Float64Range(-0.3, 0.4), 1, 80).Draw(rt, "moves")
		judge, err := reward.New(device, reward.Source{Length: coursetest.Upload(t, device, []float32{length})},
			reward.DefaultConfig())
		require.NoError(rt, err)
		defer func() { require.NoError(rt, judge.Close()) }()
		in := reward.Inputs{S: coursetest.Upload(t, device, []float32{0}),
			CheckpointPassed: coursetest.Upload(t, device, []int32{-1})}
		require.NoError(rt, judge.Bind(in))
		goal, way := start+float64(laps)*float64(length), start
		sum := float64(0)
		put := func(way float64) {
			s := float32(math.Mod(way+10000*float64(length), float64(length)))
			if s >= length {
				s = 0
			}
			require.NoError(rt, in.S.Write(t.Context(), []float32{s}))
			_, err := judge.Update(t.Context())
			require.NoError(rt, err)
			sum += float64(read(t, judge).Progress[0])
		}
		put(way)
		for _, move := range moves {
			way += move * float64(length)
			put(way)
		}
		for math.Abs(goal-way) > 0 { // the rest
			way += min(max(goal-way, -0.4*float64(length)), 0.4*float64(length))
			put(way)
		}
		require.InDelta(rt, float64(laps)*float64(length), sum, 1e-4*max(1, float64(length)))
		require.InDelta(rt, sum, read(t, judge).Return[0], 1e-4*max(1, float64(length)))
	})
}

// A lap goes from checkpoint 0 to checkpoint 0, and its time does not depend on the phase of the steps.
func TestLapTimes(t *testing.T) {
	const length, speed, dt = 10.0, 1.7, 0.1
	c := reward.DefaultConfig()
	c.TimeStep, c.Weights.Lap, c.Weights.Passed, c.Ends.Laps = dt, 100, 10, 3
	judge := newJudge(t, coursetest.OpenCPU(t), c, []float32{length})
	way, last, passes := -0.3, -0.3, int32(0)
	var h *reward.HostColumns
	for range 300 {
		s := step{s: []float32{float32(math.Mod(way+length, length))}, checkpoint: []int32{-1}}
		switch {
		case math.Floor(way/length) > math.Floor(last/length):
			s.checkpoint[0] = 0
			passes++
		case math.Floor(way/length-0.5) > math.Floor(last/length-0.5):
			s.checkpoint[0] = 1
		}
		if h = drive(t, judge, s); h.Alive[0] == 0 {
			break
		}
		if passes == 1 {
			assert.Zero(t, h.Laps[0], "the clock has only begun")
			assert.True(t, kernel.IsNaN(h.LastLap[0]) && kernel.IsNaN(h.BestLap[0]))
		}
		way, last = way+speed*dt, way
	}
	assert.EqualValues(t, 3, h.Laps[0])
	assert.InDelta(t, length/speed, h.LastLap[0], 1e-4)
	assert.InDelta(t, length/speed, h.BestLap[0], 1e-4)
	assert.Equal(t, reward.LapsDone, h.Reasons[0])
	assert.Equal(t, []int32{1, 0}, []int32{h.Terminated[0], h.Truncated[0]})
	assert.Equal(t, []float32{1, 1, 0}, []float32{h.Lap[0], h.Passed[0], h.Failure[0]})
	assert.InDelta(t, way+0.3+300+70, h.Return[0], 1e-3)
	assert.EqualValues(t, 1, h.Done[0])
	h = drive(t, judge, at(0.5))
	assert.Equal(t, []float32{0, 0}, []float32{h.Reward[0], h.Lap[0]}, "after the end")
	assert.Equal(t, reward.LapsDone, h.Reasons[0])
	assert.InDelta(t, way+0.3+300+70, h.Return[0], 1e-3)
}

// A slower and then a faster lap: the last and the best one differ. The time within the step is right also where the
// plane of the checkpoint and the begin of the line are crossed in different steps.
func TestBestLap(t *testing.T) {
	c := reward.DefaultConfig()
	c.TimeStep = 0.5
	judge := newJudge(t, coursetest.OpenCPU(t), c, []float32{4})
	pass := func(s float32) step { return step{s: []float32{s}, checkpoint: []int32{0}} }
	drive(t, judge, at(3), pass(0)) // at the end of the step
	drive(t, judge, at(1), at(2), at(3.5))
	h := drive(t, judge, pass(0.5)) // in its middle
	assert.Equal(t, []float32{1.75, 1.75}, []float32{h.LastLap[0], h.BestLap[0]})
	drive(t, judge, at(2.5), at(3.5))
	h = drive(t, judge, pass(3.75)) // the plane comes first: at the end of the step
	assert.Equal(t, []float32{1.75, 1.75}, []float32{h.LastLap[0], h.BestLap[0]})
	drive(t, judge, at(1), at(2), at(3), at(0.5))
	h = drive(t, judge, pass(1)) // the begin of the line came first: at the begin of the step
	assert.Equal(t, []float32{2, 1.75}, []float32{h.LastLap[0], h.BestLap[0]})
	h = drive(t, judge, at(2), pass(3)) // far from the begin of the line
	assert.Equal(t, []float32{1, 1}, []float32{h.LastLap[0], h.BestLap[0]})
}

// Each limit ends an episode, for its reason, in its step.
func TestEnds(t *testing.T) {
	device := coursetest.OpenCPU(t)
	moving := func(k int) step {
		return step{s: []float32{float32(k) * 0.1}, outOfBounds: []int32{0}, hit: []int32{0}, obstacle: []int32{0}}
	}
	with := func(change func(k int, s *step)) func(k int) step {
		return func(k int) step {
			s := moving(k)
			change(k, &s)
			return s
		}
	}
	off := with(func(k int, s *step) { s.outOfBounds[0] = int32(min(k%10/4, 1)) }) // 6 of 10 steps
	for _, c := range []struct {
		name    string
		set     func(c *reward.Config)
		step    func(k int) step
		reason  reward.Reason
		ends    int32 // in this step; 0: never
		failure float32
	}{
		{"nothing", func(*reward.Config) {}, off, 0, 0, 0},
		{"off at once", func(c *reward.Config) { c.Ends.OffRoad = true }, off, reward.OffRoad, 4, 1},
		{"off", func(c *reward.Config) { c.Ends.OffRoad, c.Ends.OffRoadTime = true, 0.3 }, off, reward.OffRoad, 6, 1},
		{"off longer", func(c *reward.Config) { c.Ends.OffRoad, c.Ends.OffRoadTime = true, 0.7 }, off, 0, 0, 0},
		{"wrong way", func(c *reward.Config) { c.Ends.WrongWayTime = 0.5 },
			with(func(k int, s *step) { s.s[0] = 9 - 0.1*float32(k) }), reward.WrongWay, 5, 1},
		{"slowly", func(c *reward.Config) { c.Ends.WrongWayTime, c.BackwardSpeed = 0.5, 1.1 },
			with(func(k int, s *step) { s.s[0] = 9 - 0.1*float32(k) }), 0, 0, 0},
		{"stuck", func(c *reward.Config) { c.Ends.StuckTime, c.Ends.StuckProgress = 1, 0.25 },
			with(func(k int, s *step) { s.s[0] = 0.1 * float32(min(k, 7)) }), reward.Stuck, 16, 1},
		{"on and on", func(c *reward.Config) { c.Ends.StuckTime, c.Ends.StuckProgress = 1, 0.95 }, moving, 0, 0, 0},
		{"just enough", func(c *reward.Config) { c.Ends.StuckTime, c.Ends.StuckProgress = 0.4, 0.25 },
			with(func(k int, s *step) { s.s[0] = 0.0625 * float32(k) }), 0, 0, 0},
		{"a crawl", func(c *reward.Config) { c.Ends.StuckTime, c.Ends.StuckProgress = 1, 1.05 }, moving, reward.Stuck, 10, 1},
		{"hit", func(c *reward.Config) { c.Ends.Collision = true },
			with(func(k int, s *step) { s.hit[0] = int32(k / 8) }), reward.Collision, 8, 1},
		{"obstacle", func(c *reward.Config) { c.Ends.Collision = true },
			with(func(k int, s *step) { s.obstacle[0] = int32(-k / 9) }), reward.Collision, 9, 1},
		{"wall", func(c *reward.Config) { c.Ends.Collision, c.Walls = true, true }, off, reward.Collision, 4, 1},
		{"no wall", func(c *reward.Config) { c.Ends.Collision = true }, off, 0, 0, 0},
		{"steps", func(c *reward.Config) { c.Ends.MaxSteps, c.Ends.MaxTime = 12, 100 }, off, reward.TimeOut, 12, 0},
		{"time", func(c *reward.Config) { c.Ends.MaxSteps, c.Ends.MaxTime = 12, 1.1 }, off, reward.TimeOut, 11, 0},
		{"rounded time", func(c *reward.Config) { c.TimeStep, c.Ends.MaxTime = 0.01, 0.28 }, off, reward.TimeOut, 28, 0},
		{"both", func(c *reward.Config) { c.Ends.MaxSteps, c.Ends.OffRoad = 4, true }, off,
			reward.TimeOut | reward.OffRoad, 4, 1},
	} {
		config := reward.DefaultConfig()
		config.TimeStep, config.Weights.Failure = 0.1, -7
		c.set(&config)
		judge := newJudge(t, device, config, []float32{100})
		for k := range 40 {
			h := drive(t, judge, c.step(k))
			if c.ends == 0 || k < int(c.ends) {
				require.Equal(t, []int32{1, 0, 0, 0}, []int32{h.Alive[0], h.Terminated[0], h.Truncated[0], h.Done[0]},
					"%s, step %d", c.name, k)
				require.Zero(t, h.Failure[0])
				continue
			}
			require.Equal(t, c.reason, h.Reasons[0], "%s, step %d", c.name, k)
			require.Equal(t, []int32{0, 1, c.ends}, []int32{h.Alive[0], h.Done[0], h.Length[0]}, c.name)
			require.EqualValues(t, c.reason&^reward.TimeOut != 0, h.Terminated[0] == 1, c.name)
			require.EqualValues(t, c.reason&reward.TimeOut != 0, h.Truncated[0] == 1, c.name)
			if k == int(c.ends) {
				require.Equal(t, c.failure, h.Failure[0], c.name)
				require.InDelta(t, h.Progress[0]-7*c.failure, h.Reward[0], 1e-6, c.name)
			} else {
				require.Zero(t, h.Reward[0], c.name)
			}
		}
	}
}

// A race of several agents goes on without those that have ended, or ends with the first of them. Paused agents do not
// keep it going.
func TestDone(t *testing.T) {
	device := coursetest.OpenCPU(t)
	play := func(ends string, paused bool, steps ...step) *reward.HostColumns {
		c := reward.DefaultConfig()
		c.Agents, c.Ends.Collision, c.Ends.Env, c.Ends.Paused = 3, true, ends, paused
		return drive(t, newJudge(t, device, c, []float32{10}), steps...)
	}
	hits := func(s step, hit ...int32) step {
		s.hit = hit
		return s
	}
	begin, first := hits(at(1, 2, 3), 0, 0, 0), hits(at(2, 3, 4), 0, 1, 0)
	h := play(reward.All, false, begin, first)
	assert.Equal(t, []int32{1, 0, 1, 0}, append(h.Alive, h.Done[0]))
	h = play(reward.All, false, begin, first, hits(at(3, 4, nan), 1, 1, 1))
	assert.Equal(t, []int32{0, 0, 0, 1}, append(h.Alive, h.Done[0]), "the third one is paused")
	assert.Equal(t, []reward.Reason{reward.Collision, reward.Collision, reward.EnvDone}, h.Reasons)
	assert.Equal(t, []int32{0, 0, 1}, h.Truncated)
	h = play(reward.All, false, begin, first, hits(at(3, 4, 5), 1, 1, 1))
	assert.Equal(t, []reward.Reason{reward.Collision, reward.Collision, reward.Collision}, h.Reasons)
	assert.EqualValues(t, 1, h.Done[0])
	h = play(reward.Any, false, begin, first)
	assert.Equal(t, []reward.Reason{reward.EnvDone, reward.Collision, reward.EnvDone}, h.Reasons)
	assert.Equal(t, []int32{0, 1, 0, 1, 0, 1, 1}, append(append(h.Terminated, h.Truncated...), h.Done[0]))
	assert.Equal(t, []float32{1, 1, 1}, h.Reward, "that of the last step")
	away := hits(at(nan, nan, nan), 0, 0, 0)
	h = play(reward.All, false, begin, away)
	assert.Equal(t, []int32{1, 1, 1, 0}, append(h.Alive, h.Done[0]))
	h = play(reward.All, true, away)
	assert.Equal(t, []int32{0, 0, 0, 1}, append(h.Alive, h.Done[0]))
	h = play(reward.All, true, away, hits(at(1, nan, nan), 0, 0, 0))
	assert.Equal(t, []int32{1, 0, 0, 0}, append(h.Alive, h.Done[0]))
}

// The step that begins an episode, by the mask of the envs that are done, rewards nothing and ends nothing, whatever
// the agents touch.
func TestNextStepReset(t *testing.T) {
	c := reward.DefaultConfig()
	c.Ends.Collision, c.Channels, c.Weights.Smoothness = true, 1, -1
	judge := newJudge(t, coursetest.OpenCPU(t), c, []float32{10, 10})
	s := step{s: []float32{1, 1}, checkpoint: none(2), hit: []int32{1, 1}, action: []float32{1, 1}}
	reset := func() { require.NoError(t, judge.Reset(t.Context(), judge.Outcomes().Done)) }
	h := drive(t, judge, s)
	assert.Equal(t, []int32{0, 0}, h.Done)
	s.hit, s.action = []int32{0, 1}, []float32{-1, 0}
	reset()
	h = drive(t, judge, s)
	assert.Equal(t, []int32{0, 1}, h.Done)
	assert.Equal(t, []float32{0, 0}, h.Reward, "there is no action before the first step")
	s.s, s.action = []float32{2, 3}, []float32{1, 0.5}
	reset()
	h = drive(t, judge, s)
	assert.Equal(t, []int32{0, 0}, h.Done)
	assert.Equal(t, []float32{1 - 4, 0}, h.Reward)
	assert.Equal(t, []int32{2, 0}, h.Length)
}

// The other terms, in their units.
func TestTerms(t *testing.T) {
	c := reward.DefaultConfig()
	c.TimeStep, c.Channels, c.NearDistance = 0.5, 2, 0.75
	c.Weights = reward.WeightsConfig{Lateral: 1, Travel: 10, NearBorder: 100, OffRoad: 1000, WrongWay: 1e4,
		Smoothness: 1e5, Collision: 1e6}
	judge := newJudge(t, coursetest.OpenCPU(t), c, []float32{10})
	s := step{s: []float32{5}, n: []float32{-2}, velocity: []kernel.Vec3{{X: 3, Y: 4, Z: 12}}, distance: []float32{0.25},
		outOfBounds: []int32{1}, hit: []int32{1}, action: []float32{0, nan}}
	drive(t, judge, s)
	h := drive(t, judge, s)
	s.s, s.action = []float32{4}, []float32{-3, 0.5}
	assert.Equal(t, []float32{1, 6.5, 0.25, 0.5, 0, 0, 1}, []float32{h.Lateral[0], h.Travel[0], h.NearBorder[0],
		h.OffRoad[0], h.WrongWay[0], h.Smoothness[0], h.Collision[0]})
	assert.EqualValues(t, 1+65+25+500+1e6, h.Reward[0])
	h = drive(t, judge, s)
	assert.Equal(t, []float32{0.5, 1.25, 0}, []float32{h.WrongWay[0], h.Smoothness[0], h.Collision[0]})
	s.distance, s.hit = []float32{1}, []int32{0}
	h = drive(t, judge, s)
	assert.Zero(t, h.NearBorder[0])
	require.NoError(t, judge.SetWeights(t.Context(), reward.WeightsConfig{Travel: 2}))
	h = drive(t, judge, s)
	assert.EqualValues(t, 13, h.Reward[0])
	assert.EqualValues(t, 2, judge.Config().Weights.Travel)
	assert.Zero(t, judge.Config().Weights.Lateral)
	err := judge.SetWeights(t.Context(), reward.WeightsConfig{Travel: math.NaN()})
	require.ErrorContains(t, err, "reward: set weights: weights.travel is NaN")
	assert.EqualValues(t, 2, judge.Config().Weights.Travel)
}

// The return keeps small rewards beside a large one, each of which a float32 would lose.
func TestReturnHasNoDrift(t *testing.T) {
	c := reward.DefaultConfig()
	c.Weights = reward.WeightsConfig{Passed: 1e6, Travel: 1}
	judge := newJudge(t, coursetest.OpenCPU(t), c, []float32{10})
	in := upload(t, judge.Outcomes().Reward.Device(), step{s: []float32{1}, checkpoint: []int32{-1},
		velocity: []kernel.Vec3{{X: 1}}})
	lc, err := exec.For(t.Context(), judge.Outcomes().Reward.Device())
	require.NoError(t, err)
	judge.EnqueueUpdateAt(lc, in)
	exec.Fill(lc, in.CheckpointPassed, 2)
	judge.EnqueueUpdateAt(lc, in)
	exec.Fill(lc, in.CheckpointPassed, -1)
	for range 4000 {
		judge.EnqueueUpdateAt(lc, in)
	}
	require.NoError(t, lc.Err())
	assert.InDelta(t, 1e6+4001*0.02, read(t, judge).Return[0], 0.0625)
}

// A sum of rewards that is not finite is not made.
func TestReturnIsFinite(t *testing.T) {
	c := reward.DefaultConfig()
	c.Weights = reward.WeightsConfig{Lateral: 1}
	judge := newJudge(t, coursetest.OpenCPU(t), c, []float32{10})
	s := step{s: []float32{1}, n: []float32{kernel.Inf()}}
	drive(t, judge, s)
	require.NoError(t, judge.Outcomes().Return.Write(t.Context(), []float32{math.MaxFloat32}))
	for range 30 {
		h := drive(t, judge, s)
		require.Equal(t, []float32{1e30, math.MaxFloat32}, []float32{h.Reward[0], h.Return[0]})
	}
}
