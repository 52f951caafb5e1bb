package relaxation

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/variation"
)

// relaxLarge does what relax does, to the bit, for any number of points and slots. Its state lies in scratch rows: x
// with stride 2*stride, pull, edge and closeCount with stride, closeBeads with stride*slots, boxLo and boxHi with
// stride/8 rounded up. kernelgen cannot prove that it has no races, because the two halves of a row of x take turns.
//
//kernel:group lanes=128
//kernel:unproven
//kernel:iterations relaxLargeIterations(stride, sweeps, refresh, slots, smoothPasses, spacingSweeps, lanes)
func relaxLarge(g kernel.Group, active []int32, stride int32, point []kernel.Vec2, count []int32,
	perEnv int32, size []float32, band, sweeps, refresh, slots, firstAccelerated, smoothPasses, spacingSweeps int32,
	weightSeparation, weightSpacing, weightBend, gamma float32, omega []float32,
	x, pull []kernel.Vec2, edge []float32, closeBeads, closeCount []int32, boxLo, boxHi []kernel.Vec2,
	relaxed []kernel.Vec2, dropped []int32) {
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
	boxBase := env * ((stride + BlockSize - 1) / BlockSize)
	start := 2 * base
	for i := range g.Each(n) {
		x[start+i] = point[base+i]
	}
	for i := range g.Each(n) {
		next := centerline.After(i, n)
		edge[base+i] = x[start+next].Sub(x[start+i]).Len()
	}
	for range g.Each(1) {
		var perimeter kernel.TwoFloat
		for i := int32(0); i < n; i++ {
			perimeter = perimeter.Add(edge[base+i])
		}
		pull[base].X = perimeter.Float32() // free until the first sweep
	}
	restLength := pull[base].X / kernel.Max(float32(n), 1)
	skip := Band(band, halfWidth, restLength)
	targetSquared := float32(target * target)
	reachSquared := float32(reach * reach)

	now := start
	other := start + stride
	untilSearch := int32(0) // sweeps
	for sweep := int32(0); sweep < sweeps; sweep++ {
		search := untilSearch == 0
		if search {
			untilSearch = refresh
		}
		untilSearch--
		cached := slots > 0 && refresh > 1
		if search && cached {
			for b := range g.Each((n + BlockSize - 1) / BlockSize) {
				first := b * BlockSize
				lo := x[now+first]
				hi := lo
				for i := first + 1; i < first+BlockSize && i < n; i++ {
					p := x[now+i]
					lo.X = kernel.Min(lo.X, p.X)
					lo.Y = kernel.Min(lo.Y, p.Y)
					hi.X = kernel.Max(hi.X, p.X)
					hi.Y = kernel.Max(hi.Y, p.Y)
				}
				boxLo[boxBase+b] = lo
				boxHi[boxBase+b] = hi
			}
			for i := range g.Each(n) {
				p := x[now+i]
				found := int32(0)
				for first := int32(0); first < n; first += BlockSize {
					lo := boxLo[boxBase+first/BlockSize]
					hi := boxHi[boxBase+first/BlockSize]
					// Rounding keeps the order of differences, so a box that is out of reach holds no bead within
					// reach.
					if p.X-hi.X >= reach || lo.X-p.X >= reach || p.Y-hi.Y >= reach || lo.Y-p.Y >= reach {
						continue
					}
					for j := first; j < first+BlockSize && j < n; j++ {
						d := p.Sub(x[now+j])
						if d.Dot(d) >= reachSquared || Apart(i, j, n) <= skip {
							continue
						}
						if found < slots {
							closeBeads[(base+i)*slots+found] = j
						}
						found++
					}
				}
				if found > slots {
					kernel.AtomicAdd(dropped, 0, 1)
					found = slots
				}
				closeCount[base+i] = found
			}
		}

		for i := range g.Each(n) {
			next := centerline.After(i, n)
			along := x[now+next].Sub(x[now+i])
			length := along.Len()
			edge[base+i] = length
			pull[base+i] = stretch(along, length, restLength)
		}
		for i := range g.Each(n) {
			before := centerline.Before(i, n)
			next := centerline.After(i, n)
			p := x[now+i]
			sum := kernel.V2(0, 0)
			hits := int32(0)
			if cached {
				remembered := closeCount[base+i]
				for k := int32(0); k < remembered; k++ {
					j := closeBeads[(base+i)*slots+k]
					d := p.Sub(x[now+j])
					squared := d.Dot(d)
					if squared < targetSquared {
						sum = sum.Add(push(d, distanceOf(squared), target))
						hits++
					}
				}
			} else if search {
				sum, hits = allPushes(i, n, now, skip, x, target)
			}
			if hits > 0 {
				sum = sum.Scale(weightSeparation / float32(hits))
			}
			spread := pull[base+i].Sub(pull[base+before]).Scale(weightSpacing)
			swept := p.Add(sum).Add(spread)
			left := x[now+before]
			right := x[now+next]
			chord := right.Sub(left)
			doubled := float32(2 * kernel.Abs(p.Sub(left).Cross(chord)))
			if tight(doubled, edge[base+before], edge[base+i], chord.Dot(chord), minRadius) {
				part := bend(doubled, edge[base+before], edge[base+i], chord.Dot(chord), minRadius, weightBend)
				swept = swept.Add(toMidpoint(left, p, right, part))
			}
			if sweep >= firstAccelerated {
				previous := x[other+i]
				if sweep == firstAccelerated {
					previous = p
				}
				swept = accelerate(swept, p, previous, omega[sweep], gamma)
			}
			x[other+i] = swept
		}
		now, other = other, now
	}

	for half := int32(0); half < 2*smoothPasses; half++ {
		factor := float32(taubinShrink)
		if half&1 == 1 {
			factor = taubinGrow
		}
		for i := range g.Each(n) {
			before := centerline.Before(i, n)
			next := centerline.After(i, n)
			p := x[now+i]
			x[other+i] = p.Add(toMidpoint(x[now+before], p, x[now+next], factor))
		}
		now, other = other, now
	}
	for sweep := int32(0); sweep < spacingSweeps; sweep++ {
		for i := range g.Each(n) {
			next := centerline.After(i, n)
			along := x[now+next].Sub(x[now+i])
			pull[base+i] = stretch(along, along.Len(), restLength)
		}
		for i := range g.Each(n) {
			before := centerline.Before(i, n)
			x[other+i] = x[now+i].Add(pull[base+i].Sub(pull[base+before]).Scale(weightSpacing))
		}
		now, other = other, now
	}
	for i := range g.Each(n) {
		relaxed[base+i] = centerline.OneNaN(x[now+i])
	}
}
