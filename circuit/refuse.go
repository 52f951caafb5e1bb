package circuit

import (
	"bytes"
	"regexp"
)

// refusedKinds returns the kinds of files that hold no readable circuit. Each error names the kind of the file and the
// remedy.
func refusedKinds() []kind {
	const (
		trace  = "the points of a centreline: trace the track in the image first"
		unpack = "a file of points: unpack it first"
		export = "a CSV file: export the table as CSV, with columns x,y,width_right,width_left"
		sample = "points: sample the line of the road and its widths to a CSV file of x,y,width_right,width_left"
		write  = "a CSV file: write the points to lines of x,y,width_right,width_left"
		fetch  = "the file itself: "
	)
	return []kind{
		refused("a PNG image", trace, startsWith("\x89PNG")),
		refused("a JPEG image", trace, startsWith("\xff\xd8\xff")),
		refused("a GIF image", trace, startsWith("GIF8")),
		refused("a TIFF image", trace, startsWith("II*\x00", "MM\x00*")),
		refused("a WebP image", trace, startsWith("RIFF")),
		refused("a PGM or PPM image", trace, portableMap.Match),
		refused("a PDF document", trace, startsWith("%PDF-")),
		refused("a compressed KML file (.kmz)", unpack, zipWith(".kml")),
		refused("an Excel workbook", export, zipWith("xl/", "[Content_Types].xml")),
		refused("an Excel workbook", export, startsWith("\xd0\xcf\x11\xe0")),
		refused("a ZIP archive", unpack, startsWith("PK\x03\x04")),
		refused("a compressed file (gzip)", unpack, startsWith("\x1f\x8b")),
		refused("a Parquet file", export, startsWith("PAR1")),
		refused("an HDF5 or MATLAB file", write, startsWith("\x89HDF", "MATLAB 5.0")),
		refused("an SQLite database", export, startsWith("SQLite format 3\x00")),
		refused("a ROS bag", write, startsWith("#ROSBAG", "\x89MCAP")),
		refused("a pointer of Git LFS", fetch+"git lfs pull fetches it", startsWith("version https://git-lfs")),
		refused("the answer of a server that does not have it", fetch+"check the address", startsWith("404: Not Found")),
		refused("a web page (HTML)", fetch+"download the raw file", startsWithTag("!doctype html", "html")),
		refused("an OpenDRIVE file", sample, xmlOf("OpenDRIVE")),
		refused("an OpenStreetMap file", sample, xmlOf("osm")),
		refused("an SVG image", trace, xmlOf("svg")),
		refused("an XML file", write, startsWithTag("")),
		refused("a JSON file", "GeoJSON, JSON that trackgen wrote, or "+write, isJSON),
		refused("a map of ROS (YAML)", "the points of a centreline: a map has none", isROSMap),
		refused("a YAML file", write, isYAML),
	}
}

// refused returns a kind whose files are refused.
func refused(name, want string, matches func(head []byte) bool) kind {
	return kind{name: name, matches: matches, read: func(file string, _ []byte, _ Options) ([]*File, error) {
		return nil, &Error{File: file, Name: "the file", Value: name, Want: want}
	}}
}

func startsWith(starts ...string) func(head []byte) bool {
	return func(head []byte) bool {
		for _, start := range starts {
			if bytes.HasPrefix(head, []byte(start)) {
				return true
			}
		}
		return false
	}
}

var portableMap = regexp.MustCompile(`^P[1-6]\s+(#[^\n]*\n\s*)*[0-9]+\s+[0-9]+\s`)

// zipWith returns a test for ZIP archives with one of these texts near the start, in the name of an entry.
func zipWith(texts ...string) func(head []byte) bool {
	return func(head []byte) bool {
		if !bytes.HasPrefix(head, []byte("PK\x03\x04")) {
			return false
		}
		for _, text := range texts {
			if bytes.Contains(head, []byte(text)) {
				return true
			}
		}
		return false
	}
}

// startsWithTag returns a test for texts whose first tag has one of these prefixes. Upper and lower case are equal.
func startsWithTag(names ...string) func(head []byte) bool {
	return func(head []byte) bool {
		tag, ok := bytes.CutPrefix(bytes.TrimSpace(head), []byte("<"))
		if !ok {
			return false
		}
		for _, name := range names {
			if len(tag) >= len(name) && bytes.EqualFold(tag[:len(name)], []byte(name)) {
				return true
			}
		}
		return false
	}
}

// xmlOf returns a test for XML whose root element has this name.
func xmlOf(element string) func(head []byte) bool {
	first := regexp.MustCompile(`(?s)^\s*(<\?.*?\?>\s*|<!--.*?-->\s*|<![A-Za-z][^>]*>\s*)*<(\w+:)?` + element + `[\s/>]`)
	return first.Match
}

// isJSON reports whether a text looks like JSON: an object, or an array of values. A line of names may also start with
// a bracket: [x, y, w_left, w_right].
func isJSON(head []byte) bool {
	head = bytes.TrimSpace(head)
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return false
	}
	rest := bytes.TrimSpace(head[1:])
	if head[0] == '{' {
		return len(rest) == 0 || rest[0] == '"' || rest[0] == '}'
	}
	return len(rest) == 0 || bytes.IndexByte([]byte("{[]-0123456789"), rest[0]) >= 0
}

var mapKeys = regexp.MustCompile(`(?m)^(image|resolution|origin):\s`)

// isROSMap reports whether a text has the keys of a map for the ROS map server.
func isROSMap(head []byte) bool {
	return len(mapKeys.FindAllIndex(head, 3)) == 3
}

var yamlLine = regexp.MustCompile(`^\s*(- |-$|(- )?"?[A-Za-z_][\w .-]*"?:(\s|$))`)

// isYAML reports whether the lines in head are YAML. A CSV file may start with lines such as "Track: Monza", but lines
// of numbers follow.
func isYAML(head []byte) bool {
	n := 0
	for line := range bytes.Lines(head) {
		data, _, _ := bytes.Cut(line, []byte("#"))
		if data = bytes.TrimSpace(data); len(data) == 0 || string(data) == "---" {
			continue
		}
		if !yamlLine.Match(data) {
			return n > manyYAMLLines
		}
		n++
	}
	return n > 1
}

// manyYAMLLines is the number of YAML lines after which a line of another form does not matter, such as the rest of a
// long value, or the last line of head.
const manyYAMLLines = 100
