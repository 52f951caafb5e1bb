package localise_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

func (l lines) upload(t testing.TB, device backend.Device) localise.Source {
	t.Helper()
	return localise.Source{Center: coursetest.Upload(t, device, l.center),
		Arclen: coursetest.Upload(t, device, l.arclen), Length: coursetest.Upload(t, device, l.length),
		Count: coursetest.Upload(t, device, l.count)}
}

// newLocaliser makes a localiser of lines that is closed at the end of the test.
func newLocaliser(t testing.TB, device backend.Device, l lines, agents, window int) *localise.Localiser {
	t.Helper()
	localiser, err := localise.New(device, l.upload(t, device), localise.Config{Agents: agents, WarmWindow: window})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, localiser.Close()) })
	return localiser
}

// framesOf reads the frames of a localiser.
func framesOf(t testing.TB, l *localise.Localiser) frames {
	t.Helper()
	b, err := l.Frames().Read(t.Context())
	require.NoError(t, err)
	return frames{s: b.S, n: b.N, up: b.NUp, segment: b.Segment, memory: b.Memory}
}

// requireSame compares every bit of two sets of frames.
func requireSame(t coursetest.Fataler, want, got frames) {
	t.Helper()
	for i := range want.segment {
		if want.segment[i] != got.segment[i] || want.memory[i] != got.memory[i] {
			t.Fatalf("agent %d: segment %d, memory %d; must be %d, %d", i, got.segment[i], got.memory[i], want.segment[i],
				want.memory[i])
		}
	}
	coursetest.SameBits(t, "s", want.s, got.s)
	coursetest.SameBits(t, "n", want.n, got.n)
	coursetest.SameBits(t, "n_up", want.up, got.up)
}

// measured gives lines their arc lengths.
func (l lines) measured() lines {
	l.arclen, l.length = make([]float32, len(l.center)), make([]float32, len(l.count))
	for e := range l.count {
		points := l.row(e)
		for i, p := range points {
			l.arclen[e*l.stride()+i] = l.length[e]
			l.length[e] += points[(i+1)%len(points)].Sub(p).Len()
		}
	}
	return l
}

// winding returns a line of n points that winds around the origin, with hills.
func winding(n int, seed uint64) []kernel.Vec3 {
	r := rand.New(rand.NewPCG(seed, 1))
	var phase [4]float64
	for k := range phase {
		phase[k] = 2 * math.Pi * r.Float64()
	}
	var line []kernel.Vec3
	for i := range n {
		angle := 2 * math.Pi * float64(i) / float64(n)
		radius := 1 + 0.3*math.Sin(3*angle+phase[0]) + 0.2*math.Sin(5*angle+phase[1]) + 0.05*math.Sin(17*angle+phase[2])
		line = append(line, kernel.V3(float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)),
			float32(0.1*math.Sin(2*angle+phase[3]))))
	}
	return line
}

// pick returns one of the choices.
func pick[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }

// adverse returns lines that are hard to search: points on a grid that repeat and lie on each other, and all counts
// around the least; with odd, also points that are not numbers or far away.
func adverse(r *rand.Rand, envs, stride int, odd bool) lines {
	var l lines
	for range envs {
		shift, scale := pick[float32](r, 0, 0, 1000, 1e6), pick[float32](r, 1, 1, 1e-3, 1e9)
		for range stride {
			p := kernel.V3(float32(r.IntN(7)), float32(r.IntN(7)), float32(r.IntN(2))).Scale(scale)
			if r.IntN(3) == 0 {
				p = kernel.V3(7*r.Float32(), 7*r.Float32(), r.Float32()).Scale(scale)
			}
			p.X += shift
			if odd && r.IntN(4) == 0 {
				p.Y = pick(r, kernel.NaN(), kernel.Inf(), -kernel.Inf(), 1e30, -1e18, 1e-30, 1e15)
			}
			l.center = append(l.center, p)
		}
		l.count = append(l.count, int32(pick(r, stride, stride, stride+3, r.IntN(stride+1), 3, 2, 0, -1)))
	}
	for i := range l.count {
		if l.count[i] < 0 {
			l.count[i] = 0
		}
	}
	l = l.measured()
	for i := range l.count {
		if l.count[i] == 0 {
			l.count[i] = int32(pick(r, 0, -1))
		}
	}
	return l
}

// placed returns a position near a line, on it, far from it or nowhere.
func placed(r *rand.Rand, l lines, e int) kernel.Vec3 {
	p := l.center[e*l.stride()+r.IntN(l.stride())]
	q := l.center[e*l.stride()+r.IntN(l.stride())]
	switch r.IntN(8) {
	case 0:
		return p
	case 1: // as far from one as from the other
		return p.Add(q.Sub(p).Scale(0.5))
	case 2:
		return p.Add(kernel.V3(float32(r.NormFloat64()), float32(r.NormFloat64()), float32(r.NormFloat64())).Scale(1e4))
	case 3:
		p.X = pick(r, kernel.NaN(), kernel.Inf(), 1e15, -1e15, 1e16, 1e30)
		return p
	case 4:
		return kernel.V3(float32(r.IntN(9)), float32(r.IntN(9)), float32(r.IntN(3)))
	default:
		return p.Add(q.Sub(p).Scale(r.Float32())).Add(kernel.V3(r.Float32(), r.Float32(), r.Float32()).Scale(0.1))
	}
}
