package checkpoints

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Source is the part of a batch of tracks, in device memory, that a Sampler reads. All points have the same stride.
type Source struct {
	Outer, Center, Inner exec.Array[kernel.Vec3] // [E*N_max]
	Count, Valid         exec.Array[int32]       // [E]
}

// SourceOf returns the arrays of a batch of tracks. A nil batch has none.
func SourceOf(t *track.Track) Source {
	if t == nil {
		return Source{}
	}
	return Source{Outer: t.Outer, Center: t.Center, Inner: t.Inner, Count: t.Count, Valid: t.Valid}
}

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device, envs int) error {
	points := s.Center.Len()
	switch {
	case envs == 0:
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "without arrays",
			Allowed: "the arrays of a batch of tracks, as SourceOf returns them"}
	case points == 0 || points%envs != 0:
		return &backend.ArgumentError{Op: op, Argument: "center length", Value: points,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	for _, a := range []struct {
		name  string
		array exec.Array[kernel.Vec3]
	}{{centerInput, s.Center}, {outerInput, s.Outer}, {innerInput, s.Inner}} {
		if err := a.array.Check(op, a.name, device, points); err != nil {
			return err
		}
	}
	if err := s.Count.Check(op, countInput, device, envs); err != nil {
		return err
	}
	return s.Valid.Check(op, validInput, device, envs)
}
