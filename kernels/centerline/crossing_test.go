package centerline

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
)

// exactSide is the sign of the orientation of a, b, p in rational arithmetic.
func exactSide(a, b, p kernel.Vec2) int {
	rational := func(x float32) *big.Rat { return new(big.Rat).SetFloat64(float64(x)) }
	sub := func(x, y float32) *big.Rat { return new(big.Rat).Sub(rational(x), rational(y)) }
	left := new(big.Rat).Mul(sub(b.X, a.X), sub(p.Y, a.Y))
	right := new(big.Rat).Mul(sub(b.Y, a.Y), sub(p.X, a.X))
	return left.Cmp(right)
}

// A reported crossing is a real one: the tolerance is far above the rounding.
func TestSegmentsCrossIsNeverWrong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.Float32Range(-2, 2)
		point := func(name string) kernel.Vec2 {
			return kernel.V2(coordinate.Draw(t, name+".x"), coordinate.Draw(t, name+".y"))
		}
		a, b, p, q := point("a"), point("b"), point("p"), point("q")
		if SegmentsCross(a, b, p, q) {
			assert.Equal(t, -exactSide(a, b, p), exactSide(a, b, q))
			assert.Equal(t, -exactSide(p, q, a), exactSide(p, q, b))
		}
		assert.Equal(t, SegmentsCross(a, b, p, q), SegmentsCross(p, q, a, b))
	})
}

func TestSegmentsCross(t *testing.T) {
	v := kernel.V2
	assert.True(t, SegmentsCross(v(0, 0), v(1, 1), v(0, 1), v(1, 0)))
	assert.False(t, SegmentsCross(v(0, 0), v(1, 1), v(1, 1), v(2, 0)), "a shared end is no crossing")
	assert.False(t, SegmentsCross(v(0, 0), v(2, 0), v(1, 0), v(3, 0)), "nor is an overlap")
	assert.False(t, SegmentsCross(v(0, 0), v(0, 0), v(-1, 0), v(1, 0)), "nor a point on a line")
	nan := kernel.NaN()
	assert.False(t, SegmentsCross(v(nan, 0), v(1, 1), v(0, 1), v(1, 0)))
}

// Bounding boxes and shares only save time: the count is that of all pairs.
func TestBoxesDoNotChangeTheCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := polygon(t)
		n := int32(len(points))
		blocks := (n + Block - 1) / Block
		lo := make([]kernel.Vec2, blocks)
		hi := make([]kernel.Vec2, blocks)
		for b := range blocks {
			lo[b], hi[b] = BoxOf(b*Block, n, 0, points)
		}
		want, wantFirst := int32(0), n
		for i := range n {
			for j := i + 2; j < n; j++ {
				if After(j, n) != i && SegmentsCross(points[i], points[After(i, n)], points[j], points[After(j, n)]) {
					want++
					wantFirst = min(wantFirst, i)
				}
			}
		}
		got, gotFirst := int32(0), n
		for share := range CrossingShares * blocks {
			found, first := Crossings(share, n, 0, points, 0, lo, hi)
			assert.Equal(t, found > 0, first < n, "of share %d", share)
			got += found
			gotFirst = min(gotFirst, first)
		}
		assert.Equal(t, want, got)
		assert.Equal(t, wantFirst, gotFirst)
	})
}
