package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// FindByScan is Find by a visit to every segment, in the order of C-71. It is the reference for tests and benchmarks.
func FindByScan(b Box, env, maxPoints int32, index []kernel.Quat) Contact {
	if polyline.LineOf(env, Inner, Lines, maxPoints, index).N < 3 {
		return Nothing(1)
	}
	best := none()
	outside := int32(0) // as in Find
	for boundary := int32(0); boundary < Lines; boundary++ {
		s := scanBorder(b, polyline.LineOf(env, boundary, Lines, maxPoints, index), boundary*maxPoints, best, index)
		best = s.best
		outside = outside<<4 | s.odd
	}
	outside ^= allCorners
	depth := float32(0)
	for k := int32(0); k < 8; k++ {
		if outside>>(k&31)&1 != 0 {
			l := polyline.LineOf(env, 1-k/4, Lines, maxPoints, index)
			depth = kernel.Max(depth, rooted(scanCorner(b.corner(k&3), l, index)))
		}
	}
	return contactOf(best, outside, depth, env, maxPoints, index)
}

// scanned is what a scan of a border returns: the nearest segment, and a bit for each corner from which the ray crosses
// the border an odd number of times.
type scanned struct {
	best nearest
	odd  int32
}

func scanBorder(b Box, l polyline.Line, place int32, best nearest, index []kernel.Quat) scanned {
	r := scanned{best: best, odd: 0}
	a := polyline.Plan(index[l.Base])
	v := b.local(a.Sub(b.Center))
	for i := int32(0); i < l.N; i++ {
		e := polyline.Plan(index[l.Base+i+1])
		w := b.local(e.Sub(b.Center))
		r.best = take(r.best, b, segment{place: place + i, a: a, v: v, w: w}, courseOf(a, e), kernel.Inf(), true)
		r.odd ^= rays(b.corners, a, e)
		a = e
		v = w
	}
	return r
}

// scanCorner returns the least squared distance of a corner from a border (C-72). It has a loop of its own: with those
// of four corners beside it, scanBorder needs more registers than a GPU has for a thread.
func scanCorner(corner kernel.Vec2, l polyline.Line, index []kernel.Quat) float32 {
	least := kernel.Inf()
	for i := int32(0); i < l.N; i++ {
		least = kernel.Min(squaredFrom(corner, i, l, index), least)
	}
	return least
}
