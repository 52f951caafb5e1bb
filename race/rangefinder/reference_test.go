package rangefinder_test

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
	"github.com/trackgen-go/trackgen/kernels/vector"
	"github.com/trackgen-go/trackgen/race/rangefinder"
)

// beam is a beam of a level sensor: it begins at from and goes along way, in float32.
type beam struct{ from, way kernel.Vec2 }

// beams returns those of an agent (L-30, L-31). It returns none for an agent that is nowhere.
func (s scene) beams(c rangefinder.Config, agent int) (list []beam) {
	f := vector.FrameOf(s.position[agent], s.orientation[agent], 0)
	o := f.Origin.Add(f.Forward.Scale(float32(c.PlaceX))).Add(f.Left.Scale(float32(c.PlaceY))).
		Add(f.Up.Scale(float32(c.PlaceZ)))
	for _, x := range []float32{o.X, o.Y, o.Z} {
		if !(kernel.Abs(x) <= 1e30) {
			return nil
		}
	}
	for _, angle := range c.Angles() {
		sin, cos := math.Sincos(angle)
		if math.Abs(sin) < 1e-15 {
			sin = 0
		}
		if math.Abs(cos) < 1e-15 {
			cos = 0
		}
		d := f.Forward.Scale(float32(cos)).Add(f.Left.Scale(float32(sin)))
		list = append(list, beam{from: kernel.V2(o.X, o.Y), way: kernel.V2(d.X, d.Y)})
	}
	return list
}

// cross returns the cross product of the direction and the way to p, in twice the precision.
func (b beam) cross(p kernel.Vec2) kernel.TwoFloat {
	x, y := kernel.TwoSum(p.X, -b.from.X), kernel.TwoSum(p.Y, -b.from.Y)
	return y.Mul(b.way.X).SubTwo(x.Mul(b.way.Y))
}

// meets returns where the beam crosses a segment in float32, by L-32: -1 if it does not.
func (b beam) meets(a, e kernel.Vec2) float32 {
	c, d := b.way.Cross(a.Sub(b.from)), b.way.Cross(e.Sub(b.from))
	if d == 0 {
		return max(b.way.Dot(e.Sub(b.from)), -1) // the point itself
	}
	if (c >= 0) == (d >= 0) {
		return -1
	}
	begin, end := b.way.Dot(a.Sub(b.from)), b.way.Dot(e.Sub(b.from))
	part := c / (c - d)
	if kernel.Abs(end-begin) > 4*kernel.Abs(c-d) {
		two := b.cross(a)
		part = kernel.Clamp(two.Float32()/two.SubTwo(b.cross(e)).Float32(), 0, 1)
	}
	t := begin + float32(part*(end-begin))
	if t <= 0 && t >= -(kernel.Abs(begin)+kernel.Abs(end))/(1<<20) {
		return 0
	}
	return t
}

func plan(p kernel.Vec3) kernel.Vec2 { return kernel.V2(p.X, p.Y) }

// walls returns the range of a beam to the borders of an env, and which it is, by a visit to every segment.
func (s scene) walls(b beam, e int, reach float32) (float32, int32) {
	best, hit := reach, int32(rangefinder.HitNone)
	for kind, points := range [][]kernel.Vec3{rangefinder.HitInner: s.inner, rangefinder.HitOuter: s.outer} {
		if kind == rangefinder.HitNone {
			continue
		}
		line := s.border(points, e)
		for i := range line {
			if t := b.meets(plan(line[i]), plan(line[(i+1)%len(line)])); t >= 0 && t < best {
				best, hit = kernel.Abs(t), int32(kind)
			}
		}
	}
	return best, hit
}

// corners returns those of the box of an agent.
func (s scene) corners(agent int) (list [4]kernel.Vec2) {
	b := obstacle.BoxOf(s.position[agent], s.orientation[agent], s.half[agent])
	for k := range list {
		list[k] = b.Corner(int32(k))
	}
	return list
}

// exact is a range in float64.
type exact struct{ x, y, dx, dy float64 }

func exactOf(b beam) exact {
	return exact{x: float64(b.from.X), y: float64(b.from.Y), dx: float64(b.way.X), dy: float64(b.way.Y)}
}

// meets returns where a beam meets a segment that is longer by margin at both ends, or +Inf.
func (r exact) meets(a, e kernel.Vec2, margin float64) float64 {
	ax, ay := float64(a.X)-r.x, float64(a.Y)-r.y
	ex, ey := float64(e.X)-float64(a.X), float64(e.Y)-float64(a.Y)
	den := r.dx*ey - r.dy*ex
	t, u := (ax*ey-ay*ex)/den, (ax*r.dy-ay*r.dx)/den
	more := margin * math.Sqrt(ex*ex+ey*ey) / math.Abs(den) / math.Sqrt(ex*ex+ey*ey)
	if den != 0 && u >= -more && u <= 1+more && t >= 0 {
		return t
	}
	return math.Inf(1)
}

// loop returns the range of a beam to a closed line.
func (r exact) loop(points []kernel.Vec2, margin float64) float64 {
	best := math.Inf(1)
	for i := range points {
		best = min(best, r.meets(points[i], points[(i+1)%len(points)], margin))
	}
	return best
}

// disc returns the range of a beam to a disc.
func (r exact) disc(p kernel.Vec3, radius float64) float64 {
	x, y := float64(p.X)-r.x, float64(p.Y)-r.y
	if x*x+y*y <= radius*radius {
		return 0
	}
	norm := r.dx*r.dx + r.dy*r.dy
	along, aside := (r.dx*x+r.dy*y)/norm, (r.dx*y-r.dy*x)/math.Sqrt(norm)
	if along < 0 || math.Abs(aside) > radius {
		return math.Inf(1)
	}
	return along - math.Sqrt((radius*radius-aside*aside)/norm)
}
