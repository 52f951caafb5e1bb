package raceline

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Source is the part of a batch of tracks, in device memory, that racing lines are found in. All arrays of points have
// the same stride.
type Source struct {
	Center, Normal        exec.Array[kernel.Vec3] // [E, N_max]
	WidthRight, WidthLeft exec.Array[float32]     // [E, N_max]
	Count                 exec.Array[int32]       // [E]
}

// SourceOf returns the arrays of a batch of tracks. A nil batch has none.
func SourceOf(t *track.Track) Source {
	if t == nil {
		return Source{}
	}
	return Source{Center: t.Center, Normal: t.Normal, WidthRight: t.WidthRight, WidthLeft: t.WidthLeft, Count: t.Count}
}

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device, envs int) error {
	n := s.Center.Len()
	if n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "center length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	if err := s.Center.Check(op, centerInput, device, n); err != nil {
		return err
	}
	if err := s.Normal.Check(op, normalInput, device, n); err != nil {
		return err
	}
	if err := s.WidthRight.Check(op, widthRightInput, device, n); err != nil {
		return err
	}
	if err := s.WidthLeft.Check(op, widthLeftInput, device, n); err != nil {
		return err
	}
	return s.Count.Check(op, countInput, device, envs)
}
