package export

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernel"
)

// sampleHeights is three grids: a slope, one without heights, and a level one.
func sampleHeights() *heightfield.Grid {
	g := &heightfield.Grid{Envs: 3, Resolution: 8}
	for e := range g.Envs {
		g.Low = append(g.Low, kernel.V2(float32(e), -1))
		g.High = append(g.High, kernel.V2(float32(e)+2, 3))
		for i := range 64 {
			g.Height = append(g.Height, []float32{-0.5 + float32(i)/64, kernel.NaN(), 0.25}[e])
		}
	}
	return g
}

// NumPy reads the heights, the corners and the resolution, and Python the metadata.
func TestNumPyReadsHeights(t *testing.T) {
	g := sampleHeights()
	path, raw := filepath.Join(t.TempDir(), "heights.npz"), filepath.Join(t.TempDir(), "raw")
	m := HeightMetadata{Version: "v1", Device: "cpu", Envs: []int{0, 4, 7}, Names: []string{"Spa", "", "é"},
		Config: heightfield.DefaultConfig()}
	var first, again bytes.Buffer
	require.NoError(t, WriteHeightNPZ(context.Background(), &first, g, m))
	require.NoError(t, WriteHeightNPZ(context.Background(), &again, g, m))
	assert.True(t, bytes.Equal(first.Bytes(), again.Bytes()), "the same grids give the same bytes")
	require.NoError(t, os.WriteFile(path, first.Bytes(), 0o600))
	var words bytes.Buffer
	require.NoError(t, writeFloats(context.Background(), &words, g.Height))
	require.NoError(t, os.WriteFile(raw, words.Bytes(), 0o600))
	required.Python(t, "numpy", `
import json, sys, zipfile
import numpy as np
assert zipfile.ZipFile(sys.argv[1]).testzip() is None
d = np.load(sys.argv[1])
assert d.files == ["height", "lo", "hi", "resolution", "metadata"], d.files
assert d["height"].dtype.str == "<f4" and d["height"].shape == (3, 8, 8)
assert d["height"].tobytes() == open(sys.argv[2], "rb").read()
assert d["lo"].tolist() == [[0, -1], [1, -1], [2, -1]] and d["hi"].tolist() == [[2, 3], [3, 3], [4, 3]]
assert d["resolution"].shape == () and d["resolution"] == 8 and d["resolution"].dtype.str == "<i4"
m = json.loads(str(d["metadata"]))
assert m == {"format": 1, "kind": "heights", "version": "v1", "device": "cpu", "envs": [0, 4, 7],
    "names": ["Spa", "", "é"], "config": {"resolution": 64, "padding": 0, "blend.mode": "nearest", "blend.length": 0}}, m
`, path, raw)
}

func TestHeightNPZRefuses(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := HeightMetadata{Config: heightfield.DefaultConfig()}
	require.ErrorIs(t, WriteHeightNPZ(ctx, io.Discard, nil, m), backend.ErrInvalid)
	require.ErrorIs(t, WriteHeightNPZ(ctx, io.Discard, new(heightfield.Grid), m), backend.ErrInvalid)
	cancel()
	require.ErrorIs(t, WriteHeightNPZ(ctx, io.Discard, sampleHeights(), m), context.Canceled)
}

// The image gives the heights back, to half a level, at the right places.
func TestHeightPNG(t *testing.T) {
	g := sampleHeights()
	m, err := HeightImageOf(g, 0, 50)
	require.NoError(t, err)
	m.Image = "a.png"
	var picture, text bytes.Buffer
	require.NoError(t, WriteHeightPNG(&picture, g, 0, 50, m))
	require.NoError(t, WriteHeightImage(&text, m))
	var read map[string]any
	require.NoError(t, json.Unmarshal(text.Bytes(), &read))
	assert.Equal(t, map[string]any{"format": 1.0, "image": "a.png", "env": 0.0, "resolution": 8.0,
		"low": []any{0.0, -50.0}, "high": []any{100.0, 150.0}, "pixel": []any{12.5, 25.0}, "offset": -25.0,
		"metres_per_level": 50.0 * 63 / 64 / 65535}, read)
	decoded, err := png.Decode(&picture)
	require.NoError(t, err)
	gray, ok := decoded.(*image.Gray16)
	require.True(t, ok, "%T", decoded)
	assert.Equal(t, image.Rect(0, 0, 8, 8), gray.Rect)
	assert.Zero(t, gray.Gray16At(0, 7).Y, "the lowest height is that of the smallest x and y")
	assert.EqualValues(t, 65535, gray.Gray16At(7, 0).Y)
	for i, z := range g.Of(0) {
		height := m.Offset + float64(gray.Gray16At(i%8, 7-i/8).Y)*m.MetresPerLevel
		require.InDelta(t, 50*z, height, m.MetresPerLevel*0.5001)
	}
}

// Level ground has an image, and a track without heights has none.
func TestHeightPNGOfUnusualGround(t *testing.T) {
	g := sampleHeights()
	m, err := HeightImageOf(g, 2, 2)
	require.NoError(t, err)
	assert.Equal(t, 0.5, m.Offset)
	assert.Zero(t, m.MetresPerLevel)
	var picture bytes.Buffer
	require.NoError(t, WriteHeightPNG(&picture, g, 2, 2, m))
	decoded, err := png.Decode(&picture)
	require.NoError(t, err)
	for _, b := range decoded.(*image.Gray16).Pix {
		require.Zero(t, b)
	}
	_, err = HeightImageOf(g, 1, 1)
	require.EqualError(t, err, "export: env 1 has no image of heights: that of cell (0, 0) is NaN; expected finite "+
		"numbers, which a valid track has")
	require.ErrorIs(t, err, backend.ErrInvalid)
	for _, wrong := range []float32{float32(math.Inf(1)), float32(math.Inf(-1))} {
		unusual := sampleHeights()
		unusual.Of(2)[1] = wrong
		_, err = HeightImageOf(unusual, 2, 1)
		require.ErrorContains(t, err, "that of cell (1, 0) is ")
		unusual = sampleHeights()
		unusual.High[2].Y = wrong
		_, err = HeightImageOf(unusual, 2, 1)
		require.ErrorContains(t, err, "env 2 has no image of heights: a corner of the grid is (")
	}
	for _, e := range []int{-1, 3} {
		_, err = HeightImageOf(g, e, 1)
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
	_, err = HeightImageOf(nil, 0, 1)
	require.ErrorIs(t, err, backend.ErrInvalid)
	for _, scale := range []float64{0, -1, math.NaN(), math.Inf(1), 1e10} {
		_, err = HeightImageOf(g, 0, scale)
		require.ErrorContains(t, err, "must be a number above 0 and up to 1e9")
	}
	require.Error(t, WriteHeightPNG(failing{}, g, 0, 1, m))
	require.Error(t, WriteHeightImage(failing{}, m))
}
