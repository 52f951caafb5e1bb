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
// The columns are x, y, and the widths from the point to the right and to the left border, in metres, or x and y alone.
// The file is UTF-8, with or without a byte order mark, with the line ends of any system. Commas, semicolons, tabs or
// blanks separate the columns, and numbers have a decimal point. A # starts a comment; empty lines are skipped. The
// first line may name the columns. Known names, even in a comment before the first point, define the order of the
// columns.
//
// The line closes from the last point to the first, which may be repeated at the end. Repeated points are dropped.
//
// Everything else is refused, with the line, the column, the value and what is allowed: see Error.
package circuit
