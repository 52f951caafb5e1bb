package preview

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

const (
	minStep   = 1e-12 // arc length of a segment up to which a place is at its begin (C-83)
	minLength = 1e-12 // length below which a vector has no direction (C-3)
)

// place is a place on a line: the element in the table of the first row of its segment, and the part of the segment.
type place struct {
	row  int32
	part float32
}

// placeAt returns the place at arc length s of a line of n points, whose table begins at element base. s goes around
// the line (L-22). The segment is the last one that begins at s or before, the first one if there is none. rate is the
// number of points for each unit of the length of the line.
func placeAt(s, length, rate float32, n, base int32, table []kernel.Quat) place {
	at := s
	if !(s > 0 && s < length) {
		at = s - float32(kernel.Floor(s/length)*length)
		if at < 0 {
			at += length
		}
		if !(at < length) { // by rounding, or for a line without a length
			at = 0
		}
	}
	// Points that are about equally far apart, as those of most lines are, make this the segment or the one beside it.
	i := min(kernel.ToInt32(float32(at*rate)), n-1)
	row := base + 1 + Quats*i
	from := table[row].W
	to := table[row+Quats].W
	if from > at || to <= at {
		row = base + 1 + Quats*segmentAt(at, i, n, base+1, table)
		from = table[row].W
		to = table[row+Quats].W
	}
	part := float32(0)
	if to-from > minStep {
		part = kernel.Clamp((at-from)/(to-from), 0, 1)
	}
	return place{row: row, part: part}
}

