package relaxation

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/variation"
)

const (
	// MaxPoints is the largest point count that Relax takes; RelaxLarge takes more.
	MaxPoints = 384
	// MaxSlots is the most close beads that Relax remembers per bead; RelaxLarge takes more.
	MaxSlots = 16

	// BlockSize is how many beads share a bounding box in the search for close beads.
	BlockSize = 8

	maxBlocks = MaxPoints / BlockSize
)

// relax moves the count[e] points of every env until its road fits around them, with all state in shared memory. size
// has the lengths of the road (see package variation): with perEnv 1 for each env, else for all. One group is one env.
//
// point [E*stride] is read, relaxed [E*stride] written (real points only). With large weights a line may grow without
// bound; its coordinates are then not finite, and those that are NaN have the bits of kernel.NaN. omega [sweeps] holds
// the Chebyshev weight of each sweep from firstAccelerated on. band 0 means the road width over the mean spacing, and a
// negative one no neighbours. Every refresh-th sweep remembers up to slots close beads of each bead, which are within
// reach; dropped[0] counts the beads that have more. With slots 0, or refresh 1, these sweeps test all pairs instead.
//
//kernel:group lanes=128
//kernel:iterations relaxIterations(stride, sweeps, refresh, slots, smoothPasses, spacingSweeps, lanes)
func relax(g kernel.Group, active []int32, stride int32, point []kernel.Vec2, count []int32,
	perEnv int32, size []float32, band, sweeps, refresh, slots, firstAccelerated, smoothPasses, spacingSweeps int32,
	weightSeparation, weightSpacing, weightBend, gamma float32, omega []float32,
	relaxed []kernel.Vec2, dropped []int32) {
	var x [2][MaxPoints]kernel.Vec2 // current positions and those before, in turns
	var pull [MaxPoints]kernel.Vec2 // spacing correction of the edge from a bead to the next
	var edge [MaxPoints]float32     // length of that edge
	var closeBeads [MaxPoints][MaxSlots / 2]int32
	var closeCount [MaxPoints]int32
	var within [MaxPoints]int32 // which of the close beads are within the target
	var boxLo [maxBlocks]kernel.Vec2
	var boxHi [maxBlocks]kernel.Vec2

	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	n := count[env]
	road := env * perEnv * variation.Lengths
	halfWidth := size[road+variation.HalfWidth]
	target := size[road+variation.Target]
	reach := size[road+variation.Reach]
	minRadius := size[road+variation.MinRadius]
	base := env * stride
	for i := range g.Each(n) {
		x[0][i] = point[base+i]
	}
	for i := range g.Each(n) {
		next := centerline.After(i, n)
		edge[i] = x[0][next].Sub(x[0][i]).Len()
	}
	var perimeter kernel.TwoFloat
	for i := int32(0); i < n; i++ {
		perimeter = perimeter.Add(edge[i])
	}
	restLength := perimeter.Float32() / kernel.Max(float32(n), 1)
	skip := Band(band, halfWidth, restLength)
	reachSquared := float32(reach * reach)

	cur := int32(0)
	for sweep := int32(0); sweep < sweeps; sweep++ {
		search := sweep%refresh == 0
		cached := slots > 0 && refresh > 1
		if search && cached {
			for b := range g.Each((n + BlockSize - 1) / BlockSize) {
				first := b * BlockSize
				lo := x[cur][first]
				hi := lo
				for i := first + 1; i < first+BlockSize && i < n; i++ {
					p := x[cur][i]
					lo.X = kernel.Min(lo.X, p.X)
					lo.Y = kernel.Min(lo.Y, p.Y)
					hi.X = kernel.Max(hi.X, p.X)
					hi.Y = kernel.Max(hi.Y, p.Y)
				}
				boxLo[b] = lo
				boxHi[b] = hi
			}
			for i := range g.Each(n) {
				p := x[cur][i]
				found := int32(0)
				for first := int32(0); first < n; first += BlockSize {
					lo := boxLo[first/BlockSize]
					hi := boxHi[first/BlockSize]
					// Rounding keeps the order of differences, so a box that is out of reach holds no bead within
					// reach.
					if p.X-hi.X >= reach || lo.X-p.X >= reach || p.Y-hi.Y >= reach || lo.Y-p.Y >= reach {
						continue
					}
					for j := first; j < first+BlockSize && j < n; j++ {
						d := p.Sub(x[cur][j])
						if d.Dot(d) >= reachSquared || Apart(i, j, n) <= skip {
							continue
						}
						if found < slots {
							// Two indices share a word.
							if found&1 == 0 {
								closeBeads[i][found>>1] = j
							} else {
								closeBeads[i][found>>1] |= j << 16
							}
						}
						found++
					}
				}
				if found > slots {
					kernel.AtomicAdd(dropped, 0, 1)
					found = slots
				}
				closeCount[i] = found
			}
		}

		for i := range g.Each(n) {
			next := centerline.After(i, n)
			p := x[cur][i]
			edge[i], pull[i] = stretch(x[cur][next].Sub(p), restLength)
			if cached {
				within[i] = closeWithin(p, x[cur][:], closeBeads[i][:], closeCount[i], target)
			}
		}
		for i := range g.Each(n) {
			before := centerline.Before(i, n)
			next := centerline.After(i, n)
			p := x[cur][i]
			sum := kernel.V2(0, 0)
			hits := int32(0)
			if cached {
				sum, hits = pushes(p, x[cur][:], closeBeads[i][:], within[i], target)
			} else if search {
				sum, hits = allPushes(i, n, 0, skip, x[cur][:], target)
			}
			if hits > 0 {
				sum = sum.Scale(weightSeparation / float32(hits))
			}
			spread := pull[i].Sub(pull[before]).Scale(weightSpacing)
			swept := p.Add(sum).Add(spread)
			left := x[cur][before]
			right := x[cur][next]
			chord := right.Sub(left)
			doubled := float32(2 * kernel.Abs(p.Sub(left).Cross(chord)))
			if tight(doubled, edge[before], edge[i], chord.Dot(chord), minRadius) {
				part := bend(doubled, edge[before], edge[i], chord.Dot(chord), minRadius, weightBend)
				swept = swept.Add(toMidpoint(left, p, right, part))
			}
			if sweep >= firstAccelerated {
				previous := x[1-cur][i]
				if sweep == firstAccelerated {
					previous = p
				}
				swept = accelerate(swept, p, previous, omega[sweep], gamma)
			}
			x[1-cur][i] = swept
		}
		cur = 1 - cur
	}

	for half := int32(0); half < 2*smoothPasses; half++ {
		factor := float32(taubinShrink)
		if half&1 == 1 {
			factor = taubinGrow
		}
		for i := range g.Each(n) {
			before := centerline.Before(i, n)
			next := centerline.After(i, n)
			p := x[cur][i]
			x[1-cur][i] = p.Add(toMidpoint(x[cur][before], p, x[cur][next], factor))
		}
		cur = 1 - cur
	}
	for sweep := int32(0); sweep < spacingSweeps; sweep++ {
		for i := range g.Each(n) {
			next := centerline.After(i, n)
			_, pull[i] = stretch(x[cur][next].Sub(x[cur][i]), restLength)
		}
		for i := range g.Each(n) {
			before := centerline.Before(i, n)
			x[1-cur][i] = x[cur][i].Add(pull[i].Sub(pull[before]).Scale(weightSpacing))
		}
		cur = 1 - cur
	}
	for i := range g.Each(n) {
		relaxed[base+i] = centerline.OneNaN(x[cur][i])
	}
}

// Band returns how many neighbours along the loop count as the same piece of road: band if it is positive, none if it
// is negative, else the road width over the mean spacing, rounded, at least 1 (docs/spec/pipeline.md, section 6).
func Band(band int32, halfWidth, spacing float32) int32 {
	if band > 0 {
		return band
	}
	if band < 0 {
		return 0
	}
	ratio := float32(2*halfWidth) / kernel.Max(spacing, minDistance)
	if kernel.IsNaN(spacing) || !kernel.IsFinite(ratio) {
		return 1
	}
	rounded := kernel.ToInt32(kernel.Floor(kernel.Min(ratio, 1<<24) + 0.5))
	if rounded < 1 {
		return 1
	}
	return rounded
}
