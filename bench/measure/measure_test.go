package measure

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/bench/roofline"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func openCPU(t *testing.T) backend.Device {
	device, err := backend.Open("cpu", backend.Workers(1))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

func tracksOf(generators ...string) (list []Subject) {
	for _, name := range generators {
		list = append(list, Tracks(tracktest.Config(name, 1)))
	}
	return list
}

func TestRun(t *testing.T) {
	r, err := Run(context.Background(), openCPU(t), Tracks(tracktest.Config(track.Bezier, 10)), time.Millisecond)
	require.NoError(t, err)
	assert.Equal(t, []any{"cpu", "bezier", 10}, []any{r.Device, r.Generator, r.Envs})
	for name, times := range map[string]Times{"generate": r.Generate, "replay": r.Replay, "10 %": *r.Regenerate[1],
		"100 %": *r.Regenerate[2]} {
		assert.GreaterOrEqual(t, times.Runs, minRuns, name)
		assert.Positive(t, times.Low, name)
		assert.LessOrEqual(t, times.Low, times.Median, name)
		assert.LessOrEqual(t, times.Median, times.High, name)
	}
	assert.Nil(t, r.Regenerate[0], "1 % of 10 envs is none")
	assert.InDelta(t, 10/r.Generate.Median.Seconds(), r.TracksPerSecond, 1e-6)
	assert.InDelta(t, r.TracksPerSecond, r.TracksPerSecondPerCore, 1e-6)
	var stages []string
	for _, stage := range r.Stages {
		stages = append(stages, stage.Name)
	}
	assert.Equal(t, []string{"key", "loop", "space", "relax", "even", "elevation", "inflate", "validate"}, stages)
	assert.Equal(t, 8, r.Launches)
	assert.Equal(t, 8, r.Nodes)
	perEnv, err := track.DefaultConfig().BytesPerEnv()
	require.NoError(t, err)
	assert.Equal(t, perEnv, r.BytesPerEnv)
}

// Gate courses are measured as tracks are: their stages, launches and memory are their own.
func TestRunGates(t *testing.T) {
	config := gate.DefaultConfig()
	config.NumEnvs = 100
	r, err := Run(context.Background(), openCPU(t), Gates(config), time.Millisecond)
	require.NoError(t, err)
	assert.Equal(t, []any{"bezier", 100, 4, 4}, []any{r.Generator, r.Envs, r.Launches, r.Nodes})
	var stages []string
	for _, stage := range r.Stages {
		stages = append(stages, stage.Name)
	}
	assert.Equal(t, []string{"key", "points", "arrange", "frame"}, stages)
	assert.NotNil(t, r.Regenerate[0])
	perEnv, err := config.BytesPerEnv()
	require.NoError(t, err)
	assert.Equal(t, perEnv, r.BytesPerEnv)
	config.Generator = "abacus"
	_, err = Run(context.Background(), openCPU(t), Gates(config), 0)
	require.ErrorIs(t, err, gate.ErrConfig)
}

// A step of a course is measured as a generation is: its stages are the components, its regenerations those of the
// course, and its work is that of cars that drive.
func TestRunSteps(t *testing.T) {
	config := course.DefaultConfig()
	tracks := tracktest.Config(track.Bezier, 10)
	config.Tracks, config.Checkpoints.Spacing, config.Collision.Method = &tracks, 0.6, course.Segments
	config.Localize.Enabled = true
	r, err := Run(context.Background(), openCPU(t), Steps(config), time.Millisecond)
	require.NoError(t, err)
	assert.Equal(t, []any{"bezier", 10, 2, 2}, []any{r.Generator, r.Envs, r.Launches, r.Nodes})
	var stages []string
	for _, stage := range r.Stages {
		stages = append(stages, stage.Name)
		assert.Less(t, stage.Time.Low, r.Generate.High, stage.Name)
	}
	assert.Equal(t, []string{"progress", "localise", "collision"}, stages)
	assert.NotNil(t, r.Regenerate[1])
	assert.Zero(t, r.BytesPerEnv)
	kernels, _, err := CountWork(context.Background(), Steps(config))
	require.NoError(t, err)
	require.Len(t, kernels, 2)
	for _, k := range kernels {
		assert.Equal(t, 1, k.Launches, k.Kernel)
		assert.Greater(t, k.Operations, 100.0, k.Kernel)
	}
	config.Checkpoints.Spacing = 0
	_, err = Run(context.Background(), openCPU(t), Steps(config), 0)
	require.ErrorIs(t, err, course.ErrConfig)
}

