package circuit_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"testing"

	"github.com/trackgen-go/trackgen/circuit"
	"github.com/trackgen-go/trackgen/internal/npy"
)

// For any bytes, reading returns circuits within the limits or an error that names the wrong place. The seeds are files
// of every form.
func FuzzForms(f *testing.F) {
	r := stadium(20, 8, constant(2, 2))
	ring := ringInDegrees(50, 7, 12, 300)
	rows := deepRacerRows(r, 12)
	for _, seed := range []string{
		borderFile(columnsOfBorders, r.border(12, true), r.border(9, false)),
		borderFile("inner_x;inner_y;outer_x;outer_y", r.border(5, true), r.border(5, false)),
		columnsOfBorders + "\n0,0,1,1\n1e9,nan,2,2\n,,,\n",
		coneNames + "blue,0,0\nyellow,1,1\nbig_orange,2,2\ncar_start,0,0,1\n",
		"blue,0,0\nblue,5,0\nblue,0,5\nyellow,-2,-2\nyellow,9,-2\nyellow,-2,9\n",
		"cones_left: [[0, 0], [5, 0], [0, 5]]\ncones_right: [[-2, -2], [9, -2], [-2, 9]]\ncones_orange: []\n",
		"a: &a [*a]\ncones_left: *a\n",
		`{"type": "LineString", "coordinates": ` + positions(ring) + `}`,
		`{"type": "Polygon", "coordinates": [` + positions(ring) + "," + positions(ring[:5]) + `]}`,
		`{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"kind": "centerline"}, "geometry": ` +
			`{"type": "LineString", "coordinates": [[0,0],[0.001,0],[0,0.001]]}}]}`,
		"<kml><LineString><coordinates>" + kmlPlaces(ring) + "</coordinates></LineString></kml>",
		`<gpx><rte><rtept lat="50" lon="7"/><rtept lat="50.01" lon="7"/><rtept lat="50" lon="7.01"/></rte></gpx>`,
		string(array(npy.Header{Descr: "<f4", Shape: []int64{13, 6}}, binary.LittleEndian, rows)),
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, reverse bool) {
		files, err := circuit.ReadAll("fuzz", bytes.NewReader(text), circuit.Options{Reverse: reverse})
		if err != nil {
			var format *circuit.Error
			if !errors.As(err, &format) || format.Value == "" || format.Want == "" {
				t.Fatalf("%v", err)
			}
			return
		}
		if len(files) == 0 {
			t.Fatal("no circuits")
		}
		for _, c := range files {
			n := len(c.X)
			if n < 3 || len(c.Y) != n || c.Widths() && (len(c.Right) != n || len(c.Left) != n) {
				t.Fatalf("%d points, %d, %d, %d", n, len(c.Y), len(c.Right), len(c.Left))
			}
			for i := range n {
				if !(math.Abs(c.X[i]) <= circuit.MaxCoordinate && math.Abs(c.Y[i]) <= circuit.MaxCoordinate) {
					t.Fatalf("point %d: %v, %v", i, c.X[i], c.Y[i])
				}
				if c.Widths() && !(c.Right[i] > 0 && c.Right[i] <= circuit.MaxWidth && c.Left[i] > 0 &&
					c.Left[i] <= circuit.MaxWidth) {
					t.Fatalf("point %d: widths %v, %v", i, c.Right[i], c.Left[i])
				}
			}
		}
	})
}
