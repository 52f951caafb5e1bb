package flight_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/flight"
)

// turned returns an orientation that is turned by yaw about z, and by roll about the x axis of the body.
func turned(yaw, roll float64) kernel.Quat {
	return kernel.Quat{X: float32(math.Cos(yaw/2) * math.Sin(roll/2)), Y: float32(math.Sin(yaw/2) * math.Sin(roll/2)),
		Z: float32(math.Sin(yaw/2) * math.Cos(roll/2)), W: float32(math.Cos(yaw/2) * math.Cos(roll/2))}
}

// pick returns one of the choices.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// adverse returns lines that are hard to fly along: short ones, none, repeated points, numbers that are none.
func adverse(r *rand.Rand, envs, stride, samples int) (l lines) {
	for range envs {
		l.winding(max(1, stride-r.IntN(3)), stride, samples, r)
		last := len(l.count) - 1
		for i := last * stride; i < len(l.center); i++ {
			switch r.IntN(20) {
			case 0:
				l.center[i].X = pick(r, kernel.NaN(), kernel.Inf(), 1e30, -1e18, 1e-30)
			case 1:
				l.speed[i] = pick(r, kernel.NaN(), kernel.Inf(), -3, 1e30, 0)
			case 2:
				l.center[i] = l.center[last*stride]
			}
		}
		l.count[last] = pick(r, l.count[last], l.count[last], l.count[last], 3, 2, 0, -1, int32(stride+1))
		l.length[last] = pick(r, l.length[last], l.length[last], l.length[last], 0, kernel.NaN(), 1e30)
	}
	return l
}

// placed returns a drone near a line, far from it or nowhere.
func placed(r *rand.Rand, l lines, e int) drone {
	i := r.IntN(l.stride())
	d := drone{position: l.center[e*l.stride()+i], segment: int32(i),
		orientation: turned(2*math.Pi*r.Float64(), r.NormFloat64())}
	if samples := l.samples(); samples > 0 {
		d.target = int32((i/samples + r.IntN(2)) % (l.stride() / samples))
	}
	d.position = d.position.Add(kernel.V3(r.Float32()-0.5, r.Float32()-0.5, r.Float32()-0.5))
	d.velocity = kernel.V3(float32(5*r.NormFloat64()), float32(5*r.NormFloat64()), float32(r.NormFloat64()))
	switch r.IntN(10) {
	case 0:
		d.segment = pick(r, -1, int32(l.stride()), int32(l.stride()-1), 0, math.MaxInt32, math.MinInt32)
	case 1:
		d.position.X = pick(r, kernel.NaN(), kernel.Inf(), 1e30, 1e15)
	case 2:
		d.velocity.Y = pick(r, kernel.NaN(), kernel.Inf(), 1e30, 0)
	case 3:
		d.orientation = pick(r, kernel.Quat{}, kernel.Quat{W: 1}, kernel.Quat{X: kernel.NaN()}, kernel.Quat{Z: 3e38, W: 3e38},
			kernel.Quat{X: 1})
	case 4:
		d.target = pick(r, -1, math.MaxInt32, math.MinInt32, int32(l.stride()))
	}
	return d
}

// newController makes a controller that is closed at the end of the test.
func newController(t testing.TB, device backend.Device, l lines, c flight.Config) *flight.Controller {
	t.Helper()
	controller, err := flight.New(device, l.upload(t, device), c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, controller.Close()) })
	return controller
}
