package track_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

// stadium is a circuit of two straights and two half circles, with points at equal distances.
func stadium(straight, radius, step, width float64) track.Circuit {
	length := 2*straight + 2*math.Pi*radius
	n := int(length / step)
	var c track.Circuit
	for i := range n {
		s := length * float64(i) / float64(n)
		half, sign := s, 1.0
		if s >= length/2 {
			half, sign = s-length/2, -1
		}
		x, y := half-straight/2, -radius
		if half > straight {
			sin, cos := math.Sincos((half-straight)/radius - math.Pi/2)
			x, y = straight/2+radius*cos, radius*sin
		}
		c.X, c.Y = append(c.X, sign*x), append(c.Y, sign*y)
		c.Right, c.Left = append(c.Right, width), append(c.Left, width)
	}
	return c
}

// radiusOf returns the smallest radius of the circles through three neighbours of a track.
func radiusOf(b *track.Batch) float64 {
	points := b.Points(b.Center, 0)
	n := len(points)
	tightest := math.Inf(1)
	for i := range points {
		in, out := points[(i+1)%n].Sub(points[i]), points[(i+2)%n].Sub(points[(i+1)%n])
		turn := math.Atan2(float64(in.X*out.Y-in.Y*out.X), float64(in.X*out.X+in.Y*out.Y))
		if turn != 0 {
			tightest = min(tightest, float64(in.Len()+out.Len())/2/math.Abs(turn))
		}
	}
	return tightest
}

// The radius of a bend and the validity of the road do not depend on the spacing of the track: half circles of 10 m,
// with a point every 6 m and 7.5 m of road inside.
func TestSpacingInventsNoCurvature(t *testing.T) {
	c := stadium(25, 10, 6, 7.5)
	device := open(t)
	survey, err := track.SurveyCircuit(track.ImportOptions{}, c)
	require.NoError(t, err)
	assert.InDelta(t, 9.4, survey.Tightest.Radius, 0.6)
	for _, spacing := range []float64{0, 0.25, 0.5, 1, 3, 6, 9} {
		options := track.ImportOptions{Spacing: spacing}
		b := measure(t, device, options, c)
		assert.Equal(t, "valid", b.Reason[0].String(), "spacing %v", spacing)
		again, err := track.SurveyCircuit(options, c)
		require.NoError(t, err)
		assert.Equal(t, survey.Tightest, again.Tightest)
		assert.Equal(t, int(b.Count[0]), again.Points)
		if spacing > 0 && spacing < 3 {
			assert.InEpsilon(t, survey.Tightest.Radius, radiusOf(b), 0.03, "spacing %v", spacing)
		}
	}
	// At a radius of 7 m there is no room, at whatever spacing.
	c = stadium(25, 7, 4, 7.5)
	for _, spacing := range []float64{0, 0.5, 3, 8} {
		b := measure(t, device, track.ImportOptions{Spacing: spacing}, c)
		assert.NotZero(t, b.Reason[0]&track.ReasonCurvature, "spacing %v", spacing)
	}
}

// The points of a track lie on one curve, whatever their number is: with twice as many, every other one is the same.
func TestSpacingMovesNoPoints(t *testing.T) {
	c := stadium(25, 10, 6, 5)
	survey, err := track.SurveyCircuit(track.ImportOptions{}, c)
	require.NoError(t, err)
	coarse := measure(t, open(t), track.ImportOptions{Spacing: survey.Length / 39.5}, c)
	fine := measure(t, open(t), track.ImportOptions{Spacing: survey.Length / 79.5}, c)
	require.Equal(t, []int32{40, 80}, []int32{coarse.Count[0], fine.Count[0]})
	for i := range 40 {
		assert.InDelta(t, 0, coarse.Center[i].Sub(fine.Center[2*i]).Len(), 1e-5)
	}
}

