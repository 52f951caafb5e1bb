package labels_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/labels"
	"github.com/trackgen-go/trackgen/export/parquet"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// NumPy and pyarrow read the labels of files as columns with their types, behind those of the tracks, and what the
// metadata say of them. Numbers that are not finite are null in Parquet. The hash is that of the tracks alone.
func TestColumnsOfFiles(t *testing.T) {
	ctx := t.Context()
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	c := track.DefaultConfig()
	c.NumEnvs = 5
	g, err := track.NewGenerator(device, c)
	require.NoError(t, err)
	batch, err := g.Track().Batch(ctx)
	require.NoError(t, err)
	require.NoError(t, g.Close())
	batch.Count[3] = 2 // no racing line
	settings := labels.DefaultConfig()
	settings.Car.CarWidth = 0.05
	want, err := labels.Of(ctx, device, batch, settings)
	require.NoError(t, err)

	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	extra, about := labels.Columns(device, settings)
	shape, metadata := export.ShapeOf(batch), export.Metadata{Version: "v1", Config: c, Labels: about}
	write := func(w export.BatchWriter, err error) {
		require.NoError(t, err)
		for e := range 5 { // in several chunks
			part := new(track.Batch)
			require.NoError(t, part.Append(batch, e))
			require.NoError(t, w.Append(ctx, part))
		}
		require.NoError(t, w.Commit(ctx))
	}
	write(export.NewNPZWriter(path("t.npz"), shape, metadata, export.ExtraArrays(extra), export.Tight()))
	create := func(name string, options ...export.EncoderOption) {
		write(export.Create(path(name), func(w io.Writer) (export.Encoder, error) {
			return parquet.NewEncoder(w, shape, metadata, options...)
		}))
	}
	create("t.parquet", export.ExtraColumns(extra))
	create("plain.parquet")
	numbers := map[string]any{}
	for i, name := range labels.Names() {
		var list []any
		for e := range 5 {
			if v := labels.ValuesOf(want, e)[i]; v == v {
				list = append(list, v)
			} else {
				list = append(list, nil)
			}
		}
		numbers["label_"+name] = list
	}
	text, err := json.Marshal(numbers)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path("want.json"), text, 0o600))

	// A reader of this package reads the file as before.
	reader, err := export.OpenNPZ(path("t.npz"))
	require.NoError(t, err)
	require.Equal(t, about, reader.Metadata().Labels)
	require.NoError(t, reader.Close())
	required.Python(t, "numpy", `
import json, sys
import numpy as np
folder = sys.argv[1]
want = json.load(open(folder + "/want.json"))
tracks = np.load(folder + "/t.npz")
assert {n for n in tracks.files if n.startswith("label_")} == set(want)
for name, values in want.items():
    column = tracks[name]
    assert column.shape == (5,), name
    assert column.dtype == (np.int32 if name.endswith(("corners", "hairpins")) else np.float32), name
    expected = np.array([np.nan if v is None else v for v in values])
    assert np.array_equal(column.astype(float), expected, equal_nan=True), name
about = json.loads(str(tracks["metadata"]))["labels"]
assert about["settings"]["car_width"] == 0.05 and about["settings"]["max_speed"] == 10
assert about["units"]["label_lap_time"] == "time" and set(about["units"]) == set(want)
`, folder)
	required.Python(t, "pyarrow.parquet", `
import json, sys
import pyarrow as pa
import pyarrow.parquet as pq
folder = sys.argv[1]
want = json.load(open(folder + "/want.json"))
table, plain = pq.read_table(folder + "/t.parquet"), pq.read_table(folder + "/plain.parquet")
assert table.column_names[:len(plain.column_names)] == plain.column_names
assert set(table.column_names[len(plain.column_names):]) == set(want)
for name, values in want.items():
    column = table[name]
    assert column.type == (pa.int32() if name.endswith(("corners", "hairpins")) else pa.float32()), name
    assert column.to_pylist() == values, name
meta = pq.read_metadata(folder + "/t.parquet").metadata
assert json.loads(meta[b"trackgen.metadata"])["labels"]["units"]["label_mean_speed"] == "length/time"
assert meta[b"trackgen.sha256"] == pq.read_metadata(folder + "/plain.parquet").metadata[b"trackgen.sha256"]
`, folder)
}

// Extra columns that a file cannot have, or that differ from those that were announced, are refused.
func TestWrongColumns(t *testing.T) {
	number := column.Column{Name: "label", Type: kernel.Float32, Per: column.Env}
	none := func(context.Context, *track.Batch) ([]column.Host, error) { return nil, nil }
	for want, extra := range map[string]export.Extra{
		`an extra column is called "length": must be a name that no other column has`: {
			Columns: []column.Column{{Name: "length", Type: kernel.Float32, Per: column.Env}}, Values: none},
		`an extra column is called "label": must be`: {Columns: []column.Column{number, number}, Values: none},
		"the extra column points has": {Columns: []column.Column{{Name: "points", Type: kernel.TypeVec3, Per: column.Env}},
			Values: none},
		"extra columns without values": {Columns: []column.Column{number}},
	} {
		_, err := export.NewNPZ(io.Discard, export.Shape{Envs: 1, NMax: 3}, export.Metadata{}, export.ExtraArrays(extra))
		require.ErrorContains(t, err, "export: "+want)
		_, err = parquet.NewEncoder(io.Discard, export.Shape{Envs: 1, NMax: 3}, export.Metadata{},
			export.ExtraColumns(extra))
		require.ErrorContains(t, err, "export: "+want)
	}
	extra := export.Extra{Columns: []column.Column{number}, Values: none}
	_, err := extra.Of(t.Context(), new(track.Batch))
	require.EqualError(t, err, "export: 0 extra columns: expected 1, as announced")
	values, err := (*export.Extra)(nil).Of(t.Context(), new(track.Batch))
	require.NoError(t, err)
	require.Empty(t, values)
}
