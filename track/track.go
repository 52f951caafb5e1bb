package track

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Track is a batch of tracks in device memory. The fields have the meaning and the shape of those of Batch. A generator
// fills the same Track at every call; Clone makes one that stays.
type Track struct {
	Envs, NMax int

	Outer, Center, Inner, Tangent, Normal exec.Array[kernel.Vec3]
	Arclen, Length, Winding               exec.Array[float32]
	Valid, Reason, Count                  exec.Array[int32]
	Seed, Epoch, Candidate, Component     exec.Array[int32] // what each env was made from

	// Of measured circuits alone (FromCenterline); zero arrays in a generated Track.
	WidthRight, WidthLeft exec.Array[float32]
	Crossings             exec.Array[int32]

	memory memory
	stream backend.Stream // of calls that name none; nil is the device's current stream
}

// newTrack allocates a Track for a configuration's shape.
func newTrack(device backend.Device, envs, nMax int) (*Track, error) {
	t := &Track{Envs: envs, NMax: nMax, memory: memory{device: device}}
	m := &t.memory
	for _, array := range t.vectors() {
		*array = allocate[kernel.Vec3](m, envs*nMax)
	}
	t.Arclen = allocate[float32](m, envs*nMax)
	t.Length = allocate[float32](m, envs)
	t.Winding = allocate[float32](m, envs)
	for _, array := range t.integers() {
		*array = allocate[int32](m, envs)
	}
	if m.err != nil {
		return nil, errors.Join(exec.Doing(fmt.Sprintf("allocate a batch of %d tracks of %d points", envs, nMax), m.err), m.close())
	}
	return t, nil
}

func (t *Track) vectors() []*exec.Array[kernel.Vec3] {
	return []*exec.Array[kernel.Vec3]{&t.Outer, &t.Center, &t.Inner, &t.Tangent, &t.Normal}
}

func (t *Track) floats() []*exec.Array[float32] {
	list := []*exec.Array[float32]{&t.Arclen, &t.Length, &t.Winding}
	if t.isMeasured() {
		list = append(list, &t.WidthRight, &t.WidthLeft)
	}
	return list
}

func (t *Track) integers() []*exec.Array[int32] {
	list := []*exec.Array[int32]{&t.Valid, &t.Reason, &t.Count, &t.Seed, &t.Epoch, &t.Candidate, &t.Component}
	if t.isMeasured() {
		list = append(list, &t.Crossings)
	}
	return list
}

// isMeasured reports whether the tracks are those of measured circuits, with widths of their own.
func (t *Track) isMeasured() bool { return !t.WidthRight.IsZero() }

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
	allocate := newTrack
	if t.isMeasured() {
		allocate = newMeasuredTrack
	}
	clone, err := allocate(t.memory.device, t.Envs, t.NMax)
	if err != nil {
		return nil, during("clone", err)
	}
	clone.stream = t.stream
	defer func() {
		if err != nil {
			err = errors.Join(err, clone.Close())
		}
	}()
	copyAll(lc, clone.vectors(), t.vectors())
	copyAll(lc, clone.floats(), t.floats())
	copyAll(lc, clone.integers(), t.integers())
	if err := lc.Err(); err != nil {
		return nil, during("clone", err)
	}
	if err := lc.Stream().Sync(); err != nil {
		return nil, during("clone", err)
	}
	return clone, nil
}

func copyAll[T kernel.Element](lc *exec.LaunchContext, to, from []*exec.Array[T]) {
	for i := range to {
		exec.Copy(lc, *to[i], *from[i])
	}
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
	var failed error
	for i, to := range []*[]kernel.Vec3{&b.Outer, &b.Center, &b.Inner, &b.Tangent, &b.Normal} {
		read(&failed, to, *t.vectors()[i])
	}
	floats := []*[]float32{&b.Arclen, &b.Length, &b.Winding, &b.WidthRight, &b.WidthLeft}
	for i, from := range t.floats() {
		read(&failed, floats[i], *from)
	}
	var reason []int32
	integers := []*[]int32{&b.Valid, &reason, &b.Count, &b.Seeds, &b.Epochs, &b.Candidates, &b.Components, &b.Crossings}
	for i, from := range t.integers() {
		read(&failed, integers[i], *from)
	}
	if failed != nil {
		return nil, during("read", failed)
	}
	b.Reason = make([]Reason, len(reason))
	for e, bits := range reason {
		b.Reason[e] = Reason(bits)
	}
	return b, nil
}

// read downloads an array unless an earlier one failed.
func read[T kernel.Element](failed *error, to *[]T, from exec.Array[T]) {
	if *failed == nil {
		*to, *failed = from.Read()
	}
}

// Close releases the device memory. Closing twice is a no-op. The Track of a generator is closed with its generator.
func (t *Track) Close() error { return t.memory.close() }
