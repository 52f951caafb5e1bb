package reward_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	kernels "github.com/trackgen-go/trackgen/kernels/reward"
	"github.com/trackgen-go/trackgen/race/reward"
)

// The columns follow each other as the constants of package kernels/reward say.
func TestColumns(t *testing.T) {
	require.NoError(t, reward.Schema.Err())
	judge := newJudge(t, coursetest.OpenCPU(t), everything(2, 3), lengths())
	a, o := judge.Arrays(), judge.Outcomes()
	n := a.Envs * a.Agents
	require.Equal(t, []int{kernels.Integers * n, kernels.Floats * n, a.Envs, kernels.Settings, 3 * n},
		[]int{a.Integers.Len(), a.Floats.Len(), a.Done.Len(), a.Settings.Len(), a.Previous.Len()})
	for column, array := range map[int]exec.Array[float32]{
		kernels.Progress: o.Progress, kernels.Passed: o.Passed, kernels.Lap: o.Lap, kernels.WrongWay: o.WrongWay,
		kernels.OffRoad: o.OffRoad, kernels.Collision: o.Collision, kernels.Smoothness: o.Smoothness,
		kernels.Lateral: o.Lateral, kernels.Travel: o.Travel, kernels.NearBorder: o.NearBorder, kernels.Failure: o.Failure,
		kernels.Reward: o.Reward, kernels.Return: o.Return, kernels.LastLap: o.LastLap, kernels.BestLap: o.BestLap,
	} {
		part, err := a.Floats.Slice(column*n, (column+1)*n)
		require.NoError(t, err)
		require.Equal(t, part.View(), array.View(), "column %d", column)
	}
	for column, array := range map[int]exec.Array[int32]{
		kernels.Alive: o.Alive, kernels.Terminated: o.Terminated, kernels.Truncated: o.Truncated,
		kernels.Reasons: o.Reasons, kernels.Laps: o.Laps, kernels.Length: o.Length,
	} {
		part, err := a.Integers.Slice(column*n, (column+1)*n)
		require.NoError(t, err)
		require.Equal(t, part.View(), array.View(), "column %d", column)
	}
	require.Positive(t, judge.Bytes())
}

// The names of the reasons.
func TestReasons(t *testing.T) {
	require.Equal(t, "none", reward.Reason(0).String())
	require.Equal(t, "off road, time out", (reward.OffRoad | reward.TimeOut).String())
	require.Equal(t, []string{"off road", "wrong way", "stuck", "collision", "laps done", "time out", "env done"},
		reward.Reason(127).Names())
}

// Every wrong setting is refused, with its name, its value and what is allowed.
func TestWrongSettings(t *testing.T) {
	device := coursetest.OpenCPU(t)
	source := reward.Source{Length: coursetest.Upload(t, device, lengths())}
	for want, change := range map[string]func(c *reward.Config){
		"agents is -1":                   func(c *reward.Config) { c.Agents = -1 },
		"agents is 1025":                 func(c *reward.Config) { c.Agents = 1025 },
		"channels is 65":                 func(c *reward.Config) { c.Channels = 65 },
		"time_step is 0":                 func(c *reward.Config) { c.TimeStep = 0 },
		"time_step is NaN":               func(c *reward.Config) { c.TimeStep = float64(nan) },
		"backward_speed is -1":           func(c *reward.Config) { c.BackwardSpeed = -1 },
		"near_distance is +Inf":          func(c *reward.Config) { c.NearDistance = float64(kernel.Inf()) },
		"weights.lap is 2e+06":           func(c *reward.Config) { c.Weights.Lap = 2e6 },
		"weights.failure is NaN":         func(c *reward.Config) { c.Weights.Failure = float64(nan) },
		"ends.stuck_progress is 0":       func(c *reward.Config) { c.Ends.StuckProgress = 0 },
		"ends.off_road_time is -1":       func(c *reward.Config) { c.Ends.OffRoadTime = -1 },
		"ends.laps is -1":                func(c *reward.Config) { c.Ends.Laps = -1 },
		"ends.max_steps is 2000000001":   func(c *reward.Config) { c.Ends.MaxSteps = 2000000001 },
		`ends.env is "most"`:             func(c *reward.Config) { c.Ends.Env = "most" },
		"ends.max_time is 1000: must be": func(c *reward.Config) { c.TimeStep, c.Ends.MaxTime = 1e-7, 1000 },
	} {
		c := reward.DefaultConfig()
		change(&c)
		_, err := reward.New(device, source, c)
		require.ErrorIs(t, err, reward.ErrConfig, want)
		// Numbers of a million and more may be written with an exponent or without one.
		text := strings.ReplaceAll(err.Error(), "2000000:", "2e+06:")
		require.ErrorContains(t, errorText(text), "reward: new judge: "+want)
	}
}

