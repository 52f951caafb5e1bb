package export

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	geodetic "github.com/trackgen-go/trackgen/internal/projection"
)

// LocalCRS is the name of the plane of a batch, for GeoJSON.CRS.
const LocalCRS = "local"

// Projection is the transverse Mercator projection between degrees on WGS84 and metres on a plane whose (0, 0) is at
// Latitude, Longitude: positive latitudes are north, positive longitudes east.
type Projection = geodetic.TransverseMercator

// MaxReach is the maximum distance of a position in degrees from the origin of its Projection on each axis, in metres.
const MaxReach = 1e6

// positions converts the metres of a batch to the positions of a GeoJSON file.
type positions struct {
	crs      string            // name of the coordinate reference system; empty for degrees
	origin   *Projection       // of the whole file
	circuits []ImportedCircuit // by number of the env; nil for generated tracks
}

// newPositions checks the options. Circuits that were imported from degrees go back to degrees, unless the options say
// otherwise.
func newPositions(style GeoJSON, metadata Metadata, numbers []int, envs int) (positions, error) {
	p := positions{crs: style.CRS, origin: style.Origin}
	if metadata.Import != nil {
		p.circuits = metadata.Import.Circuits
	}
	switch {
	case style.CRS != "" && style.Origin != nil:
		return p, fmt.Errorf("export: a GeoJSON file has a CRS (%q) or an origin in degrees, not both", style.CRS)
	case style.Origin != nil:
		return p, checkOrigin(*style.Origin)
	case style.CRS == "" && !p.allFromDegrees(numbers, envs):
		p.crs = LocalCRS
	case style.CRS != "" && style.CRS != LocalCRS:
		return p, checkCRS(style.CRS)
	}
	return p, nil
}

// allFromDegrees reports whether all envs of a file are circuits that were imported from degrees.
func (p *positions) allFromDegrees(numbers []int, envs int) bool {
	for e := range envs {
		if numbers != nil {
			e = numbers[e]
		}
		if c := p.circuit(e); c == nil || c.Projection == nil {
			return false
		}
	}
	return true
}

func (p *positions) circuit(env int) *ImportedCircuit {
	if env < 0 || env >= len(p.circuits) {
		return nil
	}
	return &p.circuits[env]
}

var crsName = regexp.MustCompile(`^[A-Z]{2,10}:[0-9A-Za-z]{1,12}$`)

func checkOrigin(origin Projection) error {
	if !(math.Abs(origin.Latitude) <= geodetic.MaxLatitude) {
		return fmt.Errorf("export: the latitude of the origin is %v: must be a number of degrees from -%v to %[2]v",
			origin.Latitude, geodetic.MaxLatitude)
	}
	if !(math.Abs(origin.Longitude) <= 180) {
		return fmt.Errorf("export: the longitude of the origin is %v: must be a number of degrees from -180 to 180",
			origin.Longitude)
	}
	return nil
}

// inDegrees are common names of reference systems in degrees, which CRS does not accept.
var inDegrees = []string{"EPSG:4326", "EPSG:4979", "OGC:CRS84"}

func checkCRS(name string) error {
	switch {
	case slices.Contains(inDegrees, name):
		return fmt.Errorf("export: CRS is %q, which has degrees, but tracks have metres: give the origin in degrees instead",
			name)
	case !crsName.MatchString(name):
		return fmt.Errorf("export: CRS is %q: must be %q or an authority and a code, such as \"EPSG:32632\"", name, LocalCRS)
	}
	return nil
}

// members returns the members of a file that say what its coordinates are: coordinate_space, as RFC 7946 asks for in
// section 4, and, for all but degrees, crs of the GeoJSON of 2008, which GDAL and all programs on top of it read.
func (p *positions) members() string {
	const planar = `"coordinate_space": {"type": "%s", "axes": ["x", "y"], "unit": "metre", "description": "%s"}`
	crs := func(name string) string {
		return `"crs": {"type": "name", "properties": {"name": ` + strconv.Quote(name) + "}},\n"
	}
	switch p.crs {
	case "":
		return `"coordinate_space": {"type": "geographic", "axes": ["longitude", "latitude"], "unit": "degree", ` +
			`"description": "Degrees on WGS84 (RFC 7946). The metres of a track were on the plane ` +
			`+proj=tmerc +lat_0=origin_latitude +lon_0=origin_longitude +k=1 +x_0=0 +y_0=0 +ellps=WGS84"}`
	case LocalCRS:
		return crs(`LOCAL_CS["plane",UNIT["metre",1],AXIS["x",EAST],AXIS["y",NORTH]]`) + fmt.Sprintf(planar, "planar",
			"Cartesian metres on a plane, x to the right and y upward, not degrees of longitude and latitude "+
				"(RFC 7946 section 4, prior arrangement)")
	default:
		authority, code, _ := strings.Cut(p.crs, ":")
		return crs("urn:ogc:def:crs:"+authority+"::"+code) + fmt.Sprintf(planar, "projected",
			"Metres in "+p.crs+", not degrees of longitude and latitude (RFC 7946 section 4, prior arrangement)")
	}
}

// placement converts the metres of one env.
type placement struct {
	plane *Projection // nil: metres
	x, y  float64     // of the origin of the batch
	moved bool        // x and y are not 0
}

// of returns the placement of an env.
func (p *positions) of(env int) (placement, error) {
	var at placement
	circuit := p.circuit(env)
	if circuit != nil && circuit.Origin != nil && p.crs != LocalCRS && p.origin == nil {
		at.x, at.y, at.moved = circuit.Origin[0], circuit.Origin[1], true
	}
	if p.crs != "" {
		return at, nil
	}
	at.plane = p.origin
	if at.plane == nil {
		at.plane = circuit.Projection // not nil: see allFromDegrees
	}
	return at, checkOrigin(*at.plane)
}

// Precision of positions that are computed.
const (
	perMetre  = 1e6
	perDegree = 1e9 // a tenth of a millimetre
)

// line returns the positions of a line, as a reader of the file finds them.
func (at placement) line(dst, line []Point) ([]Point, error) {
	for _, p := range line {
		q := Point{decimal(p.X), decimal(p.Y), p.Z}
		switch {
		case at.plane != nil:
			x, y := q.X+at.x, q.Y+at.y
			if !(math.Abs(x) <= MaxReach && math.Abs(y) <= MaxReach) {
				return dst, fmt.Errorf("(%v, %v) is more than %v km from the origin", x, y, MaxReach/1000)
			}
			latitude, longitude := at.plane.Inverse(x, y)
			if math.Abs(longitude-at.plane.Longitude) > 180 {
				return dst, errors.New("it crosses the antimeridian, where GeoJSON cuts lines: choose an origin that is " +
					"farther from longitude 180")
			}
			q.X, q.Y = math.Round(longitude*perDegree)/perDegree, math.Round(latitude*perDegree)/perDegree
		case at.moved:
			q.X, q.Y = math.Round((q.X+at.x)*perMetre)/perMetre, math.Round((q.Y+at.y)*perMetre)/perMetre
		}
		dst = append(dst, q)
	}
	return dst, nil
}

// decimal returns the number that the digits of appendCoordinate mean. It can differ from v: the digits are the fewest
// that distinguish v from other float32 values.
func decimal(v float64) float64 {
	var digits [64]byte
	d, _ := strconv.ParseFloat(string(appendCoordinate(digits[:0], v)), 64)
	return d
}
