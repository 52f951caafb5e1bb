package parquet_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/export"
	gates "github.com/trackgen-go/trackgen/export/parquet"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernel"
)

// sampleGates returns four courses with room for five gates, in which all numbers are distinct and the rest of a row is
// NaN. The second is not valid, the third has no gates, and the last has a number that is not finite.
func sampleGates() *gate.Batch {
	b := gate.NewBatch(4, 5)
	counts := []int32{3, 5, 0, 2}
	next := float32(0)
	for _, c := range gate.Schema.Host(&b.HostColumns) {
		for i := range c.Len() {
			next += 0.0625
			v := next / 3
			if c.Per == column.Gate && i%5 >= int(counts[i/5]) {
				v = kernel.NaN()
			}
			switch c.Type {
			case kernel.TypeVec3:
				c.Vectors()[i] = kernel.V3(v, v/5, v/7)
			case kernel.TypeQuat:
				c.Quaternions()[i] = kernel.Quat{X: v, Y: v / 5, Z: v / 7, W: v / 11}
			case kernel.Float32:
				c.Numbers()[i] = v
			default:
				c.Integers()[i] = int32(next*16) - 700
			}
		}
	}
	b.Count, b.Valid = counts, []int32{1, 0, 0, 1}
	b.Reason = []gate.Reason{0, gate.ReasonCrossing | gate.ReasonTurn, 0, 0}
	b.Tangent[16].Y = kernel.NaN()
	b.Seed, b.Epoch = []int32{7, 8, 9, -4}, []int32{2, 2, 2, 5}
	return b
}

func gateMetadata() export.GateMetadata {
	config := gate.DefaultConfig()
	config.Gate.Radius = 0.125
	return export.GateMetadata{Version: "v1.2.3", Device: "cpu", Config: config}
}

func encodeGates(t *testing.T, b *gate.Batch, options ...export.EncoderOption) []byte {
	t.Helper()
	var out bytes.Buffer
	e, err := gates.NewGateEncoder(&out, export.GateShapeOf(b), gateMetadata(), options...)
	require.NoError(t, err)
	require.NoError(t, e.Append(context.Background(), b))
	require.NoError(t, e.Finish())
	return out.Bytes()
}

func gateWords(b *gate.Batch) (all []byte) {
	for _, c := range gate.Schema.Host(&b.HostColumns) {
		all = c.AppendWords(all, 0, c.Len())
	}
	return all
}

// readGates reads all courses of a file.
func readGates(t *testing.T, data []byte) (*gate.Batch, export.GateMetadata, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gates")
	require.NoError(t, os.WriteFile(path, data, 0o600))
	r, err := export.OpenGates(path)
	if err != nil {
		return nil, export.GateMetadata{}, err
	}
	require.True(t, export.HoldsGates(path))
	b, err := r.Read(t.Context(), r.Shape().Envs)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	return b, r.Metadata(), nil
}

// A file is read back as the same batch, to the last bit, whatever its chunks are.
func TestGatesReadBack(t *testing.T) {
	b := sampleGates()
	text := encodeGates(t, b)
	read, made, err := readGates(t, text)
	require.NoError(t, err)
	assert.Equal(t, gateWords(b), gateWords(read))
	want := gateMetadata()
	want.Config.NumEnvs = 4
	assert.Equal(t, want, made)

	var out bytes.Buffer
	e, err := gates.NewGateEncoder(&out, export.GateShapeOf(b), gateMetadata())
	require.NoError(t, err)
	for env := range b.Envs {
		var one gate.Batch
		require.NoError(t, one.Append(b, env))
		require.NoError(t, e.Append(t.Context(), &one))
	}
	require.NoError(t, e.Finish())
	assert.Equal(t, text, out.Bytes())
}

