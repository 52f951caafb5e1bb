package source

import (
	"go/ast"
	"go/types"
)

// Callee returns the function or method that a call runs. It is nil for conversions, builtins, function values and
// T.method, whose first argument is the receiver.
func Callee(info *types.Info, call *ast.CallExpr) *types.Func {
	var name *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = f
	case *ast.SelectorExpr:
		if selection := info.Selections[f]; selection != nil && selection.Kind() == types.MethodExpr {
			return nil
		}
		name = f.Sel
	default:
		return nil
	}
	function, _ := info.Uses[name].(*types.Func)
	return function
}

// Receiver returns the operand of a method call, nil for other calls.
func Receiver(info *types.Info, call *ast.CallExpr) ast.Expr {
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if selection := info.Selections[selector]; selection == nil || selection.Kind() != types.MethodVal {
		return nil
	}
	return selector.X
}

// IsConversion says whether a call is a conversion.
func IsConversion(info *types.Info, call *ast.CallExpr) bool { return info.Types[call.Fun].IsType() }

// Builtin returns the name of the builtin function that a call runs, "" for other calls.
func Builtin(info *types.Info, call *ast.CallExpr) string {
	name, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return ""
	}
	if builtin, ok := info.Uses[name].(*types.Builtin); ok {
		return builtin.Name()
	}
	return ""
}

// IsEach says whether a call is the Each of a group, which a phase ranges over.
func IsEach(info *types.Info, call *ast.CallExpr) bool {
	callee := Callee(info, call)
	return callee != nil && IsVocabulary(callee.Pkg()) && callee.Name() == "Each" && callee.Signature().Recv() != nil &&
		IsNamed(callee.Signature().Recv().Type(), "Group")
}

// Phase returns the call of Each that a range statement makes a phase of, nil where it is an ordinary loop.
func Phase(info *types.Info, loop *ast.RangeStmt) *ast.CallExpr {
	call, ok := ast.Unparen(loop.X).(*ast.CallExpr)
	if !ok || !IsEach(info, call) {
		return nil
	}
	return call
}

// Root returns what a place belongs to, an *ast.Ident if that is a variable, and the indices on the way there from the
// place.
func Root(place ast.Expr) (root ast.Expr, indices []ast.Expr) {
	for {
		switch e := place.(type) {
		case *ast.ParenExpr:
			place = e.X
		case *ast.SelectorExpr:
			place = e.X
		case *ast.SliceExpr:
			place = e.X
		case *ast.IndexExpr:
			indices = append(indices, e.Index)
			place = e.X
		default:
			return place, indices
		}
	}
}

// RootVariable returns the variable that a place belongs to, or nil.
func RootVariable(place ast.Expr) *ast.Ident {
	root, _ := Root(place)
	variable, _ := root.(*ast.Ident)
	return variable
}

// IsList says whether t is a slice or an array.
func IsList(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Slice, *types.Array:
		return true
	}
	return false
}
