package column

import (
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/kernel"
)

// Per says what a column has one element for.
type Per string

// What a column has one element for.
const (
	Env   Per = "env"   // [E]
	Point Per = "point" // [E*N_max], those of one env in a row
	Gate  Per = "gate"  // [E*G_max], those of one env in a row
)

// Unit says what the numbers of a column measure.
type Unit string

// The units.
const (
	None   Unit = "none"   // a count, a direction, a number of something
	Length Unit = "length" // track units (metres)
)

// Absence says what it means that a result has no array of a column.
type Absence string

// What the absence of a column means.
const (
	Never   Absence = ""        // every result has the array
	Zero    Absence = "zero"    // every element is 0
	Unknown Absence = "unknown" // nobody has computed it
)

// Column describes one array of a result.
type Column struct {
	Name   string      // as in files, stages and documentation: "width_right"
	Type   kernel.Type // of an element: kernel.TypeVec3, kernel.Float32 or kernel.Int32
	Per    Per
	Unit   Unit
	Stage  string // that writes it: "inflate"
	Absent Absence
	Doc    string // one line, beginning with a small letter
}

// Stride returns how many elements one env has in a result that stores n points, or gates, per env.
func (c Column) Stride(n int) int {
	if c.Per == Env {
		return 1
	}
	return n
}

// Components returns how many numbers an element has: 3 for a kernel.Vec3, else 1.
func (c Column) Components() int { return int(c.Type.Size() / wordSize) }

// Shape describes the shape of the array as documentation shows it: "[E, N_max, 3]".
func (c Column) Shape() string {
	axes := []string{"E"}
	switch c.Per {
	case Point:
		axes = append(axes, "N_max")
	case Gate:
		axes = append(axes, "G_max")
	}
	if n := c.Components(); n > 1 {
		axes = append(axes, fmt.Sprint(n))
	}
	return "[" + strings.Join(axes, ", ") + "]"
}

// wordSize is the bytes of a number; all numbers of columns have 32 bits.
const wordSize = 4
