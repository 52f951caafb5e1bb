package parquet_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/export"
	tracks "github.com/trackgen-go/trackgen/export/parquet"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

var nan = float32(math.NaN())

// row is a row of the data set as a program that knows the columns would read it.
type row struct {
	Env     int32    `parquet:"env"`
	Seed    int32    `parquet:"seed"`
	Epoch   int32    `parquet:"epoch"`
	Valid   bool     `parquet:"valid"`
	Reason  string   `parquet:"reason"`
	Count   int32    `parquet:"count"`
	Length  *float32 `parquet:"length,optional"`
	Winding *float32 `parquet:"winding,optional"`

	Candidate int32 `parquet:"candidate"`
	Component int32 `parquet:"component"`

	CenterX  []float32 `parquet:"center_x,optional,list"`
	CenterY  []float32 `parquet:"center_y,optional,list"`
	CenterZ  []float32 `parquet:"center_z,optional,list"`
	OuterX   []float32 `parquet:"outer_x,optional,list"`
	OuterY   []float32 `parquet:"outer_y,optional,list"`
	OuterZ   []float32 `parquet:"outer_z,optional,list"`
	InnerX   []float32 `parquet:"inner_x,optional,list"`
	InnerY   []float32 `parquet:"inner_y,optional,list"`
	InnerZ   []float32 `parquet:"inner_z,optional,list"`
	TangentX []float32 `parquet:"tangent_x,optional,list"`
	TangentY []float32 `parquet:"tangent_y,optional,list"`
	TangentZ []float32 `parquet:"tangent_z,optional,list"`
	NormalX  []float32 `parquet:"normal_x,optional,list"`
	NormalY  []float32 `parquet:"normal_y,optional,list"`
	NormalZ  []float32 `parquet:"normal_z,optional,list"`
	Arclen   []float32 `parquet:"arclen,optional,list"`

	WidthRight []float32 `parquet:"width_right,optional,list"`
	WidthLeft  []float32 `parquet:"width_left,optional,list"`
}

// sampleBatch holds circles of 4, 5, ... points in rows of 16. Env 1 is invalid, env 2 has no points, and env 3 has a
// point that is not finite.
func sampleBatch(envs int) *track.Batch {
	const nMax = 16
	b := track.NewBatch(envs, nMax)
	for e := range envs {
		n := 4 + e%8
		b.Count[e], b.Valid[e], b.Length[e], b.Winding[e] = int32(n), 1, float32(e)+0.5, 1
		b.Seed[e], b.Epoch[e] = int32(100+e), int32(e/4)
		for i := range nMax {
			k := e*nMax + i
			x, y := float32(math.Cos(float64(i))), float32(math.Sin(float64(i)))
			if i >= n {
				x, y = nan, nan
			}
			b.Center[k], b.Outer[k], b.Inner[k] = kernel.V3(x, y, 0.25), kernel.V3(2*x, 2*y, 0.25), kernel.V3(x/2, y/2, 0.25)
			b.Tangent[k], b.Normal[k], b.Arclen[k] = kernel.V3(-y, x, 0), kernel.V3(-x, -y, 0), x+float32(i)
		}
	}
	b.Valid[1], b.Reason[1] = 0, track.ReasonTurning|track.ReasonSeparation
	b.Valid[2], b.Count[2], b.Length[2], b.Winding[2] = 0, 0, nan, nan
	b.Valid[3], b.Reason[3] = 0, track.ReasonNotFinite
	b.Tangent[3*nMax+2].Y = float32(math.Inf(1))
	b.Seed[4] = math.MinInt32
	for e := range envs {
		b.Candidate[e] = int32(e)
	}
	return b
}

func metadata() export.Metadata {
	return export.Metadata{Version: "v1.2.3", Device: "cpu",
		Config: tracktest.Config(track.Bezier, 1, func(c *track.Config) {
			c.Road.HalfWidth = 0.125
		}).Resolved()}
}

