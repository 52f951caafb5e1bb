package export

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/track"
)

// measuredBatch is a batch of measured circuits.
func measuredBatch(envs int) *track.Batch {
	b := newBatch(envs, 40)
	for e := range envs {
		setTrack(b, e, 30+e, 5, circle(50))
	}
	for i := range envs * 40 {
		b.WidthRight, b.WidthLeft = append(b.WidthRight, 4+float32(i%5)), append(b.WidthLeft, 5)
	}
	b.Crossings = []int32{1, 0, 2}[:envs]
	return b
}

func write(t *testing.T, path string, shape Shape, chunks ...*track.Batch) error {
	t.Helper()
	w, err := NewNPZWriter(path, shape, Metadata{Import: &Import{}})
	require.NoError(t, err)
	defer func() { require.NoError(t, w.Abort()) }()
	for _, chunk := range chunks {
		if err := w.Append(context.Background(), chunk); err != nil {
			return err
		}
	}
	return w.Commit(context.Background())
}

// The file contains the widths of measured circuits, for this reader and for others.
func TestMeasuredNPZ(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	want := measuredBatch(3)
	require.NoError(t, write(t, path, ShapeOf(want), want))
	got, metadata, err := ReadNPZ(path)
	require.NoError(t, err)
	assert.Equal(t, want.WidthRight, got.WidthRight)
	assert.Equal(t, want.WidthLeft, got.WidthLeft)
	assert.Equal(t, want.Crossings, got.Crossings)
	assert.Equal(t, want.Arclen[:30], got.Arclen[:30])
	assert.NotNil(t, metadata.Import)

	file, err := npz.Open(path)
	require.NoError(t, err)
	defer file.Close()
	var right []float32
	require.NoError(t, file.Read("width_right.npy", &right))
	assert.Equal(t, want.WidthRight, right)

	// Writing in chunks gives the same file.
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, write(t, path, ShapeOf(want), slice(want, 0, 1), newBatch(0, 40), slice(want, 1, 3)))
	chunked, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, whole, chunked)
}

// All chunks of a file must have the same columns.
func TestMeasuredRefusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	short := measuredBatch(3)
	short.Crossings = short.Crossings[1:]
	assert.ErrorContains(t, write(t, path, ShapeOf(short), short), "expected 3")
	measured, generated := measuredBatch(1), newBatch(1, 40)
	assert.ErrorContains(t, write(t, path, Shape{Envs: 2, NMax: 40}, measured, generated),
		"lacks the column width_right, which the chunks before it have")
	assert.ErrorContains(t, write(t, path, Shape{Envs: 2, NMax: 40}, generated, measured),
		"has the column width_right, which the chunks before it lack")
	_, err := os.Stat(path)
	assert.ErrorIs(t, err, os.ErrNotExist, "nothing is left of files that fail")
}

func TestImportMetadata(t *testing.T) {
	want := Metadata{Version: "v1", Device: "cpu", Import: &Import{
		Circuits: []ImportedCircuit{{File: "a.csv", SHA256: "00ff", Points: 3},
			{File: "b.csv", SHA256: "11", Points: 4, Origin: &[2]float64{5e5, -1}}},
		Options: track.ImportOptions{Spacing: 3, MaxPoints: 9, HalfWidth: 2, Relax: true, NoCrossings: true, Height: -1},
	}}
	text, err := json.Marshal(want)
	require.NoError(t, err)
	assert.JSONEq(t, `{"format": 1, "version": "v1", "device": "cpu", "import": {
		"circuits": [{"file": "a.csv", "sha256": "00ff", "points": 3}, {"file": "b.csv", "sha256": "11", "points": 4, "origin": [500000, -1]}],
		"options": {"spacing": 3, "max_points": 9, "half_width": 2, "relax": true, "no_crossings": true, "height": -1}}}`, string(text))
	var got Metadata
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, want, got)

	text, err = json.Marshal(Metadata{Import: &Import{Circuits: []ImportedCircuit{}}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"format": 1, "version": "", "import": {"circuits": [], "options": {}}}`, string(text))
}
