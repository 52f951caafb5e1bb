package circuit

import (
	"fmt"
	"math"
	"slices"
)

// MaxHeight is the largest height of a point, above or below zero, in metres. It covers all roads and typing errors do
// not fit in.
const MaxHeight = 1e4

// noHeight is the number that terrain models and the programs that read them usually write where they have no height.
const noHeight = -9999

// Heights reports whether the file has heights, other than 0 at every point.
func (c *File) Heights() bool { return c.Z != nil }

// pointHeight is the height of a point in a file. A point may have none.
type pointHeight struct {
	z   float64
	has bool
}

// heights are the heights of the points of a line.
type heights []pointHeight

// none reports whether no point has a height.
func (h heights) none() bool {
	return !slices.ContainsFunc(h, func(p pointHeight) bool { return p.has })
}

// span returns the range of the heights.
func (h heights) span() (s span) {
	for _, p := range h {
		if p.has {
			s.add(p.z)
		}
	}
	return s
}

// setHeights gives a circuit the heights of its points, one for each. If only some points have one, a note says so, and
// the circuit has none.
func (c *File) setHeights(h heights) {
	if h.none() {
		return
	}
	without := 0
	z := make([]float64, len(h))
	for i, p := range h {
		if z[i] = p.z; !p.has {
			without++
		}
	}
	if without > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("the heights are not used: %d of %d points have none", without, len(h)))
		return
	}
	c.Z = z
}

// settleHeights removes heights that are 0 at every point, as files without heights have them.
func (c *File) settleHeights() {
	if !slices.ContainsFunc(c.Z, func(z float64) bool { return z != 0 }) {
		c.Z = nil
	}
}

// steepSeam is the smallest ratio of the grade of the closing segment to the largest other one that is noted.
const steepSeam = 4

// noteSteepSeam adds a note if the closing segment is much steeper than all others: the heights of a recorded lap may
// drift.
func (c *File) noteSteepSeam() {
	if !c.Heights() {
		return
	}
	n, steepest := len(c.X), 0.0
	grade := func(i int) float64 { return math.Abs(c.Z[(i+1)%n]-c.Z[i]) / c.segment(i) }
	for i := range n - 1 {
		steepest = max(steepest, grade(i))
	}
	if seam := grade(n - 1); seam > steepSeam*steepest {
		c.Notes = append(c.Notes, fmt.Sprintf("from the last point to the first, the height changes by %s m on %s m, and "+
			"nowhere else by more than %s m on that way: do the heights drift?", metre(c.Z[0]-c.Z[n-1]),
			metre(c.segment(n-1)), metre(steepest*c.segment(n-1))))
	}
}

// heightAt returns the height at fraction f of the way from point i to the next, on a cubic curve whose slopes at both
// ends are those between the neighbours there.
func (c *File) heightAt(i int, f float64) float64 {
	n := len(c.Z)
	before, next, after := (i+n-1)%n, (i+1)%n, (i+2)%n
	step := c.segment(i)
	slope := func(from, to int, way float64) float64 { return step * (c.Z[to] - c.Z[from]) / way }
	start, stop := slope(before, next, c.segment(before)+step), slope(i, after, step+c.segment(next))
	g := 1 - f
	return g*g*(1+2*f)*c.Z[i] + f*f*(3-2*f)*c.Z[next] + f*g*g*start - f*f*g*stop
}
