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
	outside := int32(0)
	depth := float32(0)
	for boundary := int32(0); boundary < Center; boundary++ {
		s := scanBorder(b, polyline.LineOf(env, boundary, Lines, maxPoints, index), boundary, best, index)
		best = s.best
		out := s.odd
		if boundary == Outer {
			out ^= allCorners
		}
		outside |= out
		depth = deeper(depth, out&1, s.s0)
		depth = deeper(depth, out&2, s.s1)
		depth = deeper(depth, out&4, s.s2)
		depth = deeper(depth, out&8, s.s3)
	}
	return contactOf(best, outside, depth, env, maxPoints, index)
}

// scanned is what a scan of a border returns: the nearest segment, a bit for each corner from which the ray crosses the
// border an odd number of times, and the least squared distances of the corners.
type scanned struct {
	best           nearest
	odd            int32
	s0, s1, s2, s3 float32
}

func scanBorder(b Box, l polyline.Line, boundary int32, best nearest, index []kernel.Quat) scanned {
	far := kernel.Inf()
	r := scanned{best: best, odd: 0, s0: far, s1: far, s2: far, s3: far}
	a := polyline.Plan(index[l.Base])
	v := b.local(a.Sub(b.Center))
	for i := int32(0); i < l.N; i++ {
		e := polyline.Plan(index[l.Base+i+1])
		w := b.local(e.Sub(b.Center))
		c := courseOf(a, e)
		f := feetOn(b.corners, c)
		r.best = take(r.best, b, segment{boundary: boundary, i: i, a: a, e: e, v: v, w: w}, c, f)
		r.odd ^= rays(b.corners, a, e)
		r.s0 = kernel.Min(f.s0, r.s0)
		r.s1 = kernel.Min(f.s1, r.s1)
		r.s2 = kernel.Min(f.s2, r.s2)
		r.s3 = kernel.Min(f.s3, r.s3)
		a = e
		v = w
	}
	return r
}

// deeper returns the larger of depth and, if outside is not 0, the distance of a corner (C-72).
func deeper(depth float32, outside int32, squared float32) float32 {
	if outside != 0 {
		depth = kernel.Max(depth, rooted(squared))
	}
	return depth
}
