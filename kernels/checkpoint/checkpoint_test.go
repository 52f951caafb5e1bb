package checkpoint

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

const points = 128

// candidatesOf draws the candidates of one env: their points and the directions of their edges before they are closed.
func candidatesOf(seed, candidates int32, turnRate, gain float32) (point []kernel.Vec2, heading []float32) {
	const checkpoints = 12
	point, heading = make([]kernel.Vec2, candidates*points), make([]float32, candidates*points)
	steer(kernel.Group{}, []int32{1, 0}, []int32{seed}, 1, candidates, checkpoints, points, 0.33, 0.55, turnRate, gain,
		0.16, make([]kernel.Vec2, candidates*checkpoints), heading, make([]float32, candidates),
		make([]kernel.Vec2, candidates), point, make([]int32, candidates))
	return point, heading
}

// chosen returns the loop of one env from its candidates.
func chosen(point []kernel.Vec2, clipping int32) []kernel.Vec2 {
	candidates := int32(len(point) / points)
	row := append([]kernel.Vec2(nil), point...)
	boxes := candidates * ((points + centerline.Block - 1) / centerline.Block)
	loop := make([]kernel.Vec2, points)
	choose(kernel.Group{}, []int32{1, 0}, candidates, points, clipping, 1, row, make([]float32, len(point)),
		make([]kernel.Vec2, boxes), make([]kernel.Vec2, boxes), make([]int32, candidates), make([]int32, 1), loop)
	return loop
}

// crossings counts the proper crossings of a closed polygon over all pairs of segments.
func crossings(polygon []kernel.Vec2) int {
	n := int32(len(polygon))
	count := 0
	for i := range n {
		for j := i + 2; j < n; j++ {
			after := centerline.After(j, n)
			if after != i && centerline.SegmentsCross(polygon[i], polygon[i+1], polygon[j], polygon[after]) {
				count++
			}
		}
	}
	return count
}

func length(polygon []kernel.Vec2) (sum float64) {
	for i, p := range polygon {
		sum += float64(polygon[(i+1)%len(polygon)].Sub(p).Len())
	}
	return sum
}

// curve is a limacon: radius 1 + a cos(angle) crosses itself once for a > 1 and never for less.
func curve(a float64) []kernel.Vec2 {
	polygon := make([]kernel.Vec2, points)
	for i := range polygon {
		sin, cos := math.Sincos(2*math.Pi*(float64(i)+0.3)/points + 0.5)
		polygon[i] = kernel.V2(float32((1+a*cos)*cos), float32((1+a*cos)*sin))
	}
	return polygon
}

// No step turns faster than it may, and the path is closed by an edge like the others. A candidate does not depend on
// how many others there are.
func TestSteer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Int32().Draw(t, "seed")
		turnRate := rapid.Float32Range(0.1, 1).Draw(t, "turn rate")
		point, heading := candidatesOf(seed, 4, turnRate, 0.65)
		one, _ := candidatesOf(seed, 1, turnRate, 0.65)
		assert.Equal(t, one, point[:points])
		for k := range 4 {
			row := heading[k*points : (k+1)*points]
			assert.Zero(t, row[0])
			for i := 1; i < points-1; i++ {
				assert.LessOrEqual(t, kernel.Abs(row[i]-row[i-1]), turnRate+1e-5)
			}
			loop := point[k*points : (k+1)*points]
			assert.Less(t, loop[0].Sub(loop[points-1]).Len(), float32(2.0/points))
		}
	})
}

// How many envs a group gets changes no bit, also where the last group gets fewer, and envs that are not active keep
// their rows.
func TestSteerGroups(t *testing.T) {
	const envs, candidates, checkpoints = 23, 3, 5
	active := []int32{19}
	seed := make([]int32, envs)
	for e := range int32(envs) {
		seed[e] = 1000 + 7*e
		if e%6 != 1 {
			active = append(active, e)
		}
	}
	require.Len(t, active, 20)
	type rows struct {
		ring, mean, point []kernel.Vec2
		heading, drift    []float32
		crossings         []int32
	}
	steered := func(perGroup int32) rows {
		r := rows{make([]kernel.Vec2, envs*candidates*checkpoints), make([]kernel.Vec2, envs*candidates),
			make([]kernel.Vec2, envs*candidates*points), make([]float32, envs*candidates*points),
			make([]float32, envs*candidates), make([]int32, envs*candidates)}
		for i := range r.crossings {
			r.crossings[i] = -1
		}
		for group := range int32(envs)/perGroup + 1 {
			steer(kernel.Group{ID: group}, active, seed, perGroup, candidates, checkpoints, points, 0.33, 0.55, 0.3, 0.65,
				0.16, r.ring, r.heading, r.drift, r.mean, r.point, r.crossings)
		}
		return r
	}
	want := steered(1)
	assert.Equal(t, []int32{0, 0, 0, -1, -1, -1, 0}, want.crossings[:7])
	assert.NotEqual(t, want.point[:points], want.point[2*candidates*points:][:points])
	for _, perGroup := range []int32{2, 7, 8, 19, 40} {
		assert.Equal(t, want, steered(perGroup), "%d envs a group", perGroup)
	}
}

