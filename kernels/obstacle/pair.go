package obstacle

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// pair is two boxes. The way from the middle of a to that of b is onA in the coordinates of a, and onB in those of b.
// The axes of a are turned by an angle with the given cosine and sine from those of b. Along the axes of a, the two
// boxes have half lengths of the sum reachA, and along those of b, of the sum reachB.
//
// Everything is computed alike from both boxes. So where the boxes change places, ways have the opposite sign, and all
// other numbers stay, with the same bits.
type pair struct {
	a, b           Box
	cos, sin       float32
	onA, onB       kernel.Vec2
	reachA, reachB kernel.Vec2
}

func pairOf(a, b Box) pair {
	way := b.Middle.Sub(a.Middle)
	cos := float32(a.Cos*b.Cos) + float32(a.Sin*b.Sin)
	sin := float32(a.Sin*b.Cos) - float32(a.Cos*b.Sin)
	c := kernel.Abs(cos)
	s := kernel.Abs(sin)
	return pair{a: a, b: b, cos: cos, sin: sin, onA: a.Local(way), onB: b.Local(way),
		reachA: kernel.V2(a.Half.X+(float32(c*b.Half.X)+float32(s*b.Half.Y)),
			a.Half.Y+(float32(s*b.Half.X)+float32(c*b.Half.Y))),
		reachB: kernel.V2(b.Half.X+(float32(c*a.Half.X)+float32(s*a.Half.Y)),
			b.Half.Y+(float32(s*a.Half.X)+float32(c*a.Half.Y)))}
}

// gap is the signed distance of the boxes of a pair, and the unit vector along which a is away from b.
type gap struct {
	distance float32
	normal   kernel.Vec2
}

// wider returns the wider one of g and the gap along an axis of the world. way is the way from a to b along it.
func wider(g gap, way, reach float32, axis kernel.Vec2) gap {
	distance := kernel.Abs(way) - reach
	if !(distance > g.distance) {
		return g
	}
	if way > 0 {
		axis = kernel.V2(-axis.X, -axis.Y)
	}
	return gap{distance: distance, normal: axis}
}

// widest returns the widest gap along the four axes of the boxes. Boxes overlap if and only if it is not above 0 (the
// theorem of separating axes); then it is how far one must move to part them.
func (p pair) widest() gap {
	g := gap{distance: -kernel.Inf(), normal: kernel.V2(0, 0)}
	g = wider(g, p.onA.X, p.reachA.X, kernel.V2(p.a.Cos, p.a.Sin))
	g = wider(g, p.onA.Y, p.reachA.Y, kernel.V2(-p.a.Sin, p.a.Cos))
	g = wider(g, p.onB.X, p.reachB.X, kernel.V2(p.b.Cos, p.b.Sin))
	return wider(g, p.onB.Y, p.reachB.Y, kernel.V2(-p.b.Sin, p.b.Cos))
}

// nearestCorner returns the shortest vector to a corner of another box from a box with the half extents own, in whose
// coordinates the middle of the other box is at middle. half are its half extents, and its axes are turned by the given
// cosine and sine.
func nearestCorner(own, middle, half kernel.Vec2, cos, sin float32) kernel.Vec2 {
	x := kernel.V2(float32(half.X*cos), float32(half.X*sin))
	y := kernel.V2(-float32(half.Y*sin), float32(half.Y*cos))
	least := kernel.Inf()
	shortest := kernel.V2(0, 0)
	for k := int32(0); k < 4; k++ {
		v := x.Add(y)
		if k == 1 {
			v = y.Sub(x)
		}
		if k == 2 {
			v = kernel.V2(-v.X, -v.Y)
		}
		if k == 3 {
			v = x.Sub(y)
		}
		v = middle.Add(v)
		v = v.Sub(kernel.V2(between(v.X, -own.X, own.X), between(v.Y, -own.Y, own.Y)))
		if v.Dot(v) < least {
			least = v.Dot(v)
			shortest = v
		}
	}
	return shortest
}

// gap returns the signed distance of the boxes. The points of two separate boxes that are nearest to each other include
// a corner.
func (p pair) gap() gap {
	g := p.widest()
	if !(g.distance > 0) {
		return g
	}
	fromB := nearestCorner(p.b.Half, kernel.V2(-p.onB.X, -p.onB.Y), p.a.Half, p.cos, p.sin)
	fromA := nearestCorner(p.a.Half, p.onA, p.b.Half, p.cos, -p.sin)
	shortest := fromB.Dot(fromB)
	g.normal = p.b.World(fromB)
	if fromA.Dot(fromA) < shortest {
		shortest = fromA.Dot(fromA)
		g.normal = p.a.World(kernel.V2(-fromA.X, -fromA.Y))
	}
	g.distance = kernel.Sqrt(shortest)
	g.normal = centerline.Unit(g.normal)
	return g
}

// meet returns when boxes that move straight first touch, 0 to 1, or Never. before is the way from a to b at the begin
// of the motion. The boxes do not turn, so they touch while they overlap along all four axes.
func (p pair) meet(before kernel.Vec2) float32 {
	a := p.a.Local(before)
	b := p.b.Local(before)
	s := span{low: 0, high: 1}
	s = within(s, a.X, p.onA.X, p.reachA.X)
	s = within(s, a.Y, p.onA.Y, p.reachA.Y)
	s = within(s, b.X, p.onB.X, p.reachB.X)
	s = within(s, b.Y, p.onB.Y, p.reachB.Y)
	if s.low <= s.high {
		return s.low
	}
	return Never
}
