package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernel"
)

// distinctGates returns a batch in which all numbers of all columns are distinct, and the rest of each row is NaN, as
// generated courses have it. Its second course is not valid.
func distinctGates() *gate.Batch {
	b := gate.NewBatch(3, 6)
	b.Count = []int32{4, 6, 2}
	next := float32(0)
	for _, c := range gate.Schema.Host(&b.HostColumns) {
		for i := range c.Len() {
			if c.Name == "count" {
				continue
			}
			next += 0.0625
			v, negative := next/3, -next/3
			if c.Per == column.Gate && i%6 >= int(b.Count[i/6]) {
				v, negative = kernel.NaN(), kernel.NaN()
			}
			switch c.Type {
			case kernel.TypeVec3:
				c.Vectors()[i] = kernel.V3(v, negative, v/7)
			case kernel.TypeQuat:
				c.Quaternions()[i] = kernel.Quat{X: v, Y: negative, Z: v / 7, W: v / 11}
			case kernel.Float32:
				c.Numbers()[i] = v
			default:
				c.Integers()[i] = int32(16 * next)
			}
		}
	}
	b.Valid = []int32{1, 0, 1}
	b.Reason = []gate.Reason{0, gate.ReasonTurn | gate.ReasonTooFew, 0}
	return b
}

// gateTexts returns the numbers of a component of a column, as texts that parse to these numbers.
func gateTexts(c column.Host, i int) (texts []string) {
	if c.Type == kernel.TypeQuat {
		q := c.Quaternions()[i]
		for _, v := range []float32{q.X, q.Y, q.Z, q.W} {
			texts = append(texts, strconv.FormatFloat(float64(v), 'g', -1, 32))
		}
		return texts
	}
	return flat(c, i)
}

// The tables have the numbers of npz, of every column.
func TestGateTablesHaveAllNumbers(t *testing.T) {
	b := distinctGates()
	shape := GateShapeOf(b)
	read := func(encode func(*bytes.Buffer) (GateEncoder, error)) (map[string]int, [][]string) {
		rows, err := csv.NewReader(strings.NewReader(encodeGates(t, b, encode))).ReadAll()
		require.NoError(t, err)
		header := map[string]int{}
		for i, name := range rows[0] {
			header[name] = i
		}
		return header, rows[1:]
	}
	header, rows := read(func(w *bytes.Buffer) (GateEncoder, error) { return NewGatesCSV(w, shape) })
	perEnv, envs := read(func(w *bytes.Buffer) (GateEncoder, error) { return NewGateSummaryCSV(w, shape) })
	require.Len(t, rows, 12)
	for _, c := range gate.Schema.Host(&b.HostColumns) {
		row := 0
		for e := range b.Envs {
			switch {
			case c.Name == "reason":
				assert.Equal(t, []string{"", "too few gates|turn", ""}[e], envs[e][perEnv["reason"]])
				continue
			case c.Per == column.Env:
				assert.Equal(t, gateTexts(c, e), []string{envs[e][perEnv[c.Name]]}, c.Name)
				continue
			}
			for i := range int(b.Count[e]) {
				for k, name := range gateComponents(c.Column) {
					assert.Equal(t, gateTexts(c, e*6+i)[k], rows[row][header[name]], "%s of gate %d of env %d", name, i, e)
				}
				row++
			}
		}
	}
}

// writeGates writes a file.
func writeGates(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	return path
}

// openGates reads all courses of a file, in chunks.
func openGates(t *testing.T, path string) (*gate.Batch, GateMetadata) {
	t.Helper()
	require.True(t, HoldsGates(path))
	r, err := OpenGates(path)
	require.NoError(t, err)
	var read gate.Batch
	for {
		chunk, err := r.Read(t.Context(), 2)
		if err == io.EOF { //nolint:errorlint // the documented value
			break
		}
		require.NoError(t, err)
		for e := range chunk.Envs {
			require.NoError(t, read.Append(chunk, e))
		}
	}
	require.NoError(t, r.Close())
	assert.Equal(t, r.Shape(), GateShapeOf(&read))
	return &read, r.Metadata()
}

