package clike

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// typeName returns the name of a number, bool or struct type, and sees to it that structs are defined.
func (u *Unit) typeName(t types.Type) string {
	switch underlying := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case underlying.Info()&types.IsBoolean != 0:
			return "bool"
		case underlying.Kind() == types.Uint32 || underlying.Kind() == types.Uint:
			return u.unsigned()
		case underlying.Info()&types.IsInteger != 0:
			return "int"
		}
		return "float"
	case *types.Struct:
		return u.structName(t, underlying)
	case *types.Array:
		return u.typeName(underlying.Elem()) // the dimensions follow elsewhere
	}
	return "void"
}

func (u *Unit) unsigned() string {
	if u.Language == GLSL {
		return "uint"
	}
	return "unsigned"
}

// builtin returns the GLSL type that stands for a vector of package kernel, "" for other types. Drivers load such
// vectors at once. A vector of three would take the room of four in a buffer.
func (u *Unit) builtin(t types.Type) string {
	switch {
	case u.Language != GLSL:
		return ""
	case source.IsNamed(t, "Vec2"):
		return "vec2"
	case source.IsNamed(t, "Quat"):
		return "vec4"
	}
	return ""
}

// fields returns the names of the fields of a struct type.
func (u *Unit) fields(t types.Type) []string {
	list := fieldNames(t.Underlying().(*types.Struct))
	if u.builtin(t) != "" {
		for i, name := range list {
			list[i] = strings.ToLower(name)
		}
	}
	return list
}

func (u *Unit) structName(t types.Type, s *types.Struct) string {
	if name := u.builtin(t); name != "" {
		return name
	}
	key := types.TypeString(t, nil)
	if name, ok := u.structNames[key]; ok {
		return name
	}
	name, pos := structPrefix+"struct", token.NoPos
	if named, ok := types.Unalias(t).(*types.Named); ok {
		name, pos = structPrefix+identifier(named.Obj().Name()), named.Obj().Pos()
	}
	name = u.taken.take(name)
	u.structNames[key] = name
	var text strings.Builder
	fmt.Fprintf(&text, "struct %s {\n", name)
	fields := u.fields(t)
	for i := range s.NumFields() {
		fmt.Fprintf(&text, "\t%s;\n", u.declaration(s.Field(i).Type(), fields[i]))
	}
	if u.Language == CUDA {
		text.WriteString(assignment(name, s, fields))
	}
	text.WriteString("};\n")
	u.Structs = append(u.Structs, TextFrom(pos, text.String()))
	return name
}

// assignment returns the operator that assigns a struct field by field, "" for one that arrays keep in memory. clang
// copies a struct at once, and LLVM then keeps it in memory if the whole of it goes from one place to another while
// what it came from changes.
func assignment(name string, s *types.Struct, fields []string) string {
	if inRegister(s) {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "\tKG_MEMBER void operator=(const %s &kg_x) {\n", name)
	for i, field := range fields {
		if hasArray(s.Field(i).Type()) {
			return ""
		}
		fmt.Fprintf(&text, "\t\t%s = kg_x.%[1]s;\n", field)
	}
	text.WriteString("\t}\n")
	return text.String()
}

// inRegister reports whether a struct is one or two numbers, which LLVM moves in a register.
func inRegister(s *types.Struct) bool {
	for field := range s.Fields() {
		basic, ok := field.Type().Underlying().(*types.Basic)
		if !ok || basic.Info()&types.IsBoolean != 0 {
			return false
		}
	}
	return s.NumFields() <= 2
}

// dimensions returns the lengths of an array type as they follow a name, "" for other types.
func dimensions(t types.Type) string {
	array, ok := t.Underlying().(*types.Array)
	if !ok {
		return ""
	}
	return fmt.Sprintf("[%d]%s", array.Len(), dimensions(array.Elem()))
}

// declaration returns the declaration of a name, without a value.
func (u *Unit) declaration(t types.Type, name string) string {
	return u.typeName(t) + " " + name + dimensions(t)
}

// zero returns an expression of the zero value.
func (u *Unit) zero(t types.Type) string {
	if u.Language == CUDA && isAggregate(t) {
		if _, isArray := t.Underlying().(*types.Array); isArray {
			return "{}"
		}
		return u.typeName(t) + "{}"
	}
	switch t.Underlying().(type) {
	case *types.Basic:
		switch u.typeName(t) {
		case "bool":
			return "false"
		case "float":
			return u.zeroFloat()
		case "int":
			return "0"
		}
		return "0u"
	}
	switch u.builtin(t) {
	case "vec2":
		return "vec2(kg_zero, kg_zero)"
	case "vec4":
		return "vec4(kg_zero, kg_zero, kg_zero, kg_zero)"
	}
	return u.zeroFunction(t) + "()"
}

func isAggregate(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// zeroFloat returns +0. In GLSL it is a push constant: drivers fold additions of a zero that they know.
func (u *Unit) zeroFloat() string {
	if u.Language == GLSL {
		return "kg_zero"
	}
	return "0.0f"
}

// zeroFunction returns the GLSL function that gives the zero value of a struct or array.
func (u *Unit) zeroFunction(t types.Type) string {
	key := types.TypeString(t, nil)
	if name, ok := u.zeros[key]; ok {
		return name
	}
	kind := u.typeName(t)
	name := u.taken.take("kg_zero_" + strings.TrimPrefix(kind, structPrefix))
	u.zeros[key] = name
	var body strings.Builder
	switch underlying := t.Underlying().(type) {
	case *types.Struct:
		fields := u.fields(t)
		for i := range underlying.NumFields() {
			u.clear(&body, "\t", "kg_value."+fields[i], underlying.Field(i).Type(), 0)
		}
	case *types.Array:
		u.clear(&body, "\t", "kg_value", t, 0)
	}
	u.Functions = append(u.Functions, TextFrom(token.NoPos, fmt.Sprintf("%s%s %s() {\n\t%s;\n%s\treturn kg_value;\n}\n",
		kind, dimensions(t), name, u.declaration(t, "kg_value"), body.String())))
	return name
}

// clear writes the statements that set a place to zero.
func (u *Unit) clear(w *strings.Builder, indent, place string, t types.Type, depth int) {
	array, ok := t.Underlying().(*types.Array)
	if !ok {
		fmt.Fprintf(w, "%s%s = %s;\n", indent, place, u.zero(t))
		return
	}
	counter := fmt.Sprintf("kg_k%d", depth)
	fmt.Fprintf(w, "%sfor (int %s = 0; %s < %d; %s++) {\n", indent, counter, counter, array.Len(), counter)
	u.clear(w, indent+"\t", place+"["+counter+"]", array.Elem(), depth+1)
	fmt.Fprintf(w, "%s}\n", indent)
}

// TypeName returns the name of a type that the unit uses.
func (u *Unit) TypeName(t types.Type) string { return u.typeName(t) }

// hasArray says whether a value of a type holds an array.
func hasArray(t types.Type) bool {
	switch underlying := t.Underlying().(type) {
	case *types.Array:
		return true
	case *types.Struct:
		for f := range underlying.Fields() {
			if hasArray(f.Type()) {
				return true
			}
		}
	}
	return false
}
