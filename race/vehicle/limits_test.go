package vehicle_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

var carModels = []string{vehicle.Kinematic, vehicle.SingleTrack}

// finite reports whether all numbers are finite.
func finite(numbers ...float32) bool {
	for _, x := range numbers {
		if !kernel.IsFinite(x) {
			return false
		}
	}
	return true
}

// wrongWithCar says what is wrong with car i, or nothing: its numbers are finite and within the limits of its env, and
// its columns agree with each other.
func wrongWithCar(h *vehicle.HostState, p *vehicle.HostParameters, i int) string {
	e := i / h.Agents
	at, v, q, c := h.Position[i], h.Velocity[i], h.Orientation[i], h.Car
	const small = 1e-5
	switch {
	case !finite(at.X, at.Y, at.Z, v.X, v.Y, v.Z, q.Z, q.W, c.Steering[i], c.Speed[i], c.Yaw[i], c.YawRate[i], c.Slip[i]):
		return "not finite"
	case kernel.Abs(c.Steering[i]) > p.Car.SteeringMax[e]*(1+small):
		return "steers too far"
	case c.Speed[i] < p.Car.SpeedMin[e] || c.Speed[i] > p.Car.SpeedMax[e]:
		return "drives too fast"
	case math.Abs(float64(c.Yaw[i])) > math.Pi+small || math.Abs(float64(c.Slip[i])) > math.Pi+small:
		return "angles are not wrapped"
	case float64(kernel.Abs(c.YawRate[i])) > 1000+math.Abs(float64(c.Speed[i]))*math.Tan(float64(p.Car.SteeringMax[e]))/
		float64(p.Car.DistanceFront[e]+p.Car.DistanceRear[e])*(1+small): // 1000 sliding, the other without slip
		return "spins without end"
	case kernel.Abs(q.Z*q.Z+q.W*q.W-1) > small || q.X != 0 || q.Y != 0:
		return "orientation is not a turn about z"
	case kernel.Abs(v.Len()-kernel.Abs(c.Speed[i])) > small*(1+kernel.Abs(c.Speed[i])):
		return "velocity and speed differ"
	case h.HalfExtents[i] != kernel.V2(p.Car.HalfLength[e], p.Car.HalfWidth[e]):
		return "half extents are not those of the env"
	}
	return ""
}

// requireWithinLimits checks every car.
func requireWithinLimits(t require.TestingT, s *vehicle.Simulator, h *vehicle.HostState, p *vehicle.HostParameters,
	step int) {
	for i := range h.Position {
		if wrong := wrongWithCar(h, p, i); wrong != "" {
			require.Fail(t, wrong, "step %d, car %d of %+v: %v %v %v %v %v %v", step, i, s.Config(), h.Position[i],
				h.Car.Steering[i], h.Car.Speed[i], h.Car.Yaw[i], h.Car.YawRate[i], h.Car.Slip[i])
		}
	}
}

// fierce returns actions of which many are at a limit, as they were before, or not numbers.
func fierce(r *rand.Rand, before []float32) {
	for i := range before {
		switch r.IntN(12) {
		case 0:
			before[i] = 1
		case 1:
			before[i] = -1
		case 2:
			before[i] = 2*r.Float32() - 1
		case 3:
			before[i] = []float32{0, kernel.NaN(), 1e30, -kernel.Inf()}[r.IntN(4)]
		}
	}
}

// After a million steps of cars of all kinds with fierce actions, with friction from none to much, forwards, backwards
// and through standstill, every number is finite and within its limits.
func TestMillionFierceSteps(t *testing.T) {
	const envs, steps = 250, 500
	for _, model := range carModels {
		for _, integrator := range []string{vehicle.RK4, vehicle.SemiImplicitEuler} {
			for _, tyres := range []string{vehicle.Linear, vehicle.FrictionCircle} {
				t.Run(fmt.Sprint(model, integrator, tyres), func(t *testing.T) {
					c := config(func(c *vehicle.Config) {
						c.NumEnvs, c.Model, c.Integrator, c.Tyres, c.Agents = envs, model, integrator, tyres, 1
						c.StartSpeed, c.Car.Friction = vehicle.Range{Min: -5, Max: 20}, vehicle.Range{Min: 0, Max: 1.5}
						c.Car.Mass, c.Car.Height = vehicle.Range{Min: 1, Max: 40}, vehicle.Range{Min: 0, Max: 0.5}
						if tyres == vehicle.Linear {
							c.Control = vehicle.Rate
						}
					})
					s := newSimulator(t, coursetest.OpenCPU(t), c)
					actions := coursetest.Upload(t, s.State().Position.Device(), make([]float32, 2*envs))
					p, err := s.Parameters().Read(t.Context())
					require.NoError(t, err)
					values, r := make([]float32, 2*envs), rand.New(rand.NewPCG(1, 2))
					for k := range steps {
						fierce(r, values)
						drive(t, s, actions, values)
						if k%40 == 0 || k < 40 {
							requireWithinLimits(t, s, read(t, s), p, k)
						}
					}
				})
			}
		}
	}
}

