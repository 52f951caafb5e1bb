package pursuit

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

const (
	leastPoints = 3 // of a closed line

	// window is the number of segments on each side of the one where an agent is localised among which the nearest one
	// of the driven line is sought (L-90). A racing line leaves the centreline by a part of the width of the road, so
	// its nearest segment has about the same number.
	window = 4

	minLength = 1e-12 // length below which a vector has no direction
)

// steer writes the actions of cars that follow closed lines with a speed profile (L-90 to L-95): agents in each env,
// each with two actions. point, arclen and speed have the stride maxPoints. segment is where each agent is on its line,
// or -1 for nowhere, which gives actions of 0.
//
// Times: lookahead and preview, in time; nearest and farthest bound the way to the target, wheelbase and rear are those
// of the car, in length; gain is in 1/time, lateral, acceleration and braking are in length/time^2, steering is the
// largest angle of steering in radians. factor scales the speeds.
//
// One item is one agent.
//
//kernel:thread
//kernel:iterations steerIterations(maxPoints)
func steer(i, agents, maxPoints int32, lookahead, nearest, farthest, preview, factor, gain, wheelbase, rear, steering,
	lateral, acceleration, braking float32, position []kernel.Vec3, orientation []kernel.Quat, velocity []kernel.Vec3,
	segment []int32, point []kernel.Vec3, arclen, length []float32, count []int32, speed, action []float32) {
	env := i / agents
	l := line{base: env * maxPoints, n: pointsOf(count[env], maxPoints), length: length[env]}
	angle := float32(0)
	drive := float32(0)
	p := position[i]
	if segment[i] >= 0 && segment[i] < l.n && !vector.HasNaN(p) {
		heading := vector.Heading(orientation[i])
		v := float32(velocity[i].X*heading.X) + float32(velocity[i].Y*heading.Y)
		s := l.footOf(p, segment[i], point, arclen)
		ahead := kernel.Clamp(float32(lookahead*v), nearest, farthest)
		axle := kernel.V2(p.X-float32(rear*heading.X), p.Y-float32(rear*heading.Y))
		bend := curvature(l.at(s+ahead, arclen, point).Sub(axle), heading, ahead)
		angle = kernel.Atan(float32(bend*wheelbase)) / steering

		wanted := float32(factor * l.speedAt(s+float32(preview*kernel.Max(v, 0)), arclen, speed))
		if lateral > 0 {
			wanted = kernel.Min(wanted, kernel.Sqrt(lateral/kernel.Max(kernel.Abs(bend), minLength)))
		}
		drive = float32(gain * (wanted - v))
		if drive > 0 {
			drive = drive / acceleration
		} else {
			drive = drive / braking
		}
	}
	action[2*i] = limited(angle)
	action[2*i+1] = limited(drive)
}

// limited returns x between -1 and 1, 0 for a NaN.
func limited(x float32) float32 {
	if kernel.IsNaN(x) {
		return 0
	}
	return kernel.Clamp(x, -1, 1)
}

// curvature returns that of the arc from the origin, with a heading, to a target: 2 sin(alpha)/d (L-92). A target
// behind the car asks for the tightest turn to its side, about a circle whose diameter is the lookahead.
func curvature(target, heading kernel.Vec2, ahead float32) float32 {
	along := float32(target.X*heading.X) + float32(target.Y*heading.Y)
	left := float32(heading.X*target.Y) - float32(heading.Y*target.X)
	squared := float32(along*along) + float32(left*left)
	if !(squared > minLength) {
		return 0
	}
	if along < 0 {
		return kernel.CopySign(2/ahead, left)
	}
	return float32(2*left) / squared
}

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

// footOf returns the arc length of the nearest point of a line to p in plan view, on the segments around near. The
// first of those that are equally near counts, in the order of the line (L-90).
func (l line) footOf(p kernel.Vec3, near int32, point []kernel.Vec3, arclen []float32) float32 {
	best := kernel.Inf()
	s := arclen[l.base+near]
	span := min(2*window+1, l.n)
	i := (near - window) % l.n
	if i < 0 {
		i += l.n
	}
	for k := int32(0); k < span; k++ {
		from := point[l.base+i]
		to := point[l.base+l.after(i)]
		way := kernel.V2(to.X-from.X, to.Y-from.Y)
		off := kernel.V2(p.X-from.X, p.Y-from.Y)
		part := float32(0)
		if squared := way.Dot(way); squared > 0 {
			part = kernel.Clamp(way.Dot(off)/squared, 0, 1)
		}
		rest := off.Sub(way.Scale(part))
		if squared := rest.Dot(rest); squared < best {
			best = squared
			s = arclen[l.base+i] + float32(part*(l.end(i, arclen)-arclen[l.base+i]))
		}
		i = l.after(i)
	}
	return s
}

// after returns the point after point i.
func (l line) after(i int32) int32 {
	if i+1 == l.n {
		return 0
	}
	return i + 1
}

// end returns the arc length at the end of segment i.
func (l line) end(i int32, arclen []float32) float32 {
	if i+1 == l.n {
		return l.length
	}
	return arclen[l.base+i+1]
}

// spot is a place on a line: part of the way from the begin of a segment to its end.
type spot struct {
	segment int32
	part    float32
}

// spotOf returns the place at an arc length, which goes around the line.
func (l line) spotOf(s float32, arclen []float32) spot {
	turns := s / l.length
	whole := kernel.Floor(turns)
	s -= float32(whole * l.length)
	// Points that are about equally far apart, as those of most lines are, make this the segment or the one beside it.
	i := min(max(kernel.ToInt32(float32((turns-whole)*float32(l.n))), 0), l.n-1)
	from := arclen[l.base+i]
	to := l.end(i, arclen)
	if from > s || to <= s {
		i = l.segmentAt(s, i, arclen)
		from = arclen[l.base+i]
		to = l.end(i, arclen)
	}
	part := float32(0)
	if to-from > minLength {
		part = kernel.Clamp((s-from)/(to-from), 0, 1)
	}
	return spot{segment: i, part: part}
}

// segmentAt returns the last segment that begins at an arc length or before, the first one if there is none. The search
// goes away from segment i in steps that double, so that it takes no longer than the logarithm of how far the segment
// is from there.
func (l line) segmentAt(s float32, i int32, arclen []float32) int32 {
	low := int32(0)
	high := l.n - 1
	if arclen[l.base+i] > s {
		high = i
		for step := int32(1); step < i && low == 0; step *= 2 {
			if arclen[l.base+i-step] > s {
				high = i - step
			} else {
				low = i - step
			}
		}
		high--
	} else {
		low = i
		found := false
		for step := int32(1); step < l.n-i && !found; step *= 2 {
			found = arclen[l.base+i+step] > s
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
		if arclen[l.base+middle] <= s {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// at returns the point at an arc length, in plan view.
func (l line) at(s float32, arclen []float32, point []kernel.Vec3) kernel.Vec2 {
	w := l.spotOf(s, arclen)
	from := point[l.base+w.segment]
	to := point[l.base+l.after(w.segment)]
	return kernel.V2(from.X+float32(w.part*(to.X-from.X)), from.Y+float32(w.part*(to.Y-from.Y)))
}

// speedAt returns the speed at an arc length, which changes evenly from point to point.
func (l line) speedAt(s float32, arclen, speed []float32) float32 {
	w := l.spotOf(s, arclen)
	from := speed[l.base+w.segment]
	return from + float32(w.part*(speed[l.base+l.after(w.segment)]-from))
}