// JSON is read back as the same batch, to the last bit, and so are the columns that a table has.
func TestGatesReadBack(t *testing.T) {
	b := distinctGates()
	shape := GateShapeOf(b)
	text := encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) {
		return NewCoursesJSON(w, shape, gateMetadata())
	})
	read, made := openGates(t, writeGates(t, "a", []byte(text)))
	assert.Equal(t, gateWords(b), gateWords(read))
	assert.Equal(t, "v1", made.Version)
	var spaced bytes.Buffer
	require.NoError(t, json.Indent(&spaced, []byte(text), "", "  "))
	read, _ = openGates(t, writeGates(t, "a", append([]byte(byteOrder), spaced.Bytes()...)))
	assert.Equal(t, gateWords(b), gateWords(read))

	for e := range b.Envs { // a table has no other columns of one value per env
		b.Reason[e], b.Seed[e], b.Epoch[e], b.FrameFallbacks[e], b.Candidate[e], b.Component[e] = 0, 0, 0, 0, 0, 0
	}
	text = encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) { return NewGatesCSV(w, shape) })
	read, _ = openGates(t, writeGates(t, "a", []byte(text)))
	assert.Equal(t, gateWords(b), gateWords(read))

	none := sampleGates() // its last course has no gates
	text = encodeGates(t, none, func(w *bytes.Buffer) (GateEncoder, error) {
		return NewCoursesJSON(w, GateShapeOf(none), gateMetadata())
	})
	read, _ = openGates(t, writeGates(t, "a", []byte(text)))
	assert.Equal(t, none.Count, read.Count)
	assert.Equal(t, none.Reason, read.Reason)
}

// Numbers that are not finite are read back where the format has them.
func TestGatesThatAreNotFinite(t *testing.T) {
	b := distinctGates()
	b.Position[1] = kernel.V3(kernel.NaN(), float32(math.Inf(1)), float32(math.Inf(-1)))
	text := encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) { return NewGatesCSV(w, GateShapeOf(b)) })
	read, _ := openGates(t, writeGates(t, "a", []byte(text)))
	assert.Equal(t, math.Inf(1), float64(read.Position[1].Y))
	assert.Equal(t, math.Inf(-1), float64(read.Position[1].Z))
	assert.Equal(t, kernel.NaNBits, math.Float32bits(read.Position[1].X))
	text = encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) {
		return NewCoursesJSON(w, GateShapeOf(b), gateMetadata())
	})
	read, _ = openGates(t, writeGates(t, "a", []byte(text)))
	for _, v := range []float32{read.Position[1].X, read.Position[1].Y, read.Position[1].Z} {
		assert.Equal(t, kernel.NaNBits, math.Float32bits(v))
	}
}

// Whatever a file holds, it is read or refused, and what is read can be written and read again.
func FuzzOpenGates(f *testing.F) {
	for _, encode := range []func(w *bytes.Buffer) (GateEncoder, error){
		func(w *bytes.Buffer) (GateEncoder, error) {
			return NewCoursesJSON(w, GateShapeOf(sampleGates()), gateMetadata())
		},
		func(w *bytes.Buffer) (GateEncoder, error) { return NewGatesCSV(w, GateShapeOf(sampleGates())) },
	} {
		var out bytes.Buffer
		e, err := encode(&out)
		require.NoError(f, err)
		require.NoError(f, e.Append(f.Context(), sampleGates()))
		require.NoError(f, e.Finish())
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		type read func(io.ReaderAt, int64, int64) (*gate.Batch, GateMetadata, error)
		for _, read := range []read{readGatesJSON, readGatesCSV} {
			b, _, err := read(bytes.NewReader(data), int64(len(data)), 1<<20)
			if err != nil {
				continue
			}
			require.NoError(t, checkGates(b))
			text := encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) {
				return NewCoursesJSON(w, GateShapeOf(b), GateMetadata{})
			})
			again, _, err := readGatesJSON(strings.NewReader(text), int64(len(text)), 1<<20)
			require.NoError(t, err)
			require.Equal(t, b.Count, again.Count)
			require.Equal(t, b.Seed, again.Seed)
		}
	})
}