// drawRange draws a range of a setting from the ends of what is allowed and what is between.
func drawRange(t *rapid.T, name string, low, high float64) vehicle.Range {
	ends := rapid.OneOf(rapid.Just(low), rapid.Just(high), rapid.Float64Range(low, high))
	a, b := ends.Draw(t, name), ends.Draw(t, name)
	return vehicle.Range{Min: min(a, b), Max: max(a, b)}
}

// Cars of all allowed parameters keep within their limits.
func TestLimitsOfAllCars(t *testing.T) {
	device := coursetest.OpenCPU(t)
	rapid.Check(t, func(rt *rapid.T) {
		c := config(func(c *vehicle.Config) {
			c.NumEnvs, c.Agents = 4, 2
			c.Model = rapid.SampledFrom(carModels).Draw(rt, "model")
			c.Integrator = rapid.SampledFrom([]string{vehicle.RK4, vehicle.SemiImplicitEuler}).Draw(rt, "integrator")
			c.Tyres = rapid.SampledFrom([]string{vehicle.Linear, vehicle.FrictionCircle}).Draw(rt, "tyres")
			c.Control = rapid.SampledFrom([]string{vehicle.Target, vehicle.Rate}).Draw(rt, "control")
			c.TimeStep = rapid.Float64Range(1e-4, 1).Draw(rt, "time_step")
			c.Substeps = rapid.IntRange(1, 3).Draw(rt, "substeps")
			c.StartSpeed = drawRange(rt, "start_speed", -1000, 1000)
			car := &c.Car
			car.Mass, car.Inertia = drawRange(rt, "mass", 1e-3, 1e6), drawRange(rt, "inertia", 1e-6, 1e8)
			car.Friction, car.Height = drawRange(rt, "friction", 0, 10), drawRange(rt, "height", 0, 1000)
			car.StiffnessFront, car.StiffnessRear = drawRange(rt, "front", 0, 1000), drawRange(rt, "rear", 0, 1000)
			car.DistanceFront, car.DistanceRear = drawRange(rt, "lf", 1e-3, 1000), drawRange(rt, "lr", 1e-3, 1000)
			car.SteeringMax, car.SteeringRate = drawRange(rt, "steering", 0, 1.5), drawRange(rt, "rate", 0, 1000)
			car.Acceleration, car.SwitchSpeed = drawRange(rt, "acceleration", 0, 1000), drawRange(rt, "switch", 0, 1000)
			car.SpeedMin, car.SpeedMax = drawRange(rt, "speed_min", -1000, 0), drawRange(rt, "speed_max", 0, 1000)
		})
		s, err := vehicle.New(device, vehicle.Source{}, c)
		require.NoError(rt, err)
		defer func() { require.NoError(rt, s.Close()) }()
		p, err := s.Parameters().Read(t.Context())
		require.NoError(rt, err)
		r, values := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1)), make([]float32, 16)
		actions := coursetest.Upload(t, device, values)
		for k := range 60 {
			fierce(r, values)
			drive(t, s, actions, values)
			requireWithinLimits(rt, s, read(t, s), p, k)
		}
	})
}

// Where the numbers of a substep overflow, a car goes straight on.
func TestOverflow(t *testing.T) {
	for _, integrator := range []string{vehicle.RK4, vehicle.SemiImplicitEuler} {
		s := newSimulator(t, coursetest.OpenCPU(t), config(func(c *vehicle.Config) {
			c.Integrator, c.StartSpeed = integrator, vehicle.Exactly(5)
			c.Car.Mass, c.Car.Inertia = vehicle.Exactly(1e6), vehicle.Exactly(2e-38)
		}))
		actions := coursetest.Upload(t, s.State().Position.Device(), make([]float32, 2))
		for range 20 {
			drive(t, s, actions, []float32{1, 0})
		}
		h := read(t, s)
		require.InDelta(t, 2, h.Position[0].X, 1e-4, integrator)
		require.Zero(t, h.Position[0].Y, integrator)
		require.Zero(t, h.Car.Yaw[0], integrator)
	}
}
