package pipeline

import "github.com/trackgen-go/trackgen/exec"

// NestedOptions say what the parts of a stage work on. The zero value is what the stage itself works on.
type NestedOptions struct {
	// Active is the list of envs; nil is Active of the outer builder.
	Active *List
	// Seed holds the effective seeds that the parts draw from; the zero array is Seed of the outer builder.
	Seed exec.Array[int32]
	// Apart keeps the names of outputs to the parts: several builders can have outputs of one name, and what they share is
	// given to each with Provide. Otherwise their outputs are outputs of the outer builder's program.
	Apart bool
}

// Nested returns a builder for stages that are parts of the stage that is being built with b. Its Build makes a program of
// them, whose memory belongs to the outer producer: there is no need to close it. The outer stage emits the parts with
// Enqueue, or with EnqueueEnvs for those envs of a list of its own, any number of times.
//
// The class of the outer stage is at least that of each part: another part does not build. A part that launches on the
// current stream or works on the host has no place in a conditional (R40): see Program.RunnerOptions.
func Nested(b exec.Builder, options NestedOptions) (*Builder, error) {
	const op = "nested builder"
	if b == nil {
		return nil, errBuilder(op, b)
	}
	n := &Builder{outer: b, device: b.Device(), envs: b.Envs(), seed: options.Seed, list: options.Active, apart: options.Apart}
	var err error
	if n.list == nil {
		if n.list, err = Active(b); err != nil {
			return nil, err
		}
	}
	if n.seed.IsZero() {
		n.seed = b.Seed()
	} else if err := n.seed.Check(op, "Seed", n.device, n.envs); err != nil {
		return nil, err
	}
	if outer, ok := own(b); ok && !options.Apart {
		n.arrays = outer.arrays
	} else {
		n.arrays = make(map[string]any)
	}
	return n, nil
}
