package relaxation

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/variation"
)

// relaxSmall does what relax does, to the bit, for at most MaxPointsSmall points. The arrays of a kernel have fixed
// sizes: these take a third of the shared memory, so that more groups have a place on a multiprocessor.
//
//kernel:group lanes=128
//kernel:iterations relaxIterations(stride, sweeps, refresh, slots, smoothPasses, spacingSweeps, lanes)
func relaxSmall(g kernel.Group, active []int32, stride int32, point []kernel.Vec2, count []int32,
	perEnv int32, size []float32, band, sweeps, refresh, slots, firstAccelerated, smoothPasses, spacingSweeps int32,
	weightSeparation, weightSpacing, weightBend, gamma float32, omega []float32,
	relaxed []kernel.Vec2, dropped []int32) {
	var x [2][MaxPointsSmall]kernel.Vec2
	var edge [MaxPointsSmall]float32
	var closeBeads [MaxPointsSmall][summary + 1]int32
	var pull [MaxPointsSmall]kernel.Vec2

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
	for range g.Each(1) {
		var perimeter kernel.TwoFloat
		for i := int32(0); i < n; i++ {
			perimeter = perimeter.Add(edge[i])
		}
		pull[0].X = perimeter.Float32()
	}
	restLength := pull[0].X / kernel.Max(float32(n), 1)
	skip := Band(band, halfWidth, restLength)

	cur := int32(0)
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
				pull[2*b], pull[2*b+1] = boxOf(b, n, x[cur][:])
			}
			for i := range g.Each(n) {
				found := searchClose(i, n, skip, slots, reach, x[cur][:], pull[:], closeBeads[i][:])
				if found > slots {
					kernel.AtomicAdd(dropped, 0, 1)
					found = slots
				}
				closeBeads[i][summary] = found << 16
			}
		}

		for i := range g.Each(n) {
			next := centerline.After(i, n)
			p := x[cur][i]
			along := x[cur][next].Sub(p)
			length := along.Len()
			edge[i] = length
			pull[i] = stretch(along, length, restLength)
			if cached {
				remembered := closeBeads[i][summary] >> 16
				closeBeads[i][summary] = remembered<<16 | closeWithin(p, x[cur][:], closeBeads[i][:], remembered, target)
			}
		}
		for i := range g.Each(n) {
			before := centerline.Before(i, n)
			next := centerline.After(i, n)
			p := x[cur][i]
			sum := kernel.V2(0, 0)
			hits := int32(0)
			if cached {
				if within := closeBeads[i][summary] & 0xffff; within != 0 {
					sum, hits = pushes(p, x[cur][:], closeBeads[i][:], within, target)
				}
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
			along := x[cur][next].Sub(x[cur][i])
			pull[i] = stretch(along, along.Len(), restLength)
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
