package export

import (
	"context"
	"io"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// crossesItself reports whether a centreline crosses itself. It also returns true if the search would take too long.
func crossesItself(r *Road) bool {
	crosses, known := r.compareEdges(pairsPerPoint * len(r.Center))
	return crosses || !known
}

func TestCrossesItself(t *testing.T) {
	square := []Point{{X: 0, Y: 0}, {X: 1, Y: 0}, {X: 1, Y: 1}, {X: 0, Y: 1}}
	require.False(t, crossesItself(&Road{Center: square}))
	bow := []Point{{X: 0, Y: 0}, {X: 1, Y: 1}, {X: 1, Y: 0}, {X: 0, Y: 1}}
	require.True(t, crossesItself(&Road{Center: bow}))
}

// TestCrossesItselfFindsWhatAllPairsFind compares the result with a search over all pairs of edges. Some lines have
// integer coordinates, so that points coincide or lie on other edges.
func TestCrossesItselfFindsWhatAllPairsFind(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]float64{1e-20, 1, 3e30}).Draw(t, "size")
		whole := rapid.Bool().Draw(t, "whole")
		n := rapid.IntRange(3, 40).Draw(t, "points")
		number := rapid.Custom(func(t *rapid.T) float64 {
			if whole {
				return size * float64(rapid.IntRange(-4, 4).Draw(t, "whole number"))
			}
			return size * float64(float32(rapid.Float64Range(-1, 1).Draw(t, "number")))
		})
		r := &Road{Center: make([]Point, n)}
		for i := range r.Center {
			r.Center[i] = Point{X: number.Draw(t, "x"), Y: number.Draw(t, "y")}
		}
		want := false
		for i := range n {
			for j := i + 1; j < n; j++ {
				want = want || r.edgesCross(i, j)
			}
		}
		require.Equal(t, want, crossesItself(r))
	})
}

// TestCrossesItselfComparesFewPairs counts comparisons: a few per point of a road, and at most the limit for a line
// whose edges all lie side by side.
func TestCrossesItselfComparesFewPairs(t *testing.T) {
	const n = maxNMax
	ring, straights, comb := make([]Point, n), make([]Point, n), make([]Point, n)
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		ring[i] = Point{X: float64(float32(cos)), Y: float64(float32(sin))}
		side, along := i/(n/4), float64(i%(n/4))/(n/4)
		straights[i] = [...]Point{{X: along}, {X: 1, Y: along}, {X: 1 - along, Y: 1}, {Y: 1 - along}}[side]
		comb[i] = Point{X: float64(i % 2), Y: float64(i) * 1e-3}
	}
	comb[n-2], comb[n-1] = Point{X: 2, Y: 66}, Point{X: 2, Y: -1} // closes the line beside the teeth
	for name, line := range map[string][]Point{"ring": ring, "straights": straights} {
		crosses, known := (&Road{Center: line}).compareEdges(8 * n)
		require.False(t, crosses, name)
		require.True(t, known, name)
	}
	_, known := (&Road{Center: comb}).compareEdges(pairsPerPoint * n)
	require.False(t, known)
	require.True(t, crossesItself(&Road{Center: comb}))
}

// TestGeoJSONOfALongRoadThatCrossesItself computes the union of the longest road. Work that grows with the square of
// the number of points takes more than a minute and misses the deadline.
func TestGeoJSONOfALongRoadThatCrossesItself(t *testing.T) {
	b := newBatch(1, maxNMax)
	setTrack(b, 0, maxNMax, 0.1, lemniscate(0.6))
	begin := time.Now()
	w, err := NewGeoJSON(io.Discard, ShapeOf(b), Metadata{}, GeoJSON{Scale: 1})
	require.NoError(t, err)
	require.NoError(t, w.Append(context.Background(), b))
	require.Less(t, time.Since(begin), 30*time.Second)
}
