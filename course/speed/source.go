package speed

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Source is the part of a batch of closed lines, in device memory, for which profiles are computed. All arrays of
// points have the same stride.
type Source struct {
	Center exec.Array[kernel.Vec3] // [E, N_max]; not used if there is a Curvature
	Arclen exec.Array[float32]     // [E, N_max]
	Length exec.Array[float32]     // [E]
	Count  exec.Array[int32]       // [E]

	// Curvature takes the place of the one that a refresh measures on Center, with Config.Window: [E, N_max] in 1/length,
	// of which NaN means straight. It may be the zero array.
	Curvature exec.Array[float32]
}

// SourceOf returns the arrays of a batch of tracks. A nil batch has none.
func SourceOf(t *track.Track) Source {
	if t == nil {
		return Source{}
	}
	return Source{Center: t.Center, Arclen: t.Arclen, Length: t.Length, Count: t.Count}
}

// SourceOfLine returns the arrays of a batch of course lines. A nil batch has none.
func SourceOfLine(l *line.Line) Source {
	if l == nil {
		return Source{}
	}
	return Source{Center: l.Center, Arclen: l.Arclen, Length: l.Length, Count: l.Count}
}

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device, envs int) error {
	n := s.Arclen.Len()
	if n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "arclen length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	if err := s.checkBends(op, device, n); err != nil {
		return err
	}
	if err := s.Arclen.Check(op, trackInputs.arclen, device, n); err != nil {
		return err
	}
	if err := s.Length.Check(op, trackInputs.length, device, envs); err != nil {
		return err
	}
	return s.Count.Check(op, trackInputs.count, device, envs)
}

// checkBends refuses wrong arrays of what gives the curvature.
func (s Source) checkBends(op string, device backend.Device, points int) error {
	if s.Curvature.IsZero() {
		return s.Center.Check(op, trackInputs.center, device, points)
	}
	return s.Curvature.Check(op, CurvatureOutput, device, points)
}
