package localise_test

import (
	"math"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// lines are closed lines in host memory.
type lines struct {
	center         []kernel.Vec3 // [E, N_max]
	arclen, length []float32     // [E, N_max], [E]
	count          []int32       // [E]
}

// stride returns N_max.
func (l lines) stride() int { return len(l.center) / len(l.count) }

// reference locates agents by a visit to every segment, as C-80 and C-81 say.
type reference struct {
	lines
	agents, window int
	memory         []int32 // [E*A]
}

func newReference(l lines, agents, window int) *reference {
	r := &reference{lines: l, agents: agents, window: window}
	for range len(l.count) * agents {
		r.memory = append(r.memory, -1)
	}
	return r
}

// reset forgets the segments of the agents of the masked envs.
func (r *reference) reset(mask []int32) {
	for i := range r.memory {
		if mask[i/r.agents] != 0 {
			r.memory[i] = -1
		}
	}
}

// frames are the answers for all agents.
type frames struct {
	s, n, up        []float32
	segment, memory []int32
}

func (r *reference) locate(position []kernel.Vec3) (f frames) {
	for i, p := range position {
		e := i / r.agents
		s, n, up := kernel.NaN(), kernel.NaN(), kernel.NaN()
		segment := int32(-1)
		if p == p && min(int(r.count[e]), r.stride()) >= 3 {
			s, n, up, segment = r.at(e, p, r.memory[i])
		}
		r.memory[i] = segment
		f.s, f.n, f.up = append(f.s, s), append(f.n, n), append(f.up, up)
		f.segment, f.memory = append(f.segment, segment), append(f.memory, segment)
	}
	return f
}

// row returns the points of the line of an env.
func (l lines) row(e int) []kernel.Vec3 {
	return l.center[e*l.stride():][:min(int(l.count[e]), l.stride())]
}

// at locates one position.
func (r *reference) at(e int, p kernel.Vec3, memory int32) (s, n, up float32, segment int32) {
	points := r.row(e)
	m := len(points)
	start, span := 0, m
	if r.window > 0 && memory >= 0 && int(memory) < m {
		start, span = int(memory)-r.window, min(2*r.window+1, m)
	}
	best, part, at := float32(1e30), float32(0), 0
	for k := range span {
		i := ((start+k)%m + m) % m
		if d, u := distance(p, points[i], points[(i+1)%m]); d < best {
			best, part, at = d, u, i
		}
	}
	s, n, up = r.frame(e, p, at, part)
	return s, n, up, int32(at)
}

// distance returns the squared distance of p from a segment, and the part of the segment before the foot.
func distance(p, a, b kernel.Vec3) (squared, u float32) {
	x, y, z := b.X-a.X, b.Y-a.Y, b.Z-a.Z
	along := float32((p.X-a.X)*x) + float32((p.Y-a.Y)*y) + float32((p.Z-a.Z)*z)
	size := float32(x*x) + float32(y*y) + float32(z*z)
	if !(size > 1e-12) {
		size = 1e-12
	}
	u = along / size
	if !(u > 0) {
		u = 0
	}
	if u > 1 {
		u = 1
	}
	dx, dy, dz := p.X-(a.X+float32(x*u)), p.Y-(a.Y+float32(y*u)), p.Z-(a.Z+float32(z*u))
	return float32(dx*dx) + float32(dy*dy) + float32(dz*dz), u
}

// frame returns the frame of a foot.
func (r *reference) frame(e int, p kernel.Vec3, i int, u float32) (s, n, up float32) {
	points := r.row(e)
	m := len(points)
	a, b := points[i], points[(i+1)%m]
	s0, s1 := r.arclen[e*r.stride()+i], r.length[e]
	if i+1 < m {
		s1 = r.arclen[e*r.stride()+i+1]
	}
	s = s0 + float32(u*(s1-s0))
	if s >= r.length[e] {
		s -= r.length[e]
	}
	x, y, z := b.X-a.X, b.Y-a.Y, b.Z-a.Z
	off := [3]float32{p.X - (a.X + float32(x*u)), p.Y - (a.Y + float32(y*u)), p.Z - (a.Z + float32(z*u))}
	right, above := axesOf([3]float32{x, y, z})
	return coursetest.OneNaN(s), coursetest.OneNaN(dot(off, right)), coursetest.OneNaN(dot(off, above))
}

// axesOf returns the directions to the right of a way and upwards from it.
func axesOf(way [3]float32) (right, above [3]float32) {
	t := [3]float32{}
	if size := length(way); !(size < 1e-12) {
		t = [3]float32{way[0] / size, way[1] / size, way[2] / size}
	}
	right = cross(t, [3]float32{0, 0, 1})
	if size := length(right); size < 1e-6 {
		right = [3]float32{1, 0, 0}
	} else {
		right = [3]float32{right[0] / size, right[1] / size, right[2] / size}
	}
	return right, cross(right, t)
}

func dot(a, b [3]float32) float32 {
	return float32(a[0]*b[0]) + float32(a[1]*b[1]) + float32(a[2]*b[2])
}

func length(v [3]float32) float32 { return float32(math.Sqrt(float64(dot(v, v)))) }

func cross(a, b [3]float32) [3]float32 {
	return [3]float32{float32(a[1]*b[2]) - float32(a[2]*b[1]), float32(a[2]*b[0]) - float32(a[0]*b[2]),
		float32(a[0]*b[1]) - float32(a[1]*b[0])}
}
