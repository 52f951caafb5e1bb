package export

import (
	"io"
	"strconv"
)

// circuitHeader names the columns as public collections of circuits do; circuitHeights names one more.
const (
	circuitHeader  = "# x_m,y_m,w_tr_right_m,w_tr_left_m"
	circuitHeights = ",z_m"
)

// WriteCircuit writes a road in the format of public collections of real circuits: a comment that names the columns,
// then one row for each point of the centreline with x, y, and the widths to the right and to the left in the direction
// of travel. The last point does not repeat the first one. A road with hills has a fifth column, the height, z_m;
// one whose centreline is level has none.
func WriteCircuit(w io.Writer, r *Road) error {
	text := textBuffer{w, []byte(circuitHeader)}
	level := r.level()
	if !level {
		text.text = append(text.text, circuitHeights...)
	}
	text.text = append(text.text, '\n')
	for i, p := range r.Center {
		right, left := r.Widths(i)
		text.text = appendCoordinate(text.text, p.X)
		text.text = appendCoordinate(append(text.text, ','), p.Y)
		text.text = appendWidth(append(text.text, ','), right)
		text.text = appendWidth(append(text.text, ','), left)
		if !level {
			text.text = appendCoordinate(append(text.text, ','), p.Z)
		}
		text.text = append(text.text, '\n')
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
