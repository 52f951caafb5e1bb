package difficulty

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
)

// Source is the part of a batch of tracks and of their racing lines, in device memory, that labels are made of. All
// arrays of points have the same stride.
type Source struct {
	Curvature, Arclen, Speed exec.Array[float32] // [E, N_max], of the racing lines
	Length, LapTime          exec.Array[float32] // [E], of the racing lines
	Count                    exec.Array[int32]   // [E], of the racing lines
	TrackLength              exec.Array[float32] // [E]
	WidthRight, WidthLeft    exec.Array[float32] // [E, N_max]
}

// SourceOf returns the arrays of a batch of tracks and of their racing lines. Without one of them there are none.
func SourceOf(t *track.Track, l *raceline.Line) Source {
	if t == nil || l == nil {
		return Source{}
	}
	return Source{Curvature: l.Curvature, Arclen: l.Arclen, Speed: l.Speed, Length: l.Length, LapTime: l.LapTime,
		Count: l.Count, TrackLength: t.Length, WidthRight: t.WidthRight, WidthLeft: t.WidthLeft}
}

// named are the arrays of numbers with their names and elements per env: 0 stands for those of the points.
type named struct {
	name   string
	array  exec.Array[float32]
	perEnv int
}

func (s Source) numbers() []named {
	return []named{
		{"curvature", s.Curvature, 0}, {"arclen", s.Arclen, 0}, {"speed", s.Speed, 0},
		{"length", s.Length, 1}, {"lap_time", s.LapTime, 1}, {"track_length", s.TrackLength, 1},
		{"width_right", s.WidthRight, 0}, {"width_left", s.WidthLeft, 0},
	}
}

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device, envs int) error {
	n := s.Curvature.Len()
	if n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "curvature length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	for _, a := range s.numbers() {
		length := a.perEnv * envs
		if a.perEnv == 0 {
			length = n
		}
		if err := a.array.Check(op, a.name, device, length); err != nil {
			return err
		}
	}
	return s.Count.Check(op, "count", device, envs)
}
