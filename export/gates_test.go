package export

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernel"
)

// sampleGates returns three courses with room for four gates: one valid, one without a reason, and one of no gates.
func sampleGates() *gate.Batch {
	b := gate.NewBatch(3, 4)
	for i := range b.Position {
		x := float32(i)
		b.Position[i] = kernel.Vec3{X: x, Y: x + 0.25, Z: x + 0.5}
		b.Orientation[i] = kernel.Quat{X: 0, Y: 0.5, Z: x, W: 1}
		b.HalfSize[i] = x + 0.125
	}
	b.Position[3].X = kernel.NaN()
	b.Count[0], b.Count[1] = 3, 4
	b.Valid[0], b.Reason[1], b.FrameFallbacks[1] = 1, gate.ReasonCrossing|gate.ReasonTurn, 2
	b.Seed[1], b.Component[0] = -7, 1
	return b
}

// gateWords returns the elements of all columns as they lie in files.
func gateWords(b *gate.Batch) (all []byte) {
	for _, c := range gate.Schema.Host(&b.HostColumns) {
		all = c.AppendWords(all, 0, c.Len())
	}
	return all
}

func gateMetadata() GateMetadata {
	config := gate.DefaultConfig()
	config.Gate.Radius = 0.5
	config.Mix = []gate.Component{config.NewComponent(2, gate.Polar)}
	config.Generator = gate.Mixed
	return GateMetadata{Version: "v1", Device: "cpu", Config: config}
}

// NumPy reads every column with its name, type, shape and bits, and the metadata, whatever the chunks and the options.
func TestNumPyReadsGates(t *testing.T) {
	const script = `
import json, sys, zipfile
import numpy as np
E, G = 3, 4
shapes = {name: ("<f4", (E, G, 3)) for name in ("position", "tangent", "forward", "left", "right")}
shapes |= {"orientation": ("<f4", (E, G, 4)), "half_size": ("<f4", (E, G))}
shapes |= {name: ("<i4", (E,)) for name in ("valid", "reason", "count", "frame_fallbacks", "seed", "epoch", "candidate", "component")}
for path in sys.argv[2:]:
    assert zipfile.ZipFile(path).testzip() is None
    gates = np.load(path)
    assert gates.files == list(shapes) + ["metadata"], gates.files
    for name, (dtype, shape) in shapes.items():
        assert gates[name].dtype.str == dtype and gates[name].shape == shape, name
    assert b"".join(gates[name].tobytes() for name in shapes) == open(sys.argv[1], "rb").read()
    assert gates["orientation"][1, 2].tolist() == [0, 0.5, 6, 1]
    made_by = json.loads(str(gates["metadata"]))
    assert made_by["course"] == "gates" and made_by["config"]["num_envs"] == 3, made_by
    assert made_by["config"]["gate"]["radius"] == 0.5
    assert made_by["config"]["mix"] == [{"weight": 2, "generator": "polar"}], made_by
`
	b, folder := sampleGates(), t.TempDir()
	raw := filepath.Join(folder, "raw")
	require.NoError(t, os.WriteFile(raw, gateWords(b), 0o600))
	paths := []string{raw}
	for i, options := range [][]NPZOption{nil, {Compressed()}, {Tight()}} { // a course has G_max gates, so tight cuts none
		path := filepath.Join(folder, string(rune('a'+i))+".npz")
		w, err := NewGateNPZWriter(path, GateShapeOf(b), gateMetadata(), options...)
		require.NoError(t, err)
		var low gate.Batch
		require.NoError(t, low.Append(b, 0, 1))
		require.NoError(t, w.Append(t.Context(), &low))
		var high gate.Batch
		require.NoError(t, high.Append(b, 2))
		require.NoError(t, w.Append(t.Context(), &high))
		require.NoError(t, w.Commit(t.Context()))
		paths = append(paths, path)
	}
	required.Python(t, "numpy", script, paths...)
}

