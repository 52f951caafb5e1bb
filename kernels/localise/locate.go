package localise

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

const (
	leastPoints = 3 // of a closed line

	minLength = 1e-12 // length below which a vector has no direction (C-3)
	minLevel  = 1e-6  // length of the level part of a direction below which it is vertical (C-81)
)

// Locate finds the nearest point of a line for agent i of number in all envs, which is at p, and writes the arc length
// of that point, the offsets of p to the right and upwards, and the segment, which the agent remembers (C-80, C-81). A
// p with a NaN, or a line of fewer than 3 points, gives NaN and -1.
//
// With a window above 0, an agent that remembers a segment searches that many segments on each side of it, and no
// others. Else it searches the whole line; what it remembers then makes the search faster and changes no result.
func Locate(i, number, window int32, p kernel.Vec3, l polyline.Line, index []kernel.Quat,
	integers []int32, floats []float32) {
	at := Frame{S: kernel.NaN(), N: kernel.NaN(), Up: kernel.NaN(), Segment: -1}
	if !vector.HasNaN(p) && l.N >= leastPoints {
		at = FrameOf(p, footOf(p, integers[number+i], window, l, index), l, index)
	}
	floats[i] = at.S
	floats[number+i] = at.N
	floats[2*number+i] = at.Up
	integers[i] = at.Segment
	integers[number+i] = at.Segment
}

// footOf returns the foot of p on the segments that an agent searches. memory is the segment that it remembers, or -1.
func footOf(p kernel.Vec3, memory, window int32, l polyline.Line, index []kernel.Quat) polyline.Foot {
	known := memory >= 0 && memory < l.N
	if known && window > 0 {
		return footAround(p, memory, window, l, index)
	}
	begin := int32(0)
	if known {
		begin = polyline.Beside(p, memory, l, index)
	} else {
		begin = polyline.Begin(p, l, index)
	}
	return polyline.Nearest(p, begin, l, index)
}

// footAround returns the foot of p on the segments from memory-window to memory+window, each at most once. The first of
// those that are equally near counts, in this order.
func footAround(p kernel.Vec3, memory, window int32, l polyline.Line, index []kernel.Quat) polyline.Foot {
	best := polyline.Foot{Squared: polyline.Far, Part: 0, Segment: 0}
	i := (memory - window) % l.N
	if i < 0 {
		i += l.N
	}
	span := min(2*window+1, l.N)
	for k := int32(0); k < span; k++ {
		f := polyline.FootOn(p, i, l, index)
		if f.Squared < best.Squared {
			best = f
		}
		i++
		if i == l.N {
			i = 0
		}
	}
	return best
}

// Frame is a place relative to a line: the arc length of its foot, its offsets to the right and upwards, and the
// segment of the foot.
type Frame struct {
	S, N, Up float32
	Segment  int32
}

// FrameOf returns the frame of p with a foot on a line (C-81).
func FrameOf(p kernel.Vec3, f polyline.Foot, l polyline.Line, index []kernel.Quat) Frame {
	from := index[l.Base+f.Segment]
	to := index[l.Base+f.Segment+1]
	way := polyline.Space(to).Sub(polyline.Space(from))
	off := p.Sub(polyline.Space(from).Add(way.Scale(f.Part)))
	s := from.W + float32(f.Part*(to.W-from.W))
	length := index[l.Base+l.N].W
	if s >= length {
		s -= length
	}
	right, up := Axes(way)
	return Frame{S: vector.OneNaN(s), N: vector.OneNaN(off.Dot(right)), Up: vector.OneNaN(off.Dot(up)), Segment: f.Segment}
}

// Axes returns the unit vectors to the right of a way, level, and upwards from it. A vertical way has the x axis to its
// right.
func Axes(way kernel.Vec3) (kernel.Vec3, kernel.Vec3) {
	along := kernel.V3(0, 0, 0)
	length := way.Len()
	if !(length < minLength) {
		along = kernel.V3(way.X/length, way.Y/length, way.Z/length)
	}
	right := along.Cross(kernel.V3(0, 0, 1))
	level := right.Len()
	if level < minLevel {
		right = kernel.V3(1, 0, 0)
	} else {
		right = kernel.V3(right.X/level, right.Y/level, right.Z/level)
	}
	return right, right.Cross(along)
}

// locateAll does the work of Locate for every agent: agents in each env, number in all. position is [E, agents].
//
// One item is one agent. kernelgen cannot prove that columns have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations Iterations(maxPoints, window)
func locateAll(i, agents, number, maxPoints, window int32, position []kernel.Vec3, index []kernel.Quat,
	integers []int32, floats []float32) {
	l := polyline.LineOf(i/agents, 0, 1, maxPoints, index)
	Locate(i, number, window, position[i], l, index, integers, floats)
}

// forget makes the agents of the envs whose mask is not 0 remember no segment (C-82). One item is one agent.
//
//kernel:thread
func forget(i, agents, number int32, mask, integers []int32) {
	if mask[i/agents] != 0 {
		integers[number+i] = -1
	}
}

// renew makes the agents of the active envs remember no segment. Items are the agents of the envs in the order of the
// list.
//
//kernel:thread
//kernel:unproven
func renew(i, agents, number int32, active, integers []int32) {
	if i/agents < active[0] {
		integers[number+active[i/agents+1]*agents+i%agents] = -1
	}
}
