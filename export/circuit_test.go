package export_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// generated generates tracks of both directions of travel: bezier tracks run clockwise, polar ones counter-clockwise.
func generated(t *testing.T, generator string) *track.Batch {
	t.Helper()
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer device.Close()
	g, err := track.NewGenerator(device, tracktest.Config(generator, 4), track.WithSeed(7))
	require.NoError(t, err)
	defer g.Close()
	b, err := g.Track().Batch(context.Background())
	require.NoError(t, err)
	return b
}

// The project's reader of measured circuits reads a written circuit back unchanged.
func TestCircuitsAreReadBack(t *testing.T) {
	for _, generator := range []string{track.Bezier, track.Polar} {
		b := generated(t, generator)
		for e := range b.Envs {
			road, err := export.RoadOf(b, e, 50)
			require.NoError(t, err)
			var out bytes.Buffer
			require.NoError(t, export.WriteCircuit(&out, road))
			c, err := circuit.Read("track.csv", &out, circuit.Options{})
			require.NoError(t, err)
			require.Zero(t, c.Repeated)
			require.True(t, c.Widths())
			require.Len(t, c.X, len(road.Center))
			require.InEpsilon(t, road.Length, c.PolygonLength(), 1e-5)
			for i := range c.X {
				require.InDelta(t, 5, c.Right[i], 1e-3)
				require.InDelta(t, 5, c.Left[i], 1e-3)
			}
		}
	}
}