// encodeGates returns what an encoder makes of a batch.
func encodeGates(t *testing.T, b *gate.Batch, encode func(*bytes.Buffer) (GateEncoder, error)) string {
	t.Helper()
	var out bytes.Buffer
	e, err := encode(&out)
	require.NoError(t, err)
	require.NoError(t, e.Append(t.Context(), b))
	require.NoError(t, e.Finish())
	return out.String()
}

// The tables have a row for each gate or course, and JSON has the same numbers.
func TestGateTexts(t *testing.T) {
	b := sampleGates()
	shape := GateShapeOf(b)
	rows := strings.Split(encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) { return NewGatesCSV(w, shape) }),
		"\n")
	require.Len(t, rows, 1+3+4+1)
	assert.True(t, strings.HasPrefix(rows[0], "env,gate,valid,position_x,position_y,position_z,tangent_x"), rows[0])
	assert.True(t, strings.HasSuffix(rows[0], ",orientation_x,orientation_y,orientation_z,orientation_w,half_size"))
	assert.True(t, strings.HasPrefix(rows[5], "1,1,0,5,5.25,5.5,"), rows[5])
	assert.True(t, strings.HasSuffix(rows[5], ",0,0.5,5,1,5.125"), rows[5])

	assert.Equal(t, "env,seed,epoch,valid,reason,count,frame_fallbacks,candidate,component\n0,0,0,1,,3,0,0,1\n"+
		"1,-7,0,0,crossing|turn,4,2,0,0\n2,0,0,0,unknown,0,0,0,0\n",
		encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) { return NewGateSummaryCSV(w, shape) }))

	var read struct {
		MadeBy   GateMetadata `json:"made_by"`
		MaxGates int          `json:"max_gates"`
		Courses  []struct {
			Reasons     []string
			Valid       bool
			Position    [][]*float32
			Orientation [][]float32
		}
		Summary map[string]any
	}
	text := encodeGates(t, b, func(w *bytes.Buffer) (GateEncoder, error) {
		return NewCoursesJSON(w, shape, gateMetadata())
	})
	require.NoError(t, json.Unmarshal([]byte(text), &read))
	want := gateMetadata()
	want.Config.NumEnvs = 3
	assert.Equal(t, want, read.MadeBy)
	assert.Equal(t, 4, read.MaxGates)
	assert.Equal(t, []string{"crossing", "turn"}, read.Courses[1].Reasons)
	assert.True(t, read.Courses[0].Valid)
	assert.Len(t, read.Courses[0].Position, 3)
	assert.Equal(t, []float32{0, 0.5, 6, 1}, read.Courses[1].Orientation[2])
	assert.Equal(t, map[string]any{"crossing": 1.0, "turn": 1.0, "unknown": 1.0}, read.Summary["reasons"])
	assert.Equal(t, 2.0, read.Summary["frame_fallbacks"])
	assert.Equal(t, 1.0, read.Summary["fallback_envs"])
}

// Wrong batches are refused before anything is written.
func TestWrongGates(t *testing.T) {
	b := sampleGates()
	encoder := func(shape Shape) GateEncoder {
		e, err := NewGateNPZ(new(bytes.Buffer), shape, gateMetadata())
		require.NoError(t, err)
		return e
	}
	ctx := context.Background()
	assert.ErrorContains(t, encoder(GateShapeOf(b)).Append(ctx, nil), "the batch is nil")
	assert.ErrorContains(t, encoder(Shape{Envs: 3, NMax: 5}).Append(ctx, b), "4 gates per course, the file 5")
	assert.ErrorContains(t, encoder(Shape{Envs: 2, NMax: 4}).Append(ctx, b), "exceeds the 2 envs")
	assert.ErrorContains(t, encoder(GateShapeOf(b)).Finish(), "3 envs but only 0 were appended")
	b.Count[2] = 5
	assert.ErrorContains(t, encoder(GateShapeOf(b)).Append(ctx, b),
		"env 2 of the batch has a count of 5: must be 0 to G_max (4)")
	b = sampleGates()
	b.HalfSize = b.HalfSize[:5]
	assert.ErrorContains(t, encoder(GateShapeOf(b)).Append(ctx, b), "array half_size of the batch holds 5 elements")
}

