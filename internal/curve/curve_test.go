package curve

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// ring returns points of a circle around the origin, at fractions of a turn.
func ring(radius float64, turns ...float64) []Vector {
	var points []Vector
	for _, u := range turns {
		sin, cos := math.Sincos(2 * math.Pi * u)
		points = append(points, Vector{radius * cos, radius * sin})
	}
	return points
}

// even returns n equal fractions of a turn.
func even(n int) []float64 {
	turns := make([]float64, n)
	for i := range turns {
		turns[i] = float64(i) / float64(n)
	}
	return turns
}

// stadium returns points at equal steps along two straights and two half circles, starting at an offset.
func stadium(straight, radius, step, offset float64) []Vector {
	length := 2*straight + 2*math.Pi*radius
	n := int(length / step)
	var points []Vector
	for i := range n {
		s := math.Mod(offset+length*float64(i)/float64(n), length)
		half := s
		if s >= length/2 {
			half -= length / 2
		}
		p := Vector{half - straight/2, -radius}
		if half > straight {
			sin, cos := math.Sincos((half-straight)/radius - math.Pi/2)
			p = Vector{straight/2 + radius*cos, radius * sin}
		}
		if s >= length/2 {
			p = p.Scale(-1)
		}
		points = append(points, p)
	}
	return points
}

// tightest returns the smallest radius of a curve.
func tightest(c *Curve) float64 {
	most := 0.0
	c.Scan(func(p Place) { most = max(most, math.Abs(p.Curvature)) })
	return 1 / most
}

// distance returns the distance of a point from the nearest of many places on the curve.
func distance(c *Curve, p Vector) float64 {
	nearest := math.Inf(1)
	for _, q := range c.Sample(4000, 4000) {
		nearest = min(nearest, q.Sub(p).Len())
	}
	return nearest
}

// A curve through few points of a circle, even or uneven, has its radius everywhere, and its length.
func TestCircle(t *testing.T) {
	for name, turns := range map[string][]float64{
		"12": even(12),
		"40": even(40),
		"uneven": {0, 0.03, 0.05, 0.11, 0.15, 0.21, 0.24, 0.3, 0.36, 0.38, 0.44, 0.5, 0.56, 0.59, 0.65, 0.7, 0.77, 0.83, 0.9,
			0.95},
	} {
		c := Fit(ring(20, turns...), 0)
		assert.InEpsilon(t, 2*math.Pi*20, c.Length(), 2e-4, name)
		c.Scan(func(p Place) {
			assert.InEpsilon(t, 0.05, p.Curvature, 0.04, name)
			assert.InDelta(t, 20, p.Len(), 0.02, name)
		})
	}
}

// Half circles of radius 8 between straights, with a point every 5 m, are bends of 7 to 8 m, wherever the points lie.
func TestStadium(t *testing.T) {
	for _, offset := range []float64{0, 0.7, 1.9, 3.1, 4.4} {
		points := stadium(20, 8, 5, offset)
		c := Fit(points, 0)
		assert.Greater(t, tightest(c), 7.0, "offset %v", offset)
		assert.Less(t, tightest(c), 8.0, "offset %v", offset)
		c.Scan(func(p Place) {
			assert.Greater(t, p.Curvature, -0.03, "a straight stays one")
		})
		// Denser points bring the radius closer.
		assert.InEpsilon(t, 8, tightest(Fit(stadium(20, 8, 0.5, offset), 0)), 0.12)
	}
}

// Place, direction and curvature are continuous, and every point is on the curve, at its station.
func TestContinuous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var points []Vector
		n := rapid.IntRange(3, 30).Draw(t, "points")
		for i := range n {
			at := (float64(i) + rapid.Float64Range(0, 0.8).Draw(t, "at")) / float64(n)
			points = append(points, ring(rapid.Float64Range(30, 60).Draw(t, "radius"), at)...)
		}
		c := Fit(points, 0)
		for i, p := range c.pieces {
			next := c.pieces[(i+1)%len(c.pieces)]
			u := p.length
			assert.InDelta(t, 0, p.at(u).Sub(next.a).Len(), 1e-9)
			assert.InDelta(t, 0, p.velocity(u).Sub(next.b).Len(), 1e-9)
			assert.InDelta(t, p.curvature(u), next.curvature(0), 1e-7*(1+math.Abs(p.curvature(u))))
		}
		const total = 1 << 13
		places := c.Sample(total, total)
		for i, p := range points {
			k := int(math.Round(c.Stations[i]/c.Length()*total)) % total
			assert.InDelta(t, 0, places[k].Sub(p).Len(), c.Length()/total)
		}
		assert.Zero(t, c.Smoothed)
	})
}

