package obstacle

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
)

// Discs that cannot be in reach are skipped; the result has the bits of the rule for all of them.
func TestDiscsAgainstTheRule(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 77))
	hits := 0
	for round := range 60_000 {
		discs := make([]kernel.Vec3, r.IntN(6))
		for i := range discs {
			discs[i] = drawnVector(r)
		}
		p, q, h := drawnVector(r), quaternion(r), halves(r)
		radius := []float32{0.05, 0.25, 0.3, 1}[r.IntN(4)]
		count := int32(r.IntN(9) - 1)
		real := discs[:max(0, min(len(discs), int(count)))]
		want := referenceDiscs(p, q, h, real, radius)
		integers, floats, vectors := make([]int32, 2), make([]float32, 1), make([]kernel.Vec2, 1)
		touchDiscs(0, 1, 1, int32(len(discs)), radius, 0, []kernel.Vec3{p}, []kernel.Quat{q}, []kernel.Vec2{h}, discs,
			[]int32{count}, integers, floats, vectors)
		require.Equal(t, want.disc, integers[DiscDisc], "round %d", round)
		require.Equal(t, want.disc >= 0, integers[DiscHit] == 1, "round %d", round)
		equalFloat(t, want.depth, floats[DiscDepth], "depth", round)
		equalFloat(t, want.nearest.X, vectors[DiscNearest].X, "nearest x", round)
		equalFloat(t, want.nearest.Y, vectors[DiscNearest].Y, "nearest y", round)
		hits += int(integers[DiscHit])
	}
	assert.Greater(t, hits, 5000)
}

// wayOf places a box on its way at time s.
func wayOf(from, to kernel.Vec3, s float64) kernel.Vec2 {
	return kernel.V2(float32(float64(from.X)+s*(float64(to.X)-float64(from.X))),
		float32(float64(from.Y)+s*(float64(to.Y)-float64(from.Y))))
}

// The first contact on a way is where small steps along it first find a contact.
func TestFirstContactOfDiscs(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 77))
	found := 0
	for round := range 3000 {
		from := kernel.V3(r.Float32()*2-1, r.Float32()*2-1, 0)
		to := kernel.V3(r.Float32()*2-1, r.Float32()*2-1, 0)
		if r.IntN(10) == 0 {
			to.X = from.X // along an axis of the world
		}
		q, h, radius := quaternion(rand.New(rand.NewPCG(uint64(round), 1))), kernel.V2(0.1, r.Float32()*0.1), float32(0.07)
		if math.IsNaN(float64(q.X+q.Y+q.Z+q.W)) || math.IsInf(float64(q.X+q.Y+q.Z+q.W), 0) {
			continue
		}
		place := func() kernel.Vec3 { return kernel.V3(r.Float32()*2-1, r.Float32()*2-1, 0) }
		discs := []kernel.Vec3{place(), place()}
		integers, floats := make([]int32, 2), make([]float32, 2)
		vectors := []kernel.Vec2{{}, planOf(from)}
		touchDiscs(0, 1, 1, 2, radius, 1, []kernel.Vec3{to}, []kernel.Quat{q}, []kernel.Vec2{h}, discs, []int32{2}, integers,
			floats, vectors)
		require.Equal(t, planOf(to), vectors[DiscPrevious])
		first := float64(floats[DiscFirstContact])
		if integers[DiscHit] == 1 {
			require.LessOrEqual(t, first, 1.0, "round %d: a box that touches has touched before its way ended", round)
		}
		gap := func(s float64) float64 { return gapToDiscs(wayOf(from, to, s), q, h, discs, float64(radius)) }
		const steps, small = 400, 1e-5
		before := first
		if first != first {
			before = 2
		} else {
			found++
			require.LessOrEqual(t, gap(first), small, "round %d: contact at %v", round, first)
		}
		for k := range steps + 1 {
			if s := float64(k) / steps; s < before {
				require.GreaterOrEqual(t, gap(s), -small, "round %d: no contact at %v, first is %v", round, s, first)
			}
		}
	}
	assert.Greater(t, found, 300)
}

// gapToDiscs returns the distance between a box and the nearest disc in float64, negative if they overlap.
func gapToDiscs(p kernel.Vec2, q kernel.Quat, h kernel.Vec2, discs []kernel.Vec3, radius float64) float64 {
	angle := math.Atan2(float64(2*(q.W*q.Z+q.X*q.Y)), float64(1-2*(q.Y*q.Y+q.Z*q.Z)))
	sin, cos := math.Sincos(angle)
	gap := math.Inf(1)
	for _, c := range discs {
		x, y := float64(c.X)-float64(p.X), float64(c.Y)-float64(p.Y)
		x, y = cos*x+sin*y, cos*y-sin*x
		gap = min(gap, math.Hypot(max(math.Abs(x)-float64(h.X), 0), max(math.Abs(y)-float64(h.Y), 0))-radius)
	}
	return gap
}

