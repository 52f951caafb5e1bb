package export

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
)

// Files with a centreline have its heights, and the reader of circuits reads them back.
func TestHeightsReadBack(t *testing.T) {
	b, _, _ := bankedBatch()
	b.WidthRight, b.WidthLeft = make([]float32, 96), make([]float32, 96)
	for i := range 64 {
		b.WidthRight[i], b.WidthLeft[i] = 0.1, 0.1
	}
	shape := ShapeOf(b)
	encoded := func(create func(io.Writer) (Encoder, error)) []byte { return encode(t, b, create) }
	var road bytes.Buffer
	require.NoError(t, WriteCircuit(&road, mustRoad(t, b, 0, 1)))
	for name, data := range map[string][]byte{
		"npz":     readFile(t, writeNPZ(t, b, []int{1})),
		"JSON":    encoded(func(w io.Writer) (Encoder, error) { return NewTracksJSON(w, shape, Metadata{}) }),
		"points":  encoded(func(w io.Writer) (Encoder, error) { return NewPointsCSV(w, shape) }),
		"GeoJSON": encoded(func(w io.Writer) (Encoder, error) { return NewGeoJSON(w, shape, Metadata{}, GeoJSON{}) }),
		"circuit": road.Bytes(),
	} {
		c, err := circuit.Read("road", bytes.NewReader(data), circuit.Options{})
		require.NoError(t, err, name)
		require.Len(t, c.Z, 64, name)
		for i, z := range c.Z {
			require.Equal(t, b.Center[i].Z, float32(z), "%s, point %d", name, i)
		}
	}
	// A track in a plane has the four columns of circuit CSV, at any height.
	road.Reset()
	require.NoError(t, WriteCircuit(&road, mustRoad(t, unequalBatch(), 0, 1)))
	assert.NotContains(t, road.String(), "z_m")
}

// GeoJSON has three coordinates for the positions of a track with hills, and the bank angles in radians at any scale.
func TestGeoJSONOfBankedTracks(t *testing.T) {
	b, _, angle := bankedBatch()
	for _, scale := range []float64{1, 50} {
		file := geoJSONOf(t, b, GeoJSON{Scale: scale})
		require.Len(t, file.Features, 2)
		var road [][][]float64
		require.NoError(t, json.Unmarshal(file.Features[0].Geometry.Coordinates, &road))
		var line [][]float64
		require.NoError(t, json.Unmarshal(file.Features[1].Geometry.Coordinates, &line))
		require.Len(t, line, 65)
		for i := range 64 {
			require.InDelta(t, scale*float64(b.Center[i].Z), line[i][2], 1e-5*scale)
			require.InDelta(t, angle(float64(i)/64), file.Features[1].Properties.Bank[i], 1e-6)
		}
		for _, p := range append(road[0], road[1]...) {
			require.Len(t, p, 3)
		}
		assert.InDelta(t, scale*float64(b.Outer[0].Z), road[0][0][2], 1e-5*scale, "the outer border has its own height")
	}
}
