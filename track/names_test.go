package track_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
)

// The names of circuits are those of their tracks, in every copy.
func TestNamesOfCircuits(t *testing.T) {
	opened := open(t)
	ring := func(name string) track.Circuit {
		c := line(40, func(u float64) (float64, float64, float64, float64) {
			return 50 * math.Cos(u), 50 * math.Sin(u), 2, 2
		})
		c.Name = name
		return c
	}
	imported, err := track.Import(context.Background(), opened, track.ImportOptions{}, ring("Spa"), ring(""), ring("Spa"))
	require.NoError(t, err)
	defer imported.Close()
	clone, err := imported.Clone(context.Background())
	require.NoError(t, err)
	defer clone.Close()
	for _, tracks := range []*track.Track{imported, clone} {
		batch, err := tracks.Batch(context.Background())
		require.NoError(t, err)
		assert.Equal(t, []string{"Spa", "", "Spa"}, batch.Names)
		batch.Names[0] = "another"
	}
	assert.Equal(t, "Spa", imported.Names[0], "a batch is a copy")

	unnamed, err := track.Import(context.Background(), opened, track.ImportOptions{}, ring(""))
	require.NoError(t, err)
	defer unnamed.Close()
	assert.Nil(t, unnamed.Names)
}
