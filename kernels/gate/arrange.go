package gate

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/elevation"
)

// gateCount returns how many gates a course has that drew this many control points.
func gateCount(drawn, maxGates int32) int32 {
	return max(min(drawn, maxGates), 0)
}

// arrange makes the positions of the gates of a course from its control points: it orders them, fits them to a box,
// moves them apart and gives them heights (C-33 to C-36). One group is one env.
//
// ordering, fitted and side have one element for each component of a mixed batch, or one element: with mixed 1,
// component [E] names that of each env. A course that is fitted is centred and scaled to a box whose longer side is
// 1.44 side. size [E], or [1] with perEnv 0, is a factor for distance, to which gates are moved apart in at most sweeps
// sweeps. firstEnv [1] is the number of env 0 in a batch of which this one is a part.
//
// The heights are those of elevation.Height. Rows: point, key, arc and position with stride maxGates; drawn [E] is the
// number of control points. position is NaN from the number of gates on.
//
//kernel:group lanes=32
//kernel:iterations arrangeIterations(maxGates, sweeps, harmonics, lanes)
func arrange(g kernel.Group, active, seed []int32, mixed int32, component, ordering, fitted []int32, side []float32,
	maxGates, perEnv int32, size []float32, firstEnv []int32, distance float32, sweeps, profile int32,
	level, low, high, maxStep, amplitude float32, harmonics int32,
	drawn []int32, point []kernel.Vec2, key, arc []float32, position []kernel.Vec3) {
	if g.ID >= active[0] {
		return
	}
	var perimeter [1]float32
	env := active[g.ID+1]
	base := env * maxGates
	kind := component[env*mixed]
	n := gateCount(drawn[env], maxGates)

	for range g.Each(1) {
		switch ordering[kind] {
		case ByAngle:
			centerline.SortByAngle(n, base, point, key)
		case RandomPairs:
			orderPairs(seed[env], n, base, point, key, position)
		}
	}
	if ordering[kind] != RandomPairs {
		for i := range g.Each(n) {
			position[base+i] = kernel.V3(point[base+i].X, point[base+i].Y, 0)
		}
	}
	if fitted[kind] == 1 && n > 0 {
		lo, hi := centerline.BoundingBox(n, base, point)
		middle, factor := centerline.Fit(lo, hi, side[kind])
		for i := range g.Each(n) {
			p := position[base+i]
			position[base+i] = kernel.V3(float32((p.X-middle.X)*factor), float32((p.Y-middle.Y)*factor), 0)
		}
	}

	for range g.Each(1) {
		separate(firstEnv[0]+env, n, base, sweeps, float32(distance*size[env*perEnv]), position)
		total := float32(0)
		for i := int32(0); i < n; i++ {
			arc[base+i] = total
			p := position[base+i]
			q := position[base+centerline.After(i, n)]
			total += kernel.V2(q.X-p.X, q.Y-p.Y).Len()
		}
		perimeter[0] = total
		if profile == elevation.RandomWalk {
			elevation.Walk(seed[env], n, base, arc, maxStep, key)
		}
	}
	for i := range g.Each(maxGates) {
		if i < n {
			p := position[base+i]
			position[base+i] = kernel.V3(p.X, p.Y, elevation.Height(seed[env], profile, i, n, base, arc, perimeter[0],
				key, level, low, high, amplitude, harmonics))
		} else {
			position[base+i] = kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN())
		}
	}
}
