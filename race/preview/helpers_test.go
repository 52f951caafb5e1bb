package preview_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/preview"
)

// lines are a batch of closed lines with everything that a Source may have. Arrays of points have the same stride.
type lines struct {
	center, outer, inner     []kernel.Vec3
	arclen, curvature, speed []float32
	length, winding          []float32
	count                    []int32
}

func (l lines) stride() int { return len(l.center) / len(l.count) }

// upload makes a source with all arrays.
func (l lines) upload(t testing.TB, device backend.Device) preview.Source {
	t.Helper()
	return preview.Source{Center: coursetest.Upload(t, device, l.center), Arclen: coursetest.Upload(t, device, l.arclen),
		Length: coursetest.Upload(t, device, l.length), Count: coursetest.Upload(t, device, l.count),
		Outer: coursetest.Upload(t, device, l.outer), Inner: coursetest.Upload(t, device, l.inner),
		Winding:   coursetest.Upload(t, device, l.winding),
		Curvature: coursetest.Upload(t, device, l.curvature), Speed: coursetest.Upload(t, device, l.speed)}
}

// roads returns closed roads that wind around the origin, with hills. With uneven, segments differ in length, some are
// short, and some envs have fewer points than others, or none.
func roads(r *rand.Rand, envs, n int, uneven bool) lines {
	l := lines{}
	for e := range envs {
		count, way := n, 1-2*float64(e%2)
		if uneven {
			count = pick(r, n, n, n-r.IntN(3), 3, 2, 0)
		}
		phase, s := 2*math.Pi*r.Float64(), float64(0)
		first := len(l.center)
		for i := range n {
			t := float64(i)
			if uneven && i%3 != 0 {
				t -= pick(r, 0, 0.9, 0.5, 1)
			}
			angle := way * 2 * math.Pi * t / float64(n)
			radius := 3 + math.Sin(3*angle+phase)
			p := kernel.V3(float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)), float32(0.2*math.Sin(2*angle)))
			out := kernel.V3(p.X/float32(radius), p.Y/float32(radius), 0.1).Scale(0.3)
			if i > 0 {
				s += float64(p.Sub(l.center[len(l.center)-1]).Len())
			}
			l.center, l.outer, l.inner = append(l.center, p), append(l.outer, p.Add(out)), append(l.inner, p.Sub(out))
			l.arclen = append(l.arclen, float32(s))
			l.curvature, l.speed = append(l.curvature, float32(r.NormFloat64())), append(l.speed, 10*r.Float32())
		}
		l.winding, l.count = append(l.winding, float32(way)), append(l.count, int32(count))
		length := float32(0)
		if count > 0 {
			last := first + count - 1
			length = l.arclen[last] + l.center[first].Sub(l.center[last]).Len()
		}
		l.length = append(l.length, length)
	}
	return l
}

// anyTurn returns a rotation of any length.
func anyTurn(r *rand.Rand) kernel.Quat {
	n := func() float32 { return float32(r.NormFloat64()) }
	return kernel.Quat{X: n(), Y: n(), Z: n(), W: n()}
}

// pick returns one of the choices.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }
