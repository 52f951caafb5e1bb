// Package circuit reads the centrelines of real circuits from CSV files.
//
//	c, err := circuit.ReadFile("Monza.csv", circuit.Options{})
//	...
//	tracks, err := track.Import(ctx, device, track.ImportOptions{}, c.Circuit)
//
// A file has one point of the centreline per line, in driving order:
//
//	# x_m,y_m,w_tr_right_m,w_tr_left_m
//	-0.320123,1.087714,5.739,5.932
//	0.168262,6.062191,5.735,5.929
//
// The columns are x, y, and the widths from the point to the right and to the left border, in metres; or x, y and the
// width of the whole road; or x and y alone. Commas, semicolons, tabs or blanks separate the columns, and a # starts a
// comment. The file is UTF-8 or UTF-16, with the line ends of any system.
//
// The first line, or a comment before the first point, may name the columns, in any order and among others, in the ways
// that files are written in: x_m, pos_x, wr, w_left, Right width [m]. File.Columns says what became of each. Names that
// are not understood are refused, because right and left must not change places: then Options.Columns says what the
// columns are.
//
// The line closes from the last point to the first, which may be repeated at the end. Repeated points are dropped, and
// so is what lies on the beginning of a line that goes on past its start. A line that comes back on itself is refused.
//
// Two borders in one file or two (ReadBorders), lists of cones, tracks of DeepRacer, GeoJSON, KML and GPX are read too:
// the centreline is in the middle between the borders, and degrees become metres by a Projection.
//
// The kind of a file is detected by its content. Everything else is refused, with the line, the column, the value and
// what is allowed: see Error.
package circuit
