package pursuit_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
	"github.com/trackgen-go/trackgen/race/pursuit"
)

// lines are closed lines in host memory, with speeds.
type lines struct {
	center         []kernel.Vec3
	arclen, length []float32
	count          []int32
	speed          []float32
}

func (l lines) stride() int { return len(l.center) / len(l.count) }

func (l lines) upload(t testing.TB, device backend.Device) pursuit.Source {
	t.Helper()
	return pursuit.Source{Center: coursetest.Upload(t, device, l.center),
		Arclen: coursetest.Upload(t, device, l.arclen), Length: coursetest.Upload(t, device, l.length),
		Count: coursetest.Upload(t, device, l.count), Speed: coursetest.Upload(t, device, l.speed)}
}

// winding appends an env of n points on a closed line with bends to l, whose stride is that of the first.
func (l *lines) winding(n, stride int, r *rand.Rand) {
	phase := 2 * math.Pi * r.Float64()
	first := len(l.center)
	for i := range stride {
		angle := 2 * math.Pi * float64(i) / float64(n)
		radius := 10 + 3*math.Sin(3*angle+phase) + 2*math.Sin(5*angle)
		l.center = append(l.center, kernel.V3(float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)), 0.5))
		l.speed = append(l.speed, 2+5*r.Float32())
	}
	length := float32(0)
	for i := range stride {
		l.arclen = append(l.arclen, length)
		if i < n {
			length += l.center[first+(i+1)%n].Sub(l.center[first+i]).Len()
		}
	}
	l.length, l.count = append(l.length, length), append(l.count, int32(n))
}

// car is one agent in host memory.
type car struct {
	position    kernel.Vec3
	orientation kernel.Quat
	velocity    kernel.Vec3
	segment     int32
}

// cars are agents in host memory.
type cars []car

func (c cars) upload(t testing.TB, device backend.Device) pursuit.Inputs {
	t.Helper()
	var position, velocity []kernel.Vec3
	var orientation []kernel.Quat
	var segment []int32
	for _, one := range c {
		position, velocity = append(position, one.position), append(velocity, one.velocity)
		orientation, segment = append(orientation, one.orientation), append(segment, one.segment)
	}
	return pursuit.Inputs{Position: coursetest.Upload(t, device, position),
		Orientation: coursetest.Upload(t, device, orientation), Velocity: coursetest.Upload(t, device, velocity),
		Segment: coursetest.Upload(t, device, segment)}
}

// walked returns the segment at an arc length, by a visit of all, and the part of the way along it.
func (l lines) walked(e int, s float32) (segment int, part float32) {
	n, base := int(l.count[e]), e*l.stride()
	s -= float32(kernel.Floor(s/l.length[e]) * l.length[e])
	for i := range n {
		if l.arclen[base+i] <= s {
			segment = i
		}
	}
	step := l.end(e, segment) - l.arclen[base+segment]
	if step > 1e-12 {
		part = kernel.Clamp((s-l.arclen[base+segment])/step, 0, 1)
	}
	return segment, part
}

// end returns the arc length at the end of a segment.
func (l lines) end(e, segment int) float32 {
	if segment+1 == int(l.count[e]) {
		return l.length[e]
	}
	return l.arclen[e*l.stride()+segment+1]
}

// foot returns the arc length of the foot of a position on the segments around one (L-90).
func (l lines) foot(e int, p kernel.Vec3, near int) float32 {
	n, base := int(l.count[e]), e*l.stride()
	best, s := float32(math.Inf(1)), l.arclen[base+near]
	for k := range min(9, n) {
		i := ((near-4+k)%n + n) % n
		a, b := l.center[base+i], l.center[base+(i+1)%n]
		wx, wy := b.X-a.X, b.Y-a.Y
		ox, oy := p.X-a.X, p.Y-a.Y
		part := float32(0)
		if squared := float32(wx*wx) + float32(wy*wy); squared > 0 {
			part = kernel.Clamp((float32(wx*ox)+float32(wy*oy))/squared, 0, 1)
		}
		rx, ry := ox-float32(wx*part), oy-float32(wy*part)
		if squared := float32(rx*rx) + float32(ry*ry); squared < best {
			best, s = squared, l.arclen[base+i]+float32(part*(l.end(e, i)-l.arclen[base+i]))
		}
	}
	return s
}

// actions are those of a car by the rules L-90 to L-95.
func (l lines) actions(e int, c car, of pursuit.Config) (steering, drive float32) {
	n, base := int(l.count[e]), e*l.stride()
	p := c.position
	if n < 3 || n > l.stride() || c.segment < 0 || int(c.segment) >= n || p.X != p.X || p.Y != p.Y || p.Z != p.Z {
		return 0, 0
	}
	h := vector.Heading(c.orientation)
	v := float32(c.velocity.X*h.X) + float32(c.velocity.Y*h.Y)
	s := l.foot(e, p, int(c.segment))
	ahead := kernel.Clamp(float32(float32(of.LookaheadTime)*v), float32(of.MinLookahead), float32(of.MaxLookahead))
	i, part := l.walked(e, s+ahead)
	a, b := l.center[base+i], l.center[base+(i+1)%n]
	rear := float32(of.RearAxle)
	x := a.X + float32(part*(b.X-a.X)) - (p.X - float32(rear*h.X))
	y := a.Y + float32(part*(b.Y-a.Y)) - (p.Y - float32(rear*h.Y))
	along, left := float32(x*h.X)+float32(y*h.Y), float32(h.X*y)-float32(h.Y*x)
	bend := float32(0)
	if squared := float32(along*along) + float32(left*left); squared > 1e-12 {
		bend = float32(2*left) / squared
		if along < 0 {
			bend = kernel.CopySign(2/ahead, left)
		}
	}
	steering = kernel.Atan(float32(bend*float32(of.Wheelbase))) / float32(of.MaxSteering)

	j, part := l.walked(e, s+float32(float32(of.PreviewTime)*kernel.Max(v, 0)))
	from := l.speed[base+j]
	wanted := float32(float32(of.SpeedFactor) * (from + float32(part*(l.speed[base+(j+1)%n]-from))))
	if of.LateralAcceleration > 0 {
		wanted = kernel.Min(wanted, kernel.Sqrt(float32(of.LateralAcceleration)/kernel.Max(kernel.Abs(bend), 1e-12)))
	}
	drive = float32(float32(of.Gain) * (wanted - v))
	most := float32(of.Braking)
	if drive > 0 {
		most = float32(of.Acceleration)
	}
	return clean(steering), clean(drive / most)
}

func clean(x float32) float32 {
	if x != x {
		return 0
	}
	return kernel.Clamp(x, -1, 1)
}

// want returns the actions of all cars by the rules.
func (l lines) want(c cars, of pursuit.Config) (all []float32) {
	agents := len(c) / len(l.count)
	for i, one := range c {
		steering, drive := l.actions(i/agents, one, of)
		all = append(all, steering, drive)
	}
	return all
}
