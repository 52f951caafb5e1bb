package hull

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// Salts of the random streams, multiplied with the effective seed in wrapping int32 (docs/spec/pipeline.md, section 1).
const (
	SaltCount        = 5119
	SaltCorners      = 7919
	SaltOffset       = 1
	saltDisplacement = 3083
)

// vertices draws the vertices of one closed loop per env: corner points sorted by angle, and between them the displaced
// middle of each edge (docs/spec/pipeline.md, section 4.2). count [E] is the number of vertices. One group is one env.
//
// The middle of an edge moves away from the centroid of the corners, or towards it, by at most displacement times its
// distance to the centroid.
//
// Rows: corner, angle, cell with stride maxCorners; vertex with stride 2*maxCorners.
//
//kernel:group lanes=32
//kernel:iterations verticesIterations(maxCorners, lanes)
func vertices(g kernel.Group, active []int32, seed []int32, minCorners, maxCorners, cells int32,
	cellSize, displacement, scale float32,
	corner []kernel.Vec2, angle []float32, cell []int32, count []int32, vertex []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	cornerBase := env * maxCorners
	base := 2 * cornerBase
	salt := seed[env]
	corners := centerline.CornerCount(salt*SaltCount+SaltOffset, minCorners, maxCorners)

	for range g.Each(1) {
		centerline.DrawCorners(salt*SaltCorners+SaltOffset, corners, cells, cellSize, scale, cornerBase, corner, cell)
		centerline.SortByAngle(corners, cornerBase, corner, angle)
		center := centerline.Centroid(corners, cornerBase, corner)
		r := kernel.NewRand(salt*saltDisplacement + SaltOffset)
		for i := int32(0); i < corners; i++ {
			var u float32
			u, r = r.Uniform()
			p := corner[cornerBase+i]
			q := corner[cornerBase+centerline.After(i, corners)]
			middle := kernel.V2(float32(0.5*(p.X+q.X)), float32(0.5*(p.Y+q.Y)))
			move := float32((float32(2*u) - 1) * displacement)
			vertex[base+2*i] = p
			away := middle.Sub(center)
			vertex[base+2*i+1] = middle.Add(centerline.Unit(away).Scale(float32(move * away.Len())))
		}
		count[env] = 2 * corners
	}
}
