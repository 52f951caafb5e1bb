package inflation

import "github.com/trackgen-go/trackgen/kernel"

// level gives every point of an env, those beyond its count included, the height z (docs/spec/pipeline.md, section
// 9). One group is one env.
//
//kernel:group lanes=128
//kernel:iterations levelIterations(maxPoints, lanes)
func level(g kernel.Group, active []int32, maxPoints int32, z float32, height []float32) {
	if g.ID >= active[0] {
		return
	}
	base := active[g.ID+1] * maxPoints
	for i := range g.Each(maxPoints) {
		height[base+i] = z
	}
}
