package export

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/trackgen-go/trackgen/column"
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
	if n < 1 {
		return nil, fmt.Errorf("export: %d courses to read: must be at least 1", n)
	}
	if n = min(n, a.shape.Envs-a.next); n == 0 {
		return nil, io.EOF
	}
	if perEnv := bytesPerEnv(a.arrays, a.shape.NMax); int64(n) > a.maxBytes/perEnv {
		return nil, a.fail("", fmt.Errorf("%d courses of %d gates take %d bytes each, expected at most %d bytes in all", n,
			a.shape.NMax, perEnv, a.maxBytes))
	}
	batch := gate.NewBatch(n, a.shape.NMax)
	for _, c := range gate.Schema.Host(&batch.HostColumns) {
		i := slices.IndexFunc(a.arrays, func(present column.Column) bool { return present.Name == c.Name })
		if i < 0 || a.columns[i].data == nil {
			continue
		}
		if err := a.readColumn(ctx, i, c, a.next+n == a.shape.Envs); err != nil {
			return nil, a.fail(c.Name, err)
		}
	}
	for e := range n {
		if count := batch.Count[e]; count < 0 || int(count) > batch.MaxGates {
			return nil, a.fail("count", fmt.Errorf("env %d has %d gates, expected 0 to G_max (%d)", a.next+e, count,
				batch.MaxGates))
		}
		if v := batch.Valid[e]; v != 0 && v != 1 {
			return nil, a.fail("valid", fmt.Errorf("env %d has %d, expected 0 or 1", a.next+e, v))
		}
	}
	a.next += n
	return batch, nil
}
