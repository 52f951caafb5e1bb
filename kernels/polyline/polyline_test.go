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

// The notes hold the squares of half the distances of the boxes of leaves, a little less.
func TestSeparate(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range sizes {
		l, index := built(900, wander(r, n))
		separate(kernel.Group{ID: 0}, []int32{1, 0}, 900, 2, 1, index)
		leaves := Leaves(int32(n))
		for leaf := range leaves {
			least := [separations]float32{kernel.Inf(), kernel.Inf(), kernel.Inf(), kernel.Inf()}
			for other := range leaves {
				away := max(leaf-other, other-leaf)
				away = min(away, leaves-away)
				for k := range min(separations, max(away-1, 0)) {
					least[k] = min(least[k], squaredBetween(index[l.Leaf+leaf], index[l.Leaf+other]))
				}
			}
			note := index[l.Note(leaf)]
			for k, x := range []float32{note.X, note.Y, note.Z, note.W} {
				want := least[k] / 4
				require.True(t, x <= want && (x == want || x >= want*(1-1e-4)),
					"%d points: leaf %d, more than %d away: %v, want %v", n, leaf, k+1, x, want)
			}
		}
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
