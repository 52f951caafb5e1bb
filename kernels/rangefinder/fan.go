package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/borders"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// mostSteps is how many leaves a search looks at from the hint on.
const mostSteps = 8

// deepest is the number of levels of a tree of the largest line below the root.
const deepest = 24

// stretch is the leaves of a closed line that a search has visited: Count successive ones from leaf First on.
type stretch struct{ First, Count int32 }

// overlap returns how many of the leaves of a node are in a stretch of a line with that many leaves in total.
func (s stretch) overlap(of polyline.Subtree, leaves int32) int32 {
	end := of.First + of.Count
	stop := s.First + s.Count
	n := max(min(end, stop)-max(of.First, s.First), 0)
	return n + max(min(end, stop-leaves)-of.First, 0) // what is beyond the end of the line
}

// visited are the stretches of both borders.
type visited struct{ Inner, Outer stretch }

// beginOf returns the leaf of a border where the search begins, if other is the other border. It is near hint, the leaf
// of the last search, if a leaf there is less than the width of the road away; else it follows from the tree. No result
// depends on it.
func beginOf(p kernel.Vec3, hint int32, l, other polyline.Line, index []kernel.Quat) int32 {
	if l.N < leastPoints {
		return 0
	}
	leaves := polyline.Leaves(l.N)
	leaf := min(max(hint, 0), leaves-1)
	away := squaredTo(kernel.V2(p.X, p.Y), index[l.Leaf+leaf])
	step := int32(1)
	for n := int32(0); n < mostSteps && away > 0; n++ {
		next := wrapped(leaf+step, leaves)
		d := squaredTo(kernel.V2(p.X, p.Y), index[l.Leaf+next])
		if d < away {
			leaf = next
			away = d
			continue
		}
		if step < 0 || n > 0 {
			break
		}
		step = -1
	}
	i := min(leaf*polyline.LeafSegments, other.N)
	across := polyline.Plan(index[other.Base+i]).Sub(polyline.Plan(index[l.Base+i]))
	if away < across.Dot(across) {
		return leaf
	}
	return polyline.Begin(p, l, index) / polyline.LeafSegments
}

// explore lets the beams of a ring end at what is around the sensor: it goes along both borders in both directions,
// from the places of v, as far as there is something to see. It returns what it has visited.
func explore(v visited, inner, outer polyline.Line, e eye, r ring, s scale, turn []kernel.Vec2, index []kernel.Quat,
	distance []float32, hit []int32) visited {
	var sectors [4]int32
	open := int32(15)
	for turns := int32(0); open != 0; turns++ {
		side := turns & 3 // inner and outer border forwards, inner and outer border backwards
		if open>>(side&31)&1 == 0 {
			continue
		}
		l := inner
		done := v.Inner
		if side&1 == 1 {
			l = outer
			done = v.Outer
		}
		leaves := polyline.Leaves(l.N)
		if l.N < leastPoints || done.Count == leaves {
			open &^= 1 << (side & 31)
			continue
		}
		leaf := done.First + done.Count
		step := int32(1)
		if side >= 2 {
			leaf = done.First - 1
			step = -1
		}
		leaf = wrapped(leaf, leaves)
		if side >= 2 {
			done.First = leaf
		}
		done.Count++
		from := leaf * polyline.LeafSegments
		to := min(from+polyline.LeafSegments, l.N)
		n := to - from
		if side >= 2 {
			to = from
			from += n
		}
		if turns < 4 {
			sectors[side] = sectorOf(polyline.Plan(index[l.Base+from]).Sub(e.From), e, r, s, turn)
		}
		sector := follow(sectors[side], from, n, step, Inner+side&1, s.Near, l, e, r, turn, index, distance, hit)
		sectors[side] = sector
		if isHidden(polyline.Plan(index[l.Base+to]).Sub(e.From), sector, r, distance) {
			open &^= 1 << (side & 31)
		}
		if side&1 == 1 {
			v.Outer = done
		} else {
			v.Inner = done
		}
	}
	return v
}

// wrapped returns the leaf of a closed line that is at most one beyond its ends.
func wrapped(leaf, leaves int32) int32 {
	if leaf < 0 {
		leaf = leaves - 1
	}
	if leaf >= leaves {
		leaf -= leaves
	}
	return leaf
}

