package line

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// Source is the part of a batch of gate courses, in device memory, that lines are drawn from.
type Source struct {
	Position     exec.Array[kernel.Vec3] // [E, G_max]
	Count, Valid exec.Array[int32]       // [E]
}

// SourceOf returns the arrays of a batch of gate courses. A nil batch has none.
func SourceOf(s *gate.Sequence) Source {
	if s == nil {
		return Source{}
	}
	return Source{Position: s.Position, Count: s.Count, Valid: s.Valid}
}

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device, envs int) error {
	n := s.Position.Len()
	if n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "position length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	if err := s.Position.Check(op, positionInput, device, n); err != nil {
		return err
	}
	if err := s.Count.Check(op, countInput, device, envs); err != nil {
		return err
	}
	return s.Valid.Check(op, validInput, device, envs)
}
