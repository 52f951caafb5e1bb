package export

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/npy"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/track"
)

// namedBatch is a batch of circuits of which one has no name and two have the same.
func namedBatch() *track.Batch {
	b := measuredBatch(3)
	if err := b.Append(b, 1); err != nil {
		panic(err)
	}
	b.Names = []string{"Spa", "Zürich, \"Ring\" 東", "", "Spa"}
	return b
}

func TestNamesInNPZ(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	b := namedBatch()
	require.NoError(t, write(t, path, ShapeOf(b), b))
	got, _, err := ReadNPZ(path)
	require.NoError(t, err)
	assert.Equal(t, b.Names, got.Names)
	whole := readFile(t, path)
	require.NoError(t, write(t, path, ShapeOf(b), slice(b, 0, 1), newBatch(0, 40), slice(b, 1, 4)))
	assert.Equal(t, whole, readFile(t, path), "chunks make the same file")

	r, err := OpenNPZ(path)
	require.NoError(t, err)
	defer r.Close()
	assert.Equal(t, b.Names, r.Names())
	_, err = r.Read(context.Background(), 1)
	require.NoError(t, err)
	rest, err := r.Read(context.Background(), 3)
	require.NoError(t, err)
	assert.Equal(t, b.Names[1:], rest.Names)

	// A chunk without names has empty ones.
	half := namedBatch()
	half.Names = nil
	require.NoError(t, write(t, path, ShapeOf(b), slice(half, 0, 2), slice(b, 2, 4)))
	got, _, err = ReadNPZ(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"", "", "", "Spa"}, got.Names)

	require.NoError(t, write(t, path, ShapeOf(half), half))
	got, _, err = ReadNPZ(path)
	require.NoError(t, err)
	assert.Nil(t, got.Names)
	archive, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer archive.Close()
	for _, f := range archive.File {
		assert.NotEqual(t, "name.npy", f.Name)
	}
}

func TestNumPyReadsNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	b := namedBatch()
	require.NoError(t, write(t, path, ShapeOf(b), b))
	required.Python(t, "numpy", `
import sys
import numpy as np
names = np.load(sys.argv[1])["name"]
assert names.dtype == "<U16" and names.tolist() == ["Spa", 'Zürich, "Ring" 東', "", "Spa"], names
`, path)
}

// Files of earlier versions have the names of the files of their circuits.
func TestNamesFromMetadata(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npz")
	b := measuredBatch(2)
	w, err := NewNPZWriter(path, ShapeOf(b), Metadata{Import: &Import{
		Circuits: []ImportedCircuit{{File: "Spa.csv"}, {File: "a.b.csv"}},
	}})
	require.NoError(t, err)
	require.NoError(t, w.Append(context.Background(), b))
	require.NoError(t, w.Commit(context.Background()))
	got, _, err := ReadNPZ(path)
	require.NoError(t, err)
	assert.Equal(t, []string{"Spa", "a.b"}, got.Names)
}

func TestNamesInText(t *testing.T) {
	b := namedBatch()
	shape := ShapeOf(b)
	var tracks struct{ Tracks []map[string]any }
	text := encode(t, b, func(w io.Writer) (Encoder, error) { return NewTracksJSON(w, shape, Metadata{}) })
	require.NoError(t, json.Unmarshal(text, &tracks))
	for e, item := range tracks.Tracks {
		name, has := item["name"]
		assert.Equal(t, b.Names[e] != "", has)
		assert.True(t, !has || name == b.Names[e], name)
	}

	var collection struct {
		Features []struct{ Properties map[string]any }
	}
	text = encode(t, b, func(w io.Writer) (Encoder, error) { return NewGeoJSON(w, shape, Metadata{}, GeoJSON{}) })
	require.NoError(t, json.Unmarshal(text, &collection))
	for k, item := range collection.Features {
		name, has := item.Properties["name"]
		assert.Equal(t, b.Names[k/2] != "", has)
		assert.True(t, !has || name == b.Names[k/2], name)
	}

	for name, create := range map[string]func(w io.Writer) (Encoder, error){
		"points":  func(w io.Writer) (Encoder, error) { return NewPointsCSV(w, shape) },
		"summary": func(w io.Writer) (Encoder, error) { return NewSummaryCSV(w, shape) },
	} {
		rows, err := csv.NewReader(bytes.NewReader(encode(t, b, create))).ReadAll()
		require.NoError(t, err)
		require.Equal(t, []string{"env", "name"}, rows[0][:2], name)
		for _, row := range rows[1:] {
			require.Equal(t, b.Names[row[0][0]-'0'], row[1], name)
		}
		b.Names = nil
		assert.NotContains(t, string(encode(t, b, create)), "name")
		b.Names = namedBatch().Names
	}
	e, err := NewPointsCSV(io.Discard, shape)
	require.NoError(t, err)
	require.NoError(t, e.Append(context.Background(), slice(b, 0, 1)))
	b.Names = nil
	require.ErrorContains(t, e.Append(context.Background(), slice(b, 1, 2)), "either all chunks have names or none")
}

