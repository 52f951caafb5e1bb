package circuit

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/trackgen-go/trackgen/track"
)

// Limits of the content of a file, in metres unless noted.
const (
	MaxPoints     = 1 << 20
	MaxWidth      = 100.0 // from the centreline to a border
	MaxCoordinate = 1e7   // covers the coordinates of maps (UTM)
	MinLength     = 1.0   // of the closed line
	MaxLength     = 1e6
	maxLine       = 1 << 12   // bytes
	maxFile       = 256 << 20 // bytes
	maxStart      = 1 << 20   // bytes of comments and text before the first point
	maxLines      = 1 << 22   // including comments, blank lines and repeated points
)

// ErrFormat matches every error about the content of a file.
var ErrFormat = errors.New("circuit: invalid file")

// Error names the place in a file, the wrong value, and what is allowed. It matches ErrFormat.
type Error struct {
	File   string // empty for an error of Options
	Line   int    // from 1; 0 if the file as a whole is wrong
	Column int    // from 1; 0 if the line as a whole is wrong
	Name   string // what the column holds, e.g. "right width", or the property of the whole, e.g. "length"
	Value  string // what was found
	Want   string // what is allowed
	Option string // the field of Options that makes the file valid, e.g. "MaxGap"; empty if there is none
}

// Error implements error.
func (e *Error) Error() string {
	text := e.File
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	if e.Column > 0 {
		text += fmt.Sprintf(": column %d", e.Column)
	}
	if e.Name != "" {
		text += ": " + e.Name
	}
	return fmt.Sprintf("%s is %s: must be %s", strings.TrimPrefix(text, ": "), e.Value, e.Want)
}

// Is reports that every Error matches ErrFormat.
func (e *Error) Is(target error) bool { return target == ErrFormat }

// File is a circuit that was read from a file.
type File struct {
	track.Circuit

	Kind     string   // kind of the file, e.g. "CSV"
	Columns  []Column // of a CSV file
	Repeated int      // number of removed points: equal to the point before, or to the first one at the end
	Notes    []string // what the reader removed or assumed, without a full stop at the end
	// Projection converts degrees to metres; nil if the file is in metres.
	Projection *Projection
	SHA256     [32]byte // of the bytes of the file

	lines []int // of each point, in the file; nil if the file has no lines
}

// Options configure how a file is read. The zero value is ready for use.
type Options struct {
	// MaxGap is the maximum distance between neighbouring points, including the closing segment. A longer distance is
	// an error: a piece of the circuit is missing, or the line is not closed. 0 means 25 times the median distance.
	MaxGap float64
	// Columns gives the contents of the columns of a CSV file, in order: x, y, z, width_right, width_left, width (of
	// the whole road), half_width (on either side), latitude, longitude, or - for a column that is not used. Columns
	// after the last are not used. Other common names work too. nil means that the file names its columns.
	Columns []string
	// Coordinates gives the coordinates of GeoJSON and CSV files that do not name them. In degrees, x is the longitude.
	Coordinates Coordinates
	// Reverse reverses the direction of travel: right and left change places. The first point stays the first.
	Reverse bool
	// Start moves the first point. With Reverse, it is measured in the new direction.
	Start Start
}

const gapFactor = 25

// Widths reports whether the file has widths.
func (c *File) Widths() bool { return c.Right != nil }

// PolygonLength returns the length of the closed polygon through the points.
func (c *File) PolygonLength() float64 {
	length := 0.0
	for i := range c.X {
		length += c.segment(i)
	}
	return length
}

// segment returns the distance from point i to the next point.
func (c *File) segment(i int) float64 {
	next := (i + 1) % len(c.X)
	return math.Hypot(c.X[next]-c.X[i], c.Y[next]-c.Y[i])
}

// Recenter moves the centre of the circuit's bounding box to the origin and returns its former position. Map
// coordinates are too large for float32.
func (c *File) Recenter() (x, y float64) {
	x, y = middle(c.X), middle(c.Y)
	for i := range c.X {
		c.X[i] -= x
		c.Y[i] -= y
	}
	return x, y
}

func middle(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	lowest, highest := values[0], values[0]
	for _, v := range values {
		lowest, highest = min(lowest, v), max(highest, v)
	}
	return lowest + (highest-lowest)/2
}
