package centerline

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
)

// polygon draws a closed polygon of 2 to 60 points, now and then with repeated ones.
func polygon(t *rapid.T) []kernel.Vec2 {
	coordinate := rapid.Float32Range(-3, 3)
	n := rapid.IntRange(2, 60).Draw(t, "n")
	points := make([]kernel.Vec2, n)
	for i := range points {
		if i > 0 && rapid.IntRange(0, 9).Draw(t, "repeat") == 0 {
			points[i] = points[i-1]
			continue
		}
		points[i] = kernel.V2(coordinate.Draw(t, "x"), coordinate.Draw(t, "y"))
	}
	return points
}

// arcReference walks along the polygon in float64.
func arcReference(points []kernel.Vec2, target float64) (x, y, total float64) {
	n := len(points)
	found := false
	x, y = float64(points[0].X), float64(points[0].Y) // where rounding puts the target beyond the end
	for i, p := range points {
		q := points[(i+1)%n]
		length := math.Hypot(float64(q.X)-float64(p.X), float64(q.Y)-float64(p.Y))
		if !found && length > 0 && total+length >= target {
			t := (target - total) / length
			x = float64(p.X) + t*(float64(q.X)-float64(p.X))
			y = float64(p.Y) + t*(float64(q.Y)-float64(p.Y))
			found = true
		}
		total += length
	}
	return x, y, total
}

// arcEnds does what a group does: lengths, then sums.
func arcEnds(n, base int32, point []kernel.Vec2, end []float32) float32 {
	for k := range n {
		end[base+k] = SegmentLength(k, n, base, point)
	}
	return SumLengths(n, base, end)
}

// TestSumLengths compares with a loop that takes one length at a time, for all remainders of the number of lengths.
func TestSumLengths(t *testing.T) {
	for n := range int32(14) {
		end := make([]float32, n+2)
		want := make([]float32, n+2)
		end[0], end[n+1] = -1, -2
		want[0], want[n+1] = -1, -2
		var sum kernel.TwoFloat
		for k := int32(1); k <= n; k++ {
			end[k] = 1 / float32(k*k)
			sum = sum.Add(end[k])
			want[k] = sum.Float32()
		}
		assert.Equal(t, sum.Float32(), SumLengths(n, 1, end), "%d lengths", n)
		assert.Equal(t, want, end, "%d lengths", n)
	}
}

func TestArcAgainstFloat64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := polygon(t)
		n := int32(len(points))
		end := make([]float32, n)
		total := arcEnds(n, 0, points, end)
		_, _, want := arcReference(points, 0)
		assert.InDelta(t, want, total, 1e-6*(1+want))
		for i := int32(1); i < n; i++ {
			assert.LessOrEqual(t, end[i-1], end[i])
		}
		if total == 0 {
			return
		}
		target := float32(rapid.Float64Range(0, 1).Draw(t, "part")) * total
		got := PointAtArc(n, 0, points, end, target)
		x, y, _ := arcReference(points, float64(target))
		assert.InDelta(t, x, got.X, 1e-4)
		assert.InDelta(t, y, got.Y, 1e-4)
	})
}

func TestPointAtArcEnds(t *testing.T) {
	square := []kernel.Vec2{{X: 9, Y: 9}, {X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}}
	end := make([]float32, 5)
	assert.Equal(t, float32(4), arcEnds(4, 1, square, end))
	assert.Equal(t, []float32{0, 1, 2, 3, 4}, end)
	for target, want := range map[float32]kernel.Vec2{-1: {}, 0: {}, 0.5: {X: 0.5}, 1: {X: 1}, 2.25: {X: 0.75, Y: 1},
		4: {}, 99: {}} {
		assert.Equal(t, want, PointAtArc(4, 1, square, end, target), "at %v", target)
	}
}

func TestRing(t *testing.T) {
	assert.Equal(t, int32(4), Before(0, 5))
	assert.Equal(t, int32(3), Before(4, 5))
	assert.Equal(t, int32(0), After(4, 5))
	assert.Equal(t, int32(1), After(0, 5))
	assert.Equal(t, int32(0), After(0, 1))
	assert.Equal(t, int32(0), Before(0, 1))
}
