package circuit_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/internal/projection"
)

// ringInDegrees returns n places on a circle of 300 m around a place, counter-clockwise, and the first again.
func ringInDegrees(latitude, longitude float64, n int, radius float64) (places [][2]float64) {
	p := projection.TransverseMercator{Latitude: latitude, Longitude: longitude}
	for i := range n + 1 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i%n) / float64(n))
		lat, lon := p.Inverse(radius*cos, radius*sin)
		places = append(places, [2]float64{lon, lat})
	}
	return places
}

// positions returns places as JSON or, for KML, with blanks between them.
func positions(places [][2]float64) string {
	var out []string
	for _, p := range places {
		out = append(out, fmt.Sprintf("[%.9f,%.9f]", p[0], p[1]))
	}
	return "[" + strings.Join(out, ",") + "]"
}

func kmlPlaces(places [][2]float64) string {
	return strings.NewReplacer("[[", "", "]]", ",125.5", "],[", ",120\n ").Replace(positions(places))
}

// requireRing checks that a circuit is the circle of 300 m around its origin, which is at a place.
func requireRing(t *testing.T, c *circuit.File, latitude, longitude float64) {
	t.Helper()
	require.NotNil(t, c.Projection)
	require.InDelta(t, latitude, c.Projection.Latitude, 1e-7)
	require.InDelta(t, 0, math.Remainder(longitude-c.Projection.Longitude, 360), 1e-7)
	require.Len(t, c.X, 60)
	for i := range c.X {
		require.InDelta(t, 300, math.Hypot(c.X[i], c.Y[i]), 0.001, "point %d", i)
	}
	require.InDelta(t, 300, c.X[0], 0.01, "east is x")
	require.InDelta(t, 300, c.Y[15], 0.01, "north is y")
	require.Contains(t, c.Notes[len(c.Notes)-1], fmt.Sprintf("transverse Mercator projection of the WGS84 ellipsoid "+
		"around latitude %.5f", latitude))
}

