package lanes

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// kindOf returns the name of a number type or bool as a scalar, "" for other types.
func kindOf(t types.Type) string {
	basic, ok := t.Underlying().(*types.Basic)
	switch {
	case !ok:
		return ""
	case basic.Info()&types.IsBoolean != 0:
		return "bool"
	case basic.Kind() == types.Uint32 || basic.Kind() == types.Uint:
		return "unsigned"
	case basic.Info()&types.IsInteger != 0:
		return "int"
	}
	return "float"
}

var vectors = map[string]string{"bool": "vi", "int": "vi", "unsigned": "vu", "float": "vf"}

// typeOf returns the type of a value of a class, for an array that of its elements.
func (u *unit) typeOf(t types.Type, c class) string {
	if array, ok := t.Underlying().(*types.Array); ok {
		return u.typeOf(array.Elem(), c)
	}
	kind := kindOf(t)
	if kind == "" {
		kind = u.structOf(t)
		if c.vector() {
			return "V_" + kind
		}
		return "T_" + kind
	}
	if c.vector() {
		return vectors[kind]
	}
	return kind
}

// memoryType returns the type of a scalar in memory.
func (u *unit) memoryType(t types.Type) string {
	if name := u.typeOf(t, uniform); name != "bool" {
		return name
	}
	return "kg_bool"
}

// inMemory returns the type of a field, or of an element of an array of an item.
func (u *unit) inMemory(t types.Type, c class) string {
	if c.vector() {
		name := u.typeOf(t, c)
		if strings.HasPrefix(name, "V_") {
			return name
		}
		return name + "u"
	}
	return u.memoryType(arrayElement(t))
}

func arrayElement(t types.Type) types.Type {
	for {
		array, ok := t.Underlying().(*types.Array)
		if !ok {
			return t
		}
		t = array.Elem()
	}
}

// suffix returns the lengths of an array type as they follow a name.
func suffix(t types.Type) string {
	array, ok := t.Underlying().(*types.Array)
	if !ok {
		return ""
	}
	return fmt.Sprintf("[%d]%s", array.Len(), suffix(array.Elem()))
}

// words returns how many words a value takes in memory.
func words(t types.Type) int64 { return source.Size(t) / 4 }

// structOf returns the name of a struct without its prefix: T_ for a scalar, V_ for eight.
func (u *unit) structOf(t types.Type) string {
	key := types.TypeString(t, nil)
	if name, ok := u.structs[key]; ok {
		return name
	}
	name, pos := "struct", token.NoPos
	if named, ok := types.Unalias(t).(*types.Named); ok {
		name, pos = clike.Identifier(named.Obj().Name()), named.Obj().Pos()
	}
	name = strings.TrimPrefix(u.taken.Take("T_"+name), "T_")
	u.structs[key] = name
	s := t.Underlying().(*types.Struct)
	fields := clike.FieldNames(s)
	var scalar, vector, each strings.Builder
	offset := int64(0)
	for i := range s.NumFields() {
		field := s.Field(i).Type()
		fmt.Fprintf(&scalar, "\t%s %s%s;\n", u.inMemory(field, uniform), fields[i], suffix(field))
		fmt.Fprintf(&vector, "\t%s %s%s;\n", u.inMemory(field, varying), fields[i], suffix(field))
		u.eachWord(&each, fields[i], field, fmt.Sprint(offset), 0)
		offset += words(field)
	}
	text := fmt.Sprintf("struct T_%s {\n%s};\nstruct V_%[1]s {\n%[3]s\ttemplate <class F> KG_MEMBER void each(F kg_f) {\n"+
		"%s\t}\n};\ntemplate <> struct kg_vector<T_%[1]s> { typedef V_%[1]s type; };\n",
		name, scalar.String(), vector.String(), each.String())
	u.types = append(u.types, clike.TextFrom(pos, text))
	return name
}

// eachWord writes the calls of a function for each word of a place.
func (u *unit) eachWord(text *strings.Builder, place string, t types.Type, offset string, depth int) {
	indent := strings.Repeat("\t", depth+2)
	switch underlying := t.Underlying().(type) {
	case *types.Array:
		k := fmt.Sprintf("kg_k%d", depth)
		fmt.Fprintf(text, "%sfor (int %s = 0; %[2]s < %[3]d; %[2]s++) {\n", indent, k, underlying.Len())
		u.eachWord(text, place+"["+k+"]", underlying.Elem(), fmt.Sprintf("%s + %s * %d", offset, k, words(underlying.Elem())),
			depth+1)
		fmt.Fprintf(text, "%s}\n", indent)
	case *types.Struct:
		fmt.Fprintf(text, "%s%s.each([&](auto kg_w, int kg_o) KG_LAMBDA { return kg_f(kg_w, %s + kg_o); });\n", indent,
			place, offset)
	default:
		fmt.Fprintf(text, "%s%s = kg_f((%s)%[2]s, %[4]s);\n", indent, place, u.typeOf(t, varying), offset)
	}
}

// zero returns the zero value.
func (u *unit) zero(t types.Type, c class) string {
	name := u.typeOf(t, c)
	switch t.Underlying().(type) {
	case *types.Struct, *types.Array:
		return name + "{}"
	}
	if c.vector() {
		return name + "(0)"
	}
	return map[string]string{"bool": "false", "int": "0", "unsigned": "0u", "float": "0.0f"}[name]
}
