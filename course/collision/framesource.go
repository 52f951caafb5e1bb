package collision

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// FrameSource is the part of a batch of gate courses, in device memory, that frames stand on.
type FrameSource struct {
	Position    exec.Array[kernel.Vec3] // [E*G_max] middles of the openings
	Orientation exec.Array[kernel.Quat] // [E*G_max]
	HalfSize    exec.Array[float32]     // [E*G_max] half the width of the openings, which are squares
	Count       exec.Array[int32]       // [E]
	Valid       exec.Array[int32]       // [E] an env with 0 has no frames
}

// FramesOf returns the arrays of a batch of gate courses. A nil sequence has none.
func FramesOf(s *gate.Sequence) FrameSource {
	if s == nil {
		return FrameSource{}
	}
	return FrameSource{Position: s.Position, Orientation: s.Orientation, HalfSize: s.HalfSize, Count: s.Count,
		Valid: s.Valid}
}

// check refuses arrays that are missing, belong to another device, or do not fit together.
func (s FrameSource) check(op string, device backend.Device) error {
	envs := s.Count.Len()
	if envs == 0 {
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "without arrays",
			Allowed: "the arrays of a batch of gate courses, as FramesOf returns them"}
	}
	if err := checkRows(op, "position of gates", s.Position, envs); err != nil {
		return err
	}
	gates := s.Position.Len()
	return errors.Join(
		s.Position.Check(op, "position of gates", device, gates),
		s.Orientation.Check(op, "orientation of gates", device, gates),
		s.HalfSize.Check(op, "half_size", device, gates),
		s.Count.Check(op, "count", device, envs), s.Valid.Check(op, "valid", device, envs))
}
