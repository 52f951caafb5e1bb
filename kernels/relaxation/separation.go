package relaxation

import "github.com/trackgen-go/trackgen/kernel"

// A sweep pushes a bead away from the beads within target of it. A phase of its own finds these before the pushes: a
// loop over hits alone has few branches that are hard to predict, and on a GPU no lane waits while another pushes.

// closeWithin returns which of the remembered close beads of p are within target, one bit for each. closeBeads has two
// indices to a word. All beads take the words in the same order, so that eight beads on a CPU load theirs together.
func closeWithin(p kernel.Vec2, x []kernel.Vec2, closeBeads []int32, remembered int32, target float32) int32 {
	targetSquared := float32(target * target)
	within := int32(0)
	bit := int32(1)
	for word := int32(0); 2*word < remembered; word++ {
		pair := closeBeads[word]
		first := x[pair&0xffff].Sub(p)
		if first.Dot(first) < targetSquared {
			within |= bit
		}
		bit *= 2
		second := x[pair>>16&0xffff].Sub(p)
		if second.Dot(second) < targetSquared {
			within |= bit
		}
		bit *= 2
	}
	// The last word may hold one index.
	return within & (1<<(remembered&31) - 1)
}

// pushes returns the sum of the pushes on p of the close beads that within marks, in their order, and how many they
// are.
func pushes(p kernel.Vec2, x []kernel.Vec2, closeBeads []int32, within int32, target float32) (kernel.Vec2, int32) {
	sum := kernel.V2(0, 0)
	hits := int32(0)
	for rest := within; rest != 0; rest &= rest - 1 {
		k := lowestBit(rest)
		d := p.Sub(x[closeBeads[k>>1]>>((k<<4)&31)&0xffff])
		sum = sum.Add(push(d, distanceOf(d.Dot(d)), target))
		hits++
	}
	return sum, hits
}

// lowestBit returns the index of the lowest set bit of x, which is not 0: the exponent of that power of two as a
// float32.
func lowestBit(x int32) int32 {
	return int32(kernel.Float32Bits(float32(x&-x))>>23) - 127
}

// allPushes returns the sum of the pushes on bead i of all beads within target of it and more than skip steps away, in
// their order, and how many they are. The n beads are in x from base on.
func allPushes(i, n, base, skip int32, x []kernel.Vec2, target float32) (kernel.Vec2, int32) {
	targetSquared := float32(target * target)
	p := x[base+i]
	sum := kernel.V2(0, 0)
	hits := int32(0)
	for j := int32(0); j < n; j++ {
		d := p.Sub(x[base+j])
		squared := d.Dot(d)
		if squared < targetSquared && Apart(i, j, n) > skip {
			sum = sum.Add(push(d, distanceOf(squared), target))
			hits++
		}
	}
	return sum, hits
}
