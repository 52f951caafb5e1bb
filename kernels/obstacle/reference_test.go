package obstacle

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
)

// This file has the rules written down a second time, for one box and one env, without searches that skip anything.
// Numbers are rounded as C-1 says.

func smaller(a, b float32) float32 {
	switch {
	case a != a:
		return b
	case b != b || a < b:
		return a
	}
	return b
}

func larger(a, b float32) float32 {
	switch {
	case a != a:
		return b
	case b != b || a > b:
		return a
	}
	return b
}

// turned is rot2 for an angle given by its cosine and sine.
func turned(cos, sin float32, v kernel.Vec2) kernel.Vec2 {
	return kernel.Vec2{X: float32(cos*v.X) - float32(sin*v.Y), Y: float32(sin*v.X) + float32(cos*v.Y)}
}

func length2(v kernel.Vec2) float32 {
	return float32(math.Sqrt(float64(float32(v.X*v.X) + float32(v.Y*v.Y))))
}

// heading returns the cosine and the sine of the yaw of an orientation.
func heading(q kernel.Quat) (cos, sin float32) {
	sin = float32(2 * (float32(q.W*q.Z) + float32(q.X*q.Y)))
	cos = 1 - float32(2*(float32(q.Y*q.Y)+float32(q.Z*q.Z)))
	size := larger(absolute(cos), absolute(sin))
	if size == 0 {
		return 1, 0
	}
	cos, sin = cos/size, sin/size
	size = length2(kernel.Vec2{X: cos, Y: sin})
	return cos / size, sin / size
}

func absolute(x float32) float32 { return float32(math.Abs(float64(x))) }

func isNaN3(v kernel.Vec3) bool { return v.X != v.X || v.Y != v.Y || v.Z != v.Z }

// discResult is what C-77 answers.
type discResult struct {
	disc    int32
	depth   float32
	nearest kernel.Vec2
}

// referenceDiscs is C-77.
func referenceDiscs(p kernel.Vec3, q kernel.Quat, h kernel.Vec2, discs []kernel.Vec3, radius float32) discResult {
	nan := kernel.NaN()
	none := discResult{disc: -1, nearest: kernel.Vec2{X: nan, Y: nan}}
	if isNaN3(p) {
		return none
	}
	cos, sin := heading(q)
	best := none
	for i, c := range discs {
		if isNaN3(c) {
			continue
		}
		v := turned(cos, -sin, kernel.Vec2{X: c.X - p.X, Y: c.Y - p.Y})
		away := kernel.Vec2{X: larger(absolute(v.X)-h.X, 0), Y: larger(absolute(v.Y)-h.Y, 0)}
		pen := radius - length2(away)
		if pen >= 0 && (best.disc < 0 || pen > best.depth) {
			w := turned(cos, sin, kernel.Vec2{X: smaller(larger(-h.X, v.X), h.X), Y: smaller(larger(-h.Y, v.Y), h.Y)})
			d := kernel.Vec2{X: (p.X + w.X) - c.X, Y: (p.Y + w.Y) - c.Y}
			n := larger(length2(d), 1e-8)
			best = discResult{disc: int32(i), depth: pen,
				nearest: kernel.Vec2{X: c.X + float32(d.X/n*radius), Y: c.Y + float32(d.Y/n*radius)}}
		}
	}
	return best
}

// frameResult is what C-78 answers.
type frameResult struct {
	hit   int32
	depth float32
}