// Every column of a batch is in the file: if one word of the column changes, the file and its hash change.
func TestEveryColumnOfGatesIsInTheFile(t *testing.T) {
	hash := func(text []byte) string {
		file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
		require.NoError(t, err)
		v, _ := file.Lookup(gates.HashKey)
		return v
	}
	right := encodeGates(t, sampleGates())
	for k, c := range gate.Schema.Columns() {
		b := sampleGates()
		h, at := gate.Schema.Host(&b.HostColumns)[k], c.Stride(b.MaxGates)
		words := h.AppendWords(nil, at, at+1)
		words[0] ^= 1
		h.SetWords(at, words, c.Components())
		text := encodeGates(t, b)
		require.NotEqual(t, right, text, c.Name)
		if c.Name != "reason" { // its texts are not in the hash
			require.NotEqual(t, hash(right), hash(text), c.Name)
		}
	}
	require.NotEqual(t, hash(right), hash(encodeGates(t, sampleGates(), export.Numbered([]int{0, 1, 2, 4}))))
}

// pyarrow reads every row with its type, and the hash follows from the values.
func TestArrowReadsGates(t *testing.T) {
	const script = `
import hashlib, json, struct, sys
import pyarrow.parquet as pq
file = pq.ParquetFile(sys.argv[1])
meta = {k.decode(): v.decode() for k, v in file.metadata.metadata.items()}
made_by = json.loads(meta["trackgen.metadata"])
assert made_by["course"] == "gates" and made_by["config"]["gate"]["radius"] == 0.125 and made_by["config"]["num_envs"] == 4
assert json.loads(meta["trackgen.seeds"]) == [[7, 3], [-4, 1]] and json.loads(meta["trackgen.epochs"]) == [[2, 3], [5, 1]]
assert meta["trackgen.max_gates"] == "5" and meta["trackgen.version"] == "v1.2.3"
types = {f.name: str(f.type) for f in file.schema_arrow}
vectors = [f"{name}_{axis}" for name in ("position", "tangent", "forward", "left", "right") for axis in "xyz"]
floats = vectors + [f"orientation_{axis}" for axis in "xyzw"] + ["half_size"]
wholes = ["seed", "epoch", "valid", "reason", "count", "frame_fallbacks", "candidate", "component"]
assert list(types) == ["env", "gate"] + wholes + floats, types
assert all(types[name] == "float" for name in floats) and types["gate"] == "int32"
assert types["valid"] == "bool" and types["reason"] == "string"
rows = file.read().to_pylist()
assert [(r["env"], r["gate"]) for r in rows] == [(0, 0), (0, 1), (0, 2)] + [(1, i) for i in range(5)] + [(2, None), (3, 0), (3, 1)]
assert [r["valid"] for r in rows] == [True] * 3 + [False] * 6 + [True] * 2
assert rows[4]["reason"] == "crossing|turn" and rows[8]["reason"] == "unknown" and rows[8]["position_x"] is None
assert rows[10]["tangent_y"] is None and rows[10]["tangent_x"] is not None
digest = hashlib.sha256()
for r in rows:
    for name in ["env", "gate"] + wholes:
        if name != "reason" and r[name] is not None:
            digest.update(struct.pack("<i", r[name]))
    digest.update(b"".join(struct.pack("<f", r[name]) for name in floats if r[name] is not None))
assert digest.hexdigest() == meta["trackgen.sha256"]
`
	path := filepath.Join(t.TempDir(), "gates.parquet")
	require.NoError(t, os.WriteFile(path, encodeGates(t, sampleGates()), 0o600))
	required.Python(t, "pyarrow.parquet", script, path)
}

