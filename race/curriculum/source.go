package curriculum

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/seeds"
)

// Source are the seeds and epochs of the envs, in device memory [E]. A Curriculum reads both at each choice, and
// writes the epochs.
type Source struct {
	Seed, Epoch exec.Array[int32]
}

// SourceOf returns the arrays of the state of a generator or of a course. A nil state has none.
func SourceOf(state *seeds.State) Source {
	if state == nil {
		return Source{}
	}
	return Source{Seed: state.Seed(), Epoch: state.Epoch()}
}

// check refuses arrays that are missing, belong to another device, or do not have one element for each env.
func (s Source) check(op string, device backend.Device, envs int) error {
	return errors.Join(s.Seed.Check(op, "seed", device, envs), s.Epoch.Check(op, "epoch", device, envs))
}
