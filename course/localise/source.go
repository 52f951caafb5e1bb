package localise

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Source is the part of a batch of closed lines, in device memory, on which agents are located. All arrays of points
// have the same stride.
type Source struct {
	Center exec.Array[kernel.Vec3] // [E, N_max]
	Arclen exec.Array[float32]     // [E, N_max]
	Length exec.Array[float32]     // [E]
	Count  exec.Array[int32]       // [E]
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

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs, and
// lines with an index that is longer than an array may be.
func (s Source) check(op string, device backend.Device, envs int) error {
	n := s.Center.Len()
	if n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "center length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	// An index has less than 3 elements for each point, and a few for each line.
	if most := (int64(exec.MaxElements)/int64(envs) - 8) / 3 * int64(envs); int64(n) > most {
		return &backend.ArgumentError{Op: op, Argument: "center length", Value: n,
			Allowed: fmt.Sprintf("at most %d, for which there is room in an index", most)}
	}
	if err := s.Center.Check(op, centerInput, device, n); err != nil {
		return err
	}
	if err := s.Arclen.Check(op, arclenInput, device, n); err != nil {
		return err
	}
	if err := s.Length.Check(op, lengthInput, device, envs); err != nil {
		return err
	}
	return s.Count.Check(op, countInput, device, envs)
}
