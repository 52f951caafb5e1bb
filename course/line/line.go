package line

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/course/internal/component"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Line is a batch of course lines in device memory. A Sampler fills the same Line at every refresh; Clone makes a copy
// that no refresh overwrites.
type Line struct {
	Envs, NMax int // NMax is G_max times the samples per gate

	DeviceColumns

	place  component.Place
	memory column.Memory
}

// Lines is a batch of course lines in host memory. Row e of an array of points begins at e*NMax.
type Lines struct {
	Envs, NMax int

	HostColumns
}

// Of returns the points of the line of env e, without the padding. e must be in range.
func (l *Lines) Of(e int) []kernel.Vec3 { return l.Center[e*l.NMax:][:l.Count[e]] }

// newLine allocates the columns of a batch.
func newLine(place component.Place, envs, nMax int) (*Line, error) {
	l := &Line{Envs: envs, NMax: nMax, place: place, memory: column.Memory{Device: place.Device}}
	for _, c := range Schema.Device(&l.DeviceColumns) {
		l.memory.Allocate(c, envs*c.Stride(nMax))
	}
	if l.memory.Err != nil {
		return nil, errors.Join(l.memory.Err, l.memory.Close())
	}
	return l, nil
}

// clear gives the points the values that they have without a line. The other columns are zero already.
func (l *Line) clear(ctx context.Context) error {
	points := make([]kernel.Vec3, l.Center.Len())
	lengths := make([]float32, len(points))
	for i := range points {
		lengths[i] = kernel.NaN()
		points[i] = kernel.V3(lengths[i], lengths[i], lengths[i])
	}
	return errors.Join(l.Center.Write(ctx, points), l.Tangent.Write(ctx, points), l.Arclen.Write(ctx, lengths))
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies the lines to host memory. It
// returns exec.ErrCapture inside a capture.
func (l *Line) Read(ctx context.Context) (*Lines, error) {
	if l == nil {
		return nil, noLine("read")
	}
	host := &Lines{Envs: l.Envs, NMax: l.NMax}
	if err := component.Read(ctx, l.place, Schema, &l.DeviceColumns, &host.HostColumns); err != nil {
		return nil, err
	}
	return host, nil
}

// Clone copies the lines to new device memory, on the stream that ctx resolves to, and waits for the copy. The caller
// closes the clone. It returns exec.ErrCapture inside a capture.
func (l *Line) Clone(ctx context.Context) (*Line, error) {
	if l == nil || l.place.Device == nil {
		return nil, noLine("clone")
	}
	if _, err := exec.EnsureNotCapturing(ctx, l.place.Device, "line", l.place.Stream); err != nil {
		return nil, err
	}
	clone, err := newLine(l.place, l.Envs, l.NMax)
	if err != nil {
		return nil, exec.Doing(prefix+"clone", err)
	}
	if err := component.Copy(ctx, l.place, Schema, &l.DeviceColumns, &clone.DeviceColumns); err != nil {
		return nil, errors.Join(err, clone.Close())
	}
	return clone, nil
}

// Close releases the memory. Closing twice is a no-op. Closing a Sampler closes its Line.
func (l *Line) Close() error {
	if l == nil {
		return nil
	}
	return l.memory.Close()
}

func noLine(op string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: nil, Allowed: "the Line of a Sampler"}
}
