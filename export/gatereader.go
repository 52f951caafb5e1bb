package export

import (
	"context"

	"github.com/trackgen-go/trackgen/gate"
)

// GateNPZReader reads the gate courses of an .npz file in chunks; OpenGateNPZ returns one. It must not be used by
// several goroutines at the same time.
type GateNPZReader struct {
	arrays   *NPZReader
	metadata GateMetadata
}

// OpenGateNPZ opens a file that NewGateNPZWriter or another program wrote, and checks everything except the elements.
// The arrays that may be absent, and metadata, may be missing; then they are zero. For a file with wrong contents it
// returns a *FormatError. The caller must call Close.
func OpenGateNPZ(path string, options ...ReadOption) (_ *GateNPZReader, err error) {
	r := new(GateNPZReader)
	if r.arrays, err = openNPZ(path, &r.metadata, options); err != nil {
		return nil, err
	}
	return r, nil
}

// Shape returns the shape of the whole batch.
func (r *GateNPZReader) Shape() Shape { return r.arrays.shape }

// Metadata returns how the courses were made. It is the zero value if the file does not contain it.
func (r *GateNPZReader) Metadata() GateMetadata { return r.metadata }

// Close closes the file.
func (r *GateNPZReader) Close() error { return r.arrays.Close() }

// Read returns the next courses, at most n, and io.EOF after the last one. After an error, including cancellation,
// every further call returns that error.
func (r *GateNPZReader) Read(ctx context.Context, n int) (*gate.Batch, error) {
	if r.arrays.err != nil {
		return nil, r.arrays.err
	}
	batch, err := r.read(ctx, n)
	r.arrays.err = err
	return batch, err
}

func (r *GateNPZReader) read(ctx context.Context, n int) (*gate.Batch, error) {
	a := r.arrays
	n, err := a.chunk(n, "courses", "gates")
	if err != nil {
		return nil, err
	}
	batch := &gate.Batch{Envs: n, MaxGates: a.shape.NMax}
	if err := a.fill(ctx, n, gate.Schema.Host(&batch.HostColumns)); err != nil {
		return nil, err
	}
	if err := a.checkValues(batch.Count, batch.Valid, "gates", "G_max"); err != nil {
		return nil, err
	}
	a.next += n
	return batch, nil
}
