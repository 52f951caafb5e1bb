package vehicle

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// strides is the number of segments that a car may have come along its line in a step.
const strides = 16

// Climb puts car i of number in all envs to the height of the line of its env, seen from above, and sets its vertical
// velocity to what the step of a duration makes of that (L-8). segment has the segment of the line where each car was.
// A car that was nowhere keeps its height.
func Climb(i, agents, number, maxPoints int32, duration float32, index []kernel.Quat, segment []int32,
	place []kernel.Vec3) {
	p := place[i]
	l := polyline.LineOf(i/agents, 0, 1, maxPoints, index)
	k := segment[i]
	if k < 0 || k >= l.N || vector.HasNaN(p) {
		return
	}
	z := heightAt(p, k, l, index)
	if !kernel.IsFinite(z) {
		return
	}
	v := place[number+i]
	place[number+i] = kernel.V3(v.X, v.Y, (z-p.Z)/duration)
	place[i] = kernel.V3(p.X, p.Y, z)
}

// heightAt returns the height of a line beside p, which is looked for from segment k on in the direction in which p
// lies.
func heightAt(p kernel.Vec3, k int32, l polyline.Line, index []kernel.Quat) float32 {
	way := int32(0)
	part := float32(0)
	from := index[l.Base+k]
	to := index[l.Base+k+1]
	for stride := int32(0); stride < strides; stride++ {
		from = index[l.Base+k]
		to = index[l.Base+k+1]
		along := polyline.Plan(to).Sub(polyline.Plan(from))
		square := along.Dot(along)
		part = 0
		if square > 0 {
			part = kernel.V2(p.X, p.Y).Sub(polyline.Plan(from)).Dot(along) / square
		}
		next := int32(0)
		if part > 1 {
			next = 1
		}
		if part < 0 {
			next = -1
		}
		if next == 0 || next == -way { // beside a corner, the place is outside of both segments
			break
		}
		way = next
		k += next
		if k == l.N {
			k = 0
		}
		if k < 0 {
			k = l.N - 1
		}
	}
	part = kernel.Clamp(part, 0, 1)
	return from.Z + float32(part*(to.Z-from.Z))
}
