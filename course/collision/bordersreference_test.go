package collision_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// ruleBox is a box of C-70, with the formulas as they are written.
type ruleBox struct {
	p        kernel.Vec2
	h        kernel.Vec2
	cos, sin float32
	corner   [4]kernel.Vec2
}

func ruleBoxOf(p kernel.Vec3, q kernel.Quat, h kernel.Vec2) ruleBox {
	y := float32(2 * (float32(q.W*q.Z) + float32(q.X*q.Y)))
	x := 1 - float32(2*(float32(q.Y*q.Y)+float32(q.Z*q.Z)))
	b := ruleBox{p: kernel.V2(p.X, p.Y), h: h, cos: 1}
	if size := max(kernel.Abs(x), kernel.Abs(y)); size != 0 {
		x, y = x/size, y/size
		length := root(float32(x*x) + float32(y*y))
		b.cos, b.sin = x/length, y/length
	}
	for k, sign := range [4][2]float32{{1, 1}, {-1, 1}, {-1, -1}, {1, -1}} {
		sx, sy := sign[0]*h.X, sign[1]*h.Y
		b.corner[k] = kernel.V2((b.p.X+float32(b.cos*sx))+float32(-b.sin*sy), (b.p.Y+float32(b.sin*sx))+float32(b.cos*sy))
	}
	return b
}

func root(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// ruleMin and ruleMax are those of C-2.
func ruleMin(a, b float32) float32 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return min(a, b)
}

func ruleMax(a, b float32) float32 { return -ruleMin(-a, -b) }

func (b ruleBox) toBox(v kernel.Vec2) kernel.Vec2 {
	return kernel.V2(float32(b.cos*v.X)-float32(-b.sin*v.Y), float32(-b.sin*v.X)+float32(b.cos*v.Y))
}

func (b ruleBox) boxdist(v kernel.Vec2) float32 {
	x, y := ruleMax(kernel.Abs(v.X)-b.h.X, 0), ruleMax(kernel.Abs(v.Y)-b.h.Y, 0)
	return root(float32(x*x) + float32(y*y))
}

func (b ruleBox) slab(u, v kernel.Vec2) bool {
	low, high := float32(0), float32(1)
	for _, axis := range [2][3]float32{{u.X, v.X, b.h.X}, {u.Y, v.Y, b.h.Y}} {
		a, d, h := axis[0], axis[1]-axis[0], axis[2]
		if kernel.Abs(d) < 1e-12 {
			if a < -h || a > h {
				return false
			}
			continue
		}
		t1, t2 := (-h-a)/d, (h-a)/d
		low, high = ruleMax(low, ruleMin(t1, t2)), ruleMin(high, ruleMax(t1, t2))
		if low > high {
			return false
		}
	}
	return true
}

func ruleNear(p, a, b kernel.Vec2) kernel.Vec2 {
	ab := b.Sub(a)
	t := float32(0)
	if squared := ab.Dot(ab); squared > 1e-12 {
		t = ruleMin(ruleMax(0, p.Sub(a).Dot(ab)/squared), 1)
	}
	return kernel.V2(a.X+float32(ab.X*t), a.Y+float32(ab.Y*t))
}

func ruleRay(p, a, b kernel.Vec2) bool {
	return (a.Y > p.Y) != (b.Y > p.Y) && p.X < a.X+float32((p.Y-a.Y)*(b.X-a.X))/(b.Y-a.Y)
}

// ruleContact is the answer of C-71 to C-73 for a box.
type ruleContact struct {
	oob, boundary   int32
	distance        float32
	nearest, normal kernel.Vec2
}

