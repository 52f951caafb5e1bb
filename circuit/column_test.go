package circuit_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/circuit"
)

// square returns the text of a file with a square of 10 m: the head, and four lines that format writes as Printf does,
// from x and y.
func square(head, format string) string {
	text := head
	for _, point := range [][2]int{{0, 0}, {10, 0}, {10, 10}, {0, 10}} {
		text += fmt.Sprintf(format+"\n", point[0], point[1])
	}
	return text
}

// requireSquare checks the points and the widths of a square. Widths of 0 mean no widths.
func requireSquare(t *testing.T, c *circuit.File, right, left float64) {
	t.Helper()
	require.Equal(t, []float64{0, 10, 10, 0}, c.X)
	require.Equal(t, []float64{0, 0, 10, 10}, c.Y)
	if right == 0 {
		require.Nil(t, c.Right)
		require.Nil(t, c.Left)
		return
	}
	require.InDeltaSlice(t, []float64{right, right, right, right}, c.Right, 1e-12)
	require.InDeltaSlice(t, []float64{left, left, left, left}, c.Left, 1e-12)
}

// Every usual name with a side is understood, in a line of names and in comments.
func TestSides(t *testing.T) {
	for _, sides := range [][2]string{
		{"left", "right"}, {"wl", "wr"}, {"w_l", "w_r"}, {"d_l", "d_r"}, {"dl", "dr"}, {"l", "r"}, {"L", "R"}, {"lw", "rw"},
		{"WL", "WR"}, {"w_left", "w_right"}, {"left_width", "right_width"}, {"width_left_m", "width_right_m"},
		{"w_tr_left_m", "w_tr_right_m"}, {"w_tr_l", "w_tr_r"}, {"d_left", "d_right"}, {"widthLeft", "widthRight"},
		{"trackWidthLeft", "trackWidthRight"}, {"WidthLeft", "WidthRight"}, {"WIDTH_LEFT", "WIDTH_RIGHT"},
		{"wleft", "wright"}, {"leftw", "rightw"}, {"widthleft", "widthright"}, {"leftwidth", "rightwidth"},
		{"half_width_left", "half_width_right"}, {"dist_to_left_border", "dist_to_right_border"}, {"left[m]", "right[m]"},
		{"left_boundary_distance", "right_boundary_distance"}, {"wl_m", "wr_m"}, {"left(m)", "right(m)"}, {"w-left",
			"w-right"},
		{"distanceLeft", "distanceRight"}, {"left_side", "right_side"},
		{"left.width", "right.width"}, {"lhs", "rhs"},
		{"hw_l", "hw_r"}, {"left_lane_width", "right_lane_width"}, {"margin_left", "margin_right"}, {"offset_l", "offset_r"},
	} {
		joined := "x,y," + sides[0] + "," + sides[1]
		for _, line := range []string{
			joined, strings.ToUpper(joined), "\"x\",\"y\",\"" + sides[0] + "\",\"" + sides[1] + "\"", joined + ",",
			"# " + joined, "#" + strings.ReplaceAll(joined, ",", ", "), "# [" + joined + "]", "# (" + joined + ")",
			"# TUM track: " + joined, "# a ring\n# columns = [" + joined + "]\n# in metres", "% " + joined, "// " + joined,
			"# " + strings.ReplaceAll(joined, ",", ";"), "# " + strings.ReplaceAll(joined, ",", " "),
			"# " + strings.ReplaceAll(joined, ",", "\t"), strings.ReplaceAll(joined, ",", ";"),
			"# x_m,y_m," + sides[0] + "," + sides[1] + "\n" + joined, "My ring\n" + joined, "# {" + joined + "}",
			"# 8288b625-90b8-4275-83ed\n# " + joined + "\n# the points follow",
			"# x and y of a circuit\n# " + joined + "\n# x, y\n# x and y follow\n# s; x; y; v; a",
		} {
			c, err := read(square(line+"\n", "%d,%d,2,5"))
			require.NoError(t, err, line)
			requireSquare(t, c, 5, 2)
			require.Len(t, c.Columns, 4, line)
			require.Equal(t, circuit.ContentLeft, c.Columns[2].Content, line)
			require.Equal(t, circuit.ContentRight, c.Columns[3].Content, line)
			require.Empty(t, c.Notes, line)
			swapped, err := read(square(strings.NewReplacer(sides[0], sides[1], sides[1], sides[0],
				strings.ToUpper(sides[0]), strings.ToUpper(sides[1]), strings.ToUpper(sides[1]), strings.ToUpper(sides[0])).
				Replace("# "+joined)+"\n", "%d,%d,5,2"))
			require.NoError(t, err, line)
			requireSquare(t, swapped, 5, 2)
		}
	}
	for _, names := range []string{
		"x,y,w left,w right", "X [m],Y [m],Left width [m],Right width [m]", "X (m);Y (m);Width left (m);Width right (m)",
		"x,y,distance to the left border,distance to the right border", "'x','y','left','right'",
		"x,y,distToLeftBorder,distToRightBorder",
	} {
		c, err := read(square(names+"\n", "%d,%d,2,5"))
		require.NoError(t, err, names)
		requireSquare(t, c, 5, 2)
	}
}

