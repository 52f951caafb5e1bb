package pipeline

import (
	"errors"
	"fmt"
	"io"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Builder is passed to the stages of one program when they are built. It implements exec.Builder and owns what they
// allocate.
type Builder struct {
	outer  exec.Builder // the builder of the stage to which these stages belong, nil for a whole program: see Nested
	apart  bool         // outer does not know their outputs
	device backend.Device
	envs   int
	seed   exec.Array[int32]
	list   *List
	slot   *exec.StageSlot // of the stage that is being built, nil between stages
	owned  []io.Closer
	arrays map[string]any // exec.Array[T]
	bytes  int64
	built  bool
	legacy bool // a stage, or a part of one, launches on the current stream
}

// NewBuilder returns a builder for programs with the given number of envs (1 or more). It allocates the array of
// effective seeds and the list of all envs, so it must not be called inside a capture.
func NewBuilder(device backend.Device, envs int) (_ *Builder, err error) {
	const op = "new builder"
	switch {
	case device == nil:
		return nil, &backend.ArgumentError{Op: op, Argument: "device", Value: nil, Allowed: "an open backend.Device"}
	case envs < 1 || int64(envs) >= exec.MaxElements:
		return nil, &backend.ArgumentError{Op: op, Argument: "envs", Value: envs,
			Allowed: fmt.Sprintf("1 to %d", int64(exec.MaxElements)-1)}
	}
	b := &Builder{device: device, envs: envs, arrays: make(map[string]any)}
	defer func() {
		if err != nil {
			err = errors.Join(exec.Doing(op, err), b.Close())
		}
	}()
	if b.seed, err = exec.PerEnv[int32](b, 1); err != nil {
		return nil, err
	}
	if b.list, err = newList(b); err != nil {
		return nil, err
	}
	return b, nil
}

// Envs implements exec.Builder.
func (b *Builder) Envs() int { return b.envs }

// Device implements exec.Builder.
func (b *Builder) Device() backend.Device { return b.device }

// Seed implements exec.Builder. It returns the effective seeds, which the first stage writes: see SeedStage.
func (b *Builder) Seed() exec.Array[int32] { return b.seed }

// Slot implements exec.Builder.
func (b *Builder) Slot() *exec.StageSlot { return b.slot }

// Keep implements exec.Builder.
func (b *Builder) Keep(c io.Closer) {
	if b.outer != nil {
		b.outer.Keep(c)
		return
	}
	b.owned = append(b.owned, c)
	if array, ok := c.(interface{ View() backend.View }); ok {
		b.bytes += array.View().Bytes
	}
}

// KeepPerEnv implements exec.EnvKeeper.
func (b *Builder) KeepPerEnv(c io.Closer, view backend.View, bytesPerEnv int64) {
	if keeper, ok := b.outer.(exec.EnvKeeper); ok {
		keeper.KeepPerEnv(c, view, bytesPerEnv)
		return
	}
	b.Keep(c)
}

// Bytes returns the size of the device memory allocated through the builder.
func (b *Builder) Bytes() int64 { return b.bytes }

// Active returns the list of envs that the program works on.
func (b *Builder) Active() *List { return b.list }

// Close releases everything, newest first. A program closes its builder. Closing twice does nothing.
func (b *Builder) Close() error {
	if b == nil {
		return nil
	}
	var failed []error
	for i := len(b.owned) - 1; i >= 0; i-- {
		failed = append(failed, b.owned[i].Close())
	}
	b.owned = nil
	return errors.Join(failed...)
}

// Provide registers an array of another owner under a name: as an input that no stage writes, or as the memory for the
// output of that name.
func Provide[T kernel.Element](b *Builder, name string, array exec.Array[T]) error {
	op := fmt.Sprintf("provide %q", name)
	if b == nil {
		return errBuilder(op, b)
	}
	if err := array.Check(op, "array", b.device, array.Len()); err != nil {
		return err
	}
	return b.declare(op, name, array)
}

// Written reports whether a stage has an output of this name.
func (b *Builder) Written(name string) bool {
	array, known := b.arrays[name]
	_, provided := array.(providedArray)
	return known && !provided
}

// Output allocates perEnv elements per env, which later stages and the caller read under the name. The elements of env
// e begin at e*perEnv. If an array was provided under the name, Output returns it; its length must match. For an output
// per point, perEnv is the number of points.
//
// With a builder of another package, such as that of exec/exectest, the name has no effect.
func Output[T kernel.Element](b exec.Builder, name string, perEnv int) (exec.Array[T], error) {
	return output(b, name, func() (exec.Array[T], error) { return exec.PerEnv[T](b, perEnv) },
		func(own *Builder) int { return own.envs * perEnv })
}

// SharedOutput is Output for an array of n elements that the envs share.
func SharedOutput[T kernel.Element](b exec.Builder, name string, n int) (exec.Array[T], error) {
	return output(b, name, func() (exec.Array[T], error) { return exec.Scratch[T](b, n) }, func(*Builder) int { return n })
}

// Diagnostic allocates n elements that the envs share, which the caller reads under the name. Unlike an output, a
// diagnostic says how the work was done, which may differ between lowerings; the checks of exec/exectest do not compare
// it.
func Diagnostic[T kernel.Element](b exec.Builder, name string, n int) (exec.Array[T], error) {
	op := fmt.Sprintf("diagnostic %q", name)
	if b == nil {
		return exec.Array[T]{}, errBuilder(op, b)
	}
	return placed(b, op, name, func() (exec.Array[T], error) { return exec.Scratch[T](b, n) },
		func(*Builder) int { return n })
}

func output[T kernel.Element](b exec.Builder, name string, allocate func() (exec.Array[T], error),
	length func(*Builder) int) (exec.Array[T], error) {
	op := fmt.Sprintf("output %q", name)
	if b == nil {
		return exec.Array[T]{}, errBuilder(op, b)
	}
	array, err := placed(b, op, name, allocate, length)
	if err != nil {
		return exec.Array[T]{}, err
	}
	record(b, array.View())
	return array, nil
}

// record notes an output of the stage that is being built, and of the stages to which it belongs and with which it
// shares its names.
func record(b exec.Builder, view backend.View) {
	for b != nil {
		switch at := b.(type) {
		case *recorder:
			at.outputs = append(at.outputs, view)
			b = at.Builder
		case *Builder:
			b = at.outer
			if at.apart {
				return
			}
		default:
			return
		}
	}
}

// placed allocates an output, or returns the provided array.
func placed[T kernel.Element](b exec.Builder, op, name string, allocate func() (exec.Array[T], error),
	length func(*Builder) int) (exec.Array[T], error) {
	own, ok := own(b)
	if !ok {
		return allocate()
	}
	if name == "" {
		return exec.Array[T]{}, errNoName(op)
	}
	known, taken := own.arrays[name]
	if !taken {
		array, err := allocate()
		if err != nil {
			return exec.Array[T]{}, exec.Doing(op, err)
		}
		own.arrays[name] = array
		return array, nil
	}
	p, ok := known.(providedArray)
	if !ok {
		return exec.Array[T]{}, &backend.ArgumentError{Op: op, Argument: "name", Value: name,
			Allowed: "a name that is not an output of an earlier stage"}
	}
	array, err := typed[T](op, p.array)
	if err == nil {
		err = array.Check(op, "provided array", own.device, length(own))
	}
	if err == nil {
		own.arrays[name] = array // written by this stage only
	}
	return array, err
}

// providedArray is a provided array that no stage has as its output yet.
type providedArray struct{ array any }

func (b *Builder) declare(op, name string, array any) error {
	if name == "" {
		return errNoName(op)
	}
	if _, taken := b.arrays[name]; taken {
		return &backend.ArgumentError{Op: op, Argument: "name", Value: name, Allowed: "a name that is not taken"}
	}
	b.arrays[name] = providedArray{array}
	return nil
}

// Input returns the output of an earlier stage, or a provided array.
func Input[T kernel.Element](b exec.Builder, name string) (exec.Array[T], error) {
	op := fmt.Sprintf("input %q", name)
	own, ok := own(b)
	if !ok {
		return exec.Array[T]{}, errBuilder(op, b)
	}
	return find[T](own, op, name)
}

func find[T kernel.Element](b *Builder, op, name string) (exec.Array[T], error) {
	known, ok := b.arrays[name]
	if !ok {
		return exec.Array[T]{}, &backend.ArgumentError{Op: op, Argument: "name", Value: name,
			Allowed: fmt.Sprintf("one of %q", b.names())}
	}
	if p, ok := known.(providedArray); ok {
		known = p.array
	}
	return typed[T](op, known)
}

func typed[T kernel.Element](op string, array any) (exec.Array[T], error) {
	a, ok := array.(exec.Array[T])
	if !ok {
		return exec.Array[T]{}, &backend.ArgumentError{Op: op, Argument: "element type", Value: kernel.TypeOf[T](),
			Allowed: fmt.Sprintf("that of %T", array)}
	}
	return a, nil
}

// checkBuilder returns a *backend.ArgumentError if b is nil.
func checkBuilder(op string, b exec.Builder) error {
	if own, ok := b.(*Builder); b == nil || ok && own == nil {
		return errBuilder(op, b)
	}
	return nil
}

func errBuilder(op string, b exec.Builder) error {
	return &backend.ArgumentError{Op: op, Argument: "builder", Value: fmt.Sprintf("%T", b), Allowed: "a *pipeline.Builder"}
}

func errNoName(op string) error {
	return &backend.ArgumentError{Op: op, Argument: "name", Value: `""`, Allowed: "a name"}
}
