package pipeline

import "github.com/trackgen-go/trackgen/exec"

// NestedOptions say what the parts of a stage work on. The zero value means the same as the stage itself.
type NestedOptions struct {
	// Active is the list of envs; nil means Active of the outer builder.
	Active *List
	// Seed holds the effective seeds of the parts; the zero array means Seed of the outer builder.
	Seed exec.Array[int32]
	// Apart keeps the names of outputs private to the parts: several builders can then have outputs of the same name, and
	// Provide passes them shared arrays. Otherwise the outputs belong to the outer builder's program.
	Apart bool
}

// Nested returns a builder for the parts of the stage that is being built with b. Its Build makes a program of them.
// The outer producer owns the program's memory, so the program need not be closed. The outer stage emits the parts with
// Enqueue, or with EnqueueEnvs for the envs of another list, any number of times.
//
// A part must not have a higher class than the outer stage; Build refuses such a part. A part that launches on the
// current stream or works on the host is not allowed in a conditional (R40): see Program.RunnerOptions.
func Nested(b exec.Builder, options NestedOptions) (*Builder, error) {
	const op = "nested builder"
	if err := checkBuilder(op, b); err != nil {
		return nil, err
	}
	n := &Builder{outer: b, device: b.Device(), envs: b.Envs(), seed: options.Seed, list: options.Active,
		apart: options.Apart}
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
