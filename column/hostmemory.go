package column

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// HostMemory is host memory that a device copies to, of one column. It grows when an array needs more, and is kept for
// the next one. The zero value has none.
type HostMemory struct{ array io.Closer } // an exec.HostArray, nil if there is none

// Close frees the memory. The elements that were read into it must not be used any more.
func (m *HostMemory) Close() error {
	if m.array == nil {
		return nil
	}
	err := m.array.Close()
	m.array = nil
	return err
}

// ReadInto is Read into memory that is kept: to then shares it, until it is used again.
func (d Device) ReadInto(ctx context.Context, memory *HostMemory, to Host) error {
	return d.array.readInto(ctx, memory, to.array)
}

func (a array[T]) readInto(ctx context.Context, memory *HostMemory, to hostArray) error {
	other, ok := to.(slice[T])
	switch {
	case !ok: // every schema gives a column one type
		return &backend.ArgumentError{Op: "read", Argument: "host column", Value: fmt.Sprintf("%T", to),
			Allowed: "the same column"}
	case a.isZero():
		*other.field = nil
		return nil
	}
	host, ok := memory.array.(exec.HostArray[T])
	if !ok || host.Len() < a.length() {
		*other.field = nil // it may share the memory
		made, err := exec.NewHostArray[T](a.field.Device(), a.length())
		if err := errors.Join(err, memory.Close()); err != nil {
			return err
		}
		host, memory.array = made, made
	}
	if err := a.field.ReadTo(ctx, host); err != nil {
		return err
	}
	*other.field = host.Values()[:a.length()]
	return nil
}
