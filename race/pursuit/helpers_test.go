package pursuit_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/pursuit"
)

// yawed returns an orientation about z.
func yawed(yaw float64) kernel.Quat {
	return kernel.Quat{X: 0, Y: 0, Z: float32(math.Sin(yaw / 2)), W: float32(math.Cos(yaw / 2))}
}

// pick returns one of the choices.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// adverse returns lines that are hard to drive on: short ones, none, repeated points, numbers that are none.
func adverse(r *rand.Rand, envs, stride int) (l lines) {
	for range envs {
		l.winding(max(1, stride-r.IntN(3)), stride, r)
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

// placed returns a car near a line, far from it or nowhere.
func placed(r *rand.Rand, l lines, e int) car {
	i := r.IntN(l.stride())
	c := car{position: l.center[e*l.stride()+i], orientation: yawed(2 * math.Pi * r.Float64()), segment: int32(i)}
	c.position = c.position.Add(kernel.V3(r.Float32()-0.5, r.Float32()-0.5, 0))
	c.velocity = kernel.V3(float32(5*r.NormFloat64()), float32(5*r.NormFloat64()), 0)
	switch r.IntN(10) {
	case 0:
		c.segment = pick(r, -1, int32(l.stride()), int32(l.stride()-1), 0, math.MaxInt32, math.MinInt32)
	case 1:
		c.position.X = pick(r, kernel.NaN(), kernel.Inf(), 1e30, 1e15)
	case 2:
		c.velocity.Y = pick(r, kernel.NaN(), kernel.Inf(), 1e30, 0)
	case 3:
		c.orientation = pick(r, kernel.Quat{}, kernel.Quat{W: 1}, kernel.Quat{X: kernel.NaN()}, kernel.Quat{Z: 3e38, W: 3e38})
	}
	return c
}

// newController makes a controller that is closed at the end of the test.
func newController(t testing.TB, device backend.Device, l lines, c pursuit.Config) *pursuit.Controller {
	t.Helper()
	controller, err := pursuit.New(device, l.upload(t, device), c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, controller.Close()) })
	return controller
}