// Wrong JSON is refused with the member that is wrong.
func TestWrongCoursesJSON(t *testing.T) {
	b := distinctGates()
	right := encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) {
		return NewCoursesJSON(w, GateShapeOf(b), gateMetadata())
	})
	for _, c := range []struct{ from, to, want string }{
		{`"position"`, `"place"`, "course 0: there is no member position: middle of the opening, expected in every course"},
		{`"count": 4`, `"count": 1000000000`, "course 0: member count is 1000000000, but the course has 4 gates"},
		{`"count": 4`, `"count": null`, "course 0: member count is null, expected a whole number of 32 bits"},
		{`"count": 4`, `"count": NaN`, "course 0: member count: not valid JSON: invalid character 'N'"},
		{`"valid": true`, `"valid": 1`, "course 0: member valid is 1, expected true or false"},
		{`"valid": true`, `"valid": null`, "course 0: member valid is null, expected true or false"},
		{`"reasons": []`, `"reasons": ["tired"]`, `course 0: reason "tired" is not known`},
		{`"reasons": []`, `"reasons": 4`, "course 0: member reasons is 4, expected a list of names"},
		{`"max_gates": 6`, `"max_gates": 1e9`, "member max_gates must be a whole number from 1 to 65536"},
		{`"max_gates": 6`, `"max_gates": 5`, "course 1 has 6 gates, expected at most G_max (5)"},
		{`"courses"`, `"coarses"`, "there is no member courses"},
		{`"format":1`, `"format":2`, "member made_by is not the JSON that describes a batch: format is 2, expected 1"},
		{"\"position\": [", `"position": [[1,2],`, "course 0: member position: gate 0 has 2 numbers, expected 3"},
		{"\"position\": [", `"position": [null,`, "course 0: member position: gate 0 has 0 numbers, expected 3"},
		{"\"position\": [", `"position": [[1,2,1e39],`, "found 1e39, which is no number that a float32 can hold"},
		{"\"position\": [", `"position": [[1,2,"3"],`, `found "3", which is no number that a float32 can hold`},
		{"\"position\": [", `"position": [[1,2,3],`, "course 0: member tangent has 4 gates, but one before it has 5"},
		{`"position"`, `"position": 7, "other"`, "course 0: member position: found 7, expected a list"},
		{`"half_size": [`, `"half_size": [[1],`,
			"member half_size: gate 0: found [1], which is no number that a float32 can hold"},
		{`"seed": `, `"seed": 1, "seed": `, "course 0: member seed is there twice"},
		{`"seed": `, `"seed": 4294967296, "other": `, "member seed is 4294967296, expected a whole number of 32 bits"},
		{`"tangent": `, `"tangent": [` + strings.Repeat("[0,0,0],", maxNMax) + "[0,0,0]], \"other\": ",
			"course 0: member tangent: has more than 65536 gates"},
		{`{"env": 0,`, `[1], {`, "course 0: found [, expected {"},
		{"\n]}\n", "\n]} 7\n", "there is more after the object"},
	} {
		text := strings.Replace(right, c.from, c.to, 1)
		if c.from == "\n]}\n" {
			text = right + "7"
		}
		_, err := OpenGates(writeGates(t, "a.json", []byte(text)))
		var wrong *FormatError
		require.ErrorAs(t, err, &wrong, c.to)
		assert.ErrorContains(t, err, c.want)
	}
	for n := range len(right) / 40 { // a part of a file is refused, and a damaged one does not panic
		_, err := OpenGates(writeGates(t, "a.json", []byte(right[:40*n])))
		require.Error(t, err)
		damaged := []byte(right)
		damaged[40*n] ^= 0x11
		_, _ = OpenGates(writeGates(t, "a.json", damaged))
	}
}

