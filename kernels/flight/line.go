package flight

import "github.com/trackgen-go/trackgen/kernel"

const (
	leastPoints = 3 // of a closed line

	// window is the number of segments on each side of the one where a drone is localised among which the nearest one of
	// its line is sought (L-110), as pursuit does (L-90).
	window = 4

	minLength = 1e-12 // length up to which a vector has no direction
)

// line is a closed line in arrays of points, of which it is n points from base on.
type line struct {
	base, n int32
	length  float32
}

// pointsOf returns the number of points of a line, 0 for one that is no closed line.
func pointsOf(count, maxPoints int32) int32 {
	if count < leastPoints || count > maxPoints {
		return 0
	}
	return count
}

// after returns the point after point i.
func (l line) after(i int32) int32 {
	if i+1 == l.n {
		return 0
	}
	return i + 1
}

// step returns the arc length of segment i.
func (l line) step(i int32, arclen []float32) float32 {
	if i+1 == l.n {
		return l.length - arclen[l.base+i]
	}
	return arclen[l.base+i+1] - arclen[l.base+i]
}

// spot is a place on a line: part of the way from the begin of a segment to its end.
type spot struct {
	segment int32
	part    float32
}

// reach is a number of successive segments of a line from one on.
type reach struct{ first, span int32 }

// near returns the segments around one (L-110).
func (l line) near(segment int32) reach {
	first := (segment - window) % l.n
	if first < 0 {
		first += l.n
	}
	return reach{first: first, span: min(2*window+1, l.n)}
}

// toGate returns the segments from the gate before one to it, on a line with samples points for each gate.
func (l line) toGate(gate, samples int32) reach {
	first := (gate - 1) * samples
	if gate == 0 {
		first = l.n - samples
	}
	return reach{first: first, span: samples}
}

// last returns the last one of some segments.
func (l line) last(of reach) int32 { return (of.first + of.span - 1) % l.n }

// gateOf returns the next gate of an agent on a line of n points, -1 if there is none.
func gateOf(target, samples, n int32) int32 {
	if samples < 1 || target < 0 || target >= n/samples {
		return -1
	}
	return target
}

// course is where an agent is to go: the nearest place of its line, the way to it, and the direction of the line there.
type course struct {
	foot     spot
	off, way kernel.Vec3
	atGate   bool // the foot is in the next gate
}

// courseOf returns the course of an agent at p, which is localised at a segment and passes a gate next, -1 for none.
func (l line) courseOf(p kernel.Vec3, segment, gate, samples int32, nearest float32, point []kernel.Vec3,
	arclen []float32) course {
	of := l.near(segment)
	if gate >= 0 {
		of = l.toGate(gate, samples)
	}
	foot := l.footOf(p, of, point)
	most := l.n
	if gate >= 0 {
		most = (l.last(of) - foot.segment + l.n) % l.n // a way to the gate, and not through it and around a corner
	}
	way := l.wayFrom(foot, l.ahead(foot, nearest, most, arclen), point)
	return course{foot: foot, off: l.at(foot, point).Sub(p), way: way,
		atGate: gate >= 0 && foot.segment == l.last(of) && foot.part == 1}
}

// footOf returns the nearest place of some segments of a line to p in space. The first of those that are equally near
// counts, in the order of the line (L-110).
func (l line) footOf(p kernel.Vec3, of reach, point []kernel.Vec3) spot {
	best := kernel.Inf()
	i := of.first
	foot := spot{segment: i, part: 0}
	for k := int32(0); k < of.span; k++ {
		from := point[l.base+i]
		way := point[l.base+l.after(i)].Sub(from)
		off := p.Sub(from)
		part := float32(0)
		if squared := way.Dot(way); squared > 0 {
			part = kernel.Clamp(way.Dot(off)/squared, 0, 1)
		}
		rest := off.Sub(way.Scale(part))
		if squared := rest.Dot(rest); squared < best {
			best = squared
			foot = spot{segment: i, part: part}
		}
		i = l.after(i)
	}
	return foot
}

// ahead returns the place at a distance after another one along the line, at most at the end of the segment that is
// most segments after its own (L-111).
func (l line) ahead(from spot, distance float32, most int32, arclen []float32) spot {
	i := from.segment
	rest := float32(from.part*l.step(i, arclen)) + distance
	for k := int32(0); k < most; k++ {
		step := l.step(i, arclen)
		if rest < step || kernel.IsNaN(rest) || kernel.IsNaN(step) {
			break
		}
		rest -= step
		i = l.after(i)
	}
	part := float32(0)
	if step := l.step(i, arclen); step > minLength {
		part = kernel.Clamp(rest/step, 0, 1)
	}
	return spot{segment: i, part: part}
}

// at returns the point of a place.
func (l line) at(w spot, point []kernel.Vec3) kernel.Vec3 {
	from := point[l.base+w.segment]
	return from.Add(point[l.base+l.after(w.segment)].Sub(from).Scale(w.part))
}

// wayFrom returns the unit direction from a place to one after it, or 0 if they are one (L-112). The direction of a
// segment would say nothing of a line that turns around between two points.
func (l line) wayFrom(from, to spot, point []kernel.Vec3) kernel.Vec3 {
	return unit(l.at(to, point).Sub(l.at(from, point)))
}

// speedAt returns the speed at a place, which changes evenly from point to point.
func (l line) speedAt(w spot, speed []float32) float32 {
	from := speed[l.base+w.segment]
	return from + float32(w.part*(speed[l.base+l.after(w.segment)]-from))
}

// unit returns v divided by its length, or 0 for a vector without a direction.
func unit(v kernel.Vec3) kernel.Vec3 {
	length := v.Len()
	if !(length > minLength) || !kernel.IsFinite(length) {
		return kernel.V3(0, 0, 0)
	}
	return kernel.V3(v.X/length, v.Y/length, v.Z/length)
}
