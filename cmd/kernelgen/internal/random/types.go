package random

import (
	"fmt"
	"strings"
)

// typ is the type of a value: a number, a bool, a vector, or from structBase on a struct of the program.
type typ int

const (
	boolean typ = iota
	signed
	unsigned
	float
	vec2
	vec3
	quat
	structBase
)

// numbers are the types of scalars, elements those of buffers, the more frequent ones several times.
var (
	numbers  = []typ{signed, unsigned, float}
	elements = []typ{signed, signed, unsigned, float, float, vec2, vec3, quat}
)

// structType is a struct of the program.
type structType struct {
	name   string
	fields []field
}

type field struct {
	name string
	t    typ
	dims []int
}

// namedConstant is a constant of the package.
type namedConstant struct {
	name, declaration string
	t                 typ
}

var vectorFields = map[typ]string{vec2: "XY", vec3: "XYZ", quat: "XYZW"}

func (g *generator) typeName(t typ) string {
	if t >= structBase {
		return g.structs[t-structBase].name
	}
	return []string{"bool", "int32", "uint32", "float32", "kernel.Vec2", "kernel.Vec3", "kernel.Quat"}[t]
}

func dimensions(dims []int) string {
	var text strings.Builder
	for _, n := range dims {
		fmt.Fprintf(&text, "[%d]", n)
	}
	return text.String()
}

// anyType returns a type of values.
func (g *generator) anyType() typ {
	switch n := g.IntN(20); {
	case n < 6:
		return signed
	case n < 10:
		return unsigned
	case n < 15:
		return float
	case n < 16:
		return boolean
	case n < 18 && len(g.structs) > 0:
		return structBase + typ(g.IntN(len(g.structs)))
	}
	return pick(g, []typ{vec2, vec3, quat})
}

func (g *generator) structTypes() {
	fieldNames := []string{"low", "high", "in", "float", "X", "flat", "bins", "half"}
	for k := range g.IntN(3) {
		s := structType{name: fmt.Sprintf("pair%c%s", 'a'+k, g.suffix)}
		g.Shuffle(len(fieldNames), func(i, j int) { fieldNames[i], fieldNames[j] = fieldNames[j], fieldNames[i] })
		for _, name := range fieldNames[:1+g.IntN(4)] {
			f := field{name: name, t: pick(g, []typ{boolean, signed, signed, unsigned, float, float, vec2, vec3})}
			if k > 0 && g.chance(1, 5) {
				f.t = structBase
			} else if g.chance(1, 4) {
				f.dims = []int{4}
			}
			s.fields = append(s.fields, f)
		}
		g.structs = append(g.structs, s)
	}
}

func (g *generator) constants() {
	for k := range g.IntN(3) {
		name := fmt.Sprintf("limit%c%s", 'a'+k, g.suffix)
		switch g.IntN(3) {
		case 0:
			g.named = append(g.named, namedConstant{name, name + " int32 = " + g.literal(signed, true), signed})
		case 1:
			g.named = append(g.named, namedConstant{name, name + " = " + g.literal(float, true), float})
		default:
			g.named = append(g.named, namedConstant{name, name + " uint32 = " + g.literal(unsigned, true), unsigned})
		}
	}
}
