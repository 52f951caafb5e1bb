package preview_test

import (
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/preview"
)

// agents say where agents are.
type agents struct {
	position    []kernel.Vec3
	orientation []kernel.Quat
	s           []float32
	target      []int32
}

// axes are those of an agent, and its heading.
type axes struct {
	forward, left, up kernel.Vec3
	level             kernel.Vec2
}

// dot returns a*b + c*d, with both products rounded.
func dot(a, b, c, d float32) float32 { return kernel.V2(a, c).Dot(kernel.V2(b, d)) }

// axesOf computes L-21 in float32.
func axesOf(q kernel.Quat, frame string) axes {
	v := kernel.V2(1-2*dot(q.Y, q.Y, q.Z, q.Z), 2*dot(q.W, q.Z, q.X, q.Y))
	level := kernel.V2(1, 0)
	if size := max(float32(math.Abs(float64(v.X))), float32(math.Abs(float64(v.Y)))); size != 0 {
		v = kernel.V2(v.X/size, v.Y/size)
		level = kernel.V2(v.X/v.Len(), v.Y/v.Len())
	}
	a := axes{forward: kernel.V3(level.X, level.Y, 0), left: kernel.V3(-level.Y, level.X, 0), up: kernel.V3(0, 0, 1),
		level: level}
	if frame == preview.Body {
		size := kernel.Sqrt(dot(q.X, q.X, q.Y, q.Y) + dot(q.Z, q.Z, q.W, q.W))
		x, y, z, w := q.X/size, q.Y/size, q.Z/size, q.W/size
		a.forward = kernel.V3(1-2*dot(y, y, z, z), 2*dot(x, y, w, z), 2*dot(x, z, -w, y))
		a.left = kernel.V3(2*dot(x, y, -w, z), 1-2*dot(x, x, z, z), 2*dot(y, z, w, x))
		a.up = kernel.V3(2*dot(x, z, w, y), 2*dot(y, z, -w, x), 1-2*dot(x, x, y, y))
	}
	return a
}

func (a axes) turn(v kernel.Vec3) kernel.Vec3 {
	return kernel.V3(v.Dot(a.forward), v.Dot(a.left), v.Dot(a.up))
}

// isNumber reports whether all numbers are finite.
func isNumber(list ...float32) bool {
	return !slices.ContainsFunc(list, func(x float32) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) })
}

// sees reports whether an agent with these axes at p observes (L-25).
func (a axes) sees(p kernel.Vec3) bool {
	far := slices.ContainsFunc([]float32{p.X, p.Y, p.Z}, func(x float32) bool { return !(kernel.Abs(x) <= 1e30) })
	return !far && isNumber(a.forward.X, a.forward.Y, a.forward.Z, a.left.X, a.left.Y, a.left.Z, a.up.X, a.up.Y, a.up.Z,
		a.level.X, a.level.Y)
}

// sound returns the number of points of env e, 0 if it has no places (L-20).
func (l lines) sound(e int, borders bool) int {
	n, from := min(int(l.count[e]), l.stride()), e*l.stride()
	if n < 3 || !(l.length[e] <= 1e15) {
		return 0
	}
	large := func(p kernel.Vec3) bool {
		return slices.ContainsFunc([]float32{p.X, p.Y, p.Z}, func(x float32) bool { return !(kernel.Abs(x) <= 1e15) })
	}
	s := float32(0)
	for i := from; i < from+n; i++ {
		if large(l.center[i]) || borders && (large(l.outer[i]) || large(l.inner[i])) || !(l.arclen[i] >= s) {
			return 0
		}
		s = l.arclen[i]
	}
	if !(s <= l.length[e]) {
		return 0
	}
	return n
}

// at returns element i of a row that begins at from and goes around after n.
func at[T any](row []T, from, i, n int) T { return row[from+i%n] }

func lerp(a, b kernel.Vec3, t float32) kernel.Vec3 { return a.Add(b.Sub(a).Scale(t)) }

// numberOr0 is what becomes of a curvature or a speed (L-20).
func numberOr0(x float32) float32 {
	if kernel.Abs(x) <= 1e15 {
		return x
	}
	return 0
}

