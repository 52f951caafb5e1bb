package vehicle_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

const (
	runEnvs   = 5
	runAgents = 3
)

// variants returns a configuration for each way through the kernels, with parameters that differ between envs.
func variants() (list []vehicle.Config) {
	for _, model := range vehicle.Models() {
		for _, integrator := range []string{vehicle.RK4, vehicle.SemiImplicitEuler} {
			list = append(list, config(func(c *vehicle.Config) {
				c.NumEnvs, c.Agents, c.Model, c.Integrator = runEnvs, runAgents, model, integrator
				c.Substeps, c.TimeStep, c.Seed = 2, 0.05, 11
				c.StartSpeed = vehicle.Range{Min: -4, Max: 15}
				if integrator == vehicle.RK4 {
					c.Control, c.Tyres = vehicle.Rate, vehicle.FrictionCircle
				}
				c.Car.Mass, c.Car.Friction = vehicle.Around(4, 0.2), vehicle.Range{Min: 0, Max: 1.2}
				c.Car.StiffnessFront, c.Car.SteeringMax = vehicle.Around(5, 0.3), vehicle.Range{Min: 0.2, Max: 0.5}
				c.Car.Length, c.Drone.ThrustLag = vehicle.Around(0.6, 0.2), vehicle.Range{Min: 0, Max: 0.1}
				c.Drone.Mass, c.Drone.DragSide = vehicle.Around(0.8, 0.2), vehicle.Range{Min: 0, Max: 1}
			}))
		}
	}
	return list
}

// hill returns a line of each env around the origin, with hills.
func hill(t testing.TB, device backend.Device, envs int) *localise.Localiser {
	const points = 24
	var center []kernel.Vec3
	var arclen, length []float32
	var count []int32
	for e := range envs {
		total := float32(0)
		for k := range points {
			sin, cos := kernel.Sincos(float32(k) * 2 * 3.1415927 / points)
			radius := float32(3 + e)
			center = append(center, kernel.V3(radius*cos, radius*sin, 0.3*sin*cos))
			arclen = append(arclen, total)
			total += radius * 0.26
		}
		length, count = append(length, total), append(count, points)
	}
	count[envs-1] = 0
	l, err := localise.New(device, localise.Source{Center: coursetest.Upload(t, device, center),
		Arclen: coursetest.Upload(t, device, arclen), Length: coursetest.Upload(t, device, length),
		Count: coursetest.Upload(t, device, count)}, localise.Config{Agents: runAgents})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	return l
}

// groundOf returns the ground of a localiser.
func groundOf(l *localise.Localiser) vehicle.Ground {
	a := l.Arrays()
	return vehicle.Ground{Index: a.Index, Segment: l.Frames().Segment, MaxPoints: int(a.MaxPoints)}
}

// words returns every number of a state and of parameters.
func words(t testing.TB, s *vehicle.State, p *vehicle.Parameters) []uint32 {
	t.Helper()
	var all []uint32
	add := func(columns []column.Device) {
		for _, c := range columns {
			if c.IsAbsent() {
				continue
			}
			w, err := c.Words(t.Context())
			require.NoError(t, err)
			all = append(all, w...)
		}
	}
	add(vehicle.BodySchema.Device(&s.DeviceBody))
	add(vehicle.CarSchema.Device(&s.Car))
	add(vehicle.DroneSchema.Device(&s.Drone))
	if p != nil {
		add(vehicle.CarParameterSchema.Device(&p.Car))
		add(vehicle.DroneParameterSchema.Device(&p.Drone))
	}
	return all
}

// run is a simulator in a loop, with its inputs.
type run struct {
	t         *testing.T
	random    *rand.Rand
	simulator *vehicle.Simulator
	localiser *localise.Localiser
	in        vehicle.Inputs
	mask      exec.Array[int32]
	stream    backend.Stream
}

// newRun makes a run with places on and off the lines. One agent is paused.
func newRun(t *testing.T, device backend.Device, c vehicle.Config, with ...vehicle.Option) *run {
	t.Helper()
	r := &run{t: t, random: rand.New(rand.NewPCG(1, 2)), simulator: newSimulator(t, device, c, with...),
		localiser: hill(t, device, c.NumEnvs), mask: coursetest.Upload(t, device, make([]int32, c.NumEnvs))}
	r.in = vehicle.Inputs{
		Actions: coursetest.Upload(t, device, make([]float32, c.NumEnvs*c.Agents*vehicle.Channels(c.Model))),
		Hold:    coursetest.Upload(t, device, make([]int32, c.NumEnvs))}
	if c.Model != vehicle.Drone {
		r.in.Ground = groundOf(r.localiser)
	}
	n := c.NumEnvs * c.Agents
	positions, orientations := make([]kernel.Vec3, n), make([]kernel.Quat, n)
	for i := range positions {
		positions[i] = kernel.V3(6*r.random.Float32()-3, 6*r.random.Float32()-3, 0)
		sin, cos := kernel.Sincos(3 * r.random.Float32())
		orientations[i] = kernel.Quat{Z: sin, W: cos}
	}
	positions[4].Y = kernel.NaN()
	require.NoError(t, r.simulator.State().Position.Write(t.Context(), positions))
	require.NoError(t, r.simulator.State().Orientation.Write(t.Context(), orientations))
	return r
}

