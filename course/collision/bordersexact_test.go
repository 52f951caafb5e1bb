package collision_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// place is a point in float64.
type place struct{ x, y float64 }

func placeOf(p kernel.Vec3) place { return place{float64(p.X), float64(p.Y)} }

func (a place) sub(b place) place     { return place{a.x - b.x, a.y - b.y} }
func (a place) dot(b place) float64   { return a.x*b.x + a.y*b.y }
func (a place) cross(b place) float64 { return a.x*b.y - a.y*b.x }

// fromSegment returns the distance of p from the segment from a to b.
func fromSegment(p, a, b place) float64 {
	d := b.sub(a)
	t := 0.0
	if d.dot(d) > 0 {
		t = min(max(p.sub(a).dot(d)/d.dot(d), 0), 1)
	}
	return math.Hypot(p.x-a.x-t*d.x, p.y-a.y-t*d.y)
}

// corners64 returns the corners of a box at p.
func corners64(p place, q kernel.Quat, h kernel.Vec2) (list [4]place) {
	x, y, z, w := float64(q.X), float64(q.Y), float64(q.Z), float64(q.W)
	sin, cos := math.Sincos(math.Atan2(2*(w*z+x*y), 1-2*(y*y+z*z)))
	for k, sign := range [4][2]float64{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
		a, b := sign[0]*float64(h.X), sign[1]*float64(h.Y)
		list[k] = place{p.x + cos*a - sin*b, p.y + sin*a + cos*b}
	}
	return list
}

// inside reports whether p is in a closed line.
func inside(p place, line []kernel.Vec3) (in bool) {
	for i := range line {
		a, b := placeOf(line[i]), placeOf(line[(i+1)%len(line)])
		if (a.y > p.y) != (b.y > p.y) && p.x < a.x+(p.y-a.y)*(b.x-a.x)/(b.y-a.y) {
			in = !in
		}
	}
	return in
}

// apart returns the distance of a box from a line, 0 if they meet.
func apart(corners [4]place, line []kernel.Vec3) float64 {
	least := math.Inf(1)
	for i := range line {
		a, b := placeOf(line[i]), placeOf(line[(i+1)%len(line)])
		left, all := false, true
		for k := range corners {
			c, d := corners[k], corners[(k+1)%4]
			least = min(least, fromSegment(c, a, b), fromSegment(a, c, d))
			left = d.sub(c).cross(a.sub(c)) >= 0
			all = all && left
			p, q := d.sub(c).cross(a.sub(c)), d.sub(c).cross(b.sub(c))
			u, v := b.sub(a).cross(c.sub(a)), b.sub(a).cross(d.sub(a))
			if p*q < 0 && u*v < 0 {
				return 0
			}
		}
		if all {
			return 0
		}
	}
	return least
}

// trueContact is the answer for a box in float64: its signed distance, and that of the border it is from.
func trueContact(corners [4]place, inner, outer []kernel.Vec3) float64 {
	deepest, out := 0.0, false
	least := func(p place, line []kernel.Vec3) float64 {
		d := math.Inf(1)
		for i := range line {
			d = min(d, fromSegment(p, placeOf(line[i]), placeOf(line[(i+1)%len(line)])))
		}
		return d
	}
	for _, c := range corners {
		if inside(c, inner) {
			out, deepest = true, max(deepest, least(c, inner))
		}
		if !inside(c, outer) {
			out, deepest = true, max(deepest, least(c, outer))
		}
	}
	distance := min(apart(corners, inner), apart(corners, outer))
	if out || distance == 0 {
		return -deepest
	}
	return distance
}

// compareWithFloat64 asks about boxes on roads of ordinary sizes and compares with float64. It returns their number.
func compareWithFloat64(t *testing.T, seed uint64, boxes int) int {
	t.Helper()
	draw, r := rand.New(rand.NewPCG(seed, 8)), &roads{stride: 90}
	for _, n := range []int{90, 60, 31, 12} {
		r.winding(draw, n, 1)
	}
	device := coursetest.OpenCPU(t, backend.Workers(2))
	b := bordersOf(t, device, r.source(t, device), collision.BordersConfig{Boxes: boxes})
	s := r.onRoad(draw, boxes, 0.5)
	got := answersOf(t, b, boxInputsOf(t, device, s))
	const tolerance = 1e-6 * 9 // of the size of a road
	for i := range s.position {
		low := i / boxes * r.stride
		high := low + int(r.count[i/boxes])
		corners := corners64(placeOf(s.position[i]), s.turn[i], s.half[i])
		want := trueContact(corners, r.inner[low:high], r.outer[low:high])
		require.InDelta(t, want, got.Distance[i], tolerance, "seed %d, box %d", seed, i)
		if math.Abs(want) > tolerance {
			require.Equal(t, want < 0, got.OutOfBounds[i] == 1, "seed %d, box %d", seed, i)
		}
		line := [2][]kernel.Vec3{r.inner[low:high], r.outer[low:high]}[got.Boundary[i]]
		p, from := placeOf(kernel.V3(got.Nearest[i].X, got.Nearest[i].Y, 0)), math.Inf(1)
		for k := range line {
			from = min(from, fromSegment(p, placeOf(line[k]), placeOf(line[(k+1)%len(line)])))
		}
		require.Less(t, from, tolerance, "seed %d, box %d: the nearest point is on the border", seed, i)
	}
	return len(s.position)
}

