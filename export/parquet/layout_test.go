package parquet_test

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/export"
	tracks "github.com/trackgen-go/trackgen/export/parquet"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/track"
)

// encodeIn returns the file of a batch in a layout.
func encodeIn(t *testing.T, layout tracks.Layout, b *track.Batch) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := layout.NewEncoder(&out, export.ShapeOf(b), metadata())
	require.NoError(t, err)
	require.NoError(t, e.Append(context.Background(), b))
	require.NoError(t, e.Finish())
	return out.Bytes()
}

// The same rows are read back in every compression, and the hash is the same.
func TestCompressionsReadBack(t *testing.T) {
	b := sampleBatch(9)
	want, err := parquet.Read[row](bytes.NewReader(encode(t, b)), int64(len(encode(t, b))))
	require.NoError(t, err)
	sizes := map[tracks.Compression]int{}
	for _, c := range []tracks.Compression{tracks.Snappy, tracks.Zstandard, tracks.Uncompressed} {
		text := encodeIn(t, tracks.Layout{Compression: c}, b)
		sizes[c] = len(text)
		rows, err := parquet.Read[row](bytes.NewReader(text), int64(len(text)))
		require.NoError(t, err, c)
		require.Equal(t, want, rows, c)
		require.Equal(t, hashOf(t, encode(t, b)), hashOf(t, text), c)
	}
	require.Less(t, sizes[tracks.Zstandard], sizes[tracks.Uncompressed])
	require.Len(t, encode(t, b), sizes[tracks.Snappy], "the default")
}

// A file with some of the columns has no others, and its hash is that of its own columns.
func TestColumnsOfALayout(t *testing.T) {
	b := sampleBatch(5)
	layout := tracks.Layout{Columns: []string{"arclen", "center"}}
	text := encodeIn(t, layout, b)
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	var lists []string
	for _, path := range file.Schema().Columns() {
		if len(path) > 1 {
			lists = append(lists, path[0])
		}
	}
	require.Equal(t, []string{"center_x", "center_y", "center_z", "arclen"}, lists)
	stored, _ := file.Lookup(tracks.HashKey)
	hash := layout.NewHash()
	reader := parquet.NewReader(bytes.NewReader(text))
	rows := make([]parquet.Row, 9)
	n, err := reader.ReadRows(rows)
	require.ErrorIs(t, err, io.EOF)
	for _, row := range rows[:n] {
		hash.Add(row)
	}
	require.Equal(t, stored, hash.String())
	none := encodeIn(t, tracks.Layout{Columns: []string{}}, b)
	require.Less(t, len(none), len(text))
	_, err = circuit.ReadAll("none.parquet", bytes.NewReader(none), circuit.Options{})
	require.ErrorContains(t, err, "there is no column center_x")
}

// Half precision rounds to the nearest number that half precision has. Circuits are read from such a file, too.
func TestHalfPrecision(t *testing.T) {
	b := circuits()
	b.Center[0].X = 1 + 1.0/1024 + 1.0/4096 // between two numbers of half precision, 1/1024 apart
	half := tracks.Layout{Precision: tracks.Half}
	text := encodeIn(t, half, b)
	files, err := circuit.ReadAll("three.parquet", bytes.NewReader(text), circuit.Options{})
	require.NoError(t, err)
	assert.Equal(t, []float64{1 + 1.0/1024, 20, 20, 0}, files[0].X)
	assert.Equal(t, []float64{2, 3, 4, 5}, files[0].Left)
	assert.Equal(t, []float64{3, 3, 3}, files[1].Z)
	require.NotEqual(t, hashOf(t, encode(t, b)), hashOf(t, text))
	b.Center[0].X = 1 + 1.0/1024
	require.Equal(t, hashOf(t, encode(t, b)), hashOf(t, text), "the hash of the rounded numbers")

	b.Outer[0].Y = 65520 // rounds to infinity
	e, err := half.NewEncoder(io.Discard, export.ShapeOf(b), metadata())
	require.NoError(t, err)
	require.ErrorContains(t, e.Append(context.Background(), b),
		"env 0: parquet: outer_y has the number 65520: half precision has numbers up to 65504 alone")
}

