package obstacle

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Columns of the packed arrays of frames. Column c of agent i of n agents is element c*n+i.
const (
	FrameHit  = 0 // int32
	FrameGate = 1 // int32

	FrameDepth = 0 // float32
)

// Frame is the shape of the frames of all gates: the thickness of the posts and bars across the opening, and their
// depth along the course.
type Frame struct{ Thickness, Depth float32 }

// turnBack turns a vector by the inverse of q (C-5).
func turnBack(q kernel.Quat, v kernel.Vec3) kernel.Vec3 {
	c := float32(float32(2*q.W)*q.W) - 1
	d := float32(2 * ((float32(q.X*v.X) + float32(q.Y*v.Y)) + float32(q.Z*v.Z)))
	return kernel.V3(
		(float32(v.X*c)+float32(q.X*d))-float32(float32((float32(q.Y*v.Z)-float32(q.Z*v.Y))*q.W)*2),
		(float32(v.Y*c)+float32(q.Y*d))-float32(float32((float32(q.Z*v.X)-float32(q.X*v.Z))*q.W)*2),
		(float32(v.Z*c)+float32(q.Z*d))-float32(float32((float32(q.X*v.Y)-float32(q.Y*v.X))*q.W)*2))
}

// distanceTo returns the signed distance of v from the box about the origin with the given half extents: negative
// inside.
func distanceTo(v, half kernel.Vec3) float32 {
	x := kernel.Abs(v.X) - half.X
	y := kernel.Abs(v.Y) - half.Y
	z := kernel.Abs(v.Z) - half.Z
	outside := kernel.V3(kernel.Max(x, 0), kernel.Max(y, 0), kernel.Max(z, 0)).Len()
	return outside + kernel.Min(vector.Larger(x, vector.Larger(y, z)), 0)
}

// distance returns the signed distance of v, in coordinates of a gate, from its frame around an opening of 2*half by
// 2*half: x is along the course, y to the left, z up. The frame has two posts and two bars.
func (f Frame) distance(v kernel.Vec3, half float32) float32 {
	thick := float32(f.Thickness * 0.5)
	at := half + thick
	post := kernel.V3(float32(f.Depth*0.5), thick, half+f.Thickness)
	bar := kernel.V3(post.X, post.Z, thick)
	d := kernel.Min(distanceTo(kernel.V3(v.X, v.Y-at, v.Z), post), distanceTo(kernel.V3(v.X, v.Y+at, v.Z), post))
	d = kernel.Min(d, distanceTo(kernel.V3(v.X, v.Y, v.Z-at), bar))
	return kernel.Min(d, distanceTo(kernel.V3(v.X, v.Y, v.Z+at), bar))
}

// UpdateFrames tests agent i of n, a ball, against the frames of the gates of its env near its target (C-78): of the
// gates target-1 to target-2+window. The rows of gate, turn and half have the stride gates. target [n] is the next
// checkpoint of each agent.
//
// It writes the columns of the packed arrays: integers [2n], floats [n].
func UpdateFrames(i, env, n, gates, window int32, radius float32, frame Frame, position []kernel.Vec3, target []int32,
	gate []kernel.Vec3, turn []kernel.Quat, half []float32, count, valid []int32,
	integers []int32, floats []float32) {
	p := position[i]
	best := int32(-1)
	depth := float32(0)
	number := count[env]
	if number > gates {
		number = gates
	}
	if number >= 1 && valid[env] != 0 && !vector.HasNaN(p) {
		for w := int32(0); w < window; w++ {
			k := (target[i] - 1 + w) % number
			if k < 0 {
				k += number
			}
			at := env*gates + k
			if !kernel.IsNaN(gate[at].X) && !kernel.IsNaN(half[at]) {
				inside := -(frame.distance(turnBack(turn[at], p.Sub(gate[at])), half[at]) - radius)
				if inside > depth {
					best = k
					depth = inside
				}
			}
		}
	}
	integers[FrameHit*n+i] = 0
	if best >= 0 {
		integers[FrameHit*n+i] = 1
	}
	integers[FrameGate*n+i] = best
	floats[FrameDepth*n+i] = depth
}

// touchFrames tests each agent against the frames of its env: see UpdateFrames. agents is the number of agents of an
// env. One thread is one agent. kernelgen cannot prove that agents have no column in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations rowIterations(window)
func touchFrames(i int32, n, agents, gates, window int32, radius, thickness, depth float32, position []kernel.Vec3,
	target []int32, gate []kernel.Vec3, turn []kernel.Quat, half []float32, count, valid []int32,
	integers []int32, floats []float32) {
	UpdateFrames(i, i/agents, n, gates, window, radius, Frame{Thickness: thickness, Depth: depth}, position, target,
		gate, turn, half, count, valid, integers, floats)
}
