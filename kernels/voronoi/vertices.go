package voronoi

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// Salts of the random streams, multiplied with the effective seed in wrapping int32 (docs/spec/pipeline.md, section 1).
const (
	saltSites     = 8171
	offsetSites   = 19
	saltAnchors   = 3911
	offsetAnchors = 31
)

// Scanners is how many items share the search for the site of an anchor.
const Scanners = 16

// vertices draws the vertices of one closed loop per env. It draws random sites and picks one for each sector around
// the origin, the anchors; a site serves one anchor. With cut 2, cutting the corners of the polygon of the anchors once
// (Chaikin) gives two vertices for each anchor (docs/spec/pipeline.md, section 4.4). With cut 1, the anchors are the
// vertices. count [E] is the number of vertices. One group is one env.
//
// Rows: state (of the random stream before each site), site, siteAngle, siteRadius with stride sites; anchor,
// anchorAngle, anchorRadius with stride anchors; vertex with stride stride >= cut*anchors. sites >= anchors.
//
//kernel:group lanes=128
//kernel:iterations verticesIterations(sites, anchors, lanes)
func vertices(g kernel.Group, active []int32, seed []int32, layout, sites, anchors, cut, stride int32,
	radialVariation, angularJitter float32,
	state []uint32, site []kernel.Vec2, siteAngle, siteRadius []float32,
	anchor []kernel.Vec2, anchorAngle, anchorRadius []float32, count []int32, vertex []kernel.Vec2) {
	var nearest [Scanners]int32
	var nearestDistance [Scanners]float32
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	siteBase := env * sites
	anchorBase := env * anchors
	base := env * stride
	salt := seed[env]

	r := kernel.NewRand(salt*saltSites + offsetSites)
	var u float32
	u, r = r.Uniform()
	phase := float32(twoPi * u)
	u, r = r.Uniform()
	clusterDistance := minClusterDistance + float32(clusterDistances*u)

	q := kernel.NewRand(salt*saltAnchors + offsetAnchors)
	u, q = q.Uniform()
	rotation := float32(twoPi * u)
	u, q = q.Uniform()
	p0 := float32(twoPi * u)
	u, q = q.Uniform()
	p1 := float32(twoPi * u)
	u, q = q.Uniform()
	p2 := float32(twoPi * u)
	u, q = q.Uniform()
	p3 := float32(twoPi * u)
	swing := amplitude(layout, radialVariation)
	sector := twoPi / float32(anchors)

	// Of the sites before a site, its draws depend on their number alone: one item steps through the stream, and then
	// all lanes draw.
	for range g.Each(1) {
		walk := r
		for k := int32(0); k < sites; k++ {
			state[siteBase+k] = walk.State
			walk = skipSite(layout, walk)
		}
		walk = q
		for k := int32(0); k < anchors; k++ {
			var jitter float32
			jitter, walk = walk.Uniform()
			anchorAngle[anchorBase+k] = jitter
		}
		count[env] = cut * anchors
	}
	for k := range g.Each(sites) {
		p := drawSite(layout, kernel.Rand{State: state[siteBase+k]}, phase, clusterDistance)
		site[siteBase+k] = p
		siteAngle[siteBase+k] = kernel.Atan2(p.Y, p.X)
		siteRadius[siteBase+k] = p.Len()
	}
	for k := range g.Each(anchors) {
		jitter := float32((float32(2*anchorAngle[anchorBase+k]) - 1) * angularJitter)
		angle := rotation + float32(float32(k)*sector) + jitter
		anchorAngle[anchorBase+k] = angle
		anchorRadius[anchorBase+k] = wantedRadius(angle, swing, p0, p1, p2, p3)
	}

	for k := int32(0); k < anchors; k++ {
		angle := anchorAngle[anchorBase+k]
		radius := anchorRadius[anchorBase+k]
		share := (sites + Scanners - 1) / Scanners
		for s := range g.Each(Scanners) {
			best := kernel.Inf()
			which := int32(0)
			for j := s * share; j < (s+1)*share && j < sites; j++ {
				d := distance(siteAngle[siteBase+j], siteRadius[siteBase+j], angle, radius, sector)
				if d < best {
					best = d
					which = j
				}
			}
			nearest[s] = which
			nearestDistance[s] = best
		}
		for range g.Each(1) {
			best := int32(0)
			for s := int32(1); s < Scanners; s++ {
				if nearestDistance[s] < nearestDistance[best] {
					best = s
				}
			}
			which := nearest[best]
			anchor[anchorBase+k] = site[siteBase+which]
			siteRadius[siteBase+which] = kernel.Inf() // a used site is far from everything
		}
	}

	if cut == 1 {
		for k := range g.Each(anchors) {
			vertex[base+k] = anchor[anchorBase+k]
		}
		return
	}
	for k := range g.Each(2 * anchors) {
		i := k / 2
		p := anchor[anchorBase+i]
		next := anchor[anchorBase+centerline.After(i, anchors)]
		t := float32(0.25)
		if k != 2*i {
			t = 0.75
		}
		vertex[base+k] = kernel.V2(
			float32((1-t)*p.X)+float32(t*next.X),
			float32((1-t)*p.Y)+float32(t*next.Y))
	}
}
