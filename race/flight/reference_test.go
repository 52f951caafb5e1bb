package flight_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
	"github.com/trackgen-go/trackgen/race/flight"
)

// lines are closed lines in host memory, with speeds and, if there are gates, their normals.
type lines struct {
	center         []kernel.Vec3
	arclen, length []float32
	count          []int32
	speed          []float32
	forward        []kernel.Vec3
}

func (l lines) stride() int { return len(l.center) / len(l.count) }

// samples returns the points from gate to gate, 0 without gates.
func (l lines) samples() int {
	if len(l.forward) == 0 {
		return 0
	}
	return len(l.center) / len(l.forward)
}

func (l lines) upload(t testing.TB, device backend.Device) flight.Source {
	t.Helper()
	s := flight.Source{Center: coursetest.Upload(t, device, l.center), Arclen: coursetest.Upload(t, device, l.arclen),
		Length: coursetest.Upload(t, device, l.length), Count: coursetest.Upload(t, device, l.count),
		Speed: coursetest.Upload(t, device, l.speed)}
	if l.samples() > 0 {
		s.Forward = coursetest.Upload(t, device, l.forward)
	}
	return s
}

// winding appends an env of n points on a closed line with bends and hills to l, whose stride is that of the first;
// with samples above 0, every one of so many points is a gate.
func (l *lines) winding(n, stride, samples int, r *rand.Rand) {
	phase := 2 * math.Pi * r.Float64()
	first := len(l.center)
	for i := range stride {
		angle := 2 * math.Pi * float64(i) / float64(n)
		radius := 10 + 3*math.Sin(3*angle+phase) + 2*math.Sin(5*angle)
		l.center = append(l.center, kernel.V3(float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)),
			float32(2+math.Cos(2*angle+phase))))
		l.speed = append(l.speed, 2+5*r.Float32())
		if samples > 0 && i%samples == 0 {
			l.forward = append(l.forward, kernel.V3(float32(-math.Sin(angle)), float32(math.Cos(angle)), 0))
		}
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

// drone is one agent in host memory.
type drone struct {
	position    kernel.Vec3
	orientation kernel.Quat
	velocity    kernel.Vec3
	segment     int32
	target      int32
}

// drones are agents in host memory.
type drones []drone

func (d drones) upload(t testing.TB, device backend.Device, gated bool) flight.Inputs {
	t.Helper()
	var position, velocity []kernel.Vec3
	var orientation []kernel.Quat
	var segment, target []int32
	for _, one := range d {
		position, velocity = append(position, one.position), append(velocity, one.velocity)
		orientation, segment = append(orientation, one.orientation), append(segment, one.segment)
		target = append(target, one.target)
	}
	in := flight.Inputs{Position: coursetest.Upload(t, device, position),
		Orientation: coursetest.Upload(t, device, orientation), Velocity: coursetest.Upload(t, device, velocity),
		Segment: coursetest.Upload(t, device, segment)}
	if gated {
		in.Target = coursetest.Upload(t, device, target)
	}
	return in
}

// one is a line of one env, with the rules of L-110 to L-113.
type one struct {
	point         []kernel.Vec3
	arclen, speed []float32
	length        float32
}

// of returns the line of env e, none if it is no closed line.
func (l lines) of(e int) one {
	n, base := int(l.count[e]), e*l.stride()
	if n < 3 || n > l.stride() {
		return one{}
	}
	return one{point: l.center[base:][:n], arclen: l.arclen[base:][:n], speed: l.speed[base:][:n], length: l.length[e]}
}

func (o one) next(i int) kernel.Vec3 { return o.point[(i+1)%len(o.point)] }

func (o one) step(i int) float32 {
	if i+1 == len(o.point) {
		return o.length - o.arclen[i]
	}
	return o.arclen[i+1] - o.arclen[i]
}

// place is a part of the way along a segment.
type place struct {
	segment int
	part    float32
}

func (o one) at(w place) kernel.Vec3 {
	return o.point[w.segment].Add(o.next(w.segment).Sub(o.point[w.segment]).Scale(w.part))
}

