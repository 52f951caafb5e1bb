package vehicle_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/seeds"
)

// drawn returns a configuration of cars whose envs draw masses and frictions.
func drawn(envs int) vehicle.Config {
	return config(func(c *vehicle.Config) {
		c.NumEnvs, c.Agents, c.Seed = envs, 2, 5
		c.Car.Mass, c.Car.Friction = vehicle.Around(4, 0.25), vehicle.Range{Min: 0, Max: 1}
		c.StartSpeed = vehicle.Range{Min: 2, Max: 3}
	})
}

func parametersOf(t *testing.T, s *vehicle.Simulator) vehicle.HostCarParameters {
	t.Helper()
	p, err := s.Parameters().Read(t.Context())
	require.NoError(t, err)
	return p.Car
}

// Envs draw from the whole range, each parameter by itself, and the same again by the same seed and epoch.
func TestDraws(t *testing.T) {
	const envs = 4000
	device := coursetest.OpenCPU(t)
	p := parametersOf(t, newSimulator(t, device, drawn(envs)))
	mass, product := 0.0, 0.0
	for e := range envs {
		require.True(t, p.Mass[e] >= 3 && p.Mass[e] <= 5 && p.Friction[e] >= 0 && p.Friction[e] <= 1)
		require.Equal(t, float32(0.04712), p.Inertia[e], "a range of one value")
		mass += float64(p.Mass[e]-4) / envs
		product += float64(p.Mass[e]-4) * (float64(p.Friction[e]) - 0.5) / envs
	}
	require.InDelta(t, 0, mass, 0.05)
	require.InDelta(t, 0, product, 0.01, "the draws depend on each other")

	state, err := seeds.New(device, envs, seeds.Options{Base: 5})
	require.NoError(t, err)
	defer func() { require.NoError(t, state.Close()) }()
	other, err := vehicle.New(device, vehicle.SourceOf(state), drawn(envs))
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	require.Equal(t, p, parametersOf(t, other))
	require.NoError(t, other.Reset(t.Context(), exec.Array[int32]{}))
	require.Equal(t, p, parametersOf(t, other), "the epoch has not advanced")
	lc, err := exec.For(t.Context(), device)
	require.NoError(t, err)
	state.Advance(lc)
	require.NoError(t, lc.Err())
	require.NoError(t, other.Reset(t.Context(), exec.Array[int32]{}))
	next := parametersOf(t, other)
	require.NotEqual(t, p.Mass, next.Mass)
	own := newSimulator(t, device, drawn(envs))
	require.NoError(t, own.Reset(t.Context(), exec.Array[int32]{}))
	require.Equal(t, next, parametersOf(t, own), "own seeds begin the next epoch at a reset")
}

// A reset puts the vehicles of its envs to rest at the poses that they have then, and changes no bit of the others.
func TestReset(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	s := newSimulator(t, device, drawn(3))
	actions := coursetest.Upload(t, device, []float32{1, 1, -1, 1, 0.3, 1, 1, 0, 0, 1, 0, -1})
	for range 30 {
		require.NoError(t, s.StepAt(ctx, vehicle.Inputs{Actions: actions}))
	}
	before := read(t, s)
	sin, cos := kernel.Sincos(0.4)
	orientation := append([]kernel.Quat(nil), before.Orientation...)
	orientation[2], orientation[3] = kernel.Quat{Z: sin, W: cos}, kernel.Quat{X: kernel.NaN()}
	require.NoError(t, s.State().Orientation.Write(ctx, orientation))
	require.NoError(t, s.Reset(ctx, coursetest.Upload(t, device, []int32{0, 4, 0})))
	after := read(t, s)
	require.InDelta(t, 0.8, after.Car.Yaw[2], 1e-6)
	require.Zero(t, after.Car.Yaw[3])
	require.Equal(t, kernel.Quat{W: 1}, after.Orientation[3])
	for i := range after.Position {
		require.Equal(t, before.Position[i], after.Position[i])
		if i/2 != 1 {
			require.Equal(t, before.Velocity[i], after.Velocity[i])
			require.Equal(t, before.Car.Yaw[i], after.Car.Yaw[i])
			require.Equal(t, before.Car.Steering[i], after.Car.Steering[i])
			continue
		}
		require.Zero(t, after.Car.Steering[i])
		require.Zero(t, after.Car.YawRate[i])
		require.Zero(t, after.Car.Slip[i])
		speed, yaw := float64(after.Car.Speed[i]), float64(after.Car.Yaw[i])
		require.True(t, speed >= 2 && speed <= 3, "%v", speed)
		require.InDelta(t, speed*math.Cos(yaw), after.Velocity[i].X, 1e-5)
		require.InDelta(t, speed*math.Sin(yaw), after.Velocity[i].Y, 1e-5)
	}
	require.NotEqual(t, after.Car.Speed[2], after.Car.Speed[3])
}

