package circuit_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
)

var squareHeights = []float64{5, 6.5, 8, 5.25}

// withHeights returns the text of a square with the heights of squareHeights, in lines that format writes from x, y and
// z.
func withHeights(head, format string) string {
	text := head
	for i, p := range [][2]int{{0, 0}, {10, 0}, {10, 10}, {0, 10}} {
		text += fmt.Sprintf(format+"\n", p[0], p[1], squareHeights[i])
	}
	return text
}

// Columns with heights are found by their names, in the units of the names.
func TestHeightsInCSV(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		withHeights("# x_m,y_m,w_tr_right_m,w_tr_left_m,z_m\n", "%d,%d,5,2,%v"),
		withHeights("x,y,elevation,wr,wl\n", "%d,%d,%v,5,2"),
		withHeights("altitude;x;y;right;left\n", "%[3]v;%[1]d;%[2]d;5;2"),
		withHeights("# height [m], x [m], y [m], right [m], left [m]\n", "%[3]v,%[1]d,%[2]d,5,2"),
		strings.ReplaceAll(withHeights("x;y;z;w\n", "%d;%d;%v;7"), ".", ","),
		strings.NewReplacer("6.5", "650", "5.25", "525", ",5\n", ",500\n", "8", "800").Replace(
			withHeights("x,y,z_cm\n", "%d,%d,%v")),
	} {
		c, err := read(text)
		require.NoError(t, err, text)
		assert.Equal(t, []float64{0, 10, 10, 0}, c.X, text)
		assert.InDeltaSlice(t, squareHeights, c.Z, 1e-12, text)
		assert.True(t, c.Heights())
	}
	c := readAll(t, "ring.csv", withHeights("", "%d,%d,%v"), circuit.Options{Columns: []string{"x", "y", "z"}})[0]
	assert.Equal(t, squareHeights, c.Z)
	// Heights of a kerb are not those of the road.
	c, err := read(withHeights("x,y,kerb_height\n", "%d,%d,%v"))
	require.NoError(t, err)
	assert.False(t, c.Heights())
}

// A height that is not a number from -10000 to 10000 is refused with its line.
func TestHeightsRefused(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"NaN":     `ring.csv:4: column 3: z is "NaN": must be a height from -10000 to 10000 m`,
		"-inf":    `ring.csv:4: column 3: z is "-inf": must be a height`,
		"1e999":   `ring.csv:4: column 3: z is "1e999": must be a height`,
		"10001":   `ring.csv:4: column 3: z is "10001": must be a height`,
		"unknown": `ring.csv:4: column 3: z is "unknown": must be a number such as 12.5`,
	} {
		_, err := read("x,y,z\n0,0,1\n10,0,2\n10,10," + value + "\n0,10,2\n")
		var wrong *circuit.Error
		require.ErrorAs(t, err, &wrong, value)
		assert.Contains(t, err.Error(), want)
		assert.Equal(t, "Columns", wrong.Option, "which can leave the column out")
	}
	_, err := read(withHeights("x,y,z,altitude\n", "%d,%d,%v,1"))
	assert.ErrorContains(t, err, `columns 3 "z", 4 "altitude" is z each time: must be different`)
	for name, text := range map[string]string{
		"ring.kml:2: an altitude is 20000: must be a height": "<kml><LineString><altitudeMode>absolute</altitudeMode>\n" +
			"<coordinates>1,2,3 1,2.001,20000 1.001,2,3</coordinates></LineString></kml>",
		"ring.kml:2: an altitude is NaN": "<kml><LineString><altitudeMode>absolute</altitudeMode>\n" +
			"<coordinates>1,2,3 1,2.001,nan 1.001,2,3</coordinates></LineString></kml>",
		"ring.kml:3: an altitude is -1000000": "<gpx><trk><trkseg><trkpt lon=\"1\" lat=\"2\"><ele>3</ele></trkpt>\n" +
			"<trkpt lon=\"1\" lat=\"2.001\">\n<ele>-1000000</ele></trkpt></trkseg></trk></gpx>",
		`ring.kml:1: an elevation is "high"`: `<gpx><trk><trkseg><trkpt lon="1" lat="2"><ele>high</ele></trkpt></trkseg></trk></gpx>`,
		"ring.kml: z of point 2 is 100000: must be a height": `{"type": "LineString", "coordinates": ` +
			`[[1,2,3],[1,2.001,1e5],[1.001,2,3],[1,2,3]]}`,
		"ring.kml: z of point 2 is NaN: must be a height": `{"tracks": [{"center": [[0,0,1],[20,0,null],[20,20,1]]}]}`,
	} {
		_, err := circuit.ReadAll("ring.kml", strings.NewReader(text), circuit.Options{})
		assert.ErrorContains(t, err, name)
	}
}