// The edges of a way: a fast box does not jump over a disc; a box without a position before has stood still; one that
// is paused forgets where it was.
func TestWayOfABox(t *testing.T) {
	integers, floats := make([]int32, 2), make([]float32, 2)
	vectors := []kernel.Vec2{{}, {X: kernel.NaN(), Y: kernel.NaN()}}
	step := func(p kernel.Vec3) float32 {
		touchDiscs(0, 1, 1, 1, 0.5, 1, []kernel.Vec3{p}, []kernel.Quat{{W: 1}}, []kernel.Vec2{{X: 0.5, Y: 0.5}},
			[]kernel.Vec3{{}}, []int32{1}, integers, floats, vectors)
		return floats[DiscFirstContact]
	}
	nan := kernel.NaN()
	require.True(t, kernel.IsNaN(step(kernel.V3(-5, 0, 0))))
	require.Equal(t, float32(0.4), step(kernel.V3(5, 0, 0)), "the box moves 10, and touches after 4")
	require.Zero(t, integers[DiscHit])
	require.Equal(t, float32(1), step(kernel.V3(1, 0, 0)), "contact at the end")
	require.Equal(t, float32(0), step(kernel.V3(4, 0, 0)), "contact at the begin")
	require.True(t, kernel.IsNaN(step(kernel.V3(nan, 0, 0))))
	require.True(t, kernel.IsNaN(vectors[DiscPrevious].X) && kernel.IsNaN(vectors[DiscPrevious].Y))
	require.True(t, kernel.IsNaN(step(kernel.V3(-4, 0, 0))), "the way before the pause is unknown")
	forgetDiscs(0, 1, 1, []int32{0}, vectors)
	require.Equal(t, kernel.V2(-4, 0), vectors[DiscPrevious])
	forgetDiscs(0, 1, 1, []int32{3}, vectors)
	require.True(t, kernel.IsNaN(step(kernel.V3(4, 0, 0))))
	forgetDiscs(0, 1, 1, []int32{1}, vectors)
	require.Equal(t, float32(0), step(kernel.V3(0, 0, 0)))
	require.Equal(t, int32(1), integers[DiscHit])
}

func TestFramesAgainstTheRule(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 77))
	hits := 0
	for round := range 60_000 {
		n := r.IntN(6)
		gate, turn, half := make([]kernel.Vec3, n), make([]kernel.Quat, n), make([]float32, n)
		for i := range gate {
			gate[i], turn[i], half[i] = drawnVector(r), quaternion(r), halves(r).X
		}
		p, valid, window := drawnVector(r), int32(r.IntN(8)), int32(1+r.IntN(7))
		target := int32(r.IntN(20) - 7)
		if r.IntN(10) == 0 {
			target = math.MinInt32
		}
		want := referenceFrames(p, target, gate, turn, half, valid, window, 0.1, 0.25, 0.5)
		integers, floats := make([]int32, 2), make([]float32, 1)
		touchFrames(0, 1, 1, int32(n), window, 0.1, 0.25, 0.5, []kernel.Vec3{p}, []int32{target}, gate, turn, half,
			[]int32{int32(n + r.IntN(2))}, []int32{valid}, integers, floats)
		require.Equal(t, want.hit, integers[FrameHit], "round %d", round)
		equalFloat(t, want.depth, floats[FrameDepth], "depth", round)
		k := integers[FrameGate]
		require.Equal(t, want.hit == 1, k >= 0, "round %d", round)
		if k >= 0 { // the gate alone gives the same depth
			one := referenceFrames(p, 1, gate[k:k+1], turn[k:k+1], half[k:k+1], 1, 1, 0.1, 0.25, 0.5)
			equalFloat(t, want.depth, one.depth, "depth of the gate", round)
			hits++
		}
	}
	assert.Greater(t, hits, 5000)
}

func TestPosts(t *testing.T) {
	left := []kernel.Vec3{{X: 1}, {X: 2}, {X: 3}, {X: 4}, {X: 5}, {X: 6}}
	right := []kernel.Vec3{{Y: 1}, {Y: 2}, {Y: 3}, {Y: 4}, {Y: 5}, {Y: 6}}
	disc := make([]kernel.Vec3, 12)
	for i := range int32(6) {
		posts(i, []int32{1, 2, 0}, 2, left, right, disc)
	}
	require.Equal(t, make([]kernel.Vec3, 8), disc[:8], "envs that are not active keep theirs")
	require.Equal(t, []kernel.Vec3{{X: 5}, {Y: 5}, {X: 6}, {Y: 6}}, disc[8:])
}

// A box that comes to rest where it just touches a disc has a first contact, whatever rounding makes of its way.
func TestContactAtTheEndOfAWay(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 77))
	late := 0
	for round := range 50_000 {
		from := kernel.V2(r.Float32()*20-10, r.Float32()*20-10)
		h, radius := kernel.V2(r.Float32(), r.Float32()), r.Float32()
		b := Box{Half: h, Cos: 1, Sin: 0}
		sin, cos := math.Sincos(r.Float64() * math.Pi / 2)
		to := kernel.V2(h.X+radius*float32(cos), h.Y+radius*float32(sin))
		first := b.ballTime(from, to, radius)
		if b.Distance(to) > radius {
			continue
		}
		require.True(t, first >= 0 && first <= 1, "round %d: %v", round, first)
		if first == 1 {
			late++
		}
	}
	assert.Positive(t, late)
}

// A ball that just touches a frame does not hit it. Of equal gates, the first one of the window counts.
func TestEdgesOfFrames(t *testing.T) {
	turn := []kernel.Quat{{W: 1}, {W: 1}, {W: 1}}
	integers, floats := make([]int32, 2), make([]float32, 1)
	touch := func(x float32) {
		touchFrames(0, 1, 1, 3, 2, 0.25, 0.5, 0.5, []kernel.Vec3{{X: x, Y: 1.25}}, []int32{3}, make([]kernel.Vec3, 3), turn,
			[]float32{1, 1, 1}, []int32{3}, []int32{1}, integers, floats)
	}
	touch(0.5)
	require.Equal(t, []int32{0, -1}, integers)
	require.Zero(t, floats[0])
	touch(0.375)
	require.Equal(t, []int32{1, 2}, integers)
	require.Equal(t, float32(0.125), floats[0])
}
