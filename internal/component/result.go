package component

import (
	"context"
	"errors"
	"io"

	"github.com/trackgen-go/trackgen/column"
)

// Result is the memory of a result, with what is done with all its columns alike. H is the struct of the columns in
// host memory, D that in device memory.
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

// NewPacked is NewResult for columns of n elements that share one array for each type: those for which has returns
// true, or all if it is nil, and behind them the columns of a state, which belong to the same memory.
func NewPacked[H, D any](place Place, schema *column.Schema[H, D], columns *D, n int, has func(name string) bool,
	state ...column.Device) (Result[H, D], column.Packed, error) {
	var list []column.Device
	for _, c := range schema.Device(columns) {
		if has == nil || has(c.Name) {
			list = append(list, c)
		}
	}
	packed, err := column.Pack(place.Device, append(list, state...), n)
	if err != nil {
		return Result[H, D]{}, packed, err
	}
	return Result[H, D]{place: place, schema: schema, memory: packed}, packed, nil
}

// Made reports whether a component has made the result, or cloned it. Another one has nothing to read.
func (r *Result[H, D]) Made() bool { return r.schema != nil }

// Read is the function Read for the columns of the result.
func (r *Result[H, D]) Read(ctx context.Context, columns *D, to *H) error {
	return Read(ctx, r.place, r.schema, columns, to)
}

// Clone is the function Clone for the columns of the result.
func (r *Result[H, D]) Clone(ctx context.Context, columns, to *D) (Result[H, D], error) {
	memory, err := Clone(ctx, r.place, r.schema, columns, to)
	if err != nil {
		return Result[H, D]{}, err
	}
	return Result[H, D]{place: r.place, schema: r.schema, memory: &memory}, nil
}

// Close releases the memory. Closing twice is a no-op.
func (r *Result[H, D]) Close() error {
	if r.memory == nil {
		return nil
	}
	return r.memory.Close()
}
