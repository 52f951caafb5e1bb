package rangefinder

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/borders"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/track"
)

// Source has what beams can hit, in device memory. What is a zero value is not there.
type Source struct {
	Envs int // E; 0 is that of Borders, Frames or Seed

	// Borders are walls, of which a refresh makes an index.
	Borders collision.BorderSource
	// Checker has the index of a checker of the same borders, in the place of Borders. Who refreshes the checker refreshes
	// these walls.
	Checker collision.BorderArrays

	// Discs are the middles of discs [E*D]; a disc with a NaN is none. Count is how many of each env are real [E];
	// without it, all are.
	Discs exec.Array[kernel.Vec3]
	Count exec.Array[int32]
	// Left and Right are posts of gates [E*G_max], in the place of Discs. A refresh makes discs of them.
	Left, Right exec.Array[kernel.Vec3]
	// Frames are gates whose frames beams hit.
	Frames collision.FrameSource

	// Seed and Epoch are the keys of the noise [E], such as those of tracks. Without them, the seeds are those of Config.
	Seed, Epoch exec.Array[int32]
}

// SourceOf returns the borders, seeds and epochs of a batch of tracks. A nil batch has none.
func SourceOf(t *track.Track) Source {
	if t == nil {
		return Source{}
	}
	s := Source{Envs: t.Count.Len(), Borders: collision.BordersOf(t)}
	if !t.Seed.IsZero() && !t.Epoch.IsZero() {
		s.Seed, s.Epoch = t.Seed, t.Epoch
	}
	return s
}

// SourceOfPosts returns the posts of a batch of gate courses, with its seeds and epochs. A nil sequence has none.
func SourceOfPosts(s *gate.Sequence) Source {
	if s == nil {
		return Source{}
	}
	return Source{Envs: s.Envs, Left: s.Left, Right: s.Right, Seed: s.Seed, Epoch: s.Epoch}
}

// SourceOfFrames returns the frames of a batch of gate courses, with its seeds and epochs. A nil sequence has none.
func SourceOfFrames(s *gate.Sequence) Source {
	if s == nil {
		return Source{}
	}
	return Source{Envs: s.Envs, Frames: collision.FramesOf(s), Seed: s.Seed, Epoch: s.Epoch}
}

// envs returns the number of envs.
func (s Source) envs() int {
	return max(s.Envs, s.Borders.Count.Len(), s.Frames.Count.Len(), s.Seed.Len())
}

func (s Source) hasBorders() bool { return !s.Borders.Count.IsZero() }
func (s Source) isShared() bool   { return !s.Checker.Index.IsZero() }
func (s Source) hasPosts() bool   { return !s.Left.IsZero() || !s.Right.IsZero() }
func (s Source) hasDiscs() bool   { return !s.Discs.IsZero() }
func (s Source) hasFrames() bool  { return !s.Frames.Count.IsZero() }

// discsPerEnv returns the number of discs per env, D.
func (s Source) discsPerEnv() int {
	if s.hasPosts() {
		return 2 * s.Left.Len() / s.envs()
	}
	return s.Discs.Len() / s.envs()
}

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device) error {
	envs := s.envs()
	if envs < 1 || s.Envs < 0 {
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "without envs",
			Allowed: "the arrays of a batch of tracks or gates, as SourceOf returns them, or a number of envs"}
	}
	if s.hasBorders() && s.isShared() {
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "borders and a checker", Allowed: "one of the two"}
	}
	if s.hasDiscs() && s.hasPosts() {
		return &backend.ArgumentError{Op: op, Argument: "source", Value: "discs and posts", Allowed: "one of the two"}
	}
	return errors.Join(s.checkWalls(op, device, envs), s.checkDiscs(op, device, envs), s.checkFrames(op, device, envs),
		s.checkSeeds(op, device, envs))
}

// rows refuses an array whose length is no multiple of the number of envs.
func rows[T kernel.Element](op, name string, a exec.Array[T], device backend.Device, envs int) error {
	if n := a.Len(); n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: name + " length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	return a.Check(op, name, device, a.Len())
}

func (s Source) checkWalls(op string, device backend.Device, envs int) error {
	if s.isShared() {
		if s.Checker.MaxPoints < 1 {
			return &backend.ArgumentError{Op: op, Argument: "max_points of the checker", Value: s.Checker.MaxPoints,
				Allowed: "1 or more"}
		}
		return s.Checker.Index.Check(op, "index of the checker", device,
			envs*borders.Lines*int(polyline.Size(s.Checker.MaxPoints)))
	}
	if !s.hasBorders() {
		return nil
	}
	if err := rows(op, "center", s.Borders.Center, device, envs); err != nil {
		return err
	}
	n := s.Borders.Center.Len()
	return errors.Join(s.Borders.Outer.Check(op, "outer", device, n), s.Borders.Inner.Check(op, "inner", device, n),
		s.Borders.Count.Check(op, "count", device, envs))
}

func (s Source) checkDiscs(op string, device backend.Device, envs int) error {
	if s.hasPosts() {
		if err := rows(op, "left", s.Left, device, envs); err != nil {
			return err
		}
		return s.Right.Check(op, "right", device, s.Left.Len())
	}
	if !s.hasDiscs() {
		return nil
	}
	if err := rows(op, "discs", s.Discs, device, envs); err != nil || s.Count.IsZero() {
		return err
	}
	return s.Count.Check(op, "count of discs", device, envs)
}

func (s Source) checkFrames(op string, device backend.Device, envs int) error {
	if !s.hasFrames() {
		return nil
	}
	f := s.Frames
	if err := rows(op, "position of gates", f.Position, device, envs); err != nil {
		return err
	}
	n := f.Position.Len()
	return errors.Join(f.Orientation.Check(op, "orientation of gates", device, n),
		f.HalfSize.Check(op, "half_size", device, n), f.Count.Check(op, "count of gates", device, envs),
		f.Valid.Check(op, "valid", device, envs))
}

func (s Source) checkSeeds(op string, device backend.Device, envs int) error {
	if s.Seed.IsZero() && s.Epoch.IsZero() {
		return nil
	}
	return errors.Join(s.Seed.Check(op, "seed", device, envs), s.Epoch.Check(op, "epoch", device, envs))
}
