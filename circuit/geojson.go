package circuit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// geoObject is any object of GeoJSON (RFC 7946).
type geoObject struct {
	Type        string          `json:"type"`
	Properties  json.RawMessage `json:"properties"`
	Geometry    *geoObject      `json:"geometry"`
	Geometries  []geoObject     `json:"geometries"`
	Features    []geoObject     `json:"features"`
	Coordinates json.RawMessage `json:"coordinates"`

	// CRS is the coordinate reference system of GeoJSON before RFC 7946.
	CRS *struct {
		Properties struct {
			Name string `json:"name"`
		} `json:"properties"`
	} `json:"crs"`
	// CoordinateSpace is a member of TrackGen's own files for coordinates in metres.
	CoordinateSpace *struct {
		Type string `json:"type"`
	} `json:"coordinate_space"`
}

const (
	maxGeoJSON    = 64 << 20 // bytes; MaxPoints places need less
	maxGeoObjects = 1 << 19
	maxGeoLists   = MaxPoints + 4*maxGeoLines
)

var geoType = regexp.MustCompile(`"type"\s*:\s*"(FeatureCollection|Feature|GeometryCollection|` +
	`LineString|MultiLineString|Polygon|MultiPolygon|Point|MultiPoint)"`)

// isGeoJSON reports whether a file is GeoJSON.
func isGeoJSON(head []byte) bool { return isJSON(head) && geoType.Match(head) }

// readGeoJSON reads the lines of a GeoJSON file.
func readGeoJSON(name string, data []byte, options Options) ([]*File, error) {
	if len(data) > maxGeoJSON {
		return nil, &Error{File: name, Name: "size", Value: fmt.Sprintf("%d bytes", len(data)),
			Want: fmt.Sprintf("at most %d in GeoJSON", maxGeoJSON)}
	}
	// Decoding needs much more memory than the text: an empty object of two bytes needs a hundred. So the limits are
	// checked before.
	if n := bytes.Count(data, []byte("{")); n > maxGeoObjects {
		return nil, &Error{File: name, Name: "the number of objects", Value: strconv.Itoa(n),
			Want: fmt.Sprintf("at most %d in GeoJSON", maxGeoObjects)}
	}
	if n := bytes.Count(data, []byte("[")); n > maxGeoLists {
		return nil, &Error{File: name, Name: "the number of lists", Value: strconv.Itoa(n),
			Want: fmt.Sprintf("at most %d in GeoJSON", maxGeoLists)}
	}
	var root geoObject
	if err := json.Unmarshal(data, &root); err != nil {
		return nil, jsonError(name, data, err)
	}
	degrees, err := root.inDegrees(name, options)
	if err != nil {
		return nil, err
	}
	g := &geoFile{file: name, degrees: degrees}
	if err := g.collect(&root, geoLine{}); err != nil {
		return nil, err
	}
	return g.circuits(options)
}

// jsonError returns the error for a file with invalid JSON, or with members of other types.
func jsonError(name string, data []byte, err error) error {
	e := &Error{File: name, Name: "the JSON", Value: "wrong: " + err.Error(), Want: "a GeoJSON object"}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	offset := int64(-1)
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	}
	if offset >= 0 && offset <= int64(len(data)) {
		e.Line = 1 + strings.Count(string(data[:offset]), "\n")
	}
	return e
}

// inDegrees reports whether the coordinates of a file are longitude and latitude, which is the default.
func (o *geoObject) inDegrees(file string, options Options) (bool, error) {
	if err := o.checkMercator(file, options); err != nil {
		return false, err
	}
	switch {
	case options.Coordinates != CoordinatesOfFile:
		return options.Coordinates == CoordinatesDegrees, nil
	case o.CoordinateSpace != nil && (o.CoordinateSpace.Type == "planar" || o.CoordinateSpace.Type == "projected"):
		return false, nil
	case o.CRS == nil || o.CRS.Properties.Name == "":
		return true, nil
	}
	name, code := o.crsCode()
	if code == "CRS84" || code == "CRS84h" {
		return true, nil
	}
	number, err := strconv.Atoi(code)
	switch {
	case err != nil:
	case slices.Contains([]int{4326, 4258, 4979, 4937}, number): // WGS84, and ETRS89, less than a metre from it, also 3D
		return true, nil
	case number > 32600 && number <= 32660 || number > 32700 && number <= 32760 || number >= 25828 && number <= 25838:
		return false, nil // UTM, in metres
	}
	return false, &Error{File: file, Name: "the coordinate reference system (crs)", Value: quoted(name),
		Want: "WGS84 (CRS84, EPSG:4326) or UTM; is it in metres?", Option: "Coordinates"}
}

// crsCode returns the name of the coordinate reference system of a file, or "" if it has none, and the code at the end
// of the name.
func (o *geoObject) crsCode() (name, code string) {
	if o.CRS == nil {
		return "", ""
	}
	name = o.CRS.Properties.Name
	return name, name[strings.LastIndexAny(name, ":/")+1:]
}

