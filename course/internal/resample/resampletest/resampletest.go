// Package resampletest resamples closed lines in plain Go, one after the other, as docs/spec/course.md says: for tests
// of checkpoints and props.
package resampletest

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel"
)

// Scan is the measurement of a closed line (C-50).
type Scan struct {
	Cumulative []float32 // length before each point
	Items      int
	Truncated  bool
	Step       float32
}

// ScanOf measures a line, which gets at most most items.
func ScanOf(line []kernel.Vec3, spacing float32, most int) Scan {
	s := Scan{Step: kernel.NaN()}
	if len(line) < 3 {
		return s
	}
	length := float32(0)
	for i, p := range line {
		s.Cumulative = append(s.Cumulative, length)
		length += chord(p, line[(i+1)%len(line)])
	}
	// float64 holds the quotient of two float32 with their rounding, so that the nearest integer is exact.
	number := math.Round(float64(length / spacing))
	switch {
	case number > float64(most):
		s.Items, s.Truncated = most, true
	case number >= 3:
		s.Items = int(number)
	default:
		s.Items = 3
	}
	s.Step = length / float32(s.Items)
	return s
}

func chord(a, b kernel.Vec3) float32 { return b.Sub(a).Len() }

// At returns the segment of item k of a line, and its part of the way along it (C-51).
func (s Scan) At(k int) (segment int, part float32) {
	target := float32(float32(k) * s.Step)
	for i, c := range s.Cumulative {
		if c <= target {
			segment = i
		}
	}
	end := float32(s.Step * float32(s.Items))
	if segment+1 < len(s.Cumulative) {
		end = s.Cumulative[segment+1]
	}
	if d := end - s.Cumulative[segment]; d > 1e-12 {
		part = min(max((target-s.Cumulative[segment])/d, 0), 1)
	}
	return segment, part
}

// PointAt returns the point of a line at a part of the way along a segment.
func PointAt(line []kernel.Vec3, segment int, part float32) kernel.Vec3 {
	a, b := line[segment], line[(segment+1)%len(line)]
	return kernel.V3(a.X+float32((b.X-a.X)*part), a.Y+float32((b.Y-a.Y)*part), a.Z+float32((b.Z-a.Z)*part))
}

// Nowhere is the position of an item that does not exist.
func Nowhere() kernel.Vec3 { return kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN()) }

// Lines are closed lines that are hard to resample: repeated points, segments shorter than any step, vertical
// segments, lengths that are whole numbers of a step of 1, lines without an area or a length, lines of few points, and
// one whose last segment does not end on its first point, because of rounding.
func Lines() [][]kernel.Vec3 {
	square := []kernel.Vec3{{}, {X: 2}, {X: 2, Y: 2}, {Y: 2}}
	circle := make([]kernel.Vec3, 60)
	for i := range circle {
		angle := 2 * math.Pi * float64(i) / float64(len(circle))
		circle[i] = kernel.V3(float32(2*math.Cos(angle)), float32(math.Sin(angle)), float32(math.Sin(3*angle)))
	}
	return [][]kernel.Vec3{
		square, circle, nil, square[:1], square[:2], square[:3],
		{{}, {}, {X: 2}, {X: 2}, {X: 2}, {X: 2, Y: 2}, {Y: 2}, {Y: 2}},
		{{}, {X: 1e-13}, {X: 1}, {X: 1, Z: 3}, {X: 1, Y: 1, Z: 3}, {Y: 1}},
		{{X: 1}, {X: 1}, {X: 1}},
		{{X: 1e6}, {X: 1e6 + 1}, {X: 1e6, Y: 1}},
		{{}, {X: 0.5}, {X: 0.5, Y: 0.5}, {Y: 0.5}},
		{{}, {X: 7.25}, {Y: 3}},
		{{}, {X: 400}, {X: 400, Y: 3}, {X: 1}},
		{{}, {X: 4e-13}, {X: 4e-13, Y: 4e-13}},
		{{X: 0.1}, {X: 300, Y: 77.7}, {X: 33.3, Y: 1234.5}},
	}
}

// Tracks are closed lines as the centrelines of tracks, each row filled up with NaN.
type Tracks struct {
	Outer, Center, Inner []kernel.Vec3
	Count, Valid         []int32
}

// TracksOf returns tracks with the given centrelines. The inner border is a bit lower and the outer one a bit larger.
func TracksOf(lines [][]kernel.Vec3) (t Tracks) {
	longest := 1
	for _, line := range lines {
		longest = max(longest, len(line))
	}
	for _, line := range lines {
		for i := range longest {
			p := Nowhere()
			if i < len(line) {
				p = line[i]
			}
			t.Outer, t.Center, t.Inner = append(t.Outer, Outer(p)), append(t.Center, p), append(t.Inner, Inner(p))
		}
		t.Count, t.Valid = append(t.Count, int32(len(line))), append(t.Valid, 1)
	}
	return t
}

// Outer returns the point of the outer border beside a point of a centreline.
func Outer(p kernel.Vec3) kernel.Vec3 { return p.Scale(1.25) }

// Inner returns the point of the inner border beside a point of a centreline.
func Inner(p kernel.Vec3) kernel.Vec3 { return p.Add(kernel.V3(0, 0, -0.5)) }

// Moved returns lines at another place and with other sizes.
func Moved(lines [][]kernel.Vec3) [][]kernel.Vec3 {
	var list [][]kernel.Vec3
	for _, line := range lines {
		other := make([]kernel.Vec3, len(line))
		for i, p := range line {
			other[i] = p.Scale(1.5).Add(kernel.V3(3, 1, 2))
		}
		list = append(list, other)
	}
	return list
}