// after returns the place a distance later, at most on the segment that is most later.
func (o one) after(w place, distance float32, most int) place {
	i, rest := w.segment, float32(w.part*o.step(w.segment))+distance
	for range most {
		if !(rest >= o.step(i)) {
			break
		}
		rest -= o.step(i)
		i = (i + 1) % len(o.point)
	}
	w = place{segment: i}
	if o.step(i) > 1e-12 {
		w.part = kernel.Clamp(rest/o.step(i), 0, 1)
	}
	return w
}

func (o one) way(from, to place) kernel.Vec3 {
	v := o.at(to).Sub(o.at(from))
	size := v.Len()
	if !(size > 1e-12) || math.IsInf(float64(size), 0) {
		return kernel.Vec3{}
	}
	return kernel.V3(v.X/size, v.Y/size, v.Z/size)
}

// foot returns the nearest place of span segments from first on.
func (o one) foot(p kernel.Vec3, first, span int) place {
	best, found := float32(math.Inf(1)), place{segment: first}
	for k := range span {
		i := (first + k) % len(o.point)
		way, off := o.next(i).Sub(o.point[i]), p.Sub(o.point[i])
		part := float32(0)
		if squared := way.Dot(way); squared > 0 {
			part = kernel.Clamp(way.Dot(off)/squared, 0, 1)
		}
		rest := off.Sub(way.Scale(part))
		if squared := rest.Dot(rest); squared < best {
			best, found = squared, place{segment: i, part: part}
		}
	}
	return found
}

// short returns v, at most of a length.
func short(v kernel.Vec3, most float64) kernel.Vec3 {
	if size := v.Len(); size > float32(most) {
		return v.Scale(float32(most) / size)
	}
	return v
}

// acceleration returns that of a drone by the rules, and the direction of its line.
func (l lines) acceleration(e int, d drone, c flight.Config) (a, way kernel.Vec3) {
	o, n := l.of(e), int(l.count[e])
	first, span, most := ((int(d.segment)-4)%n+n)%n, min(9, n), n
	gated := l.samples() > 0 && d.target >= 0 && int(d.target) < n/l.samples()
	if gated {
		first, span = (int(d.target)*l.samples()-l.samples()+n)%n, l.samples()
	}
	foot, last := o.foot(d.position, first, span), (first+span-1)%n
	if gated {
		most = (last - foot.segment + n) % n
	}
	nearest := float32(c.MinLookahead)
	way = o.way(foot, o.after(foot, nearest, most))
	off := o.at(foot).Sub(d.position)
	if gated && foot == (place{segment: last, part: 1}) {
		way = l.forward[e*l.stride()/l.samples()+int(d.target)]
		if off.Dot(way) < 0 {
			back := off.Sub(way.Scale(nearest)).Scale(float32(c.PlaceGain))
			return short(back, c.Correction).Sub(d.velocity.Scale(float32(c.MoveGain))), way
		}
	}
	along := d.velocity.Dot(way)
	ahead := kernel.Max(float32(float32(c.LookaheadTime)*along), nearest)
	to := o.after(foot, ahead, n)
	a = o.way(to, o.after(to, nearest, n)).Sub(way).Scale(float32(along*along) / ahead)
	off = off.Sub(way.Scale(off.Dot(way)))
	beside := off.Len() / float32(c.Corridor)
	profile := o.speed[to.segment] + float32(to.part*(o.speed[(to.segment+1)%n]-o.speed[to.segment]))
	wanted := kernel.Max(float32(float32(c.SpeedFactor)*profile), float32(c.MinSpeed)) / (1 + float32(beside*beside))
	drive := kernel.Clamp(float32(float32(c.SpeedGain)*(wanted-along)), float32(-c.Braking), float32(c.Acceleration))
	a = a.Add(way.Scale(drive)).Add(short(off.Scale(float32(c.PlaceGain)), c.Correction))
	return a.Sub(d.velocity.Sub(way.Scale(along)).Scale(float32(c.MoveGain))), way
}