// badNames are names that no file may have, each with words of its error.
var badNames = map[string]string{
	"a\x1b[2Jb": "has control characters", "line\nbreak": "has control characters", "\u202Eabc": "has control characters",
	"\xff": "is not UTF-8", strings.Repeat("é", 256): "has 256 characters: must be at most 255",
}

func TestWritersRefuseNames(t *testing.T) {
	for name, message := range badNames {
		b := namedBatch()
		b.Names[2] = name
		assert.ErrorContains(t, write(t, filepath.Join(t.TempDir(), "a.npz"), ShapeOf(b), b), message)
		assert.ErrorContains(t, write(t, filepath.Join(t.TempDir(), "a.npz"), ShapeOf(b), b), "env 2 of the batch")
	}
	b := namedBatch()
	b.Names = b.Names[1:]
	assert.ErrorContains(t, write(t, filepath.Join(t.TempDir(), "a.npz"), ShapeOf(b), b), "3 names, expected 4")
	b.Names = []string{strings.Repeat("é", 255), "", "", ""}
	assert.NoError(t, write(t, filepath.Join(t.TempDir(), "a.npz"), ShapeOf(b), b))
}

// withNames returns an .npz file with another array of names.
func withNames(t *testing.T, b *track.Batch, header npy.Header, words []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.npz")
	b.Names = nil
	require.NoError(t, write(t, path, ShapeOf(b), b))
	archive, err := zip.OpenReader(path)
	require.NoError(t, err)
	defer archive.Close()
	changed := filepath.Join(t.TempDir(), "b.npz")
	file, err := os.Create(changed)
	require.NoError(t, err)
	defer file.Close()
	out := zip.NewWriter(file)
	for _, f := range archive.File {
		require.NoError(t, out.Copy(f))
	}
	w, err := out.Create("name.npy")
	require.NoError(t, err)
	_, err = w.Write(append(header.Encode(), words...))
	require.NoError(t, err)
	require.NoError(t, out.Close())
	return changed
}

func TestReaderRefusesNames(t *testing.T) {
	texts := func(names ...string) (npy.Header, []byte) {
		descr, words := encodeNames(names)
		return npy.Header{Descr: descr, Shape: []int64{int64(len(names))}}, words
	}
	check := func(message string, header npy.Header, words []byte) {
		t.Helper()
		_, err := OpenNPZ(withNames(t, namedBatch(), header, words))
		var format *FormatError
		require.ErrorAs(t, err, &format)
		assert.Equal(t, "name", format.Array)
		assert.ErrorContains(t, err, message)
	}
	for name, message := range badNames {
		if message == "is not UTF-8" {
			continue // the array has characters
		}
		header, words := texts("a", name, "", "b")
		if len(name) > MaxName {
			message = "expected texts (<U1 to <U255)"
		}
		check(message, header, words)
	}
	header, words := texts("a", "b", "c")
	check("expected texts (<U1 to <U255) of shape [4]", header, words)
	header, words = texts("a", "b", "c", "d")
	check("holds 12 bytes of data, expected 16", header, words[4:])
	check("expected texts", npy.Header{Descr: "<i4", Shape: []int64{4}}, words)
	check("expected texts", npy.Header{Descr: "<U1", Shape: []int64{2, 2}}, words)
	check("expected texts", npy.Header{Descr: "|S4", Shape: []int64{4}}, words)
	words[2] = 0x20 // beyond Unicode
	check("env 0: character 0 is", header, words)
}
