package circuit

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/internal/projection"
)

// Projection is the transverse Mercator projection that converts degrees to metres on a plane. It uses the WGS84
// ellipsoid. (0, 0) is its origin in the middle of the circuit, where the scale is 1; x points east and y north. Its
// methods convert in both directions. Lengths up to 10 km around the origin are accurate to 2 mm.
type Projection = projection.TransverseMercator

// Coordinates is the kind of coordinates in a file.
type Coordinates int

// The kinds of coordinates.
const (
	CoordinatesOfFile  Coordinates = iota // those of the file or its format
	CoordinatesDegrees                    // longitude and latitude on WGS84
	CoordinatesMetres                     // x and y on a plane
)

var coordinateNames = []string{"file", "degrees", "metres"}

// String returns "file", "degrees" or "metres".
func (c Coordinates) String() string {
	if c < 0 || int(c) >= len(coordinateNames) {
		return fmt.Sprintf("Coordinates(%d)", int(c))
	}
	return coordinateNames[c]
}

// maxExtent is the maximum extent in metres of a circuit in degrees. Lengths at its ends are accurate to 0.1 %.
const maxExtent = 2e5

// project converts longitudes and latitudes in degrees to metres around an origin. If origin is nil, it is the middle
// of all places.
func project(file string, lines [][]vector, origin *Projection) ([][]vector, *Projection, error) {
	south, north := math.Inf(1), math.Inf(-1)
	west, east := 0.0, 0.0 // relative to the first place: a circuit may cross the meridian of 180 degrees
	first := math.NaN()
	for _, line := range lines {
		for _, p := range line {
			if !(math.Abs(p.x) <= 180 && math.Abs(p.y) <= 90) {
				return nil, nil, &Error{File: file, Name: "a place",
					Value: fmt.Sprintf("longitude %s, latitude %s", number(p.x), number(p.y)),
					Want:  "from -180 to 180 and from -90 to 90 degrees; are the coordinates metres?", Option: "Coordinates"}
			}
			if math.IsNaN(first) {
				first = p.x
			}
			turn := math.Remainder(p.x-first, 360)
			south, north, west, east = min(south, p.y), max(north, p.y), min(west, turn), max(east, turn)
		}
	}
	if math.IsNaN(first) {
		return lines, nil, nil
	}
	if origin == nil {
		origin = &Projection{Latitude: (south + north) / 2, Longitude: math.Remainder(first+(west+east)/2, 360)}
	}
	if !(math.Abs(origin.Latitude) <= projection.MaxLatitude && math.Abs(origin.Longitude) <= 180) {
		return nil, nil, &Error{File: file, Name: "the origin",
			Value: fmt.Sprintf("longitude %s, latitude %s", number(origin.Longitude), number(origin.Latitude)),
			Want:  fmt.Sprintf("from -180 to 180 and from -%s to %[1]s degrees", number(projection.MaxLatitude))}
	}
	const degree = 111e3 // metres, accurate to 1 %
	cos := math.Cos(origin.Latitude * math.Pi / 180)
	if extent := max(north-south, (east-west)*cos) * degree; extent > maxExtent {
		return nil, nil, &Error{File: file, Name: "the extent",
			Value: fmt.Sprintf("%s degrees from south to north and %s from west to east", number(north-south),
				number(east-west)),
			Want: fmt.Sprintf("at most %s km; are the coordinates metres?", number(maxExtent/1000)), Option: "Coordinates"}
	}
	out := make([][]vector, len(lines))
	for k, line := range lines {
		for _, p := range line {
			x, y := origin.Forward(p.y, p.x)
			out[k] = append(out[k], vector{x, y})
		}
	}
	return out, origin, nil
}

// describe returns the note about a projection.
func describe(p *Projection) string {
	return fmt.Sprintf("degrees became metres by a transverse Mercator projection of the WGS84 ellipsoid around "+
		"latitude %.7f, longitude %.7f", p.Latitude, p.Longitude)
}
