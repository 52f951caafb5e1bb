package export

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/track"
)

func TestNPZRoundTripKeepsEveryBit(t *testing.T) {
	b := sampleBatch()
	for name, options := range map[string][]NPZOption{"stored": nil, "deflated": {Compressed()}} {
		t.Run(name, func(t *testing.T) {
			got, metadata, err := ReadNPZ(writeNPZ(t, b, []int{7}, options...))
			require.NoError(t, err)
			require.Equal(t, words(b), words(got))
			want := sampleMetadata()
			want.Config.NumEnvs = 7
			require.Equal(t, want, metadata)
		})
	}
}

func TestNPZInChunksIsTheSameFile(t *testing.T) {
	b := sampleBatch()
	for name, options := range map[string][]NPZOption{
		"stored": nil, "deflated": {Compressed()}, "with descriptors": {func(w *npzArchive) { w.stream64 = 200 }},
	} {
		t.Run(name, func(t *testing.T) {
			whole := readFile(t, writeNPZ(t, b, []int{7}, options...))
			for _, chunks := range [][]int{{1, 1, 1, 1, 1, 1, 1}, {3, 0, 4}, {6, 1}} {
				require.Equal(t, whole, readFile(t, writeNPZ(t, b, chunks, options...)))
			}
		})
	}
}

// A batch may lack arrays that are 0 everywhere.
func TestNPZOfMissingZeros(t *testing.T) {
	b := sampleBatch()
	b.Candidate, b.Component = nil, nil
	got, _, err := ReadNPZ(writeNPZ(t, b, []int{4, 3}))
	require.NoError(t, err)
	require.Equal(t, make([]int32, 7), got.Candidate)
	require.Equal(t, make([]int32, 7), got.Component)
}

func TestNPZRoundTripOfAnyShape(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		b := newBatch(rapid.IntRange(1, 5).Draw(t, "envs"), rapid.IntRange(1, 9).Draw(t, "N_max"))
		for e := range b.Envs {
			b.Count[e] = int32(rapid.IntRange(0, b.NMax).Draw(t, "count"))
			b.Valid[e] = int32(rapid.IntRange(0, 1).Draw(t, "valid"))
			b.Seed[e] = rapid.Int32().Draw(t, "seed")
			b.Length[e] = rapid.Float32().Draw(t, "length")
		}
		path := filepath.Join(folder, "tracks.npz")
		w, err := NewNPZWriter(path, ShapeOf(b), Metadata{Version: rapid.String().Draw(t, "version")})
		require.NoError(t, err)
		defer w.Abort()
		require.NoError(t, w.Append(context.Background(), b))
		require.NoError(t, w.Commit(context.Background()))

		r, err := OpenNPZ(path)
		require.NoError(t, err)
		defer r.Close()
		var got []*track.Batch
		for {
			chunk, err := r.Read(context.Background(), rapid.IntRange(1, 3).Draw(t, "n"))
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			got = append(got, chunk)
		}
		lo := 0
		for _, chunk := range got {
			require.Equal(t, words(slice(b, lo, lo+chunk.Envs)), words(chunk))
			lo += chunk.Envs
		}
		require.Equal(t, b.Envs, lo)
	})
}

// python runs a script with NumPy.
func python(t *testing.T, script string, args ...string) string {
	t.Helper()
	return required.NumPy(t, script, args...)
}

func TestNumPyReadsNPZ(t *testing.T) {
	b := sampleBatch()
	const script = `
import json, sys, zipfile
import numpy as np
for path in sys.argv[2:]:
    assert zipfile.ZipFile(path).testzip() is None
    tracks = np.load(path)
    E, N = 7, 96
    shapes = {name: ("<f4", (E, N, 3)) for name in ("outer", "center", "inner", "tangent", "normal")}
    shapes |= {"arclen": ("<f4", (E, N)), "length": ("<f4", (E,)), "winding": ("<f4", (E,))}
    shapes |= {name: ("<i4", (E,)) for name in ("valid", "reason", "count", "seed", "epoch", "candidate", "component")}
    assert tracks.files == list(shapes) + ["metadata"], tracks.files
    for name, (dtype, shape) in shapes.items():
        assert tracks[name].dtype.str == dtype and tracks[name].shape == shape, name
        assert tracks[name].flags.c_contiguous, name
    assert b"".join(tracks[name].tobytes() for name in shapes) == open(sys.argv[1], "rb").read()
    made_by = json.loads(str(tracks["metadata"]))
    assert made_by["format"] == 1 and made_by["device"] == "cpu", made_by
    assert made_by["config"]["num_envs"] == 7 and made_by["config"]["bezier"]["handle_length"] == 0 and made_by["config"]["bezier"]["scale_range"] == [0.5, 2]
`
	raw := filepath.Join(t.TempDir(), "raw")
	require.NoError(t, os.WriteFile(raw, words(b), 0o600))
	paths := []string{raw}
	for _, options := range [][]NPZOption{nil, {Compressed()}, {func(w *npzArchive) { w.stream64 = 200 }}} {
		paths = append(paths, writeNPZ(t, b, []int{3, 4}, options...))
	}
	python(t, script, paths...)
}

func TestReadNPZOfNumPy(t *testing.T) {
	const script = `
import sys
import numpy as np
E, N = 3, 5
points = lambda k: np.arange(E * N * 2, dtype=np.float32).reshape(E, N, 2) + k
arrays = {name: points(k) for k, name in enumerate(("outer", "center", "inner", "tangent", "normal"))}
arrays["center"][:, 4] = np.nan
arrays["arclen"] = np.ones((E, N), np.float32)
arrays["length"] = np.float32([1, 2, 3]); arrays["winding"] = np.float32([1, -1, 0])
arrays["valid"] = np.int32([1, 0, 1]); arrays["count"] = np.int32([4, 0, 4])
arrays["extra"] = np.array(["other", "data"])
np.savez(sys.argv[1], **arrays)
np.savez_compressed(sys.argv[2], **arrays)
`
	folder := t.TempDir()
	stored, deflated := filepath.Join(folder, "stored.npz"), filepath.Join(folder, "deflated.npz")
	python(t, script, stored, deflated)
	for _, path := range []string{stored, deflated} {
		b, metadata, err := ReadNPZ(path)
		require.NoError(t, err)
		require.Equal(t, Metadata{}, metadata)
		require.Equal(t, Shape{Envs: 3, NMax: 5}, ShapeOf(b))
		require.Equal(t, []float32{1, -1, 0}, b.Winding)
		require.Equal(t, float32(13), b.Center[6].X)
		require.Equal(t, float32(0), b.Center[6].Z)
		require.False(t, finite(b.Center[4].Z), "padding stays NaN")
		require.Equal(t, []int32{0, 0, 0}, b.Seed)
	}
}
