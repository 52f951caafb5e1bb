package export

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"

	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/internal/npy"
	"github.com/trackgen-go/trackgen/kernel"
)

// HeightMetadata describes how height fields were made. As JSON it is
//
//	{"format": 1, "kind": "heights", "version": "v1.0.0", "device": "cpu", "envs": [0, 1, 4], "names": ["Spa", ...],
//	 "config": {"resolution": 64, "padding": 0, "blend.mode": "smooth", "blend.length": 0}}
//
// where envs are the numbers of the tracks in the file that they come from. names is left out if no track has one.
type HeightMetadata struct {
	Version string // of TrackGen
	Device  string // the device that baked them; may be empty
	Envs    []int  // numbers of the envs; nil means 0, 1, ...
	Names   []string
	Config  heightfield.Config
}

// MarshalJSON implements json.Marshaler.
func (m HeightMetadata) MarshalJSON() ([]byte, error) {
	config := map[string]any{}
	for _, f := range heightfield.Fields() {
		config[f.Name] = f.Value(m.Config)
	}
	return json.Marshal(struct {
		Format  int            `json:"format"`
		Kind    string         `json:"kind"`
		Version string         `json:"version"`
		Device  string         `json:"device,omitempty"`
		Envs    []int          `json:"envs"`
		Names   []string       `json:"names,omitempty"`
		Config  map[string]any `json:"config"`
	}{metadataFormat, "heights", m.Version, m.Device, m.Envs, m.Names, config})
}

// WriteHeightNPZ writes height fields as an .npz file of NumPy: height, float32 [E, R, R] with the row of the smallest
// y first, NaN for a track that is not valid; lo and hi, float32 [E, 2], the corners of each grid; resolution, int32;
// and metadata, which is HeightMetadata. The same grids and metadata give the same bytes. Writing stops with the error
// of ctx when it ends. It returns a *backend.ArgumentError for wrong grids, or an error of w.
func WriteHeightNPZ(ctx context.Context, w io.Writer, g *heightfield.Grid, metadata HeightMetadata) error {
	if err := g.Check("export: write heights"); err != nil {
		return err
	}
	if metadata.Envs == nil {
		for e := range g.Envs {
			metadata.Envs = append(metadata.Envs, e)
		}
	}
	text, err := json.Marshal(metadata)
	if err != nil {
		return err
	}
	header, words := encodeText(text)
	envs, side := int64(g.Envs), int64(g.Resolution)
	out := bufio.NewWriterSize(w, spoolPiece)
	archive := zip.NewWriter(out)
	for _, array := range []struct {
		name   string
		header npy.Header
		write  func(io.Writer) error
	}{
		{"height", npy.Header{Descr: "<f4", Shape: []int64{envs, side, side}},
			func(w io.Writer) error { return writeFloats(ctx, w, g.Height) }},
		{"lo", npy.Header{Descr: "<f4", Shape: []int64{envs, 2}},
			func(w io.Writer) error { return writeFloats(ctx, w, components(g.Low)) }},
		{"hi", npy.Header{Descr: "<f4", Shape: []int64{envs, 2}},
			func(w io.Writer) error { return writeFloats(ctx, w, components(g.High)) }},
		{"resolution", npy.Header{Descr: "<i4"}, func(w io.Writer) error {
			return binary.Write(w, binary.LittleEndian, int32(g.Resolution))
		}},
		{metadataName, header, func(w io.Writer) error { _, err := w.Write(words); return err }},
	} {
		entry, err := archive.CreateHeader(&zip.FileHeader{Name: array.name + npySuffix, Method: zip.Store})
		if err != nil {
			return err
		}
		if _, err := entry.Write(array.header.Encode()); err != nil {
			return err
		}
		if err := array.write(entry); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return out.Flush()
}

// components returns the components of vectors, one after the other.
func components(vectors []kernel.Vec2) []float32 {
	list := make([]float32, 0, 2*len(vectors))
	for _, v := range vectors {
		list = append(list, v.X, v.Y)
	}
	return list
}

// writeFloats writes numbers as little-endian words, in pieces.
func writeFloats(ctx context.Context, w io.Writer, values []float32) error {
	const piece = spoolPiece / wordSize
	var buffer []byte
	for len(values) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(piece, len(values))
		buffer = buffer[:0]
		for _, v := range values[:n] {
			buffer = binary.LittleEndian.AppendUint32(buffer, math.Float32bits(v))
		}
		if _, err := w.Write(buffer); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}
