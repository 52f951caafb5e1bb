package clike

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"math"
	"strconv"
	"strings"
)

// constant returns the text of a constant of a number type or bool.
func (u *Unit) constant(at ast.Node, value constant.Value, t types.Type) string {
	switch u.typeName(t) {
	case "bool":
		return strconv.FormatBool(constant.BoolVal(value))
	case "float":
		f, _ := constant.Float32Val(value)
		return u.float(f)
	case "int":
		n, exact := constant.Int64Val(constant.ToInt(value))
		if !exact || n > math.MaxInt32 || n < math.MinInt32 {
			u.problem(at, "constant %s is no int32 (an int32)", value)
		}
		return u.integer(n)
	}
	n, exact := constant.Uint64Val(constant.ToInt(value))
	if !exact || n > math.MaxUint32 {
		u.problem(at, "constant %s is no uint32 (an uint32)", value)
	}
	return strconv.FormatUint(n, 10) + "u"
}

func (u *Unit) integer(n int64) string {
	switch {
	case n == math.MinInt32:
		return "(-2147483647 - 1)" // neither language has the literal
	case n < 0:
		return fmt.Sprintf("(%d)", n)
	}
	return strconv.FormatInt(n, 10)
}

// float returns the text of a float32. Nine digits give it back exactly; compilers are not trusted with denormals.
func (u *Unit) float(f float32) string {
	bits := math.Float32bits(f)
	switch {
	case bits == 0:
		return u.zeroFloat()
	case bits&0x7f800000 == 0 || bits&0x7f800000 == 0x7f800000:
		if u.Language == GLSL {
			return fmt.Sprintf("uintBitsToFloat(0x%08xu)", bits)
		}
		return fmt.Sprintf("%s(0x%08xu)", u.uses("kg_float"), bits)
	}
	text := fmt.Sprintf("%.9g", f)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	if u.Language == CUDA {
		text += "f"
	}
	if f < 0 {
		text = "(" + text + ")"
	}
	return text
}
