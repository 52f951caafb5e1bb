package relaxation_test

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
)

// The road of the tests.
const (
	testHalfWidth = float32(0.1)
	testTarget    = float32(0.23)
	testReach     = float32(0.345)
	testMinRadius = float32(0.115)
	testBending   = float32(1.5)
	testGamma     = float32(0.9)
	testOmega     = float32(1.2)
)

// reference relaxes one loop as docs/spec/pipeline.md, section 6, says it, with plain slices, and counts the points
// that have more close ones than slots.
type reference struct {
	settings
	x, before []kernel.Vec2
	rest      float32
	skip      int
	close     [][]int
	dropped   int32
}

func relaxByReference(s settings, loop []kernel.Vec2) ([]kernel.Vec2, int32) {
	r := &reference{settings: s, x: append([]kernel.Vec2(nil), loop...)}
	n := len(loop)
	var perimeter kernel.TwoFloat
	for i := range loop {
		perimeter = perimeter.Add(length(minus(loop[(i+1)%n], loop[i])))
	}
	r.rest = perimeter.Float32() / float32(max(n, 1))
	r.skip = int(relaxation.Band(s.band, testHalfWidth, r.rest))
	for k := range int(s.sweeps) {
		r.sweep(k)
	}
	for half := range 2 * int(s.smooth) {
		factor := []float32{0.5, -0.53}[half%2]
		r.step(func(i, left, right int) kernel.Vec2 {
			return plus(r.x[i], r.towardsMiddle(i, left, right, factor))
		})
	}
	for range s.spacings {
		r.step(func(i, left, right int) kernel.Vec2 {
			return plus(r.x[i], minus(r.pull(i, right), r.pull(left, i)))
		})
	}
	for i, p := range r.x {
		if p.X != p.X {
			r.x[i].X = kernel.NaN()
		}
		if p.Y != p.Y {
			r.x[i].Y = kernel.NaN()
		}
	}
	return r.x, r.dropped
}

// step moves all points at once.
func (r *reference) step(move func(i, left, right int) kernel.Vec2) {
	n := len(r.x)
	moved := make([]kernel.Vec2, n)
	for i := range moved {
		moved[i] = move(i, (i+n-1)%n, (i+1)%n)
	}
	r.before, r.x = r.x, moved
}

func (r *reference) sweep(k int) {
	searches, remembers := k%int(r.refresh) == 0, r.slots > 0 && r.refresh > 1
	if searches || !remembers {
		r.close = make([][]int, len(r.x))
	}
	if searches {
		for i := range r.x {
			r.search(i, remembers)
		}
	}
	before := r.before
	r.step(func(i, left, right int) kernel.Vec2 {
		moved := plus(r.x[i], r.separation(i))
		moved = plus(moved, minus(r.pull(i, right), r.pull(left, i)))
		moved = plus(moved, r.bending(i, left, right))
		if k < int(r.accelerated) {
			return moved
		}
		last := r.x[i]
		if k > int(r.accelerated) {
			last = before[i]
		}
		return kernel.V2(chebyshev(moved.X, r.x[i].X, last.X), chebyshev(moved.Y, r.x[i].Y, last.Y))
	})
}

func chebyshev(moved, x, last float32) float32 {
	return float32(testOmega*(float32(testGamma*(moved-x))+(x-last))) + last
}

// search notes the points that may push point i. Points are remembered if they are within reach, by blocks of eight, as
// a point that is not a number is close to all in the blocks that are near; else every point is a candidate.
func (r *reference) search(i int, remembers bool) {
	n := len(r.x)
	for j, q := range r.x {
		apart := max(i, j) - min(i, j)
		if min(apart, n-apart) <= r.skip {
			continue
		}
		d := minus(r.x[i], q)
		if remembers && (square(d) >= float32(testReach*testReach) || r.blockIsFar(i, j/8*8)) {
			continue
		}
		r.close[i] = append(r.close[i], j)
	}
	if remembers && len(r.close[i]) > int(r.slots) {
		r.close[i] = r.close[i][:r.slots]
		r.dropped++
	}
}

func (r *reference) blockIsFar(i, first int) bool {
	block := r.x[first:min(first+8, len(r.x))]
	lo, hi := block[0], block[0]
	for _, p := range block[1:] {
		lo = kernel.V2(kernel.Min(lo.X, p.X), kernel.Min(lo.Y, p.Y))
		hi = kernel.V2(kernel.Max(hi.X, p.X), kernel.Max(hi.Y, p.Y))
	}
	p := r.x[i]
	return p.X-hi.X >= testReach || lo.X-p.X >= testReach || p.Y-hi.Y >= testReach || lo.Y-p.Y >= testReach
}

func (r *reference) separation(i int) kernel.Vec2 {
	var sum kernel.Vec2
	pushes := 0
	for _, j := range r.close[i] {
		d := minus(r.x[i], r.x[j])
		if square(d) < float32(testTarget*testTarget) {
			distance := kernel.Max(length(d), 1e-9)
			sum = plus(sum, times(d, float32(0.5*(testTarget-distance))/distance))
			pushes++
		}
	}
	if pushes == 0 {
		return sum
	}
	return times(sum, 1/float32(pushes))
}

// pull is the correction of the edge from i to j.
func (r *reference) pull(i, j int) kernel.Vec2 {
	d := minus(r.x[j], r.x[i])
	return times(d, float32(0.25*(length(d)-r.rest))/kernel.Max(length(d), 1e-9))
}

// bending moves nothing where the radius is large; the sum with -0 keeps the sign of a zero.
func (r *reference) bending(i, left, right int) kernel.Vec2 {
	none := kernel.V2(float32(math.Copysign(0, -1)), float32(math.Copysign(0, -1)))
	a, chord := minus(r.x[i], r.x[left]), minus(r.x[right], r.x[left])
	doubled := float32(2 * kernel.Abs(float32(a.X*chord.Y)-float32(a.Y*chord.X)))
	sides := float32(length(a) * length(minus(r.x[right], r.x[i])))
	// The kernel's test without a root: it decides where numbers overflow or are none.
	bound := float32(doubled * testMinRadius)
	if !(float32(1.001*float32(bound*bound)) >= float32(float32(sides*sides)*square(chord))) {
		return none
	}
	product := kernel.Max(float32(sides*length(chord)), 1e-12)
	if bound <= product {
		return r.towardsMiddle(i, left, right, 0)
	}
	radius := product / doubled
	part := kernel.Min(float32(testBending*((testMinRadius-radius)/testMinRadius)), 1)
	return r.towardsMiddle(i, left, right, part)
}

func (r *reference) towardsMiddle(i, left, right int, factor float32) kernel.Vec2 {
	return kernel.V2(
		float32(factor*(float32(0.5*(r.x[left].X+r.x[right].X))-r.x[i].X)),
		float32(factor*(float32(0.5*(r.x[left].Y+r.x[right].Y))-r.x[i].Y)))
}

func plus(a, b kernel.Vec2) kernel.Vec2  { return kernel.V2(a.X+b.X, a.Y+b.Y) }
func minus(a, b kernel.Vec2) kernel.Vec2 { return kernel.V2(a.X-b.X, a.Y-b.Y) }
func times(a kernel.Vec2, factor float32) kernel.Vec2 {
	return kernel.V2(float32(a.X*factor), float32(a.Y*factor))
}
func square(a kernel.Vec2) float32 { return float32(a.X*a.X) + float32(a.Y*a.Y) }
func length(a kernel.Vec2) float32 { return float32(math.Sqrt(float64(square(a)))) }