// Widths that are read from a track at the points of the circuit are those of the circuit, within 1 %.
func TestWidthsReadBack(t *testing.T) {
	c := line(150, func(u float64) (x, y, right, left float64) {
		k := int(math.Round(u * 150 / (2 * math.Pi)))
		return 120 * math.Cos(u), 90 * math.Sin(u), 5 + float64(k*k%7)/10, 4.4 - float64(k%5)/5
	})
	for _, spacing := range []float64{0, 1, 2, 2.7, 3.4} {
		b := measure(t, open(t), track.ImportOptions{Spacing: spacing}, c)
		n := int(b.Count[0])
		for i := range c.X {
			nearest, right, left := math.Inf(1), 0.0, 0.0
			for k := range n {
				p, q := b.Center[k], b.Center[(k+1)%n]
				dx, dy := float64(q.X-p.X), float64(q.Y-p.Y)
				u := ((c.X[i]-float64(p.X))*dx + (c.Y[i]-float64(p.Y))*dy) / (dx*dx + dy*dy)
				u = min(max(u, 0), 1)
				if d := math.Hypot(c.X[i]-float64(p.X)-u*dx, c.Y[i]-float64(p.Y)-u*dy); d < nearest {
					nearest = d
					right = (1-u)*float64(b.WidthRight[k]) + u*float64(b.WidthRight[(k+1)%n])
					left = (1-u)*float64(b.WidthLeft[k]) + u*float64(b.WidthLeft[(k+1)%n])
				}
			}
			assert.InEpsilon(t, c.Right[i], right, 0.01, "point %d at %v m", i, spacing)
			assert.InEpsilon(t, c.Left[i], left, 0.01, "point %d at %v m", i, spacing)
		}
	}
}

// Where bends are too tight for the road, a survey says where, by how much and at how many points, and TrimInner makes
// room.
func TestTrimInner(t *testing.T) {
	device := open(t)
	// Radius 0.8, half width 1, and 1.6 between the straights, so that the road meets itself between them too.
	hairpin := stadium(5, 0.8, 0.3, 1)
	survey, err := track.SurveyCircuit(track.ImportOptions{}, hairpin)
	require.NoError(t, err)
	b := measure(t, device, track.ImportOptions{}, hairpin)
	assert.Equal(t, "curvature, separation", b.Reason[0].String())
	assert.InDelta(t, 0.75, survey.Sharpest.Radius, 0.05)
	assert.Equal(t, 1.0, survey.Sharpest.Inner)
	assert.InDelta(t, 2.5+0.8, math.Abs(survey.Sharpest.X), 0.81, "in the bend")
	bend := math.Pi * 0.8 / (survey.Length / float64(survey.Points))
	assert.InDelta(t, 2*bend, survey.SharpPoints, 4)
	require.NotNil(t, survey.Closest)
	assert.InDelta(t, 1.6, survey.Closest.Distance, 0.1)
	assert.InDelta(t, 2, survey.Closest.Widths, 0.1)
	assert.InDelta(t, survey.Points, survey.ClosePoints, 6)
	assert.Zero(t, survey.TrimmedPoints)

	trim := track.ImportOptions{TrimInner: true}
	trimmed := measure(t, device, trim, hairpin)
	assert.Equal(t, "valid", trimmed.Reason[0].String())
	for i := range int(trimmed.Count[0]) {
		assert.Equal(t, float32(1), trimmed.WidthRight[i], "outside")
		assert.InDelta(t, 0.72, trimmed.WidthLeft[i], 0.05, "inside, 0.95 times 0.71 to 0.8")
	}
	survey, err = track.SurveyCircuit(trim, hairpin)
	require.NoError(t, err)
	assert.Zero(t, survey.SharpPoints)
	assert.Nil(t, survey.Closest)
	assert.Equal(t, survey.Points, survey.TrimmedPoints)
	assert.InDelta(t, 0.28, survey.LargestCut, 0.05)
	for _, spacing := range []float64{0.1, 0.9} {
		trim.Spacing = spacing
		assert.Equal(t, "valid", measure(t, device, trim, hairpin).Reason[0].String())
	}

	// A road with room keeps its widths.
	wide := stadium(50, 20, 4, 5)
	assert.Equal(t, digest(measure(t, device, track.ImportOptions{}, wide), 0),
		digest(measure(t, device, track.ImportOptions{TrimInner: true}, wide), 0))
}

