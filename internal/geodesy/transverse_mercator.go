// Package geodesy converts between degrees on the WGS84 ellipsoid and metres on a plane around an origin. Package
// circuit reads degrees with it, and package export writes them.
package geodesy

import (
	"fmt"
	"math"
)

// The WGS84 ellipsoid.
const (
	equatorialRadius = 6378137.0
	flattening       = 1 / 298.257223563
	eccentricity2    = flattening * (2 - flattening) // squared
	third            = flattening / (2 - flattening) // third flattening, n
)

// Limits of a projection.
const (
	// MaxLatitude of an origin, in degrees north or south. Nearer to a pole, a circuit could run around it.
	MaxLatitude = 85.0
	// MaxDistance from the origin on each axis, in metres. It is the maximum length of a circuit. Within it, the error
	// of the series is far below a micrometre, and distances on the plane are at most 1.3 % too long.
	MaxDistance = 1e6
)

// TransverseMercator is the transverse Mercator projection of WGS84 whose central meridian goes through an origin, with
// x to the east and y to the north, and with scale 1 on the central meridian. It keeps angles. Lengths at x metres from
// the central meridian are x²/(2·R²) too long, with the radius R of the earth: 3e-7 at 5 km. PROJ names it
//
//	+proj=tmerc +lat_0=LATITUDE +lon_0=LONGITUDE +k=1 +x_0=0 +y_0=0 +ellps=WGS84
//
// The formulas are the series of Krüger to the sixth order, with the names of Karney, "Transverse Mercator with an
// accuracy of a few nanometers", Journal of Geodesy 85 (2011). NewTransverseMercator returns one.
type TransverseMercator struct {
	latitude, longitude float64 // of the origin, in degrees
	northing            float64 // of the origin, in metres from the equator
}

// NewTransverseMercator returns the projection with the given origin in degrees: latitude from -85 to 85 (MaxLatitude),
// longitude from -180 to 180.
func NewTransverseMercator(latitude, longitude float64) (TransverseMercator, error) {
	if !(math.Abs(latitude) <= MaxLatitude) {
		return TransverseMercator{}, fmt.Errorf(
			"the latitude of the origin is %v: must be a number of degrees from -%v to %[2]v", latitude, MaxLatitude)
	}
	if !(math.Abs(longitude) <= 180) {
		return TransverseMercator{}, fmt.Errorf(
			"the longitude of the origin is %v: must be a number of degrees from -180 to 180", longitude)
	}
	_, northing := fromEquator(latitude, 0)
	return TransverseMercator{latitude, longitude, northing}, nil
}

// Origin returns the latitude and the longitude of the origin, in degrees.
func (t TransverseMercator) Origin() (latitude, longitude float64) { return t.latitude, t.longitude }

// Forward returns the place on the plane of a latitude and a longitude in degrees. The longitude may be on either side
// of the antimeridian: 181 and -179 are the same. A place that is more than MaxDistance away on an axis, or that does
// not exist, is an error.
func (t TransverseMercator) Forward(latitude, longitude float64) (x, y float64, err error) {
	const farthest = 60 // degrees of longitude; 1000 km are 90 at the pole, and the check of the distance is exact there
	if !(math.Abs(latitude) <= 90) {
		return 0, 0, fmt.Errorf("the latitude is %v: must be a number of degrees from -90 to 90", latitude)
	}
	if !(math.Abs(longitude) <= 360) {
		return 0, 0, fmt.Errorf("the longitude is %v: must be a number of degrees from -180 to 180", longitude)
	}
	east := math.Remainder(longitude-t.longitude, 360)
	if math.Abs(latitude) < MaxLatitude && math.Abs(east) > farthest {
		return 0, 0, t.tooFar(latitude, longitude)
	}
	x, y = fromEquator(latitude, east)
	if y -= t.northing; !(math.Abs(x) <= MaxDistance && math.Abs(y) <= MaxDistance) {
		return 0, 0, t.tooFar(latitude, longitude)
	}
	return x, y, nil
}

func (t TransverseMercator) tooFar(latitude, longitude float64) error {
	return fmt.Errorf("latitude %v, longitude %v is more than %v km from the origin at latitude %v, longitude %v",
		latitude, longitude, MaxDistance/1000, t.latitude, t.longitude)
}

// Inverse returns the latitude and the longitude of a place on the plane, in degrees, with a longitude from -180 to
// 180. A place that is more than MaxDistance from the origin on an axis is an error.
func (t TransverseMercator) Inverse(x, y float64) (latitude, longitude float64, err error) {
	if !(math.Abs(x) <= MaxDistance && math.Abs(y) <= MaxDistance) {
		return 0, 0, fmt.Errorf("(%v, %v) is more than %v km from the origin", x, y, MaxDistance/1000)
	}
	latitude, east := toEquator(x, y+t.northing)
	return latitude, math.Remainder(t.longitude+east, 360), nil
}

