package repulsive

import "github.com/trackgen-go/trackgen/kernel"

// Salts of the random streams (docs/spec/pipeline.md, section 1).
const (
	saltObstacles       = 6247
	saltObstaclesOffset = 23
	saltLength          = 5209
	saltLengthOffset    = 41
)

const (
	twoPi = 6.283185307179586

	// DiscPoints is the number of points on the ring of a disc.
	DiscPoints = 12

	discMass  = 0.25 // mass of a disc's points by length of its ring, where a wall has 1
	clearance = 0.05 // gap between the first circle and a disc, in radii of the domain
	farthest  = 0.9  // largest distance of a disc's centre, in radii of the domain
)

// begin prepares every env: its discs, the length that its curve shall reach, and the first curve, a circle of points points and
// radius startRadius around the origin. One group is one env.
//
// An env has discsMin to discsMax discs around the circle, of random radii (discRadiusMin to discRadiusMax, in units of
// domainRadius) and random distances from the origin, between the circle and the wall at domainRadius. obstacle, with stride
// len(wall)+12*discsMax, holds the points of the wall and of their rings: x, y, and the mass in z; obstacles [E] is their number. lengthNow
// and lengthEnd [E] are the length of the curve and the one to reach, lengthMin to lengthMax. iterations [E] is 0 while
// the curve grows. curve has stride stride.
//
//kernel:group lanes=128
//kernel:iterations beginIterations(points, discsMax, len(wall), lanes)
func begin(g kernel.Group, active, seed []int32, stride, points, discsMin, discsMax int32,
	domainRadius, startRadius, discRadiusMin, discRadiusMax, lengthStart, lengthMin, lengthMax float32,
	wall, obstacle []kernel.Vec3, obstacles []int32, lengthNow, lengthEnd, area []float32, iterations []int32, curve []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * stride
	walls := int32(len(wall))
	obstacleBase := env * (walls + discsMax*DiscPoints)
	salt := seed[env]
	for k := range g.Each(walls) {
		obstacle[obstacleBase+k] = wall[k]
	}
	for range g.Each(1) {
		r := kernel.NewRand(salt*saltObstacles + saltObstaclesOffset)
		var discs int32
		discs, r = r.Integer(discsMin, discsMax+1)
		var u float32
		u, r = r.Uniform()
		phase := float32(twoPi * u)
		stored := walls
		for k := int32(0); k < discs; k++ {
			u, r = r.Uniform()
			radius := float32((discRadiusMin + float32(u*(discRadiusMax-discRadiusMin))) * domainRadius)
			u, r = r.Uniform()
			nearest := startRadius + radius + float32(clearance*domainRadius)
			room := float32(farthest*domainRadius) - nearest
			if room < 0 {
				continue // a disc has no place between the circle and the wall
			}
			distance := nearest + float32(u*room)
			sin, cos := kernel.Sincos(phase + float32(twoPi*float32(k))/float32(discs))
			center := kernel.V2(cos, sin).Scale(distance)
			mass := float32(discMass*float32(twoPi*radius)) / DiscPoints
			for i := int32(0); i < DiscPoints; i++ {
				sin, cos := kernel.Sincos(float32(twoPi*float32(i)) / DiscPoints)
				p := center.Add(kernel.V2(cos, sin).Scale(radius))
				obstacle[obstacleBase+stored] = kernel.V3(p.X, p.Y, mass)
				stored++
			}
		}
		obstacles[env] = stored

		u, _ = kernel.NewRand(salt*saltLength + saltLengthOffset).Uniform()
		lengthNow[env] = lengthStart
		lengthEnd[env] = lengthMin + float32(u*(lengthMax-lengthMin))
		area[env] = 0
		iterations[env] = 0
	}
	for i := range g.Each(points) {
		sin, cos := kernel.Sincos(float32(twoPi*float32(i)) / float32(points))
		curve[base+i] = kernel.V2(cos, sin).Scale(startRadius)
	}
}