// errorText is an error with a text.
type errorText string

func (e errorText) Error() string { return string(e) }

// Every wrong argument of the constructor is refused.
func TestWrongArguments(t *testing.T) {
	device, c := coursetest.OpenCPU(t), reward.DefaultConfig()
	source := reward.Source{Length: coursetest.Upload(t, device, lengths())}
	_, err := reward.New(device, reward.Source{}, c)
	require.ErrorContains(t, err, "reward: new judge: length is none")
	require.Zero(t, reward.SourceOf(nil))
	require.Zero(t, reward.SourceOfLine(nil))
	_, err = reward.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = reward.New(coursetest.OpenCPU(t), source, c)
	require.ErrorIs(t, err, exec.ErrDeviceMismatch)
	_, err = reward.New(device, source, c, generation.WithSeed(3))
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = reward.New(device, source, c, nil)
	require.ErrorContains(t, err, "option 0 is <nil>")
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = reward.New(device, source, c)
	require.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
}

// Inputs are bound or given, never both, and have one element for each agent (C-90). What a setting needs is there.
func TestBinding(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	c := reward.DefaultConfig()
	c.Agents, c.Channels = 2, 3
	judge := newJudge(t, device, c, []float32{1, 2})
	_, err := judge.Update(ctx)
	require.ErrorContains(t, err, "reward: update: inputs is none: must be those of Bind before, or those of the call")
	full, _ := script(everything(2, 3), 1)
	right := upload(t, device, repeated(full[0], 4))
	floats, integers := coursetest.Upload(t, device, make([]float32, 3)), coursetest.Upload(t, device, make([]int32, 3))
	for want, change := range map[string]func(in *reward.Inputs){
		"s length is 3":                 func(in *reward.Inputs) { in.S = floats },
		"s is ":                         func(in *reward.Inputs) { in.S = exec.Array[float32]{} },
		"checkpoint_passed length is 3": func(in *reward.Inputs) { in.CheckpointPassed = integers },
		"action length is 4":            func(in *reward.Inputs) { in.Action = right.S },
		"action is ":                    func(in *reward.Inputs) { in.Action = exec.Array[float32]{} },
		"n length is 3":                 func(in *reward.Inputs) { in.N = floats },
		"out_of_bounds length is 3":     func(in *reward.Inputs) { in.OutOfBounds = integers },
		"distance length is 3":          func(in *reward.Inputs) { in.Distance = floats },
		"hit length is 3":               func(in *reward.Inputs) { in.Hit = integers },
		"obstacle length is 3":          func(in *reward.Inputs) { in.Obstacle = integers },
		"velocity length is 1": func(in *reward.Inputs) {
			in.Velocity = coursetest.Upload(t, device, make([]kernel.Vec3, 1))
		},
	} {
		wrong := right
		change(&wrong)
		require.ErrorContains(t, judge.Bind(wrong), "reward: bind: "+want)
		_, err := judge.UpdateAt(ctx, wrong)
		require.ErrorContains(t, err, "reward: update at: "+want)
	}
	require.NoError(t, judge.Bind(right))
	_, err = judge.UpdateAt(ctx, right)
	require.ErrorContains(t, err, "inputs is of the call and of Bind: must be one of the two")
}

// A weight or a limit of an input that is not bound is refused.
func TestNeededInputs(t *testing.T) {
	device := coursetest.OpenCPU(t)
	in := upload(t, device, step{s: []float32{0}, checkpoint: []int32{-1}})
	for want, change := range map[string]func(c *reward.Config){
		"n ":                  func(c *reward.Config) { c.Weights.Lateral = 1 },
		"out_of_bounds ":      func(c *reward.Config) { c.Ends.OffRoad = true },
		"distance ":           func(c *reward.Config) { c.Weights.NearBorder = -1 },
		"hit and obstacle is": func(c *reward.Config) { c.Ends.Collision = true },
		"velocity ":           func(c *reward.Config) { c.Weights.Travel = 1 },
	} {
		c := reward.DefaultConfig()
		change(&c)
		require.ErrorContains(t, newJudge(t, device, c, []float32{1}).Bind(in), "reward: bind: "+want)
	}
	c := reward.DefaultConfig()
	c.Walls = true
	require.ErrorContains(t, newJudge(t, device, c, []float32{1}).Bind(in), "out_of_bounds")
	in.Action = in.S
	judge := newJudge(t, device, reward.DefaultConfig(), []float32{1})
	require.ErrorContains(t, judge.Bind(in), "action is an array: must be none, because channels is 0")
	in.Action = exec.Array[float32]{}
	require.NoError(t, judge.Bind(in))
	require.ErrorContains(t, judge.SetWeights(t.Context(), reward.WeightsConfig{Lateral: 1}), "reward: set weights: n ")
}

