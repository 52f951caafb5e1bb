package check

import (
	"fmt"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

const allowedTypes = "bool, int32, uint32, float32, structs of them and fixed arrays of up to two dimensions are known"

// typeProblem says why a type is not one that a kernel's variables have; "" for those that are.
func typeProblem(t types.Type) string {
	problem := typeProblemAt(t, 0)
	if problem == "" && source.Size(t) > kernel.MaxSharedBytes {
		return fmt.Sprintf("it takes more than %d bytes", kernel.MaxSharedBytes)
	}
	return problem
}

// maxTypeDepth stops at types that no kernel needs.
const maxTypeDepth = 16

func typeProblemAt(t types.Type, depth int) string {
	if t == nil {
		return "its type is not known"
	}
	if depth > maxTypeDepth {
		return "it is nested too deeply"
	}
	if source.IsNamed(t, "Group") {
		return "a kernel.Group is no value"
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch u.Kind() {
		case types.Bool, types.Int32, types.Uint32, types.Float32, types.UntypedBool:
			return ""
		}
		return "it is " + u.Name()
	case *types.Struct:
		if u.NumFields() == 0 {
			return "it has no fields"
		}
		for field := range u.Fields() {
			if field.Embedded() {
				return fmt.Sprintf("field %s is embedded", field.Name())
			}
			if field.Name() == "_" {
				return "it has a blank field"
			}
			if problem := typeProblemAt(field.Type(), depth+1); problem != "" {
				return fmt.Sprintf("of field %s %s", field.Name(), problem)
			}
		}
		return ""
	case *types.Array:
		if u.Len() < 1 {
			return "it has no elements"
		}
		element := u.Elem()
		if inner, ok := element.Underlying().(*types.Array); ok {
			if inner.Len() < 1 {
				return "it has no elements"
			}
			element = inner.Elem()
			if isArray(element) {
				return "it has more than two dimensions"
			}
		}
		return typeProblemAt(element, depth+1)
	}
	return "it is no number, bool, struct or array"
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// isBasic says whether t is a number type or bool with the given property.
func isBasic(t types.Type, property types.BasicInfo) bool {
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&property != 0
}

func isFloat(t types.Type) bool { return isBasic(t, types.IsFloat) }

// typeName returns a type as the source of the function would write it.
func (f *function) typeName(t types.Type) string {
	if t == nil {
		return "unknown type"
	}
	return types.TypeString(t, func(p *types.Package) string {
		if p == f.Object.Pkg() {
			return ""
		}
		return p.Name()
	})
}

// variableType refuses a variable of a type that kernels do not have.
func (f *function) variableType(variable *types.Var, hint string) {
	problem := typeProblem(variable.Type())
	if problem == "" {
		return
	}
	if hint == "" {
		hint = allowedTypes
	}
	f.reportAt(variable.Pos(), "type", "%s is of type %s: %s (%s)", variable.Name(), f.typeName(variable.Type()),
		problem, hint)
}