// If some points have no height, there are none, and a note says so. Heights of 0 everywhere are none.
func TestSomeHeights(t *testing.T) {
	t.Parallel()
	const note = "the heights are not used: 1 of 4 points have none"
	for text, want := range map[string][]string{
		"x,y,z\n0,0,1\n10,0,\n10,10,2\n0,10,2\n": {note},
		`{"type": "LineString", "crs": {"properties": {"name": "EPSG:32632"}}, "coordinates": ` +
			`[[0,0,1],[10,0],[10,10,2],[0,10,2],[0,0,1]]}`: {note},
		"x,y,z\n0,0,\n10,0,\n10,10,\n0,10,\n":     nil,
		"x,y,z\n0,0,0\n10,0,0\n10,10,0\n0,10,0\n": nil,
	} {
		c := readAll(t, "ring.dat", text, circuit.Options{})[0]
		assert.False(t, c.Heights(), text)
		assert.Equal(t, want, c.Notes, text)
	}
}

// heightOfRing is the height of point i of a ring of 60 points.
func heightOfRing(i int) float64 { return 50 + math.Round(20*math.Sin(2*math.Pi*float64(i%60)/60)) }

// Positions with heights become points with heights, in all forms, and joined pieces keep them in order.
func TestHeightsOfPlaces(t *testing.T) {
	t.Parallel()
	ring := ringInDegrees(50, 7, 60, 300)
	json := func(first, last int, reversed bool) string {
		var parts []string
		for i := first; i <= last; i++ {
			k := i
			if reversed {
				k = last - (i - first)
			}
			parts = append(parts, fmt.Sprintf("[%.9f,%.9f,%v]", ring[k][0], ring[k][1], heightOfRing(k)))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	kml := func(mode string) string {
		text := strings.NewReplacer("],[", " ", "[[", "", "]]", "").Replace(json(0, 60, false))
		return "<kml><Placemark><LineString>" + mode + "<coordinates>" + text +
			"</coordinates></LineString></Placemark></kml>"
	}
	absolute := "<altitudeMode>absolute</altitudeMode>"
	coords, points := "", ""
	for i, p := range ring {
		coords += fmt.Sprintf("<gx:coord>%.9f %.9f %v</gx:coord>", p[0], p[1], heightOfRing(i))
		points += fmt.Sprintf(`<trkpt lon="%.9f" lat="%.9f"><ele> %v </ele><time/></trkpt>`, p[0], p[1], heightOfRing(i))
	}
	for name, text := range map[string]string{
		"GeoJSON": `{"type": "LineString", "coordinates": ` + json(0, 60, false) + `}`,
		"ring":    `{"type": "Polygon", "coordinates": [` + json(0, 60, false) + `]}`,
		"joined": `{"type": "MultiLineString", "coordinates": [` + json(0, 20, false) + "," + json(40, 60, false) + "," +
			json(20, 40, true) + `]}`,
		"KML":       kml(absolute),
		"KML track": "<kml><gx:Track>" + absolute + coords + "</gx:Track></kml>",
		"KML ring":  strings.ReplaceAll(kml(absolute), "LineString", "LinearRing"),
		"GPX":       "<gpx><trk><trkseg>" + points + "</trkseg></trk></gpx>",
	} {
		c := readAll(t, "ring.dat", text, circuit.Options{})[0]
		require.Len(t, c.Z, 60, name)
		for i, z := range c.Z {
			require.Equal(t, heightOfRing(i), z, "%s, point %d", name, i)
		}
	}
	// KML: altitudes are heights above the sea with absolute alone.
	for mode, named := range map[string]string{
		"": "clampToGround, the default", "<altitudeMode>relativeToGround</altitudeMode>": "relativeToGround",
		"<gx:altitudeMode>clampToSeaFloor</gx:altitudeMode>": "clampToSeaFloor",
	} {
		c := readAll(t, "ring.dat", kml(mode), circuit.Options{})[0]
		assert.False(t, c.Heights(), mode)
		assert.Contains(t, c.Notes, "the altitudes, 30 to 70 m, are not used: altitudeMode is "+named+
			", and they are heights with absolute alone")
	}
}

// The files of tracks that TrackGen writes have heights.
func TestHeightsOfTracks(t *testing.T) {
	t.Parallel()
	points := "env,center_x,center_y,center_z\n" +
		"0,0,0,5\n0,10,0,6.5\n0,10,10,8\n0,0,10,5.25\n1,0,0,0\n1,10,0,0\n1,10,10,0\n"
	tracks := `{"tracks": [{"center": [[0,0,5],[10,0,6.5],[10,0,6.5],[10,10,8],[0,10,5.25]]},` +
		`{"center": [[0,0,0],[10,0,0],[10,10,0]]}]}`
	for _, text := range []string{points, tracks} {
		files := readAll(t, "ring.dat", text, circuit.Options{})
		assert.Equal(t, squareHeights, files[0].Z)
		assert.Nil(t, files[1].Z)
		assert.Empty(t, files[0].Notes)
	}
}

// Heights move with their points: when points are left out, the direction changes, or the start moves.
func TestHeightsMove(t *testing.T) {
	t.Parallel()
	text := withHeights("x,y,z\n", "%d,%d,%v")
	c := readAll(t, "ring.csv", text, circuit.Options{Reverse: true})[0]
	assert.Equal(t, []float64{5, 5.25, 8, 6.5}, c.Z)
	c = readAll(t, "ring.csv", text, circuit.Options{Start: circuit.Start{Along: 20}})[0]
	assert.Equal(t, []float64{8, 5.25, 5, 6.5}, c.Z)

	// A lap that goes on past its start, with a repeated point. The height is a function of the place.
	height := func(x, y float64) float64 { return 100 + x/8 + y/4 }
	lines := "x,y,z\n"
	for _, u := range append(steps(0, 1.2, 0.02), 1.2) {
		x, y := oval(u)
		lines += fmt.Sprintf("%.6f,%.6f,%.6f\n", x, y, height(x, y))
	}
	c, err := read(lines)
	require.NoError(t, err)
	require.Len(t, c.Z, 50)
	for i, z := range c.Z {
		require.InDelta(t, height(c.X[i], c.Y[i]), z, 1e-5)
	}
	// A start between two points is a new point, on a curve through the heights.
	length := c.PolygonLength()
	for _, part := range []float64{0.1, 0.33, 0.777} {
		c := readAll(t, "ring.csv", lines, circuit.Options{Start: circuit.Start{Along: part * length}})[0]
		assert.Len(t, c.Z, len(c.X))
		for i, z := range c.Z {
			require.InDelta(t, height(c.X[i], c.Y[i]), z, 0.002, "%v: point %d", part, i)
		}
	}
}

// A closing segment that is much steeper than the line gets a note.
func TestSteepSeam(t *testing.T) {
	t.Parallel()
	lines := "x,y,z\n"
	for k, u := range steps(0, 0.98, 0.02) {
		x, y := oval(u)
		lines += fmt.Sprintf("%.4f,%.4f,%.2f\n", x, y, float64(k)*0.05)
	}
	c, err := read(lines)
	require.NoError(t, err)
	require.Len(t, c.Notes, 1)
	assert.Equal(t, "from the last point to the first, the height changes by -2.45 m on 1.89 m, and nowhere else by more "+
		"than 0.05 m on that way: do the heights drift?", c.Notes[0])
}

// Names in other languages are those of heights. A column that may have the heights, and is not used, has a note.
func TestNamesOfHeights(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Höhe [m]", "HOEHE", "hauteur_m", "altitud", "Quota (m)", "altura"} {
		c, err := read(withHeights("x,y,"+name+"\n", "%d,%d,%v"))
		require.NoError(t, err, name)
		assert.Equal(t, squareHeights, c.Z, name)
	}
	for name, noted := range map[string]bool{
		"ground_elevation": true, "enhanced_altitude": true, "alt(MSL)": true,
		"kerb_height": false, "acc_z": false, "speed": false,
	} {
		c, err := read(withHeights("x,y,"+name+"\n", "%d,%d,%v"))
		require.NoError(t, err, name)
		assert.False(t, c.Heights(), name)
		note := fmt.Sprintf("column 3 %q is not used; if it has the heights, its name should be z", name)
		assert.Equal(t, noted, slices.Contains(c.Notes, note), "%s: %q", name, c.Notes)
	}
	c, err := read(withHeights("x,y,z,enhanced_altitude\n", "%d,%d,%v,7"))
	require.NoError(t, err)
	assert.Equal(t, squareHeights, c.Z)
	assert.Empty(t, c.Notes)
}

// A missing height is none, whether it is left out, empty or null, also at the first point.
func TestMissingHeights(t *testing.T) {
	t.Parallel()
	const note = "the heights are not used: 1 of 4 points have none"
	utm := `"crs": {"properties": {"name": "EPSG:32632"}}`
	places := [4]string{`lat="2" lon="1"`, `lat="2" lon="1.001"`, `lat="2.001" lon="1.001"`, `lat="2.001" lon="1"`}
	gpx := "<gpx><trk><trkseg>"
	for i, place := range places {
		gpx += "<trkpt " + place + ">" + []string{"<ele/>", "<ele>5</ele>"}[min(i, 1)] + "</trkpt>"
	}
	for text, columns := range map[string][]string{
		"# x,y,z\n0,0,\n10,0,1\n10,10,2\n0,10,2\n":    nil,
		"# x;y;w;z\n0;0;4;\n9;0;4;1\n9;9;4;2\n0;9;4;": nil,
		"0,0,\n10,0,1\n10,10,2\n0,10,2\n":             {"x", "y", "z"},
		`{"type": "LineString", ` + utm + `, "coordinates": [[0,0,null],[10,0,1],[10,10,2],[0,10,2],[0,0,1]]}`: nil,
		"<kml><LineString><altitudeMode>absolute</altitudeMode><coordinates>" +
			"1,2, 1.001,2,3 1.001,2.001,3 1,2.001,3</coordinates></LineString></kml>": nil,
		gpx + "</trkseg></trk></gpx>": nil,
	} {
		c := readAll(t, "ring.dat", text, circuit.Options{Columns: columns})[0]
		assert.False(t, c.Heights(), text)
		assert.Contains(t, strings.ReplaceAll(strings.Join(c.Notes, "\n"), "2 of 4", "1 of 4"), note, text)
	}
	// A place that is null is no place.
	_, err := circuit.ReadAll("ring.json", strings.NewReader(`{"type": "LineString", `+utm+
		`, "coordinates": [[null,0],[10,0],[10,10]]}`), circuit.Options{})
	assert.ErrorContains(t, err, "x of point 1 is NaN")
}

// The number for no height of terrain models is refused in all forms.
func TestNoHeightRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"x,y,z\n0,0,1\n10,0,-9999\n10,10,2\n0,10,2\n",
		`{"type": "LineString", "coordinates": [[1,2,3],[1,2.001,-9999],[1.001,2,3],[1,2,3]]}`,
		"<kml><LineString><altitudeMode>absolute</altitudeMode><coordinates>1,2,3 1,2.001,-9999 1.001,2,3</coordinates>" +
			"</LineString></kml>",
		`<gpx><trk><trkseg><trkpt lon="1" lat="2"><ele>-9999</ele></trkpt></trkseg></trk></gpx>`,
		`{"tracks": [{"center": [[0,0,1],[20,0,-9999],[20,20,1]]}]}`,
	} {
		_, err := circuit.ReadAll("ring.dat", strings.NewReader(text), circuit.Options{})
		assert.ErrorContains(t, err, "must be a height: this number stands for none in terrain models", text)
	}
}

