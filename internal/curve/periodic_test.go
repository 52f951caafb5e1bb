package curve

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// The solution of a system in a ring, put into the system, gives the right side, from the smallest ring on.
func TestSolve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 20).Draw(t, "n")
		number := rapid.Float64Range(-1, 1)
		m := newBanded(n)
		want := make([]float64, n)
		for i := range n {
			m.first[i], m.second[i] = number.Draw(t, "first"), number.Draw(t, "second")
			want[i] = number.Draw(t, "x")
		}
		side := make([]float64, n)
		for i := range n {
			m.diagonal[i] = 4.5
			side[i] += 4.5 * want[i]
			for distance, band := range [][]float64{m.first, m.second} {
				j := (i + distance + 1) % n
				side[i] += band[i] * want[j]
				side[j] += band[i] * want[i]
			}
		}
		again := append([]float64(nil), side...)
		m.solve(side, again)
		assert.InDeltaSlice(t, want, side, 1e-9)
		assert.Equal(t, side, again)
	})
}
