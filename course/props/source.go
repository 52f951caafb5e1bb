package props

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/internal/resample"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Source is the part of a batch of tracks, in device memory, that a Sampler reads. Of the three lines it needs the one
// along which props stand.
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

// along returns the line along which props stand.
func (s Source) along(boundary string) resample.Line {
	return resample.Line{Count: s.Count, Point: map[string]exec.Array[kernel.Vec3]{
		Outer: s.Outer, Inner: s.Inner, Center: s.Center}[boundary]}
}

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device, envs int, boundary string) error {
	line := s.along(boundary).Point
	switch points := line.Len(); {
	case envs == 0:
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "without arrays",
			Allowed: "the arrays of a batch of tracks, as SourceOf returns them"}
	case points == 0 || points%envs != 0:
		return &backend.ArgumentError{Op: op, Argument: boundary + " length", Value: points,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	if err := line.Check(op, boundary, device, line.Len()); err != nil {
		return err
	}
	if err := s.Count.Check(op, countInput, device, envs); err != nil {
		return err
	}
	return s.Valid.Check(op, validInput, device, envs)
}