// The usual names of coordinates are understood.
func TestCoordinates(t *testing.T) {
	for _, names := range [][2]string{
		{"x", "y"}, {"X", "Y"}, {"x_m", "y_m"}, {"x[m]", "y[m]"}, {"pos_x", "pos_y"}, {"posX", "posY"}, {"x_ref_m",
			"y_ref_m"},
		{"cx", "cy"}, {"x_center", "y_center"}, {"centerline_x", "centerline_y"}, {"xpos", "ypos"}, {"position.x",
			"position.y"},
		{"Easting", "Northing"}, {"easting_m", "northing_m"}, {"x_coord", "y_coord"}, {"xc", "yc"}, {"PositionX",
			"PositionY"},
		{"x_X_m", "y_Y_m"}, {"waypoint_x", "waypoint_y"}, {"XCenterline", "YCenterline"}, {"UTM_X", "UTM_Y"},
	} {
		c, err := read(square(strings.Join(names[:], ";")+";wr;wl\n", "%d;%d;5;2"))
		require.NoError(t, err, names)
		requireSquare(t, c, 5, 2)
		c, err = read(square("wl,"+names[0]+",s,"+names[1]+",wr\n", "2,%d,99,%d,5"))
		require.NoError(t, err, names)
		requireSquare(t, c, 5, 2)
	}
}

