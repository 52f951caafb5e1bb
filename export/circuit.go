package export

import (
	"io"
	"strconv"
)

// circuitHeader names the columns as public collections of circuits do.
const circuitHeader = "# x_m,y_m,w_tr_right_m,w_tr_left_m\n"

// WriteCircuit writes a road in the format of public collections of real circuits: a comment that names the columns,
// then one row for each point of the centreline with x, y, and the widths to the right and to the left in the direction
// of travel. The last point does not repeat the first one. The format has no heights.
func WriteCircuit(w io.Writer, r *Road) error {
	text := textBuffer{w, []byte(circuitHeader)}
	for i, p := range r.Center {
		right, left := r.Widths(i)
		text.text = appendCoordinate(text.text, p.X)
		text.text = appendCoordinate(append(text.text, ','), p.Y)
		text.text = appendWidth(append(text.text, ','), right)
		text.text = append(appendWidth(append(text.text, ','), left), '\n')
		if err := text.flush(); err != nil {
			return err
		}
	}
	return text.flushAll()
}

// appendCoordinate appends a coordinate with the precision of the float32 that it was computed from. It writes no
// exponent, because some readers parse a number with an exponent as text.
func appendCoordinate(dst []byte, v float64) []byte {
	return strconv.AppendFloat(dst, float64(float32(v)), 'f', -1, 32)
}

// appendWidth appends a width with six digits. A width is the difference of float32 coordinates; further digits are
// noise.
func appendWidth(dst []byte, v float64) []byte {
	return strconv.AppendFloat(dst, significant(v, 6), 'f', -1, 64)
}