// checkMercator refuses the coordinates of web maps (Web Mercator), even if the options give metres: at 50 degrees of
// latitude, one unit is 0.64 m.
func (o *geoObject) checkMercator(file string, options Options) error {
	name, code := o.crsCode()
	if !slices.Contains([]string{"3857", "3785", "3395", "900913", "102100"}, code) ||
		options.Coordinates == CoordinatesDegrees {
		return nil
	}
	return &Error{File: file, Name: "the coordinate reference system (crs)",
		Value: quoted(name) + ", a Mercator projection, whose metres are not those of the ground",
		Want:  "WGS84 (CRS84, EPSG:4326) or UTM: convert the file to degrees"}
}

// collect adds the lines of an object. Each line gets the properties of its feature, of.
func (g *geoFile) collect(o *geoObject, of geoLine) error {
	switch o.Type {
	case "FeatureCollection":
		for i := range o.Features {
			if err := g.collect(&o.Features[i], geoLine{}); err != nil {
				return err
			}
		}
	case "Feature":
		if o.Geometry == nil {
			g.skipped++
			return nil
		}
		return g.collect(o.Geometry, properties(o.Properties))
	case "GeometryCollection":
		for i := range o.Geometries {
			if err := g.collect(&o.Geometries[i], of); err != nil {
				return err
			}
		}
	case "LineString":
		return decodeLines(g, o, of, func(line [][]maybeNumber) [][][][]maybeNumber {
			return [][][][]maybeNumber{{line}}
		})
	case "MultiLineString":
		return decodeLines(g, o, of, func(lines [][][]maybeNumber) (out [][][][]maybeNumber) {
			for _, line := range lines {
				out = append(out, [][][]maybeNumber{line})
			}
			return out
		})
	case "Polygon":
		of.area = true
		return decodeLines(g, o, of, func(rings [][][]maybeNumber) [][][][]maybeNumber {
			return [][][][]maybeNumber{rings}
		})
	case "MultiPolygon":
		of.area = true
		return decodeLines(g, o, of, func(polygons [][][][]maybeNumber) [][][][]maybeNumber { return polygons })
	default:
		g.skipped++
	}
	return nil
}

// decodeLines adds the lines of a geometry. split returns its lines or polygons, each as a list of rings of positions.
// A height that is null is none.
func decodeLines[T any](g *geoFile, o *geoObject, of geoLine, split func(T) [][][][]maybeNumber) error {
	var coordinates T
	if err := json.Unmarshal(o.Coordinates, &coordinates); err != nil {
		return &Error{File: g.file, Name: "the list of coordinates of a " + o.Type, Value: "wrong: " + err.Error(),
			Want: "lists of [x, y]"}
	}
	parts := split(coordinates)
	for _, rings := range parts {
		line := of
		for k, ring := range rings {
			points := make([]vector, 0, len(ring))
			for _, position := range ring {
				if len(position) < 2 {
					return &Error{File: g.file, Name: "a position of a " + o.Type,
						Value: fmt.Sprintf("of %d numbers", len(position)), Want: "[x, y] or [x, y, z]"}
				}
				points = append(points, vector{float64(position[0]), float64(position[1])})
				if k > 0 {
					continue
				}
				height := pointHeight{}
				if len(position) > 2 && !math.IsNaN(float64(position[2])) {
					height = pointHeight{float64(position[2]), true}
				}
				line.heights = append(line.heights, height)
			}
			if k == 0 {
				line.points = points
			} else {
				line.holes = append(line.holes, points)
			}
		}
		if len(line.points) == 0 {
			continue
		}
		if err := g.add(line); err != nil {
			return err
		}
	}
	return nil
}

// properties returns a line with the properties of a feature. It ignores properties of other types.
func properties(raw json.RawMessage) geoLine {
	var all struct {
		Name, Title, Kind json.RawMessage
		WidthRight        json.RawMessage `json:"width_right"`
		WidthLeft         json.RawMessage `json:"width_left"`
		OriginLatitude    json.RawMessage `json:"origin_latitude"`
		OriginLongitude   json.RawMessage `json:"origin_longitude"`
	}
	_ = json.Unmarshal(raw, &all)
	var line geoLine
	if line.name = property[string](all.Name); line.name == "" {
		line.name = property[string](all.Title)
	}
	line.kind = property[string](all.Kind)
	line.right, line.left = property[[]float64](all.WidthRight), property[[]float64](all.WidthLeft)
	if all.OriginLatitude != nil && all.OriginLongitude != nil {
		line.origin = &Projection{Latitude: property[float64](all.OriginLatitude),
			Longitude: property[float64](all.OriginLongitude)}
	}
	return line
}

// property decodes a property. It returns zero if the property is missing, has another type, or has more values than a
// circuit has points.
func property[T any](raw json.RawMessage) (value T) {
	if bytes.Count(raw, []byte(",")) > MaxPoints || json.Unmarshal(raw, &value) != nil {
		var none T
		return none
	}
	return value
}
