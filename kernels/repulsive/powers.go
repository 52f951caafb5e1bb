package repulsive

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
)

// growPowers does what grow does, with any exponents of the energy, alpha and beta, both positive: obstacles repel with
// the distance to the power alpha-beta. Powers take a logarithm and an exponential function each, where grow has
// products, so it is about ten times slower. One group is one env.
//
//kernel:group lanes=128
//kernel:iterations GrowPowersIterations(before, points, last - first, resampleEvery, obstacleStride, lanes)
func growPowers(g kernel.Group, active []int32,
	stride, obstacleStride, walls, before, points, first, last, resampleEvery, keepDiscs int32,
	ratchet, step, alpha, beta float32,
	obstacle []kernel.Vec3, obstacles []int32, filter []float32, filterBase int32,
	lengthEnd, lengthNow []float32, iterations []int32, curve []kernel.Vec2) {
	var x [MaxPoints]kernel.Vec2        // points of the curve
	var frame [MaxPoints]kernel.Quat    // see grow
	var edge [MaxPoints]kernel.Vec2     // unit vector to the next point, then the direction of the step
	var length [MaxPoints]float32       // distance to the next point; arc lengths while points are spread
	var gathered [MaxPoints]kernel.Quat // what forces returns; then what fold makes of slope
	var slope [MaxPoints]kernel.Quat    // gradient of the energy in x and y, of the length in z and w
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
			gathered[i] = forces(i, n, x[:], frame[:], obstacle, obstacleBase, repelling, alpha, beta)
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

// forces returns the partial derivatives of the energy that gradient reads, of point i of n, for any exponents: x and y
// by the point, with tangents and weights fixed; z by its weight; w by the angle of its tangent, divided by minus its
// chord. frame is that of grow. obstacle[obstacleBase..obstacleBase+repelling) repels the points.
//
// The energy of two points is wi wj (ai^alpha + aj^alpha) / s^(beta/2), with d from i to j, s = |d|^2 + softening^2,
// and a the length of the wedge of d with a tangent plus softening. That of a point and an obstacle is
// mass s^((alpha-beta)/2). grow has the same with exponents of 3 and 6, where powers are products.
func forces(i, n int32, x []kernel.Vec2, frame []kernel.Quat, obstacle []kernel.Vec3, obstacleBase, repelling int32,
	alpha, beta float32) kernel.Quat {
	p := x[i]
	own := frame[i]
	half := float32(0.5 * beta)
	less := alpha - 1
	ratio := beta / alpha
	var s kernel.Quat
	for j := int32(0); j < n; j++ {
		if relaxation.Apart(i, j, n) <= Neighbours {
			continue
		}
		other := frame[j]
		d := x[j].Sub(p)
		square := d.Dot(d) + softening*softening
		// Both powers of wedges are multiplied by s^(-beta/2); f is the logarithm of that.
		f := -float32(half * kernel.Log(square))
		weights := float32(own.W * other.W)
		si := float32(own.X*d.Y) - float32(own.Y*d.X)
		sj := float32(other.X*d.Y) - float32(other.Y*d.X)
		ai := kernel.Abs(si) + softening
		aj := kernel.Abs(sj) + softening
		bi := float32(weights * kernel.Exp(f+float32(less*kernel.Log(ai))))
		bj := float32(weights * kernel.Exp(f+float32(less*kernel.Log(aj))))
		e := float32(bi*ai) + float32(bj*aj)
		pull := float32(float32(e*ratio) / square)
		bi = kernel.CopySign(bi, si)
		bj = kernel.CopySign(bj, sj)
		s.X += (float32(bi*own.Y) + float32(bj*other.Y)) + float32(pull*d.X)
		s.Y += float32(pull*d.Y) - (float32(bi*own.X) + float32(bj*other.X))
		s.Z += e
		s.W += float32(bi * (float32(own.X*d.X) + float32(own.Y*d.Y)))
	}
	apart := beta - alpha
	toObstacle := -(float32(0.5*apart) + 1)
	away := kernel.V2(0, 0)
	for k := int32(0); k < repelling; k++ {
		o := obstacle[obstacleBase+k]
		d := p.Sub(kernel.V2(o.X, o.Y))
		square := d.Dot(d) + obstacleSoftening
		away = away.Add(d.Scale(float32(o.Z * power(square, toObstacle))))
	}
	return kernel.Quat{
		X: float32(alpha*s.X) - float32(apart*away.X),
		Y: float32(alpha*s.Y) - float32(apart*away.Y),
		Z: s.Z / own.W,
		W: float32(alpha*s.W) / own.Z,
	}
}

// power returns x to the power of exponent, for x > 0.
func power(x, exponent float32) float32 { return kernel.Exp(float32(exponent * kernel.Log(x))) }