// The tracks of a gx:MultiTrack have its altitudeMode. An element of an extension named ele is no height of the point.
func TestHeightsInParents(t *testing.T) {
	t.Parallel()
	coords := "<gx:coord>1 2 3</gx:coord><gx:coord>1.001 2 4</gx:coord><gx:coord>1 2.001 5</gx:coord>"
	absolute := "<altitudeMode>absolute</altitudeMode>"
	relative := "<altitudeMode>relativeToGround</altitudeMode>"
	for text, want := range map[string][]float64{
		"<gx:MultiTrack>" + absolute + "<gx:Track>" + coords + "</gx:Track></gx:MultiTrack>":            {3, 4, 5},
		"<gx:MultiTrack>" + absolute + "<gx:Track>" + relative + coords + "</gx:Track></gx:MultiTrack>": nil,
		"<gx:Track>" + coords + "</gx:Track>":                                                           nil,
	} {
		assert.Equal(t, want, readAll(t, "ring.kml", "<kml>"+text+"</kml>", circuit.Options{})[0].Z, text)
	}
	gpx := ""
	for _, place := range []string{`lat="2" lon="1"`, `lat="2" lon="1.001"`, `lat="2.001" lon="1"`} {
		gpx += "<trkpt " + place + "><extensions><ele>5</ele></extensions></trkpt>"
	}
	assert.Nil(t, readAll(t, "ring.gpx", "<gpx><trk><trkseg>"+gpx+"</trkseg></trk></gpx>", circuit.Options{})[0].Z)
	_, err := circuit.ReadAll("ring.kml", strings.NewReader("<kml><LineString><coordinates>1,2,nan 1,2.001,3 1.001,2,3"+
		"</coordinates></LineString></kml>"), circuit.Options{})
	assert.ErrorContains(t, err, "an altitude is NaN: must be a height", "also where altitudes do not count")
}

// GeoJSON with heights may name the three-dimensional reference systems of WGS84 and ETRS89.
func TestHeightsInReferenceSystems(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"urn:ogc:def:crs:OGC::CRS84h", "urn:ogc:def:crs:EPSG::4979", "EPSG:4937"} {
		text := `{"type": "LineString", "crs": {"properties": {"name": "` + name + `"}}, "coordinates": ` +
			`[[1,2,3],[1.001,2,4],[1,2.001,5],[1,2,3]]}`
		c := readAll(t, "ring.geojson", text, circuit.Options{})[0]
		assert.NotNil(t, c.Projection, name)
		assert.Equal(t, []float64{3, 4, 5}, c.Z, name)
	}
}