// Wrong tables are refused with the line and the column that are wrong.
func TestWrongGatesCSV(t *testing.T) {
	b := distinctGates()
	right := encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) { return NewGatesCSV(w, GateShapeOf(b)) })
	header, rows, _ := strings.Cut(right, "\n")
	for _, c := range []struct{ from, to, want string }{
		{",valid", ",is_valid", "there is no column valid"},
		{",orientation_w", ",orientation_q", "there is no column orientation_w: (x, y, z, w)"},
		{",position_y", ",position_x", `column "position_x" is there twice`},
		{"\n0,0,1,", "\n-3,0,1,", `line 2: column env is "-3", expected a whole number >= 0`},
		{"\n0,0,1,", "\nNaN,0,1,", `line 2: column env is "NaN", expected a whole number >= 0`},
		{"\n0,0,1,", "\n0,1,1,", `line 2: column gate is "1", expected 0, the number of the next gate of env 0`},
		{"\n0,2,1,", "\n0,3,1,", `line 4: column gate is "3", expected 2`},
		{"\n0,0,1,", "\n0,0,2,", `line 2: column valid is "2", expected 0 or 1`},
		{"\n2,0,1,", "\n0,0,1,", "column env is 0, which was there before: the rows of a course must be together"},
		{"\n0,0,1,0.0", "\n0,0,1,x0.0", `line 2: column position_x is "x0.0`},
		{"\n0,0,1,", "\n0,0,1,1e40,", "wrong number of fields"},
		{"\n0,0,1,0.0", "\n0,0,1,1e400.0", "expected a number that a float32 can hold, or NaN, +Inf or -Inf"},
	} {
		text := strings.Replace(right, c.from, c.to, 1)
		require.NotEqual(t, right, text)
		_, err := OpenGates(writeGates(t, "a.csv", []byte(text)))
		var wrong *FormatError
		require.ErrorAs(t, err, &wrong, c.to)
		assert.ErrorContains(t, err, c.want)
	}
	_, err := OpenGates(writeGates(t, "a.csv", []byte(header+"\n")))
	require.ErrorContains(t, err, "holds no gate courses, expected at least 1")
	many := header + "\n" + rows
	for e := range 400 { // short courses, so that one long course makes the batch far larger than the file
		many += strings.Replace(strings.SplitN(rows, "\n", 2)[0], "0,0,1", strconv.Itoa(9+e)+",0,1", 1) + "\n"
	}
	_, err = OpenGates(writeGates(t, "a.csv", []byte(many)), MaxBytes(1<<16))
	require.ErrorContains(t, err, "403 courses of up to 6 gates take 206336 bytes, expected at most 65536")
	large := writeGates(t, "a.csv", []byte(header+"\n"))
	require.NoError(t, os.Truncate(large, maxGateFile+1))
	_, err = OpenGates(large)
	require.ErrorContains(t, err, "has 268435457 bytes, expected at most 268435456 for a file of gate courses that is not")
	_, err = OpenGates(t.TempDir())
	require.ErrorContains(t, err, "it is not a regular file")
	_, err = OpenGates(writeGates(t, "a", []byte("a,b\n1,2\n")))
	require.ErrorContains(t, err, "not a file of gate courses")
	require.False(t, HoldsGates(writeGates(t, "a", []byte("a,b\n1,2\n"))))
	require.False(t, HoldsGates(writeNPZ(t, sampleBatch(), []int{7})))
	require.False(t, HoldsGates(filepath.Join(t.TempDir(), "none")))
}

