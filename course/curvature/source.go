package curvature

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Source is the part of a batch of closed lines, in device memory, whose curvature is measured.
type Source struct {
	Center exec.Array[kernel.Vec3] // [E, N_max]
	Count  exec.Array[int32]       // [E]
}

// SourceOf returns the arrays of a batch of tracks. A nil batch has none.
func SourceOf(t *track.Track) Source {
	if t == nil {
		return Source{}
	}
	return Source{Center: t.Center, Count: t.Count}
}

// SourceOfLine returns the arrays of a batch of course lines. A nil batch has none.
func SourceOfLine(l *line.Line) Source {
	if l == nil {
		return Source{}
	}
	return Source{Center: l.Center, Count: l.Count}
}

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device, envs int) error {
	n := s.Center.Len()
	if n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "center length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	if err := s.Center.Check(op, "center", device, n); err != nil {
		return err
	}
	return s.Count.Check(op, "count", device, envs)
}