// search lets the beams of a ring end at the leaves of a border that it may see and has not visited.
func search(done stretch, far float32, met int32, l polyline.Line, e eye, r ring, s scale, turn []kernel.Vec2,
	index []kernel.Quat, distance []float32, hit []int32) {
	if l.N < leastPoints {
		return
	}
	leaves := polyline.Leaves(l.N)
	var later [deepest]polyline.Subtree
	at := l.Whole()
	for top := int32(0); top >= 0; {
		n := done.overlap(at, leaves)
		if at.Count > 1 && n < at.Count && (n > 0 || isVisible(index[l.Node(at.Node)], e.From, far, r, s, distance)) {
			later[top] = at.Right()
			at = at.Left()
			top++
			continue
		}
		if n == 0 && at.Count == 1 && isVisible(index[l.Leaf+at.First], e.From, far, r, s, distance) {
			from := at.First * polyline.LeafSegments
			sector := sectorOf(polyline.Plan(index[l.Base+from]).Sub(e.From), e, r, s, turn)
			follow(sector, from, min(polyline.LeafSegments, l.N-from), 1, met, s.Near, l, e, r, turn, index, distance, hit)
		}
		top--
		if top >= 0 {
			at = later[top]
		}
	}
}

// fan measures the beams of run i of all runs: see fans.
func fan(i, agents, beams, run, maxPoints int32, reach, perGap, placeX, placeY, placeZ float32, position []kernel.Vec3,
	orientation []kernel.Quat, turn []kernel.Vec2, index []kernel.Quat, hint []int32, distance []float32, hit []int32) {
	runs := (beams + run - 1) / run
	agent := i / runs
	k := i % runs
	f := SensorOf(position[agent], orientation[agent], Mount{Place: kernel.V3(placeX, placeY, placeZ), Body: 0})
	r := ring{First: k * RingSize(run), N: min(run, beams-k*run), At: agent*beams + k*run}
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
	e := eye{From: kernel.V2(f.Origin.X, f.Origin.Y), Forward: kernel.V2(f.Forward.X, f.Forward.Y),
		Left: kernel.V2(f.Left.X, f.Left.Y)}
	inner := polyline.LineOf(agent/agents, borders.Inner, borders.Lines, maxPoints, index)
	outer := polyline.LineOf(agent/agents, borders.Outer, borders.Lines, maxPoints, index)
	s := scale{Middle: e.way(turn[r.First+r.N+Dark+1]), PerGap: perGap,
		Near: float32(4 * kernel.Max(slackOf(e.From, inner, index), slackOf(e.From, outer, index)))}
	leaf := beginOf(f.Origin, hint[i], inner, outer, index)
	hint[i] = leaf
	other := leaf
	if outer.N != inner.N {
		other = beginOf(f.Origin, leaf, outer, inner, index)
	}
	v := visited{Inner: stretch{First: leaf, Count: 0}, Outer: stretch{First: other, Count: 0}}
	v = explore(v, inner, outer, e, r, s, turn, index, distance, hit)
	far := farthest(r, distance) + s.Near
	search(v.Inner, far, Inner, inner, e, r, s, turn, index, distance, hit)
	search(v.Outer, far, Outer, outer, e, r, s, turn, index, distance, hit)
}

// groupRuns is how many runs of beams are one group. A block of fewer threads than that of a thread kernel has more
// registers for each of them.
const groupRuns = 32

// GroupsOf returns the number of groups for a number of runs of beams.
func GroupsOf(runs int) int { return (runs + groupRuns - 1) / groupRuns }

// fans has the results of walls, for level sensors whose runs of at most run beams are rings. It visits the borders
// once for all beams of a run. turn has the rings of an agent: see RingSize. perGap is 1 over the angle between two
// beams. hint has a number for each of the runs in total, where its next search begins, which changes no result.
//
// One group is groupRuns runs. kernelgen cannot prove that runs have no element in common.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations fanIterations(maxPoints, run, lanes)
func fans(g kernel.Group, total, agents, beams, run, maxPoints int32, reach, perGap, placeX, placeY, placeZ float32,
	position []kernel.Vec3, orientation []kernel.Quat, turn []kernel.Vec2, index []kernel.Quat, hint []int32,
	distance []float32, hit []int32) {
	first := g.ID * groupRuns
	for k := range g.Each(min(groupRuns, total-first)) {
		fan(first+k, agents, beams, run, maxPoints, reach, perGap, placeX, placeY, placeZ, position, orientation, turn, index,
			hint, distance, hit)
	}
}