// referenceFrames is C-78.
func referenceFrames(p kernel.Vec3, target int32, gate []kernel.Vec3, turn []kernel.Quat, half []float32,
	valid int32, window int32, radius, t, d float32) frameResult {
	n := int32(len(gate))
	if valid == 0 || n < 1 || isNaN3(p) {
		return frameResult{}
	}
	var r frameResult
	for k := range window {
		i := ((target-1+k)%n + n) % n
		hs, q := half[i], turn[i]
		if gate[i].X != gate[i].X || hs != hs {
			continue
		}
		v := kernel.Vec3{X: p.X - gate[i].X, Y: p.Y - gate[i].Y, Z: p.Z - gate[i].Z}
		c := float32(float32(2*q.W)*q.W) - 1
		dot := float32(2 * (float32(q.X*v.X) + float32(q.Y*v.Y) + float32(q.Z*v.Z)))
		v = kernel.Vec3{
			X: float32(v.X*c) + float32(q.X*dot) - float32(float32((float32(q.Y*v.Z)-float32(q.Z*v.Y))*q.W)*2),
			Y: float32(v.Y*c) + float32(q.Y*dot) - float32(float32((float32(q.Z*v.X)-float32(q.X*v.Z))*q.W)*2),
			Z: float32(v.Z*c) + float32(q.Z*dot) - float32(float32((float32(q.X*v.Y)-float32(q.Y*v.X))*q.W)*2),
		}
		for _, box := range [][2]kernel.Vec3{
			{{Y: hs + t/2}, {X: d / 2, Y: t / 2, Z: hs + t}}, {{Y: -(hs + t/2)}, {X: d / 2, Y: t / 2, Z: hs + t}},
			{{Z: hs + t/2}, {X: d / 2, Y: hs + t, Z: t / 2}}, {{Z: -(hs + t/2)}, {X: d / 2, Y: hs + t, Z: t / 2}},
		} {
			a := kernel.Vec3{X: absolute(v.X-box[0].X) - box[1].X, Y: absolute(v.Y-box[0].Y) - box[1].Y,
				Z: absolute(v.Z-box[0].Z) - box[1].Z}
			x, y, z := larger(a.X, 0), larger(a.Y, 0), larger(a.Z, 0)
			sd := float32(math.Sqrt(float64(float32(x*x)+float32(y*y)+float32(z*z)))) +
				smaller(larger(a.X, larger(a.Y, a.Z)), 0) - radius
			if sd < 0 {
				r = frameResult{hit: 1, depth: larger(r.depth, -sd)}
			}
		}
	}
	return r
}

// number draws a number, sometimes one that makes ties or has no value.
func number(r *rand.Rand) float32 {
	switch r.IntN(40) {
	case 0:
		return kernel.NaN()
	case 1:
		return kernel.Inf() * float32(1-2*r.IntN(2))
	case 2:
		return 0
	case 3:
		return float32(r.IntN(5)-2) * 0.25
	case 4:
		return float32(r.NormFloat64() * 1e6)
	}
	return float32(r.Float64()*2 - 1)
}

func drawnVector(r *rand.Rand) kernel.Vec3 {
	if r.IntN(3) == 0 { // coordinates that repeat
		return kernel.V3(float32(r.IntN(9)-4)*0.25, float32(r.IntN(9)-4)*0.25, float32(r.IntN(3)-1)*0.25)
	}
	return kernel.V3(number(r), number(r), number(r))
}

func quaternion(r *rand.Rand) kernel.Quat {
	switch r.IntN(4) {
	case 0:
		return kernel.Quat{W: 1}
	case 1:
		return kernel.Quat{X: number(r), Y: number(r), Z: number(r), W: number(r)}
	}
	sin, cos := math.Sincos(r.Float64() * math.Pi)
	return kernel.Quat{Z: float32(sin), W: float32(cos)}
}

// halves draws half extents or sizes.
func halves(r *rand.Rand) kernel.Vec2 {
	if r.IntN(10) == 0 {
		return kernel.V2(number(r), number(r))
	}
	return kernel.V2(float32(r.IntN(4))*0.125, r.Float32()*0.3)
}

// equalFloat requires equal bits, and no NaN but kernel.NaN.
func equalFloat(t *testing.T, want, got float32, message string, round int) {
	t.Helper()
	if want != want {
		require.Equal(t, kernel.NaNBits, math.Float32bits(got), "%s, round %d", message, round)
		return
	}
	require.Equal(t, math.Float32bits(want), math.Float32bits(got), "%s is %v, want %v, round %d", message, got, want,
		round)
}
