package flight

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Source is a batch of closed lines, in device memory, along which drones fly, with a speed for each point. All arrays
// of points have the same stride.
type Source struct {
	Center exec.Array[kernel.Vec3] // [E, N_max]
	Arclen exec.Array[float32]     // [E, N_max]
	Length exec.Array[float32]     // [E]
	Count  exec.Array[int32]       // [E]
	Speed  exec.Array[float32]     // [E, N_max], in length/time

	// Forward has the normals of the gates, [E, G_max], on a line through gates: its first point is in gate 0, and from
	// one gate to the next one it has N_max/G_max points. Then Inputs.Target says which gate comes next. It is the zero
	// array for a line without gates.
	Forward exec.Array[kernel.Vec3]
}

// SourceOf returns the centrelines of a batch of tracks, with their speed profiles. Nil batches have no arrays.
func SourceOf(t *track.Track, p *speed.Profile) Source {
	if t == nil || p == nil {
		return Source{}
	}
	return Source{Center: t.Center, Arclen: t.Arclen, Length: t.Length, Count: t.Count, Speed: p.Speed}
}

// SourceOfGates returns the lines through the gates of a batch of courses, with their speed profiles. Nil batches have
// no arrays.
func SourceOfGates(g *gate.Sequence, l *line.Line, p *speed.Profile) Source {
	if g == nil || l == nil || p == nil {
		return Source{}
	}
	return Source{Center: l.Center, Arclen: l.Arclen, Length: l.Length, Count: l.Count, Speed: p.Speed,
		Forward: g.Forward}
}

// samples returns the number of points from one gate to the next one, 0 without gates.
func (s Source) samples() int {
	if s.Forward.IsZero() {
		return 0
	}
	return s.Center.Len() / s.Forward.Len()
}

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device, envs int) error {
	n := s.Center.Len()
	if n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "center length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	if gates := s.Forward.Len(); gates > 0 && (gates%envs != 0 || n%gates != 0) {
		return &backend.ArgumentError{Op: op, Argument: "forward length", Value: gates,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, of which %d is one", envs, n)}
	}
	if !s.Forward.IsZero() {
		if err := s.Forward.Check(op, "forward", device, s.Forward.Len()); err != nil {
			return err
		}
	}
	return errors.Join(s.Center.Check(op, "center", device, n), s.Arclen.Check(op, "arclen", device, n),
		s.Length.Check(op, "length", device, envs), s.Count.Check(op, "count", device, envs),
		s.Speed.Check(op, "speed", device, n))
}

// Inputs are the arrays, in device memory, that an update reads: where the drones are. Element e*A + a is agent a of
// env e.
type Inputs struct {
	Position    exec.Array[kernel.Vec3] // [E*A] in track units; a NaN pauses the agent, which hovers
	Orientation exec.Array[kernel.Quat] // [E*A] (x, y, z, w): turns the axes of the body to those of the track
	Velocity    exec.Array[kernel.Vec3] // [E*A] in the axes of the track, in length/time

	// Segment has the segment of the line where each agent is, -1 for nowhere: [E*A], the column of that name of package
	// localise.
	Segment exec.Array[int32]
	// Target has the gate that each agent passes next, [E*A], the state of package progress; the zero array for lines
	// without gates.
	Target exec.Array[int32]
}

// named names the arrays for warnings about a later Bind (R97).
func (in Inputs) named() []exec.Input {
	return []exec.Input{exec.InputOf("position", in.Position), exec.InputOf("orientation", in.Orientation),
		exec.InputOf("velocity", in.Velocity), exec.InputOf("segment", in.Segment),
		exec.InputOf("target", in.Target)}
}

// check refuses inputs that are missing, on another device or of another length.
func (c *Controller) check(op string, device backend.Device, in Inputs) error {
	n := c.number()
	err := errors.Join(in.Position.Check(op, "position", device, n), in.Orientation.Check(op, "orientation", device, n),
		in.Velocity.Check(op, "velocity", device, n), in.Segment.Check(op, "segment", device, n))
	switch {
	case c.source.samples() > 0:
		return errors.Join(err, in.Target.Check(op, "target", device, n))
	case !in.Target.IsZero():
		return errors.Join(err, &backend.ArgumentError{Op: op, Argument: "target", Value: "an array",
			Allowed: "the zero array for lines without gates"})
	}
	return err
}
