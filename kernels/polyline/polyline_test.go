package polyline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
)

// built returns an index with two lines of one env, of which the second has the given points.
func built(maxPoints int32, line []kernel.Vec3) (Line, []kernel.Quat) {
	row := make([]kernel.Vec3, maxPoints)
	copy(row, line)
	index, count := make([]kernel.Quat, 2*Size(maxPoints)), []int32{int32(len(line))}
	build(kernel.Group{ID: 0}, []int32{1, 0}, maxPoints, 2, 1, row, count, index)
	return LineOf(0, 1, 2, maxPoints, index), index
}

// wander returns n points at random, some of which repeat.
func wander(r *rand.Rand, n int) []kernel.Vec3 {
	line := make([]kernel.Vec3, n)
	at := kernel.V3(0, 0, 0)
	for i := range line {
		if r.IntN(8) > 0 {
			at = at.Add(kernel.V3(r.Float32()-0.5, r.Float32()-0.5, 0.1*(r.Float32()-0.5)))
		}
		line[i] = at
	}
	return line
}

// comb returns n points that go up and down, so that leaves are as far apart as a place may be from both of them.
func comb(r *rand.Rand, n int) []kernel.Vec3 {
	line := make([]kernel.Vec3, n)
	teeth := 10 + r.IntN(30)
	for i := range line {
		along, tooth := i%teeth, i/teeth
		if tooth%2 == 1 {
			along = teeth - along
		}
		line[i] = kernel.V3(0.5*float32(tooth), 0.1*float32(along), 0.01*r.Float32())
	}
	return line
}

// sizes are numbers of points: around the size of a leaf, of whole trees and of others.
var sizes = []int{3, 4, 5, 7, 8, 9, 31, 32, 33, 84, 127, 128, 129, 840}

// The leaves of a tree hold every segment once, in order; a search that passes over a node meets the next one; and the
// box of a node contains its segments.
func TestTree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		line := wander(r, n)
		l, index := built(900, line)
		next := int32(0)
		for node := int32(0); node < l.Nodes(); node++ {
			first, second := index[l.Node(node)], index[l.Node(node)+1]
			from, end := FirstLeaf(second)*LeafSegments, l.EndOf(second)
			for i := from; i < end; i++ {
				for _, p := range []kernel.Vec3{line[i], line[(int(i)+1)%n]} {
					require.True(t, first.X < p.X && p.X < first.Z && first.Y < p.Y && p.Y < first.W &&
						second.X <= p.Z && p.Z <= second.Y, "%d points: node %d does not hold %v", n, node, p)
				}
			}
			if LeavesOf(second) == 1 {
				require.Equal(t, next, from, "%d points: first segment of node %d", n, node)
				next = end
			}
			after := Skip(node, second)
			if after < l.Nodes() {
				require.Equal(t, end, FirstLeaf(index[l.Node(after)+1])*LeafSegments, "%d points: after %d", n, node)
			} else {
				require.Equal(t, []int32{l.Nodes(), int32(n)}, []int32{after, end}, "%d points: after %d", n, node)
			}
		}
		require.Equal(t, int32(n), next, "%d points", n)
	}
}

// The points are those of the line, and the first one again.
func TestPoints(t *testing.T) {
	line := wander(rand.New(rand.NewPCG(3, 4)), 5)
	l, index := built(7, line)
	for i := range int32(6) {
		require.Equal(t, line[i%5], Space(index[l.Base+i]), "point %d", i)
		require.Equal(t, Plan(index[l.Base+i]), kernel.V2(line[i%5].X, line[i%5].Y), "point %d", i)
	}
	arclen, length := []float32{0, 1, 2, 3, 4, 50, 60}, []float32{5}
	measure(kernel.Group{ID: 0}, []int32{1, 0}, 7, 2, 1, arclen, length, []int32{5}, index)
	for i := range int32(6) {
		require.Equal(t, float32(i), index[l.Base+i].W, "arc length of point %d", i)
		require.Equal(t, line[i%5], Space(index[l.Base+i]), "point %d", i)
	}
}