// The columns of a circuit are found among others, and File.Columns gives the content of each.
func TestColumnsAmongOthers(t *testing.T) {
	for name, test := range map[string]struct {
		head, format string
		right, left  float64
		contents     string
	}{
		"speed": {"x_m,y_m,w_tr_right_m,w_tr_left_m,speed\n", "%d,%d,5,2,30", 5, 2, "x,y,width_right,width_left,-"},
		"height": {"# x_m,y_m,z_m,w_tr_right_m,w_tr_left_m\n", "%d,%d,0.5,5,2", 5, 2,
			"x,y,z,width_right,width_left"},
		"a racing line": {"# 8288b625\n# 603fd398\n# s_m; x_m; y_m; psi_rad; kappa_radpm; vx_mps; ax_mps2\n",
			"1.5;%d;%d;3.1;0.01;8;0", 0, 0, "-,x,y,-,-,-,-"},
		"a racing line, short": {"s;x;y;psi;kappa;vx;ax\n", "1.5;%d;%d;3.1;0.01;8;0", 0, 0, "-,x,y,-,-,-,-"},
		"a racing line with widths": {"id; s_m; d_m; x_m; y_m; d_right; d_left; psi_rad; kappa_radpm; vx_mps; ax_mps2\n",
			"7;1.5;0;%d;%d;5;2;3.1;0.01;8;0", 5, 2, "-,-,-,x,y,width_right,width_left,-,-,-,-"},

		"a racing line of a planner": {"# x_ref_m; y_ref_m; width_right_m; width_left_m; x_normvec_m; " +
			"y_normvec_m; alpha_m; " +
			"s_racetraj_m; psi_racetraj_rad; kappa_racetraj_radpm; vx_racetraj_mps; ax_racetraj_mps2\n",
			"%d; %d; 5; 2; 0.7; 0.7; 0.1; 1; 2; 3; 4; 5", 5, 2, "x,y,width_right,width_left,-,-,-,-,-,-,-,-"},
		"an index": {",x,y,w_right,w_left\n", "17,%d,%d,5,2", 5, 2, "-,x,y,width_right,width_left"},
		"text":     {"x,y,wr,wl,surface\n", "%d,%d,5,2,wet asphalt", 5, 2, "x,y,width_right,width_left,-"},
		"more text": {"x,y,wr,wl,surface,car,driver,team,series\n", "%d,%d,5,2,wet,GT3,a,b,c", 5, 2,
			"x,y,width_right,width_left,-,-,-,-,-"},
		"a type":               {"x,y,wr,wl,type\n", "%d,%d,5,2,asphalt", 5, 2, "x,y,width_right,width_left,-"},
		"nothing in it":        {"x,y,wr,wl,note\n", "%d,%d,5,2,", 5, 2, "x,y,width_right,width_left,-"},
		"total width":          {"# x_m,y_m,w_m\n", "%d,%d,7", 3.5, 3.5, "x,y,width"},
		"total width, named":   {"x,y,track_width\n", "%d,%d,7", 3.5, 3.5, "x,y,width"},
		"half width":           {"x,y,half_width\n", "%d,%d,7", 7, 7, "x,y,half_width"},
		"half width, one word": {"x,y,z,halfWidth\n", "%d,%d,1,7", 7, 7, "x,y,z,half_width"},
		"total and both":       {"x,y,width,left,right\n", "%d,%d,7,2,5", 5, 2, "x,y,-,width_left,width_right"},
		"units":                {"x_mm,y_cm,wr_cm,wl [ft]\n", "%d000,%d00,500,10", 5, 3.048, "x,y,width_right,width_left"},
		"units below": {"x,y,right,left,v\nmm,cm,cm,ft,km/h\n", "%d000,%d00,500,10,80", 5, 3.048,
			"x,y,width_right,width_left,-"},
		"degrees too":          {"lat,lon,x,y,wr,wl\n", "45,9,%d,%d,5,2", 5, 2, "-,-,x,y,width_right,width_left"},
		"unknown, with widths": {"x,y,foo,wr,wl\n", "%d,%d,1,5,2", 5, 2, "x,y,-,width_right,width_left"},
		"unknown, at the end":  {"x,y,v,a,foo\n", "%d,%d,1,5,2", 0, 0, "x,y,-,-,-"},
		"separators in a text": {"x,y,wr,wl,note\n", "%d,%d,5,2,wet; cold", 5, 2, "x,y,width_right,width_left,-"},
		"a title of two words": {"the ring\n", "%d,%d", 0, 0, "x,y"},
		"Excel":                {"sep=;\n", "%d;%d", 0, 0, "x,y"},
		"no names, 2":          {"", "%d %d", 0, 0, "x,y"},
		"no names, 3":          {"", "%d %d 7", 3.5, 3.5, "x,y,width"},
		"no names, 4":          {"", "%d %d 5 2", 5, 2, "x,y,width_right,width_left"},
		"prose": {"# made by A, B, C and D\n# x and y are in metres\n# lap 3 of 7: the right line\n", "%d,%d,5,2", 5, 2,
			"x,y,width_right,width_left"},
		"prose below names": {"x,y,wr,wl\n# x and y here\n", "%d,%d,5,2", 5, 2, "x,y,width_right,width_left"},
		"prose above names": {"# x and y here\n# x,y,wr,wl\n# y and x here\n", "%d,%d,5,2", 5, 2,
			"x,y,width_right,width_left"},
		"prose on both sides": {"# widths to the right and to the left\n", "%d,%d,5,2", 5, 2, "x,y,width_right,width_left"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := read(square(test.head, test.format))
			require.NoError(t, err)
			requireSquare(t, c, test.right, test.left)
			var found []string
			for _, column := range c.Columns {
				found = append(found, string(column.Content))
			}
			assert.Equal(t, test.contents, strings.Join(found, ","))
			assert.Equal(t, "CSV", c.Kind)
		})
	}
}