// axes returns the axes of the body of a drone.
func axes(q kernel.Quat) [3]kernel.Vec3 {
	size := kernel.Sqrt((float32(q.X*q.X) + float32(q.Y*q.Y)) + (float32(q.Z*q.Z) + float32(q.W*q.W)))
	x, y, z, w := q.X/size, q.Y/size, q.Z/size, q.W/size
	return [3]kernel.Vec3{
		{X: 1 - float32(2*(float32(y*y)+float32(z*z))), Y: float32(2 * (float32(x*y) + float32(w*z))),
			Z: float32(2 * (float32(x*z) - float32(w*y)))},
		{X: float32(2 * (float32(x*y) - float32(w*z))), Y: 1 - float32(2*(float32(x*x)+float32(z*z))),
			Z: float32(2 * (float32(y*z) + float32(w*x)))},
		{X: float32(2 * (float32(x*z) + float32(w*y))), Y: float32(2 * (float32(y*z) - float32(w*x))),
			Z: 1 - float32(2*(float32(x*x)+float32(y*y)))},
	}
}

// finite reports whether a drone has a place and axes that can be computed with.
func (d drone) finite() bool {
	for _, v := range []float32{d.position.X, d.position.Y, d.position.Z} {
		if !(kernel.Abs(v) <= 1e30) {
			return false
		}
	}
	if h := vector.Heading(d.orientation); !kernel.IsFinite(h.X + h.Y) {
		return false
	}
	for _, axis := range axes(d.orientation) {
		if !kernel.IsFinite(axis.X + axis.Y + axis.Z) {
			return false
		}
	}
	return true
}

// actions are those of a drone by the rules L-110 to L-116.
func (l lines) actions(e int, d drone, c flight.Config) []float32 {
	const g = float32(9.81)
	most := float32(c.ThrustMax / c.Mass)
	lift, rates := g, kernel.Vec3{}
	if n := len(l.of(e).point); d.segment >= 0 && int(d.segment) < n && d.finite() {
		body := axes(d.orientation)
		a, way := l.acceleration(e, d, c)
		side, upward := float32(c.DragSide/c.Mass), float32(c.DragUp/c.Mass)
		a = a.Add(d.velocity.Scale(side).Add(body[2].Scale(float32((upward - side) * d.velocity.Dot(body[2])))))

		const least = float32(0.2 * 9.81)
		up := kernel.Clamp(a.Z+g, least, kernel.Max(most, least))
		room := kernel.Min(kernel.Sqrt(kernel.Max(float32(most*most)-float32(up*up), 0)),
			float32(float32(math.Tan(c.MaxTilt))*up))
		part := float32(1)
		if size := kernel.V2(a.X, a.Y).Len(); size > room {
			part = room / size
		}
		force := kernel.V3(float32(a.X*part), float32(a.Y*part), up)
		lift = force.Dot(body[2])
		x, y := force.Dot(body[0]), force.Dot(body[1])
		if across := kernel.V2(x, y).Len(); across > 1e-12 {
			angle := float32(float32(c.AttitudeGain) * kernel.Atan2(across, lift))
			rates.X, rates.Y = float32(-angle*(y/across)), float32(angle*(x/across))
		}
		if x, y := way.Dot(body[0]), way.Dot(body[1]); !(kernel.Max(kernel.Abs(x), kernel.Abs(y)) < 1e-12) {
			rates.Z = float32(float32(c.HeadingGain) * kernel.Atan2(y, x))
		}
	}
	return []float32{clean(float32(2*lift)/most - 1), clean(rates.X / float32(c.TiltRate)),
		clean(rates.Y / float32(c.TiltRate)), clean(rates.Z / float32(c.TurnRate))}
}

func clean(x float32) float32 {
	if x != x {
		return 0
	}
	return kernel.Clamp(x, -1, 1)
}

// want returns the actions of all drones by the rules.
func (l lines) want(d drones, c flight.Config) (all []float32) {
	agents := len(d) / len(l.count)
	for i, one := range d {
		all = append(all, l.actions(i/agents, one, c)...)
	}
	return all
}
