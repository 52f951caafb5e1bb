package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/borders"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// farthest returns the largest range of the beams of a ring. Numbers that are not negative have the order of their bits.
func (r ring) farthest(distance []float32) float32 {
	far := int32(0)
	for k := r.At; k < r.At+r.N; k++ {
		far = max(far, int32(kernel.Float32Bits(distance[k])))
	}
	return kernel.Float32FromBits(uint32(far))
}

// rangeOf returns the range of direction k, dark if it has no beam.
func (r ring) rangeOf(k int32, dark float32, distance []float32) float32 {
	if k < r.N {
		return distance[r.At+k]
	}
	return dark
}

// isHidden reports whether a spot is farther than what the beams beside it have met.
func (r ring) isHidden(s spot, dark float32, distance []float32) bool {
	far := kernel.Max(r.rangeOf(s.Sector, dark, distance), r.rangeOf(r.next(s.Sector), dark, distance))
	return s.P.Dot(s.P) > float32(far*far)
}

// stretch is the leaves of a closed line that a search has visited: Count successive ones from leaf First on.
type stretch struct{ First, Count int32 }

// has reports whether a stretch has count leaves from leaf first on.
func (s stretch) has(first, count, leaves int32) bool {
	first -= s.First
	if first < 0 {
		first += leaves
	}
	return first+count <= s.Count
}

// visited are the stretches of both borders.
type visited struct{ Inner, Outer stretch }

// beginOf returns the leaf of a border where the search begins.
func beginOf(p kernel.Vec3, l polyline.Line, index []kernel.Quat) int32 {
	if l.N < leastPoints {
		return 0
	}
	return polyline.Begin(p, l, index) / polyline.LeafSegments
}

// explore lets the beams of a ring end at what is around the sensor: it goes along both borders in both directions, from
// the place near the sensor, as far as there is something to see.
func (r ring) explore(origin kernel.Vec3, inner, outer polyline.Line, turn []kernel.Vec2, index []kernel.Quat,
	distance []float32, hit []int32) visited {
	v := visited{Inner: stretch{First: beginOf(origin, inner, index), Count: 0},
		Outer: stretch{First: beginOf(origin, outer, index), Count: 0}}
	var sectors [4]int32
	open := int32(15)
	for step := int32(0); open != 0; step++ {
		side := step & 3 // inner and outer border forwards, inner and outer border backwards
		if open>>(side&31)&1 == 0 {
			continue
		}
		l := inner
		s := v.Inner
		if side&1 == 1 {
			l = outer
			s = v.Outer
		}
		leaves := polyline.Leaves(l.N)
		if l.N < leastPoints || s.Count == leaves {
			open &^= 1 << (side & 31)
			continue
		}
		leaf := s.First + s.Count
		if side >= 2 {
			leaf = s.First - 1
			if leaf < 0 {
				leaf += leaves
			}
			s.First = leaf
		} else if leaf >= leaves {
			leaf -= leaves
		}
		s.Count++
		from := leaf * polyline.LeafSegments
		n := min(polyline.LeafSegments, l.N-from)
		dir := int32(1)
		if side >= 2 {
			from += n
			dir = -1
		}
		p := polyline.Plan(index[l.Base+from]).Sub(r.From)
		var at spot
		if step < 4 {
			at = r.locate(p, turn)
		} else {
			at = r.at(p, sectors[side], turn)
		}
		at = r.follow(at, from, n, dir, Inner+side&1, l, turn, index, distance, hit)
		sectors[side] = at.Sector
		if r.isHidden(at, 0, distance) {
			open &^= 1 << (side & 31)
		}
		if side&1 == 1 {
			v.Outer = s
		} else {
			v.Inner = s
		}
	}
	return v
}

// search lets the beams of a ring end at the leaves of a border that it may see and has not visited.
func (r ring) search(done stretch, far float32, met int32, l polyline.Line, turn []kernel.Vec2, index []kernel.Quat,
	distance []float32, hit []int32) {
	if l.N < leastPoints {
		return
	}
	leaves := polyline.Leaves(l.N)
	nodes := l.Nodes()
	for node := l.First(); node < nodes; {
		i := l.Node(node)
		second := index[i+1]
		if done.has(polyline.FirstLeaf(second), polyline.LeavesOf(second), leaves) ||
			!r.isVisible(index[i], far, turn, distance) {
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			from := polyline.FirstLeaf(second) * polyline.LeafSegments
			s := r.locate(polyline.Plan(index[l.Base+from]).Sub(r.From), turn)
			r.follow(s, from, l.EndOf(second)-from, 1, met, l, turn, index, distance, hit)
		}
		node++
	}
}

// fans has the results of walls, for level sensors whose runs are rings: see ring. It visits the borders once for all
// beams of a run.
//
// One item is a run of beams of one agent. kernelgen cannot prove that runs have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations fanIterations(maxPoints, run)
func fans(i, agents, beams, run, maxPoints int32, reach, gap, placeX, placeY, placeZ float32, position []kernel.Vec3,
	orientation []kernel.Quat, turn []kernel.Vec2, index []kernel.Quat, distance []float32, hit []int32) {
	runs := (beams + run - 1) / run
	agent := i / runs
	k := i % runs
	f := SensorOf(position[agent], orientation[agent], Mount{Place: kernel.V3(placeX, placeY, placeZ), Body: 0})
	r := ring{From: kernel.V2(f.Origin.X, f.Origin.Y), Forward: kernel.V2(f.Forward.X, f.Forward.Y),
		Left: kernel.V2(f.Left.X, f.Left.Y), First: k * RingSize(run), N: min(run, beams-k*run), At: agent*beams + k*run,
		Gap: gap, Near: 0}
	begin := reach
	if !f.Sees() {
		begin = kernel.NaN()
	}
	for k := r.At; k < r.At+r.N; k++ {
		distance[k] = begin
		hit[k] = None
	}
	if !f.Sees() {
		return
	}
	env := agent / agents
	inner := polyline.LineOf(env, borders.Inner, borders.Lines, maxPoints, index)
	outer := polyline.LineOf(env, borders.Outer, borders.Lines, maxPoints, index)
	r.Near = float32(4 * kernel.Max(slackOf(r.From, inner, index), slackOf(r.From, outer, index)))
	v := r.explore(f.Origin, inner, outer, turn, index, distance, hit)
	far := r.farthest(distance) + r.Near
	r.search(v.Inner, far, Inner, inner, turn, index, distance, hit)
	r.search(v.Outer, far, Outer, outer, turn, index, distance, hit)
}
