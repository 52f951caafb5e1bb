package track

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
)

// Track is a batch of tracks in device memory. Its fields have the meaning and the shape of the fields of Batch; an
// array that a batch lacks is the zero exec.Array. A generator fills the same Track at every call; Clone makes a copy
// that no call overwrites.
type Track struct {
	Envs, NMax int
	Names      []string // in host memory; must not be changed

	DeviceColumns

	memory column.Memory
	stream backend.Stream // for calls that name no stream; nil is the device's current stream
}

// newTrack allocates the columns of a batch for which has returns true.
func newTrack(device backend.Device, envs, nMax int, has func(column.Device) bool) (*Track, error) {
	t := &Track{Envs: envs, NMax: nMax, memory: column.Memory{Device: device}}
	for _, c := range t.columns() {
		if has(c) {
			t.memory.Allocate(c, envs*c.Stride(nMax))
		}
	}
	if m := &t.memory; m.Err != nil {
		return nil, errors.Join(exec.Doing(fmt.Sprintf("allocate a batch of %d tracks of %d points", envs, nMax), m.Err),
			m.Close())
	}
	return t, nil
}

// generatedTrack allocates a batch with the columns that the stages of a generation write.
func generatedTrack(device backend.Device, c Config) (*Track, error) {
	return newTrack(device, c.NumEnvs, c.Output.MaxPoints, func(d column.Device) bool { return c.has(d.Column) })
}

// columns returns the arrays with their descriptions.
func (t *Track) columns() []column.Device { return Schema.Device(&t.DeviceColumns) }

// Clone copies the tracks to new device memory, on the stream that ctx resolves to, and waits for the copy. The caller
// closes the clone.
func (t *Track) Clone(ctx context.Context) (_ *Track, err error) {
	lc, err := exec.For(ctx, t.memory.Device, exec.DefaultStream(t.stream))
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
	clone, err := newTrack(t.memory.Device, t.Envs, t.NMax, func(c column.Device) bool { return there[c.Name] })
	if err != nil {
		return nil, during("clone", err)
	}
	clone.stream, clone.Names = t.stream, t.Names
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

// Batch waits for everything emitted so far on the stream that ctx resolves to, and copies the tracks to host memory.
// Reader does so without new memory each time.
func (t *Track) Batch(ctx context.Context) (*Batch, error) {
	b := new(Batch)
	to := Schema.Host(&b.HostColumns)
	err := t.read(ctx, b, func(ctx context.Context, i int, c column.Device) error { return c.Read(ctx, to[i]) })
	if err != nil {
		return nil, err
	}
	return b, nil
}

// read copies the tracks to b. Copy copies a column.
func (t *Track) read(ctx context.Context, b *Batch,
	copy func(ctx context.Context, i int, c column.Device) error) error {
	lc, err := exec.For(ctx, t.memory.Device, exec.DefaultStream(t.stream))
	if err != nil {
		return during("read", err)
	}
	if err := refuseCapture(lc, "read"); err != nil {
		return err
	}
	if err := lc.Stream().Sync(); err != nil {
		return during("read", err)
	}
	b.Envs, b.NMax, b.Names = t.Envs, t.NMax, slices.Clone(t.Names)
	ctx = exec.With(ctx, lc)
	for i, c := range t.columns() {
		if err := copy(ctx, i, c); err != nil {
			return during("read", err)
		}
	}
	return nil
}

// Close releases the device memory. Closing twice is a no-op. Closing a generator closes its Track.
func (t *Track) Close() error { return t.memory.Close() }
