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
	// Reach is how many distances along the curve one phase does, each with all pairs of points that far apart.
	Reach = 3

	softening         = 1e-4 // of the wedge and the distance in the tangent-point energy
	obstacleSoftening = 1e-8 // added to squared distances from obstacles
	minLength         = 1e-9 // smallest length to divide by

	blocks = 8                  // parts of a sum: with more, adding them up would take the most registers
	share  = MaxPoints / blocks // points of a part
)

// grow makes the iterations first to last-1 of the curves that still grow. One group is one env.
//
// A curve comes with before points and is first resampled to points points if the numbers differ. Every iteration
// raises the length by the factor ratchet, up to lengthEnd, and moves the points down the energy by at most step mean
// edges. The energy is the tangent-point energy of exponents 3 and 6, and that of the env's obstacles, which repel with
// the distance to the power -3. The first walls obstacles are the wall. The others are the discs, which count until the
// length has been reached, or always if keepDiscs is not 0 (see begin). filter has two tables of points entries each
// from filterBase on, one for sums and one for differences (see fold). The points are spread evenly before each
// iteration whose number is a multiple of resampleEvery.
//
//kernel:group lanes=128
//kernel:iterations GrowIterations(before, points, last - first, resampleEvery, obstacleStride, lanes)
func grow(g kernel.Group, active []int32,
	stride, obstacleStride, walls, before, points, first, last, resampleEvery, keepDiscs int32, ratchet, step float32,
	obstacle []kernel.Vec3, obstacles []int32, filter []float32, filterBase int32,
	lengthEnd, lengthNow []float32, iterations []int32, curve []kernel.Vec2) {
	var x [MaxPoints]kernel.Vec2 // points of the curve
	// Of a point: x and y are the unit vector from the point before to the point after, z is the distance of those two,
	// and w is the mean length of the edges of the point, which is its weight.
	var frame [MaxPoints]kernel.Quat
	var edge [MaxPoints]kernel.Vec2          // unit vector to the next point, then the direction of the step
	var length [MaxPoints]float32            // distance to the next point; arc lengths while points are spread
	var gathered [MaxPoints]kernel.Quat      // of the pairs of a point, see below; then what fold makes of slope
	var passed [MaxPoints][Reach]kernel.Quat // of the pairs that a point does, for their other points
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
			for i := range g.Each(given) {
				length[i] = centerline.SegmentLength(i, given, 0, x[:])
			}
			for range g.Each(1) {
				centerline.SumLengths(given, 0, length[:])
			}
			for i := range g.Each(n) {
				edge[i] = centerline.PointAtArc(given, 0, x[:], length[:],
					float32(float32(i)*length[given-1])/float32(n))
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
			edge[i], length[i] = edgeAt(i, n, x[:])
			frame[i] = frameAt(i, n, x[:])
		}
		for i := range g.Each(n) {
			frame[i].W = float32(0.5 * (length[centerline.Before(i, n)] + length[i]))
		}

		for i := range g.Each(n) {
			gathered[i] = kernel.Quat{}
		}
		for near := int32(Neighbours + 1); near <= m; near += Reach {
			// The energy of points i and j is E = wi wj (ai^3 + aj^3) / s^3, with d from i to j, s = |d|^2 +
			// softening^2, and a the length of the wedge of d with a tangent plus softening. Item i does both points: x
			// and y are 1/3 of the derivative by point i, and -1/3 of that by j, z is E, and w is -1/3 of the
			// derivative by the angle of the tangent of i, or of j.
			// Products are grouped so that few come after the division, on which everything waits.
			for i := range g.Each(n) {
				pushX := float32(0)
				pushY := float32(0)
				energy := float32(0)
				turn := float32(0)
				w := float32(0.125 * frame[i].W) // because q is 2/s
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
					passed[i][k] = kernel.Quat{X: fx, Y: fy, Z: e,
						W: float32(bj * (float32(frame[j].X*dx) + float32(frame[j].Y*dy)))}
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
			slope[i] = convolved(i, n, filterBase, filter, gathered[:])
		}
		for i := range g.Each(n) {
			gathered[i] = fold(i, m, slope[:])
		}

		// The direction loses its part along the gradient of the length, in the inner product of the filter.
		for b := range g.Each(blocks) {
			part[b] = products(b, n, gathered[:], edge[:])
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
			edge[i] = without(gathered[i], factor)
		}
		for b := range g.Each(blocks) {
			part[b] = lengthAndMost(b, n, length[:], edge[:])
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

		// The curve is scaled to its length about its middle.
		for i := range g.Each(n) {
			length[i] = x[centerline.After(i, n)].Sub(x[i]).Len()
		}
		for b := range g.Each(blocks) {
			part[b] = sums(b, n, x[:], length[:])
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

// gradient returns the derivative of the energy by point i in x and y, with the changes of tangents and weights, and
// that of the length of the curve in z and w. by has partial derivatives: x and y by the points, with tangents and
// weights fixed; z by the weights; w by the angles of the tangents, divided by minus their chords.
func gradient(i, n int32, frame []kernel.Quat, edge []kernel.Vec2, by []kernel.Quat) kernel.Quat {
	before := centerline.Before(i, n)
	next := centerline.After(i, n)
	here := by[i]
	b := by[before]
	a := by[next]
	// The tangent at the point before ends here, and the tangent at the next point begins here.
	turnX := float32(b.W*frame[before].Y) - float32(a.W*frame[next].Y)
	turnY := float32(a.W*frame[next].X) - float32(b.W*frame[before].X)
	// An edge adds half of its length to the weights of both of its points.
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

// fold returns the sum of point i and the opposite point i+m for i < m, and the difference of points i-m and i for the
// others. Applied to its own results, it gives twice the points.
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

// edgeAt returns the unit vector from point i to the next one, and their distance.
func edgeAt(i, n int32, x []kernel.Vec2) (kernel.Vec2, float32) {
	d := x[centerline.After(i, n)].Sub(x[i])
	length := kernel.Max(d.Len(), minLength)
	return kernel.V2(d.X/length, d.Y/length), length
}

// frameAt returns the frame of point i without its weight.
func frameAt(i, n int32, x []kernel.Vec2) kernel.Quat {
	across := x[centerline.After(i, n)].Sub(x[centerline.Before(i, n)])
	chord := kernel.Max(across.Len(), minLength)
	return kernel.Quat{X: across.X / chord, Y: across.Y / chord, Z: chord}
}

// convolved returns item i of the convolution of v, which fold made, with the filter.
func convolved(i, n, filterBase int32, filter []float32, v []kernel.Quat) kernel.Quat {
	m := n / 2
	at := filterBase + i + m
	from := int32(0)
	if i >= m {
		at = filterBase + i + n
		from = m
	}
	var s kernel.Quat
	for j := int32(0); j < m; j++ {
		h := filter[at-j]
		u := v[from+j]
		s.X += float32(h * u.X)
		s.Y += float32(h * u.Y)
		s.Z += float32(h * u.Z)
		s.W += float32(h * u.W)
	}
	return s
}

// products returns the sums over part b of the points of the products of the length's gradient with that of the energy,
// x, and with itself, y; one factor has been filtered.
func products(b, n int32, filtered []kernel.Quat, edge []kernel.Vec2) kernel.Quat {
	var across, along float32
	for i := b * share; i < (b+1)*share && i < n; i++ {
		d := filtered[i]
		l := lengthGradient(i, n, edge)
		across += float32(d.X*l.X) + float32(d.Y*l.Y)
		along += float32(d.Z*l.X) + float32(d.W*l.Y)
	}
	return kernel.Quat{X: across, Y: along}
}

// without returns the gradient of the energy less factor times that of the length.
func without(filtered kernel.Quat, factor float32) kernel.Vec2 {
	return kernel.V2(filtered.X-float32(factor*filtered.Z), filtered.Y-float32(factor*filtered.W))
}

// lengthAndMost returns the sum of the lengths of part b of the points, and the square of their largest step.
func lengthAndMost(b, n int32, length []float32, step []kernel.Vec2) kernel.Quat {
	var sum, most float32
	for i := b * share; i < (b+1)*share && i < n; i++ {
		most = kernel.Max(step[i].Dot(step[i]), most)
		sum += length[i]
	}
	return kernel.Quat{X: sum, Y: most}
}

// sums returns the sums of the coordinates of part b of the points, and of their lengths.
func sums(b, n int32, x []kernel.Vec2, length []float32) kernel.Quat {
	var sum kernel.Quat
	for i := b * share; i < (b+1)*share && i < n; i++ {
		sum.X += x[i].X
		sum.Y += x[i].Y
		sum.Z += length[i]
	}
	return sum
}
