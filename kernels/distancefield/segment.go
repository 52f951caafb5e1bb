package distancefield

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// minSquared is the squared length up to which a segment counts as a point (C-70).
const minSquared = 1e-12

// squaredTo returns the squared distance of a point from the segment from a to b in plan view (C-70).
func squaredTo(p, a, b kernel.Vec2) float32 {
	d := b.Sub(a)
	t := float32(0)
	if d.Dot(d) > minSquared {
		t = kernel.Max(p.Sub(a).Dot(d)/d.Dot(d), 0) // 0 for a NaN (C-2)
		if t > 1 {
			t = 1
		}
	}
	away := p.Sub(kernel.V2(a.X+float32(d.X*t), a.Y+float32(d.Y*t)))
	return away.Dot(away)
}

// squaredToBox returns the squared distance of a point from the box of a node in plan view, whose first element is
// given: 0 inside. It is not above the squared distance from any segment of the node, see package polyline.
func squaredToBox(p kernel.Vec2, first kernel.Quat) float32 {
	x := kernel.Max(kernel.Max(first.X-p.X, p.X-first.Z), 0)
	y := kernel.Max(kernel.Max(first.Y-p.Y, p.Y-first.W), 0)
	return float32(x*x) + float32(y*y)
}

// leastSquared returns the least squared distance of a point from a line of at least 3 points; infinity if no distance
// is a number.
func leastSquared(p kernel.Vec2, l polyline.Line, index []kernel.Quat) float32 {
	best := kernel.Inf()
	start := polyline.Begin(kernel.V3(p.X, p.Y, index[l.Base].Z), l, index)
	for i := start; i < start+polyline.LeafSegments && i < l.N; i++ {
		best = closer(best, squaredTo(p, polyline.Plan(index[l.Base+i]), polyline.Plan(index[l.Base+i+1])))
	}
	nodes := l.Nodes()
	for node := int32(0); node < nodes; {
		at := l.Node(node)
		second := index[at+1]
		if squaredToBox(p, index[at]) >= best {
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			end := l.EndOf(second)
			for i := polyline.FirstLeaf(second) * polyline.LeafSegments; i < end; i++ {
				best = closer(best, squaredTo(p, polyline.Plan(index[l.Base+i]), polyline.Plan(index[l.Base+i+1])))
			}
		}
		node++
	}
	return best
}

// closer returns the smaller of best and a squared distance, which may be NaN.
func closer(best, squared float32) float32 {
	if squared < best {
		return squared
	}
	return best
}