// With the setting, vehicles begin with the velocity that the state holds.
func TestStartVelocity(t *testing.T) {
	for _, model := range []string{vehicle.SingleTrack, vehicle.Drone} {
		ctx, device := t.Context(), coursetest.OpenCPU(t)
		s := newSimulator(t, device, config(func(c *vehicle.Config) {
			c.Agents, c.Model, c.StartVelocity, c.StartSpeed = 3, model, true, vehicle.Exactly(1)
		}))
		velocity := []kernel.Vec3{{X: 3, Y: 4, Z: 1}, {X: -2}, {Y: kernel.NaN()}}
		require.NoError(t, s.State().Velocity.Write(ctx, velocity))
		require.NoError(t, s.Reset(ctx, exec.Array[int32]{}))
		h := read(t, s)
		if model == vehicle.Drone {
			require.Equal(t, []kernel.Vec3{velocity[0], velocity[1], {}}, h.Velocity)
		} else {
			require.Equal(t, []float32{3, -2, 0}, h.Car.Speed)
			require.Equal(t, []kernel.Vec3{{X: 3}, {X: -2}, {}}, h.Velocity)
		}
	}
}

// Vehicles of envs that are held, and paused ones, keep every bit in a step.
func TestHeldAndPaused(t *testing.T) {
	for _, model := range vehicle.Models() {
		ctx, device := t.Context(), coursetest.OpenCPU(t)
		c := drawn(3)
		c.Model = model
		s := newSimulator(t, device, c)
		at := make([]kernel.Vec3, 6)
		at[5].Z = kernel.NaN()
		require.NoError(t, s.State().Position.Write(ctx, at))
		before := read(t, s)
		values := make([]float32, 6*vehicle.Channels(model))
		for i := range values {
			values[i] = 0.7
		}
		require.NoError(t, s.StepAt(ctx, vehicle.Inputs{Actions: coursetest.Upload(t, device, values),
			Hold: coursetest.Upload(t, device, []int32{1, 0, 0})}))
		after := read(t, s)
		for i := range after.Position {
			stays := i < 2 || i == 5
			require.Equal(t, stays, before.Velocity[i] == after.Velocity[i], "%s %d", model, i)
			require.Equal(t, stays, before.Position[i] == after.Position[i] || i == 5, "%s %d", model, i)
		}
		require.True(t, kernel.IsNaN(after.Position[5].Z))
	}
}

// With a ground, cars follow the height of the line beside them.
func TestGround(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	c := config(func(c *vehicle.Config) {
		c.NumEnvs, c.Agents, c.Model, c.StartSpeed = 2, runAgents, vehicle.Kinematic, vehicle.Exactly(3)
	})
	s, l := newSimulator(t, device, c), hill(t, device, 2) // the second env has no line
	sin, cos := kernel.Sincos(3.1415927 / 4)
	n := 2 * runAgents
	at, q := make([]kernel.Vec3, n), make([]kernel.Quat, n)
	for i := range at {
		at[i], q[i] = kernel.V3(3, 0, 0), kernel.Quat{Z: sin, W: cos} // along the circle
	}
	at[1] = kernel.V3(2.5, 0, 0)
	require.NoError(t, s.State().Position.Write(ctx, at))
	require.NoError(t, s.State().Orientation.Write(ctx, q))
	require.NoError(t, s.Reset(ctx, exec.Array[int32]{}))
	values := make([]float32, 2*n)
	for i := 0; i < 2*n; i += 2 {
		values[i] = float32(math.Atan(0.33/3) / 0.4189)
	}
	in := vehicle.Inputs{Actions: coursetest.Upload(t, device, values), Ground: groundOf(l)}
	steep := float32(0)
	for range 300 {
		before := read(t, s)
		require.NoError(t, l.LocateAt(ctx, s.State().Position))
		require.NoError(t, s.StepAt(ctx, in))
		h := read(t, s)
		for i := range runAgents {
			p := h.Position[i]
			angle := math.Atan2(float64(p.Y), float64(p.X))
			require.InDelta(t, 0.3*math.Sin(angle)*math.Cos(angle), p.Z, 0.02)
			require.InDelta(t, (p.Z-before.Position[i].Z)/0.02, h.Velocity[i].Z, 1e-3)
			steep = max(steep, h.Velocity[i].Z)
			require.Zero(t, h.Position[runAgents+i].Z)
		}
	}
	require.Greater(t, steep, float32(0.2))
}
