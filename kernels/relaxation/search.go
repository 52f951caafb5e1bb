package relaxation

import "github.com/trackgen-go/trackgen/kernel"

// boxOf returns the corners of the box around the beads of a block, of the n beads x.
func boxOf(block, n int32, x []kernel.Vec2) (kernel.Vec2, kernel.Vec2) {
	first := block * BlockSize
	lo := x[first]
	hi := lo
	for i := first + 1; i < first+BlockSize && i < n; i++ {
		p := x[i]
		lo.X = kernel.Min(lo.X, p.X)
		lo.Y = kernel.Min(lo.Y, p.Y)
		hi.X = kernel.Max(hi.X, p.X)
		hi.Y = kernel.Max(hi.Y, p.Y)
	}
	return lo, hi
}

// searchClose writes the first slots beads that are within reach of bead i and more than skip steps away to closeBeads,
// two to a word, and returns how many there are in all. boxes has two corners for each block of the n beads x.
func searchClose(i, n, skip, slots int32, reach float32, x, boxes []kernel.Vec2, closeBeads []int32) int32 {
	p := x[i]
	reachSquared := float32(reach * reach)
	found := int32(0)
	for first := int32(0); first < n; first += BlockSize {
		box := first >> 2 // two corners for each BlockSize beads
		lo := boxes[box]
		hi := boxes[box+1]
		// Rounding keeps the order of differences, so a box that is out of reach holds no bead within reach.
		if p.X-hi.X >= reach || lo.X-p.X >= reach || p.Y-hi.Y >= reach || lo.Y-p.Y >= reach {
			continue
		}
		end := min(first+BlockSize, n)
		for j := first; j < end; j++ {
			d := p.Sub(x[j])
			if d.Dot(d) >= reachSquared || Apart(i, j, n) <= skip {
				continue
			}
			if found < slots {
				if found&1 == 0 {
					closeBeads[found>>1] = j
				} else {
					closeBeads[found>>1] |= j << 16
				}
			}
			found++
		}
	}
	return found
}
