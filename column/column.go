package column

import (
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/kernel"
)

// Per says what a column has one element for.
type Per string

// The values of Per.
const (
	Env   Per = "env"   // [E]
	Point Per = "point" // [E*N_max], the elements of an env are contiguous
	Gate  Per = "gate"  // [E*G_max], the elements of an env are contiguous

	// Of the components of a course; the elements of an env are contiguous.
	Agent      Per = "agent"      // [E*A]
	Box        Per = "box"        // [E*B]
	Checkpoint Per = "checkpoint" // [E*C_max]
	Prop       Per = "prop"       // [E*P_max]
)

// Unit says what the numbers of a column measure.
type Unit string

// The units.
const (
	None   Unit = "none"   // a count, a direction or an index
	Length Unit = "length" // track units (metres)
)

// Absence says what it means if a result has no array of a column.
type Absence string

// The values of Absence.
const (
	Never   Absence = ""        // every result has the array
	Zero    Absence = "zero"    // every element is 0
	Unknown Absence = "unknown" // the elements were not computed
)

// Column describes one array of a result.
type Column struct {
	Name   string      // as in files, stages and documentation: "width_right"
	Type   kernel.Type // of an element: kernel.TypeVec2, TypeVec3 or TypeQuat, kernel.Float32 or kernel.Int32
	Per    Per
	Unit   Unit
	Stage  string // the stage that writes it: "inflate"
	Absent Absence
	Doc    string // one line, beginning with a small letter
}

// Stride returns the number of elements per env in a result that stores n points, gates and the like per env.
func (c Column) Stride(n int) int {
	if c.Per == Env {
		return 1
	}
	return n
}

// Components returns the number of components of an element: 2 for a kernel.Vec2, 3 for a kernel.Vec3, 4 for a
// kernel.Quat, else 1.
func (c Column) Components() int { return int(c.Type.Size() / wordSize) }

// Shape returns the shape of the array as the documentation shows it: "[E, N_max, 3]".
func (c Column) Shape() string {
	axes := []string{"E"}
	if c.Per != Env {
		axes = append(axes, axisOf[c.Per])
	}
	if n := c.Components(); n > 1 {
		axes = append(axes, fmt.Sprint(n))
	}
	return "[" + strings.Join(axes, ", ") + "]"
}

// axisOf is the name of the axis after the envs.
var axisOf = map[Per]string{
	Point: "N_max", Gate: "G_max", Agent: "A", Box: "B", Checkpoint: "C_max", Prop: "P_max",
}

// wordSize is the size of a component in bytes; all components have 32 bits.
const wordSize = 4
