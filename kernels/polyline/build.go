package polyline

import "github.com/trackgen-go/trackgen/kernel"

const (
	growth    = 1.0 / (1 << 19) // of a box, as a part of the largest coordinate
	minGrowth = 1.0 / (1 << 40)
	minRise   = 1.0 / (1 << 108) // of a segment that is not level: see the package
)

// box is an axis-aligned box in space.
type box struct{ low, high kernel.Vec3 }

// place is the place of a node in the tree.
type place struct {
	node        int32
	leaf, count int32 // the first leaf, and their number; 0 if there is no node
}

// placeAt returns the node at a level, which is 0 for the root. turn has a bit for each level below the root, the
// highest for the first: 0 for the first child, 1 for the second.
func placeAt(level, turn, leaves int32) place {
	at := place{node: 0, leaf: 0, count: leaves}
	for bit := level - 1; bit >= 0; bit-- {
		if at.count < 2 {
			return place{node: 0, leaf: 0, count: 0}
		}
		first := (at.count + 1) / 2
		if turn>>(bit&31)&1 == 0 {
			at = place{node: at.node + 1, leaf: at.leaf, count: first}
		} else {
			at = place{node: at.node + 2*first, leaf: at.leaf + first, count: at.count - first}
		}
	}
	return at
}

// leafNode returns the node of a leaf of a line.
func leafNode(leaf, leaves int32) int32 {
	at := place{node: 0, leaf: 0, count: leaves}
	for at.count > 1 {
		first := (at.count + 1) / 2
		if leaf < at.leaf+first {
			at = place{node: at.node + 1, leaf: at.leaf, count: first}
		} else {
			at = place{node: at.node + 2*first, leaf: at.leaf + first, count: at.count - first}
		}
	}
	return at.node
}

// levels returns the number of levels of a tree, that of the root included.
func levels(leaves int32) int32 {
	n := int32(1)
	for leaves > 1 {
		leaves = (leaves + 1) / 2
		n++
	}
	return n
}

// boxOfLeaf returns the box of a leaf of a line of n points, the first of which is point[base].
func boxOfLeaf(leaf, n, base int32, point []kernel.Vec3) box {
	from := point[base+leaf*LeafSegments]
	b := box{low: from, high: from}
	sound := usable(from)
	for i := leaf*LeafSegments + 1; i <= (leaf+1)*LeafSegments && i <= n; i++ {
		to := point[base]
		if i < n {
			to = point[base+i]
		}
		rise := kernel.Abs(to.Y - from.Y)
		sound = sound && usable(to) && (rise == 0 || rise >= minRise)
		b.low = lowest(b.low, to)
		b.high = highest(b.high, to)
		from = to
	}
	if !sound {
		far := kernel.Inf()
		return box{low: kernel.V3(-far, -far, -far), high: kernel.V3(far, far, far)}
	}
	grow := kernel.V3(growthOf(b.low.X, b.high.X), growthOf(b.low.Y, b.high.Y), growthOf(b.low.Z, b.high.Z))
	return box{low: b.low.Sub(grow), high: b.high.Add(grow)}
}

// usable reports whether boxes hold for a point.
func usable(p kernel.Vec3) bool {
	return kernel.Abs(p.X) <= Limit && kernel.Abs(p.Y) <= Limit && kernel.Abs(p.Z) <= Limit
}

// growthOf returns how much a box grows on an axis.
func growthOf(low, high float32) float32 {
	return float32(growth*kernel.Max(kernel.Abs(low), kernel.Abs(high))) + minGrowth
}

func lowest(a, b kernel.Vec3) kernel.Vec3 {
	return kernel.V3(kernel.Min(a.X, b.X), kernel.Min(a.Y, b.Y), kernel.Min(a.Z, b.Z))
}

func highest(a, b kernel.Vec3) kernel.Vec3 {
	return kernel.V3(kernel.Max(a.X, b.X), kernel.Max(a.Y, b.Y), kernel.Max(a.Z, b.Z))
}

