// Package circuit reads real circuits from files.
//
//	c, err := circuit.ReadFile("Monza.csv", circuit.Options{})
//	...
//	tracks, err := track.Import(ctx, device, track.ImportOptions{}, c.Circuit)
//
// A CSV file has one point of the centreline per line, in driving order:
//
//	# x_m,y_m,w_tr_right_m,w_tr_left_m
//	-0.320123,1.087714,5.739,5.932
//	0.168262,6.062191,5.735,5.929
//
// The columns are x, y, and the widths from the point to the right and to the left border, in metres; or x, y and the
// width of the whole road; or x and y alone. Commas, semicolons, tabs or blanks separate the columns, and a # starts a
// comment. The file is UTF-8 or UTF-16, with the line ends of any system.
//
// The first line, or a comment before the first point, may name the columns, in any order and with other columns among
// them. Names may have any usual form: x_m, pos_x, wr, w_left, Right width [m]. File.Columns gives the content of each
// column. Unknown names that may be widths are an error, because right and left must not change places: then
// Options.Columns gives the contents of the columns.
//
// The line closes from the last point to the first, which may be repeated at the end. Repeated points are removed. If a
// line goes on past its start, the overlap is removed too. A line that comes back on itself is refused.
//
// ReadFiles also reads two borders in one file, lists of cones, tracks of DeepRacer, GeoJSON, KML, GPX and TrackGen's
// own files. ReadBorders reads two borders in two files. The centreline is in the middle between the borders, and a
// Projection converts degrees to metres.
//
// The kind of a file is detected by its content. Other files are refused. An Error has the line, the column, the value
// and what is allowed.
package circuit