// Names of columns have no control characters, so a terminal can show them.
func TestNamesAreClean(t *testing.T) {
	c, err := read(square("x\u009b,y\u202e,w  left,w right,"+strings.Repeat("v", 200)+"\n", "%d,%d,2,5,1"))
	require.NoError(t, err)
	var names []string
	for _, column := range c.Columns {
		names = append(names, column.Name)
	}
	assert.Equal(t, []string{"x", "y", "w left", "w right", strings.Repeat("v", 100)}, names)
}

// Assumptions of a reader and content that it does not use are in the notes.
func TestNotes(t *testing.T) {
	for text, want := range map[string][]string{
		square("x,y,wr,wl\n", "%d,%d,5,2"): nil,
		square("", "%d,%d,5,2"): {"the file names no columns: x, y, width_right, width_left are taken for granted, " +
			"as in the files of the TUM racetrack database"},
		square("Length: 40\n", "%d %d 150"): {"the file names no columns: x, y, width are taken for granted",
			"line 1 is taken for a title"},
		square("", "%d,%d,7"):                {"the file names no columns: x, y, width are taken for granted"},
		square("x;y;z;w\n", "%d;%d;-0,25;7"): {"the numbers have decimal commas"},
		"x,y,z_cm\n0,0,150\n9,0,\n9,9,-50\n": {"the heights are not used: 1 of 3 points have none"},
	} {
		c, err := read(text)
		require.NoError(t, err)
		assert.Equal(t, want, c.Notes)
	}
}

