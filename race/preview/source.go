package preview

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/preview"
	"github.com/trackgen-go/trackgen/track"
)

// Source is the part of a batch of closed lines, in device memory, that agents see. All arrays of points have the same
// stride.
type Source struct {
	Center exec.Array[kernel.Vec3] // [E, N_max]
	Arclen exec.Array[float32]     // [E, N_max]
	Length exec.Array[float32]     // [E]
	Count  exec.Array[int32]       // [E]

	// Outer and Inner are the borders [E, N_max], and Winding says which is which [E]: outer is to the right if it is not
	// below 0. They may be zero arrays, all three; then there are no channels of borders.
	Outer, Inner exec.Array[kernel.Vec3]
	Winding      exec.Array[float32]

	// Curvature takes the place of the one that a refresh measures on Center, with Config.CurvatureWindow: [E, N_max] in
	// 1/length. It may be the zero array.
	Curvature exec.Array[float32]
	// Speed is a profile of speeds [E, N_max], such as that of package course/speed. It may be the zero array; then there
	// is no channel of speeds.
	Speed exec.Array[float32]
}

// SourceOf returns the arrays of a batch of tracks. A nil batch has none.
func SourceOf(t *track.Track) Source {
	if t == nil {
		return Source{}
	}
	return Source{Center: t.Center, Arclen: t.Arclen, Length: t.Length, Count: t.Count, Outer: t.Outer, Inner: t.Inner,
		Winding: t.Winding}
}

// SourceOfLine returns the arrays of a batch of course lines, which have no borders. A nil batch has none.
func SourceOfLine(l *line.Line) Source {
	if l == nil {
		return Source{}
	}
	return Source{Center: l.Center, Arclen: l.Arclen, Length: l.Length, Count: l.Count}
}

// borders reports whether the source has borders.
func (s Source) borders() bool { return !s.Outer.IsZero() || !s.Inner.IsZero() || !s.Winding.IsZero() }

// check refuses arrays that are missing, belong to another device, or do not have the lengths of a batch of envs, and
// lines with a table that is longer than an array may be.
func (s Source) check(op string, device backend.Device, envs int) error {
	n := s.Center.Len()
	if n == 0 || n%envs != 0 {
		return &backend.ArgumentError{Op: op, Argument: "center length", Value: n,
			Allowed: fmt.Sprintf("a multiple of %d, the number of envs, above 0", envs)}
	}
	// The table has the number of points as a float.
	most := min((int64(exec.MaxElements)/int64(envs)-int64(preview.Size(0)))/preview.Quats, 1<<24)
	if points := int64(n / envs); points > most {
		return &backend.ArgumentError{Op: op, Argument: "center length", Value: n,
			Allowed: fmt.Sprintf("at most %d, for which there is room in a table", most*int64(envs))}
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
	if err := s.Count.Check(op, countInput, device, envs); err != nil {
		return err
	}
	return s.checkOptional(op, device, envs, n)
}

// checkOptional refuses optional arrays of another device or length, and borders of which a part is missing.
func (s Source) checkOptional(op string, device backend.Device, envs, points int) error {
	if s.borders() {
		if err := s.Outer.Check(op, outerInput, device, points); err != nil {
			return err
		}
		if err := s.Inner.Check(op, innerInput, device, points); err != nil {
			return err
		}
		if err := s.Winding.Check(op, windingInput, device, envs); err != nil {
			return err
		}
	}
	if !s.Curvature.IsZero() {
		if err := s.Curvature.Check(op, "curvature", device, points); err != nil {
			return err
		}
	}
	if s.Speed.IsZero() {
		return nil
	}
	return s.Speed.Check(op, speedInput, device, points)
}
