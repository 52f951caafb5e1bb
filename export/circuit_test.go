package export_test

import (
	"bytes"
	"context"
	"math"
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

// Generated tracks and imported circuits become closed rings of roads: in both directions, with bridges, and at the
// scale of 1:10 cars.
func TestOpenDRIVEOfTracksAndCircuits(t *testing.T) {
	t.Parallel()
	for _, generator := range []string{track.Bezier, track.Polar} {
		b := generated(t, generator)
		for e := range b.Envs {
			for _, scale := range []float64{1, 10, 50} {
				road, err := export.RoadOf(b, e, scale)
				require.NoError(t, err)
				require.Equal(t, 3, export.RequireOpenDRIVE(t, road, generator))
			}
		}
	}
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer device.Close()
	circuits := []track.Circuit{{Name: "ring"}, {Name: "clockwise"}, {Name: "eight"}}
	for k := range 72 {
		sin, cos := math.Sincos(2 * math.Pi * (float64(k) + 0.3) / 72)
		d := 1 + sin*sin
		x := []float64{60*cos + 5*sin*sin, 60*cos + 5*sin*sin, 110 * cos / d}
		y := []float64{45 * sin, -45 * sin, 150 * sin * cos / d}
		for c := range circuits {
			circuits[c].X, circuits[c].Y = append(circuits[c].X, x[c]), append(circuits[c].Y, y[c])
			circuits[c].Right, circuits[c].Left = append(circuits[c].Right, 4+cos), append(circuits[c].Left, 5)
		}
	}
	imported, err := track.Import(t.Context(), device, track.ImportOptions{}, circuits...)
	require.NoError(t, err)
	defer imported.Close()
	b, err := imported.Batch(t.Context())
	require.NoError(t, err)
	require.Equal(t, []int32{0, 0, 1}, b.Crossings)
	for e := range b.Envs {
		for _, scale := range []float64{0.1, 1} {
			road, err := export.RoadOf(b, e, scale)
			require.NoError(t, err)
			require.True(t, road.Valid, road.Reasons)
			require.Equal(t, 3, export.RequireOpenDRIVE(t, road, circuits[e].Name))
		}
	}
}