// The same ring in every form of GeoJSON, KML and GPX.
func TestDegrees(t *testing.T) {
	t.Parallel()
	const latitude, longitude = -33.5, 179.9995 // the ring crosses the meridian of 180 degrees
	ring := ringInDegrees(latitude, longitude, 60, 300)
	for i := range ring {
		ring[i][0] = math.Remainder(ring[i][0], 360)
	}
	line := `{"type": "LineString", "coordinates": ` + positions(ring) + `}`
	pieces := `{"type": "MultiLineString", "coordinates": [` + positions(ring[:21]) + "," + positions(ring[20:41]) + "," +
		positions(ring[40:]) + `]}`
	turned := `{"type": "MultiLineString", "coordinates": [` + positions(ring[:21]) + "," + positions(ring[40:]) + "," +
		positions(backward(ring[20:41])) + `]}`
	feature := func(geometry string) string {
		return `{"type": "Feature", "properties": {"name": "Ring", "kind": 3}, "geometry": ` + geometry + `}`
	}
	points := ""
	for _, p := range ring {
		points += fmt.Sprintf(`<trkpt lon="%.9f" lat="%.9f"><ele>12</ele></trkpt>`, p[0], p[1])
	}
	coords := ""
	for _, p := range ring {
		coords += fmt.Sprintf("<gx:coord>%.9f %.9f 12</gx:coord>", p[0], p[1])
	}
	kml := func(geometry string) string {
		return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<kml xmlns="http://www.opengis.net/kml/2.2" ` +
			`xmlns:gx="http://www.google.com/kml/ext/2.2"><Document><name>Tracks</name><Folder><Placemark><name>Ring</name>` +
			`<Point><coordinates>1,2</coordinates></Point>` + geometry + `</Placemark></Folder></Document></kml>`
	}
	for name, test := range map[string]struct {
		text, kind, circuit string
	}{
		"LineString":      {line, "GeoJSON", "ring"},
		"Feature":         {feature(line), "GeoJSON", "Ring"},
		"Polygon":         {feature(`{"type": "Polygon", "coordinates": [` + positions(ring) + `]}`), "GeoJSON", "Ring"},
		"MultiLineString": {feature(pieces), "GeoJSON", "Ring"},
		"turned":          {feature(turned), "GeoJSON", "Ring"},
		"FeatureCollection": {`{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": null, "geometry": ` +
			`{"type": "Point", "coordinates": [0, 0]}}, {"type": "Feature", "geometry": null}, ` + feature(line) + `]}`,
			"GeoJSON", "Ring"},
		"GeometryCollection": {`{"type": "GeometryCollection", "geometries": [` + line + `]}`, "GeoJSON", "ring"},
		"CRS84": {strings.Replace(line, "{", `{"crs": {"type": "name", "properties": {"name": `+
			`"urn:ogc:def:crs:OGC:1.3:CRS84"}}, `, 1), "GeoJSON", "ring"},
		"KML LineString": {kml("<LineString><coordinates>\n" + kmlPlaces(ring) + "\n</coordinates></LineString>"),
			"KML", "Ring"},
		"KML LinearRing": {kml("<LinearRing><coordinates>" + kmlPlaces(ring) + "</coordinates></LinearRing>"), "KML", "Ring"},
		"KML Polygon": {kml("<Polygon><outerBoundaryIs><LinearRing><coordinates>" + kmlPlaces(ring) +
			"</coordinates></LinearRing></outerBoundaryIs></Polygon>"), "KML", "Ring"},
		"KML Track": {kml("<gx:Track>" + coords + "</gx:Track>"), "KML", "Ring"},
		"GPX": {`<gpx version="1.1"><metadata><name>today</name></metadata><wpt lat="1" lon="2"/><trk><name>Ring</name><trkseg>` +
			points + `</trkseg></trk></gpx>`, "GPX", "Ring"},
		"GPX route": {`<gpx><rte><name>Ring</name>` + strings.ReplaceAll(points, "trkpt", "rtept") + `</rte></gpx>`, "GPX", "Ring"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := readAll(t, "ring.dat", test.text, circuit.Options{})
			require.Len(t, files, 1)
			requireRing(t, files[0], latitude, longitude)
			assert.Equal(t, test.kind, files[0].Kind)
			assert.Equal(t, test.circuit, files[0].Name)
			assert.False(t, files[0].Widths())
			// The inverse projection gives the places in the file.
			lat, lon := files[0].Projection.Inverse(files[0].X[7], files[0].Y[7])
			assert.InDelta(t, ring[7][1], lat, 1e-8)
			assert.InDelta(t, ring[7][0], lon, 1e-8)
		})
	}
}

// A polygon with a hole is a road, and circuits on two continents in one file have projections of their own.
func TestRoadsInDegrees(t *testing.T) {
	t.Parallel()
	outer, inner := ringInDegrees(50, 7, 60, 306), ringInDegrees(50, 7, 60, 294)
	other := ringInDegrees(-30, -60, 60, 300)
	text := `{"type": "FeatureCollection", "features": [` +
		`{"type": "Feature", "properties": {"name": "Road"}, "geometry": {"type": "Polygon", "coordinates": [` +
		positions(outer) + "," + positions(backward(inner)) + `]}},` +
		`{"type": "Feature", "properties": {"name": "Line"}, "geometry": {"type": "LineString", "coordinates": ` +
		positions(other) + `}}]}`
	files := readAll(t, "two.geojson", text, circuit.Options{})
	require.Len(t, files, 2)
	assert.Equal(t, []string{"Road", "Line"}, []string{files[0].Name, files[1].Name})
	for i := range files[0].X {
		require.InDelta(t, 300, math.Hypot(files[0].X[i], files[0].Y[i]), 0.01)
		require.InDelta(t, 6, files[0].Left[i], 0.01)
		require.InDelta(t, 6, files[0].Right[i], 0.01)
	}
	requireRing(t, files[1], -30, -60)
}

