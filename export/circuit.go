package export

import (
	"io"
	"strconv"
)

// circuitHeader names the columns as the public collections of circuits do.
const circuitHeader = "# x_m,y_m,w_tr_right_m,w_tr_left_m\n"

// WriteCircuit writes a road as the public collections of real circuits hold them: a comment that names the columns,
// then one row for each point of the centreline with x, y, and the width to its right and to its left, in the direction
// of travel. The last point is not the first one again. Heights are not part of this format.
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

// appendCoordinate appends a coordinate with the precision of what it was computed from, a float32. It has no exponent,
// which some readers take for text.
func appendCoordinate(dst []byte, v float64) []byte {
	return strconv.AppendFloat(dst, float64(float32(v)), 'f', -1, 32)
}

// appendWidth appends a width to six digits: it is the difference of float32 coordinates, and the rest would be noise.
func appendWidth(dst []byte, v float64) []byte {
	return strconv.AppendFloat(dst, significant(v, 6), 'f', -1, 64)
}
