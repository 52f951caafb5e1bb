package circuit_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/track"
)

// shared holds six real circuits. They are next to the checkout and not part of it.
var shared = filepath.Join("..", "..", "shared", "data", "circuits")

// Six real circuits are valid tracks with the right length, at the default spacing and at finer and coarser ones.
func TestRealCircuits(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(shared, "*.csv"))
	require.NoError(t, err)
	if len(paths) == 0 {
		_, err := os.Stat(shared)
		t.Skipf("NOT RUN: the circuits are not beside this checkout: %v", err)
	}
	require.Len(t, paths, 6)
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	var lines []track.Circuit
	var lengths []float64
	for _, path := range paths {
		c, err := circuit.ReadFile(path, circuit.Options{})
		require.NoError(t, err)
		lines, lengths = append(lines, c.Circuit), append(lengths, c.PolygonLength())
	}
	for _, spacing := range []float64{0, 2, 5} {
		tracks, err := track.Import(context.Background(), device, track.ImportOptions{Spacing: spacing}, lines...)
		require.NoError(t, err)
		batch, err := tracks.Batch(context.Background())
		require.NoError(t, err)
		require.NoError(t, tracks.Close())
		for e, line := range lines {
			assert.Equal(t, track.Reason(0), batch.Reason[e], "%s at %v m: %v", line.Name, spacing, batch.Reason[e])
			assert.Equal(t, int32(1), batch.Valid[e], line.Name)
			assert.InEpsilon(t, lengths[e], batch.Length[e], 0.005, line.Name)
			crossings := int32(0)
			if line.Name == "Suzuka" {
				crossings = 1
			}
			assert.Equal(t, crossings, batch.Crossings[e], line.Name)
			t.Logf("%s: %d points, %.1f m, %+.3f %%", line.Name, batch.Count[e], batch.Length[e],
				100*(float64(batch.Length[e])/lengths[e]-1))
			require.False(t, math.IsNaN(float64(batch.Length[e])))
		}
	}
}
