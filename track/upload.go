package track

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
)

// Upload copies a batch in host memory, for example one that was read from a file, to device memory, on the stream that
// ctx resolves to, and waits for the copy. Track.Batch is the way back. Arrays that are nil and stand for 0 become
// arrays of zeros; others that are nil stay absent. The caller closes the Track.
//
// It checks the sizes of the arrays and nothing else: b.CheckNumbers checks the values. It returns a
// *backend.ArgumentError for a batch whose sizes do not fit, exec.ErrCapture inside a capture, or an error of the
// device.
func Upload(ctx context.Context, device backend.Device, b *Batch) (_ *Track, err error) {
	const op = "upload"
	if device == nil {
		return nil, &backend.ArgumentError{Op: prefix + op, Argument: "device", Value: nil, Allowed: "an open backend.Device"}
	}
	if err := b.checkSizes(op); err != nil {
		return nil, err
	}
	lc, err := exec.For(ctx, device)
	if err != nil {
		return nil, during(op, err)
	}
	if err := refuseCapture(lc, op); err != nil {
		return nil, err
	}
	from := Schema.Host(&b.HostColumns)
	has := make(map[string]bool, len(from))
	for _, c := range from {
		has[c.Name] = !c.IsAbsent() || c.Absent == column.Zero
	}
	t, err := newTrack(device, b.Envs, b.NMax, func(c column.Device) bool { return has[c.Name] })
	if err != nil {
		return nil, during(op, err)
	}
	t.Names = b.Names
	ctx = exec.With(ctx, lc)
	for i, c := range t.columns() {
		if err := c.Write(ctx, from[i]); err != nil {
			return nil, errors.Join(during(op, exec.Doing(c.Name, err)), t.Close())
		}
	}
	return t, nil
}

// checkSizes returns an error for a batch whose arrays do not have the sizes that its shape says.
func (b *Batch) checkSizes(op string) error {
	refuse := func(argument string, value any, allowed string) error {
		return &backend.ArgumentError{Op: prefix + op, Argument: argument, Value: value, Allowed: allowed}
	}
	switch {
	case b == nil:
		return refuse("batch", nil, "a *track.Batch")
	case b.Envs < 1 || b.Envs > maxEnvs:
		return refuse("batch.Envs", b.Envs, fmt.Sprintf("1 to %d", maxEnvs))
	case b.NMax < 1 || b.NMax > maxPoints:
		return refuse("batch.NMax", b.NMax, fmt.Sprintf("1 to %d", maxPoints))
	case b.Names != nil && len(b.Names) != b.Envs:
		return refuse("batch.Names", len(b.Names), fmt.Sprintf("%d names, or none", b.Envs))
	}
	for _, c := range Schema.Host(&b.HostColumns) {
		optional := c.IsAbsent() && c.Absent != ""
		if want := b.Envs * c.Stride(b.NMax); c.Len() != want && !optional {
			return refuse("length of batch."+c.Name, c.Len(), fmt.Sprint(want))
		}
	}
	return nil
}