// Distances, and on which side of the borders a box is, are those of a search of all segments in float64.
func TestBordersAgainstFloat64(t *testing.T) {
	for seed := range uint64(3) {
		compareWithFloat64(t, seed, 250)
	}
}

// moved returns the distance of a box from the borders at a part of its way.
func moved(s, before boxScene, i int, part float64, inner, outer []kernel.Vec3) float64 {
	from, to := placeOf(before.position[i]), placeOf(s.position[i])
	at := place{from.x + part*(to.x-from.x), from.y + part*(to.y-from.y)}
	corners := corners64(at, s.turn[i], s.half[i])
	return min(apart(corners, inner), apart(corners, outer))
}

// On its way, a box touches no border before the first contact, and one at it. A thin border is not leapt over.
func TestFirstContactOfBorders(t *testing.T) {
	const boxes, steps = 60, 50
	draw, r := rand.New(rand.NewPCG(4, 8)), &roads{stride: 60}
	for _, n := range []int{60, 25} {
		r.winding(draw, n, 1)
	}
	device := coursetest.OpenCPU(t, backend.Workers(1))
	b := bordersOf(t, device, r.source(t, device), collision.BordersConfig{Boxes: boxes, Swept: true})
	before := r.onRoad(draw, boxes, 0.4)
	inputs := boxInputsOf(t, device, before)
	answersOf(t, b, inputs)
	touched, leapt := 0, 0
	for range 3 {
		s := r.onRoad(draw, boxes, 0.4)
		for i := range s.position { // some moves are short, some cross the whole course
			if i%3 > 0 {
				s.position[i] = before.position[i].Add(kernel.V3(draw.Float32()-0.5, draw.Float32()-0.5, 0))
			}
		}
		inputs.write(s)
		got := answersOf(t, b, inputs)
		for i := range s.position {
			low := i / boxes * r.stride
			high := low + int(r.count[i/boxes])
			inner, outer := r.inner[low:high], r.outer[low:high]
			first := float64(got.FirstContact[i])
			if first != first {
				require.Equal(t, collision.NoBoundary, got.FirstBoundary[i])
				first = 1
				require.Positive(t, moved(s, before, i, 1, inner, outer), "box %d", i)
			} else {
				touched++
				line := [2][]kernel.Vec3{inner, outer}[got.FirstBoundary[i]]
				require.Less(t, moved(s, before, i, first, line, line), 2e-5, "box %d at %v", i, first)
				if moved(s, before, i, 0, inner, outer) > 0 && moved(s, before, i, 1, inner, outer) > 0 {
					leapt++
				}
			}
			for k := range steps {
				part := first * float64(k) / steps
				if way := s.position[i].Sub(before.position[i]).Len(); (first-part)*float64(way) > 1e-3 {
					require.Positive(t, moved(s, before, i, part, inner, outer), "box %d at %v, before %v", i, part, first)
				}
			}
		}
		before = s
	}
	require.Greater(t, touched, 50)
	require.Greater(t, leapt, 10)
	t.Logf("%d contacts, %d of them by boxes that touch nothing at the ends of their way", touched, leapt)
}

// Without a position before, after a pause or a reset, a box has not moved. A box that stands on a border touches it at
// once.
func TestFirstContactWithoutAWay(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t, backend.Workers(1))
	square := func(side float32) []kernel.Vec3 {
		return []kernel.Vec3{{X: side, Y: side}, {X: -side, Y: side}, {X: -side, Y: -side}, {X: side, Y: -side}}
	}
	r := &roads{stride: 4}
	r.add(4, square(1), square(2), square(1.5))
	b := bordersOf(t, device, r.source(t, device), collision.BordersConfig{Swept: true})
	at := func(x float32) (float32, int32) {
		h := answersOf(t, b, boxInputsOf(t, device, boxScene{[]kernel.Vec3{{X: x}}, []kernel.Quat{{W: 1}},
			[]kernel.Vec2{{X: 0.25, Y: 0.25}}}))
		return h.FirstContact[0], h.FirstBoundary[0]
	}
	check := func(x, wantTime float32, wantBoundary int32) {
		t.Helper()
		time, boundary := at(x)
		require.True(t, sameNumber(wantTime, time), "%v: %v", x, time)
		require.Equal(t, wantBoundary, boundary)
	}
	check(1.5, kernel.NaN(), -1)
	check(-1.5, 0.25/3.0, collision.Inner) // through the middle of the course
	check(-5.5, 0.25/4, collision.Outer)
	check(kernel.NaN(), kernel.NaN(), -1)
	check(1.5, kernel.NaN(), -1) // it has no way after the pause
	check(2, 0.5, collision.Outer)
	check(2, 0, collision.Outer)
	check(1.5, 0, collision.Outer) // it leaves the border
	require.NoError(t, b.Reset(ctx, coursetest.Upload(t, device, []int32{0})))
	check(5, 0.25/3.5, collision.Outer)
	require.NoError(t, b.Reset(ctx, coursetest.Upload(t, device, []int32{1})))
	check(1.5, kernel.NaN(), -1)
}
