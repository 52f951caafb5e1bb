package voronoi

import "github.com/trackgen-go/trackgen/kernel"

// Layouts of the sites.
const (
	Ring      = 0 // uniform over the square
	VoidRing  = 1 // uniform over an annulus
	Clustered = 2 // in clusters around a circle, part of them over the annulus
	Mixed     = 3 // part over the annulus, part over the square
)

// LayoutNames are the names of the layouts in configurations.
var LayoutNames = []string{Ring: "ring", VoidRing: "void_ring", Clustered: "clustered", Mixed: "mixed"}

// Sites lie in a square of side 2 around the origin (docs/spec/pipeline.md, section 4.4).
const (
	side      = 2
	twoPi     = 6.283185307179586
	innerVoid = 0.14 * side // radii of the annulus
	outerVoid = 0.52 * side

	mixedInAnnulus = 0.65 // part of the mixed sites that lie in the annulus

	clusters           = 6
	minClusterDistance = 0.24 * side // of the clusters of an env from the origin, before a site varies it
	clusterDistances   = 0.10 * side
	minClusterFactor   = 0.82
	clusterFactors     = 0.30
	minSpread          = 0.025 * side // of a site from the middle of its cluster
	spreads            = 0.080 * side
	redirected         = 0.22 // part of the clustered sites that are drawn again, in the annulus
)

// skipSite returns the stream after the draws of one site.
func skipSite(layout int32, r kernel.Rand) kernel.Rand {
	draws := int32(2)
	switch layout {
	case Mixed:
		draws = 3
	case Clustered:
		draws = 5
	}
	u := float32(1)
	for k := int32(0); k < draws; k++ {
		u, r = r.Uniform()
	}
	if layout == Clustered && u < redirected {
		_, r = r.Uniform()
		_, r = r.Uniform()
	}
	return r
}

// drawSite draws one site. phase is the direction of the first cluster and distance that of the clusters from the
// origin. The order of the draws is that of docs/spec/pipeline.md, section 16.
func drawSite(layout int32, r kernel.Rand, phase, distance float32) kernel.Vec2 {
	annulus := layout == VoidRing
	site := kernel.V2(0, 0)
	var u float32
	switch layout {
	case Mixed:
		u, r = r.Uniform()
		annulus = u < mixedInAnnulus
	case Clustered:
		u, r = r.Uniform()
		cluster := kernel.ToInt32(float32(clusters * u))
		u, r = r.Uniform()
		middle := polar(phase+float32(twoPi*float32(cluster))/clusters,
			float32(distance*(minClusterFactor+float32(clusterFactors*u))))
		u, r = r.Uniform()
		angle := float32(twoPi * u)
		u, r = r.Uniform()
		site = middle.Add(polar(angle, minSpread+float32(spreads*u)))
		u, r = r.Uniform()
		annulus = u < redirected
	}
	if annulus {
		return inAnnulus(r)
	}
	if layout == Clustered {
		return kernel.V2(kernel.Clamp(site.X, -side/2, side/2), kernel.Clamp(site.Y, -side/2, side/2))
	}
	return inSquare(r)
}

// inSquare draws a point of the square: x, then y.
func inSquare(r kernel.Rand) kernel.Vec2 {
	u, r2 := r.Uniform()
	v, _ := r2.Uniform()
	return kernel.V2(float32(side*(u-0.5)), float32(side*(v-0.5)))
}

// inAnnulus draws a point of the annulus, uniform over its area: angle, then radius.
func inAnnulus(r kernel.Rand) kernel.Vec2 {
	u, r2 := r.Uniform()
	v, _ := r2.Uniform()
	return polar(float32(twoPi*u), annulusRadius(v))
}

// polar returns the point in a direction from the origin, at a distance.
func polar(angle, distance float32) kernel.Vec2 {
	sin, cos := kernel.Sincos(angle)
	return kernel.V2(cos, sin).Scale(distance)
}

// annulusRadius is the distance from the origin of a point of the annulus by the second of its draws.
func annulusRadius(v float32) float32 {
	return kernel.Sqrt(innerVoid*innerVoid + float32(v*(outerVoid*outerVoid-innerVoid*innerVoid)))
}
