package projection_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/internal/projection"
)

// These values do not depend on the series: lengths of meridian arcs, and the radius of curvature across the meridian.
func TestKnownValues(t *testing.T) {
	// A quarter of a meridian of WGS84 is 10001965.729 m long.
	equator := projection.TransverseMercator{}
	_, pole := equator.Forward(90, 0)
	assert.InDelta(t, 10001965.729, pole, 1e-3)

	// From 45 N to 46 N it is 111141.55 m, from the equator to 1 N 110574.39 m.
	_, y := projection.TransverseMercator{Latitude: 45, Longitude: 9}.Forward(46, 9)
	assert.InDelta(t, 111141.55, y, 0.01)
	_, y = equator.Forward(1, 0)
	assert.InDelta(t, 110574.39, y, 0.01)

	// Across the meridian, the length is that of a circle of latitude, with the radius N cos(latitude).
	const latitude, step = 45.0, 1e-3
	sin, cos := math.Sincos(latitude * math.Pi / 180)
	f := 1 / 298.257223563
	radius := 6378137 / math.Sqrt(1-f*(2-f)*sin*sin) * cos
	x, _ := projection.TransverseMercator{Latitude: latitude, Longitude: 179.9999}.Forward(latitude, -179.9991)
	assert.InDelta(t, radius*step*math.Pi/180, x, 1e-6)
}

// A UTM grid is the same projection with a scale of 0.9996. The published example, the CN Tower in Toronto at
// 43°38'33.24" N, 79°23'13.7" W, is at 630084 m E, 4833438 m N in zone 17.
func TestAgainstUTM(t *testing.T) {
	zone := projection.TransverseMercator{Longitude: -81}
	x, y := zone.Forward(43+38.0/60+33.24/3600, -(79 + 23.0/60 + 13.7/3600))
	assert.InDelta(t, 630084, 500000+0.9996*x, 1)
	assert.InDelta(t, 4833438, 0.9996*y, 1)
}

// Forward and Inverse are inverse to one another, and lengths near the origin are right to the millimetre.
func TestInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := projection.TransverseMercator{
			Latitude:  rapid.Float64Range(-projection.MaxLatitude, projection.MaxLatitude).Draw(t, "latitude"),
			Longitude: rapid.Float64Range(-180, 180).Draw(t, "longitude"),
		}
		x, y := rapid.Float64Range(-5e4, 5e4).Draw(t, "x"), rapid.Float64Range(-5e4, 5e4).Draw(t, "y")
		latitude, longitude := p.Inverse(x, y)
		assert.LessOrEqual(t, math.Abs(longitude), 180.0)
		backX, backY := p.Forward(latitude, longitude)
		assert.InDelta(t, x, backX, 1e-6)
		assert.InDelta(t, y, backY, 1e-6)
	})
	p := projection.TransverseMercator{Latitude: 50.3, Longitude: 6.95}
	x, y := p.Forward(50.3, 6.95)
	assert.InDelta(t, 0, x, 1e-9)
	assert.InDelta(t, 0, y, 1e-9)
	assert.Equal(t, "+proj=tmerc +lat_0=50.3 +lon_0=6.95 +k=1 +x_0=0 +y_0=0 +ellps=WGS84 +units=m", p.Proj())
}

// A chord of 10 km around the origin has the same length on the plane, within 2 mm.
func TestLengths(t *testing.T) {
	p := projection.TransverseMercator{Latitude: 50.3, Longitude: 6.95}
	for _, angle := range []float64{0, 0.5, 1, math.Pi / 2, 2, 3} {
		sin, cos := math.Sincos(angle)
		length := 0.0
		const pieces = 100
		for i := range pieces {
			from, to := -5000+1e4*float64(i)/pieces, -5000+1e4*float64(i+1)/pieces
			aLat, aLon := p.Inverse(from*cos, from*sin)
			bLat, bLon := p.Inverse(to*cos, to*sin)
			length += chord(aLat, aLon, bLat, bLon)
		}
		assert.InDelta(t, 1e4, length, 2e-3, "at %v", angle)
	}
}

// chord returns the straight distance of two places on the ellipsoid.
func chord(aLat, aLon, bLat, bLon float64) float64 {
	f := 1 / 298.257223563
	e2 := f * (2 - f)
	cartesian := func(lat, lon float64) [3]float64 {
		sin, cos := math.Sincos(lat * math.Pi / 180)
		sinLon, cosLon := math.Sincos(lon * math.Pi / 180)
		n := 6378137 / math.Sqrt(1-e2*sin*sin)
		return [3]float64{n * cos * cosLon, n * cos * sinLon, n * (1 - e2) * sin}
	}
	a, b := cartesian(aLat, aLon), cartesian(bLat, bLon)
	return math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
}