// scanned is Nearest by a visit to every segment.
func scanned(p kernel.Vec3, l Line, index []kernel.Quat) Foot {
	best := Foot{Squared: Far}
	for i := range l.N {
		if f := FootOn(p, i, l, index); f.Squared < best.Squared {
			best = f
		}
	}
	return best
}

// bits makes the zeros and NaNs of a foot comparable.
func bits(f Foot) string {
	return fmt.Sprintf("%d %#x %#x", f.Segment, math.Float32bits(f.Squared), math.Float32bits(f.Part))
}

// The notes hold the squares of half the distances of the boxes of leaves, a little less, and how far the points of a
// leaf are from its chord, a little more.
func TestSeparate(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range sizes {
		l, index := built(900, wander(r, n))
		separate(kernel.Group{ID: 0}, []int32{1, 0}, 900, 2, 1, index)
		leaves := Leaves(int32(n))
		for leaf := range leaves {
			beyond := []int32{1, 2, 4, mostAway}
			least := []float32{kernel.Inf(), kernel.Inf(), kernel.Inf(), kernel.Inf()}
			for other := range leaves {
				away := max(leaf-other, other-leaf)
				away = min(away, leaves-away)
				for k := range beyond {
					if away > beyond[k] {
						least[k] = min(least[k], squaredBetween(index[l.Leaf+leaf], index[l.Leaf+other]))
					}
				}
			}
			note := index[l.Note(leaf)]
			for k, x := range []float32{note.X, note.Y, note.Z, note.W} {
				want := least[k] / 4
				require.True(t, x <= want && (x == want || x >= want*(1-1e-4)),
					"%d points: leaf %d, more than %d away: %v, want %v", n, leaf, beyond[k], x, want)
			}
			bend := 0.0
			first, last := leaf*LeafSegments, min((leaf+1)*LeafSegments, l.N)
			for i := first; i <= last; i++ {
				bend = max(bend, fromChord(Space(index[l.Base+i]), Space(index[l.Base+first]), Space(index[l.Base+last])))
			}
			got := float64(index[l.Note(leaf)+1].X)
			require.True(t, got >= bend && got <= bend+1e-4, "%d points: leaf %d bends by %v, want %v", n, leaf, got, bend)
		}
	}
}

// fromChord returns the distance of p from the segment from a to e in float64.
func fromChord(p, a, e kernel.Vec3) float64 {
	wide := func(v kernel.Vec3) [3]float64 { return [3]float64{float64(v.X), float64(v.Y), float64(v.Z)} }
	q, from, to := wide(p), wide(a), wide(e)
	dot, squared, away := 0.0, 0.0, 0.0
	for k := range q {
		dot += (q[k] - from[k]) * (to[k] - from[k])
		squared += (to[k] - from[k]) * (to[k] - from[k])
	}
	part := 0.0
	if squared > 0 {
		part = min(max(dot/squared, 0), 1)
	}
	for k := range q {
		d := q[k] - from[k] - part*(to[k]-from[k])
		away += d * d
	}
	return math.Sqrt(away)
}

// spiral returns n points of two turns of a circle about a center, close to each other: many leaves are equally near to
// the center, and chords are nearer to it than points. Up to one unit, coordinates are exact to size/2^24.
func spiral(n int, center kernel.Vec3) []kernel.Vec3 {
	line := make([]kernel.Vec3, n)
	for i := range line {
		sin, cos := math.Sincos(4 * math.Pi * float64(i) / float64(n))
		line[i] = center.Add(kernel.V3(float32(cos), float32(sin), float32(i/(n/2+1))*1e-6))
	}
	return line
}

// Places about the center of a circle are equally near to all of its leaves, so what a search passes over depends on
// the last bits, also where the center is so far away that coordinates have few of them.
func TestNearestOfTheLeavesOfACircle(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, n := range []int{31, 84, 840} {
		for _, far := range []float32{0, 100, 1e4, 1e6} {
			center := kernel.V3(far, -far, far)
			l, index := built(int32(n), spiral(n, center))
			separate(kernel.Group{ID: 0}, []int32{1, 0}, int32(n), 2, 1, index)
			for range 300 {
				size := []float32{0, 1e-6, 1e-3, 0.5, 1}[r.IntN(5)]
				p := center.Add(kernel.V3(r.Float32()-0.5, r.Float32()-0.5, r.Float32()-0.5).Scale(2 * size))
				want := bits(scanned(p, l, index))
				for _, begin := range []int32{Begin(p, l, index), Beside(p, r.Int32N(int32(n)), l, index), r.Int32N(int32(n))} {
					require.Equal(t, want, bits(Nearest(p, begin, l, index)), "%d points about %v: %v from %d", n, center, p, begin)
				}
			}
		}
	}
}

