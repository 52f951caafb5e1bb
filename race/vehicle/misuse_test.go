package vehicle_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// Every wrong setting and argument of New is refused before any device work, with its name, its value and what is
// allowed.
func TestWrongArguments(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for want, change := range map[string]func(c *vehicle.Config){
		"num_envs is 0: must be a whole number >= 1": func(c *vehicle.Config) {
			c.NumEnvs = 0
		},
		`model is "boat": must be one of kinematic`: func(c *vehicle.Config) {
			c.Model = "boat"
		},
		"time_step is NaN: must be a number > 0": func(c *vehicle.Config) {
			c.TimeStep = math.NaN()
		},
		"substeps is 65: must be a whole number >= 1 and <= 64": func(c *vehicle.Config) {
			c.Substeps = 65
		},
		"car.mass is [0, 0]: must be a pair [min, max]": func(c *vehicle.Config) {
			c.Car.Mass = vehicle.Range{}
		},
		"car.friction is [1, 0]": func(c *vehicle.Config) {
			c.Car.Friction = vehicle.Range{Min: 1}
		},
		"car.steering_max is [1.6, 1.6]": func(c *vehicle.Config) {
			c.Car.SteeringMax = vehicle.Exactly(1.6)
		},
		"agents is 1048576: must be <= 13421": func(c *vehicle.Config) {
			c.NumEnvs, c.Agents = 10000, 1<<20
		},
		"drone.drag_side is [0, 80]: must be at most 75.2, twice the mass": dragged,
	} {
		_, err := vehicle.New(device, vehicle.Source{}, config(change))
		require.ErrorContains(t, err, "vehicle: new: "+want)
		require.ErrorIs(t, err, vehicle.ErrConfig)
	}
	c := vehicle.DefaultConfig()
	_, err := vehicle.New(nil, vehicle.Source{}, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	for _, option := range []vehicle.Option{nil, generation.WithSeed(1)} {
		_, err = vehicle.New(device, vehicle.Source{}, c, option)
		require.ErrorContains(t, err, "option")
	}
	one, two := coursetest.Upload(t, device, []int32{1}), coursetest.Upload(t, device, []int32{1, 2})
	_, err = vehicle.New(device, vehicle.Source{Seed: one}, c)
	require.ErrorContains(t, err, "vehicle: new: epoch")
	_, err = vehicle.New(device, vehicle.Source{Seed: two, Epoch: one}, c)
	require.ErrorContains(t, err, "vehicle: new: seed length is 2")
	_, err = vehicle.CarNamed("kart")
	require.EqualError(t, err, `car is "kart": must be one of f1tenth, ford_escort, bmw_320i, vw_vanagon`)
	require.Zero(t, vehicle.Channels("boat"))
}

func dragged(c *vehicle.Config) {
	c.Model, c.Drone.DragSide = vehicle.Drone, vehicle.Range{Max: 80}
}

// Calls that come too early, too late or with the wrong arrays are refused.
func TestMisuse(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	s := newSimulator(t, device, vehicle.DefaultConfig())
	mask, three := coursetest.Upload(t, device, []int32{1}), coursetest.Upload(t, device, make([]float32, 3))
	in := vehicle.Inputs{Actions: coursetest.Upload(t, device, make([]float32, 2))}
	require.ErrorContains(t, s.Step(ctx), "vehicle: step: inputs is none: must be those of Bind before")
	require.ErrorContains(t, s.StepAt(ctx, vehicle.Inputs{Actions: three}), "vehicle: step at: actions length is 3")
	require.ErrorContains(t, s.Bind(vehicle.Inputs{}), "vehicle: bind: actions")
	wrong := in
	wrong.Hold = coursetest.Upload(t, device, make([]int32, 2))
	require.ErrorContains(t, s.Bind(wrong), "vehicle: bind: hold length is 2")
	wrong = in
	wrong.Ground.Segment = mask
	require.ErrorContains(t, s.Bind(wrong), "vehicle: bind: ground max points is 0")
	wrong.Ground.MaxPoints = 8
	require.ErrorContains(t, s.Bind(wrong), "vehicle: bind: ground index")
	require.ErrorContains(t, s.Reset(ctx, coursetest.Upload(t, device, []int32{1, 2})), "vehicle: reset: mask length is 2")
	require.NoError(t, s.Bind(in))
	require.ErrorContains(t, s.StepAt(ctx, in), "vehicle: step at: inputs is of the call and of Bind")
	drone := newSimulator(t, device, config(func(c *vehicle.Config) { c.Model = vehicle.Drone }))
	wrong.Actions = coursetest.Upload(t, device, make([]float32, 4))
	require.ErrorContains(t, drone.Bind(wrong), "vehicle: bind: ground is a line: must be none for drones")

	enqueued := func(emit func(lc *exec.LaunchContext)) error {
		lc, err := exec.For(ctx, device)
		require.NoError(t, err)
		emit(lc)
		return lc.Err()
	}
	require.NoError(t, enqueued(s.EnqueueStep))
	require.NoError(t, enqueued(func(lc *exec.LaunchContext) { s.EnqueueReset(lc, mask) }))
	require.ErrorContains(t, enqueued(func(lc *exec.LaunchContext) { s.EnqueueStepAt(lc, in) }), "inputs")
	calls := func(s *vehicle.Simulator) []error {
		return []error{s.Bind(in), s.Step(ctx), s.StepAt(ctx, in), s.Reset(ctx, mask), enqueued(s.EnqueueStep),
			enqueued(func(lc *exec.LaunchContext) { s.EnqueueStepAt(lc, in) }),
			enqueued(func(lc *exec.LaunchContext) { s.EnqueueReset(lc, mask) })}
	}
	closed, err := vehicle.New(device, vehicle.Source{}, vehicle.DefaultConfig())
	require.NoError(t, err)
	require.Positive(t, closed.Bytes())
	require.NoError(t, closed.Close())
	require.NoError(t, closed.Close())
	require.Equal(t, vehicle.Arrays{}, closed.Arrays())
	for i, err := range calls(closed) {
		require.ErrorIs(t, err, backend.ErrClosed, "call %d", i)
	}
	var none *vehicle.Simulator
	for _, s := range []*vehicle.Simulator{none, {}} {
		for i, err := range calls(s) {
			require.ErrorContains(t, err, "receiver is <nil>", "call %d", i)
		}
		require.NoError(t, s.Close())
		require.Zero(t, s.Bytes())
		require.Equal(t, vehicle.Source{}, s.Seeds())
		_, err = s.State().Read(ctx)
		require.ErrorContains(t, err, "the State of a Simulator")
		_, err = s.Parameters().Read(ctx)
		require.ErrorContains(t, err, "the Parameters of a Simulator")
	}
	var state *vehicle.State
	require.NoError(t, state.Close())
	require.Equal(t, kernel.Quat{W: 1}, read(t, newSimulator(t, device, vehicle.DefaultConfig())).Orientation[0])
}
