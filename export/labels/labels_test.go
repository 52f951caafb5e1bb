package labels_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/export/labels"
	"github.com/trackgen-go/trackgen/track"
)

// The labels of a batch in host memory match conditions, and means leave out tracks without a line.
func TestLabels(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	c := track.DefaultConfig()
	c.NumEnvs = 3
	g, err := track.NewGenerator(device, c)
	require.NoError(t, err)
	batch, err := g.Track().Batch(t.Context())
	require.NoError(t, err)
	require.NoError(t, g.Close())
	batch.Count[1] = 2 // no line
	b, err := labels.Of(t.Context(), device, batch, labels.DefaultConfig())
	require.NoError(t, err)
	f, err := labels.Parse("lap_time > 0 and length > 1")
	require.NoError(t, err)
	var means labels.Means
	for e := range 3 {
		require.Equal(t, e != 1, f.Match(b, e))
		means.Add(labels.ValuesOf(b, e))
	}
	require.Equal(t, "lap_time", labels.Names()[0])
	require.InDelta(t, float64(b.LapTime[0]+b.LapTime[2])/2, means.ByName()["lap_time"], 1e-6)
	require.Len(t, means.ByName(), len(labels.Names()))
	require.Nil(t, new(labels.Means).ByName())

	slow := labels.DefaultConfig()
	slow.Car.MaxSpeed = 0.5
	s, err := labels.Of(t.Context(), device, batch, slow)
	require.NoError(t, err)
	require.Greater(t, s.LapTime[0], b.LapTime[0])
	slow.Car.MaxSpeed = math.NaN()
	_, err = labels.Of(t.Context(), device, batch, slow)
	require.ErrorContains(t, err, "max_speed is NaN")
	batch.WidthLeft = nil
	_, err = labels.Of(t.Context(), device, batch, labels.DefaultConfig())
	require.ErrorContains(t, err, "width_left")
}
