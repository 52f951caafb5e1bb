package circuit

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
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

// degreesOf parses a longitude or latitude.
func (r *xmlReader) degreesOf(what, text string) (float64, error) {
	v, err := parseNumber(text)
	if err != nil {
		return 0, r.fail(what, quoted(text), "a number of degrees such as 12.5")
	}
	return v, nil
}

// readKML reads the lines of a KML file (OGC 07-147r2): the coordinates of LineString, LinearRing and gx:Track.
func readKML(name string, data []byte, options Options) ([]*File, error) {
	var title string // of the placemark
	var polygon, track geoLine
	start := func(_ *xmlReader, e xml.StartElement) error {
		switch e.Name.Local {
		case "Placemark":
			title = ""
		case "Polygon":
			polygon = geoLine{area: true}
		case "Track":
			track = geoLine{}
		}
		return nil
	}
	end := func(r *xmlReader, element string) error {
		switch element {
		case "name":
			if len(r.path) > 1 && r.path[len(r.path)-2] == "Placemark" {
				title = strings.TrimSpace(r.text.String())
			}
		case "coord": // longitude, latitude and altitude of a gx:Track
			p, err := r.place(strings.Fields(r.text.String()))
			track.points = append(track.points, p)
			return err
		case "coordinates":
			points, err := r.places()
			switch {
			case err != nil:
				return err
			case r.within("innerBoundaryIs"):
				polygon.holes = append(polygon.holes, points)
			case r.within("outerBoundaryIs"):
				polygon.points = points
			case r.within("LineString"), r.within("LinearRing"):
				return r.add(geoLine{name: title, points: points, area: r.within("LinearRing")})
			default:
				r.skipped++
			}
		case "Polygon":
			if polygon.name = title; len(polygon.points) > 0 {
				return r.add(polygon)
			}
		case "Track":
			if track.name = title; len(track.points) > 0 {
				return r.add(track)
			}
		}
		return nil
	}
	return readXML(name, data, options, start, end)
}

// places parses coordinates of KML: longitude,latitude,altitude, separated by blanks.
func (r *xmlReader) places() ([]vector, error) {
	var points []vector
	for _, text := range strings.Fields(r.text.String()) {
		p, err := r.place(strings.Split(text, ","))
		if err != nil {
			return nil, err
		}
		points = append(points, p)
	}
	return points, nil
}

// place parses a longitude and a latitude.
func (r *xmlReader) place(numbers []string) (vector, error) {
	if len(numbers) < 2 || len(numbers) > 3 {
		return vector{}, r.fail("a place", quoted(strings.Join(numbers, ",")), "longitude,latitude or "+
			"longitude,latitude,altitude")
	}
	longitude, err := r.degreesOf("a longitude", numbers[0])
	if err != nil {
		return vector{}, err
	}
	latitude, err := r.degreesOf("a latitude", numbers[1])
	return vector{longitude, latitude}, err
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
		case "name":
			if parent := r.path[max(0, len(r.path)-2)]; parent == "trk" || parent == "rte" {
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
