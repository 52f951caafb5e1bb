package export

import (
	"context"
	"io"

	"github.com/trackgen-go/trackgen/gate"
)

// An .npz file of gate courses has one array for each column of gate.Schema, with the names, types and shapes of
// docs/gates.md, and metadata, which is GateMetadata. Gates at index count[e] and above are NaN.

// gateNPZWriter writes gate courses to an .npz file.
type gateNPZWriter struct{ *NPZWriter }

// NewGateNPZWriter creates an .npz file for gate courses of the given shape, as NewNPZWriter does for tracks. It sets
// metadata.Config.NumEnvs to shape.Envs.
func NewGateNPZWriter(target string, shape Shape, metadata GateMetadata, options ...NPZOption) (GateWriter, error) {
	archive, err := newNPZArchive(shape, metadata.forShape(shape), options)
	if err != nil {
		return nil, err
	}
	w, err := newArchiveWriter(target, archive)
	if err != nil {
		return nil, err
	}
	return gateNPZWriter{w}, nil
}

// Append implements WriterOf.
func (w gateNPZWriter) Append(ctx context.Context, chunk *gate.Batch) error {
	return w.add(func() error { return w.archive.addGates(ctx, chunk) })
}

// gateNPZEncoder writes gate courses as an .npz file.
type gateNPZEncoder struct{ npzEncoder }

// NewGateNPZ writes an .npz file of gate courses to w, as NewNPZ does for tracks.
func NewGateNPZ(w io.Writer, shape Shape, metadata GateMetadata, options ...NPZOption) (GateEncoder, error) {
	archive, err := newNPZArchive(shape, metadata.forShape(shape), options)
	if err != nil {
		return nil, err
	}
	archive.spool = new(spoolMemory)
	return &gateNPZEncoder{npzEncoder{archive, w}}, nil
}

// Append implements EncoderOf.
func (e *gateNPZEncoder) Append(ctx context.Context, chunk *gate.Batch) error {
	return e.archive.addGates(ctx, chunk)
}

// addGates adds the courses of a chunk.
func (w *npzArchive) addGates(ctx context.Context, chunk *gate.Batch) error {
	if _, err := w.takeGates(chunk); err != nil {
		return err
	}
	if chunk.Envs == 0 {
		return nil
	}
	return w.store(ctx, written(gate.Schema.Host(&chunk.HostColumns)), GateShapeOf(chunk), chunk.Count)
}