// entry returns element i of a line in the index as build begins it: the number of points, a point, or zeros.
func entry(i, env, maxPoints int32, l Line, point []kernel.Vec3) kernel.Quat {
	q := kernel.Quat{X: 0, Y: 0, Z: 0, W: 0}
	if i == 0 {
		q.X = Coded(l.N)
	} else if l.N > 0 && i <= l.N+1 {
		p := point[env*maxPoints]
		if i <= l.N {
			p = point[env*maxPoints+i-1]
		}
		q = kernel.Quat{X: p.X, Y: p.Y, Z: p.Z, W: 0}
	}
	return q
}

// build writes one line of the active envs to the index, points and nodes, with 0 for W of the points: see the package.
// point is [E, maxPoints]. All other elements of the line become 0, and so do those of a line of fewer than 3 points.
//
// The boxes of leaves come first, then those of the other nodes, from the lowest level to the root. kernelgen cannot
// prove that the elements that a level reads are those of the levels before.
//
//kernel:group lanes=64
//kernel:unproven
//kernel:iterations buildIterations(maxPoints, lanes)
func build(g kernel.Group, active []int32, maxPoints, lines, line int32, point []kernel.Vec3, count []int32,
	index []kernel.Quat) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	l := lineToBe(env, line, lines, maxPoints, count)
	for i := range g.Each(Size(maxPoints)) {
		index[l.Base-1+i] = entry(i, env, maxPoints, l, point)
	}
	if l.N == 0 {
		return
	}
	leaves := Leaves(l.N)
	for leaf := range g.Each(leaves) {
		b := boxOfLeaf(leaf, l.N, env*maxPoints, point)
		at := l.Node(leafNode(leaf, leaves))
		plan := kernel.Quat{X: b.low.X, Y: b.low.Y, Z: b.high.X, W: b.high.Y}
		index[l.Leaf+leaf] = plan
		index[at] = plan
		index[at+1] = kernel.Quat{X: b.low.Z, Y: b.high.Z, Z: Coded(leaf), W: Coded(1)}
	}
	for level := levels(leaves) - 2; level >= 0; level-- {
		for turn := range g.Each(1 << (level & 31)) {
			p := placeAt(level, turn, leaves)
			if p.count > 1 {
				first := l.Node(p.node + 1)
				second := l.Node(p.node + 2*((p.count+1)/2))
				a := index[first]
				b := index[second]
				c := index[first+1]
				d := index[second+1]
				at := l.Node(p.node)
				index[at] = kernel.Quat{X: kernel.Min(a.X, b.X), Y: kernel.Min(a.Y, b.Y),
					Z: kernel.Max(a.Z, b.Z), W: kernel.Max(a.W, b.W)}
				index[at+1] = kernel.Quat{X: kernel.Min(c.X, d.X), Y: kernel.Max(c.Y, d.Y),
					Z: Coded(p.leaf), W: Coded(p.count)}
			}
		}
	}
	for range g.Each(1) {
		root := index[l.Node(0)]
		extent := kernel.Max(kernel.Max(kernel.Abs(root.X), kernel.Abs(root.Z)),
			kernel.Max(kernel.Abs(root.Y), kernel.Abs(root.W)))
		index[l.Base-1] = kernel.Quat{X: Coded(l.N), Y: extent, Z: 0, W: 0}
	}
}

// measure writes the arc lengths of one line of the active envs to the index, to W of its points, and the length of the
// closed line to that of the element after the last point. arclen is [E, maxPoints], length is [E]. It follows points
// or build. A line of fewer than 3 points is left as it is.
//
//kernel:group lanes=64
//kernel:iterations measureIterations(maxPoints, lanes)
func measure(g kernel.Group, active []int32, maxPoints, lines, line int32, arclen, length []float32, count []int32,
	index []kernel.Quat) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	l := lineToBe(env, line, lines, maxPoints, count)
	if l.N == 0 {
		return
	}
	for i := range g.Each(l.N + 1) {
		s := length[env]
		if i < l.N {
			s = arclen[env*maxPoints+i]
		}
		p := index[l.Base+i]
		index[l.Base+i] = kernel.Quat{X: p.X, Y: p.Y, Z: p.Z, W: s}
	}
}
