package measured

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// between returns the width a fraction t of the way from one point to the next.
func between(i, n int32, t float32, width []kernel.Vec2) kernel.Vec2 {
	w := width[i]
	return w.Add(width[centerline.After(i, n)].Sub(w).Scale(t))
}

// space puts points on the spline through the circuit, from its first point on, all the same arc length apart and at
// most spacing. Widths are interpolated by arc length. needed[0] is the number of points that the circuit asks for,
// count[0] the number stored, at most maxPoints; truncated[0] counts where that is less.
//
// point and width have points elements, end is scratch of that size; spaced and sides have maxPoints.
//
//kernel:group lanes=128
//kernel:iterations spaceIterations(points, maxPoints, lanes)
func space(g kernel.Group, points, maxPoints int32, spacing float32, point, width []kernel.Vec2, end []float32,
	spaced, sides []kernel.Vec2, count, needed, truncated []int32) {
	if g.ID > 0 {
		return
	}
	for i := range g.Each(points) {
		end[i] = pieceLength(pieceFrom(i, points, point))
	}
	for range g.Each(1) {
		total := Ends(points, end)
		k := PointsFor(total, spacing)
		needed[0] = k
		if k > maxPoints {
			kernel.AtomicAdd(truncated, 0, 1)
			k = maxPoints
		}
		count[0] = k
	}
	n := count[0]
	for k := range g.Each(n) {
		target := float32(float32(k)*end[points-1]) / float32(needed[0])
		i := pieceAt(points, end, target)
		within := target - startOf(i, end)
		p := pieceFrom(i, points, point)
		spaced[k] = p.at(parameterAt(p, within))
		t := kernel.Clamp(within/kernel.Max(end[i]-startOf(i, end), minArc), 0, 1)
		sides[k] = between(i, points, t, width)
	}
}
