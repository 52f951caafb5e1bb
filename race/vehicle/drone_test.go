package vehicle_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// flight is a drone in float64 with a rotation matrix, whose columns are the axes of its body, where the kernels have a
// quaternion (L-10).
type flight struct {
	config vehicle.DroneConfig

	at, velocity, rates [3]float64
	body                [3][3]float64 // columns
	thrust              float64
}

// step moves the drone by a time in fine steps of the midpoint method.
func (f *flight) step(actions [4]float64, time float64, fine int) {
	h := time / float64(fine)
	for range fine {
		middle := *f
		middle.advance(*f, actions, h/2)
		f.advance(middle, actions, h)
	}
}

// advance moves the drone by h as fast as another state changes.
func (f *flight) advance(from flight, actions [4]float64, h float64) {
	c := f.config
	wanted := [3]float64{actions[1] * c.TiltRate.Max, actions[2] * c.TiltRate.Max, actions[3] * c.TurnRate.Max}
	f.thrust += h * ((1+actions[0])/2*c.ThrustMax.Max - from.thrust) / c.ThrustLag.Max
	up := from.body[2]
	climb := from.velocity[0]*up[0] + from.velocity[1]*up[1] + from.velocity[2]*up[2]
	for k := range 3 {
		f.rates[k] += h * (wanted[k] - from.rates[k]) / c.RateLag.Max
		f.at[k] += h * from.velocity[k]
		drag := c.DragSide.Max*(from.velocity[k]-climb*up[k]) + c.DragUp.Max*climb*up[k]
		f.velocity[k] += h * (from.thrust*up[k] - drag) / c.Mass.Max
	}
	f.velocity[2] -= h * 9.81
	w := from.rates
	for k := range 3 { // the axes turn with the rates about them
		x, y, z := from.body[0][k], from.body[1][k], from.body[2][k]
		f.body[0][k] += h * (w[2]*y - w[1]*z)
		f.body[1][k] += h * (w[0]*z - w[2]*x)
		f.body[2][k] += h * (w[1]*x - w[0]*y)
	}
}

// Over 10 s of varied flight, drones stay near a reference in float64 with fine steps.
func TestAccuracyOfDrones(t *testing.T) {
	for _, c := range []struct {
		integrator string
		substeps   int
		bound      float64 // in metres, over a way of about 60 m
	}{{vehicle.RK4, 1, 2e-4}, {vehicle.SemiImplicitEuler, 8, 0.1}} {
		setup := config(func(to *vehicle.Config) {
			to.Model, to.Integrator, to.Substeps = vehicle.Drone, c.integrator, c.substeps
		})
		s := newSimulator(t, coursetest.OpenCPU(t), setup)
		f := flight{config: setup.Drone, body: [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
			thrust: setup.Drone.Mass.Max * 9.81}
		actions := coursetest.Upload(t, s.State().Position.Device(), make([]float32, 4))
		worst := 0.0
		for k := range 500 {
			time := 0.02 * float64(k)
			a := []float32{float32(-0.6 + 0.2*math.Sin(time)), float32(0.1 * math.Sin(2.1*time)),
				float32(0.1 * math.Cos(1.7*time)), float32(0.3 * math.Sin(0.5*time))}
			drive(t, s, actions, a)
			f.step([4]float64{float64(a[0]), float64(a[1]), float64(a[2]), float64(a[3])}, 0.02, 100)
			h := read(t, s)
			p := h.Position[0]
			worst = max(worst, math.Abs(float64(p.X)-f.at[0]), math.Abs(float64(p.Y)-f.at[1]), math.Abs(float64(p.Z)-f.at[2]))
			require.InDelta(t, f.thrust, h.Drone.Thrust[0], 1e-2)
			require.InDelta(t, f.rates[1], h.Drone.PitchRate[0], 1e-3)
		}
		t.Log(c, worst, f.at)
		require.Less(t, worst, c.bound, "%+v", c)
	}
}

// After fierce actions, every number of a drone is finite, its orientation has unit length, and its thrust and its
// rates are within their limits.
func TestLimitsOfDrones(t *testing.T) {
	const envs = 200
	for _, integrator := range []string{vehicle.RK4, vehicle.SemiImplicitEuler} {
		c := config(func(c *vehicle.Config) {
			c.NumEnvs, c.Model, c.Integrator, c.TimeStep = envs, vehicle.Drone, integrator, 0.05
			c.StartSpeed = vehicle.Range{Min: -30, Max: 30}
			c.Drone.ThrustLag, c.Drone.RateLag = vehicle.Range{Min: 0, Max: 1}, vehicle.Range{Min: 0, Max: 1}
			c.Drone.DragSide, c.Drone.Mass = vehicle.Range{Min: 0, Max: 20}, vehicle.Range{Min: 0.5, Max: 2}
			c.Drone.TiltRate = vehicle.Range{Min: 0, Max: 1000}
		})
		s := newSimulator(t, coursetest.OpenCPU(t), c)
		actions := coursetest.Upload(t, s.State().Position.Device(), make([]float32, 4*envs))
		p, err := s.Parameters().Read(t.Context())
		require.NoError(t, err)
		values, r := make([]float32, 4*envs), rand.New(rand.NewPCG(1, 2))
		for k := range 500 {
			fierce(r, values)
			drive(t, s, actions, values)
			h := read(t, s)
			for i := range h.Position {
				at, v, q, d := h.Position[i], h.Velocity[i], h.Orientation[i], h.Drone
				require.True(t, finite(at.X, at.Y, at.Z, v.X, v.Y, v.Z, q.X, q.Y, q.Z, q.W), "step %d, drone %d", k, i)
				require.InDelta(t, 1, q.X*q.X+q.Y*q.Y+q.Z*q.Z+q.W*q.W, 1e-5)
				require.LessOrEqual(t, d.Thrust[i], p.Drone.ThrustMax[i]*1.00001)
				require.GreaterOrEqual(t, d.Thrust[i], float32(0))
				require.LessOrEqual(t, kernel.Abs(d.RollRate[i]), p.Drone.TiltRate[i]*1.00001)
				require.LessOrEqual(t, kernel.Abs(d.YawRate[i]), p.Drone.TurnRate[i]*1.00001)
			}
		}
	}
}