// Beside returns the segment beside a place, on a straight part, and a segment of the line for any place.
func TestBeside(t *testing.T) {
	line := make([]kernel.Vec3, 100)
	for i := range line { // there and back
		line[i] = kernel.V3(float32(min(i, 100-i)), float32(i/50), 0)
	}
	l, index := built(100, line)
	for _, want := range []int32{0, 3, 20, 40} {
		p := kernel.V3(float32(want)+0.5, 0.2, 0.1)
		for _, from := range []int32{0, 3, 19, 20, 40} {
			require.Equal(t, want, Beside(p, from, l, index), "from %d", from)
		}
	}
	require.Equal(t, int32(97), Beside(kernel.V3(-2.5, 0, 0), 0, l, index), "before the first point")
	for _, x := range []float32{kernel.NaN(), kernel.Inf(), -kernel.Inf(), 1e30, -65.5, 65.5} {
		require.Equal(t, int32(0), Beside(kernel.V3(x, 0, 0), 0, l, index), "%v", x)
	}
	short, points := built(3, []kernel.Vec3{{}, {X: 1}, {Y: 1}})
	for _, x := range []float32{-60, -5, 5, 60} {
		i := Beside(kernel.V3(x, 0, 0), 0, short, points)
		require.True(t, i >= 0 && i < 3, "%v: %d", x, i)
	}
}

// Fetch reads within the lines of an env.
func TestFetch(t *testing.T) {
	for _, n := range sizes {
		_, index := built(int32(n), comb(rand.New(rand.NewPCG(1, 1)), n))
		require.True(t, Fetch(0, 2, int32(n), index), "%d points", n)
	}
}

// The search through the index gives the bits of the scan, with and without notes, also for lines with points that are
// not numbers or far away, for places on the line, and for places far from it.
func TestNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	odd := []float32{kernel.NaN(), kernel.Inf(), -kernel.Inf(), 1e30, -1e20, 1e16, 1e-30, 1e-42, 0}
	for round := range 400 {
		n := sizes[r.IntN(len(sizes))]
		line := []func(*rand.Rand, int) []kernel.Vec3{wander, comb}[r.IntN(2)](r, n)
		scale := []float32{1, 1, 1e-6, 1e6, 1e12}[r.IntN(5)]
		for i := range line {
			line[i] = line[i].Scale(scale)
		}
		if round%4 == 0 {
			for range 1 + r.IntN(4) {
				line[r.IntN(n)].Y = odd[r.IntN(len(odd))]
				line[r.IntN(n)].Z = odd[r.IntN(len(odd))]
			}
		}
		l, index := built(int32(n)+int32(r.IntN(3)), line)
		if round%3 > 0 {
			separate(kernel.Group{ID: 0}, []int32{1, 0}, (l.Leaf-l.Base)-1, 2, 1, index)
		}
		for range 50 {
			near := r.Int32N(int32(n))
			p := line[near]
			switch r.IntN(5) {
			case 0:
			case 4:
				p.X += 0.5 * scale * r.Float32()
			case 1:
				p = p.Add(kernel.V3(r.Float32(), r.Float32(), r.Float32()).Scale(scale))
			case 2:
				p = p.Add(kernel.V3(r.Float32(), r.Float32(), r.Float32()).Scale(1e3 * scale))
			case 3:
				p.X = odd[r.IntN(len(odd))]
			}
			foot := scanned(p, l, index)
			for _, begin := range []int32{Begin(p, l, index), foot.Segment, near, r.Int32N(int32(n))} {
				require.Equal(t, bits(foot), bits(Nearest(p, begin, l, index)), "round %d: %v from %d of %d", round, p, begin, n)
			}
		}
	}
}
