package vehicle

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/seeds"
)

// Source has the seeds and the epochs, in device memory, by which envs draw their parameters and start speeds. They are
// read at each reset, so that an env whose epoch has advanced draws others. Without arrays, a Simulator has seeds of
// its own, from Config.Seed on, and each reset after New begins the next epoch of its envs.
type Source struct {
	Seed, Epoch exec.Array[int32] // [E]
}

// SourceOf returns the arrays of the seeds of a generator or a course. A nil state has none.
func SourceOf(s *seeds.State) Source {
	if s == nil {
		return Source{}
	}
	return Source{Seed: s.Seed(), Epoch: s.Epoch()}
}

// isNone reports whether a source has no arrays.
func (s Source) isNone() bool { return s.Seed.IsZero() && s.Epoch.IsZero() }

// check refuses a source with one array, and arrays on another device or of another length.
func (s Source) check(op string, device backend.Device, envs int) error {
	if s.isNone() {
		return nil
	}
	return errors.Join(s.Seed.Check(op, "seed", device, envs), s.Epoch.Check(op, "epoch", device, envs))
}
