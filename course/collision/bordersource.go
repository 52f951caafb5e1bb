package collision

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Names of the inputs of BordersStage, which are columns of tracks.
const (
	outerInput  = "outer"
	centerInput = "center"
	innerInput  = "inner"
	countInput  = "count"
)

// BorderSource is the part of a batch of tracks, in device memory, against which boxes are tested. All points have the
// same stride. Of the points of an env, the first count are real; a track of fewer than 3 is degenerate (C-4). The
// column valid does not count.
type BorderSource struct {
	Outer, Center, Inner exec.Array[kernel.Vec3] // [E, N_max]
	Count                exec.Array[int32]       // [E]
}

// BordersOf returns the arrays of a batch of tracks. A nil batch has none.
func BordersOf(t *track.Track) BorderSource {
	if t == nil {
		return BorderSource{}
	}
	return BorderSource{Outer: t.Outer, Center: t.Center, Inner: t.Inner, Count: t.Count}
}

// envs returns the number of envs.
func (s BorderSource) envs() int { return s.Count.Len() }

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s BorderSource) check(op string, device backend.Device, envs int) error {
	if envs == 0 {
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "without arrays",
			Allowed: "the arrays of a batch of tracks, as BordersOf returns them"}
	}
	points := s.Center.Len()
	if points == 0 || points%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "center length", Value: points,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	return errors.Join(
		s.Center.Check(op, centerInput, device, points), s.Outer.Check(op, outerInput, device, points),
		s.Inner.Check(op, innerInput, device, points), s.Count.Check(op, countInput, device, envs))
}
