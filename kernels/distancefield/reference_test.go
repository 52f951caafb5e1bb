package distancefield

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel"
)

// This file has the rules written down a second time, with a scan of all segments. Numbers are rounded as C-1 says.

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// clamped is clamp of C-2.
func clamped(x, low, high float32) float32 {
	switch {
	case x != x || x < low:
		return low
	case x > high:
		return high
	}
	return x
}

// scanned returns the least distance of p from a closed line and whether the ray from p crosses it an odd number of
// times.
func scanned(p kernel.Vec2, line []kernel.Vec3) (least float32, odd bool) {
	least = 1e30
	for i, a := range line {
		b := line[(i+1)%len(line)]
		dx, dy := b.X-a.X, b.Y-a.Y
		dd := float32(dx*dx) + float32(dy*dy)
		t := float32(0)
		if dd > 1e-12 {
			t = clamped((float32((p.X-a.X)*dx)+float32((p.Y-a.Y)*dy))/dd, 0, 1)
		}
		x, y := p.X-(a.X+float32(dx*t)), p.Y-(a.Y+float32(dy*t))
		if d := root(float32(x*x) + float32(y*y)); d < least {
			least = d
		}
		if (a.Y > p.Y) != (b.Y > p.Y) && p.X < a.X+float32((p.Y-a.Y)*(b.X-a.X))/(b.Y-a.Y) {
			odd = !odd
		}
	}
	return least, odd
}

// field is the field of one env.
type field struct {
	low, high kernel.Vec2
	side      int
	phi       []float32
	boundary  []int32
}

// referenceField is C-20 and C-74.
func referenceField(inner, outer []kernel.Vec3, side int, padding float32) field {
	f := field{side: side, phi: make([]float32, side*side), boundary: make([]int32, side*side)}
	if len(outer) < 3 {
		f.low, f.high = kernel.V2(-1, -1), kernel.V2(1, 1)
		for i := range f.phi {
			f.phi[i], f.boundary[i] = kernel.NaN(), -1
		}
		return f
	}
	f.low, f.high = kernel.V2(1e30, 1e30), kernel.V2(-1e30, -1e30)
	for _, p := range outer {
		if p.X < f.low.X {
			f.low.X = p.X
		}
		if p.Y < f.low.Y {
			f.low.Y = p.Y
		}
		if p.X > f.high.X {
			f.high.X = p.X
		}
		if p.Y > f.high.Y {
			f.high.Y = p.Y
		}
	}
	if padding == 0 {
		padding = float32(0.1 * max(f.high.X-f.low.X, f.high.Y-f.low.Y))
	}
	f.low, f.high = kernel.V2(f.low.X-padding, f.low.Y-padding), kernel.V2(f.high.X+padding, f.high.Y+padding)
	for y := range side {
		for x := range side {
			p := kernel.V2(f.low.X+float32((float32(x)+0.5)/float32(side)*(f.high.X-f.low.X)),
				f.low.Y+float32((float32(y)+0.5)/float32(side)*(f.high.Y-f.low.Y)))
			toInner, inInner := scanned(p, inner)
			toOuter, inOuter := scanned(p, outer)
			i := y*side + x
			f.phi[i] = toInner
			if toInner > toOuter {
				f.phi[i], f.boundary[i] = toOuter, 1
			}
			if !inOuter || inInner {
				f.phi[i] = -f.phi[i]
			}
		}
	}
	return f
}

// cells returns the coordinates of a point in cells from the middle of the first one.
func (f field) cells(p kernel.Vec2) (x, y float32) {
	last := float32(f.side - 1)
	return clamped(float32((p.X-f.low.X)/(f.high.X-f.low.X)*float32(f.side))-0.5, 0, last),
		clamped(float32((p.Y-f.low.Y)/(f.high.Y-f.low.Y)*float32(f.side))-0.5, 0, last)
}

func (f field) interpolated(p kernel.Vec2) float32 {
	x, y := f.cells(p)
	x0, y0 := int(x), int(y)
	x1, y1 := min(x0+1, f.side-1), min(y0+1, f.side-1)
	s, t := x-float32(x0), y-float32(y0)
	lerp := func(a, b, t float32) float32 { return float32(a*(1-t)) + float32(b*t) }
	return lerp(lerp(f.phi[y0*f.side+x0], f.phi[y0*f.side+x1], s), lerp(f.phi[y1*f.side+x0], f.phi[y1*f.side+x1], s), t)
}

// contact is what C-75 answers.
type contact struct {
	oob, boundary   int32
	distance        float32
	nearest, normal kernel.Vec2
}

// heading returns the cosine and the sine of the yaw of an orientation (C-70).
func heading(q kernel.Quat) (cos, sin float32) {
	sin = float32(2 * (float32(q.W*q.Z) + float32(q.X*q.Y)))
	cos = 1 - float32(2*(float32(q.Y*q.Y)+float32(q.Z*q.Z)))
	size := float32(math.Max(math.Abs(float64(cos)), math.Abs(float64(sin))))
	if size == 0 {
		return 1, 0
	}
	cos, sin = cos/size, sin/size
	size = root(float32(cos*cos) + float32(sin*sin))
	return cos / size, sin / size
}

// query is C-75.
func (f field) query(p kernel.Vec3, q kernel.Quat, h kernel.Vec2) contact {
	nan := kernel.NaN()
	c := contact{0, -1, nan, kernel.V2(nan, nan), kernel.V2(nan, nan)}
	if p.X != p.X || p.Y != p.Y || p.Z != p.Z {
		return c
	}
	cos, sin := heading(q)
	at := kernel.V2(p.X, p.Y)
	c.distance = f.interpolated(at)
	if c.distance != c.distance {
		c.oob = 1
		return c
	}
	for _, s := range []kernel.Vec2{{X: 1, Y: 1}, {X: -1, Y: 1}, {X: -1, Y: -1}, {X: 1, Y: -1}} {
		x, y := float32(s.X*h.X), float32(s.Y*h.Y)
		corner := kernel.V2(p.X+float32(cos*x)+float32(-sin*y), p.Y+float32(sin*x)+float32(cos*y))
		if d := f.interpolated(corner); d < c.distance {
			c.distance, at = d, corner
		}
	}
	if c.distance < 0 {
		c.oob = 1
	}
	hx, hy := (f.high.X-f.low.X)/float32(f.side), (f.high.Y-f.low.Y)/float32(f.side)
	n := kernel.V2(
		(f.interpolated(kernel.V2(at.X+hx, at.Y))-f.interpolated(kernel.V2(at.X-hx, at.Y)))/(2*hx),
		(f.interpolated(kernel.V2(at.X, at.Y+hy))-f.interpolated(kernel.V2(at.X, at.Y-hy)))/(2*hy))
	length := root(float32(n.X*n.X) + float32(n.Y*n.Y))
	if !(length > 1e-8) {
		length = 1e-8
	}
	c.normal = kernel.V2(n.X/length, n.Y/length)
	c.nearest = kernel.V2(at.X-float32(c.normal.X*c.distance), at.Y-float32(c.normal.Y*c.distance))
	x, y := f.cells(c.nearest)
	c.boundary = f.boundary[min(int(y+0.5), f.side-1)*f.side+min(int(x+0.5), f.side-1)]
	return c
}
