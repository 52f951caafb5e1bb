package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
)

// maxStored is the maximum number of gates per course of a batch that Upload takes. It is that of files.
const maxStored = 1 << 16

// Upload copies a batch in host memory, for example one that was read from a file, to device memory, on the stream that
// ctx resolves to, and waits for the copy. Sequence.Batch is the way back. Arrays that are nil and stand for 0 become
// arrays of zeros. The caller closes the Sequence.
//
// It checks the sizes of the arrays and nothing else. It returns a *backend.ArgumentError for a batch whose sizes do
// not fit, exec.ErrCapture inside a capture, or an error of the device.
func Upload(ctx context.Context, device backend.Device, b *Batch) (_ *Sequence, err error) {
	const op = "upload"
	if err := exec.CheckDevice(prefix+op, device); err != nil {
		return nil, err
	}
	if err := b.checkSizes(op); err != nil {
		return nil, err
	}
	lc, err := exec.For(ctx, device)
	if err != nil {
		return nil, during(op, err)
	}
	if err := generation.RefuseCapture(lc, prefix, op); err != nil {
		return nil, err
	}
	s, err := newSequence(device, b.Envs, b.MaxGates)
	if err != nil {
		return nil, during(op, err)
	}
	ctx = exec.With(ctx, lc)
	from := Schema.Host(&b.HostColumns)
	for i, c := range s.columns() {
		if err := c.Write(ctx, from[i]); err != nil {
			return nil, errors.Join(during(op, exec.Doing(c.Name, err)), s.Close())
		}
	}
	return s, nil
}

// checkSizes returns an error for a batch whose arrays do not have the sizes that its shape says.
func (b *Batch) checkSizes(op string) error {
	refuse := func(argument string, value any, allowed string) error {
		return &backend.ArgumentError{Op: prefix + op, Argument: argument, Value: value, Allowed: allowed}
	}
	switch {
	case b == nil:
		return refuse("batch", nil, "a *gate.Batch")
	case b.Envs < 1 || b.Envs > maxEnvs:
		return refuse("batch.Envs", b.Envs, fmt.Sprintf("1 to %d", maxEnvs))
	case b.MaxGates < 1 || b.MaxGates > maxStored:
		return refuse("batch.MaxGates", b.MaxGates, fmt.Sprintf("1 to %d", maxStored))
	}
	for _, c := range Schema.Host(&b.HostColumns) {
		optional := c.IsAbsent() && c.Absent == column.Zero
		if want := b.Envs * c.Stride(b.MaxGates); c.Len() != want && !optional {
			return refuse("length of batch."+c.Name, c.Len(), fmt.Sprint(want))
		}
	}
	return nil
}
