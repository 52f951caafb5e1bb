package clike

import (
	"go/ast"
	"go/constant"
	"go/types"
)

// The package of a further C-like language shares how names and constants are written.

// Names hands out identifiers that differ from each other.
type Names = names

// VariablePrefix begins the names of variables of the source.
const VariablePrefix = variablePrefix

// FieldNames returns the names of a struct's fields.
func FieldNames(s *types.Struct) []string { return fieldNames(s) }

// Take returns name, with a number at its end if it is taken, and reserves it.
func (n names) Take(name string) string { return n.take(name) }

// Constant returns the text of a constant of a number type or bool.
func (u *Unit) Constant(at ast.Node, value constant.Value, t types.Type) string {
	return u.constant(at, value, t)
}

// Bare returns an expression without the parentheses around all of it.
func Bare(text string) string { return bare(text) }
