package voronoi

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// Where anchors are wanted: around the origin, at a distance that varies in waves (docs/spec/pipeline.md, section 4.4).
const (
	meanRadius   = 0.34 * side
	minRadius    = 0.16 * side
	maxRadius    = 0.52 * side
	maxAmplitude = 0.85
	radiusUnit   = 0.13 * side // difference of radius that weighs as much as a sector of angle
)

// Amplitude is how far the waves change the radius of the anchors, as a fraction of its mean. radialVariation >= 0.
func Amplitude(layout int32, radialVariation float32) float32 {
	boost := float32(1)
	switch layout {
	case VoidRing:
		boost = 1.10
	case Clustered:
		boost = 1.16
	case Mixed:
		boost = 1.06
	}
	return kernel.Clamp(float32(radialVariation*boost), 0, maxAmplitude)
}

// wantedRadius is the distance from the origin at which an anchor in the direction angle is wanted. p0..p3 are the
// phases of the waves.
func wantedRadius(angle, amplitude, p0, p1, p2, p3 float32) float32 {
	s2, _ := kernel.Sincos(float32(2*angle) + p0)
	_, c3 := kernel.Sincos(float32(3*angle) + p1)
	s5, _ := kernel.Sincos(float32(5*angle) + p2)
	_, c7 := kernel.Sincos(float32(7*angle) + p3)
	waves := float32(0.62*s2) + float32(0.44*c3) + float32(0.26*s5) + float32(0.18*c7)
	return kernel.Clamp(float32(meanRadius*(1+float32(amplitude*waves)/1.5)), minRadius, maxRadius)
}

// distance is how far the site at the state of the stream r is from where an anchor is wanted: the angle counts in
// sectors, the radius in units. phase and clusterDistance are those of drawSite.
func distance(layout int32, r kernel.Rand, phase, clusterDistance, angle, radius, sector float32) float32 {
	site := drawSite(layout, r, phase, clusterDistance)
	apart := centerline.WrapAngle(kernel.Atan2(site.Y, site.X) - angle)
	return kernel.Abs(apart)/sector + kernel.Abs(site.Len()-radius)/radiusUnit
}