// A group has as many envs as fill a warp with candidates, and one where the envs are few.
func TestSteerEnvs(t *testing.T) {
	for _, c := range []struct{ envs, candidates, want int }{
		{0, 4, 1}, {1, 4, 1}, {63, 4, 1}, {64, 4, 2}, {256, 4, 8}, {1 << 20, 4, 8}, {4096, 1, 8}, {4096, 0, 8}, {4096, 8, 4},
		{4096, 33, 1},
	} {
		assert.Equal(t, c.want, SteerEnvs(c.envs, c.candidates), "%d envs, %d candidates", c.envs, c.candidates)
	}
}

// The candidate with the fewest crossings is taken, the first of several, and fitted to the box.
func TestChoose(t *testing.T) {
	twice, once, never, other := curve(1.8), curve(1.5), curve(0.5), curve(0.8)
	twice[0], twice[1] = twice[1], twice[0]
	require.Equal(t, []int{1, 0, 0}, []int{crossings(once), crossings(never), crossings(other)})
	require.Greater(t, crossings(twice), 1)
	fitted := func(polygon []kernel.Vec2) []kernel.Vec2 {
		lo, hi := centerline.BoundingBox(points, 0, polygon)
		middle, factor := centerline.Fit(lo, hi, 1)
		out := make([]kernel.Vec2, points)
		for i, p := range polygon {
			out[i] = p.Sub(middle).Scale(factor)
		}
		return out
	}
	join := func(rows ...[]kernel.Vec2) (all []kernel.Vec2) {
		for _, row := range rows {
			all = append(all, row...)
		}
		return all
	}
	assert.Equal(t, fitted(twice), chosen(twice, 0), "one candidate is the choice")
	assert.Equal(t, fitted(once), chosen(join(twice, once), 0))
	assert.Equal(t, fitted(never), chosen(join(twice, once, never, other), 0))
	assert.Equal(t, fitted(other), chosen(join(once, other, never), 0))
	assert.Equal(t, fitted(once), chosen(join(once, twice, once), 0))
}

// evenly spaces the points of a closed polygon evenly, from its first point on, and fits it to the box.
func evenly(polygon []kernel.Vec2) []kernel.Vec2 {
	total, start, k := length(polygon), 0.0, 0
	loop := make([]kernel.Vec2, points)
	for i := range loop {
		at := total * float64(i) / points
		edge := polygon[(k+1)%len(polygon)].Sub(polygon[k])
		for start+float64(edge.Len()) < at && k < len(polygon)-1 {
			start += float64(edge.Len())
			k++
			edge = polygon[(k+1)%len(polygon)].Sub(polygon[k])
		}
		loop[i] = polygon[k].Add(edge.Scale(float32((at - start) / float64(edge.Len()))))
	}
	lo, hi := centerline.BoundingBox(points, 0, loop)
	middle, factor := centerline.Fit(lo, hi, 1)
	for i, p := range loop {
		loop[i] = p.Sub(middle).Scale(factor)
	}
	return loop
}

