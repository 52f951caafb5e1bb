package rangefinder_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/rangefinder"
)

// scene is what beams can hit in a batch of envs, and where the agents are.
type scene struct {
	inner, outer []kernel.Vec3
	count        []int32

	discs []kernel.Vec3

	gate  []kernel.Vec3
	axes  []kernel.Quat
	width []float32

	position    []kernel.Vec3
	orientation []kernel.Quat
	half        []kernel.Vec2
}

func (s scene) envs() int   { return len(s.count) }
func (s scene) stride() int { return len(s.inner) / len(s.count) }

// border returns the points of a border of an env.
func (s scene) border(points []kernel.Vec3, e int) []kernel.Vec3 {
	n := min(int(s.count[e]), s.stride())
	if n < 3 {
		return nil
	}
	return points[e*s.stride():][:n]
}

// source uploads what beams can hit, with the borders alone unless all is true.
func (s scene) source(t testing.TB, device backend.Device, all bool) rangefinder.Source {
	t.Helper()
	source := rangefinder.Source{Envs: s.envs(), Borders: collision.BorderSource{
		Outer: coursetest.Upload(t, device, s.outer), Inner: coursetest.Upload(t, device, s.inner),
		Center: coursetest.Upload(t, device, s.inner), Count: coursetest.Upload(t, device, s.count)}}
	if all {
		gates := make([]int32, s.envs())
		for e := range gates {
			gates[e] = int32(len(s.gate) / s.envs())
		}
		source.Discs = coursetest.Upload(t, device, s.discs)
		source.Frames = collision.FrameSource{Position: coursetest.Upload(t, device, s.gate),
			Orientation: coursetest.Upload(t, device, s.axes), HalfSize: coursetest.Upload(t, device, s.width),
			Count: coursetest.Upload(t, device, gates), Valid: coursetest.Upload(t, device, gates)}
	}
	return source
}

func (s scene) inputs(t testing.TB, device backend.Device) rangefinder.Inputs {
	t.Helper()
	return rangefinder.Inputs{Position: coursetest.Upload(t, device, s.position),
		Orientation: coursetest.Upload(t, device, s.orientation), HalfExtents: coursetest.Upload(t, device, s.half)}
}

// scan runs an update.
func (s scene) scan(t testing.TB, device backend.Device, source rangefinder.Source,
	c rangefinder.Config) *rangefinder.Batch {
	t.Helper()
	finder, err := rangefinder.New(device, source, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, finder.Close()) }()
	require.NoError(t, finder.UpdateAt(t.Context(), s.inputs(t, device)))
	b, err := finder.Scans().Read(t.Context())
	require.NoError(t, err)
	return b
}

// road returns a scene of winding roads of n points about the origin, with agents between the borders.
func road(r *rand.Rand, envs, n, perEnv int) (s scene) {
	for range envs {
		p1, p2 := 2*math.Pi*r.Float64(), 2*math.Pi*r.Float64()
		at := func(t, aside float64) kernel.Vec3 {
			a := 2 * math.Pi * t
			radius := 10 + 2*math.Sin(3*a+p1) + 1.5*math.Sin(5*a+p2) + aside
			return kernel.V3(float32(radius*math.Cos(a)), float32(radius*math.Sin(a)), 0)
		}
		for i := range n {
			s.inner = append(s.inner, at(float64(i)/float64(n), -0.6))
			s.outer = append(s.outer, at(float64(i)/float64(n), 0.6))
		}
		s.count = append(s.count, int32(n))
		for range perEnv {
			t := r.Float64()
			s.position = append(s.position, at(t, r.Float64()-0.5))
			s.half = append(s.half, kernel.V2(0.3, 0.15))
			s.discs = append(s.discs, at(t+0.01, r.Float64()-0.5))
			s.gate = append(s.gate, at(t+0.02, 0))
			s.width = append(s.width, 0.3+0.2*r.Float32())
			s.axes = append(s.axes, yaw(2*math.Pi*(t+0.25)))
			s.orientation = append(s.orientation, yaw(2*math.Pi*r.Float64()))
		}
	}
	return s
}

// drive returns a scene of roads, four times as large as those of road, with one car in each env that looks along it.
func drive(r *rand.Rand, envs, n int) scene {
	s := road(r, envs, n, 1)
	for i := range s.inner {
		s.inner[i], s.outer[i] = s.inner[i].Scale(4), s.outer[i].Scale(4)
	}
	for e := range envs {
		at := e*n + r.IntN(n-1)
		along := s.inner[at+1].Sub(s.inner[at])
		s.position[e] = s.inner[at].Add(s.outer[at].Sub(s.inner[at]).Scale(0.2 + 0.6*r.Float32()))
		s.orientation[e] = yaw(math.Atan2(float64(along.Y), float64(along.X)) + 0.3*r.NormFloat64())
	}
	return s
}

func yaw(angle float64) kernel.Quat {
	return kernel.Quat{Z: float32(math.Sin(angle / 2)), W: float32(math.Cos(angle / 2))}
}

// pick returns one of the choices.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// adverse returns borders on a grid that repeat points, cross and lie on each other, with all counts around the least,
// and agents on their points; with odd, also points that are not numbers, or far away.
func adverse(r *rand.Rand, envs, stride, perEnv int, odd bool) (s scene) {
	for range envs {
		scale := pick[float32](r, 1, 1, 1e-3, 1e6)
		point := func() kernel.Vec3 {
			p := kernel.V3(float32(r.IntN(7)), float32(r.IntN(7)), 0)
			if r.IntN(4) == 0 {
				p = kernel.V3(7*r.Float32(), 7*r.Float32(), 0)
			}
			return p.Scale(scale)
		}
		for range stride {
			s.inner, s.outer = append(s.inner, point()), append(s.outer, point())
			if odd && r.IntN(9) == 0 {
				s.outer[len(s.outer)-1].Y = pick(r, kernel.NaN(), kernel.Inf(), 1e30, -1e18, 1e-30, 1e15)
			}
		}
		s.count = append(s.count, int32(pick(r, stride, stride, stride+3, r.IntN(stride+1), 3, 2, 0, -1)))
		for range perEnv {
			p := pick(r, point(), s.inner[len(s.inner)-1-r.IntN(stride)])
			if odd {
				p.X = pick(r, p.X, p.X, p.X, kernel.NaN(), kernel.Inf(), 1e25, 1e35)
			}
			s.position, s.half = append(s.position, p), append(s.half, kernel.V2(0.5, 0.25).Scale(scale))
			s.orientation = append(s.orientation, pick(r, kernel.Quat{W: 1}, yaw(math.Pi/4), yaw(6*r.Float64()),
				kernel.Quat{Z: 1}))
			s.discs = append(s.discs, point())
			s.gate, s.axes, s.width = append(s.gate, point()), append(s.axes, yaw(r.Float64())), append(s.width, scale)
		}
	}
	return s
}
