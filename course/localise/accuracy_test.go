package localise_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// vector is a point in float64.
type vector [3]float64

func wide(p kernel.Vec3) vector { return vector{float64(p.X), float64(p.Y), float64(p.Z)} }

func (a vector) plus(b vector, t float64) vector {
	return vector{a[0] + t*b[0], a[1] + t*b[1], a[2] + t*b[2]}
}
func (a vector) dot(b vector) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vector) long() float64        { return math.Sqrt(a.dot(a)) }

// nearest returns the distance of p from a closed line in float64, by a visit to every segment.
func nearest(p kernel.Vec3, line []kernel.Vec3) float64 {
	best := math.Inf(1)
	for i := range line {
		d, _ := distanceTo(p, line, i)
		best = min(best, d)
	}
	return best
}

// distanceTo returns the distance of p from a segment of a closed line in float64, and the part before the foot.
func distanceTo(p kernel.Vec3, line []kernel.Vec3, i int) (distance, part float64) {
	a, b := wide(line[i]), wide(line[(i+1)%len(line)])
	way := b.plus(a, -1)
	part = min(max(wide(p).plus(a, -1).dot(way)/max(way.dot(way), 1e-300), 0), 1)
	return wide(p).plus(a.plus(way, part), -1).long(), part
}

// The answers are those of float64 to within the rounding of float32: the segment is as near as the nearest one, s is
// the arc length of its foot, and the offsets have the length of the distance.
func TestAccuracy(t *testing.T) {
	device, r := coursetest.OpenCPU(t), rand.New(rand.NewPCG(21, 22))
	const agents, scale = 500, 4.0 // scale bounds the coordinates
	for _, n := range []int{3, 84, 840} {
		line := lines{center: winding(n, uint64(n)), count: []int32{int32(n)}}.measured()
		localiser := newLocaliser(t, device, line, agents, 0)
		positions := make([]kernel.Vec3, agents)
		for i := range positions {
			positions[i] = line.center[r.IntN(n)].Add(kernel.V3(2*r.Float32()-1, 2*r.Float32()-1, r.Float32()-0.5))
		}
		require.NoError(t, localiser.LocateAt(t.Context(), coursetest.Upload(t, device, positions)))
		got := framesOf(t, localiser)
		for i, p := range positions {
			segment := int(got.segment[i])
			distance, part := distanceTo(p, line.center, segment)
			require.InDelta(t, nearest(p, line.center), distance, 4e-7*scale, "%d points: %v", n, p)
			next := float64(line.length[0])
			if segment+1 < n {
				next = float64(line.arclen[segment+1])
			}
			from := float64(line.arclen[segment])
			length := float64(line.length[0])
			// A car close to the foot has an uncertain foot: the error of u is that of a coordinate over the chord.
			apart := math.Abs(float64(got.s[i]) - (from + part*(next-from)))
			require.LessOrEqual(t, min(apart, math.Abs(apart-length)), 2e-6*scale, "%d points: s of %v", n, p)
			if part > 0 && part < 1 { // else the car may be ahead of or behind the segment
				across := math.Hypot(float64(got.n[i]), float64(got.up[i]))
				require.InDelta(t, distance, across, 2e-6*scale, "%d points: offsets of %v", n, p)
			}
		}
	}
}

// An agent to the right of the way has n > 0, one above it n_up > 0, and s grows along the way.
func TestDirections(t *testing.T) {
	device := coursetest.OpenCPU(t)
	square := lines{center: []kernel.Vec3{{}, {X: 2}, {X: 2, Y: 2}, {Y: 2}}, count: []int32{4}}.measured()
	l := newLocaliser(t, device, square, 3, 0)
	position := coursetest.Upload(t, device, []kernel.Vec3{{X: 0.5, Y: -0.25}, {X: 1.75, Y: 1, Z: 0.5}, {Y: 0.5}})
	require.NoError(t, l.LocateAt(t.Context(), position))
	got := framesOf(t, l)
	require.Equal(t, []float32{0.5, 3, 7.5}, got.s)
	require.Equal(t, []float32{0.25, -0.25, 0}, got.n)
	require.Equal(t, []float32{0, 0.5, 0}, got.up)
	require.Equal(t, []int32{0, 1, 3}, got.segment)
}
