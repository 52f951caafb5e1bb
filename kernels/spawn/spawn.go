package spawn

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/localise"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

const (
	leastPoints = 3     // of a closed line
	minStep     = 1e-12 // length of a segment up to which a place is at its begin (C-83)
	minLength   = 1e-12 // length below which a vector has no direction (C-3)
)

// spawn puts the agents of the envs whose mask is not 0 on their lines (L-60 to L-66), and changes no others. Bits of
// has say which of right, left, half and velocity there are. Items are agents: agents in each env, number in all.
// center, arclen, right and left are [E, maxPoints]. kernelgen cannot prove that the columns of different agents have
// no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations spawnIterations(maxPoints)
func spawn(i, agents, number, maxPoints, has, mode, columns int32, settings []float32, center []kernel.Vec3,
	arclen, length, right, left []float32, count []int32, half []kernel.Vec2, seed, epoch, mask []int32,
	position []kernel.Vec3, orientation []kernel.Quat, velocity []kernel.Vec3, spots []float32) {
	env := i / agents
	if mask[env] == 0 {
		return
	}
	points := min(count[env], maxPoints)
	whole := length[env]
	if points < leastPoints || !kernel.IsFinite(whole) || !(whole > 0) {
		nowhere(i, number, has, position, orientation, velocity, spots)
		return
	}
	agent := i % agents
	d := DrawOf(agent, seed[env], epoch[env])
	box := kernel.V2(0, 0)
	if has&HasHalf != 0 {
		box = kernel.V2(size(half[i].X), size(half[i].Y))
	}
	column := agent % columns
	s := localise.Wrapped(alongOf(agent, agents, mode, agent/columns, column, d, whole, box, settings), whole)
	yaw := between(settings[YawMin], settings[YawMax], d.Yaw)
	sin, cos := kernel.Sincos(yaw)
	at := segmentAt(s, env*maxPoints, points, arclen)
	k := env*maxPoints + at
	end := whole
	next := env * maxPoints
	if at+1 < points {
		next = k + 1
		end = arclen[next]
	}
	part := partOf(mode, column, columns, d, settings)
	room := settings[Corridor]
	if has&HasWidths != 0 {
		width := vector.Smaller(left[k], left[next])
		if part > 0 {
			width = vector.Smaller(right[k], right[next])
		}
		room = roomOf(width, box, sin, cos)
	}
	n := float32(part * room)
	height := between(settings[HeightMin], settings[HeightMax], d.Height)
	u := float32(0)
	if end-arclen[k] > minStep {
		u = kernel.Clamp((s-arclen[k])/(end-arclen[k]), 0, 1)
	}
	way := center[next].Sub(center[k])
	across, above := localise.Axes(way)
	p := center[k].Add(way.Scale(u)).Add(across.Scale(n)).Add(above.Scale(height))
	position[i] = vector.OneNaN3(p)
	speed := between(settings[SpeedMin], settings[SpeedMax], d.Speed)
	turn(i, has, way, sin, cos, speed, orientation, velocity)
	spots[SpotS*number+i] = s
	spots[SpotN*number+i] = n
	spots[SpotHeight*number+i] = height
	spots[SpotYaw*number+i] = yaw
	spots[SpotSpeed*number+i] = speed
}

// nowhere pauses an agent without a line (L-61).
func nowhere(i, number, has int32, position []kernel.Vec3, orientation []kernel.Quat, velocity []kernel.Vec3,
	spots []float32) {
	nan := kernel.NaN()
	position[i] = kernel.V3(nan, nan, nan)
	orientation[i] = kernel.Quat{X: nan, Y: nan, Z: nan, W: nan}
	if has&HasVelocity != 0 {
		velocity[i] = kernel.V3(nan, nan, nan)
	}
	for k := int32(0); k < Spots; k++ {
		spots[k*number+i] = nan
	}
}

// turn makes an agent look along a way, turned by the angle of the given sine and cosine, and move where it looks
// (L-65).
func turn(i, has int32, way kernel.Vec3, sin, cos, speed float32, orientation []kernel.Quat,
	velocity []kernel.Vec3) {
	level := kernel.V2(way.X, way.Y).Len()
	c := float32(1)
	s := float32(0)
	if level >= minLength {
		c = way.X / level
		s = way.Y / level
	}
	look := kernel.V3(float32(c*cos)-float32(s*sin), float32(s*cos)+float32(c*sin), 0)
	q := localise.HeadingOf(look)
	length := way.Len()
	if has&Pitched != 0 && length >= minLength {
		flat := level / length
		rise := way.Z / length
		look = kernel.V3(float32(look.X*flat), float32(look.Y*flat), rise)
		q = pitched(q, flat, rise)
	}
	orientation[i] = kernel.Quat{X: vector.OneNaN(q.X), Y: vector.OneNaN(q.Y), Z: vector.OneNaN(q.Z),
		W: vector.OneNaN(q.W)}
	if has&HasVelocity != 0 {
		velocity[i] = vector.OneNaN3(look.Scale(speed))
	}
}

// pitched returns a rotation about z after one that raises x by the angle of the given cosine and sine, of which the
// cosine is not negative.
func pitched(q kernel.Quat, cos, sin float32) kernel.Quat {
	w := kernel.Sqrt(float32(0.5 * (1 + cos)))
	y := -sin / float32(2*w)
	return kernel.Quat{X: -float32(q.Z * y), Y: float32(q.W * y), Z: float32(q.Z * w), W: float32(q.W * w)}
}

// segmentAt returns the last of the segments of a line that begins at an arc length of at most s, the first one if
// there is none. base is the element of its first point.
func segmentAt(s float32, base, points int32, arclen []float32) int32 {
	low := int32(0)
	high := points - 1
	for low < high {
		middle := (low + high + 1) / 2
		if arclen[base+middle] <= s {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// size returns a half extent that can be computed with: 0 for one that is not finite.
func size(x float32) float32 {
	if !kernel.IsFinite(x) {
		return 0
	}
	return kernel.Abs(x)
}
