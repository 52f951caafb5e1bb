package obstacle

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
)

// boxes are the boxes of an env and what a query answers about them.
type boxes struct {
	position, previous []kernel.Vec3
	turn               []kernel.Quat
	half               []kernel.Vec2

	integers []int32
	floats   []float32
	normal   []kernel.Vec2
}

func (b *boxes) query(swept int32) {
	n := int32(len(b.position))
	b.integers, b.floats, b.normal = make([]int32, 2*n), make([]float32, (1+swept)*n), make([]kernel.Vec2, n)
	for i := range n {
		touchAgents(i, n, n, swept, b.position, b.previous, b.turn, b.half, b.integers, b.floats, b.normal)
	}
}

// two returns the boxes i and j alone, of which none is skipped.
func (b *boxes) two(i, j int) *boxes {
	return &boxes{position: []kernel.Vec3{b.position[i], b.position[j]},
		previous: []kernel.Vec3{b.previous[i], b.previous[j]},
		turn:     []kernel.Quat{b.turn[i], b.turn[j]}, half: []kernel.Vec2{b.half[i], b.half[j]}}
}

func drawBoxes(r *rand.Rand, n int, size float32) *boxes {
	b := &boxes{}
	for range n {
		at := kernel.V3(float32(r.NormFloat64())*size, float32(r.NormFloat64())*size, 0)
		b.position = append(b.position, at)
		b.previous = append(b.previous, kernel.V3(at.X+r.Float32()-0.5, at.Y+r.Float32()-0.5, 0))
		sin, cos := math.Sincos(r.Float64() * 7)
		b.turn = append(b.turn, kernel.Quat{Z: float32(sin), W: float32(cos)})
		b.half = append(b.half, kernel.V2(0.05+r.Float32()*0.2, 0.05+r.Float32()*0.1))
	}
	return b
}

// hostile replaces a part of the boxes by ones with ties, NaNs and numbers that are too large.
func (b *boxes) hostile(r *rand.Rand) {
	for i := range b.position {
		switch r.IntN(3) {
		case 0:
			b.position[i], b.turn[i], b.half[i] = drawnVector(r), quaternion(r), halves(r)
		case 1:
			b.position[i], b.turn[i], b.previous[i] = drawnVector(r), kernel.Quat{W: 1}, drawnVector(r)
			b.half[i] = kernel.V2(0.125, 0.25)
		}
	}
}

// Pairs that cannot matter are skipped; the result has the bits of a search through all pairs.
func TestSkippedPairsDoNotMatter(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 78))
	found := 0
	for round := range 3000 {
		b := drawBoxes(r, 1+r.IntN(7), 0.5)
		if round%2 == 0 {
			b.hostile(r)
		}
		b.query(1)
		n := len(b.position)
		for i := range n {
			other, distance, first := int32(-1), kernel.Inf(), kernel.Inf()
			normal := kernel.V2(kernel.NaN(), kernel.NaN())
			for j := range n {
				if i == j {
					continue
				}
				p := b.two(min(i, j), max(i, j))
				p.query(1)
				own := 0
				if i > j {
					own = 1
				}
				if p.integers[2+own] >= 0 && p.floats[own] < distance {
					other, distance, normal = int32(j), p.floats[own], p.normal[own]
				}
				first = smaller(first, p.floats[2+own])
			}
			if other < 0 {
				distance = kernel.NaN()
			}
			if first > 1 {
				first = kernel.NaN()
			} else {
				found++
			}
			require.Equal(t, other, b.integers[n+i], "round %d, box %d", round, i)
			hit := int32(0)
			if distance <= 0 {
				hit = 1
			}
			require.Equal(t, hit, b.integers[i], "round %d, box %d", round, i)
			equalFloat(t, distance, b.floats[i], "distance", round)
			equalFloat(t, first, b.floats[n+i], "first contact", round)
			equalFloat(t, normal.X, b.normal[i].X, "normal x", round)
			equalFloat(t, normal.Y, b.normal[i].Y, "normal y", round)
		}
	}
	assert.Greater(t, found, 1000)
}

// Two boxes find the same distance and the same time, with the same bits, and opposite normals.
func TestPairsAreSymmetric(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 78))
	for round := range 20_000 {
		b := drawBoxes(r, 2, 0.3)
		if round%2 == 0 {
			b.hostile(r)
		}
		b.query(1)
		require.Equal(t, b.integers[0], b.integers[1], "round %d", round)
		if b.integers[2] < 0 {
			require.Equal(t, int32(-1), b.integers[3], "round %d", round)
			continue
		}
		require.Equal(t, []int32{1, 0}, b.integers[2:])
		equalFloat(t, b.floats[0], b.floats[1], "distance", round)
		equalFloat(t, b.floats[2], b.floats[3], "first contact", round)
		require.Equal(t, b.normal[0], kernel.V2(-b.normal[1].X, -b.normal[1].Y), "round %d", round)
	}
}

// corners returns the corners of a box at a place, in float64.
func corners(at kernel.Vec2, q kernel.Quat, h kernel.Vec2) (c [4][2]float64) {
	yaw := math.Atan2(2*(float64(q.W)*float64(q.Z)+float64(q.X)*float64(q.Y)),
		1-2*(float64(q.Y)*float64(q.Y)+float64(q.Z)*float64(q.Z)))
	sin, cos := math.Sincos(yaw)
	for k, s := range [4][2]float64{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
		x, y := s[0]*float64(h.X), s[1]*float64(h.Y)
		c[k] = [2]float64{float64(at.X) + cos*x - sin*y, float64(at.Y) + sin*x + cos*y}
	}
	return c
}

