package export

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClip(t *testing.T) {
	near := []point{{0, 0}, {3, 0}, {3, 4}}
	require.Equal(t, near, clip(near, 10))
	require.Equal(t, []point{{-10, -10}, {10, -10}, {10, 10}, {-10, 10}},
		clip([]point{{-1e300, -10}, {10, -10}, {10, 10}, {-1e300, 10}}, 10))
	require.Empty(t, clip([]point{{11, 0}, {12, 0}, {12, 5}}, 10))
	require.Empty(t, clip([]point{{math.NaN(), 0}, {math.NaN(), 1}, {math.NaN(), 2}}, 10))
	for _, p := range clip([]point{{-1e30, 5}, {1e30, 6}, {0, -1e38}}, 10) {
		require.LessOrEqual(t, max(math.Abs(p.x), math.Abs(p.y)), 10.0)
	}
}

// The rasterizer divided by 0 for lines that end 2^21 pixels beside an image.
func TestFarContoursAreFilled(t *testing.T) {
	c := newPixelCanvas(8, 8, 1)
	for _, far := range []float64{1 << 20, 1 << 21, 1 << 22, 1 << 30, 1e30} {
		c.fill([][]point{{{-far, 1}, {far, 1}, {far, 7}, {-far, 7}}}, rgb{255, 0, 0})
		c.fill([][]point{{{-far, 1}, {far, 3}, {3, 7}}}, rgb{255, 0, 0})
	}
	r, _, _, _ := c.image.At(4, 4).RGBA()
	require.Equal(t, uint32(0xffff), r)
}
