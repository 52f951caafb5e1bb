package component

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
)

// Place is where the columns of a result are, and the stream of calls that name no stream. Its methods are parts of
// those that read and clone results; they wait, and return exec.ErrCapture inside a capture.
type Place struct {
	Prefix string // of messages: "progress: "
	Device backend.Device
	Stream backend.Stream // nil is the device's current stream
}

// Place returns the place of the results of the component.
func (c *Component) Place() Place {
	return Place{Prefix: c.plan.Prefix, Device: c.device, Stream: c.stream}
}

// context returns the launch context of a call that waits for its own work.
func (p Place) context(ctx context.Context, op string) (*exec.LaunchContext, error) {
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
func Read[H, D any](ctx context.Context, p Place, schema *column.Schema[H, D], from *D, to *H) error {
	const op = "read"
	lc, err := p.context(ctx, op)
	if err != nil {
		return err
	}
	if err := lc.Stream().Sync(); err != nil {
		return exec.Doing(p.Prefix+op, err)
	}
	ctx = exec.With(ctx, lc)
	host := schema.Host(to)
	for i, c := range schema.Device(from) {
		if err := c.Read(ctx, host[i]); err != nil {
			return exec.Doing(p.Prefix+op, err)
		}
	}
	return nil
}

// Copy copies the columns to those of another result of the same shape, and waits for the copy.
func Copy[H, D any](ctx context.Context, p Place, schema *column.Schema[H, D], from, to *D) error {
	const op = "clone"
	lc, err := p.context(ctx, op)
	if err != nil {
		return err
	}
	source := schema.Device(from)
	for i, c := range schema.Device(to) {
		c.Copy(lc, source[i])
	}
	if err = lc.Err(); err == nil {
		err = lc.Stream().Sync()
	}
	if err != nil {
		return exec.Doing(p.Prefix+op, err)
	}
	return nil
}

// Clone gives the columns of another result memory of its own, copies the columns to it, and waits for the copy.
func Clone[H, D any](ctx context.Context, p Place, schema *column.Schema[H, D], from, to *D) (column.Memory, error) {
	memory := column.Memory{Device: p.Device}
	if _, err := p.context(ctx, "clone"); err != nil {
		return memory, err
	}
	source := schema.Device(from)
	for i, c := range schema.Device(to) {
		if !source[i].IsAbsent() {
			memory.Allocate(c, source[i].Len())
		}
	}
	err := memory.Err
	if err != nil {
		err = exec.Doing(p.Prefix+"clone", err)
	} else {
		err = Copy(ctx, p, schema, from, to)
	}
	if err != nil {
		return column.Memory{}, errors.Join(err, memory.Close())
	}
	return memory, nil
}