// Unknown and contradictory names are errors that refer to Options.Columns.
func TestUnclearNames(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"inner and outer": {square("x,y,inner,outer\n", "%d,%d,2,5"), `ring.csv:1: the meaning of columns 3 "inner", 4 "outer" ` +
			`is open: the inner border is the left one if the circuit is driven counter-clockwise, else the right one: must be ` +
			`said by names such as x,y,width_right,width_left`},
		"inner and outer in a comment": {square("# x,y,w_in,w_out\n", "%d,%d,2,5"), `the meaning of columns 3 "w_in", 4 "w_out" is open`},
		"unknown names": {square("a,b,c,d\n", "%d,%d,2,5"), `ring.csv:1: the meaning of columns 1 "a", 2 "b", 3 "c", 4 "d" is ` +
			`unknown, and x or y is missing: must be said by names such as x,y,width_right,width_left`},
		"unknown widths":              {square("# m\nx,y,w1,w2\n", "%d,%d,2,5"), `ring.csv:2: the meaning of columns 3 "w1", 4 "w2" is unknown: `},
		"unknown widths in a comment": {square("# x,y,w1,w2\n", "%d,%d,2,5"), `ring.csv:1: the meaning of columns 3 "w1", 4 "w2"`},
		"sides of something else":     {square("x,y,n_left,n_right\n", "%d,%d,2,5"), `the meaning of columns 3 "n_left", 4 "n_right" is unknown`},
		"the width of a lane":         {square("x,y,lane_width\n", "%d,%d,2"), `the meaning of column 3 "lane_width" is unknown`},
		"an unknown width at the end": {square("x,y,v,a,width_1\n", "%d,%d,2,5,6"), `the meaning of column 5 "width_1" is unknown`},
		"unknown coordinates":         {square("foo,bar,left,right\n", "%d,%d,2,5"), `the meaning of columns 1 "foo", 2 "bar" is unknown, and x`},
		"unknown names below a title": {square("A ring\n\na,b,c,d\n", "%d,%d,2,5"),
			`ring.csv:3: the meaning of columns 1 "a"`},
		"speeds alone": {square("v,a\n", "%d,%d"), `the meaning of columns 1 "v", 2 "a" is unknown, and x or y is missing`},
		"one side":     {square("x,y,right,v\n", "%d,%d,2,5"), `the meaning of column 3 "right" is the width to one side: must be given`},
		"x twice":      {square("x,x,right,left\n", "%d,%d,2,5"), `the meaning of columns 1 "x", 2 "x" is x each time: must be different`},
		"comments that disagree": {square("# x,y,right,left\n# x,y,left,right\n", "%d,%d,2,5"),
			"ring.csv:2: the order of the columns is another one than on line 1: must be the same on both"},
		"right twice": {square("x,y,wr,right\n", "%d,%d,2,5"), `the meaning of columns 3 "wr", 4 "right" is width_right each time`},
		"left twice":  {square("x,y,wl,w_left\n", "%d,%d,2,5"), `the meaning of columns 3 "wl", 4 "w_left" is width_left each time`},
		"two widths":  {square("x,y,w,half_width\n", "%d,%d,2,5"), `the meaning of columns 3 "w", 4 "half_width" is a width each time`},
		"one coordinate in degrees": {square("foo,Longitude [deg]\n", "%d,%d"),
			`the meaning of column 1 "foo" is unknown, and x or y is missing`},
		"two latitudes": {square("lat,lat,lon\n", "%d,%d,2"), `the meaning of columns 1 "lat", 2 "lat" is latitude each time`},
		"left before right in prose": {square("# widths to the left and right\n", "%d,%d,2,5"),
			"ring.csv:1: the order of the widths is " +
				"not known: the text mentions left before right, and has no line of names: must be given by names"},
		"left before right on lines": {square("# column 3: left\n# column 4: right\n", "%d,%d,2,5"),
			"ring.csv:2: the order of the widths is not known"},
		"left before right in a title": {square("A ring: 2 m left and 5 m right\n", "%d,%d,2,5"),
			"ring.csv:1: the order of the widths is not known"},
		"the y axis is up": {"x,y,z\n0,1,0\n10,1,0\n10,2,10\n0,1,10\n",
			"ring.csv: the range of the heights is 10 m, and that of y 1 m: must be less than that of y: is y the height?"},
		"names of more columns, with sides": {square("# x,y,wl,wr\n", "%d,%d,2,5,7"),
			"ring.csv:2: the number of columns is 5: must be 4"},
		"names that disagree": {square("# x,y,right,left\nx,y,left,right\n", "%d,%d,2,5"),
			"ring.csv:2: the order of the columns is " +
				"another one than on line 1: must be the same on both"},
		"many unknown names": {square("a1,b1,c1,d1,e1,f1,g1,h1,i1\n", "%d,%d,1,2,3,4,5,6,7"), `8 "h1", ... is unknown`},
		"seven columns": {square("", "1;%d;%d;3.1;0.01;8;0"),
			"ring.csv:1: the number of columns is 7, without names: must be 2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(test.text)
			var format *circuit.Error
			require.ErrorAs(t, err, &format)
			assert.ErrorContains(t, err, test.want)
			assert.Equal(t, "Columns", format.Option)
		})
	}
}

