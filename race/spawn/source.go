package spawn

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/seeds"
	"github.com/trackgen-go/trackgen/track"
)

// Source is what a spawner needs of a batch of closed lines, in device memory. All arrays of points have the same
// stride.
type Source struct {
	Center exec.Array[kernel.Vec3] // [E, N_max]
	Arclen exec.Array[float32]     // [E, N_max]
	Length exec.Array[float32]     // [E]
	Count  exec.Array[int32]       // [E]

	// WidthRight and WidthLeft are the widths of the road at each point [E, N_max]. Without them, there is the room of
	// Config.Corridor.
	WidthRight, WidthLeft exec.Array[float32]

	// Seed and Epoch [E] are those by which envs draw. They are read at each spawn, so that an env whose epoch has
	// advanced draws other numbers. Without them, a Spawner has seeds of its own, from Config.Seed on, and each spawn
	// begins the next epoch of its envs.
	Seed, Epoch exec.Array[int32]
}

// SourceOf returns the arrays of a batch of tracks. A nil batch has none.
func SourceOf(t *track.Track) Source {
	if t == nil {
		return Source{}
	}
	return Source{Center: t.Center, Arclen: t.Arclen, Length: t.Length, Count: t.Count, WidthRight: t.WidthRight,
		WidthLeft: t.WidthLeft}
}

// SourceOfLine returns the arrays of a batch of course lines, which have no widths. A nil batch has none.
func SourceOfLine(l *line.Line) Source {
	if l == nil {
		return Source{}
	}
	return Source{Center: l.Center, Arclen: l.Arclen, Length: l.Length, Count: l.Count}
}

// WithSeeds returns the source with the seeds and the epochs of a generator or a course. A nil state has none.
func (s Source) WithSeeds(state *seeds.State) Source {
	if state != nil {
		s.Seed, s.Epoch = state.Seed(), state.Epoch()
	}
	return s
}

// envs returns the number of envs.
func (s Source) envs() int { return s.Count.Len() }

// hasSeeds reports whether there are seeds or epochs.
func (s Source) hasSeeds() bool { return !s.Seed.IsZero() || !s.Epoch.IsZero() }

// hasWidths reports whether there are widths.
func (s Source) hasWidths() bool { return !s.WidthRight.IsZero() || !s.WidthLeft.IsZero() }

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs.
func (s Source) check(op string, device backend.Device) error {
	envs, n := s.envs(), s.Center.Len()
	if envs == 0 {
		return &backend.ArgumentError{Op: op, Argument: "count", Value: "none", Allowed: "an array with one number per env"}
	}
	if n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "center length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	err := errors.Join(s.Center.Check(op, "center", device, n), s.Arclen.Check(op, "arclen", device, n),
		s.Length.Check(op, "length", device, envs), s.Count.Check(op, "count", device, envs))
	if s.hasWidths() {
		err = errors.Join(err, s.WidthRight.Check(op, "width_right", device, n),
			s.WidthLeft.Check(op, "width_left", device, n))
	}
	if s.hasSeeds() {
		err = errors.Join(err, s.Seed.Check(op, "seed", device, envs), s.Epoch.Check(op, "epoch", device, envs))
	}
	return err
}