func encode(t *testing.T, b *track.Batch, options ...export.EncoderOption) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := tracks.NewEncoder(&out, export.ShapeOf(b), metadata(), options...)
	require.NoError(t, err)
	require.NoError(t, e.Append(context.Background(), b))
	require.NoError(t, e.Finish())
	return out.Bytes()
}

func TestRowsReadBack(t *testing.T) {
	b := sampleBatch(9)
	text := encode(t, b)
	rows, err := parquet.Read[row](bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	require.Len(t, rows, 9)
	for e := range rows {
		r := &rows[e]
		require.Equal(t, int32(e), r.Env)
		require.Equal(t, b.Seed[e], r.Seed)
		require.Equal(t, b.Epoch[e], r.Epoch)
		require.Equal(t, b.Valid[e] == 1, r.Valid)
		require.Equal(t, b.Count[e], r.Count)
		if e == 3 {
			require.Nil(t, r.CenterX)
			continue
		}
		require.Len(t, r.Arclen, int(b.Count[e]), "no padding")
		for i := range r.CenterX {
			k := e*b.NMax + i
			require.Equal(t, b.Center[k], kernel.V3(r.CenterX[i], r.CenterY[i], r.CenterZ[i]))
			require.Equal(t, b.Outer[k], kernel.V3(r.OuterX[i], r.OuterY[i], r.OuterZ[i]))
			require.Equal(t, b.Inner[k], kernel.V3(r.InnerX[i], r.InnerY[i], r.InnerZ[i]))
			require.Equal(t, b.Tangent[k], kernel.V3(r.TangentX[i], r.TangentY[i], r.TangentZ[i]))
			require.Equal(t, b.Normal[k], kernel.V3(r.NormalX[i], r.NormalY[i], r.NormalZ[i]))
			require.Equal(t, b.Arclen[k], r.Arclen[i])
		}
	}
	require.Equal(t, []string{"", "turning|separation", "unknown", "not finite", ""},
		[]string{rows[0].Reason, rows[1].Reason, rows[2].Reason, rows[3].Reason, rows[4].Reason})
	require.Equal(t, float32(1.5), *rows[1].Length)
	require.Nil(t, rows[2].Length)
	require.Nil(t, rows[2].Winding)

	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	value := func(key string) string {
		v, ok := file.Lookup(key)
		require.True(t, ok, key)
		return v
	}
	require.Equal(t, hashOf(t, text), value(tracks.HashKey))
	require.Equal(t, "v1.2.3", value(tracks.VersionKey))
	require.Equal(t, "[[100,4],[-2147483648,1],[105,4]]", value(tracks.SeedsKey))
	require.Equal(t, "[[0,4],[1,4],[2,1]]", value(tracks.EpochsKey))
	var made export.Metadata
	require.NoError(t, json.Unmarshal([]byte(value(tracks.MetadataKey)), &made))
	require.Equal(t, 9, made.Config.NumEnvs)
	require.Equal(t, 0.125, made.Config.Road.HalfWidth)
	var runs []tracks.Run
	require.NoError(t, json.Unmarshal([]byte(value(tracks.SeedsKey)), &runs))
	require.Equal(t, tracks.Run{First: 105, Count: 4}, runs[2])
}

// A file written in chunks is the file written at once. The hash is different for other tracks and for the same tracks
// under other numbers.
func TestChunksAndHash(t *testing.T) {
	whole, b := encode(t, sampleBatch(6)), sampleBatch(6)
	var out bytes.Buffer
	e, err := tracks.NewEncoder(&out, export.ShapeOf(b), metadata())
	require.NoError(t, err)
	for i := range b.Envs {
		require.NoError(t, e.Append(context.Background(), one(b, i)))
	}
	require.NoError(t, e.Finish())
	require.Equal(t, whole, out.Bytes())

	hash := func(text []byte) string {
		file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
		require.NoError(t, err)
		v, _ := file.Lookup(tracks.HashKey)
		raw, err := hex.DecodeString(v)
		require.NoError(t, err)
		require.Len(t, raw, 32)
		return v
	}
	require.NotEqual(t, hash(whole), hash(encode(t, b, export.Numbered([]int{1, 2, 3, 4, 5, 6}))))
	b.Arclen[1] = math.Nextafter32(b.Arclen[1], 9)
	require.NotEqual(t, hash(whole), hash(encode(t, b)))
}

// one returns env e as a separate batch.
func one(b *track.Batch, e int) *track.Batch {
	single := new(track.Batch)
	if err := single.Append(b, e); err != nil {
		panic(err)
	}
	return single
}

// hashOf returns the hash of the rows in a file.
func hashOf(t *testing.T, text []byte) string {
	t.Helper()
	reader := parquet.NewReader(bytes.NewReader(text))
	defer func() { require.NoError(t, reader.Close()) }()
	hash := tracks.NewHash()
	for {
		var rows [1]parquet.Row
		n, err := reader.ReadRows(rows[:])
		if n > 0 {
			hash.Add(rows[0])
		}
		if errors.Is(err, io.EOF) {
			return hash.String()
		}
		require.NoError(t, err)
	}
}

// Every column of a batch is in the file: if one word of the column changes, the file changes.
func TestEveryColumnIsInTheFile(t *testing.T) {
	for k, c := range track.Schema.Columns() {
		var files [2][]byte
		for i := range files {
			b := sampleBatch(5)
			for _, h := range track.Schema.Host(&b.HostColumns) {
				if h.IsAbsent() {
					h.Resize(b.Envs * h.Stride(b.NMax))
				}
			}
			h, at := track.Schema.Host(&b.HostColumns)[k], c.Stride(b.NMax)
			words := h.AppendWords(nil, at, at+1)
			words[0] ^= byte(i)
			h.SetWords(at, words, c.Components())
			files[i] = encode(t, b)
		}
		require.NotEqual(t, files[0], files[1], c.Name)
	}
}

// These columns exist only in batches of measured circuits and in mixed batches.
func TestOptionalArrays(t *testing.T) {
	b := sampleBatch(5)
	b.Component = []int32{1, 0, 2, 0, 0}
	for i := range b.Envs * b.NMax {
		b.WidthRight, b.WidthLeft = append(b.WidthRight, float32(i)), append(b.WidthLeft, float32(-i))
	}
	b.Crossings = make([]int32, b.Envs)
	text := encode(t, b)
	rows, err := parquet.Read[row](bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	require.Equal(t, []int32{1, 2}, []int32{rows[0].Component, rows[2].Component})
	require.Equal(t, int32(4), rows[4].Candidate)
	require.Equal(t, []float32{64, 65, 66, 67, 68, 69, 70, 71}, rows[4].WidthRight)
	require.Equal(t, float32(-71), rows[4].WidthLeft[7])
	require.Nil(t, rows[3].WidthLeft, "a track with a point that is not finite")
}

func TestLargeBatchesHaveSeveralRowGroups(t *testing.T) {
	const nMax, envs = 20_000, 40 // 16 columns of 80 kB per track: 51 MB
	chunk := track.NewBatch(1, nMax)
	chunk.Count[0], chunk.Valid[0] = nMax, 1
	var out bytes.Buffer
	e, err := tracks.NewEncoder(&out, export.Shape{Envs: envs, NMax: nMax}, metadata())
	require.NoError(t, err)
	for range envs {
		require.NoError(t, e.Append(context.Background(), chunk))
	}
	require.NoError(t, e.Finish())
	file, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	require.Len(t, file.RowGroups(), 2)
	require.Equal(t, int64(envs), file.NumRows())
}

// fullDisk takes the first bytes of a file alone.
type fullDisk struct{ room int }

var errFull = errors.New("no space left")

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room -= len(p); d.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestRefusals(t *testing.T) {
	b := sampleBatch(5)
	_, err := tracks.NewEncoder(io.Discard, export.Shape{Envs: 0, NMax: 16}, metadata())
	require.ErrorContains(t, err, "envs is 0")
	_, err = tracks.NewEncoder(io.Discard, export.ShapeOf(b), metadata(), export.Numbered([]int{1}))
	require.ErrorContains(t, err, "1 numbers of envs: expected 5")

	e, err := tracks.NewEncoder(io.Discard, export.Shape{Envs: 6, NMax: 16}, metadata())
	require.NoError(t, err)
	require.NoError(t, e.Append(context.Background(), b))
	require.ErrorContains(t, e.Append(context.Background(), b), "exceeds the 6 envs")
	require.ErrorContains(t, e.Finish(), "only 5 were appended")

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	e, err = tracks.NewEncoder(io.Discard, export.ShapeOf(b), metadata())
	require.NoError(t, err)
	require.ErrorIs(t, e.Append(ctx, b), context.Canceled)

	size := len(encode(t, b))
	for room := 0; room < size; room += 97 {
		e, err = tracks.NewEncoder(&fullDisk{room: room}, export.ShapeOf(b), metadata())
		if err == nil {
			require.NoError(t, e.Append(context.Background(), b))
			err = e.Finish()
		}
		require.ErrorIs(t, err, errFull, "room for %d bytes", room)
	}
}

// TestArrowReadsParquet reads a file with the reference implementation and computes the hash from the values.
func TestArrowReadsParquet(t *testing.T) {
	const script = `
import hashlib, json, math, struct, sys
import pyarrow.parquet as pq
file = pq.ParquetFile(sys.argv[1])
meta = {k.decode(): v.decode() for k, v in file.metadata.metadata.items()}
assert json.loads(meta["trackgen.metadata"])["config"]["road"]["half_width"] == 0.125
assert json.loads(meta["trackgen.seeds"]) == [[100, 4], [-2147483648, 1], [105, 4]]
assert file.metadata.num_rows == 9
types = {f.name: str(f.type) for f in file.schema_arrow}
assert list(types) == ["env", "name", "seed", "epoch", "valid", "reason", "count", "length", "winding", "candidate", "component",
    "crossings"] + [
    f"{line}_{axis}" for line in ("center", "outer", "inner", "tangent", "normal") for axis in "xyz"] + ["arclen", "width_right", "width_left",
    "height", "bank"], types
assert types["env"] == "int32" and types["name"] == "string" and types["valid"] == "bool" and types["reason"] == "string" and types["length"] == "float"
assert types["center_x"] == "list<element: float not null>", types["center_x"]
rows = file.read().to_pylist()
assert [r["name"] for r in rows] == ["Spa", None, 'Zürich, "Ring"'] + [None] * 6
assert [r["valid"] for r in rows] == [True, False, False, False] + [True] * 5
assert rows[1]["reason"] == "turning|separation" and rows[0]["reason"] == ""
assert [r["candidate"] for r in rows] == list(range(9)) and rows[0]["width_right"] is None
assert rows[2]["length"] is None and rows[2]["center_x"] == [] and rows[3]["center_x"] is None
assert abs(rows[8]["outer_y"][3] - 2 * math.sin(3)) < 1e-6 and rows[8]["center_z"] == [0.25] * rows[8]["count"]
digest = hashlib.sha256()
for r in rows:
    digest.update(struct.pack("<7i", r["env"], r["seed"], r["epoch"], r["valid"], r["count"], r["candidate"], r["component"]))
    if r["crossings"] is not None:
        digest.update(struct.pack("<i", r["crossings"]))
    for name in ("length", "winding"):
        if r[name] is not None:
            digest.update(struct.pack("<f", r[name]))
    for name in list(types)[12:]:
        digest.update(struct.pack(f"<{len(r[name] or [])}f", *(r[name] or [])))
assert digest.hexdigest() == meta["trackgen.sha256"]
`
	named := sampleBatch(9)
	named.Names = []string{"Spa", "", "Zürich, \"Ring\"", "", "", "", "", "", ""}
	path := filepath.Join(t.TempDir(), "tracks.parquet")
	require.NoError(t, os.WriteFile(path, encode(t, named), 0o600))
	required.Python(t, "pyarrow.parquet", script, path)
}
