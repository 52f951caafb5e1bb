package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/pipeline"
)

// Sequence is a batch of gate courses in device memory: for each env, a sequence of gates. Its fields have the meaning
// and the shape of the fields of Batch. A generator fills the same Sequence at every call; Clone makes a copy that no
// call overwrites.
type Sequence struct {
	Envs, MaxGates int

	DeviceColumns

	memory column.Memory
	stream backend.Stream // for calls that name no stream; nil is the device's current stream
}

// newSequence allocates the columns of a batch.
func newSequence(device backend.Device, envs, maxGates int) (*Sequence, error) {
	s := &Sequence{Envs: envs, MaxGates: maxGates, memory: column.Memory{Device: device}}
	for _, c := range s.columns() {
		s.memory.Allocate(c, envs*c.Stride(maxGates))
	}
	if m := &s.memory; m.Err != nil {
		return nil, errors.Join(exec.Doing(fmt.Sprintf("allocate a batch of %d courses of %d gates", envs, maxGates), m.Err),
			m.Close())
	}
	return s, nil
}

// columns returns the arrays with their descriptions.
func (s *Sequence) columns() []column.Device { return Schema.Device(&s.DeviceColumns) }

// provide gives the stages of a program the columns.
func (s *Sequence) provide(b *pipeline.Builder) error {
	var failed []error
	for _, c := range s.columns() {
		failed = append(failed, c.Provide(b, 0, c.Len()))
	}
	return errors.Join(failed...)
}

// context returns the launch context of a call that waits for its own work.
func (s *Sequence) context(ctx context.Context, op string) (*exec.LaunchContext, error) {
	lc, err := exec.For(ctx, s.memory.Device, exec.DefaultStream(s.stream))
	if err != nil {
		return nil, during(op, err)
	}
	return lc, generation.RefuseCapture(lc, prefix, op)
}

// Clone copies the courses to new device memory, on the stream that ctx resolves to, and waits for the copy. The caller
// closes the clone.
func (s *Sequence) Clone(ctx context.Context) (_ *Sequence, err error) {
	const op = "clone"
	lc, err := s.context(ctx, op)
	if err != nil {
		return nil, err
	}
	clone, err := newSequence(s.memory.Device, s.Envs, s.MaxGates)
	if err != nil {
		return nil, during(op, err)
	}
	clone.stream = s.stream
	from := s.columns()
	for i, c := range clone.columns() {
		c.Copy(lc, from[i])
	}
	err = lc.Err()
	if err == nil {
		err = lc.Stream().Sync()
	}
	if err != nil {
		return nil, errors.Join(during(op, err), clone.Close())
	}
	return clone, nil
}

// Batch waits for everything emitted so far on the stream that ctx resolves to, and copies the courses to host memory.
func (s *Sequence) Batch(ctx context.Context) (*Batch, error) {
	const op = "read"
	lc, err := s.context(ctx, op)
	if err != nil {
		return nil, err
	}
	if err := lc.Stream().Sync(); err != nil {
		return nil, during(op, err)
	}
	b := &Batch{Envs: s.Envs, MaxGates: s.MaxGates}
	ctx = exec.With(ctx, lc)
	to := Schema.Host(&b.HostColumns)
	for i, c := range s.columns() {
		if err := c.Read(ctx, to[i]); err != nil {
			return nil, during(op, err)
		}
	}
	return b, nil
}

// Close releases the device memory. Closing twice is a no-op. Closing a generator closes its Sequence.
func (s *Sequence) Close() error { return s.memory.Close() }
