package component

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
)

// Reader copies results to host memory, or to other device memory, in calls that wait.
type Reader struct {
	Device backend.Device
	Stream backend.Stream // for calls that name no stream; nil is the device's current stream
	Prefix string         // of messages: "progress: "
}

// context returns the launch context of a call that waits for its own work.
func (r Reader) context(ctx context.Context, op string) (*exec.LaunchContext, error) {
	if r.Device == nil {
		return nil, &backend.ArgumentError{Op: r.Prefix + op, Argument: "receiver", Value: nil,
			Allowed: "what a constructor made"}
	}
	lc, err := exec.For(ctx, r.Device, exec.DefaultStream(r.Stream))
	if err != nil {
		return nil, exec.Doing(r.Prefix+op, err)
	}
	return lc, generation.RefuseCapture(lc, r.Prefix, op)
}

// Read waits for everything emitted so far on the stream that ctx resolves to, and copies columns to host memory.
func (r Reader) Read(ctx context.Context, op string, from []column.Device, to []column.Host) error {
	lc, err := r.context(ctx, op)
	if err != nil {
		return err
	}
	err = lc.Stream().Sync()
	ctx = exec.With(ctx, lc)
	for i := 0; i < len(from) && err == nil; i++ {
		err = from[i].Read(ctx, to[i])
	}
	if err != nil {
		return exec.Doing(r.Prefix+op, err)
	}
	return nil
}

// Clone allocates memory for to, the columns of another result, copies those of from to it, and waits.
func (r Reader) Clone(ctx context.Context, op string, from, to []column.Device) (column.Memory, error) {
	memory := column.Memory{Device: r.Device}
	lc, err := r.context(ctx, op)
	if err != nil {
		return memory, err
	}
	for i, c := range to {
		memory.Allocate(c, from[i].Len())
		if memory.Err == nil {
			c.Copy(lc, from[i])
		}
	}
	if err = errors.Join(memory.Err, lc.Err()); err == nil {
		err = lc.Stream().Sync()
	}
	if err != nil {
		return memory, errors.Join(exec.Doing(r.Prefix+op, err), memory.Close())
	}
	return memory, nil
}