// NumPy files of other programs are refused with the array that is wrong, before anything is read.
func TestHostileGateArrays(t *testing.T) {
	const script = `
import sys
import numpy as np
right = dict(np.load(sys.argv[1]))
E, G = right["half_size"].shape
def write(n, **changes):
    arrays = {**right, **changes}
    np.savez(sys.argv[2] + f"/{n:02}.npz", **{k: v for k, v in arrays.items() if v is not None})
f4 = np.float32
write(0, position=right["position"].astype(np.float64))
write(1, position=right["position"].astype(">f4"))
write(2, orientation=right["orientation"][:, :, :3])
write(3, orientation=None)
write(4, half_size=right["half_size"].T.copy())
write(5, half_size=right["half_size"][:, :, None])
write(6, count=np.array([3, 10**6, 0], np.int32))
write(7, count=np.array([3, np.nan, 0], f4))
write(8, count=np.array([3, -1, 0], np.int32))
write(9, count=np.array([3, 4, 0], np.int64))
write(10, valid=np.array([3, 0, 0], np.int32))
write(11, position=np.asfortranarray(right["position"]))
write(12, position=np.zeros((0, G, 3), f4))
write(13, position=np.zeros((E, 0, 3), f4))
write(14, position=np.zeros((), f4))
write(15, left=right["left"][:2])
write(16, position=np.array([[[None] * 3] * G] * E, dtype=object))
write(17, metadata=np.array("{}"))
write(18, metadata=np.array('{"format": 1}'))
`
	want := []string{
		`array "position": has elements of type "<f8", expected float32 (<f4) of shape [E, G_max, 2 or 3]`,
		`array "position": has elements of type ">f4", expected float32`,
		`array "orientation": has shape [3 4 3], expected float32 (<f4) of shape [3, 4, 4]`,
		`array "orientation": is missing, expected float32 (<f4) of shape [3, 4, 4]`,
		`array "half_size": has shape [4 3], expected float32 (<f4) of shape [3, 4]`,
		`array "half_size": has shape [3 4 1], expected float32 (<f4) of shape [3, 4]`,
		`array "count": env 1 has 1000000 gates, expected 0 to G_max (4)`,
		`array "count": has elements of type "<f4", expected int32 (<i4) of shape [3]`,
		`array "count": env 1 has -1 gates, expected 0 to G_max (4)`,
		`array "count": has elements of type "<i8", expected int32 (<i4) of shape [3]`,
		`array "valid": env 0 has 3, expected 0 or 1`,
		`array "position": is in Fortran order, expected C order`,
		`array "position": has shape [0 4 3]`,
		`array "position": has shape [3 0 3]`,
		`array "position": has shape [], expected float32 (<f4) of shape [E, G_max, 2 or 3]`,
		`array "left": has shape [2 4 3], expected float32 (<f4) of shape [3, 4, 2 or 3]`,
		`array "position": has elements of type "|O", expected float32`,
		`array "metadata": is not the JSON that describes a batch: format is 0, expected 1`,
		`array "metadata": is not the JSON that describes a batch: course is "", expected "gates"`,
	}
	b, folder := sampleGates(), t.TempDir()
	path := filepath.Join(folder, "right.npz")
	w, err := NewGateNPZWriter(path, GateShapeOf(b), gateMetadata())
	require.NoError(t, err)
	require.NoError(t, w.Append(t.Context(), b))
	require.NoError(t, w.Commit(t.Context()))
	openGates(t, path)
	bad := filepath.Join(folder, "bad")
	require.NoError(t, os.Mkdir(bad, 0o700))
	required.Python(t, "numpy", script, path, bad)
	entries, err := os.ReadDir(bad)
	require.NoError(t, err)
	require.Len(t, entries, len(want))
	for i, entry := range entries {
		r, err := OpenGates(filepath.Join(bad, entry.Name()))
		if err == nil {
			_, err = r.Read(t.Context(), 3)
			require.NoError(t, r.Close())
		}
		var wrong *FormatError
		require.ErrorAs(t, err, &wrong, entry.Name())
		assert.ErrorContains(t, err, want[i], entry.Name())
	}
}