// look returns the values of all channels at a distance from an agent, by a scan of the line, in float32 (L-22 to
// L-24).
func (l lines) look(e, n int, p kernel.Vec3, a axes, s float32, c preview.Config) map[string]float32 {
	length, from := l.length[e], e*l.stride()
	around := s - float32(kernel.Floor(s/length)*length)
	if around < 0 {
		around += length
	}
	if !(around < length) {
		around = 0
	}
	i := 0
	for k := range n {
		if l.arclen[from+k] <= around {
			i = k
		}
	}
	begin, end := l.arclen[from+i], length
	if i+1 < n {
		end = l.arclen[from+i+1]
	}
	t := float32(0)
	if end-begin > 1e-12 {
		t = kernel.Clamp((around-begin)/(end-begin), 0, 1)
	}
	leftBorder, rightBorder := l.inner, l.outer
	if l.winding[e] < 0 {
		leftBorder, rightBorder = l.outer, l.inner
	}
	q, r := at(l.center, from, i, n), at(l.center, from, i+1, n)
	center := lerp(q, r, t)
	left := lerp(at(leftBorder, from, i, n), at(leftBorder, from, i+1, n), t)
	right := lerp(at(rightBorder, from, i, n), at(rightBorder, from, i+1, n), t)
	number := func(row []float32) float32 {
		x, y := numberOr0(at(row, from, i, n)), numberOr0(at(row, from, i+1, n))
		return x + float32((y-x)*t)
	}
	way := r.Sub(q)
	plan := kernel.V2(way.X, way.Y)
	heading, tangent := kernel.V2(0, 0), kernel.V3(0, 0, 0)
	if plan.Len() >= 1e-12 {
		heading = kernel.V2(plan.X/plan.Len(), plan.Y/plan.Len())
	}
	if size := way.Len(); size >= 1e-12 {
		tangent = a.turn(kernel.V3(way.X/size, way.Y/size, way.Z/size))
	}
	size := float32(c.LengthScale)
	values := map[string]float32{
		preview.WidthLeft: left.Sub(center).Len() * size, preview.WidthRight: right.Sub(center).Len() * size,
		preview.Curvature:  number(l.curvature) * float32(c.CurvatureScale),
		preview.Speed:      number(l.speed) * float32(c.SpeedScale),
		preview.HeadingCos: a.level.Dot(heading), preview.HeadingSin: a.level.Cross(heading),
		preview.TangentX: tangent.X, preview.TangentY: tangent.Y, preview.TangentZ: tangent.Z,
		preview.Height: (center.Z - p.Z) * size, preview.Grade: way.Z / max(plan.Len(), 1e-12)}
	for name, point := range map[string]kernel.Vec3{"center": center, "left": left, "right": right} {
		v := a.turn(point.Sub(p)).Scale(size)
		values[name+"_x"], values[name+"_y"], values[name+"_z"] = v.X, v.Y, v.Z
	}
	return values
}

// observe returns the observations of all agents.
func (l lines) observe(c preview.Config, at agents, borders bool) (values []float32) {
	for i, p := range at.position {
		e := i / c.Agents
		a, n := axesOf(at.orientation[i], c.Frame), l.sound(e, borders)
		for _, d := range c.Distances {
			var seen map[string]float32
			if n > 0 && a.sees(p) && isNumber(at.s[i]) {
				seen = l.look(e, n, p, a, at.s[i]+float32(d), c)
			}
			for _, name := range c.Channels {
				value, ok := seen[name]
				if !ok {
					value = kernel.NaN()
				}
				values = append(values, value)
			}
		}
	}
	return values
}

// courses are a batch of gates.
type courses struct {
	position, forward, left, right []kernel.Vec3
	count                          []int32
}

// observe returns the observations of all agents (L-26).
func (g courses) observe(c preview.GateConfig, at agents) (values []float32) {
	stride := len(g.position) / len(g.count)
	for i, p := range at.position {
		e := i / c.Agents
		a, n := axesOf(at.orientation[i], c.Frame), min(int(g.count[e]), stride)
		for k := range c.Gates {
			seen := map[string]float32{}
			if n > 0 && a.sees(p) {
				j := e*stride + ((int(at.target[i])+k)%n+n)%n
				size := float32(c.LengthScale)
				for name, v := range map[string]kernel.Vec3{"gate": a.turn(g.position[j].Sub(p)).Scale(size),
					"forward": a.turn(g.forward[j]), "gate_left": a.turn(g.left[j].Sub(p)).Scale(size),
					"gate_right": a.turn(g.right[j].Sub(p)).Scale(size)} {
					seen[name+"_x"], seen[name+"_y"], seen[name+"_z"] = v.X, v.Y, v.Z
				}
				seen[preview.HalfSize] = g.left[j].Sub(g.right[j]).Len() * 0.5 * size
				seen[preview.Distance] = g.position[j].Sub(p).Len() * size
			}
			for _, name := range c.Channels {
				value, ok := seen[name]
				if !ok || math.IsNaN(float64(value)) {
					value = kernel.NaN()
				}
				values = append(values, value)
			}
		}
	}
	return values
}
