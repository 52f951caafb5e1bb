package collision

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// DiscSource has the discs, in device memory, against which boxes are tested: either Discs, with or without Count, or
// the posts of gates, of which a refresh makes discs.
type DiscSource struct {
	Envs int // E; 0 is the length of Count

	// Discs are the middles of the discs [E*D], in track units; z does not count. A disc with a NaN is none.
	Discs exec.Array[kernel.Vec3]
	// Count is how many discs of each env are real [E]; those after them are padding. Without it, all are real.
	Count exec.Array[int32]

	Left, Right exec.Array[kernel.Vec3] // [E*G_max] posts of gates
}

// PostsOf returns the posts of gates as discs (C-105): disc 2i is the left post of gate i, and disc 2i+1 its right
// post. A nil sequence has none.
func PostsOf(s *gate.Sequence) DiscSource {
	if s == nil {
		return DiscSource{}
	}
	return DiscSource{Envs: s.Envs, Left: s.Left, Right: s.Right}
}

// posts reports whether the discs are the posts of gates.
func (s DiscSource) posts() bool { return !s.Left.IsZero() || !s.Right.IsZero() }

// envs returns the number of envs.
func (s DiscSource) envs() int {
	if s.Envs == 0 {
		return s.Count.Len()
	}
	return s.Envs
}

// perEnv returns the number of discs per env, D.
func (s DiscSource) perEnv() int {
	if s.posts() {
		return 2 * s.Left.Len() / s.envs()
	}
	return s.Discs.Len() / s.envs()
}

// check refuses arrays that are missing, belong to another device, or do not fit together.
func (s DiscSource) check(op string, device backend.Device) error {
	envs := s.envs()
	switch {
	case envs < 1:
		return &backend.ArgumentError{Op: op, Argument: "envs", Value: s.Envs, Allowed: "1 or more, or 0 with a count"}
	case s.posts() && (!s.Discs.IsZero() || !s.Count.IsZero()):
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "discs and posts", Allowed: "one of the two"}
	case s.posts():
		return checkPosts(op, device, s.Left, s.Right, envs)
	}
	if err := checkRows(op, "discs", s.Discs, envs); err != nil {
		return err
	}
	if err := s.Discs.Check(op, "discs", device, s.Discs.Len()); err != nil {
		return err
	}
	if s.Count.IsZero() {
		return nil
	}
	return s.Count.Check(op, "count", device, envs)
}

// checkPosts refuses posts that do not fit together.
func checkPosts(op string, device backend.Device, left, right exec.Array[kernel.Vec3], envs int) error {
	if err := checkRows(op, leftInput, left, envs); err != nil {
		return err
	}
	if left.Len() > exec.MaxElements/2 {
		return &backend.ArgumentError{Op: op, Argument: leftInput + " length", Value: left.Len(),
			Allowed: fmt.Sprintf("at most %d", exec.MaxElements/2)}
	}
	return errors.Join(left.Check(op, leftInput, device, left.Len()), right.Check(op, rightInput, device, left.Len()))
}

// checkRows refuses an array that has no elements, or not the same number for each env.
func checkRows[T kernel.Element](op, name string, array exec.Array[T], envs int) error {
	if n := array.Len(); n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: name + " length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	return nil
}
