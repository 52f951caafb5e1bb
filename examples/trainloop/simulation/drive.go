// Package simulation holds the kernel that stands for a simulator in the training loop: agents that follow the
// centrelines of their tracks until their episodes end.
package simulation

import "github.com/trackgen-go/trackgen/kernel"

//go:generate go run ../../../cmd/kernelgen .

// drive moves the agent of every env one point along its centreline. Where the last step ended the episode, the agent
// begins at the start again. The episode ends with probability limit/2^32. trace is a hash of all that the agent has
// seen. One thread per env; center has the stride maxPoints.
//
//kernel:thread
func drive(e int32, limit uint32, maxPoints int32, count []int32, center []kernel.Vec3, clock, place, done []int32,
	trace []uint32) {
	at := place[e] + 1
	if done[e] != 0 || at >= count[e] {
		at = 0
	}
	place[e] = at
	p := center[e*maxPoints+at]
	trace[e] = kernel.Hash(trace[e] ^ kernel.Float32Bits(p.X) ^ kernel.Hash(kernel.Float32Bits(p.Y)))

	clock[e]++
	ends := int32(0)
	if kernel.Hash(uint32(e)^kernel.Hash(uint32(clock[e]))) < limit {
		ends = 1
	}
	done[e] = ends
}
