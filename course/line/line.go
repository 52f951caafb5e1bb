package line

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
)

// Line is a batch of course lines in device memory. A Sampler fills the same Line at every refresh; Clone makes a copy
// that no refresh overwrites.
type Line struct {
	Envs, NMax int // NMax is G_max times the samples per gate

	DeviceColumns

	result component.Result[HostColumns, DeviceColumns]
}

// Batch is a batch of course lines in host memory. Row e of an array of points begins at e*NMax.
type Batch struct {
	Envs, NMax int

	HostColumns
}

// Of returns the points of the line of env e, without the padding. e must be in range.
func (b *Batch) Of(e int) []kernel.Vec3 { return b.Center[e*b.NMax:][:b.Count[e]] }

// newLine allocates the columns of a batch.
func newLine(place component.Place, envs, nMax int) (_ *Line, err error) {
	l := &Line{Envs: envs, NMax: nMax}
	l.result, err = component.NewResult(place, Schema, &l.DeviceColumns,
		func(c column.Column) int { return envs * c.Stride(nMax) })
	return l, err
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the lines to host memory. It
// returns exec.ErrCapture inside a capture.
func (l *Line) Read(ctx context.Context) (*Batch, error) {
	if l == nil || !l.result.Made() {
		return nil, noLine("read")
	}
	host := &Batch{Envs: l.Envs, NMax: l.NMax}
	if err := l.result.Read(ctx, &l.DeviceColumns, &host.HostColumns); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the lines to new device memory, on the stream that ctx resolves to, and waits for the copy. The caller
// closes the clone. It returns exec.ErrCapture inside a capture.
func (l *Line) Clone(ctx context.Context) (_ *Line, err error) {
	if l == nil || !l.result.Made() {
		return nil, noLine("clone")
	}
	clone := &Line{Envs: l.Envs, NMax: l.NMax}
	if clone.result, err = l.result.Clone(ctx, &l.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, err
	}
	return clone, nil
}

// Close releases the memory. Closing twice is a no-op. Closing a Sampler closes its Line.
func (l *Line) Close() error {
	if l == nil {
		return nil
	}
	return l.result.Close()
}

func noLine(op string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: nil, Allowed: "the Line of a Sampler"}
}