// course returns a batch of one course, a square of side 2 flown counter-clockwise, whose last gate is flown
// straight down.
func course() *gate.Batch {
	b := gate.NewBatch(1, 5)
	copy(b.Position, []kernel.Vec3{{}, {X: 2, Z: 1}, {X: 2, Y: 2, Z: 2}, {Y: 2, Z: 1}})
	half := float32(math.Sqrt(0.5))
	copy(b.Orientation, []kernel.Quat{{W: 1}, {Z: half, W: half}, {Z: 1}, {X: 0.5, Y: 0.5, Z: -0.5, W: 0.5}})
	for i := range b.HalfSize {
		b.HalfSize[i] = 0.036
		b.Left[i], b.Right[i] = b.Position[i].Add(kernel.V3(0, 0.036, 0)), b.Position[i].Sub(kernel.V3(0, 0.036, 0))
	}
	b.Count[0], b.Valid[0], b.Seed[0] = 4, 1, 7
	return b
}

func TestGateLists(t *testing.T) {
	c, err := CourseOf(course(), 0, 10)
	require.NoError(t, err)
	write := func(to func(io.Writer, *Course) error) string {
		var out bytes.Buffer
		require.NoError(t, to(&out, c))
		return out.String()
	}
	assert.Equal(t, "x,y,z,yaw,qx,qy,qz,qw,width,height\n"+
		"0,0,0,0,0,0,0,1,0.72,0.72\n"+
		"20,0,10,1.570796,0,0,0.70710677,0.70710677,0.72,0.72\n"+
		"20,20,20,3.141593,0,0,1,0,0.72,0.72\n"+
		"0,20,10,-1.570796,0.5,0.5,-0.5,0.5,0.72,0.72\n", write(WriteGateList))
	assert.Equal(t, `# Gate course of TrackGen: seed 7, epoch 0, 4 gates, openings of 0.72 m
[env.track]
randomize = false
gate_order = [1, 2, 3, 4]

[[env.track.gates]]
pos = [0.0, 0.0, 0.0]
rpy = [0.0, 0.0, 0.0]

[[env.track.gates]]
pos = [20.0, 0.0, 10.0]
rpy = [0.0, 0.0, 1.570796]

[[env.track.gates]]
pos = [20.0, 20.0, 20.0]
rpy = [0.0, 0.0, 3.141593]

[[env.track.gates]]
pos = [0.0, 20.0, 10.0]
rpy = [0.0, 1.570796, -1.570796]

[[env.track.drones]]
pos = [-11.18034, 0.0, 0.0]
rpy = [0.0, 0.0, 0.0]
vel = [0.0, 0.0, 0.0]
ang_vel = [0.0, 0.0, 0.0]
`, write(WriteGatesTOML))
	c.Valid, c.Gates[2].Width = false, 1
	assert.True(t, strings.HasPrefix(write(WriteGatesYAML),
		"# Gate course of TrackGen: seed 7, epoch 0, 4 gates, openings of 0.72 to 1 m, not valid\n"))
}

