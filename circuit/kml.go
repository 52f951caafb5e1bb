package circuit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

const maxXMLNesting = 64

// anyCharset reads text in any encoding without conversion. Only names can become wrong: digits are the same in all
// usual encodings.
func anyCharset(_ string, r io.Reader) (io.Reader, error) { return r, nil }

// isKML reports whether a file is KML.
func isKML(head []byte) bool { return xmlOf("kml")(head) }

// isGPX reports whether a file is GPX.
func isGPX(head []byte) bool { return xmlOf("gpx")(head) }

// xmlReader reads lines from the elements of an XML file.
type xmlReader struct {
	geoFile
	decoder *xml.Decoder
	path    []string // names of the open elements
	text    strings.Builder
}

// readXML calls start and end for the elements of a file, and returns its circuits. At the end of an element, the text
// is what follows the last start tag.
func readXML(name string, data []byte, options Options, start func(r *xmlReader, e xml.StartElement) error,
	end func(r *xmlReader, element string) error) ([]*File, error) {
	r := &xmlReader{geoFile: geoFile{file: name, degrees: true}, decoder: xml.NewDecoder(bytes.NewReader(data))}
	r.decoder.CharsetReader = anyCharset
	for {
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) {
			return r.circuits(options)
		}
		if err != nil {
			return nil, r.fail("the XML", "wrong: "+err.Error(), "complete")
		}
		switch token := token.(type) {
		case xml.StartElement:
			if len(r.path) >= maxXMLNesting {
				return nil, r.fail("the XML", fmt.Sprintf("nested more than %d deep", maxXMLNesting), "a list of lines")
			}
			r.path = append(r.path, token.Name.Local)
			r.text.Reset()
			err = start(r, token)
		case xml.CharData:
			r.text.Write(token)
		case xml.EndElement:
			err = end(r, token.Name.Local)
			r.path = r.path[:len(r.path)-1] // the decoder checks the order of the end tags
			r.text.Reset()
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *xmlReader) fail(name, value, want string) error {
	line, _ := r.decoder.InputPos()
	return &Error{File: r.file, Line: line, Name: name, Value: value, Want: want}
}

// within reports whether an element with this name is open.
func (r *xmlReader) within(name string) bool {
	for _, element := range r.path {
		if element == name {
			return true
		}
	}
	return false
}

// isIn reports whether the element that ends is a child of an element with this name.
func (r *xmlReader) isIn(name string) bool { return len(r.path) > 1 && r.path[len(r.path)-2] == name }

// degreesOf parses a longitude or latitude.
func (r *xmlReader) degreesOf(what, text string) (float64, error) {
	v, err := parseNumber(text)
	if err != nil {
		return 0, r.fail(what, quoted(text), "a number of degrees such as 12.5")
	}
	return v, nil
}

// kmlReader holds the open elements of a KML file.
type kmlReader struct {
	title    string  // of the placemark
	line     geoLine // of the geometry
	altitude string  // altitudeMode of the geometry
	tracks   string  // altitudeMode of the gx:MultiTrack, which its tracks without one have
}

// readKML reads the lines of a KML file (OGC 07-147r2): the coordinates of LineString, LinearRing and gx:Track.
func readKML(name string, data []byte, options Options) ([]*File, error) {
	var k kmlReader
	return readXML(name, data, options, k.start, k.end)
}

func (k *kmlReader) start(r *xmlReader, e xml.StartElement) error {
	switch element := e.Name.Local; element {
	case "Placemark":
		k.title = ""
	case "MultiTrack":
		k.tracks = ""
	case "Polygon", "Track", "LineString", "LinearRing":
		if element == "Polygon" || !r.within("Polygon") {
			k.line, k.altitude = geoLine{area: element == "Polygon" || element == "LinearRing"}, ""
		}
		if element == "Track" && r.within("MultiTrack") {
			k.altitude = k.tracks
		}
	}
	return nil
}

func (k *kmlReader) end(r *xmlReader, element string) error {
	switch element {
	case "name":
		if r.isIn("Placemark") {
			k.title = strings.TrimSpace(r.text.String())
		}
	case "altitudeMode":
		mode := strings.TrimSpace(r.text.String())
		if k.altitude = mode; r.isIn("MultiTrack") {
			k.tracks = mode
		}
	case "coord": // longitude, latitude and altitude of a gx:Track
		return r.place(strings.Fields(r.text.String()), &k.line)
	case "coordinates":
		return k.coordinates(r)
	case "Polygon", "Track", "LineString", "LinearRing":
		if element != "Polygon" && r.within("Polygon") || len(k.line.points) == 0 {
			return nil
		}
		k.line.name = k.title
		if err := r.applyAltitudeMode(&k.line, k.altitude); err != nil {
			return err
		}
		return r.add(k.line)
	}
	return nil
}

// coordinates takes the places of a geometry.
func (k *kmlReader) coordinates(r *xmlReader) error {
	var line geoLine
	for text := range strings.FieldsSeq(r.text.String()) {
		if err := r.place(strings.Split(text, ","), &line); err != nil {
			return err
		}
	}
	switch {
	case r.within("innerBoundaryIs"):
		k.line.holes = append(k.line.holes, line.points)
	case r.within("outerBoundaryIs"), r.within("LineString"), r.within("LinearRing"):
		k.line.points, k.line.heights = line.points, line.heights
	default:
		r.skipped++
	}
	return nil
}

// applyAltitudeMode removes altitudes that are not heights above the sea. The standard says that altitudes do not count
// with clampToGround, which is the default; and with relativeToGround they begin at a ground that the file lacks.
func (r *xmlReader) applyAltitudeMode(line *geoLine, mode string) error {
	z := line.heights.span()
	if mode == "absolute" {
		return r.checkAltitudes(z)
	}
	line.heights = make(heights, len(line.points))
	if z.lowest == 0 && z.highest == 0 {
		return nil
	}
	if mode == "" {
		mode = "clampToGround, the default"
	}
	r.notes = append(r.notes, fmt.Sprintf("the altitudes, %s to %s m, are not used: altitudeMode is %s, and they are "+
		"heights with absolute alone", number(z.lowest), number(z.highest), mode))
	return nil
}

// checkAltitudes refuses altitudes beyond the limits.
func (r *xmlReader) checkAltitudes(z span) error {
	for _, v := range [...]float64{z.lowest, z.highest} {
		if want := wantValue(ContentZ, v); want != "" {
			return r.fail("an altitude", number(v), want)
		}
	}
	return nil
}

// place parses a longitude, a latitude and perhaps an altitude, and adds them to a line.
func (r *xmlReader) place(numbers []string, to *geoLine) error {
	if len(numbers) < 2 || len(numbers) > 3 {
		return r.fail("a place", quoted(strings.Join(numbers, ",")), "longitude,latitude or longitude,latitude,altitude")
	}
	longitude, err := r.degreesOf("a longitude", numbers[0])
	if err != nil {
		return err
	}
	latitude, err := r.degreesOf("a latitude", numbers[1])
	if err != nil {
		return err
	}
	to.points = append(to.points, vector{longitude, latitude})
	if len(numbers) < 3 {
		to.heights = append(to.heights, pointHeight{})
		return nil
	}
	return r.height("an altitude", numbers[2], to)
}

// height parses the height of the last point of a line, and adds it. Without text, the point has none.
func (r *xmlReader) height(what, text string, to *geoLine) error {
	if text == "" {
		to.heights = append(to.heights, pointHeight{})
		return nil
	}
	z, err := parseNumber(text)
	if err != nil {
		return r.fail(what, quoted(text), "a number of metres such as 12.5")
	}
	if math.IsNaN(z) || math.IsInf(z, 0) {
		return r.fail(what, number(z), wantValue(ContentZ, z))
	}
	to.heights = append(to.heights, pointHeight{z, true})
	return nil
}

// readGPX reads the tracks and routes of a GPX file.
func readGPX(name string, data []byte, options Options) ([]*File, error) {
	var line geoLine
	var title string // of the track or route
	start := func(r *xmlReader, e xml.StartElement) error {
		switch e.Name.Local {
		case "trk", "rte":
			title, line = "", geoLine{}
		case "trkseg":
			line = geoLine{}
		case "wpt":
			r.skipped++
		case "trkpt", "rtept":
			var p vector
			for _, attribute := range e.Attr {
				var err error
				switch attribute.Name.Local {
				case "lon":
					p.x, err = r.degreesOf("a longitude", attribute.Value)
				case "lat":
					p.y, err = r.degreesOf("a latitude", attribute.Value)
				}
				if err != nil {
					return err
				}
			}
			line.points = append(line.points, p)
		}
		return nil
	}
	end := func(r *xmlReader, element string) error {
		switch element {
		case "ele":
			if (r.isIn("trkpt") || r.isIn("rtept")) && len(line.heights) < len(line.points) {
				if err := r.height("an elevation", strings.TrimSpace(r.text.String()), &line); err != nil {
					return err
				}
				if last := line.heights[len(line.heights)-1:]; !last.none() {
					return r.checkAltitudes(last.span())
				}
			}
		case "trkpt", "rtept":
			if len(line.heights) < len(line.points) {
				line.heights = append(line.heights, pointHeight{})
			}
		case "name":
			if r.isIn("trk") || r.isIn("rte") {
				title = strings.TrimSpace(r.text.String())
			}
		case "trkseg", "rte":
			if line.name = title; len(line.points) > 0 {
				return r.add(line)
			}
		}
		return nil
	}
	return readXML(name, data, options, start, end)
}