// With clipping, the points of every loop are spaced evenly, also of one that had nothing to clip, as in the reference
// system. The points of a loop that was clipped begin at the crossing.
func TestClippingSpacesEvenly(t *testing.T) {
	uneven := curve(0.8)
	require.Zero(t, crossings(uneven))
	crossed := append([]kernel.Vec2(nil), curve(1.5)...)
	i, j := int32(-1), int32(0)
	for k := range int32(points) {
		for l := k + 2; l < points && i < 0; l++ {
			if centerline.After(l, points) != k &&
				centerline.SegmentsCross(crossed[k], crossed[k+1], crossed[l], crossed[centerline.After(l, points)]) {
				i, j = k, l
			}
		}
	}
	require.Greater(t, j, i+1)
	a, p := crossed[i], crossed[j]
	ab, pq := crossed[i+1].Sub(a), crossed[centerline.After(j, points)].Sub(p)
	at := a.Add(ab.Scale(p.Sub(a).Cross(pq) / ab.Cross(pq)))
	require.Less(t, at.Len(), float32(1e-2), "a limacon crosses itself at the origin")
	// Its inner loop is the shorter part.
	outer := append([]kernel.Vec2{at}, crossed[j+1:]...)
	outer = append(outer, crossed[:i+1]...)
	for name, test := range map[string]struct{ polygon, want []kernel.Vec2 }{
		"nothing to clip": {uneven, evenly(uneven)},
		"outer part":      {crossed, evenly(outer)},
	} {
		loop := chosen(test.polygon, 1)
		for k, p := range test.want {
			require.InDelta(t, 0, loop[k].Sub(p).Len(), 1e-5, "%s, point %d", name, k)
		}
	}
}

// The edges of a crossed quadrilateral meet at (2, 1). The part with the corner on the left is the longer one, or both
// are equally long; then the inner part is kept.
func TestClipKeepsTheLongerPart(t *testing.T) {
	for _, test := range []struct {
		left kernel.Vec2
		want []kernel.Vec2
	}{
		{kernel.V2(-2, 3), []kernel.Vec2{{X: 2, Y: 1}, {X: -2, Y: 3}, {}}},
		{kernel.V2(0, 2), []kernel.Vec2{{X: 2, Y: 1}, {X: 4, Y: 2}, {X: 4}}},
		{kernel.V2(1, 1.5), []kernel.Vec2{{X: 2, Y: 1}, {X: 4, Y: 2}, {X: 4}}},
	} {
		polygon := []kernel.Vec2{{}, {X: 4, Y: 2}, {X: 4}, test.left}
		left, at := clip(0, 4, 0, polygon)
		assert.Equal(t, test.want, append(polygon[at:left:left], polygon[:at]...), "%v", test.left)
	}
}

// Clipping takes the inner loop of a limacon away.
func TestClipLimacon(t *testing.T) {
	loop := chosen(curve(1.5), 1)
	assert.Zero(t, crossings(loop))
	mean := length(loop) / points
	for i, p := range loop {
		assert.InDelta(t, mean, loop[(i+1)%points].Sub(p).Len(), 0.3*mean, "the rest is resampled")
	}
	assert.Equal(t, 1, crossings(chosen(curve(1.5), 0)))
}

// Each clip makes a polygon shorter by less than half, and no polygon crosses itself at the end.
func TestClip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		polygon := make([]kernel.Vec2, rapid.IntRange(4, 20).Draw(t, "points"))
		for i := range polygon {
			polygon[i] = kernel.V2(rapid.Float32Range(-1, 1).Draw(t, "x"), rapid.Float32Range(-1, 1).Draw(t, "y"))
		}
		for crossings(polygon) > 0 {
			n := int32(len(polygon))
			first := int32(-1)
			for i := int32(0); first < 0; i++ {
				for j := i + 2; j < n; j++ {
					after := centerline.After(j, n)
					if after != i && centerline.SegmentsCross(polygon[i], polygon[i+1], polygon[j], polygon[after]) {
						first = i
					}
				}
			}
			before := length(polygon)
			left, at := clip(first, n, 0, polygon)
			require.Less(t, left, n)
			polygon = polygon[:left]
			require.Less(t, at, left)
			assert.LessOrEqual(t, length(polygon), before+1e-5)
			assert.GreaterOrEqual(t, length(polygon), before/2-1e-5)
		}
	})
}

// With clipping no loop of the generator crosses itself; without, many do.
func TestClippedLoops(t *testing.T) {
	crossing := 0
	for seed := range int32(300) {
		point, _ := candidatesOf(seed, 1, 0.42, 0.1)
		if crossings(chosen(point, 0)) > 0 {
			crossing++
		}
		assert.Zero(t, crossings(chosen(point, 1)), "seed %d", seed)
	}
	assert.Greater(t, crossing, 5)
	t.Logf("%d of 300 loops cross themselves without clipping", crossing)
}