// ruleOf answers by the text of the rules, with a visit to every segment.
func ruleOf(p kernel.Vec3, q kernel.Quat, h kernel.Vec2, inner, outer, center []kernel.Vec3) ruleContact {
	nan := kernel.NaN()
	c := ruleContact{boundary: -1, distance: nan, nearest: kernel.V2(nan, nan), normal: kernel.V2(nan, nan)}
	if p.X != p.X || p.Y != p.Y || p.Z != p.Z {
		return c
	}
	if len(inner) < 3 {
		c.oob = 1
		return c
	}
	b := ruleBoxOf(p, q, h)
	best, segment, crossed := float32(1e30), -1, false
	var count [2][4]int
	var least [2][4]float32
	for border, line := range [2][]kernel.Vec3{inner, outer} {
		least[border] = [4]float32{1e30, 1e30, 1e30, 1e30}
		for i := range line {
			u, v := plan(line[i]), plan(line[(i+1)%len(line)])
			candidate, point := float32(1e30), u
			for k, corner := range b.corner {
				foot := ruleNear(corner, u, v)
				away := corner.Sub(foot)
				distance := root(away.Dot(away))
				if distance < candidate {
					candidate, point = distance, foot
				}
				least[border][k] = ruleMin(least[border][k], distance)
				if ruleRay(corner, u, v) {
					count[border][k]++
				}
			}
			if distance := b.boxdist(b.toBox(u.Sub(b.p))); distance < candidate {
				candidate, point = distance, u
			}
			if b.slab(b.toBox(u.Sub(b.p)), b.toBox(v.Sub(b.p))) {
				crossed, candidate, point = true, 0, ruleNear(b.p, u, v)
			}
			if candidate < best {
				best, c.nearest, c.boundary, segment = candidate, point, int32(border), i
			}
		}
	}
	c.distance = best
	if inside, deepest := ruleDepth(count, least); !inside || crossed {
		c.oob, c.distance = 1, -deepest
	}
	if segment >= 0 {
		line := [2][]kernel.Vec3{inner, outer}[c.boundary]
		along := plan(line[(segment+1)%len(line)]).Sub(plan(line[segment]))
		c.normal = ruleNormal(along, plan(center[segment]).Sub(c.nearest))
	}
	return c
}

// ruleDepth returns whether all corners are on the road, and the depth of the deepest one.
func ruleDepth(count [2][4]int, least [2][4]float32) (inside bool, deepest float32) {
	inside = true
	for k := range count[0] {
		depth := float32(0)
		if count[0][k]%2 == 1 {
			depth, inside = least[0][k], false
		}
		if count[1][k]%2 == 0 {
			depth, inside = ruleMax(depth, least[1][k]), false
		}
		deepest = max(deepest, depth)
	}
	return inside, deepest
}

// ruleNormal returns the unit normal of a segment with the direction along, to the side of in.
func ruleNormal(along, in kernel.Vec2) kernel.Vec2 {
	n := kernel.V2(-along.Y, along.X)
	if root(n.Dot(n)) < 1e-8 {
		n = in
	}
	length := ruleMax(root(n.Dot(n)), 1e-8)
	n = kernel.V2(n.X/length, n.Y/length)
	if in.Dot(n) < 0 {
		return kernel.V2(-n.X, -n.Y)
	}
	return n
}

func plan(p kernel.Vec3) kernel.Vec2 { return kernel.V2(p.X, p.Y) }

// sameNumber reports whether two floats have the same bits, or are both no number.
func sameNumber(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// The answers have the bits of the rules as they are written, with any boxes and tracks.
func TestBordersAgainstTheRule(t *testing.T) {
	const boxes = 12
	device := coursetest.OpenCPU(t, backend.Workers(1))
	outside, crossing := 0, 0
	for seed := range uint64(3) {
		r, draw := mixedRoads(seed), rand.New(rand.NewPCG(seed, 6))
		b := bordersOf(t, device, r.source(t, device), collision.BordersConfig{Boxes: boxes})
		s := r.drawScene(draw, boxes)
		got := answersOf(t, b, boxInputsOf(t, device, s))
		for i := range s.position {
			env := i / boxes
			low, n := env*r.stride, max(0, min(int(r.count[env]), r.stride))
			want := ruleOf(s.position[i], s.turn[i], s.half[i], r.inner[low:low+n], r.outer[low:low+n], r.center[low:low+n])
			if want.oob != got.OutOfBounds[i] || want.boundary != got.Boundary[i] ||
				!sameNumber(want.distance, got.Distance[i]) ||
				!sameNumber(want.nearest.X, got.Nearest[i].X) || !sameNumber(want.nearest.Y, got.Nearest[i].Y) ||
				!sameNumber(want.normal.X, got.Normal[i].X) || !sameNumber(want.normal.Y, got.Normal[i].Y) {
				t.Fatalf("seed %d, env %d, box %v %v %v:\ngot  %v\nwant %v", seed, env, s.position[i], s.turn[i], s.half[i],
					contactAt(got, i), want)
			}
			outside += int(want.oob)
			if want.oob == 1 && want.distance == 0 {
				crossing++
			}
		}
	}
	require.Greater(t, outside, 100)
	require.Positive(t, crossing)
	t.Logf("%d boxes out of bounds, %d of them with all corners on the road", outside, crossing)
}