// Options.Columns overrides all names.
func TestGivenColumns(t *testing.T) {
	given := func(text, columns string) (*circuit.File, error) {
		return circuit.Read("ring.csv", strings.NewReader(text), circuit.Options{Columns: strings.Split(columns, ",")})
	}
	for name, test := range map[string]struct {
		text, columns string
		right, left   float64
	}{
		"inner and outer":  {square("x,y,inner,outer\n", "%d,%d,2,5"), "x,y,width_left,width_right", 5, 2},
		"no names":         {square("", "%d,%d,2,5"), "x,y,left,right", 5, 2},
		"wrong names":      {square("x,y,right,left\n", "%d,%d,2,5"), "X, Y, wl, wr", 5, 2},
		"a racing line":    {square("", "1;%d;%d;3.1;0.01;8;0"), "-,x,y", 0, 0},
		"words of others":  {square("", "1;%d;%d;3.1;0.01;8;0"), "s,x,y,psi,kappa", 0, 0},
		"height":           {square("", "%d,%d,9,5,2"), "x,y,z,width_right,width_left", 5, 2},
		"height, last":     {square("", "%d,%d,5,2,9"), "x,y,width_right,width_left,z", 5, 2},
		"total width":      {square("", "8,%d,%d,7"), "-,x,y,width", 3.5, 3.5},
		"half width":       {square("", "8,%d,%d,7"), "-,x,y,half_width", 7, 7},
		"the y axis is up": {square("x,y,z\n", "%d,99,%d"), "x,z,y", 0, 0},
		"centimetres":      {square("", "%d00,%d00,500,200"), "x_cm,y_cm,wr_cm,wl_cm", 5, 2},
		"prose":            {square("# left, then right\n", "%d,%d,2,5"), "x,y,width_left,width_right", 5, 2},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := given(test.text, test.columns)
			require.NoError(t, err)
			requireSquare(t, c, test.right, test.left)
		})
	}
	c, err := given(square("x,y,inner,outer\n", "%d,%d,2,5"), "x,y,width_left,width_right")
	require.NoError(t, err)
	assert.Equal(t, circuit.Column{Name: "outer", Content: circuit.ContentRight, Scale: 1}, c.Columns[3])
	_, err = given(`{"type": "LineString", "coordinates": [[9, 45], [9.001, 45], [9, 45.001], [9, 45]]}`, "x,y")
	assert.ErrorContains(t, err, "ring.csv: the file is GeoJSON: must be a CSV file, whose columns are given")
	borders, err := given("left_x,left_y,right_x,right_y\n0,0,1,2\n9,0,1,2\n9,9,1,2\n", "x,y,wl,wr")
	require.NoError(t, err, "a line of names of borders")
	assert.Equal(t, []float64{2, 2, 2}, borders.Right)
	for columns, want := range map[string]string{
		"x,y,foo":         `column 3 of the list is "foo": must be one of x, y, z, width_right, width_left, width, half_width, latitude, longitude, -`,
		"x,y,":            `column 3 of the list is "": must be one of`,
		"x,y,inner,outer": `column 3 of the list is "inner": must be one of`,
		"x,z": "the list of columns is x,z: must be x and y once, or latitude and longitude, and one of width_right with " +
			"width_left, width, half_width, or none",
		"x,x,y":              "must be x and y once",
		"x,y,right":          "must be x and y once",
		"x,y,width,half":     "must be x and y once",
		"x,y,wr,wl,width":    "must be x and y once",
		"x,y,-,-,width":      "ring.csv:1: the number of columns is 4: must be at least 5, as the given columns",
		"x,y,wr,wr,wl,wl":    "must be x and y once",
		"latitude,x,y,wr,wl": "must be x and y once, or latitude and longitude",
		"lat,x,wr,wl":        "must be x and y once, or latitude and longitude",
	} {
		_, err := given(square("", "%d,%d,2,5"), columns)
		require.ErrorIs(t, err, circuit.ErrFormat, columns)
		assert.ErrorContains(t, err, want)
	}
}