func TestWrongLayouts(t *testing.T) {
	for want, layout := range map[string]tracks.Layout{
		`parquet: compression is "zip": must be snappy, zstd or none`: {Compression: "zip"},
		`parquet: precision is "double": must be single or half`:      {Precision: "double"},
		`parquet: columns is "center_x": must be of center, outer,`:   {Columns: []string{"center", "center_x"}},
		`parquet: columns is "center": must be named once`:            {Columns: []string{"center", "center"}},
		`parquet: columns is "length": must be of center`:             {Columns: []string{"length"}},
	} {
		_, err := layout.NewEncoder(io.Discard, export.Shape{Envs: 1, NMax: 16}, metadata())
		var wrong *tracks.LayoutError
		require.ErrorAs(t, err, &wrong)
		require.ErrorContains(t, err, want)
	}
}

// TestArrowReadsLayouts reads every layout with the reference implementation.
func TestArrowReadsLayouts(t *testing.T) {
	const script = `
import sys
import pyarrow.parquet as pq
for path in sys.argv[1:]:
    file = pq.ParquetFile(path)
    rows = file.read().to_pylist()
    assert len(rows) == 9 and rows[2]["center_x"] == [] and rows[3]["center_x"] is None, path
    assert [float(x) for x in rows[8]["center_x"][:2]] == [1.0, 0.54052734375 if "half" in path else 0.5403022766113281], (path, rows[8]["center_x"])
    assert str(file.schema_arrow.field("center_x").type) == f"list<element: {'halffloat' if 'half' in path else 'float'} not null>"
    codec = file.metadata.row_group(0).column(12).compression
    assert codec.lower().startswith(path.split("-")[-1][:3]) or codec == "UNCOMPRESSED" and path.endswith("none"), (path, codec)
`
	var paths []string
	for _, precision := range []tracks.Precision{tracks.Single, tracks.Half} {
		for _, c := range []tracks.Compression{tracks.Snappy, tracks.Zstandard, tracks.Uncompressed} {
			path := filepath.Join(t.TempDir(), string(precision)+"-"+string(c))
			text := encodeIn(t, tracks.Layout{Precision: precision, Compression: c}, sampleBatch(9))
			require.NoError(t, os.WriteFile(path, text, 0o600))
			paths = append(paths, path)
		}
	}
	required.Python(t, "pyarrow.parquet", script, paths...)
}

// BenchmarkEncoder measures a track of the default size: 20 columns of 84 points.
func BenchmarkEncoder(bench *testing.B) {
	const envs, points = 1024, 84
	b := track.NewBatch(envs, points)
	for i := range envs * points {
		angle := 2 * math.Pi * float64(i%points) / points
		x, y := float32(math.Cos(angle)*(1+float64(i%89)/1000)), float32(math.Sin(angle)*(1+float64(i%97)/1000))
		b.Center[i].X, b.Center[i].Y, b.Tangent[i].X, b.Tangent[i].Y = x, y, -y, x
		b.Outer[i].X, b.Outer[i].Y, b.Inner[i].X, b.Inner[i].Y = 1.1*x, 1.1*y, 0.9*x, 0.9*y
		b.Normal[i].X, b.Normal[i].Y, b.Arclen[i] = -x, -y, float32(angle)
	}
	for e := range envs {
		b.Count[e], b.Valid[e] = points, 1
	}
	for name, layout := range map[string]tracks.Layout{
		"snappy": {}, "zstd": {Compression: tracks.Zstandard},
		"none": {Compression: tracks.Uncompressed}, "half": {Precision: tracks.Half},
		"center": {Columns: []string{"center"}},
	} {
		bench.Run(name, func(bench *testing.B) {
			var size int
			for bench.Loop() {
				var out bytes.Buffer
				e, err := layout.NewEncoder(&out, export.ShapeOf(b), metadata())
				require.NoError(bench, err)
				require.NoError(bench, e.Append(context.Background(), b))
				require.NoError(bench, e.Finish())
				size = out.Len()
			}
			bench.ReportMetric(float64(bench.Elapsed().Nanoseconds())/float64(bench.N)/envs, "ns/track")
			bench.ReportMetric(float64(size)/envs, "B/track")
		})
	}
}
