package collision

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Source is the part of a batch of tracks, in device memory, with whose borders boxes collide. All points have the same
// stride.
type Source struct {
	Outer, Center, Inner exec.Array[kernel.Vec3] // [E*N_max]
	Count                exec.Array[int32]       // [E]; a track of fewer than 3 points has no borders
}

// SourceOf returns the arrays of a batch of tracks. A nil batch has none.
func SourceOf(t *track.Track) Source {
	if t == nil {
		return Source{}
	}
	return Source{Outer: t.Outer, Center: t.Center, Inner: t.Inner, Count: t.Count}
}

// Names of the inputs of stages, which are columns of tracks.
const (
	outerInput  = "outer"
	centerInput = "center"
	innerInput  = "inner"
	countInput  = "count"
)

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device) error {
	envs := s.Count.Len()
	if envs == 0 {
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "without arrays",
			Allowed: "the arrays of a batch of tracks, as SourceOf returns them"}
	}
	if err := checkRows(op, outerInput, s.Outer, envs); err != nil {
		return err
	}
	points := s.Outer.Len()
	return errors.Join(s.Outer.Check(op, outerInput, device, points), s.Center.Check(op, centerInput, device, points),
		s.Inner.Check(op, innerInput, device, points), s.Count.Check(op, countInput, device, envs))
}