// Files of other programs are read if they hold the same, with any order of the columns and with compression, and
// refused with the column that is wrong otherwise.
func TestGatesOfOtherPrograms(t *testing.T) {
	const script = `
import sys
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
table = pq.read_table(sys.argv[1])
def write(name, table, **options):
    pq.write_table(table, sys.argv[2] + "/" + name, **options)
def put(name, values, type=None):
    i = table.schema.get_field_index(name)
    return table.set_column(i, name, pa.array(values, type or table.schema.field(name).type))
def at(name, row, value, type=None):
    values = table[name].to_pylist()
    values[row] = value
    return put(name, values, type)
write("00", table.select(sorted(table.column_names, reverse=True)), compression="gzip")
write("01", table.drop_columns(["seed", "epoch", "count", "candidate"]).append_column("mine", pa.array([["a"] * 3] * len(table))))
write("02", put("position_x", table["position_x"].to_pylist(), pa.float64()))
write("03", put("env", table["env"].to_pylist(), pa.int64()))
write("04", put("valid", [1] * len(table), pa.int32()))
write("05", table.drop_columns(["orientation_w"]))
write("06", put("half_size", [[1.0]] * len(table), pa.list_(pa.float32())))
write("07", at("gate", 1, 7))
write("08", at("gate", 1, None))
write("09", at("count", 0, 10**9))
write("10", at("count", 0, None))
write("11", at("env", 0, None))
write("12", at("env", 0, -1))
write("13", at("env", 10, 0))
write("14", at("seed", 1, 99))
write("15", at("reason", 3, "tired"))
write("16", table.slice(0, 0))
write("17", table.replace_schema_metadata({"trackgen.max_gates": "4"}))
write("18", table.replace_schema_metadata({"trackgen.max_gates": "many"}))
write("19", table.replace_schema_metadata({"trackgen.metadata": "{}"}))
write("20", table.drop_columns(["gate"]))
`
	want := []string{"", "",
		"column position_x has the type DOUBLE, expected one FLOAT in each row",
		"column env has the type INT64, expected one INT32 in each row",
		"column valid has the type INT32, expected one BOOLEAN in each row",
		"there is no column orientation_w of type FLOAT",
		"there is no column half_size of type FLOAT",
		"row 1: column gate is 7, expected 1, the number of the next gate of env 0",
		"row 1: column gate is null, expected 1, the number of the next gate of env 0",
		`row 1: column count is "3", but "1000000000" in the first row of env 0`,
		"row 0: column count is null, expected a value in each row",
		"row 0: column env is null, expected a whole number >= 0",
		"row 0: column env is -1, expected a whole number >= 0",
		"row 10: column env is 0, which was there before: the rows of a course must be together",
		`row 1: column seed is "99", but "7" in the first row of env 0`,
		`row 3: column reason: reason "tired" is not known`,
		"holds no gate courses, expected at least 1",
		"course 1 has 5 gates, expected at most G_max (4)",
		`trackgen.max_gates is "many", expected a whole number from 1 to 65536`,
		"trackgen.metadata is not the JSON that describes a batch: format is 0, expected 1",
		"holds no gate courses: there are no columns gate and position_x",
	}
	b, folder := sampleGates(), t.TempDir()
	path, others := filepath.Join(folder, "gates.parquet"), filepath.Join(folder, "others")
	require.NoError(t, os.Mkdir(others, 0o700))
	require.NoError(t, os.WriteFile(path, encodeGates(t, b), 0o600))
	required.Python(t, "pyarrow.parquet", script, path, others)
	entries, err := os.ReadDir(others)
	require.NoError(t, err)
	require.Len(t, entries, len(want))
	for i, entry := range entries {
		data, err := os.ReadFile(filepath.Join(others, entry.Name()))
		require.NoError(t, err)
		read, _, err := readGates(t, data)
		if want[i] == "" {
			require.NoError(t, err, entry.Name())
			require.Equal(t, b.Position[:3], read.Gates(read.Position, 0), entry.Name())
			require.Equal(t, b.Orientation[5:10], read.Orientation[read.MaxGates:read.MaxGates+5], entry.Name())
			require.Equal(t, b.Count, read.Count, entry.Name())
			continue
		}
		var wrong *export.FormatError
		require.ErrorAs(t, err, &wrong, "%s: %s", entry.Name(), want[i])
		assert.ErrorContains(t, err, want[i])
	}
}

// A damaged file is an error or is read as other numbers. Nothing panics.
func TestDamagedGates(t *testing.T) {
	text := encodeGates(t, sampleGates())
	for n := 4; n < len(text); n += 131 {
		_, _, err := readGates(t, text[:n])
		require.Error(t, err, "the first %d bytes", n)
	}
	for i := 4; i < len(text); i += 37 {
		damaged := bytes.Clone(text)
		damaged[i] ^= 0x41
		_, _, _ = readGates(t, damaged)
	}
}

