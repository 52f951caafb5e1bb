package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Lines of an env in the index: see package polyline.
const (
	Inner = 0
	Outer = 1
	Lines = 2
)

const (
	allCorners = 15
	minNormal  = 1e-8 // length of a segment below which its direction is not used (C-73)
)

// Contact is what a query finds for a box (C-71 to C-73).
type Contact struct {
	OutOfBounds int32
	Boundary    int32
	Distance    float32
	Nearest     kernel.Vec2
	Normal      kernel.Vec2

	// Crossed is 1 if the box is on a border, else 0.
	Crossed int32
	// Clearance is the distance of the box from the nearer border, wherever it is.
	Clearance float32
	// Hint is where the next search for this box begins. It changes no answer.
	Hint int32
}

// Nothing returns the answer for a box without borders: outOfBounds is 0 for a paused box, and 1 on a degenerate track.
func Nothing(outOfBounds int32) Contact {
	nan := kernel.NaN()
	return Contact{OutOfBounds: outOfBounds, Boundary: -1, Distance: nan, Nearest: kernel.V2(nan, nan),
		Normal: kernel.V2(nan, nan), Crossed: 0, Clearance: nan, Hint: -1}
}

// Find returns the contact of a box with the borders of an env. The work grows with the logarithm of the number of
// points. hint is that of an earlier contact of the box, or -1, and last its distance, by which Find knows whether the
// box has gone elsewhere. They change no bit of the answer.
func Find(b Box, env, maxPoints, hint int32, last float32, index []kernel.Quat) Contact {
	l := polyline.LineOf(env, Inner, Lines, maxPoints, index)
	if l.N == 0 {
		return Nothing(1)
	}
	start := hint
	if !isNear(b, hint, last, env, maxPoints, index) {
		start = startOf(b, env, maxPoints, index)
	}
	line := start / maxPoints
	i := start % maxPoints
	best := taken(none(), b, i, line*maxPoints, polyline.LineOf(env, line, Lines, maxPoints, index), index)
	v := vicinityOf(i, env, maxPoints, index)
	near := alongBorder(best, b, polyline.LineOf(env, line, Lines, maxPoints, index), line*maxPoints, v, line, index)
	far := alongOther(near.best, b, env, maxPoints, line, v, index)
	best = far.best
	outside := near.odd<<4 | far.odd // four bits for each border
	if line == Outer {
		outside = far.odd<<4 | near.odd
	}
	outside ^= allCorners // outside of outer is where the number of crossings is even
	depth := float32(0)
	if outside != 0 {
		depth = deepest(b, outside, max(best.place, 0)%maxPoints, env, maxPoints, v, index)
	}
	return contactOf(best, outside, depth, env, maxPoints, index)
}

// alongOther is alongBorder for the border that is not line, where the search of line has found best. It needs no
// search if the box is far from that border.
func alongOther(best nearest, b Box, env, maxPoints, line int32, v vicinity, index []kernel.Quat) found {
	l := polyline.LineOf(env, line, Lines, maxPoints, index)
	other := polyline.LineOf(env, Lines-1-line, Lines, maxPoints, index)
	i := best.place - line*maxPoints
	if i >= 0 && i < l.N {
		clearance := index[l.Note(i/polyline.LeafSegments)+1].X
		slack := kernel.Max(slackOf(b, l.Extent(index)), slackOf(b, other.Extent(index)))
		if isClear(b, best.distance, clearance, slack) {
			odd := int32(0)
			if clearance < 0 {
				odd = allCorners
			}
			return found{best: best, reach: best.distance, odd: odd}
		}
	}
	return alongBorder(best, b, other, (Lines-1-line)*maxPoints, v, Lines-1-line, index)
}

// contactOf returns the contact of a box, given the nearest segment, a bit for each corner that is not on the road, and
// the depth of the deepest corner (C-72).
func contactOf(best nearest, outside int32, depth float32, env, maxPoints int32,
	index []kernel.Quat) Contact {
	nan := kernel.NaN()
	c := Contact{OutOfBounds: 0, Boundary: -1, Distance: best.distance, Nearest: best.point,
		Normal: kernel.V2(nan, nan), Crossed: 0, Clearance: best.distance, Hint: -1}
	if best.crossed {
		c.Crossed = 1
	}
	if outside != 0 || best.crossed {
		c.OutOfBounds = 1
		c.Distance = -depth
	}
	if best.place >= 0 {
		c.Hint = best.place
		c.Boundary = best.place / maxPoints
		c.Normal = normalOf(best, env, maxPoints, index)
		c.Nearest = kernel.V2(vector.OneNaN(best.point.X), vector.OneNaN(best.point.Y))
	}
	return c
}

// normalOf returns the normal of the nearest segment, to the side of the centreline (C-73).
func normalOf(best nearest, env, maxPoints int32, index []kernel.Quat) kernel.Vec2 {
	l := polyline.LineOf(env, best.place/maxPoints, Lines, maxPoints, index)
	segment := best.place % maxPoints
	from := index[l.Base+segment]
	inwards := kernel.V2(from.Z, from.W).Sub(best.point)
	s := polyline.Plan(index[l.Base+segment+1]).Sub(polyline.Plan(from))
	n := kernel.V2(-s.Y, s.X)
	if n.Len() < minNormal {
		n = inwards
	}
	length := vector.Larger(n.Len(), minNormal)
	n = kernel.V2(n.X/length, n.Y/length)
	if inwards.Dot(n) < 0 {
		n = kernel.V2(-n.X, -n.Y)
	}
	return kernel.V2(vector.OneNaN(n.X), vector.OneNaN(n.Y))
}
