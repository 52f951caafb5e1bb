package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// still is the part of a direction along an axis below which a beam does not move along it.
const still = 1e-12

// toBlock returns the distance along a beam to a block about the origin with the given half extents, 0 inside, and
// kernel.Inf if it does not hit it. from and way are the beam in the axes of the block.
func toBlock(from, way, half kernel.Vec3) float32 {
	low := float32(0)
	high := kernel.Inf()
	for k := int32(0); k < 3; k++ {
		p := from.X
		d := way.X
		h := half.X
		if k == 1 {
			p = from.Y
			d = way.Y
			h = half.Y
		}
		if k == 2 {
			p = from.Z
			d = way.Z
			h = half.Z
		}
		if kernel.Abs(d) < still {
			if !(kernel.Abs(p) <= h) {
				return kernel.Inf()
			}
			continue
		}
		s := (-h - p) / d
		t := (h - p) / d
		low = vector.Larger(low, vector.Smaller(s, t))
		high = vector.Smaller(high, vector.Larger(s, t))
	}
	if low <= high {
		return low
	}
	return kernel.Inf()
}

// toFrame returns the distance along a beam to the frame of a gate, in the axes of the gate: x along the course, y to
// the left, z up. half is half the width of the opening. The frame has two posts and two bars, as in C-78.
func toFrame(from, way kernel.Vec3, half, thickness, depth float32) float32 {
	thick := float32(thickness * 0.5)
	at := half + thick
	post := kernel.V3(float32(depth*0.5), thick, half+thickness)
	bar := kernel.V3(post.X, post.Z, thick)
	t := kernel.Inf()
	for k := int32(0); k < 4; k++ {
		side := at
		if k%2 == 1 {
			side = -at
		}
		if k < 2 {
			t = kernel.Min(t, toBlock(kernel.V3(from.X, from.Y-side, from.Z), way, post))
		} else {
			t = kernel.Min(t, toBlock(kernel.V3(from.X, from.Y, from.Z-side), way, bar))
		}
	}
	return t
}

// frames measures the beams of every agent against the frames of the gates of its env. gate, axes and half are
// [E, maxGates]; an env whose valid is 0 has no frames. See walls.
//
// One item is a run of beams of one agent. kernelgen cannot prove that runs have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations frameIterations(maxGates)
func frames(i, agents, beams, maxGates, body int32, thickness, depth, placeX, placeY, placeZ float32,
	position []kernel.Vec3, orientation []kernel.Quat, turn []kernel.Vec2, gate []kernel.Vec3, axes []kernel.Quat,
	half []float32, count, valid []int32, distance []float32, hit []int32) {
	agent := i / runs(beams)
	from := i % runs(beams) * Run
	f := SensorOf(position[agent], orientation[agent], Mount{Place: kernel.V3(placeX, placeY, placeZ), Body: body})
	env := agent / agents
	if !f.Sees() || valid[env] == 0 {
		return
	}
	n := min(count[env], maxGates)
	for j := env * maxGates; j < env*maxGates+n; j++ {
		g := vector.FrameOf(gate[j], axes[j], 1)
		if !g.Sees() || kernel.IsNaN(half[j]) {
			continue
		}
		begin := vector.Along(f.Origin.Sub(gate[j]), g.Forward, g.Left, g.Up)
		corner := half[j] + thickness
		radius := kernel.V3(float32(depth*0.5), corner, corner).Len()
		away := begin.Len()
		for k := from; k < min(from+Run, beams); k++ {
			at := agent*beams + k
			if away-radius > distance[at] {
				continue
			}
			way := vector.Along(DirectionOf(f, turn[k]), g.Forward, g.Left, g.Up)
			t := toFrame(begin, way, half[j], thickness, depth)
			if t < distance[at] {
				distance[at] = t
				hit[at] = Post
			}
		}
	}
}