// PyYAML and tomllib read the same numbers from the level files, and their angles turn a gate as its quaternion does.
func TestPythonReadsGateLists(t *testing.T) {
	const script = `
import csv, sys, tomllib
import numpy as np
import yaml
def turn(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    m = np.eye(3)
    m[i, i], m[i, j], m[j, i], m[j, j] = c, -s, s, c
    return m
def rotation(x, y, z, w):
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])
toml = tomllib.load(open(sys.argv[1], "rb"))
assert yaml.safe_load(open(sys.argv[2])) == toml
gates = list(csv.DictReader(open(sys.argv[3])))
track = toml["env"]["track"]
assert track["gate_order"] == list(range(1, len(gates) + 1)) and track["randomize"] is False
assert set(track) == {"randomize", "gate_order", "gates", "drones"}
assert len(track["gates"]) == len(gates) == 40
for gate, row in zip(track["gates"], gates):
    assert all(type(v) is float for v in gate["pos"] + gate["rpy"]), gate
    assert gate["pos"] == [float(row[k]) for k in "xyz"]
    roll, pitch, yaw = gate["rpy"]
    assert abs(yaw - float(row["yaw"])) < 1e-6
    want = rotation(*(float(row["q" + k]) for k in "xyzw"))
    assert np.abs(turn(2, yaw) @ turn(1, pitch) @ turn(0, roll) - want).max() < 3e-6, gate
drone, = track["drones"]
assert drone["vel"] == drone["ang_vel"] == [0, 0, 0] and drone["rpy"][:2] == [0, 0]
first = track["gates"][0]
forward = turn(2, drone["rpy"][2])[:, 0]
away = np.array(first["pos"]) - drone["pos"]
last = np.array(track["gates"][-1]["pos"])
assert abs(away @ forward - np.linalg.norm(last - first["pos"]) / 2) < 1e-5 * np.linalg.norm(last)
`
	b := gate.NewBatch(1, 40)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range b.Position {
		q := [4]float64{random.NormFloat64(), random.NormFloat64(), random.NormFloat64(), random.NormFloat64()}
		if i%5 == 4 { // straight up or down
			half := random.Float64()
			s, c := math.Sincos(half)
			q = [4]float64{s, float64(1-i%2*2) * c, float64(i%2*2-1) * -s, c}
		}
		length := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
		b.Orientation[i] = kernel.Quat{X: float32(q[0] / length), Y: float32(q[1] / length), Z: float32(q[2] / length),
			W: float32(q[3] / length)}
		b.Position[i] = kernel.V3(random.Float32()*1e5, -random.Float32()*1e-5, random.Float32())
	}
	b.Count[0] = 40
	c, err := CourseOf(b, 0, 1)
	require.NoError(t, err)
	folder := t.TempDir()
	var paths []string
	for name, write := range map[string]func(io.Writer, *Course) error{"1.toml": WriteGatesTOML, "2.yaml": WriteGatesYAML,
		"3.csv": WriteGateList} {
		require.NoError(t, WriteFile(filepath.Join(folder, name), func(w io.Writer) error { return write(w, c) }))
	}
	for _, name := range []string{"1.toml", "2.yaml", "3.csv"} {
		paths = append(paths, filepath.Join(folder, name))
	}
	required.Python(t, "numpy, yaml", script, paths...)
}

// Courses that no simulator could load are refused, with the gate that is wrong.
func TestCourseOfRefuses(t *testing.T) {
	for _, c := range []struct {
		change func(*gate.Batch)
		scale  float64
		want   string
	}{
		{func(b *gate.Batch) { b.Count[0] = 1 }, 1, "export: env 0 is no gate course: it has 1 gates, expected at least 2"},
		{func(b *gate.Batch) { b.Position[2].Y = kernel.NaN() }, 1, "gate 2 is at (2, NaN, 2), 1 m a unit; expected numbers"},
		{func(b *gate.Batch) { b.Position[3].X = 3e38 }, 10, "gate 3 is at (3e+38, 2, 1), 10 m a unit"},
		{func(b *gate.Batch) { b.HalfSize[1] = -1 }, 1, "gate 1 has a half_size of -1"},
		{func(b *gate.Batch) { b.HalfSize[1] = float32(math.Inf(1)) }, 1, "gate 1 has a half_size of +Inf"},
		{func(b *gate.Batch) { b.Orientation[0].W = 0.5 }, 1,
			"gate 0 has the orientation (0, 0, 0, 0.5), expected a quaternion of length 1"},
		{func(b *gate.Batch) { b.Orientation[0].W = kernel.NaN() }, 1, "gate 0 has the orientation (0, 0, 0, NaN)"},
	} {
		b := course()
		c.change(b)
		_, err := CourseOf(b, 0, c.scale)
		require.ErrorIs(t, err, ErrNoCourse)
		assert.ErrorContains(t, err, c.want)
	}
	_, err := CourseOf(course(), 1, 1)
	require.ErrorContains(t, err, "there is no env 1: must be 0 to 0")
	_, err = CourseOf(course(), 0, math.NaN())
	require.ErrorContains(t, err, "scale is NaN")
	_, err = CourseOf(nil, 0, 1)
	require.ErrorContains(t, err, "the batch is nil")
}