// order is the number of terms of the series.
const order = 6

// polynomial returns the sum of coefficients[i]·n^(power+i), with the third flattening n.
func polynomial(power int, coefficients ...float64) float64 {
	sum := 0.0
	for i := len(coefficients) - 1; i >= 0; i-- {
		sum = float64(sum*third) + coefficients[i]
	}
	for range power {
		sum *= third
	}
	return sum
}

// Coefficients of the series, equations 35 and 36 of Karney; rectifyingRadius is A of equation 14.
var (
	rectifyingRadius = equatorialRadius / (1 + third) * polynomial(0, 1, 0, 1.0/4, 0, 1.0/64, 0, 1.0/256)

	alpha = [order]float64{
		polynomial(1, 1.0/2, -2.0/3, 5.0/16, 41.0/180, -127.0/288, 7891.0/37800),
		polynomial(2, 13.0/48, -3.0/5, 557.0/1440, 281.0/630, -1983433.0/1935360),
		polynomial(3, 61.0/240, -103.0/140, 15061.0/26880, 167603.0/181440),
		polynomial(4, 49561.0/161280, -179.0/168, 6601661.0/7257600),
		polynomial(5, 34729.0/80640, -3418889.0/1995840),
		polynomial(6, 212378941.0/319334400),
	}
	beta = [order]float64{
		polynomial(1, 1.0/2, -2.0/3, 37.0/96, -1.0/360, -81.0/512, 96199.0/604800),
		polynomial(2, 1.0/48, 1.0/15, -437.0/1440, 46.0/105, -1118711.0/3870720),
		polynomial(3, 17.0/480, -37.0/840, -209.0/4480, 5569.0/90720),
		polynomial(4, 4397.0/161280, -11.0/504, -830251.0/7257600),
		polynomial(5, 4583.0/161280, -108847.0/3991680),
		polynomial(6, 20648693.0/638668800),
	}
)

// conformal returns the tangent of the conformal latitude from the tangent of the latitude (equations 7 to 9).
func conformal(tangent float64) float64 {
	e := math.Sqrt(eccentricity2)
	secant := math.Hypot(1, tangent)
	s := math.Sinh(e * math.Atanh(e*tangent/secant))
	return float64(tangent*math.Hypot(1, s)) - float64(s*secant)
}

// geographic is the inverse of conformal, by Newton's method (equations 19 to 21).
func geographic(tangent float64) float64 {
	const rounds = 5 // two give full accuracy
	t := tangent / (1 - eccentricity2)
	for range rounds {
		now := conformal(t)
		step := (tangent - now) / math.Hypot(1, now) * (1 + float64((1-eccentricity2)*t*t)) /
			((1 - eccentricity2) * math.Hypot(1, t))
		t += step
	}
	return t
}

// fromEquator projects degrees to metres east of the central meridian and north of the equator (equations 10, 11, 13).
func fromEquator(latitude, east float64) (x, y float64) {
	sin, cos := math.Sincos(radians(east))
	tangent := conformal(math.Tan(radians(latitude)))
	xi, eta := math.Atan2(tangent, cos), math.Asinh(sin/math.Hypot(tangent, cos))
	dXi, dEta := series(&alpha, xi, eta)
	return rectifyingRadius * (eta + dEta), rectifyingRadius * (xi + dXi)
}

// toEquator is the inverse of fromEquator (equations 15 to 18).
func toEquator(x, y float64) (latitude, east float64) {
	xi, eta := y/rectifyingRadius, x/rectifyingRadius
	dXi, dEta := series(&beta, xi, eta)
	xi, eta = xi-dXi, eta-dEta
	tangent := math.Sin(xi) / math.Hypot(math.Sinh(eta), math.Cos(xi))
	return degrees(math.Atan(geographic(tangent))), degrees(math.Atan2(math.Sinh(eta), math.Cos(xi)))
}

// series returns the sums of c[j-1]·sin(2jξ)·cosh(2jη) and c[j-1]·cos(2jξ)·sinh(2jη).
func series(c *[order]float64, xi, eta float64) (dXi, dEta float64) {
	for i := order - 1; i >= 0; i-- {
		k := float64(2 * (i + 1))
		sin, cos := math.Sincos(k * xi)
		dXi += float64(c[i] * sin * math.Cosh(k*eta))
		dEta += float64(c[i] * cos * math.Sinh(k*eta))
	}
	return dXi, dEta
}

func radians(v float64) float64 { return v * (math.Pi / 180) }
func degrees(v float64) float64 { return v * (180 / math.Pi) }