// Only the inside of the bend is cut: a bridge stays one, and the outside keeps its width.
func TestTrimInnerKeepsBridges(t *testing.T) {
	eight := line(120, func(u float64) (x, y, right, left float64) { return 60 * math.Sin(u), 30 * math.Sin(2*u), 4, 4 })
	narrow := measure(t, open(t), track.ImportOptions{TrimInner: true}, eight)
	assert.Equal(t, "valid", narrow.Reason[0].String())
	assert.Equal(t, int32(1), narrow.Crossings[0])
	for i := range int(narrow.Count[0]) {
		assert.Equal(t, []float32{4, 4}, []float32{narrow.WidthRight[i], narrow.WidthLeft[i]})
	}
}

// Points that all but coincide are one point, noise of near points is smoothed, and the track says by how much.
func TestMeasuredNoise(t *testing.T) {
	exact := line(600, func(u float64) (x, y, right, left float64) { return 10 * math.Cos(u), 7 * math.Sin(u), 1.1, 1.1 })
	noisy := exact
	noisy.X, noisy.Y = append([]float64(nil), exact.X...), append([]float64(nil), exact.Y...)
	for i := range noisy.X { // to the centres of pixels of 5 cm
		noisy.X[i], noisy.Y[i] = math.Round(noisy.X[i]*20)/20, math.Round(noisy.Y[i]*20)/20
	}
	b := measure(t, open(t), track.ImportOptions{}, noisy)
	assert.Equal(t, "valid", b.Reason[0].String())
	survey, err := track.SurveyCircuit(track.ImportOptions{}, noisy)
	require.NoError(t, err)
	assert.InDelta(t, 4.9, survey.Tightest.Radius, 1.2) // of the ellipse, 7*7/10
	assert.Greater(t, survey.Smoothed, 0.005)
	assert.Less(t, survey.Smoothed, 0.06)
	survey, err = track.SurveyCircuit(track.ImportOptions{}, exact)
	require.NoError(t, err)
	assert.InEpsilon(t, 4.9, survey.Tightest.Radius, 0.02)
	assert.Less(t, survey.Smoothed, 0.001)

	// A point 1 mm beside another one makes no bend.
	c := stadium(50, 20, 4, 5)
	with := c
	with.X = append(append(append([]float64(nil), c.X[:9]...), c.X[8]-1e-3), c.X[9:]...)
	with.Y = append(append(append([]float64(nil), c.Y[:9]...), c.Y[8]+1e-3), c.Y[9:]...)
	with.Right = append([]float64{5}, c.Right...)
	with.Left = append([]float64{5}, c.Left...)
	assert.Equal(t, digest(measure(t, open(t), track.ImportOptions{}, c), 0),
		digest(measure(t, open(t), track.ImportOptions{}, with), 0))
}

// A survey refuses what Import refuses.
func TestSurveyRefuses(t *testing.T) {
	_, err := track.SurveyCircuit(track.ImportOptions{Spacing: -1}, stadium(50, 20, 4, 5))
	require.ErrorIs(t, err, track.ErrConfig)
	_, err = track.SurveyCircuit(track.ImportOptions{}, track.Circuit{Name: "Ring", X: []float64{1}, Y: []float64{1}})
	require.ErrorIs(t, err, backend.ErrInvalid)
	assert.ErrorContains(t, err, `survey circuit: circuit "Ring": number of points is 1: must be 3 to 1048576`)
	_, err = track.Import(context.Background(), open(t), track.ImportOptions{TrimInner: true}, track.Circuit{})
	require.ErrorIs(t, err, backend.ErrInvalid)
}