// Borders may be in degrees, in a file each, and of different kinds.
func TestBordersInDegrees(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	inner := ringInDegrees(50, 7, 60, 294)
	outer := ringInDegrees(50.0001, 7.0001, 48, 330) // another middle, hence another projection
	left, right := filepath.Join(folder, "Ring-left.geojson"), filepath.Join(folder, "Ring-right.kml")
	require.NoError(t, os.WriteFile(left, []byte(`{"type": "LineString", "coordinates": `+positions(inner)+`}`), 0o600))
	require.NoError(t, os.WriteFile(right, []byte("<kml><LineString><coordinates>"+kmlPlaces(outer)+
		"</coordinates></LineString></kml>"), 0o600))
	c, err := circuit.ReadBorders(left, right, circuit.Options{})
	require.NoError(t, err)
	assert.Equal(t, "Ring", c.Name)
	assert.InDelta(t, 50, c.Projection.Latitude, 1e-7)
	east, north := c.Projection.Forward(50.0001, 7.0001)
	leftBorder, rightBorder := rebuilt(c)
	for i := range c.X {
		require.InDelta(t, 294, math.Hypot(leftBorder[i][0], leftBorder[i][1]), 0.02)
		require.InDelta(t, 330, math.Hypot(rightBorder[i][0]-east, rightBorder[i][1]-north), 0.02)
	}
	notes := strings.Join(c.Notes, "\n")
	assert.Equal(t, 1, strings.Count(notes, "transverse Mercator"), notes)

	metres := filepath.Join(folder, "metres.csv")
	require.NoError(t, os.WriteFile(metres, []byte("0,0\n9,0\n9,9\n"), 0o600))
	_, err = circuit.ReadBorders(left, metres, circuit.Options{})
	require.ErrorContains(t, err, "the unit of the coordinates is degrees in one file and metres in the other: must be")
	_, err = circuit.ReadBorders(left, folder+"/missing.csv", circuit.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Coordinates on a plane are not mistaken for degrees.
func TestPlanarGeoJSON(t *testing.T) {
	t.Parallel()
	const planar = `"coordinate_space": {"type": "planar", "axes": ["x", "y"], "unit": "metre"}`
	line := `"type": "LineString", "coordinates": [[0,0],[60,0],[60,40],[0,40],[0,0]]`
	for name, test := range map[string]struct {
		text    string
		options circuit.Options
	}{
		"TrackGen": {"{" + planar + ", " + line + "}", circuit.Options{}},
		"UTM": {`{"crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32632"}}, ` + line + "}",
			circuit.Options{}},
		"as the options say": {"{" + line + "}", circuit.Options{Coordinates: circuit.CoordinatesMetres}},
	} {
		c := readAll(t, "ring.geojson", test.text, test.options)[0]
		assert.Equal(t, []float64{0, 60, 60, 0}, c.X, name)
		assert.Nil(t, c.Projection, name)
	}

	// The widths of a centreline of TrackGen, in metres and in degrees.
	ring := ringInDegrees(50, 7, 60, 300)
	widths := strings.TrimSuffix(strings.Repeat("4.5,", 60), ",")
	text := fmt.Sprintf(`{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"kind": "road"}, `+
		`"geometry": {"type": "Polygon", "coordinates": [%s]}}, {"type": "Feature", "properties": {"kind": "centerline", `+
		`"name": "Ring", "width_right": [%s], "width_left": [%s], "origin_latitude": 50.01, "origin_longitude": 7}, `+
		`"geometry": {"type": "LineString", "coordinates": %s}}]}`, positions(ring), widths,
		strings.ReplaceAll(widths, "4.5", "3"), positions(ring))
	files := readAll(t, "ring.geojson", text, circuit.Options{})
	require.Len(t, files, 1)
	assert.Equal(t, &circuit.Projection{Latitude: 50.01, Longitude: 7}, files[0].Projection)
	assert.InDelta(t, 300, files[0].X[0], 0.01)
	assert.InDelta(t, -1112.4, files[0].Y[0], 0.5, "0.01 degrees south of the origin")
	assert.Equal(t, 4.5, files[0].Right[11])
	assert.Equal(t, 3.0, files[0].Left[11])
}

// Geometries that are no circuit are refused, with the reason.
func TestGeoRefused(t *testing.T) {
	t.Parallel()
	ring := ringInDegrees(50, 7, 60, 300)
	line := func(coordinates string) string { return `{"type": "LineString", "coordinates": ` + coordinates + `}` }
	lines := func(parts ...string) string {
		return `{"type": "MultiLineString", "coordinates": [` + strings.Join(parts, ",") + `]}`
	}
	for name, test := range map[string]struct{ text, want string }{
		"metres": {line("[[0,0],[600,0],[600,400],[0,0]]"),
			"ring: a place is longitude 600, latitude 0: must be from -180 to 180 and from -90 to 90 degrees; are the"},
		"a small plane": {line("[[0,0],[60,0],[60,40],[0,0]]"),
			"ring: the extent is 40 degrees from south to north and 60 from west to east: must be at most 200 km; are the"},
		"a pole": {line("[[0,89],[0.001,89],[0.001,89.001],[0,89]]"), "the origin is longitude 0.0005, latitude 89.0005"},
		"another system": {`{"crs": {"properties": {"name": "EPSG:2154"}}, "type": "LineString", "coordinates": [[0,0]]}`,
			`the coordinate reference system (crs) is "EPSG:2154": must be WGS84 (CRS84, EPSG:4326) or UTM`},
		"web maps": {`{"crs": {"properties": {"name": "urn:ogc:def:crs:EPSG::3857"}}, "type": "LineString", "coordinates": [[0,0]]}`,
			`EPSG::3857", a Mercator projection, whose metres are not those of the ground: must be WGS84`},
		"many objects": {`{"type": "FeatureCollection", "features": [` + strings.Repeat("{},", 1<<19) + `{}]}`,
			"ring: the number of objects is 524290: must be at most 524288 in GeoJSON"},
		"many lists": {line(strings.Repeat("[", 1400000)), "ring: the number of lists is 1400000: must be at most 1310720"},
		"points":     {`{"type": "MultiPoint", "coordinates": [[0,0]]}`, "the number of lines is 0, beside 1 other geometries"},
		"one number": {line("[[0],[1]]"), "a position of a LineString is of 1 numbers: must be [x, y] or [x, y, z]"},
		"text":       {line(`[["0","1"]]`), "the list of coordinates of a LineString is wrong: \"0\" is no number"},
		"cut":        {line(positions(ring))[:900], "ring:1: the JSON is wrong: unexpected end of JSON input"},
		"apart": {lines(positions(ring[:20]), positions(ring[25:45])),
			"the number of lines that close is 0 of 2; the longest has"},
		"a junction": {lines(positions(ring[:21]), positions(ring[20:41]), positions([][2]float64{ring[20], ring[50]})),
			"the number of lines that meet at (6.99791, 50.0023) is 3: must be at most 2"},
		"KML cut":    {"<kml><Placemark>", "ring:1: the XML is wrong: XML syntax error on line 1: unexpected EOF"},
		"KML nested": {"<kml>" + strings.Repeat("<a>", 100), "the XML is nested more than 64 deep"},
		"KML entities": {`<!DOCTYPE kml [<!ENTITY a "aaaa">]><kml><name>&a;</name></kml>`,
			"the file is an XML file"},
		"KML text": {"<kml><LineString><coordinates>7,x</coordinates></LineString></kml>", `a latitude is "x": must be a number`},
		"KML numbers": {"<kml><LineString><coordinates>7 50</coordinates></LineString></kml>",
			`a place is "7": must be longitude,latitude`},
		"KML without a line": {"<kml><Point><coordinates>7,50</coordinates></Point></kml>",
			"the number of lines is 0, beside 1"},
		"GPX NaN":    {`<gpx><rte><rtept lat="50" lon="7"/><rtept lat="nan" lon="7"/></rte></gpx>`, "a place is longitude 7, latitude NaN"},
		"two points": {line("[[7,50],[7.1,50],[7,50]]"), "the number of different points is 2: must be at least 3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := circuit.ReadAll("ring", strings.NewReader(test.text), circuit.Options{})
			require.ErrorIs(t, err, circuit.ErrFormat)
			assert.ErrorContains(t, err, test.want)
		})
	}
}
