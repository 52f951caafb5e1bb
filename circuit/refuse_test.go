package circuit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
)

// A file of another kind is refused with its kind in the message, whatever its extension.
func TestOtherKinds(t *testing.T) {
	for text, want := range map[string]string{
		`{"X":[` + strings.Repeat("0.010000,", 5000) + `1]}`: "ring.csv: the file is a JSON file: must be GeoJSON, JSON that trackgen wrote, or a CSV file: write",
		"{\n}":                 "a JSON file",
		"[[0, 1],\n [2, 3]]\n": "a JSON file",
		"\uFEFF{\"a\": 1}":     "a JSON file",

		"\x89PNG\r\n\x1a\n\x00": "the file is a PNG image: must be the points of a centreline: " +
			"trace the track in",
		"\xff\xd8\xff\xe0\x00\x10JFIF":        "a JPEG image",
		"GIF89a\x01":                          "a GIF image",
		"II*\x00\x08":                         "a TIFF image",
		"RIFF\x00\x00\x00\x00WEBPVP8 ":        "a WebP image",
		"P5\n# made by map_saver\n3 2\n255\n": "a PGM or PPM image",
		"%PDF-1.7\n":                          "a PDF document",
		"PK\x03\x04\x14\x00doc.kml":           "a compressed KML file (.kmz): must be a file of points: unpack it first",
		"PK\x03\x04\x14\x00[Content_Types].xml": "an Excel workbook: must be a CSV file: export the table as CSV, with " +
			"columns x,y,width_right,width_left",
		"PK\x03\x04\x14\x00track.csv":            "a ZIP archive",
		"\xd0\xcf\x11\xe0\xa1\xb1":               "an Excel workbook",
		"\x1f\x8b\x08\x00":                       "a compressed file (gzip)",
		"PAR1\x15\x04":                           "a Parquet file",
		"\x89HDF\r\n":                            "an HDF5 or MATLAB file",
		"MATLAB 5.0 MAT-file, Platform: GLNXA64": "an HDF5 or MATLAB file",
		"SQLite format 3\x00":                    "an SQLite database",
		"#ROSBAG V2.0\n":                         "a ROS bag",

		"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 5\n": "a pointer of Git LFS: must be the " +
			"file itself: git lfs pull",
		"404: Not Found": "the answer of a server that does not have it",

		"\n<!DOCTYPE html>\n<html lang=\"en\">": "a web page (HTML): must be the file itself: " +
			"download the raw file",
		"<HTML><body>": "a web page (HTML)",

		"<?xml version=\"1.0\"?>\n<!-- a road -->\n<OpenDRIVE>": "an OpenDRIVE file: must be points: sample " +
			"the line of the road",
		"<osm version=\"0.6\">": "an OpenStreetMap file",
		"<svg width=\"3\">":     "an SVG image",
		"<?xml version=\"1.0\"?>\n<!DOCTYPE params SYSTEM \"x\">\n<params>": "an XML file",
		"image: a.png\nresolution: 1\norigin: [0, 0, 0]\n":                  "a map of ROS (YAML): must be the points",
		"---\n# points\npoints:\n  - x: 1\n    y: 2\n":                      "a YAML file",
		"- [1, 2]\n- [3, 4]\n":                                              "a YAML file",
	} {
		_, err := read(text)
		require.ErrorIs(t, err, circuit.ErrFormat, want)
		assert.ErrorContains(t, err, want)
	}
}

// Texts that look like other kinds are CSV files.
func TestNotOtherKinds(t *testing.T) {
	for _, head := range []string{
		"[x, y, w_left, w_right]\n", "# {x, y, w_left, w_right}\n", "Track: Ring\nLength: 40 m\nx,y,wl,wr\n",
		"P5, the fifth ring\nx,y,wl,wr\n", "% PDF of the ring\nx,y,wl,wr\n", "# image: ring.png\nx,y,wl,wr\n",
	} {
		c, err := read(square(head, "%d,%d,2,5"))
		require.NoError(t, err, head)
		requireSquare(t, c, 5, 2)
	}
}

// All circuits of a file are returned by ReadAll; a file of one circuit is named after the file.
func TestReadAll(t *testing.T) {
	all, err := circuit.ReadAll("folder/My Ring.csv", strings.NewReader(square("x,y\n", "%d,%d")), circuit.Options{})
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, "My Ring", all[0].Name)
	_, err = circuit.ReadAll("ring.csv", strings.NewReader(""), circuit.Options{MaxGap: -1})
	assert.ErrorContains(t, err, "MaxGap is -1: must be a number of metres >= 0")
}