// A course is measured around its closed line: a square of side 2 whose last gate is 1 higher.
func TestMeasureGates(t *testing.T) {
	b := gate.NewBatch(3, 4)
	copy(b.Position, []kernel.Vec3{{}, {X: 2}, {X: 2, Y: 2}, {Y: 2, Z: 1}})
	b.Position[5] = kernel.Vec3{X: 3, Z: 4}
	b.Count[0], b.Count[1] = 4, 2
	m, root := MeasureGates(b, 0), math.Sqrt(5)
	assert.Equal(t, []float64{2, 2, root, root}, m.Distances)
	assert.Equal(t, []float64{0, 0, 1, 1}, m.Heights)
	for i, want := range []float64{math.Pi / 2, math.Pi / 2, math.Pi / 2, math.Acos(-1.0 / 5)} {
		assert.InDelta(t, want, m.Turns[i], 1e-12, "gate %d", i)
	}
	two := MeasureGates(b, 1)
	assert.Equal(t, []float64{5, 5}, two.Distances)
	assert.Nil(t, two.Turns)
	assert.Zero(t, MeasureGates(b, 2))
}

// A file is read as it was written, in chunks, and damaged files are refused.
func TestReadGates(t *testing.T) {
	b := sampleGates()
	write := func(b *gate.Batch, options ...NPZOption) string {
		path := filepath.Join(t.TempDir(), "gates.npz")
		w, err := NewGateNPZWriter(path, GateShapeOf(b), gateMetadata(), options...)
		require.NoError(t, err)
		require.NoError(t, w.Append(t.Context(), b))
		require.NoError(t, w.Commit(t.Context()))
		return path
	}
	for _, options := range [][]NPZOption{nil, {Compressed()}} {
		r, err := OpenGateNPZ(write(b, options...))
		require.NoError(t, err)
		assert.Equal(t, GateShapeOf(b), r.Shape())
		assert.InDelta(t, 0.5, r.Metadata().Config.Gate.Radius, 0)
		var read gate.Batch
		for {
			chunk, err := r.Read(t.Context(), 2)
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			for e := range chunk.Envs {
				require.NoError(t, read.Append(chunk, e))
			}
		}
		assert.Equal(t, gateWords(b), gateWords(&read))
		require.NoError(t, r.Close())
	}
	path := write(b)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, whole[:len(whole)/2], 0o600))
	_, err = OpenGateNPZ(path)
	assert.ErrorContains(t, err, "not a complete .npz file")
	damaged := bytes.Replace(whole, []byte("(3, 4, 4)"), []byte("(3, 4, 3)"), 1)
	require.NoError(t, os.WriteFile(path, damaged, 0o600))
	_, err = OpenGateNPZ(path)
	assert.ErrorContains(t, err, `array "orientation"`)
	assert.ErrorContains(t, err, "expected float32 (<f4) of shape [3, 4, 4]")
	tracks := writeNPZ(t, sampleBatch(), []int{7})
	_, err = OpenGateNPZ(tracks)
	assert.ErrorContains(t, err, "holds tracks, expected gate courses")
}

// A reader of tracks says that a file holds gate courses.
func TestReaderOfTracksRefusesGates(t *testing.T) {
	b, path := sampleGates(), filepath.Join(t.TempDir(), "gates.npz")
	w, err := NewGateNPZWriter(path, GateShapeOf(b), gateMetadata())
	require.NoError(t, err)
	require.NoError(t, w.Append(t.Context(), b))
	require.NoError(t, w.Commit(t.Context()))
	_, _, err = ReadNPZ(path)
	var wrong *FormatError
	require.ErrorAs(t, err, &wrong)
	assert.ErrorContains(t, err, "holds gate courses")
}