// A step of a race is measured with its driver. Its stages are the parts of the race in their order, and the work of
// all of them is that of the step.
func TestRunRaces(t *testing.T) {
	config := race.DefaultConfig()
	tracks := tracktest.Config(track.Bezier, 3, func(c *track.Config) { c.Scale, c.Road.HalfWidth = 10, 1 })
	config.Course.Tracks, config.Course.Agents = &tracks, 2
	r, err := Run(context.Background(), openCPU(t), Races(config, 8), time.Millisecond)
	require.NoError(t, err)
	assert.Equal(t, []any{"bezier", 3, 2}, []any{r.Generator, r.Envs, r.Agents})
	assert.InEpsilon(t, 6/r.Generate.Median.Seconds(), r.AgentStepsPerSecond, 1e-6)
	var names []string
	for _, stage := range r.Stages {
		names = append(names, stage.Name)
	}
	assert.Equal(t, []string{"driver", "resets", "vehicle", "progress+localise", "collision", "reward", "preview",
		"beams"}, names)
	kernels, stages, err := CountWork(context.Background(), Races(config, 8))
	require.NoError(t, err)
	require.Len(t, stages, len(names))
	whole, sum := total(kernels), Work{}
	for i, stage := range stages {
		assert.Equal(t, names[i], stage.Name)
		assert.Positive(t, stage.Bytes, stage.Name)
		sum.Operations += stage.Operations
		sum.Bytes += stage.Bytes
	}
	assert.InEpsilon(t, whole.Operations, sum.Operations, 0.2, "that of a step and of the next one")
	assert.InEpsilon(t, whole.Bytes, sum.Bytes, 0.2)

	rates, drones := config, config
	rates.Vehicle.Control = vehicle.Rate
	_, err = Run(context.Background(), openCPU(t), Races(rates, 8), 0)
	require.ErrorIs(t, err, race.ErrConfig)
	drones.Vehicle.Model = vehicle.Drone
	_, err = Run(context.Background(), openCPU(t), Races(drones, 8), 0)
	require.NoError(t, err, "flown by the driver of drones")
}

func TestRunRefuses(t *testing.T) {
	device := openCPU(t)
	_, err := Run(context.Background(), device, Tracks(tracktest.Config(track.Bezier, -1)), 0)
	require.ErrorIs(t, err, track.ErrConfig)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Run(cancelled, device, Tracks(track.DefaultConfig()), 0)
	require.ErrorIs(t, err, context.Canceled)
}

func TestSuite(t *testing.T) {
	plan := Plan{Subjects: tracksOf("polar", "bezier"), Envs: []int{1, 3},
		Limit: time.Hour}
	var seen []string
	s, err := RunSuite(context.Background(), []backend.Device{openCPU(t)}, plan,
		func(done, total int, _, generator string, _ int) {
			assert.Equal(t, []int{len(seen), 4}, []int{done, total})
			seen = append(seen, generator)
		})
	require.NoError(t, err)
	assert.Equal(t, []string{"polar", "bezier", "polar", "bezier"}, seen)
	require.Len(t, s.Results, 4)
	require.Len(t, s.Scaling, 1, "the device has one worker")
	assert.Equal(t, []any{"polar", 3, 1, 1.0}, []any{s.Scaling[0].Generator, s.Scaling[0].Envs, s.Scaling[0].Workers,
		s.Scaling[0].Efficiency})
	assert.Equal(t, 3, s.Results[3].Envs)
	assert.Len(t, s.Machines, 1)
	require.Len(t, s.Work, 2)
	assert.Equal(t, "bezier", s.Work[1].Generator)
	for _, r := range s.Results {
		assert.InEpsilon(t, r.Generate.Median.Seconds(), r.TimesFloor*r.Floor.Seconds(), 1e-6)
		assert.Less(t, r.H200Floor, r.Floor, "a large GPU could do more than one worker here")
		sum := Seconds(0)
		for _, stage := range r.Stages {
			sum += stage.Floor
		}
		assert.GreaterOrEqual(t, sum, r.Floor-Seconds(len(r.Stages)), "each stage has its own limit")
		assert.Less(t, sum, 2*r.Floor+Seconds(len(r.Stages)))
	}
	assert.InEpsilon(t, 3*s.Results[0].Floor.Seconds(), s.Results[2].Floor.Seconds(), 1e-3)
	assert.Empty(t, s.Skipped)
}

