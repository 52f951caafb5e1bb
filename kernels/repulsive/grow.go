package repulsive

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// What becomes of the curves at the end of a launch.
const (
	GoOn   int32 = iota // they go on
	Check               // those that are done stop
	Finish              // all stop
)

const (
	// MaxPoints is the most points of a curve.
	MaxPoints = 256
	// Neighbours is how many points along the curve, to either side, do not repel a point.
	Neighbours = 2
	// MaxObstacles is the most points of the wall and of an env's discs together.
	MaxObstacles = 288

	softening         = 1e-4 // of the wedge and the distance in the tangent-point energy
	obstacleSoftening = 1e-8 // added to squared distances from obstacles
	minLength         = 1e-9 // floor of lengths that are divided by

	blocks = 16 // parts of a sum
)

// grow does the iterations first to last-1 of the curves that still grow. One group is one env.
//
// A curve comes with before points and gets points points first, if that is another number. Every iteration raises the
// length by the factor ratchet up to its end, and moves the points down the energy by at most step mean edges: the
// tangent-point energy of exponents 3 and 6, and that of the wall and, until the length has been reached, of the discs
// (see begin), both of which repel with the distance to the power -3. filter has two tables of points entries each, for sums and
// differences (see fold), from filterBase on. After every resampleEvery-th iteration the points are spread evenly.
//
// At the end, Check stops curves that have their length and whose area has changed by less than the part areaTolerance since
// the last check, area [E], and Finish stops all. A curve that has stopped is spread evenly
// lastSpreads times and scaled by scale, iterations [E] is set to last, and no later launch changes it. Where an env goes on
// after a check, unfinished[0] is set.
//
//kernel:group lanes=128
func grow(g kernel.Group, active []int32, stride, discStride, before, points, first, last, resampleEvery, lastSpreads, keepDiscs, end int32,
	ratchet, step, areaTolerance, scale float32,
	wall, discPoint []kernel.Vec3, discPoints []int32, filter []float32, filterBase int32,
	lengthEnd, lengthNow, area []float32, curve []kernel.Vec2, iterations, unfinished []int32) {
	var x [MaxPoints]kernel.Vec2       // points of the curve
	var tangent [MaxPoints]kernel.Vec2 // unit vector from the point before to the one after
	var chord [MaxPoints]float32       // distance of those two
	var edge [MaxPoints]kernel.Vec2    // unit vector to the next point
	var length [MaxPoints]float32      // distance of the next point
	var weight [MaxPoints]float32      // mean length of the edges at a point
	var byPoint [MaxPoints]kernel.Vec2 // derivative of the energy by the point, with tangents and weights fixed
	var byTangent [MaxPoints]kernel.Vec2
	var byWeight [MaxPoints]float32
	var slope [MaxPoints]kernel.Quat  // gradient of the energy in x and y, of the length in z and w
	var folded [MaxPoints]kernel.Quat // the same as sums and differences of opposite points
	var arc [MaxPoints]float32        // arc length at the end of each edge
	var part [blocks]kernel.Quat
	var obstacle [MaxObstacles]kernel.Vec3

	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	if iterations[env] != 0 {
		return // it has stopped
	}
	base := env * stride
	discBase := env * discStride
	n := points
	m := n / 2
	share := (n + blocks - 1) / blocks
	walls := int32(len(wall))
	discs := discPoints[env]
	goal := lengthEnd[env]
	target := lengthNow[env]

	for i := range g.Each(before) {
		x[i] = curve[base+i]
	}
	for k := range g.Each(walls) {
		obstacle[k] = wall[k]
	}
	for k := range g.Each(discs) {
		obstacle[walls+k] = discPoint[discBase+k]
	}

	stop := end == Finish
	given := before
	for iteration := first; iteration <= last; iteration++ {
		if iteration == last && end == Check {
			for b := range g.Each(blocks) {
				var sum float32
				for i := b * share; i < (b+1)*share && i < n; i++ {
					sum += x[i].Cross(x[centerline.After(i, n)])
				}
				part[b] = kernel.Quat{X: sum}
			}
			sum := float32(0)
			for b := int32(0); b < blocks; b++ {
				sum += part[b].X
			}
			enclosed := kernel.Abs(float32(0.5 * sum))
			earlier := area[env]
			if target >= goal && kernel.Abs(enclosed-earlier) < float32(areaTolerance*earlier) {
				stop = true
			}
			for range g.Each(1) {
				area[env] = enclosed
			}
		}
		spreads := int32(0)
		if given != n || (iteration > first && iteration%resampleEvery == 0) {
			spreads = 1
		}
		if iteration == last && stop {
			spreads += lastSpreads
		}
		for ; spreads > 0; spreads-- {
			for range g.Each(1) {
				centerline.ArcEnds(given, 0, x[:], arc[:])
			}
			for i := range g.Each(n) {
				byPoint[i] = centerline.PointAtArc(given, 0, x[:], arc[:], float32(float32(i)*arc[given-1])/float32(n))
			}
			for i := range g.Each(n) {
				x[i] = byPoint[i]
			}
			given = n
		}
		if iteration == last {
			break
		}

		target = kernel.Min(float32(ratchet*target), goal)
		obstacles := walls + discs
		if target >= goal && keepDiscs == 0 {
			obstacles = walls
		}

		for i := range g.Each(n) {
			next := x[centerline.After(i, n)]
			d := next.Sub(x[i])
			length[i] = kernel.Max(d.Len(), minLength)
			edge[i] = kernel.V2(d.X/length[i], d.Y/length[i])
			across := next.Sub(x[centerline.Before(i, n)])
			chord[i] = kernel.Max(across.Len(), minLength)
			tangent[i] = kernel.V2(across.X/chord[i], across.Y/chord[i])
		}
		for i := range g.Each(n) {
			weight[i] = float32(0.5 * (length[centerline.Before(i, n)] + length[i]))
		}

		for i := range g.Each(n) {
			// E is the sum over i and j of wi wj (ai^3 + aj^3) / s^3 / 2, with d from i to j, s = |d|^2 + softening^2, and a the length
			// of the wedge of d with a tangent plus softening.
			px := x[i].X
			py := x[i].Y
			tx := tangent[i].X
			ty := tangent[i].Y
			weightSum := float32(0)
			alongSum := float32(0)
			pullX := float32(0)
			pullY := float32(0)
			turnX := float32(0)
			turnY := float32(0)
			j := i + Neighbours
			if j >= n {
				j -= n
			}
			for k := int32(Neighbours + 1); k < n-Neighbours; k++ {
				j++
				if j >= n {
					j = 0
				}
				dx := x[j].X - px
				dy := x[j].Y - py
				ux := tangent[j].X
				uy := tangent[j].Y
				q := 1 / ((float32(dx*dx) + float32(dy*dy)) + softening*softening)
				wi := float32(tx*dy) - float32(ty*dx)
				wj := float32(ux*dy) - float32(uy*dx)
				ai := kernel.Abs(wi) + softening
				aj := kernel.Abs(wj) + softening
				f := float32(weight[j] * float32(q*q*q))
				bi := float32(f * float32(ai*ai))
				bj := float32(f * float32(aj*aj))
				e := float32(bi*ai) + float32(bj*aj)
				bi = kernel.CopySign(bi, wi)
				bj = kernel.CopySign(bj, wj)
				weightSum += e
				alongSum += bi
				turnX += float32(bi * dy)
				turnY += float32(bi * dx)
				eq := float32(2 * float32(e*q))
				pullX += float32(bj*uy) + float32(eq*dx)
				pullY += float32(eq*dy) - float32(bj*ux)
			}
			three := float32(3 * weight[i])
			sumX := float32(three * (float32(alongSum*ty) + pullX))
			sumY := float32(three * (pullY - float32(alongSum*tx)))
			for k := int32(0); k < obstacles; k++ {
				o := obstacle[k]
				dx := px - o.X
				dy := py - o.Y
				q := 1 / ((float32(dx*dx) + float32(dy*dy)) + obstacleSoftening)
				f := float32(-3 * float32(o.Z*float32(float32(q*q)*kernel.Sqrt(q))))
				sumX += float32(f * dx)
				sumY += float32(f * dy)
			}
			byWeight[i] = weightSum
			byTangent[i] = kernel.V2(float32(three*turnX), -float32(three*turnY))
			byPoint[i] = kernel.V2(sumX, sumY)
		}

		for i := range g.Each(n) {
			slope[i] = gradient(i, n, tangent[:], chord[:], edge[:], byPoint[:], byTangent[:], byWeight[:])
		}
		for i := range g.Each(n) {
			folded[i] = fold(i, m, slope[:])
		}
		for i := range g.Each(n) {
			at := filterBase + i + m
			from := int32(0)
			if i >= m {
				at = filterBase + i + n
				from = m
			}
			var sum kernel.Quat
			for j := int32(0); j < m; j++ {
				h := filter[at-j]
				v := folded[from+j]
				sum.X += float32(h * v.X)
				sum.Y += float32(h * v.Y)
				sum.Z += float32(h * v.Z)
				sum.W += float32(h * v.W)
			}
			slope[i] = sum
		}
		for i := range g.Each(n) {
			folded[i] = fold(i, m, slope[:])
		}

		// The direction without its part along the gradient of the length, in the inner product of the filter.
		for b := range g.Each(blocks) {
			var across, along float32
			for i := b * share; i < (b+1)*share && i < n; i++ {
				d := folded[i]
				l := lengthGradient(i, n, edge[:])
				across += float32(d.X*l.X) + float32(d.Y*l.Y)
				along += float32(d.Z*l.X) + float32(d.W*l.Y)
			}
			part[b] = kernel.Quat{X: across, Y: along}
		}
		across := float32(0)
		along := float32(0)
		for b := int32(0); b < blocks; b++ {
			across += part[b].X
			along += part[b].Y
		}
		factor := float32(0)
		if along > 0 {
			factor = across / along
		}
		for i := range g.Each(n) {
			d := folded[i]
			byPoint[i] = kernel.V2(d.X-float32(factor*d.Z), d.Y-float32(factor*d.W))
		}
		for b := range g.Each(blocks) {
			var sum, most float32
			for i := b * share; i < (b+1)*share && i < n; i++ {
				most = kernel.Max(byPoint[i].Dot(byPoint[i]), most)
				sum += length[i]
			}
			part[b] = kernel.Quat{X: sum, Y: most}
		}
		perimeter := float32(0)
		steepest := float32(0)
		for b := int32(0); b < blocks; b++ {
			perimeter += part[b].X
			steepest = kernel.Max(part[b].Y, steepest)
		}
		move := float32(0)
		if steepest > 0 {
			move = float32(step*perimeter) / float32(float32(n)*kernel.Sqrt(steepest))
		}
		for i := range g.Each(n) {
			x[i] = x[i].Sub(byPoint[i].Scale(move))
		}

		// To its length, about its middle.
		for i := range g.Each(n) {
			length[i] = x[centerline.After(i, n)].Sub(x[i]).Len()
		}
		for b := range g.Each(blocks) {
			var sum kernel.Quat
			for i := b * share; i < (b+1)*share && i < n; i++ {
				sum.X += x[i].X
				sum.Y += x[i].Y
				sum.Z += length[i]
			}
			part[b] = sum
		}
		var sum kernel.Quat
		for b := int32(0); b < blocks; b++ {
			sum.X += part[b].X
			sum.Y += part[b].Y
			sum.Z += part[b].Z
		}
		middle := kernel.V2(sum.X/float32(n), sum.Y/float32(n))
		grown := target / kernel.Max(sum.Z, minLength)
		for i := range g.Each(n) {
			x[i] = middle.Add(x[i].Sub(middle).Scale(grown))
		}
	}

	unit := float32(1)
	if stop {
		unit = scale
	}
	for i := range g.Each(n) {
		curve[base+i] = x[i].Scale(unit)
	}
	for range g.Each(1) {
		lengthNow[env] = target
		if stop {
			iterations[env] = last
		} else if end == Check {
			kernel.AtomicOr(unfinished, 0, 1)
		}
	}
}