// A header that declares gigabytes takes no memory: the file is refused, or is read as other numbers.
func TestGatesThatDeclareTooMuch(t *testing.T) {
	text := encodeGates(t, sampleGates())
	allocated := func() uint64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.TotalAlloc
	}
	path := filepath.Join(t.TempDir(), "gates")
	for i := 4; i < len(text); i++ {
		if i%7 != 0 && i < len(text)-8 { // the last bytes are the length of the metadata
			continue
		}
		damaged := bytes.Clone(text)
		damaged[i] ^= 0x80
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		before := allocated()
		_, _ = export.OpenGates(path)
		require.Less(t, allocated()-before, uint64(16<<20), "byte %d", i)
	}
}

// Whatever a file holds, it is read or refused.
func FuzzGates(f *testing.F) {
	var out bytes.Buffer
	e, err := gates.NewGateEncoder(&out, export.GateShapeOf(sampleGates()), gateMetadata())
	require.NoError(f, err)
	require.NoError(f, e.Append(f.Context(), sampleGates()))
	require.NoError(f, e.Finish())
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if b, _, err := readGates(t, data); err == nil {
			require.Positive(t, b.Envs)
		}
	})
}

// A file of a few bytes that declares far more rows than it can hold is refused before they are read.
func TestManyRowsOfGates(t *testing.T) {
	const script = `
import sys
import pyarrow as pa
import pyarrow.parquet as pq
table = pq.read_table(sys.argv[1]).slice(8, 1)
n = 800_000
pq.write_table(pa.table({name: pa.repeat(table[name][0], n) for name in table.column_names}), sys.argv[2], compression="gzip")
`
	folder := t.TempDir()
	path, large := filepath.Join(folder, "gates.parquet"), filepath.Join(folder, "large")
	require.NoError(t, os.WriteFile(path, encodeGates(t, sampleGates()), 0o600))
	required.Python(t, "pyarrow.parquet", script, path, large)
	data, err := os.ReadFile(large)
	require.NoError(t, err)
	require.Less(t, len(data), 1<<19)
	_, _, err = readGates(t, data)
	require.ErrorContains(t, err, "there are 800000 rows: at most ")
}

func TestGateEncoderRefuses(t *testing.T) {
	b := sampleGates()
	var out bytes.Buffer
	e, err := gates.NewGateEncoder(&out, export.Shape{Envs: 5, NMax: 5}, gateMetadata())
	require.NoError(t, err)
	require.NoError(t, e.Append(t.Context(), b))
	require.ErrorContains(t, e.Append(t.Context(), b), "exceeds the 5 envs")
	require.ErrorContains(t, e.Finish(), "only 4 were appended")
	_, err = gates.NewGateEncoder(&out, export.Shape{}, gateMetadata())
	require.ErrorContains(t, err, "envs is 0")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e, err = gates.NewGateEncoder(&out, export.GateShapeOf(b), gateMetadata())
	require.NoError(t, err)
	require.ErrorIs(t, e.Append(ctx, b), context.Canceled)
	e, err = gates.NewGateEncoder(&fullDisk{room: 99}, export.GateShapeOf(b), gateMetadata())
	require.NoError(t, err)
	require.NoError(t, e.Append(t.Context(), b))
	require.ErrorIs(t, e.Finish(), errFull)
}

// The hash of the file is that of its rows.
func TestGateHash(t *testing.T) {
	text := encodeGates(t, sampleGates())
	file, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	v, _ := file.Lookup(gates.HashKey)
	raw, err := hex.DecodeString(v)
	require.NoError(t, err)
	require.Len(t, raw, 32)
	var runs []gates.Run
	seeds, _ := file.Lookup(gates.SeedsKey)
	require.NoError(t, json.Unmarshal([]byte(seeds), &runs))
	require.Equal(t, []gates.Run{{First: 7, Count: 3}, {First: -4, Count: 1}}, runs)
}
