package collision_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// roads are tracks of the tests in host memory, all with the same stride.
type roads struct {
	stride               int
	outer, center, inner []kernel.Vec3
	count                []int32
}

// add appends an env whose lines have the given points.
func (r *roads) add(count int, inner, outer, center []kernel.Vec3) {
	row := func(points []kernel.Vec3) []kernel.Vec3 {
		line := make([]kernel.Vec3, r.stride)
		for i := range line {
			line[i] = kernel.V3(kernel.NaN(), kernel.NaN(), 0)
		}
		copy(line, points)
		return line
	}
	r.inner, r.outer, r.center = append(r.inner, row(inner)...), append(r.outer, row(outer)...),
		append(r.center, row(center)...)
	r.count = append(r.count, int32(count))
}

// envs returns the number of envs.
func (r *roads) envs() int { return len(r.count) }

// source uploads the roads.
func (r *roads) source(t testing.TB, device backend.Device) collision.BorderSource {
	return collision.BorderSource{
		Outer: coursetest.Upload(t, device, r.outer), Center: coursetest.Upload(t, device, r.center),
		Inner: coursetest.Upload(t, device, r.inner), Count: coursetest.Upload(t, device, r.count)}
}

// winding adds a road of n points with bends. All coordinates are multiplied by scale.
func (r *roads) winding(draw *rand.Rand, n int, scale float64) {
	a, b := draw.Float64()*6, draw.Float64()*6
	at := func(i int, offset float64) kernel.Vec3 {
		angle := 2 * math.Pi * float64(i) / float64(n)
		radius := scale * (3 + math.Sin(3*angle+a) + 0.4*math.Sin(7*angle+b) + offset)
		return kernel.V3(float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)), 0)
	}
	var inner, outer, center []kernel.Vec3
	for i := range n {
		inner, outer, center = append(inner, at(i, -0.2)), append(outer, at(i, 0.2)), append(center, at(i, 0))
	}
	r.add(n, inner, outer, center)
}

// oddNumbers are coordinates that arithmetic cannot be trusted with.
var oddNumbers = []float32{kernel.NaN(), kernel.Inf(), -kernel.Inf(), 1e30, -1e20, 1e16, 3e-34, 1e-42, 0, -1e8}

// scatter adds a road of n points at random, of which some repeat and, with odd, some are odd numbers.
func (r *roads) scatter(draw *rand.Rand, n int, scale float32, odd bool) {
	line := func() []kernel.Vec3 {
		points := make([]kernel.Vec3, n)
		for i := range points {
			points[i] = kernel.V3(scale*(draw.Float32()*2-1), scale*(draw.Float32()*2-1), draw.Float32())
			if i > 0 && draw.IntN(4) == 0 {
				points[i] = points[i-1]
			}
			if draw.IntN(6) == 0 {
				points[i].Y = points[draw.IntN(i+1)].Y
			}
		}
		if odd {
			points[draw.IntN(n)].X = oddNumbers[draw.IntN(len(oddNumbers))]
			points[draw.IntN(n)].Y = oddNumbers[draw.IntN(len(oddNumbers))]
		}
		return points
	}
	r.add(n, line(), line(), line())
}

// mixedRoads returns roads of all kinds: with bends and at random, of few and many points, large and small, with odd
// numbers, and degenerate ones.
func mixedRoads(seed uint64) *roads {
	draw := rand.New(rand.NewPCG(seed, 77))
	r := &roads{stride: 97}
	for _, n := range []int{97, 84, 65, 20, 3} {
		r.winding(draw, n, 1)
		r.winding(draw, n, []float64{1e-6, 1e3, 1e9, 1e-12}[draw.IntN(4)])
		r.scatter(draw, n, 1, false)
		r.scatter(draw, n, []float32{1e-7, 1, 1e5}[draw.IntN(3)], true)
		r.scatter(draw, n, 2, true)
	}
	line := []kernel.Vec3{{}, {X: 1}, {Y: 1}}
	for _, count := range []int{-5, 0, 1, 2, 3, 1 << 30} {
		r.add(count, line, line, line)
	}
	return r
}

// drawScene draws boxes near the points of roads: on vertices, on segments, around and far away; without a size,
// large, with negative and with odd extents.
func (r *roads) drawScene(draw *rand.Rand, boxes int) boxScene {
	var s boxScene
	for i := range r.envs() * boxes {
		line := [][]kernel.Vec3{r.inner, r.outer, r.center}[draw.IntN(3)]
		env := i / boxes
		n := max(1, min(int(r.count[env]), r.stride))
		k := draw.IntN(n)
		p, q := line[env*r.stride+k], line[env*r.stride+(k+1)%n]
		size := q.Sub(p).Len() + 1e-3*kernel.Abs(p.X)
		switch draw.IntN(8) {
		case 0:
		case 1, 2:
			p = p.Add(q.Sub(p).Scale(draw.Float32()))
		case 3:
			p = p.Add(kernel.V3(draw.Float32()-0.5, draw.Float32()-0.5, 0).Scale(1000 * size))
		case 4:
			p.X = oddNumbers[draw.IntN(len(oddNumbers))]
		default:
			p = p.Add(kernel.V3(draw.Float32()-0.5, draw.Float32()-0.5, 0).Scale(8 * size))
		}
		half := kernel.V2(draw.Float32(), draw.Float32()).Scale(size)
		switch draw.IntN(12) {
		case 0:
			half = kernel.V2(0, 0)
		case 1:
			half = half.Scale(-1)
		case 2:
			half.X = oddNumbers[draw.IntN(len(oddNumbers))]
		case 3:
			half = half.Scale(200)
		}
		turn := drawTurn(draw)
		switch draw.IntN(10) {
		case 0:
			turn = kernel.Quat{W: 1}
		case 1:
			turn.Z = oddNumbers[draw.IntN(len(oddNumbers))]
		}
		s.position, s.turn, s.half = append(s.position, p), append(s.turn, turn), append(s.half, half)
	}
	return s
}

// onRoad draws boxes of cars along the centrelines of roads: at most half of around off it on each axis.
func (r *roads) onRoad(draw *rand.Rand, boxes int, around float32) (s boxScene) {
	for i := range r.envs() * boxes {
		k := i / boxes * r.stride
		p := r.center[k+draw.IntN(max(1, int(r.count[i/boxes])))]
		p = p.Add(kernel.V3(draw.Float32()-0.5, draw.Float32()-0.5, 0).Scale(around))
		sin, cos := math.Sincos(draw.Float64() * 3)
		s.position, s.turn = append(s.position, p), append(s.turn, kernel.Quat{Z: float32(sin), W: float32(cos)})
		s.half = append(s.half, kernel.V2(0.05, 0.02))
	}
	return s
}
