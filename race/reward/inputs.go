package reward

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/reward"
)

// Inputs are the arrays, in device memory, that an update reads. Element e*A + a is that of agent a of env e. Those
// that are optional may be zero arrays; what they would tell is then 0, and settings that need it are refused.
type Inputs struct {
	// S has the arc lengths of the agents along their lines [E*A], from 0 to the length. One that is not finite pauses its
	// agent. The column s of package localise.
	S exec.Array[float32]
	// CheckpointPassed has the index of the checkpoint that each agent has passed in this step [E*A], or -1. Checkpoint 0
	// is where the line begins. The column checkpoint_passed of package progress.
	CheckpointPassed exec.Array[int32]

	Action exec.Array[float32] // [E*A*C], as vehicles take them; needed if C is not 0

	N           exec.Array[float32] // optional: [E*A] offsets beside the line, of package localise
	OutOfBounds exec.Array[int32]   // optional: [E*A] not 0 off the road, of package collision
	// Distance has the distances from the nearest border, of package collision; optional, [E*A]. A NaN is far.
	Distance exec.Array[float32]
	Hit      exec.Array[int32]       // optional: [E*A] not 0 where agents of an env touch, of package collision
	Obstacle exec.Array[int32]       // optional: [E*A] not 0 where an agent touches posts or frames, of package collision
	Velocity exec.Array[kernel.Vec3] // optional: [E*A] in track units per second
}

// check refuses arrays that are missing, on another device or of another length.
func (in Inputs) check(op string, device backend.Device, agents int, c *Config) error {
	err := errors.Join(in.S.Check(op, "s", device, agents),
		in.CheckpointPassed.Check(op, "checkpoint_passed", device, agents),
		checkAction(op, in.Action, device, agents*c.Channels),
		checkOptional(op, "n", in.N, device, agents, c.Weights.Lateral != 0),
		checkOptional(op, "out_of_bounds", in.OutOfBounds, device, agents,
			c.Weights.OffRoad != 0 || c.Ends.OffRoad || c.Walls),
		checkOptional(op, "distance", in.Distance, device, agents, c.Weights.NearBorder != 0),
		checkOptional(op, "hit", in.Hit, device, agents, false),
		checkOptional(op, "obstacle", in.Obstacle, device, agents, false),
		checkOptional(op, "velocity", in.Velocity, device, agents, c.Weights.Travel != 0))
	if err == nil && (c.Ends.Collision || c.Weights.Collision != 0) && !c.Walls && in.Hit.IsZero() &&
		in.Obstacle.IsZero() {
		err = &backend.ArgumentError{Op: op, Argument: "hit and obstacle", Value: "none",
			Allowed: "at least one of them, because collisions count and the borders are not walls"}
	}
	return err
}

// checkAction refuses actions of another length. Without channels they are not read.
func checkAction(op string, a exec.Array[float32], device backend.Device, n int) error {
	if n > 0 {
		return a.Check(op, "action", device, n)
	}
	if a.IsZero() {
		return nil
	}
	return &backend.ArgumentError{Op: op, Argument: "action", Value: "an array",
		Allowed: "none, because channels is 0"}
}

// checkOptional refuses an array that is on another device or of another length, or missing where it is needed.
func checkOptional[T kernel.Element](op, name string, a exec.Array[T], device backend.Device, n int,
	needed bool) error {
	if a.IsZero() && !needed {
		return nil
	}
	return a.Check(op, name, device, n)
}

// named names the arrays, for warnings about a later Bind (R97).
func (in Inputs) named() []exec.Input {
	return []exec.Input{exec.InputOf("s", in.S), exec.InputOf("checkpoint_passed", in.CheckpointPassed),
		exec.InputOf("action", in.Action), exec.InputOf("n", in.N), exec.InputOf("out_of_bounds", in.OutOfBounds),
		exec.InputOf("distance", in.Distance), exec.InputOf("hit", in.Hit), exec.InputOf("obstacle", in.Obstacle),
		exec.InputOf("velocity", in.Velocity)}
}

// has returns the bits of the optional inputs that there are.
func (in Inputs) has() (bits int32) {
	for _, input := range [...]struct {
		bit    int32
		absent bool
	}{
		{reward.HasN, in.N.IsZero()}, {reward.HasOutOfBounds, in.OutOfBounds.IsZero()},
		{reward.HasDistance, in.Distance.IsZero()}, {reward.HasHit, in.Hit.IsZero()},
		{reward.HasObstacle, in.Obstacle.IsZero()}, {reward.HasVelocity, in.Velocity.IsZero()},
	} {
		if !input.absent {
			bits |= input.bit
		}
	}
	return bits
}

// absent holds what kernels are given for inputs that there are not, and do not read.
type absent struct {
	floats   exec.Array[float32]
	integers exec.Array[int32]
	vectors  exec.Array[kernel.Vec3]
}

// newAbsent allocates one element of each type.
func newAbsent(device backend.Device) (a absent, err error) {
	var failed [3]error
	a.floats, failed[0] = exec.NewArray[float32](device, 1)
	a.integers, failed[1] = exec.NewArray[int32](device, 1)
	a.vectors, failed[2] = exec.NewArray[kernel.Vec3](device, 1)
	return a, errors.Join(failed[:]...)
}

// complete returns the inputs with other arrays in the place of those that there are not.
func (a absent) complete(in Inputs) Inputs {
	for _, array := range []*exec.Array[float32]{&in.Action, &in.N, &in.Distance} {
		*array = or(*array, a.floats)
	}
	for _, array := range []*exec.Array[int32]{&in.CheckpointPassed, &in.OutOfBounds, &in.Hit, &in.Obstacle} {
		*array = or(*array, a.integers)
	}
	in.Velocity = or(in.Velocity, a.vectors)
	return in
}

// or returns an array, or another one if it is zero.
func or[T kernel.Element](a, other exec.Array[T]) exec.Array[T] {
	if a.IsZero() {
		return other
	}
	return a
}

// Close releases the memory.
func (a absent) Close() error {
	return errors.Join(a.floats.Close(), a.integers.Close(), a.vectors.Close())
}
