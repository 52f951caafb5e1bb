package obstacle

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// Pair is two boxes. The way from the middle of a to that of b is onA in the coordinates of a, and onB in those of b.
// The axes of a are turned by an angle with the given cosine and sine from those of b. Along the axes of a, the two
// boxes have half lengths of the sum reachA, and along those of b, of the sum reachB.
//
// Everything is computed alike from both boxes. So where the boxes change places, ways have the opposite sign, and all
// other numbers stay, with the same bits.
type Pair struct {
	A, B           Box
	Cos, Sin       float32
	OnA, OnB       kernel.Vec2
	ReachA, ReachB kernel.Vec2
}

func pairOf(a, b Box) Pair {
	way := b.Middle.Sub(a.Middle)
	cos := float32(a.Cos*b.Cos) + float32(a.Sin*b.Sin)
	sin := float32(a.Sin*b.Cos) - float32(a.Cos*b.Sin)
	c := kernel.Abs(cos)
	s := kernel.Abs(sin)
	return Pair{A: a, B: b, Cos: cos, Sin: sin, OnA: a.Local(way), OnB: b.Local(way),
		ReachA: kernel.V2(a.Half.X+(float32(c*b.Half.X)+float32(s*b.Half.Y)),
			a.Half.Y+(float32(s*b.Half.X)+float32(c*b.Half.Y))),
		ReachB: kernel.V2(b.Half.X+(float32(c*a.Half.X)+float32(s*a.Half.Y)),
			b.Half.Y+(float32(s*a.Half.X)+float32(c*a.Half.Y)))}
}

// Gap is the signed distance of the boxes of a pair, and the unit vector along which a is away from b.
type Gap struct {
	Distance float32
	Normal   kernel.Vec2
}

// wider returns the wider one of g and the gap along an axis of the world. way is the way from A to B along it.
func wider(g Gap, way, reach float32, axis kernel.Vec2) Gap {
	distance := kernel.Abs(way) - reach
	if !(distance > g.Distance) {
		return g
	}
	if way > 0 {
		axis = kernel.V2(-axis.X, -axis.Y)
	}
	return Gap{Distance: distance, Normal: axis}
}

// widest returns the widest gap along the four axes of the boxes. Boxes overlap if and only if it is not above 0 (the
// theorem of separating axes); then it is how far one must move to part them.
func (p Pair) widest() Gap {
	g := Gap{Distance: -kernel.Inf(), Normal: kernel.V2(0, 0)}
	g = wider(g, p.OnA.X, p.ReachA.X, kernel.V2(p.A.Cos, p.A.Sin))
	g = wider(g, p.OnA.Y, p.ReachA.Y, kernel.V2(-p.A.Sin, p.A.Cos))
	g = wider(g, p.OnB.X, p.ReachB.X, kernel.V2(p.B.Cos, p.B.Sin))
	return wider(g, p.OnB.Y, p.ReachB.Y, kernel.V2(-p.B.Sin, p.B.Cos))
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
func (p Pair) gap() Gap {
	g := p.widest()
	if !(g.Distance > 0) {
		return g
	}
	fromB := nearestCorner(p.B.Half, kernel.V2(-p.OnB.X, -p.OnB.Y), p.A.Half, p.Cos, p.Sin)
	fromA := nearestCorner(p.A.Half, p.OnA, p.B.Half, p.Cos, -p.Sin)
	shortest := fromB.Dot(fromB)
	g.Normal = p.B.World(fromB)
	if fromA.Dot(fromA) < shortest {
		shortest = fromA.Dot(fromA)
		g.Normal = p.A.World(kernel.V2(-fromA.X, -fromA.Y))
	}
	g.Distance = kernel.Sqrt(shortest)
	g.Normal = centerline.Unit(g.Normal)
	return g
}

// meet returns when boxes that move straight first touch, 0 to 1, or Never. before is the way from A to B at the begin
// of the motion. The boxes do not turn, so they touch while they overlap along all four axes.
func (p Pair) meet(before kernel.Vec2) float32 {
	a := p.A.Local(before)
	b := p.B.Local(before)
	s := Span{Low: 0, High: 1}
	s = within(s, a.X, p.OnA.X, p.ReachA.X)
	s = within(s, a.Y, p.OnA.Y, p.ReachA.Y)
	s = within(s, b.X, p.OnB.X, p.ReachB.X)
	s = within(s, b.Y, p.OnB.Y, p.ReachB.Y)
	if s.Low <= s.High {
		return s.Low
	}
	return Never
}
