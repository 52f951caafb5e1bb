package reward

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
)

// Source is what a judge needs of a batch of closed lines, in device memory.
type Source struct {
	Length exec.Array[float32] // [E]
}

// SourceOf returns the arrays of a batch of tracks. A nil batch has none.
func SourceOf(t *track.Track) Source {
	if t == nil {
		return Source{}
	}
	return Source{Length: t.Length}
}

// SourceOfLine returns the arrays of a batch of course lines. A nil batch has none.
func SourceOfLine(l *line.Line) Source {
	if l == nil {
		return Source{}
	}
	return Source{Length: l.Length}
}

// check refuses a source without envs, and arrays of another device.
func (s Source) check(op string, device backend.Device) error {
	if s.Length.IsZero() {
		return &backend.ArgumentError{Op: op, Argument: "length", Value: "none", Allowed: "an array with one number per env"}
	}
	return s.Length.Check(op, "length", device, s.Length.Len())
}