// segmentAt returns the last segment of a line of n points that begins at arc length at or before, the first one if
// there is none. The search goes away from segment i in steps that double, so that it takes no longer than the
// logarithm of how far the segment is from there. The rows of the line begin at element rows.
func segmentAt(at float32, i, n, rows int32, table []kernel.Quat) int32 {
	low := int32(0)
	high := n - 1
	if table[rows+Quats*i].W > at {
		high = i
		for step := int32(1); step < i && low == 0; step *= 2 {
			if table[rows+Quats*(i-step)].W > at {
				high = i - step
			} else {
				low = i - step
			}
		}
		high--
	} else {
		low = i
		found := false
		for step := int32(1); step < n-i && !found; step *= 2 {
			found = table[rows+Quats*(i+step)].W > at
			if found {
				high = i + step - 1
			} else {
				low = i + step
			}
		}
	}
	high = max(high, low)
	for low < high {
		middle := (low + high + 1) / 2
		if table[rows+Quats*middle].W <= at {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// between returns the point at a part of the way from a to b.
func between(a, b kernel.Quat, part float32) kernel.Vec3 {
	return kernel.V3(a.X+float32((b.X-a.X)*part), a.Y+float32((b.Y-a.Y)*part), a.Z+float32((b.Z-a.Z)*part))
}

// along returns the fourth number at a part of the way from a to b.
func along(a, b kernel.Quat, part float32) float32 { return a.W + float32((b.W-a.W)*part) }

// isWanted reports whether one of channels from channel on is wanted, for 1 to 3 of them.
func isWanted(word, channel, channels int32) bool {
	return word>>(channel*slotBits&31)|-1<<(channels*slotBits&31) != -1
}

// putPoint writes the coordinates of a point to the slots of three channels, the first of which is channel.
func putPoint(word, channel, at int32, p kernel.Vec3, out []float32) {
	put(word, channel, at, p.X, out)
	put(word, channel+1, at, p.Y, out)
	put(word, channel+2, at, p.Z, out)
}

// pointSlots are the slots of the coordinates of a point.
type pointSlots struct{ x, y, z int32 }

// slotsOf returns the slots of a point, the first coordinate of which is channel.
func slotsOf(word, channel int32) pointSlots {
	return pointSlots{x: word >> (channel * slotBits & 31) & NoSlot, y: word >> ((channel + 1) * slotBits & 31) & NoSlot,
		z: word >> ((channel + 2) * slotBits & 31) & NoSlot}
}

// putLocal writes the coordinates of a point in a frame, multiplied by size, to its slots.
func putLocal(slots pointSlots, at int32, p, forward, left, up kernel.Vec3, size float32, out []float32) {
	if slots.x != NoSlot {
		out[at+slots.x] = float32(p.Dot(forward) * size)
	}
	if slots.y != NoSlot {
		out[at+slots.y] = float32(p.Dot(left) * size)
	}
	if slots.z != NoSlot {
		out[at+slots.z] = float32(p.Dot(up) * size)
	}
}

// putWay writes what the direction of a segment tells, from a to b (L-24).
func putWay(word, grade, at int32, level kernel.Vec2, forward, left, up kernel.Vec3, a, b kernel.Quat, out []float32) {
	way := kernel.V3(b.X-a.X, b.Y-a.Y, b.Z-a.Z)
	plan := kernel.V2(way.X, way.Y)
	run := plan.Len()
	heading := kernel.V2(0, 0)
	if run >= minLength {
		heading = kernel.V2(plan.X/run, plan.Y/run)
	}
	size := way.Len()
	tangent := kernel.V3(0, 0, 0)
	if size >= minLength {
		tangent = vector.Along(kernel.V3(way.X/size, way.Y/size, way.Z/size), forward, left, up)
	}
	put(word, HeadingCos-2*SlotsPerWord, at, level.Dot(heading), out)
	put(word, HeadingSin-2*SlotsPerWord, at, level.Cross(heading), out)
	putPoint(word, TangentX-2*SlotsPerWord, at, tangent, out)
	put(grade, Grade-3*SlotsPerWord, at, way.Z/kernel.Max(run, minLength), out)
}

// lookAhead writes the observations of every agent: agents in each env, each at places, with channels values. distance
// has the distances of the places [K]; position, orientation and s are [E*A], out is [E*A, K, C]. Lengths, curvatures
// and speeds are multiplied by size, bend and pace. An agent that does not see, or whose line has no places, gets NaN
// (L-25).
//
// One group is one agent, and one item of a phase a place. kernelgen cannot prove that slots differ.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations lookIterations(maxPoints, places, channels, lanes)
func lookAhead(g kernel.Group, agents, maxPoints, places, channels, body, first, second, third, fourth int32, size,
	bend, pace float32, position []kernel.Vec3, orientation []kernel.Quat, s, distance []float32,
	table []kernel.Quat, out []float32) {
	f := vector.FrameOf(position[g.ID], orientation[g.ID], body)
	base := g.ID / agents * Size(maxPoints)
	n := kernel.ToInt32(table[base].X)
	from := s[g.ID]
	begin := g.ID * places * channels
	if n < leastPoints || !f.Sees() || !kernel.IsFinite(from) {
		for k := range g.Each(places * channels) {
			out[begin+k] = kernel.NaN()
		}
		return
	}
	length := table[base].Y
	rate := float32(n) / length
	centerSlots := slotsOf(first, CenterX)
	leftSlots := slotsOf(first, LeftX)
	rightSlots := slotsOf(second, RightX-SlotsPerWord)
	for k := range g.Each(places) {
		p := placeAt(from+distance[k], length, rate, n, base, table)
		at := begin + k*channels
		a := table[p.row]
		b := table[p.row+Quats]
		center := between(a, b, p.part)
		c := table[p.row+1]
		d := table[p.row+Quats+1]
		left := between(c, d, p.part)
		if first != NoSlots {
			putLocal(centerSlots, at, center.Sub(f.Origin), f.Forward, f.Left, f.Up, size, out)
			putLocal(leftSlots, at, left.Sub(f.Origin), f.Forward, f.Left, f.Up, size, out)
		}
		v := table[p.row+2]
		w := table[p.row+Quats+2]
		if second != NoSlots {
			right := between(v, w, p.part)
			putLocal(rightSlots, at, right.Sub(f.Origin), f.Forward, f.Left, f.Up, size, out)
			if isWanted(second, WidthLeft-SlotsPerWord, 2) {
				put(second, WidthLeft-SlotsPerWord, at, float32(left.Sub(center).Len()*size), out)
				put(second, WidthRight-SlotsPerWord, at, float32(right.Sub(center).Len()*size), out)
			}
			put(second, Curvature-SlotsPerWord, at, float32(along(c, d, p.part)*bend), out)
		}
		if third != NoSlots || fourth != NoSlots {
			putWay(third, fourth, at, f.Level, f.Forward, f.Left, f.Up, a, b, out)
			put(third, Height-2*SlotsPerWord, at, float32((center.Z-f.Origin.Z)*size), out)
			put(fourth, Speed-3*SlotsPerWord, at, float32(along(v, w, p.part)*pace), out)
		}
	}
}