// TestSuiteSkips checks that a suite without time left says what it did not measure.
func TestSuiteSkips(t *testing.T) {
	plan := Plan{Subjects: tracksOf("polar"), Envs: []int{1, 1000}}
	s, err := RunSuite(context.Background(), []backend.Device{openCPU(t)}, plan, nil)
	require.NoError(t, err)
	assert.Empty(t, s.Results)
	assert.Equal(t, []Skipped{{"cpu", "polar", 1, "no time is left"}, {"cpu", "polar", 1000, "no time is left"}},
		s.Skipped)

	plan.Envs, plan.Limit = []int{1, 1 << 20}, time.Minute
	s, err = RunSuite(context.Background(), []backend.Device{openCPU(t)}, plan, nil)
	require.NoError(t, err)
	assert.Len(t, s.Results, 1)
	require.Len(t, s.Skipped, 1)
	assert.Equal(t, 1<<20, s.Skipped[0].Envs)
	assert.Regexp(t, "^it would take about [0-9]+ s, more than its share of the [0-9]+ s that are left$",
		s.Skipped[0].Reason)
}

func TestEstimate(t *testing.T) {
	assert.Zero(t, estimate{}.of(100, time.Second))
	assert.Equal(t, 17*8*time.Second, estimate{64, time.Second}.of(512, 0), "two generations, and five figures of three")
	assert.Equal(t, 2*time.Millisecond+5*time.Second, estimate{64, time.Millisecond}.of(64, time.Second))
	assert.Equal(t, 30*time.Second, share(90*time.Second, 20))
	assert.Equal(t, 270*time.Second, share(90*time.Second, 1))
}

func TestSummarize(t *testing.T) {
	var times []time.Duration
	for k := range 11 {
		times = append(times, time.Duration(10-k)*time.Second)
	}
	s := summarize(times)
	assert.Equal(t, Times{Runs: 11, Median: Seconds(5 * time.Second), Low: Seconds(time.Second),
		High: Seconds(9 * time.Second)}, s)
	assert.InDelta(t, 1.6, s.Spread(), 1e-12)
	assert.Zero(t, Times{}.Spread())
}

func TestSecondsInFiles(t *testing.T) {
	text, err := json.Marshal(Seconds(1500 * time.Microsecond))
	require.NoError(t, err)
	assert.Equal(t, "0.0015", string(text))
	var s Seconds
	require.NoError(t, json.Unmarshal(text, &s))
	assert.Equal(t, Seconds(1500*time.Microsecond), s)
	for _, bad := range []string{`"1"`, `1e300`, `null`} {
		assert.Error(t, json.Unmarshal([]byte(bad), &s), bad)
	}
}

// A CPU that is listed twice, in machine code and in Go, has one floor: the best that it was seen to do in either.
func TestFloorOfTheCPU(t *testing.T) {
	s := Suite{Machines: []Machine{
		{Device: "cpu", Lanes: 8, Roofline: roofline.Roofline{BytesPerSecond: 9, OperationsPerSecond: 80}},
		{Device: "vulkan:0", Roofline: roofline.Roofline{BytesPerSecond: 99, OperationsPerSecond: 99}},
		{Device: "cpu:go", Lanes: 1, Roofline: roofline.Roofline{BytesPerSecond: 10, OperationsPerSecond: 10}},
	}}
	s.shareCPU()
	best := roofline.Roofline{BytesPerSecond: 10, OperationsPerSecond: 80}
	require.Equal(t, best, s.Machines[0].Roofline)
	require.Equal(t, roofline.Roofline{BytesPerSecond: 99, OperationsPerSecond: 99}, s.Machines[1].Roofline)
	require.Equal(t, best, s.Machines[2].Roofline)
}
