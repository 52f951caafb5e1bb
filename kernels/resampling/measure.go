package resampling

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// fewest is the minimum number of items along a line, because fewer enclose no area.
const fewest = 3

// measureLine measures the closed line of each active env, and decides how many items it gets (C-50). Rows of point and
// arclen have stride maxPoints. arclen is the length before each point; perimeter, step, items and truncated are [E].
//
// The number of items is the perimeter over spacing, rounded to the nearest, at least 3. A line that needs more than
// room items gets room, and truncated is 1. A line of fewer than 3 points gets none, and its step is NaN.
//
// One group is one env.
//
//kernel:group lanes=64
//kernel:iterations measureIterations(maxPoints, lanes)
func measureLine(g kernel.Group, active []int32, maxPoints int32, point []kernel.Vec3, count []int32, spacing float32,
	room int32, arclen, perimeter, step []float32, items, truncated []int32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := Points(count[env], maxPoints)
	for i := range g.Each(n) {
		arclen[base+i] = point[base+centerline.After(i, n)].Sub(point[base+i]).Len()
	}
	for range g.Each(1) {
		length := float32(0)
		for i := int32(0); i < n; i++ {
			segment := arclen[base+i]
			arclen[base+i] = vector.OneNaN(length)
			length += segment
		}
		number := rounded(length / spacing)
		given := int32(0)
		cut := int32(0)
		apart := kernel.NaN()
		if n >= fewest {
			given = kernel.ToInt32(number)
			if number > float32(room) {
				given = room
				cut = 1
			}
			if given < fewest {
				given = fewest
			}
			apart = vector.OneNaN(length / float32(given))
		}
		perimeter[env] = vector.OneNaN(length)
		items[env] = given
		truncated[env] = cut
		step[env] = apart
	}
}

// Points returns the number of points of a line from its count, which a caller may have set to any number.
func Points(count, maxPoints int32) int32 {
	if count < 0 {
		return 0
	}
	if count > maxPoints {
		return maxPoints
	}
	return count
}

// rounded returns x rounded to the nearest integer, the upper one of two equally near; x is at least 0, or NaN.
func rounded(x float32) float32 {
	whole := kernel.Floor(x)
	if x-whole >= 0.5 {
		whole++
	}
	return whole
}

// nowhere is the position of an item that does not exist.
func nowhere() kernel.Vec3 { return kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN()) }
