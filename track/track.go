package track

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
)

// Track is a batch of tracks in device memory. The fields have the meaning and the shape of those of Batch; an array
// that a batch lacks is the zero exec.Array. A generator fills the same Track at every call; Clone makes one that
// stays.
type Track struct {
	Envs, NMax int

	DeviceColumns

	memory memory
	stream backend.Stream // of calls that name none; nil is the device's current stream
}

// newTrack allocates the columns of a batch that has says it has.
func newTrack(device backend.Device, envs, nMax int, has func(column.Device) bool) (*Track, error) {
	t := &Track{Envs: envs, NMax: nMax, memory: memory{device: device}}
	for _, c := range t.columns() {
		if has(c) {
			t.memory.allocate(c, envs*c.Stride(nMax))
		}
	}
	if m := &t.memory; m.err != nil {
		return nil, errors.Join(exec.Doing(fmt.Sprintf("allocate a batch of %d tracks of %d points", envs, nMax), m.err),
			m.close())
	}
	return t, nil
}

// generatedTrack allocates a batch of generated tracks: what the stages of a generation write.
func generatedTrack(device backend.Device, envs, nMax int) (*Track, error) {
	return newTrack(device, envs, nMax, func(c column.Device) bool { return isGenerated(c.Column) })
}

// columns returns the arrays by their descriptions.
func (t *Track) columns() []column.Device { return Schema.Device(&t.DeviceColumns) }

// Clone returns a copy in device memory of its own, which the caller closes. It copies on the stream that ctx resolves
// to and waits for it.
func (t *Track) Clone(ctx context.Context) (_ *Track, err error) {
	lc, err := exec.For(ctx, t.memory.device, exec.DefaultStream(t.stream))
	if err != nil {
		return nil, during("clone", err)
	}
	if err := refuseCapture(lc, "clone"); err != nil {
		return nil, err
	}
	from := t.columns()
	there := make(map[string]bool, len(from))
	for _, c := range from {
		there[c.Name] = !c.IsAbsent()
	}
	clone, err := newTrack(t.memory.device, t.Envs, t.NMax, func(c column.Device) bool { return there[c.Name] })
	if err != nil {
		return nil, during("clone", err)
	}
	clone.stream = t.stream
	defer func() {
		if err != nil {
			err = errors.Join(err, clone.Close())
		}
	}()
	for i, c := range clone.columns() {
		c.Copy(lc, from[i])
	}
	if err := lc.Err(); err != nil {
		return nil, during("clone", err)
	}
	if err := lc.Stream().Sync(); err != nil {
		return nil, during("clone", err)
	}
	return clone, nil
}

// Batch copies the tracks to host memory, after everything emitted so far on the stream that ctx resolves to.
func (t *Track) Batch(ctx context.Context) (*Batch, error) {
	lc, err := exec.For(ctx, t.memory.device, exec.DefaultStream(t.stream))
	if err != nil {
		return nil, during("read", err)
	}
	if err := refuseCapture(lc, "read"); err != nil {
		return nil, err
	}
	if err := lc.Stream().Sync(); err != nil {
		return nil, during("read", err)
	}
	b := &Batch{Envs: t.Envs, NMax: t.NMax}
	ctx = exec.With(ctx, lc)
	to := Schema.Host(&b.HostColumns)
	for i, c := range t.columns() {
		if err := c.Read(ctx, to[i]); err != nil {
			return nil, during("read", err)
		}
	}
	return b, nil
}

// Close releases the device memory. Closing twice is a no-op. The Track of a generator is closed with its generator.
func (t *Track) Close() error { return t.memory.close() }
