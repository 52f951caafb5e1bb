package config

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// Table lists the fields of a configuration C.
type Table[C any] struct {
	groups   []Group
	fields   []Field[C]
	defaults C
}

// NewTable finds the struct field of each entry. The table and the struct are constants of a package, and a test of it
// checks that they match one to one.
//
// component is the name of the embedded struct of C that the components of a mixed batch have each; the fields outside
// of it are Shared.
func NewTable[C any](groups []Group, component string, fields []Field[C]) *Table[C] {
	t := &Table[C]{groups: groups, fields: fields}
	root := reflect.TypeFor[C]()
	part := fieldOf(root, component)
	for i := range fields {
		f := &fields[i]
		at := root
		for name := range strings.SplitSeq(cmp.Or(f.Path, f.Name), ".") {
			f.index = slices.Concat(f.index, fieldOf(at, GoName(name)))
			at = root.FieldByIndex(f.index).Type
		}
		f.apart = len(part) > 0 && len(f.index) > len(part) && slices.Equal(f.index[:len(part)], part)
		if f.Default != nil {
			f.of(&t.defaults).Set(reflect.ValueOf(f.Default))
		}
	}
	return t
}

// Part returns the fields of a configuration P that is a part of C, for the table of C. path is the name of its struct
// field, as Field.Path has it. Fields that are in a group of P keep their names; the others get the name of group, or
// none if it is empty. Fields for which leave returns true are left out.
func Part[C, P any](path, group string, fields []Field[P], leave func(name string) bool) []Field[C] {
	var list []Field[C]
	for _, of := range fields {
		if leave(of.Name) {
			continue
		}
		f := Field[C](of)
		f.index, f.apart = nil, false
		f.Path = path + "." + cmp.Or(of.Path, of.Name)
		if f.Group() == "" && group != "" {
			f.Name = group + "." + f.Name
		}
		list = append(list, f)
	}
	return list
}

// fieldOf returns the index of a field of a struct.
func fieldOf(of reflect.Type, name string) []int {
	field, _ := of.FieldByName(name)
	return field.Index
}

// Default returns the configuration with every field at its default.
func (t *Table[C]) Default() C { return t.defaults }

// Groups lists the groups of fields in the order of the documentation. The first one holds the fields outside of all
// groups.
func (t *Table[C]) Groups() []Group { return slices.Clone(t.groups) }

// Fields lists the fields in the order of the documentation.
func (t *Table[C]) Fields() []Field[C] {
	list := slices.Clone(t.fields)
	for i := range list {
		list[i] = list[i].now()
	}
	return list
}

// Documented lists the fields as the documentation shows them: without choices that a program has added.
func (t *Table[C]) Documented() []Field[C] { return slices.Clone(t.fields) }

// now fills in the choices that change while the program runs.
func (f Field[C]) now() Field[C] {
	if f.ChoicesNow != nil {
		f.Choices = f.ChoicesNow()
	}
	return f
}

// Named returns the field with the given name.
func (t *Table[C]) Named(name string) (Field[C], bool) {
	return t.where(func(f Field[C]) bool { return f.Name == name })
}

// OfReference returns the field that has the given name in the reference system and a different name here. It ignores a
// group before the name.
func (t *Table[C]) OfReference(name string) (Field[C], bool) {
	name = name[strings.LastIndexByte(name, '.')+1:]
	return t.where(func(f Field[C]) bool { return f.Reference == name && f.Reference != f.Name && name != "" })
}

func (t *Table[C]) where(is func(Field[C]) bool) (Field[C], bool) {
	i := slices.IndexFunc(t.fields, is)
	if i < 0 {
		return Field[C]{}, false
	}
	return t.fields[i].now(), true
}

// Check validates the value of every field. Each error is an *Error.
func (t *Table[C]) Check(c C) []error {
	var wrong []error
	for _, f := range t.Fields() {
		if err := f.Check(c); err != nil {
			wrong = append(wrong, err)
		}
	}
	return wrong
}