// Long straights between short segments stay straight: 400 m beside steps of 6 m, and 100 to 1.
func TestUnevenPoints(t *testing.T) {
	for _, step := range []int{10, 16} {
		var turns []float64
		for i := range step + 1 {
			turns = append(turns, float64(i)/float64(step)/2-0.25)
		}
		var points []Vector
		for _, p := range ring(20, turns...) {
			points = append(points, p.Add(Vector{200, 0}))
		}
		for _, p := range ring(-20, turns...) {
			points = append(points, p.Add(Vector{-200, 0}))
		}
		c := Fit(points, 0)
		assert.InDelta(t, 20, tightest(c), 2.5)
		worst := 0.0
		for _, p := range c.Sample(4000, 4000) {
			if math.Abs(p.X) < 200 {
				worst = max(worst, math.Abs(math.Abs(p.Y)-20))
			}
		}
		assert.Less(t, worst, 0.12)
	}
	// A segment that bends stays bent: a quarter of a circle without points.
	var turns []float64
	for i := range 31 {
		turns = append(turns, 0.25+0.75*float64(i)/30)
	}
	c := Fit(ring(50, turns...), 0)
	for _, p := range c.Sample(500, 500) {
		assert.InDelta(t, 50, p.Len(), 0.6)
	}
}

// Points on a grid of 5 cm, 10 cm apart, are smoothed, and the curve has the radius of the original line. Exact points
// move by a few millimetres at most, and points far from one another do not move.
func TestSmoothing(t *testing.T) {
	grid := func(v float64) float64 { return math.Round(v/0.05) * 0.05 }
	var pixels, exact []Vector
	for i := range 500 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 500)
		p := Vector{10 * cos, 6 * sin}
		exact = append(exact, p)
		if q := (Vector{grid(p.X), grid(p.Y)}); len(pixels) == 0 || q != pixels[len(pixels)-1] {
			pixels = append(pixels, q)
		}
	}
	const tight = 36.0 / 10 // of an ellipse, b^2/a
	c := Fit(pixels, 0.22)
	assert.InEpsilon(t, tight, tightest(c), 0.2)
	assert.Greater(t, c.Smoothed, 0.01)
	assert.Less(t, c.Smoothed, 0.05)
	assert.Less(t, tightest(Fit(pixels, 0)), 0.5, "without smoothing")
	for _, p := range []Vector{{10, 0}, {0, 6}} {
		assert.Less(t, distance(c, p), 0.04)
	}

	c = Fit(exact, 0.22)
	assert.InEpsilon(t, tight, tightest(c), 0.01)
	assert.Less(t, c.Smoothed, 0.001)
	assert.Zero(t, Fit(exact, 0.05).Smoothed)

	// Points that run back by less than the noise make no bend.
	back := append([]Vector(nil), exact...)
	for i := range back {
		if i%7 == 0 {
			back[i] = back[i].Add(back[(i+1)%500].Sub(back[i]).Scale(1.4))
		}
	}
	assert.InEpsilon(t, tight, tightest(Fit(back, 0.22)), 0.2)
}

// Arc lengths of a curve are those of its samples, which are equally far apart.
func TestSample(t *testing.T) {
	c := Fit(stadium(30, 10, 4, 1), 0)
	places := c.Sample(1000, 1000)
	length := 0.0
	for k, p := range places {
		next := places[(k+1)%1000]
		step := next.Sub(p.Vector).Len()
		length += step
		assert.InEpsilon(t, c.Length()/1000, step, 1e-4)
		assert.InDelta(t, c.Length()*float64(k)/1000, p.Arc, 1e-9)
		assert.InDelta(t, 1, p.Tangent.Dot(next.Sub(p.Vector).Scale(1/step)), 1e-3)
	}
	assert.InEpsilon(t, c.Length(), length, 1e-4)
	assert.Equal(t, places[:10], c.Sample(10, 1000))
}
