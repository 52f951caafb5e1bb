// Package projection converts between degrees on the WGS84 ellipsoid and metres on a plane around a place.
package projection

import (
	"fmt"
	"math"
)

// The WGS84 ellipsoid.
const (
	semiMajorAxis = 6378137.0 // metres
	flattening    = 1 / 298.257223563
)

// MaxLatitude is the maximum absolute latitude of an origin, in degrees. Nearer to a pole, a circuit might contain it.
const MaxLatitude = 88.0

// TransverseMercator is a transverse Mercator projection of the WGS84 ellipsoid, with scale 1 at its origin. X points
// east and y north at the origin, in metres. A length of 10 km around the origin is accurate to 2 mm, one of 100 km to
// 1 m.
//
// The series are those of Krüger to the sixth order in the third flattening, as in C. Karney, "Transverse Mercator with
// an accuracy of a few nanometers", Journal of Geodesy 85 (2011), equations 7 to 12, 35 and 36.
type TransverseMercator struct {
	Latitude  float64 `json:"latitude"`  // of the origin, in degrees, from -MaxLatitude to MaxLatitude
	Longitude float64 `json:"longitude"` // of the origin, in degrees, from -180 to 180
}

// Proj returns the projection in the notation of the PROJ library.
func (t TransverseMercator) Proj() string {
	return fmt.Sprintf("+proj=tmerc +lat_0=%v +lon_0=%v +k=1 +x_0=0 +y_0=0 +ellps=WGS84 +units=m", t.Latitude,
		t.Longitude)
}

// series holds the constants of the ellipsoid.
type series struct {
	eccentricity float64
	radius       float64    // of the sphere with meridians as long as those of the ellipsoid, in metres
	alpha, beta  [6]float64 // coefficients of the series from the sphere to the plane, and back
}

var wgs84 = newSeries(semiMajorAxis, flattening)

func newSeries(a, f float64) series {
	n := f / (2 - f)
	n2, n3, n4, n5, n6 := n*n, n*n*n, n*n*n*n, n*n*n*n*n, n*n*n*n*n*n
	return series{
		eccentricity: math.Sqrt(f * (2 - f)),
		radius:       a / (1 + n) * (1 + n2/4 + n4/64 + n6/256),
		alpha: [6]float64{
			n/2 - 2*n2/3 + 5*n3/16 + 41*n4/180 - 127*n5/288 + 7891*n6/37800,
			13*n2/48 - 3*n3/5 + 557*n4/1440 + 281*n5/630 - 1983433*n6/1935360,
			61*n3/240 - 103*n4/140 + 15061*n5/26880 + 167603*n6/181440,
			49561*n4/161280 - 179*n5/168 + 6601661*n6/7257600,
			34729*n5/80640 - 3418889*n6/1995840,
			212378941 * n6 / 319334400,
		},
		beta: [6]float64{
			n/2 - 2*n2/3 + 37*n3/96 - n4/360 - 81*n5/512 + 96199*n6/604800,
			n2/48 + n3/15 - 437*n4/1440 + 46*n5/105 - 1118711*n6/3870720,
			17*n3/480 - 37*n4/840 - 209*n5/4480 + 5569*n6/90720,
			4397*n4/161280 - 11*n5/504 - 830251*n6/7257600,
			4583*n5/161280 - 108847*n6/3991680,
			20648693 * n6 / 638668800,
		},
	}
}

// Forward returns the plane coordinates of a place, in metres.
func (t TransverseMercator) Forward(latitude, longitude float64) (x, y float64) {
	x, y = wgs84.forward(radians(latitude), radians(turn(longitude-t.Longitude)))
	_, origin := wgs84.forward(radians(t.Latitude), 0)
	return x, y - origin
}

// Inverse returns the place with the plane coordinates x and y, in degrees. The longitude is from -180 to 180.
func (t TransverseMercator) Inverse(x, y float64) (latitude, longitude float64) {
	_, origin := wgs84.forward(radians(t.Latitude), 0)
	phi, lambda := wgs84.inverse(x, y+origin)
	return degrees(phi), turn(t.Longitude + degrees(lambda))
}

// forward returns the distances from the central meridian and from the equator.
func (s *series) forward(phi, lambda float64) (x, y float64) {
	tau := math.Tan(phi)
	conformal := s.conformal(tau)
	sin, cos := math.Sincos(lambda)
	xi := math.Atan2(conformal, cos)
	eta := math.Asinh(sin / math.Hypot(conformal, cos))
	x, y = eta, xi
	for j, a := range s.alpha {
		k := float64(2 * (j + 1))
		x += a * math.Cos(k*xi) * math.Sinh(k*eta)
		y += a * math.Sin(k*xi) * math.Cosh(k*eta)
	}
	return x * s.radius, y * s.radius
}

func (s *series) inverse(x, y float64) (phi, lambda float64) {
	eta, xi := x/s.radius, y/s.radius
	eta0, xi0 := eta, xi
	for j, b := range s.beta {
		k := float64(2 * (j + 1))
		eta -= b * math.Cos(k*xi0) * math.Sinh(k*eta0)
		xi -= b * math.Sin(k*xi0) * math.Cosh(k*eta0)
	}
	conformal := math.Sin(xi) / math.Hypot(math.Sinh(eta), math.Cos(xi))
	return math.Atan(s.geographic(conformal)), math.Atan2(math.Sinh(eta), math.Cos(xi))
}

// conformal returns the tangent of the conformal latitude from that of the geographic one.
func (s *series) conformal(tau float64) float64 {
	e := s.eccentricity
	sigma := math.Sinh(e * math.Atanh(e*tau/math.Hypot(1, tau)))
	return tau*math.Hypot(1, sigma) - sigma*math.Hypot(1, tau)
}

// geographic inverts conformal by Newton's method, which doubles the number of correct digits in each step.
func (s *series) geographic(conformal float64) float64 {
	e2 := s.eccentricity * s.eccentricity
	tau := conformal
	for range 5 {
		at := s.conformal(tau)
		tau += (conformal - at) / math.Hypot(1, at) * (1 + (1-e2)*tau*tau) / ((1 - e2) * math.Hypot(1, tau))
	}
	return tau
}

// turn reduces an angle in degrees to the range from -180 to 180.
func turn(angle float64) float64 { return math.Remainder(angle, 360) }

func radians(angle float64) float64 { return angle * (math.Pi / 180) }

func degrees(angle float64) float64 { return angle * (180 / math.Pi) }