// Every name in the table of docs/importing.md is understood as the table says.
func TestNamesOfThePage(t *testing.T) {
	page, err := os.ReadFile("../docs/importing.md")
	require.NoError(t, err)
	quoted := regexp.MustCompile("`([^`]*)`")
	checked := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 || !strings.HasPrefix(cells[1], " `") {
			continue
		}
		for _, name := range quoted.FindAllStringSubmatch(cells[2], -1) {
			assert.Contains(t, cells[1], "`"+string(contentOf(name[1]))+"`", name[1])
			checked++
		}
	}
	assert.Greater(t, checked, 20)
}

// contentOf returns the content of a column with this name, beside the columns that it needs.
func contentOf(name string) circuit.Content {
	for _, others := range []string{"y", "x", "lat", "lon", "x,y", "x,y,left", "x,y,right"} {
		text := name + "," + others + "\n1,2,3,4\n1.5,2.5,3,4\n1.2,2.9,3.6,5\n"
		columns := strings.Count(others, ",") + 2
		for unused := 4; unused > columns; unused-- {
			text = regexp.MustCompile(`(?m),[0-9.]+$`).ReplaceAllString(text, "")
		}
		c, err := read(text)
		if err == nil && c.Columns[0].Content != circuit.ContentNone {
			return c.Columns[0].Content
		}
	}
	return circuit.ContentNone
}

// Latitude and longitude become metres: at the equator, 0.001 degrees of them are 110.574 and 111.319 m.
func TestColumnsInDegrees(t *testing.T) {
	const places = "0.001,20,4\n0.001,20.001,4\n0.002,20.001,4\n0.002,20,4\n"
	for _, test := range []struct {
		text    string
		options circuit.Options
	}{
		{"Latitude,Longitude,width\n" + places, circuit.Options{}},
		{"# lat_deg; lon_deg; width\n" + strings.ReplaceAll(places, ",", ";"), circuit.Options{}},
		{"lat,x,lon,width\n" + strings.ReplaceAll(places, ",20", ",7,20"), circuit.Options{}},
		{places, circuit.Options{Columns: []string{"lat", "lon", "w"}}},
		{"x,y,width\n" + swapped(places), circuit.Options{Coordinates: circuit.CoordinatesDegrees}},
	} {
		c, err := circuit.Read("ring.csv", strings.NewReader(test.text), test.options)
		require.NoError(t, err)
		assert.InDeltaSlice(t, []float64{-55.660, 55.660, 55.660, -55.660}, c.X, 0.001)
		assert.InDeltaSlice(t, []float64{-55.287, -55.287, 55.287, 55.287}, c.Y, 0.001)
		assert.Equal(t, []float64{2, 2, 2, 2}, c.Left)
		require.NotNil(t, c.Projection)
		assert.InDelta(t, 0.0015, c.Projection.Latitude, 1e-12)
		assert.InDelta(t, 20.0005, c.Projection.Longitude, 1e-12)
		assert.Contains(t, c.Notes[len(c.Notes)-1], "latitude 0.0015000, longitude 20.0005000")
	}
	_, err := read("lat,lon\n91,20\n")
	assert.ErrorContains(t, err, `ring.csv:2: column 1: latitude is "91": must be a number of degrees from -90 to 90`)
	_, err = read("lat,lon\n1,20\n1,181\n")
	assert.ErrorContains(t, err, `ring.csv:3: column 2: longitude is "181": must be a number of degrees from -180 to 180`)
	_, err = read("lat,lon\n1,20\n5,20\n5,25\n")
	assert.ErrorContains(t, err, "the extent is 4 degrees from south to north and 5 from west to east")
}

// swapped returns rows with their first two columns exchanged.
func swapped(rows string) string {
	return regexp.MustCompile(`(?m)^([^,]*),([^,]*)`).ReplaceAllString(rows, "$2,$1")
}
