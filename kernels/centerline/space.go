package centerline

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/variation"
)

// NotFinite is the number of points that a loop needs which is not finite.
const NotFinite = -1

// space puts points on each closed loop at a constant arc distance, beginning at its first point. The last gap is
// shorter. needed [E] is the number of points that a loop needs and count [E] the number stored, at most maxPoints.
// truncated[0] counts the envs that need more. A loop of length 0 has count 0 and needed 0, and one that is not finite
// has count 0 and needed NotFinite (docs/spec/pipeline.md, section 5). One group is one env. size has the spacing (see
// package variation): with perEnv 1 for each env, else for all.
//
// Rows: loop and end with stride numPoints, spaced with stride maxPoints.
//
//kernel:group lanes=128
//kernel:iterations spaceIterations(numPoints, maxPoints, lanes)
func space(g kernel.Group, active []int32, numPoints, maxPoints, perEnv int32, size []float32,
	loop []kernel.Vec2, end []float32, spaced []kernel.Vec2, count, needed, truncated []int32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	spacing := size[env*perEnv*variation.Lengths+variation.Spacing]
	loopBase := env * numPoints
	spacedBase := env * maxPoints
	for k := range g.Each(numPoints) {
		end[loopBase+k] = SegmentLength(k, numPoints, loopBase, loop)
	}
	for range g.Each(1) {
		total := SumLengths(numPoints, loopBase, end)
		k := int32(0)
		if !IsFinite(loop[loopBase], total) {
			k = NotFinite
		} else if total > 0 {
			k = kernel.ToInt32(kernel.Min(total/spacing, 1<<30)) + 1
			for k > 1 && float32(float32(k-1)*spacing) >= total {
				k--
			}
		}
		needed[env] = k
		if k > maxPoints {
			kernel.AtomicAdd(truncated, 0, 1)
			k = maxPoints
		}
		if k < 0 {
			k = 0
		}
		count[env] = k
	}
	n := count[env]
	for k := range g.Each(n) {
		spaced[spacedBase+k] = PointAtArc(numPoints, loopBase, loop, end, float32(float32(k)*spacing))
	}
}
