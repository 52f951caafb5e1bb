package pursuit

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Source is a batch of closed lines, in device memory, along which cars drive, with a speed for each point. All arrays
// of points have the same stride.
type Source struct {
	Center exec.Array[kernel.Vec3] // [E, N_max]
	Arclen exec.Array[float32]     // [E, N_max]
	Length exec.Array[float32]     // [E]
	Count  exec.Array[int32]       // [E]
	Speed  exec.Array[float32]     // [E, N_max], in length/time
}

// SourceOf returns the centrelines of a batch of tracks, with their speed profiles. Nil batches have no arrays.
func SourceOf(t *track.Track, p *speed.Profile) Source {
	if t == nil || p == nil {
		return Source{}
	}
	return Source{Center: t.Center, Arclen: t.Arclen, Length: t.Length, Count: t.Count, Speed: p.Speed}
}

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device, envs int) error {
	n := s.Center.Len()
	if n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "center length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	return errors.Join(s.Center.Check(op, "center", device, n), s.Arclen.Check(op, "arclen", device, n),
		s.Length.Check(op, "length", device, envs), s.Count.Check(op, "count", device, envs),
		s.Speed.Check(op, "speed", device, n))
}

// Inputs are the arrays, in device memory, that an update reads: where the cars are. Element e*A + a is agent a of env
// e.
type Inputs struct {
	Position    exec.Array[kernel.Vec3] // [E*A] in track units; a NaN pauses the agent, whose actions become 0
	Orientation exec.Array[kernel.Quat] // [E*A] (x, y, z, w), of which the yaw counts
	Velocity    exec.Array[kernel.Vec3] // [E*A] in the axes of the track, in length/time

	// Segment has the segment of the line where each agent is, -1 for nowhere: [E*A], the column of that name of package
	// localise. That of a centreline serves for a line whose points lie abreast of its points, as those of a racing line
	// do (L-90).
	Segment exec.Array[int32]
}

// named names the arrays for warnings about a later Bind (R97).
func (in Inputs) named() []exec.Input {
	return []exec.Input{exec.InputOf("position", in.Position), exec.InputOf("orientation", in.Orientation),
		exec.InputOf("velocity", in.Velocity), exec.InputOf("segment", in.Segment)}
}

// check refuses inputs that are missing, on another device or of another length.
func (c *Controller) check(op string, device backend.Device, in Inputs) error {
	n := c.number()
	return errors.Join(in.Position.Check(op, "position", device, n), in.Orientation.Check(op, "orientation", device, n),
		in.Velocity.Check(op, "velocity", device, n), in.Segment.Check(op, "segment", device, n))
}
