package circuit

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/trackgen-go/trackgen/internal/npy"
)

// A track of DeepRacer is a NumPy array with one row per point, in driving order: x and y of the centreline, of the
// inner border and of the outer border. A racing line has only x and y.
const (
	deepRacerColumns = 6
	lineColumns      = 2
)

// isNPY reports whether a file is a NumPy array.
func isNPY(head []byte) bool { return bytes.HasPrefix(head, []byte(npy.Magic)) }

// readDeepRacer reads a track of DeepRacer.
func readDeepRacer(name string, data []byte, _ Options) ([]*File, error) {
	rows, columns, err := readRows(name, data)
	if err != nil {
		return nil, err
	}
	centre := distinctBy(rows, func(a, b [deepRacerColumns]float64) bool { return a[0] == b[0] && a[1] == b[1] })
	if n := len(centre); n < 3 {
		return nil, &Error{File: name, Name: "the number of different points", Value: fmt.Sprint(n), Want: "at least 3"}
	}
	c := &File{Repeated: len(rows) - len(centre)}
	for _, row := range centre {
		c.X, c.Y = append(c.X, row[0]), append(c.Y, row[1])
	}
	c.dropOverlap() // before the widths are measured, because the borders overlap there too
	centre = centre[:len(c.X)]
	if columns == deepRacerColumns {
		if err := c.setBorders(name, centre); err != nil {
			return nil, err
		}
	}
	return []*File{c}, nil
}

// readRows reads the rows of a NumPy array with six columns, or with two, which become the first two of a row.
func readRows(name string, data []byte) (rows [][deepRacerColumns]float64, columns int, err error) {
	r := bytes.NewReader(data)
	header, size, err := npy.ReadHeader(r)
	if err != nil {
		return nil, 0, &Error{File: name, Name: "the NumPy array", Value: "damaged: " + err.Error(), Want: "complete"}
	}
	if len(header.Shape) != 2 || header.Shape[1] != deepRacerColumns && header.Shape[1] != lineColumns ||
		header.Shape[0] > MaxPoints {
		return nil, 0, &Error{File: name, Name: "the shape of the NumPy array", Value: fmt.Sprint(header.Shape),
			Want: fmt.Sprintf("[N %d] as in tracks of DeepRacer: x and y of the centreline, of the inner border and of the "+
				"outer border; or [N %d]: x and y of a line; N at most %d (others: numpy.savetxt to CSV)", deepRacerColumns,
				lineColumns, MaxPoints)}
	}
	columns = int(header.Shape[1])
	decode, width := elementType(header.Descr)
	if decode == nil {
		return nil, 0, &Error{File: name, Name: "the element type of the NumPy array", Value: quoted(header.Descr),
			Want: "float64 (<f8), float32 (<f4), or one of these in the other byte order"}
	}
	n := int(header.Shape[0])
	if want := n * columns * width; int64(len(data))-size != int64(want) {
		return nil, 0, &Error{File: name, Name: "the size of the elements of the NumPy array",
			Value: fmt.Sprintf("%d bytes", int64(len(data))-size), Want: fmt.Sprintf("%d for shape %v", want, header.Shape)}
	}
	rows = make([][deepRacerColumns]float64, n)
	elements := data[size:]
	for i := range rows {
		for k := range columns {
			at := i*columns + k
			if header.Fortran {
				at = k*n + i
			}
			v := decode(elements[at*width:])
			if !(math.Abs(v) <= MaxCoordinate) {
				return nil, 0, &Error{File: name, Name: fmt.Sprintf("row %d, column %d of the NumPy array", i, k),
					Value: number(v), Want: fmt.Sprintf("a number of metres from -%s to %[1]s", number(MaxCoordinate))}
			}
			rows[i][k] = v
		}
	}
	return rows, columns, nil
}

// elementType returns the decoder of an element type and its size in bytes, or nil for other types.
func elementType(descr string) (decode func([]byte) float64, size int) {
	var order binary.ByteOrder = binary.LittleEndian
	if strings.HasPrefix(descr, ">") {
		order = binary.BigEndian
	}
	switch strings.TrimLeft(descr, "<>=") {
	case "f8":
		return func(b []byte) float64 { return math.Float64frombits(order.Uint64(b)) }, 8
	case "f4":
		return func(b []byte) float64 { return float64(math.Float32frombits(order.Uint32(b))) }, 4
	}
	return nil, 0
}

// setBorders sets the widths from the centreline to the borders. The order of the rows is the direction of travel,
// which decides which border is on the left.
func (c *File) setBorders(name string, rows [][deepRacerColumns]float64) error {
	n := len(rows)
	var borders [2]*polyline
	for k := range borders {
		points := make([]vector, n)
		for i, row := range rows {
			points[i] = vector{row[2+2*k], row[3+2*k]}
		}
		borders[k] = newPolyline(points) // repeated points stay, so that indices are those of the rows
	}
	centres := c.points()
	normals := make([]vector, n)
	innerLeft, outerLeft := 0, 0
	for i := range centres {
		normals[i] = centres[(i+n-1)%n].toward(centres[(i+1)%n]).left()
		if borders[0].points[i].minus(centres[i]).dot(normals[i]) > 0 {
			innerLeft++
		}
		if borders[1].points[i].minus(centres[i]).dot(normals[i]) > 0 {
			outerLeft++
		}
	}
	if most := max(innerLeft, n-innerLeft); 10*most < 9*n || 10*max(outerLeft, n-outerLeft) < 9*n ||
		(2*innerLeft > n) == (2*outerLeft > n) {
		return &Error{File: name, Name: "the inner border (columns 2 and 3)",
			Value: fmt.Sprintf("on the left of %d of %d points, and the outer border (columns 4 and 5) of %d", innerLeft, n,
				outerLeft),
			Want: "on one side of the centreline (columns 0 and 1) all along, and the outer border on the other"}
	}
	left, right := borders[1], borders[0]
	inner := "right"
	if 2*innerLeft > n {
		left, right, inner = right, left, "left"
	}
	for i, p := range centres {
		c.Left = append(c.Left, widthTo(left, i, p, normals[i]))
		c.Right = append(c.Right, widthTo(right, i, p, normals[i].times(-1)))
	}
	c.Notes = append(c.Notes, fmt.Sprintf("the inner border is on the %s, in the order of the rows", inner))
	return nil
}

// widthTo returns the distance from a point of the centreline to a border: along the normal if it meets the border near
// row i, else to the point of that row.
func widthTo(border *polyline, i int, p, normal vector) float64 {
	direct := p.to(border.points[i])
	if across, _ := border.cast(p, normal, border.at[i], 2*direct); across < 2*direct {
		return across
	}
	return direct
}
