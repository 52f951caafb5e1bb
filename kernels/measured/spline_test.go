package measured

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
)

// ellipse returns n points of an ellipse, unevenly spaced.
func ellipse(n int, a, b float64) []kernel.Vec2 {
	points := make([]kernel.Vec2, n)
	for i := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		points[i] = kernel.V2(float32(a*cos), float32(b*sin))
	}
	return points
}

// The pieces of the spline pass through the points, join smoothly, and have the length of the curve that the points are
// from.
func TestSpline(t *testing.T) {
	points := ellipse(60, 200, 100)
	n := int32(len(points))
	for i := range n {
		p, next := pieceFrom(i, n, points), pieceFrom((i+1)%n, n, points)
		assert.Equal(t, points[i], p.at(0))
		assert.InDelta(t, 0, p.at(1).Sub(next.at(0)).Len(), 1e-4)
		// The derivatives at the joint, per step of either knot axis, have one direction.
		before := p.b.Add(p.c.Scale(2)).Add(p.d.Scale(3))
		assert.InDelta(t, 0, before.Cross(next.b)/(before.Len()*next.b.Len()), 1e-4)
		// Each point lies on the ellipse.
		q := p.at(0.5)
		assert.InDelta(t, 1, math.Hypot(float64(q.X)/200, float64(q.Y)/100), 1e-4)
	}
	const perimeter = 968.84482 // of the ellipse, 4*200*E(3/4)
	assert.InDelta(t, perimeter, Length(points, make([]float32, n)), 0.05)
}

// A length along a piece becomes the parameter at which the chords have come to it.
func TestParameterAt(t *testing.T) {
	p := pieceFrom(3, 12, ellipse(12, 5, 3))
	length := pieceLength(p)
	assert.Zero(t, parameterAt(p, 0))
	assert.InDelta(t, 1, parameterAt(p, length), 1e-5)
	assert.InDelta(t, 1, parameterAt(p, 2*length), 1e-5, "clamped")
	assert.Zero(t, parameterAt(p, -1), "clamped")
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float32Range(0, length).Draw(t, "a"), rapid.Float32Range(0, length).Draw(t, "b")
		if ua, ub := parameterAt(p, a), parameterAt(p, b); a < b && ua > ub {
			t.Fatalf("%v -> %v, %v -> %v", a, ua, b, ub)
		}
	})
}

func TestPointsFor(t *testing.T) {
	for _, test := range []struct {
		length, spacing float32
		want            int32
	}{
		{10, 3, 4}, {9, 3, 3}, {9.001, 3, 4}, {2, 3, 1}, {0, 3, 0}, {-1, 3, 0}, {float32(math.Inf(1)), 3, 0},
		{kernel.NaN(), 3, 0}, {1e30, 1e-3, 1<<30 + 1},
	} {
		assert.Equal(t, test.want, PointsFor(test.length, test.spacing), "%v at %v", test.length, test.spacing)
	}
	rapid.Check(t, func(t *rapid.T) {
		length, spacing := rapid.Float32Range(1e-3, 1e6).Draw(t, "length"), rapid.Float32Range(1, 100).Draw(t, "spacing")
		k := PointsFor(length, spacing)
		if k < 1 || float64(length)/float64(k) > float64(spacing)*(1+1e-6) {
			t.Fatalf("%d points", k)
		}
	})
}

// Two segments that meet on a line are split by it exactly once, wherever they meet.
func TestSplits(t *testing.T) {
	a, b := kernel.V2(-1, 0), kernel.V2(1, 0)
	rapid.Check(t, func(t *rapid.T) {
		joint := kernel.V2(rapid.Float32Range(-1, 1).Draw(t, "x"),
			rapid.SampledFrom([]float32{0, 1e-30, -1e-30, 0.1, -0.1}).Draw(t, "y"))
		above, below := kernel.V2(0.3, 1), kernel.V2(0.2, -1)
		if splits(a, b, above, joint) == splits(a, b, joint, below) {
			t.Fatal("twice or never")
		}
	})
}

func TestApart(t *testing.T) {
	assert.Equal(t, int32(0), apart(3, 3, 10))
	assert.Equal(t, int32(1), apart(9, 0, 10))
	assert.Equal(t, int32(5), apart(0, 5, 10))
	assert.Equal(t, int32(4), apart(7, 1, 10))
}

// The part of a road's width that counts against another place is the one on the side of that place.
func TestWidthTowards(t *testing.T) {
	north := kernel.V3(0, 1, 0) // driving east: left is north
	assert.Equal(t, float32(7), widthTowards(kernel.V2(3, 1), north, 2, 7))
	assert.Equal(t, float32(2), widthTowards(kernel.V2(3, -1), north, 2, 7))
	assert.Equal(t, float32(5), along(kernel.V2(3, -5), north))
}
