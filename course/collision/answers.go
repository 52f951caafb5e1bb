package collision

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
)

// answers are what a checker finds, as columns in device memory. H and D are the structs of the columns in host and in
// device memory.
type answers[H, D any] struct {
	schema  *column.Schema[H, D]
	columns *D // of the result that has the answers
	number  int

	packed column.Packed
	device backend.Device
	stream backend.Stream // for calls that name no stream; nil is the device's current stream
}

// allocate allocates the columns for which has returns true, and behind them those of the state of a checker.
func (a *answers[H, D]) allocate(has func(name string) bool, state ...column.Device) (err error) {
	var list []column.Device
	for _, c := range a.schema.Device(a.columns) {
		if has(c.Name) {
			list = append(list, c)
		}
	}
	a.packed, err = column.Pack(a.device, append(list, state...), a.number)
	return err
}

// read waits for everything emitted so far on the stream that ctx resolves to, and copies the columns to host memory.
func (a *answers[H, D]) read(ctx context.Context) (*H, error) {
	const op = "read contacts"
	lc, err := a.context(ctx, op)
	if err != nil {
		return nil, err
	}
	if err := lc.Stream().Sync(); err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	host := new(H)
	to := a.schema.Host(host)
	ctx = exec.With(ctx, lc)
	for i, c := range a.schema.Device(a.columns) {
		if err := c.Read(ctx, to[i]); err != nil {
			return nil, exec.Doing(prefix+op, err)
		}
	}
	return host, nil
}

// clone copies the columns to those of another result, which it allocates, on the stream that ctx resolves to, and
// waits. columns are those of the other result.
func (a *answers[H, D]) clone(ctx context.Context, columns *D) (to answers[H, D], err error) {
	const op = "clone contacts"
	lc, err := a.context(ctx, op)
	if err != nil {
		return to, err
	}
	there := map[string]bool{}
	from := a.schema.Device(a.columns)
	for _, c := range from {
		there[c.Name] = !c.IsAbsent()
	}
	to = answers[H, D]{schema: a.schema, columns: columns, number: a.number, device: a.device, stream: a.stream}
	if err := to.allocate(func(name string) bool { return there[name] }); err != nil {
		return to, exec.Doing(prefix+op, err)
	}
	for i, c := range a.schema.Device(columns) {
		c.Copy(lc, from[i])
	}
	if err := errors.Join(lc.Err(), lc.Stream().Sync()); err != nil {
		return to, exec.Doing(prefix+op, errors.Join(err, to.packed.Close()))
	}
	return to, nil
}

// context returns the launch context of a call that waits for its own work. Answers of no checker are refused.
func (a *answers[H, D]) context(ctx context.Context, op string) (*exec.LaunchContext, error) {
	if a == nil || a.device == nil {
		return nil, &backend.ArgumentError{Op: prefix + op, Argument: "contacts", Value: nil, Allowed: "those of a checker"}
	}
	lc, err := exec.For(ctx, a.device, exec.DefaultStream(a.stream))
	if err != nil {
		return nil, exec.Doing(prefix+op, err)
	}
	return lc, generation.RefuseCapture(lc, prefix, op)
}
