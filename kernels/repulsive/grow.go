package repulsive

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

const (
	// MaxPoints is the most points of a curve.
	MaxPoints = 256
	// Neighbours is how many points along the curve, to either side, do not repel a point.
	Neighbours = 2
	// Reach is for how many distances along the curve a phase does all pairs.
	Reach = 3

	softening         = 1e-4 // of the wedge and the distance in the tangent-point energy
	obstacleSoftening = 1e-8 // added to squared distances from obstacles
	minLength         = 1e-9 // floor of lengths that are divided by

	blocks = 8                  // parts of a sum: with more, adding them up takes the most registers of all
	share  = MaxPoints / blocks // points of a part
)

// grow does the iterations first to last-1 of the curves that still grow. One group is one env.
//
// A curve comes with before points and gets points points first, if that is another number. Every iteration raises the
// length by the factor ratchet up to its end, and moves the points down the energy by at most step mean edges: the
// tangent-point energy of exponents 3 and 6, and that of the env's obstacles, which repel with the distance to the power -3.
// The first walls of them are the wall; the others, the discs, count until the length has been reached, or always if
// keepDiscs is not 0 (see begin). filter has two tables of points entries each, for sums and differences (see fold), from
// filterBase on. Before each iteration whose number is a multiple of resampleEvery the points are spread evenly.
//
//kernel:group lanes=128
//kernel:iterations GrowIterations(before, points, last - first, resampleEvery, obstacleStride, lanes)
func grow(g kernel.Group, active []int32, stride, obstacleStride, walls, before, points, first, last, resampleEvery, keepDiscs int32, ratchet, step float32,
	obstacle []kernel.Vec3, obstacles []int32, filter []float32, filterBase int32,
	lengthEnd, lengthNow []float32, iterations []int32, curve []kernel.Vec2) {
	var x [MaxPoints]kernel.Vec2 // points of the curve
	// Of a point: the unit vector from the one before to the one after in x and y, the distance of those two in z, and the
	// mean length of its edges, which is its weight, in w.
	var frame [MaxPoints]kernel.Quat
	var edge [MaxPoints]kernel.Vec2          // unit vector to the next point, then the direction of the step
	var length [MaxPoints]float32            // distance of the next point; arc length at the end of each edge while points are spread
	var gathered [MaxPoints]kernel.Quat      // of the pairs of a point, see below; then what fold makes of slope
	var passed [MaxPoints][Reach]kernel.Quat // what the pairs that a point does are to the points at their other ends
	var slope [MaxPoints]kernel.Quat         // gradient of the energy in x and y, of the length in z and w
	var part [blocks]kernel.Quat

	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	if iterations[env] != 0 {
		return // it has stopped
	}
	base := env * stride
	obstacleBase := env * obstacleStride
	n := points
	m := n / 2
	every := obstacles[env]
	goal := lengthEnd[env]
	target := lengthNow[env]

	for i := range g.Each(before) {
		x[i] = curve[base+i]
	}

	for iteration := first; iteration < last; iteration++ {
		given := n
		if iteration == first {
			given = before
		}
		if given != n || (iteration > 0 && iteration%resampleEvery == 0) {
			for range g.Each(1) {
				centerline.ArcEnds(given, 0, x[:], length[:])
			}
			for i := range g.Each(n) {
				edge[i] = centerline.PointAtArc(given, 0, x[:], length[:], float32(float32(i)*length[given-1])/float32(n))
			}
			for i := range g.Each(n) {
				x[i] = edge[i]
			}
		}

		target = kernel.Min(float32(ratchet*target), goal)
		repelling := every
		if target >= goal && keepDiscs == 0 {
			repelling = walls
		}

		for i := range g.Each(n) {
			next := x[centerline.After(i, n)]
			d := next.Sub(x[i])
			length[i] = kernel.Max(d.Len(), minLength)
			edge[i] = kernel.V2(d.X/length[i], d.Y/length[i])
			across := next.Sub(x[centerline.Before(i, n)])
			chord := kernel.Max(across.Len(), minLength)
			frame[i] = kernel.Quat{X: across.X / chord, Y: across.Y / chord, Z: chord}
		}
		for i := range g.Each(n) {
			frame[i].W = float32(0.5 * (length[centerline.Before(i, n)] + length[i]))
		}

		for i := range g.Each(n) {
			gathered[i] = kernel.Quat{}
		}
		for near := int32(Neighbours + 1); near <= m; near += Reach {
			// The energy of points i and j is E = wi wj (ai^3 + aj^3) / s^3, with d from i to j, s = |d|^2 + softening^2, and a the
			// length of the wedge of d with a tangent plus softening. Point i does it for both: x and y are 1/3 of its derivative by
			// point i, and -1/3 of that by j, z is E, and w is -1/3 of the derivative by the angle of the tangent of i, or of j.
			// Products are grouped so that few come after the division, on which everything waits.
			for i := range g.Each(n) {
				pushX := float32(0)
				pushY := float32(0)
				energy := float32(0)
				turn := float32(0)
				w := float32(0.125 * frame[i].W) // for q is 2/s
				far := m                         // of opposite points, one does the pair
				if i >= m {
					far = m - 1
				}
				for k := int32(0); k < Reach; k++ {
					if near+k > far {
						passed[i][k] = kernel.Quat{}
						continue
					}
					j := i + near + k
					if j >= n {
						j -= n
					}
					dx := x[j].X - x[i].X
					dy := x[j].Y - x[i].Y
					q := 2 / ((float32(dx*dx) + float32(dy*dy)) + softening*softening)
					si := float32(frame[i].X*dy) - float32(frame[i].Y*dx)
					sj := float32(frame[j].X*dy) - float32(frame[j].Y*dx)
					f := float32(float32(q*q) * float32(q*float32(w*frame[j].W)))
					ai := kernel.Abs(si) + softening
					aj := kernel.Abs(sj) + softening
					si += kernel.CopySign(softening, si)
					sj += kernel.CopySign(softening, sj)
					ai = float32(ai * si)
					aj = float32(aj * sj)
					bi := float32(f * ai)
					bj := float32(f * aj)
					e := float32(f * (float32(ai*si) + float32(aj*sj)))
					eq := float32(e * q)
					fx := (float32(bi*frame[i].Y) + float32(bj*frame[j].Y)) + float32(eq*dx)
					fy := float32(eq*dy) - (float32(bi*frame[i].X) + float32(bj*frame[j].X))
					passed[i][k] = kernel.Quat{X: fx, Y: fy, Z: e, W: float32(bj * (float32(frame[j].X*dx) + float32(frame[j].Y*dy)))}
					pushX += fx
					pushY += fy
					energy += e
					turn += float32(bi * (float32(frame[i].X*dx) + float32(frame[i].Y*dy)))
				}
				gathered[i].X += pushX
				gathered[i].Y += pushY
				gathered[i].Z += energy
				gathered[i].W += turn
			}
			for j := range g.Each(n) {
				s := gathered[j]
				i := j - near
				if i < 0 {
					i += n
				}
				for k := int32(0); k < Reach; k++ {
					s.X -= passed[i][k].X
					s.Y -= passed[i][k].Y
					s.Z += passed[i][k].Z
					s.W += passed[i][k].W
					i = centerline.Before(i, n)
				}
				gathered[j] = s
			}
		}
		for i := range g.Each(n) {
			px := x[i].X
			py := x[i].Y
			pullX := float32(0)
			pullY := float32(0)
			for k := int32(0); k < repelling; k++ {
				o := obstacle[obstacleBase+k]
				dx := px - o.X
				dy := py - o.Y
				s := (float32(dx*dx) + float32(dy*dy)) + obstacleSoftening
				q := 1 / s
				f := float32(float32(float32(o.Z*q)*float32(q*q)) * kernel.Sqrt(s))
				pullX += float32(f * dx)
				pullY += float32(f * dy)
			}
			gathered[i].X = float32(3 * (gathered[i].X - pullX))
			gathered[i].Y = float32(3 * (gathered[i].Y - pullY))
			gathered[i].Z = gathered[i].Z / frame[i].W
			gathered[i].W = float32(3*gathered[i].W) / frame[i].Z
		}

		for i := range g.Each(n) {
			slope[i] = gradient(i, n, frame[:], edge[:], gathered[:])
		}
		for i := range g.Each(n) {
			gathered[i] = fold(i, m, slope[:])
		}
		for i := range g.Each(n) {
			at := filterBase + i + m
			from := int32(0)
			if i >= m {
				at = filterBase + i + n
				from = m
			}
			var s kernel.Quat
			for j := int32(0); j < m; j++ {
				h := filter[at-j]
				v := gathered[from+j]
				s.X += float32(h * v.X)
				s.Y += float32(h * v.Y)
				s.Z += float32(h * v.Z)
				s.W += float32(h * v.W)
			}
			slope[i] = s
		}
		for i := range g.Each(n) {
			gathered[i] = fold(i, m, slope[:])
		}

		// The direction without its part along the gradient of the length, in the inner product of the filter.
		for b := range g.Each(blocks) {
			var across, along float32
			for i := b * share; i < (b+1)*share && i < n; i++ {
				d := gathered[i]
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
			d := gathered[i]
			edge[i] = kernel.V2(d.X-float32(factor*d.Z), d.Y-float32(factor*d.W))
		}
		for b := range g.Each(blocks) {
			var sum, most float32
			for i := b * share; i < (b+1)*share && i < n; i++ {
				most = kernel.Max(edge[i].Dot(edge[i]), most)
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
			x[i] = x[i].Sub(edge[i].Scale(move))
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

	for i := range g.Each(n) {
		curve[base+i] = x[i]
	}
	for range g.Each(1) {
		lengthNow[env] = target
	}
}

// gradient returns the derivative of the energy by point i in x and y, tangents and weights included, and that of the
// length of the curve in z and w. by has the derivatives by the points with tangents and weights fixed, in x and y, by the
// weights in z, and in w by the angles of the tangents, divided by minus their chords.
func gradient(i, n int32, frame []kernel.Quat, edge []kernel.Vec2, by []kernel.Quat) kernel.Quat {
	before := centerline.Before(i, n)
	next := centerline.After(i, n)
	here := by[i]
	b := by[before]
	a := by[next]
	// The tangent at the point before looks to this one, the tangent at the next one comes from here.
	turnX := float32(b.W*frame[before].Y) - float32(a.W*frame[next].Y)
	turnY := float32(a.W*frame[next].X) - float32(b.W*frame[before].X)
	// Both points of an edge have half of it in their weights.
	left := float32(0.5 * (b.Z + here.Z))
	right := float32(0.5 * (here.Z + a.Z))
	l := lengthGradient(i, n, edge)
	return kernel.Quat{
		X: here.X + turnX + (float32(left*edge[before].X) - float32(right*edge[i].X)),
		Y: here.Y + turnY + (float32(left*edge[before].Y) - float32(right*edge[i].Y)),
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
