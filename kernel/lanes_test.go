package kernel

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A call of machine code takes whole batches, and fewer items the longer each may take, however long that is.
func TestItemsPerCall(t *testing.T) {
	require.Equal(t, int32(mostItems), new(Def).ItemsPerCall(100, nil))
	for iterations, want := range map[float64]int32{
		math.NaN(): mostItems, -1: mostItems, 0: mostItems, 1: mostItems, 16: mostItems, 17: 15_416, 100: 2616, 1000: 256,
		5000: 48, 32_768: 8, 1e6: 8, 1e300: 8, math.Inf(1): 8,
	} {
		d := Def{Iterations: func(items int32, _ *Args) float64 {
			require.Equal(t, int32(100), items)
			return iterations
		}}
		got := d.ItemsPerCall(100, nil)
		require.Equal(t, want, got, "%g iterations", iterations)
		require.Zero(t, got%batch)
		if got > batch {
			within := !(float64(got/batch)*iterations > batchedPerCall) // NaN states no bound
			require.True(t, within, "%g iterations", iterations)
		}
	}
}