// Shapely reads the lines and points with their heights.
func TestShapelyReadsGates(t *testing.T) {
	const script = `
import json, sys
from shapely.geometry import shape
for path, scale in zip(sys.argv[1:], (10, None)):
    features = json.load(open(path))["features"]
    assert [f["properties"]["kind"] for f in features] == ["course"] + ["gate"] * 4
    line, *gates = [shape(f["geometry"]) for f in features]
    assert line.geom_type == "LineString" and line.has_z and line.is_closed and line.is_valid
    assert list(line.coords)[:-1] == [g.coords[0] for g in gates]
    assert [g.z for g in gates] == [0, 10, 20, 10]
    first = features[2]["properties"]
    assert first["env"] == 3 and first["gate"] == 1
    assert abs(first["half_size"] - 0.36) < 1e-6 and first["orientation"][3] == 0.70710677
    if scale:
        assert gates[1].coords[0] == (20, 0, 10) and line.length == 80
        assert abs(first["left"][1] - 0.36) < 1e-6 and abs(first["right"][1] + 0.36) < 1e-6
    else:
        assert abs(gates[1].x - 8.50026) < 1e-5 and abs(gates[1].y - 47.4) < 1e-6
        assert abs(first["left"][1] - 47.400003) < 1e-6
`
	b := course()
	var paths []string
	for _, style := range []GeoJSON{{Scale: 10}, {Scale: 10, Origin: &Projection{Latitude: 47.4, Longitude: 8.5}}} {
		text := encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) {
			return NewGatesGeoJSON(w, GateShapeOf(b), gateMetadata(), style, Numbered([]int{3}))
		})
		paths = append(paths, writeGates(t, "a.geojson", []byte(text)))
		require.False(t, HoldsGates(paths[0]), "it has no columns of its own to read")
	}
	required.Python(t, "shapely", script, paths...)
}

// The features of a course have every column.
func TestGatesGeoJSONHasEveryColumn(t *testing.T) {
	b := distinctGates()
	b.Position[6+2].Z = kernel.NaN()
	encode := func(style GeoJSON) (features []struct {
		Properties map[string]any
		Geometry   map[string]any
	}) {
		text := encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) {
			return NewGatesGeoJSON(w, GateShapeOf(b), gateMetadata(), style)
		})
		var read struct {
			Features []struct {
				Properties map[string]any
				Geometry   map[string]any
			}
		}
		require.NoError(t, json.Unmarshal([]byte(text), &read))
		return read.Features
	}
	features := encode(GeoJSON{})
	require.Len(t, features, 1+4+1+2)
	for _, c := range gate.Schema.Columns() {
		of := features[1].Properties
		if c.Per == column.Env {
			of = features[0].Properties
		}
		if c.Name != "position" {
			assert.Contains(t, of, jsonKey(c), c.Name)
		}
	}
	features = encode(GeoJSON{Invalid: true})
	require.Len(t, features, 1+4+1+6+1+2)
	assert.Nil(t, features[5].Geometry)
	assert.Equal(t, []any{"too few gates", "turn"}, features[5].Properties["reasons"])
	assert.Nil(t, features[8].Geometry)
	assert.Nil(t, features[8].Properties["left"])
	b.Valid[1] = 1
	e, err := NewGatesGeoJSON(io.Discard, GateShapeOf(b), gateMetadata(), GeoJSON{})
	require.NoError(t, err)
	err = e.Append(t.Context(), b)
	require.ErrorIs(t, err, ErrNoCourse)
	require.ErrorContains(t, err, "env 1 is no gate course: position of gate 2 is (")
}