// act writes new actions, some of which are not numbers from -1 to 1, and holds some envs.
func (r *run) act() {
	actions := make([]float32, r.in.Actions.Len())
	for i := range actions {
		actions[i] = 2.4*r.random.Float32() - 1.2
		if r.random.IntN(20) == 0 {
			actions[i] = []float32{kernel.NaN(), kernel.Inf(), -kernel.Inf(), 1e30}[r.random.IntN(4)]
		}
	}
	hold := make([]int32, r.in.Hold.Len())
	hold[r.random.IntN(len(hold))] = 3
	require.NoError(r.t, r.in.Actions.Write(r.t.Context(), actions))
	require.NoError(r.t, r.in.Hold.Write(r.t.Context(), hold))
}

// do notes the state after each of some calls that together are one way to run.
func (r *run) do(calls ...func(ctx context.Context) error) []uint32 {
	for _, call := range calls {
		require.NoError(r.t, call(r.t.Context()))
	}
	require.NoError(r.t, r.stream.Sync())
	return words(r.t, r.simulator.State(), r.simulator.Parameters())
}

// history runs resets and steps, and returns the words of the states.
func history(t *testing.T, device backend.Device, c vehicle.Config, captured bool) (all [][]uint32) {
	t.Helper()
	ctx := t.Context()
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	r := newRun(t, device, c, vehicle.WithStream(stream))
	r.stream = stream
	position := r.simulator.State().Position
	reset := func(ctx context.Context) error { return r.simulator.Reset(ctx, r.mask) }
	whole := func(ctx context.Context) error { return r.simulator.Reset(ctx, exec.Array[int32]{}) }
	all = append(all, r.do(whole))
	for range 3 {
		r.act()
		require.NoError(t, r.localiser.LocateAt(ctx, position))
		require.NoError(t, device.CurrentStream().Sync())
		all = append(all, r.do(func(ctx context.Context) error { return r.simulator.StepAt(ctx, r.in) }))
	}
	require.NoError(t, r.simulator.Bind(r.in))
	require.NoError(t, device.CurrentStream().Sync())
	var graph backend.Graph
	if captured {
		require.NoError(t, stream.BeginCapture())
		require.NoError(t, r.simulator.Reset(ctx, r.mask))
		require.NoError(t, r.simulator.Step(ctx))
		graph, err = stream.EndCapture()
		require.NoError(t, err)
		defer func() { require.NoError(t, graph.Close()) }()
	}
	for k := range 12 {
		r.act()
		mask := make([]int32, c.NumEnvs)
		if k%3 == 0 {
			mask[k%c.NumEnvs] = 7
		}
		require.NoError(t, r.mask.Write(ctx, mask))
		require.NoError(t, r.localiser.LocateAt(ctx, position))
		require.NoError(t, device.CurrentStream().Sync())
		if captured {
			all = append(all, r.do(func(context.Context) error { return stream.Replay(graph) }))
		} else {
			all = append(all, r.do(reset, r.simulator.Step))
		}
	}
	return all
}

// checkRuns checks that a device gives the bits of one worker of the CPU, in calls and in a graph that is replayed.
func checkRuns(t *testing.T, device backend.Device, c vehicle.Config) {
	t.Helper()
	want := history(t, coursetest.OpenCPU(t, backend.Workers(1)), c, false)
	for _, captured := range []bool{false, true} {
		got := history(t, device, c, captured)
		require.Len(t, got, len(want))
		for k := range want {
			require.Equal(t, want[k], got[k], "%s %s, captured %v, state %d", c.Model, c.Integrator, captured, k)
		}
	}
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for _, c := range variants() {
			checkRuns(t, coursetest.OpenCPU(t, backend.Workers(workers)), c)
		}
	}
}

// The hot methods allocate nothing and wait for nothing, on a device that is watched.
func TestHotMethods(t *testing.T) {
	for _, c := range variants() {
		device := exectest.Instrument(coursetest.OpenCPU(t))
		bound, at := newRun(t, device, c), newRun(t, device, c)
		require.NoError(t, bound.simulator.Bind(bound.in))
		calls := map[string]func(ctx context.Context) error{
			"step":      bound.simulator.Step,
			"step at":   func(ctx context.Context) error { return at.simulator.StepAt(ctx, at.in) },
			"reset":     func(ctx context.Context) error { return at.simulator.Reset(ctx, at.mask) },
			"reset all": func(ctx context.Context) error { return at.simulator.Reset(ctx, exec.Array[int32]{}) },
		}
		for name, call := range calls {
			require.NoError(t, call(t.Context())) // remembers the work
			require.NoError(t, exectest.HotPath(device, exectest.Options{}).Do(t.Context(), call), name)
			if testing.CoverMode() == "" {
				assert.Zero(t, testing.AllocsPerRun(20, func() { _ = call(t.Context()) }), name)
			}
		}
	}
}

// A clone keeps its numbers while steps change the state.
func TestClone(t *testing.T) {
	r := newRun(t, coursetest.OpenCPU(t), variants()[0])
	r.act()
	require.NoError(t, r.simulator.Reset(t.Context(), exec.Array[int32]{}))
	clone, err := r.simulator.State().Clone(t.Context())
	require.NoError(t, err)
	before := words(t, r.simulator.State(), nil)
	require.NoError(t, r.simulator.StepAt(t.Context(), r.in))
	require.NotEqual(t, before, words(t, r.simulator.State(), nil))
	require.Equal(t, before, words(t, clone, nil))
	require.NoError(t, clone.Close())
}

// The schemas have no mistake.
func TestSchemas(t *testing.T) {
	require.NoError(t, vehicle.BodySchema.Err())
	require.NoError(t, vehicle.CarSchema.Err())
	require.NoError(t, vehicle.CarParameterSchema.Err())
	require.NoError(t, vehicle.DroneSchema.Err())
	require.NoError(t, vehicle.DroneParameterSchema.Err())
}
