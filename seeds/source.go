package seeds

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/seeding"
)

// MaxEnvs is the maximum batch size: env ids are int32.
const MaxEnvs = exec.MaxElements

// Options say where the seeds of a batch come from. At most one of Base, Values, Copy and Bind may be set; without any,
// the seeds are 0, 1, 2, ...
type Options struct {
	// Base gives env e the seed Base+e, which wraps as int32 does.
	Base int32
	// Values are the seeds in host memory, one per env.
	Values []int32
	// Copy is a device array with one seed per env, whose current content is copied.
	Copy exec.Array[int32]
	// Bind is a device array with one seed per env that is used in place: its owner may change it at any time, and the
	// next generation or replay reads it. It must stay open as long as the State or PerEnv that binds it.
	Bind exec.Array[int32]
	// DefaultStream is the stream of calls that name none and have no ambient context (R6). Nil means the device's current
	// stream.
	DefaultStream backend.Stream
}

// source creates the seed array that the options describe. It allocates and waits, so it returns an error while the
// device's current or default stream is being captured.
func (o Options) source(op string, device backend.Device, envs int) (seeds exec.Array[int32], err error) {
	none := exec.Array[int32]{}
	if err := exec.CheckDevice(op, device); err != nil {
		return none, err
	}
	if envs < 1 || int64(envs) > MaxEnvs {
		return none, &backend.ArgumentError{Op: op, Argument: "envs", Value: envs,
			Allowed: fmt.Sprintf("1 to %d", int64(MaxEnvs))}
	}
	given := 0
	for _, set := range []bool{o.Base != 0, o.Values != nil, !o.Copy.IsZero(), !o.Bind.IsZero()} {
		if set {
			given++
		}
	}
	if given > 1 {
		return none, &backend.ArgumentError{Op: op, Argument: "Options", Value: fmt.Sprintf("%d sources of seeds", given),
			Allowed: "one of Base, Values, Copy and Bind"}
	}
	if o.DefaultStream != nil {
		owner := o.DefaultStream.Device()
		if err := exec.CheckDevice(op, owner); err != nil {
			return none, err
		}
		if owner != device {
			return none, &exec.DeviceMismatchError{Op: op, Argument: "DefaultStream", Have: owner.Info().Name,
				Want: device.Info().Name}
		}
	}
	if err := exec.RefuseCapture(device.CurrentStream(), op,
		"the current stream is being captured; construct outside the capture"); err != nil {
		return none, err
	}
	switch {
	case !o.Bind.IsZero():
		return o.Bind, o.Bind.Check(op, "Bind", device, envs)
	case !o.Copy.IsZero():
		return copySeeds(op, device, o.Copy, envs)
	case o.Values != nil:
		if len(o.Values) != envs {
			return none, &backend.ArgumentError{Op: op, Argument: "Values length", Value: len(o.Values),
				Allowed: fmt.Sprint(envs)}
		}
		return exec.FromSlice(device, o.Values)
	default:
		return exec.FromSlice(device, consecutive(o.Base, envs))
	}
}

// consecutive returns n numbers first, first+1, ..., wrapping.
func consecutive(first int32, n int) []int32 {
	values := make([]int32, n)
	for i := range values {
		values[i] = first + int32(i)
	}
	return values
}

func copySeeds(op string, device backend.Device, from exec.Array[int32], envs int) (exec.Array[int32], error) {
	if err := from.Check(op, "Copy", device, envs); err != nil {
		return exec.Array[int32]{}, err
	}
	seeds, err := exec.NewArray[int32](device, envs)
	if err != nil {
		return exec.Array[int32]{}, err
	}
	err = onCurrent(device, func(lc *exec.LaunchContext) { exec.Copy(lc, seeds, from) })
	if err != nil {
		return exec.Array[int32]{}, errors.Join(err, seeds.Close())
	}
	return seeds, nil
}

// onCurrent emits on the device's current stream, on which allocations are zeroed, and waits.
func onCurrent(device backend.Device, emit exec.Enqueue) error {
	lc, err := exec.OnCurrentStream(device)
	if err != nil {
		return err
	}
	emit(lc)
	if err := lc.Err(); err != nil {
		return err
	}
	return lc.Stream().Sync()
}

// batch is the common part of State and PerEnv: a device, its envs and their seeds.
type batch struct {
	device        backend.Device
	envs          int
	seeds         exec.Array[int32]
	bound         bool
	winner        exec.Array[int32] // scratch memory of an assignment by id: zero between calls
	defaultStream backend.Stream
}

// newBatch creates the seeds and the scratch memory, and loads the kernels so that later calls can be recorded.
func newBatch(op string, device backend.Device, envs int, o Options) (batch, error) {
	seeds, err := o.source(op, device, envs)
	if err != nil {
		return batch{}, err
	}
	b := batch{device: device, envs: envs, seeds: seeds, bound: !o.Bind.IsZero(), defaultStream: o.DefaultStream}
	if err = device.Load(seeding.Defs...); err == nil {
		b.winner, err = exec.NewArray[int32](device, envs)
	}
	if err != nil {
		return batch{}, errors.Join(exec.Doing(op, err), b.close())
	}
	return b, nil
}

// close releases what the batch owns.
func (b *batch) close() error {
	err := b.winner.Close()
	if !b.bound {
		err = errors.Join(err, b.seeds.Close())
	}
	return err
}

// Device returns the device of the batch.
func (b *batch) Device() backend.Device { return b.device }

// Envs returns the number of envs.
func (b *batch) Envs() int { return b.envs }

// Seed returns the seeds, one per env.
func (b *batch) Seed() exec.Array[int32] { return b.seeds }

// Bound reports whether the seeds are the caller's array, given as Options.Bind.
func (b *batch) Bound() bool { return b.bound }

// Context returns the launch context of a call with the given explicit stream (nil for none): otherwise that of the
// ambient context, or the options' default stream (R6).
func (b *batch) Context(ctx context.Context, stream backend.Stream) (*exec.LaunchContext, error) {
	return exec.For(ctx, b.device, exec.OnStream(stream), exec.DefaultStream(b.defaultStream))
}

// CheckMask returns an error unless mask is one int32 per env on the device. Errors refer to it by name.
func (b *batch) CheckMask(mask exec.Array[int32], name string) error {
	return mask.Check("check mask", name, b.device, b.envs)
}

// accept checks an array of one int32 per env. It records an error in lc.
func (b *batch) accept(lc *exec.LaunchContext, op, arg string, a exec.Array[int32]) bool {
	if lc.Err() != nil {
		return false
	}
	if err := a.Check(op, arg, b.device, b.envs); err != nil {
		lc.Fail(err)
		return false
	}
	return true
}

// acceptIDs checks an assignment by id: there must be as many values as ids.
func (b *batch) acceptIDs(lc *exec.LaunchContext, op string, ids, values exec.Array[int32]) bool {
	if lc.Err() != nil {
		return false
	}
	err := ids.Check(op, "ids", b.device, ids.Len())
	if err == nil {
		err = values.Check(op, "values", b.device, ids.Len())
	}
	if err != nil {
		lc.Fail(err)
	}
	return err == nil
}