// gradient returns the derivative of the energy by point i in x and y, tangents and weights included, and that of the
// length of the curve in z and w.
func gradient(i, n int32, tangent []kernel.Vec2, chord []float32, edge, byPoint, byTangent []kernel.Vec2, byWeight []float32) kernel.Quat {
	before := centerline.Before(i, n)
	next := centerline.After(i, n)
	// The tangent at the point before looks to this one, the tangent at the next one comes from here.
	tb := tangent[before]
	bb := byTangent[before]
	tn := tangent[next]
	bn := byTangent[next]
	alongBefore := tb.Dot(bb)
	alongNext := tn.Dot(bn)
	turnX := (bb.X-float32(alongBefore*tb.X))/chord[before] - (bn.X-float32(alongNext*tn.X))/chord[next]
	turnY := (bb.Y-float32(alongBefore*tb.Y))/chord[before] - (bn.Y-float32(alongNext*tn.Y))/chord[next]
	// Both points of an edge have half of it in their weights.
	left := float32(0.5 * (byWeight[before] + byWeight[i]))
	right := float32(0.5 * (byWeight[i] + byWeight[next]))
	l := lengthGradient(i, n, edge)
	return kernel.Quat{
		X: byPoint[i].X + turnX + (float32(left*edge[before].X) - float32(right*edge[i].X)),
		Y: byPoint[i].Y + turnY + (float32(left*edge[before].Y) - float32(right*edge[i].Y)),
		Z: l.X,
		W: l.Y,
	}
}

// fold returns the sum of point i and the opposite one, m points further, for i < m, and the difference of i-m and i for
// the others. Half of what it makes of its own results are the points again.
func fold(i, m int32, v []kernel.Quat) kernel.Quat {
	if i < m {
		a := v[i]
		b := v[i+m]
		return kernel.Quat{X: a.X + b.X, Y: a.Y + b.Y, Z: a.Z + b.Z, W: a.W + b.W}
	}
	a := v[i-m]
	b := v[i]
	return kernel.Quat{X: a.X - b.X, Y: a.Y - b.Y, Z: a.Z - b.Z, W: a.W - b.W}
}

// lengthGradient returns the derivative of the length of the curve by point i.
func lengthGradient(i, n int32, edge []kernel.Vec2) kernel.Vec2 {
	return edge[centerline.Before(i, n)].Sub(edge[i])
}