// signedDistance returns the distance of two convex polygons, or the negative depth, by projections of all corners on
// the normals of all edges, and by the distances of all corners from all edges.
func signedDistance(a, b [4][2]float64) float64 {
	gap, distance := math.Inf(-1), math.Inf(1)
	for _, two := range [][2][4][2]float64{{a, b}, {b, a}} {
		for k, from := range two[0] {
			to := two[0][(k+1)%4]
			x, y := to[0]-from[0], to[1]-from[1]
			length := math.Hypot(x, y)
			apart := math.Inf(1)
			for _, c := range two[1] {
				apart = min(apart, ((c[0]-from[0])*y-(c[1]-from[1])*x)/length)
				s := max(0, min(1, ((c[0]-from[0])*x+(c[1]-from[1])*y)/(length*length)))
				distance = min(distance, math.Hypot(c[0]-from[0]-s*x, c[1]-from[1]-s*y))
			}
			gap = max(gap, apart)
		}
	}
	if gap <= 0 {
		return gap
	}
	return distance
}

func TestDistancesOfBoxes(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 78))
	for round := range 20_000 {
		b := drawBoxes(r, 2, 0.3)
		b.query(0)
		at := func(shift kernel.Vec2) float64 {
			return signedDistance(corners(planOf(b.position[0]).Add(shift), b.turn[0], b.half[0]),
				corners(planOf(b.position[1]), b.turn[1], b.half[1]))
		}
		want := at(kernel.V2(0, 0))
		got := b.floats[0]
		require.InDelta(t, want, got, 2e-6, "round %d", round)
		if math.Abs(want) > 2e-6 {
			require.Equal(t, want <= 0, b.integers[0] == 1, "round %d", round)
		}
		n := b.normal[0]
		require.InDelta(t, 1, n.Len(), 1e-5, "round %d", round)
		if got < 0 { // moved along the normal by the depth, box 0 just touches box 1
			require.InDelta(t, 0, at(n.Scale(-got)), 5e-6, "round %d", round)
		} else if got > 1e-3 {
			require.InDelta(t, got-5e-4, at(n.Scale(-5e-4)), 5e-6, "round %d", round)
		}
	}
}

func TestFirstContactOfBoxes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 78))
	found := 0
	for round := range 3000 {
		b := drawBoxes(r, 2, 0.5)
		b.query(1)
		first := float64(b.floats[2])
		if b.integers[0] == 1 {
			require.LessOrEqual(t, first, 1.0, "round %d", round)
		}
		at := func(s float64) float64 {
			return signedDistance(corners(wayOf(b.previous[0], b.position[0], s), b.turn[0], b.half[0]),
				corners(wayOf(b.previous[1], b.position[1], s), b.turn[1], b.half[1]))
		}
		const steps, small = 300, 1e-5
		before := first
		if first != first {
			before = 2
		} else {
			found++
			require.LessOrEqual(t, at(first), small, "round %d: contact at %v", round, first)
		}
		for k := range steps + 1 {
			if s := float64(k) / steps; s < before {
				require.GreaterOrEqual(t, at(s), -small, "round %d: no contact at %v, first is %v", round, s, first)
			}
		}
	}
	assert.Greater(t, found, 300)
}

// Fast cars that change places meet in the middle, and a car that is paused or alone meets nobody.
func TestWaysOfTwoCars(t *testing.T) {
	b := &boxes{position: []kernel.Vec3{{X: 5}, {X: -5}, {X: kernel.NaN()}, {Y: 100}},
		previous: []kernel.Vec3{{X: -5}, {X: 5}, {}, {Y: kernel.NaN()}},
		turn:     []kernel.Quat{{W: 1}, {W: 1}, {W: 1}, {W: 1}}, half: make([]kernel.Vec2, 4)}
	for i := range b.half {
		b.half[i] = kernel.V2(0.5, 0.25)
	}
	b.query(1)
	require.Equal(t, []int32{0, 0, 0, 0, 1, 0, -1, 0}, b.integers)
	require.Equal(t, []float32{9, 9}, b.floats[:2], "boxes of length 1, 10 apart")
	require.InDeltaSlice(t, []float32{0.45, 0.45}, b.floats[4:6], 1e-6)
	require.True(t, kernel.IsNaN(b.floats[2]) && kernel.IsNaN(b.floats[6]) && kernel.IsNaN(b.floats[7]))
	require.Equal(t, []kernel.Vec2{{X: 1}, {X: -1}}, b.normal[:2])
	require.True(t, kernel.IsNaN(b.normal[2].X))
	forgetAgents(1, 2, []int32{1, 0}, b.previous)
	forgetAgents(2, 2, []int32{1, 0}, b.previous)
	require.True(t, isNaN3(b.previous[1]))
	require.Equal(t, kernel.Vec3{}, b.previous[2])
	b.query(1)
	require.Equal(t, []float32{9, 9}, b.floats[:2])
	require.Equal(t, []float32{0, 0}, b.floats[4:6], "box 1 has stood where box 0 was")
}

// Boxes that come to rest where they just touch have a first contact, whatever rounding makes of their ways.
func TestContactOfBoxesAtTheEndOfTheirWays(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 78))
	late := 0
	for round := range 50_000 {
		b := drawBoxes(r, 2, 1)
		b.turn[1], b.turn[0] = kernel.Quat{W: 1}, kernel.Quat{W: 1}
		b.position[1] = b.position[0].Add(kernel.V3(b.half[0].X+b.half[1].X, (r.Float32()-0.5)*0.1, 0))
		b.query(1)
		if b.integers[0] == 0 {
			continue
		}
		require.True(t, b.floats[2] >= 0 && b.floats[2] <= 1, "round %d: %v", round, b.floats[2])
		if b.floats[2] == 1 {
			late++
		}
	}
	assert.Positive(t, late)
}
