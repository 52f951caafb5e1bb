package exec

import (
	"fmt"
	"io"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Stage is one step of a producer. It allocates everything it needs when it is built, and its Enqueue emits the same
// work each time.
type Stage interface {
	// ID names the stage in messages; it is unique within its producer.
	ID() string
	// Class says what the stage may do.
	Class() CaptureClass
	// Build allocates through b and returns the function that emits the work of one generation.
	Build(b Builder) (Enqueue, error)
}

// Builder is passed to Stage.Build. PerEnv, Scratch and HostBuffer allocate through it, so that the producer releases
// what its stages allocated.
type Builder interface {
	// Envs returns the number of envs of a generation.
	Envs() int
	// Device returns the device on which to allocate.
	Device() backend.Device
	// Seed returns the effective seed of each env, which the producer writes at the start of a generation (R107).
	Seed() Array[int32]
	// Slot returns the slot of the stage that is being built: its identity, class and device.
	Slot() *StageSlot
	// Keep closes c together with the producer.
	Keep(c io.Closer)
}

// EnvKeeper is implemented by a Builder that needs to know which arrays have elements per env. PerEnv then calls
// KeepPerEnv instead of Keep: the bytes of env e begin at e*bytesPerEnv in view.
type EnvKeeper interface {
	KeepPerEnv(c io.Closer, view backend.View, bytesPerEnv int64)
}

// PerEnv allocates perEnv elements per env, initially zero: the elements of env e begin at e*perEnv.
func PerEnv[T kernel.Element](b Builder, perEnv int) (Array[T], error) {
	const op = "allocate per env"
	if b == nil {
		return Array[T]{}, errNilBuilder(op)
	}
	if envs := b.Envs(); perEnv < 0 || envs > 0 && int64(perEnv) > MaxElements/int64(envs) {
		return Array[T]{}, &backend.ArgumentError{Op: op, Argument: "elements per env", Value: perEnv,
			Allowed: fmt.Sprintf("0 or more, and at most %d in all %d envs", int64(MaxElements), envs)}
	}
	keeper, ok := b.(EnvKeeper)
	if !ok {
		return Scratch[T](b, b.Envs()*perEnv)
	}
	a, err := NewArray[T](b.Device(), b.Envs()*perEnv)
	if err != nil {
		return Array[T]{}, err
	}
	keeper.KeepPerEnv(a, a.View(), int64(perEnv)*elementSize[T]())
	return a, nil
}

// Scratch allocates n elements, initially zero.
func Scratch[T kernel.Element](b Builder, n int) (Array[T], error) {
	if b == nil {
		return Array[T]{}, errNilBuilder("allocate")
	}
	a, err := NewArray[T](b.Device(), n)
	if err != nil {
		return Array[T]{}, err
	}
	b.Keep(a)
	return a, nil
}

// HostBuffer allocates host memory of n elements for the HostOps of a HOST stage. For a stage of another class it
// returns a *backend.ArgumentError.
func HostBuffer[T kernel.Element](b Builder, n int) (HostArray[T], error) {
	const op = "allocate host buffer"
	if b == nil {
		return HostArray[T]{}, errNilBuilder(op)
	}
	slot := b.Slot()
	if slot == nil {
		return HostArray[T]{}, &backend.ArgumentError{Op: op, Argument: "stage", Value: "none",
			Allowed: "one that works on the host"}
	}
	if slot.class != Host {
		return HostArray[T]{}, &backend.ArgumentError{Op: op, Argument: "class of the stage", Value: slot.class,
			Allowed: "host"}
	}
	h, err := NewHostArray[T](b.Device(), n)
	if err != nil {
		return HostArray[T]{}, err
	}
	b.Keep(h)
	return h, nil
}

func errNilBuilder(op string) error {
	return &backend.ArgumentError{Op: op, Argument: "builder", Value: nil,
		Allowed: "the builder that Stage.Build received"}
}