// Binding other inputs warns if a capture has recorded the first ones, however they were recorded (R97).
func TestBindingAfterACapture(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	for _, record := range []func(judge *reward.Judge) error{
		func(judge *reward.Judge) error {
			_, err := judge.Update(ctx)
			return err
		},
		func(judge *reward.Judge) error {
			lc, err := exec.For(ctx, device)
			if err != nil {
				return err
			}
			judge.EnqueueUpdate(lc)
			return lc.Err()
		},
	} {
		var warnings []exec.Warning
		judge := newJudge(t, device, reward.DefaultConfig(), []float32{1},
			reward.WithWarnings(func(w exec.Warning) { warnings = append(warnings, w) }))
		in := upload(t, device, step{s: []float32{0}, checkpoint: []int32{-1}})
		require.NoError(t, judge.Bind(in))
		stream := device.CurrentStream()
		require.NoError(t, stream.BeginCapture())
		require.NoError(t, record(judge))
		_, err := judge.Outcomes().Read(ctx)
		require.ErrorIs(t, err, exec.ErrCapture)
		require.ErrorIs(t, judge.SetWeights(ctx, reward.WeightsConfig{}), exec.ErrCapture)
		graph, err := stream.EndCapture()
		require.NoError(t, err)
		require.NoError(t, graph.Close())
		require.EqualValues(t, 1, judge.Config().Weights.Progress)
		require.Empty(t, warnings)
		in.S = coursetest.Upload(t, device, []float32{0})
		require.NoError(t, judge.Bind(in))
		require.Len(t, warnings, 1)
	}
}

// Calls of a judge that no constructor has made, or that is closed, and masks of other lengths are errors.
func TestMisuse(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	var none *reward.Judge
	_, err := none.Update(ctx)
	require.ErrorContains(t, err, "reward: update: receiver")
	require.ErrorIs(t, none.Bind(reward.Inputs{}), backend.ErrInvalid)
	require.ErrorIs(t, none.Reset(ctx, zero), backend.ErrInvalid)
	require.ErrorIs(t, none.SetWeights(ctx, reward.WeightsConfig{}), backend.ErrInvalid)
	require.Nil(t, none.Outcomes())
	require.Zero(t, none.Arrays())
	require.Zero(t, none.Config())
	require.Zero(t, none.Bytes())
	require.NoError(t, none.Close())
	_, err = none.Outcomes().Read(ctx)
	require.ErrorContains(t, err, "reward: read: outcomes is <nil>: must be those of a Judge")
	_, err = new(reward.Outcomes).Clone(ctx)
	require.ErrorContains(t, err, "reward: clone: outcomes is <nil>")
	require.NoError(t, none.Outcomes().Close())

	judge := newJudge(t, device, everything(3, 1), lengths())
	for _, n := range []int{1, len(lengths()) - 1, 2 * len(lengths()), 3*len(lengths()) + 1} {
		require.ErrorContains(t, judge.Reset(ctx, coursetest.Upload(t, device, make([]int32, n))), "reward: reset: mask")
	}
	mask := coursetest.Upload(t, coursetest.OpenCPU(t), make([]int32, 3*len(lengths())))
	require.ErrorIs(t, judge.Reset(ctx, mask), exec.ErrDeviceMismatch)
	clone, err := judge.Outcomes().Clone(ctx)
	require.NoError(t, err)
	copied, err := clone.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, words(read(t, judge)), words(copied))
	require.NoError(t, clone.Close())

	require.NoError(t, judge.Close())
	require.NoError(t, judge.Close())
	_, err = judge.Update(ctx)
	require.ErrorIs(t, err, backend.ErrClosed)
	require.ErrorIs(t, judge.Reset(ctx, zero), backend.ErrClosed)
	for _, enqueue := range []func(lc *exec.LaunchContext){
		judge.EnqueueUpdate,
		func(lc *exec.LaunchContext) { judge.EnqueueUpdateAt(lc, reward.Inputs{}) },
		func(lc *exec.LaunchContext) { judge.EnqueueReset(lc, zero) },
		func(lc *exec.LaunchContext) { judge.EnqueueResetEnvs(lc, zero) },
	} {
		lc, err := exec.For(ctx, device)
		require.NoError(t, err)
		enqueue(lc)
		require.ErrorIs(t, lc.Err(), backend.ErrClosed)
	}
}
