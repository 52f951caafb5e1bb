package component

import (
	"context"
	"errors"
	"io"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
)

// Place is where the columns of a result are, and the stream of calls that name no stream.
type Place struct {
	Prefix string // of messages: "line: "
	Device backend.Device
	Stream backend.Stream // nil is the device's current stream
}

// Result is the memory of a result and what is done with all its columns alike. H is the struct of the columns in host
// memory, D that in device memory. Read and Clone wait, and return exec.ErrCapture inside a capture.
type Result[H, D any] struct {
	place  Place
	schema *column.Schema[H, D]
	memory io.Closer
}

// NewResult allocates the columns that have a length above 0. The caller closes the result.
func NewResult[H, D any](place Place, schema *column.Schema[H, D], columns *D,
	length func(column.Column) int) (Result[H, D], error) {
	memory := &column.Memory{Device: place.Device}
	for _, c := range schema.Device(columns) {
		if n := length(c.Column); n > 0 {
			memory.Allocate(c, n)
		}
	}
	if memory.Err != nil {
		return Result[H, D]{}, errors.Join(memory.Err, memory.Close())
	}
	return Result[H, D]{place: place, schema: schema, memory: memory}, nil
}

// NewPacked is NewResult for columns of n elements that share one array for each type.
func NewPacked[H, D any](place Place, schema *column.Schema[H, D], columns *D, n int) (Result[H, D], column.Packed, error) {
	packed, err := column.Pack(place.Device, schema.Device(columns), n)
	if err != nil {
		return Result[H, D]{}, packed, err
	}
	return Result[H, D]{place: place, schema: schema, memory: packed}, packed, nil
}

// context returns the launch context of a call that waits for its own work.
func (r *Result[H, D]) context(ctx context.Context, op string) (*exec.LaunchContext, error) {
	p := r.place
	if p.Device == nil {
		return nil, &backend.ArgumentError{Op: p.Prefix + op, Argument: "receiver", Value: nil,
			Allowed: "the result of a component, or a clone of one"}
	}
	lc, err := exec.For(ctx, p.Device, exec.DefaultStream(p.Stream))
	if err != nil {
		return nil, exec.Doing(p.Prefix+op, err)
	}
	return lc, generation.RefuseCapture(lc, p.Prefix, op)
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the columns to host memory.
func (r *Result[H, D]) Read(ctx context.Context, columns *D, to *H) error {
	const op = "read"
	lc, err := r.context(ctx, op)
	if err != nil {
		return err
	}
	if err := lc.Stream().Sync(); err != nil {
		return exec.Doing(r.place.Prefix+op, err)
	}
	ctx = exec.With(ctx, lc)
	host := r.schema.Host(to)
	for i, c := range r.schema.Device(columns) {
		if err := c.Read(ctx, host[i]); err != nil {
			return exec.Doing(r.place.Prefix+op, err)
		}
	}
	return nil
}

// Clone copies the columns to new memory on the stream that ctx resolves to, and waits for the copy. It sets the fields
// of to, whose memory the caller closes.
func (r *Result[H, D]) Clone(ctx context.Context, columns, to *D) (Result[H, D], error) {
	const op = "clone"
	lc, err := r.context(ctx, op)
	if err != nil {
		return Result[H, D]{}, err
	}
	source := r.schema.Device(columns)
	lengths := make(map[string]int, len(source))
	for _, c := range source {
		lengths[c.Name] = c.Len()
	}
	clone, err := NewResult(r.place, r.schema, to, func(c column.Column) int { return lengths[c.Name] })
	if err != nil {
		return clone, exec.Doing(r.place.Prefix+op, err)
	}
	for i, c := range r.schema.Device(to) {
		c.Copy(lc, source[i])
	}
	if err = lc.Err(); err == nil {
		err = lc.Stream().Sync()
	}
	if err != nil {
		return Result[H, D]{}, errors.Join(exec.Doing(r.place.Prefix+op, err), clone.Close())
	}
	return clone, nil
}

// Close releases the memory. Closing twice is a no-op.
func (r *Result[H, D]) Close() error {
	if r.memory == nil {
		return nil
	}
	return r.memory.Close()
}
