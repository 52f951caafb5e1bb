package vehicle_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// scripted returns varied actions: a car weaves, brakes, and drives backwards at the end.
func scripted(k int, backwards bool) (steer, drive float32) {
	t := float64(k) * 0.02
	steer, drive = float32(0.5*math.Sin(1.7*t)), float32(0.3*math.Sin(0.9*t)+0.01)
	if k%100 > 80 {
		steer = 0.2
	}
	if backwards {
		drive = -0.05
	}
	return steer, drive
}

// stateOf returns the state of the only car, as the reference has it.
func stateOf(t *testing.T, s *vehicle.Simulator) vector {
	h := read(t, s)
	return vector{float64(h.Position[0].X), float64(h.Position[0].Y), float64(h.Car.Steering[0]),
		float64(h.Car.Speed[0]), float64(h.Car.Yaw[0]), float64(h.Car.YawRate[0]), float64(h.Car.Slip[0])}
}

// Over 10 s of varied actions, cars stay near a reference in float64 with a hundred times as many parts of a step. The
// bounds are those of the position in metres, over a way of about 40 m, and of the yaw.
func TestAccuracy(t *testing.T) {
	type bounds struct{ position, yaw float64 }
	for _, c := range []struct {
		model, integrator, control string
		substeps                   int
		backwards                  bool
		bounds                     bounds
	}{
		{vehicle.Kinematic, vehicle.RK4, vehicle.Target, 1, false, bounds{2e-3, 1e-4}},
		{vehicle.Kinematic, vehicle.RK4, vehicle.Rate, 1, false, bounds{2e-3, 1e-3}},
		{vehicle.Kinematic, vehicle.RK4, vehicle.Target, 1, true, bounds{2e-3, 1e-4}},
		{vehicle.Kinematic, vehicle.SemiImplicitEuler, vehicle.Target, 8, false, bounds{2e-2, 5e-3}},
		{vehicle.SingleTrack, vehicle.RK4, vehicle.Target, 1, false, bounds{0.12, 0.015}},
		{vehicle.SingleTrack, vehicle.RK4, vehicle.Target, 8, false, bounds{1e-3, 1e-4}},
		{vehicle.SingleTrack, vehicle.RK4, vehicle.Target, 8, true, bounds{2e-3, 2e-4}},
		{vehicle.SingleTrack, vehicle.SemiImplicitEuler, vehicle.Target, 8, false, bounds{2e-2, 5e-3}},
	} {
		setup := config(func(to *vehicle.Config) {
			to.Model, to.Integrator, to.Control, to.Substeps = c.model, c.integrator, c.control, c.substeps
		})
		s, r := newSimulator(t, coursetest.OpenCPU(t), setup), reference{config: setup}
		actions := coursetest.Upload(t, s.State().Position.Device(), make([]float32, 2))
		var worst bounds
		for k := range 500 {
			steer, power := scripted(k, c.backwards)
			drive(t, s, actions, []float32{steer, power})
			r.step(float64(steer), float64(power), 100)
			got, want := stateOf(t, s), r.vector()
			worst.position = max(worst.position, math.Hypot(got[0]-want[0], got[1]-want[1]))
			worst.yaw = max(worst.yaw, math.Abs(math.Remainder(got[4]-want[4], 2*math.Pi)))
			require.InDelta(t, want[2], got[2], 1e-4, "steering")
			require.InDelta(t, want[3], got[3], 1e-3, "speed")
		}
		t.Logf("%+v: %+v", c, worst)
		require.Less(t, worst.position, c.bounds.position, "%+v", c)
		require.Less(t, worst.yaw, c.bounds.yaw, "%+v", c)
	}
}
