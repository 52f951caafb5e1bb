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
// vertices. count [E] is the number of vertices. swing is that of Amplitude. One group is one env.
//
// A site is compared by an estimate of its distance, and by its distance itself only where two estimates are too close
// to tell. The position of a site, which takes longer than all the rest, is thus needed of few sites.
//
// Rows: state (of the random stream before each site), siteRadius, siteTurn, order with stride sites; anchor,
// anchorAngle, anchorRadius, nearestSite with stride anchors; vertex with stride stride >= cut*anchors. sites >=
// anchors.
//
//kernel:group lanes=128
//kernel:iterations verticesIterations(sites, anchors, lanes)
func vertices(g kernel.Group, active []int32, seed []int32, layout, sites, anchors, cut, stride int32,
	swing, angularJitter float32,
	state []uint32, siteRadius []float32, siteTurn, order []int32,
	anchor []kernel.Vec2, anchorAngle, anchorRadius []float32, nearestSite []int32, count []int32, vertex []kernel.Vec2) {
	var drawn [5]float32        // the rotation of the anchors, and the phases of the waves
	var firstOf [bins + 2]int32 // the sites of bin b are order[firstOf[b+1]:firstOf[b+2]]
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

	sector := twoPi / float32(anchors)
	perStep := 1 / float32(sector*turnSteps)
	slack := float32(turnSlack*perStep) + radiusSlack/radiusUnit

	// Of the sites before a site, its draws depend on their number alone: one item steps through the stream, and then
	// all lanes draw.
	for range g.Each(1) {
		walk := r
		for k := int32(0); k < sites; k++ {
			state[siteBase+k] = walk.State
			walk = skipSite(layout, walk)
		}
		var u float32
		walk = kernel.NewRand(salt*saltAnchors + offsetAnchors)
		for k := int32(0); k < 5; k++ {
			u, walk = walk.Uniform()
			drawn[k] = float32(twoPi * u)
		}
		for k := int32(0); k < anchors; k++ {
			u, walk = walk.Uniform()
			anchorAngle[anchorBase+k] = u
		}
		count[env] = cut * anchors
	}
	for k := range g.Each(sites) {
		if layout == VoidRing { // two draws are the angle and the radius, and few sites need their position
			first := kernel.Hash(state[siteBase+k])
			siteTurn[siteBase+k] = int32(first)
			siteRadius[siteBase+k] = annulusRadius(kernel.Uniform(kernel.Hash(first)))
		} else {
			p := drawSite(layout, kernel.Rand{State: state[siteBase+k]}, phase, clusterDistance)
			siteTurn[siteBase+k] = turnOf(kernel.Atan2(p.Y, p.X))
			siteRadius[siteBase+k] = p.Len()
		}
	}
	for k := range g.Each(anchors) {
		jitter := float32((float32(2*anchorAngle[anchorBase+k]) - 1) * angularJitter)
		angle := drawn[0] + float32(float32(k)*sector) + jitter
		anchorAngle[anchorBase+k] = angle
		anchorRadius[anchorBase+k] = wantedRadius(angle, swing, drawn[1], drawn[2], drawn[3], drawn[4])
	}

	for range g.Each(1) {
		for k := int32(0); k < sites; k++ {
			b := binOf(siteTurn[siteBase+k]) + 1
			firstOf[b]++
		}
		for b := int32(0); b < bins; b++ {
			firstOf[b+1] += firstOf[b]
		}
		// Each site moves the end of its bin down, so that the ends become the beginnings.
		for k := int32(0); k < sites; k++ {
			b := binOf(siteTurn[siteBase+k]) + 1
			firstOf[b]--
			order[siteBase+firstOf[b]] = siteBase + k
		}
		firstOf[bins+1] = sites
	}

	// First, all anchors search for their nearest site. Then they take it one after the other; the few whose site an
	// earlier anchor has taken search again, in parts, for the nearest one that is left.
	for k := int32(-1); k < anchors; k++ {
		parts := int32(1)
		searches := anchors
		if k >= 0 {
			parts = Scanners
			searches = 0
			if !kernel.IsFinite(siteRadius[nearestSite[anchorBase+k]]) {
				searches = Scanners
			}
		}
		for i := range g.Each(searches) {
			part := i
			at := anchorBase + k
			if k < 0 {
				part = 0
				at = anchorBase + i
			}
			angle := anchorAngle[at]
			radius := anchorRadius[at]
			turn := turnOf(angle)
			best := float32(farthest)
			limit := best
			least := best
			which := siteBase
			// The bins follow by their distance from that of the angle, to either side in turn.
			for step := int32(0); step < bins; step++ {
				away := (step + 1) >> 1
				if float32(float32((away-1)*binTurn)*perStep) > limit {
					break
				}
				if step&1 == 0 {
					away = -away
				}
				bin := binOf(turn+away*binTurn) + 1
				for o := firstOf[bin] + part; o < firstOf[bin+1]; o += parts {
					j := order[siteBase+o]
					d := estimate(siteTurn[j]-turn, siteRadius[j]-radius, perStep)
					if d > limit {
						continue
					}
					next := float32(d*margin) + slack
					if k >= 0 || next >= best { // the parts compare their distances, or it is too close to tell
						exact := distance(layout, kernel.Rand{State: state[j]}, phase, clusterDistance, angle, radius, sector)
						least = distance(layout, kernel.Rand{State: state[which]}, phase, clusterDistance, angle, radius, sector)
						if best < farthest && (exact > least || exact == least && j > which) { // the first one of several
							continue
						}
						least = exact
					}
					best = d
					which = j
					limit = next
				}
			}
			if k < 0 {
				nearestSite[anchorBase+i] = which
			} else {
				nearest[i] = which
				nearestDistance[i] = least
			}
		}
		if k >= 0 {
			for range g.Each(1) {
				which := nearestSite[anchorBase+k]
				if searches > 0 { // the nearest of what the parts have found, the first one of several
					least := float32(farthest)
					for part := int32(0); part < Scanners; part++ {
						d := nearestDistance[part]
						if d < least || d == least && nearest[part] < which {
							least = d
							which = nearest[part]
						}
					}
				}
				nearestSite[anchorBase+k] = which
				siteRadius[which] = kernel.Inf() // a used site is far from everything
			}
		}
	}

	for k := range g.Each(anchors) {
		r := kernel.Rand{State: state[nearestSite[anchorBase+k]]}
		anchor[anchorBase+k] = drawSite(layout, r, phase, clusterDistance)
	}
	for k := range g.Each(cut * anchors) {
		i := k >> ((cut - 1) & 31)
		p := anchor[anchorBase+i]
		next := anchor[anchorBase+centerline.After(i, anchors)]
		t := float32(float32(cut-1) * (0.25 + float32(0.5*float32(k-cut*i)))) // 0, or 1/4 and 3/4 in turn
		vertex[base+k] = kernel.V2(
			float32((1-t)*p.X)+float32(t*next.X),
			float32((1-t)*p.Y)+float32(t*next.Y))
	}
}
