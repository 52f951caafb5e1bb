package preview

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// lookAtGates writes the observations of every agent: its next gates, places of them, with channels values each. target
// is the number of the next gate of each agent, and may be any: it counts modulo the number of gates. target, position
// and orientation are [E*A], gate, forward, left and right are [E, maxGates], out is [E*A, K, C]. An agent that does
// not see, or whose env has no gates, gets NaN (L-25).
//
// One group is one agent, and one item of a phase a gate. kernelgen cannot prove that slots differ.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations gateIterations(places, channels, lanes)
func lookAtGates(g kernel.Group, agents, maxGates, places, channels, body, first, second, third int32, size float32,
	position []kernel.Vec3, orientation []kernel.Quat, target []int32, gate, forward, left, right []kernel.Vec3,
	count []int32, out []float32) {
	f := vector.FrameOf(position[g.ID], orientation[g.ID], body)
	env := g.ID / agents
	n := count[env]
	if n > maxGates {
		n = maxGates
	}
	at := g.ID * places * channels
	if n < 1 || !f.Sees() {
		for k := range g.Each(places * channels) {
			out[at+k] = kernel.NaN()
		}
		return
	}
	next := target[g.ID] % n
	if next < 0 {
		next += n
	}
	for k := range g.Each(places) {
		i := env*maxGates + (next+k%n)%n
		row := at + k*channels
		p := gate[i].Sub(f.Origin)
		local := vector.OneNaN3(vector.Along(p, f.Forward, f.Left, f.Up).Scale(size))
		putPoint(first, GateX, row, local, out)
		putPoint(first, ForwardX, row, vector.OneNaN3(vector.Along(forward[i], f.Forward, f.Left, f.Up)), out)
		if second != NoSlots {
			local = vector.OneNaN3(vector.Along(left[i].Sub(f.Origin), f.Forward, f.Left, f.Up).Scale(size))
			putPoint(second, GateLeftX-SlotsPerWord, row, local, out)
			local = vector.OneNaN3(vector.Along(right[i].Sub(f.Origin), f.Forward, f.Left, f.Up).Scale(size))
			putPoint(second, GateRightX-SlotsPerWord, row, local, out)
		}
		if third != NoSlots {
			half := float32(0.5 * left[i].Sub(right[i]).Len())
			put(third, HalfSize-2*SlotsPerWord, row, vector.OneNaN(float32(half*size)), out)
			put(third, Distance-2*SlotsPerWord, row, vector.OneNaN(float32(p.Len()*size)), out)
		}
	}
}
