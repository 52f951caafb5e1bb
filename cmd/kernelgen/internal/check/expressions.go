package check

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// use is what surrounds an expression.
type use uint8

const (
	useValue     use = iota
	useRounded       // directly inside float32(...)
	useFactor        // an operand of * or /
	useCompared      // an operand of a comparison
	useCount         // an index, a shift count or the bound of a loop: an int constant will do
	useList          // a slice or array that is indexed or passed on
	useTarget        // assigned to
	useStatement     // a call that stands alone
	useSole          // a call that is all of the right side of an assignment
	useTuple         // the same, of several results
)

// expression checks an expression. If its type is refused, its parts are not checked.
func (f *function) expression(expression ast.Expr, in use) {
	tv, ok := f.Info.Types[expression]
	if ok && tv.Value != nil {
		f.constant(expression, tv, in)
		return
	}
	if paren, ok := expression.(*ast.ParenExpr); ok {
		f.expression(paren.X, in)
		return
	}
	if call, ok := expression.(*ast.CallExpr); ok {
		f.call(call, in)
		return
	}
	if !f.refusedForm(expression) && !f.refusedType(expression, in) {
		f.form(expression, in)
	}
}

// form checks an expression of a good type by what it is.
func (f *function) form(expression ast.Expr, in use) {
	switch e := expression.(type) {
	case *ast.Ident:
		f.identifier(e)
	case *ast.SelectorExpr:
		f.selector(e, in)
	case *ast.IndexExpr:
		f.index(e)
	case *ast.UnaryExpr:
		f.expression(e.X, useValue)
	case *ast.BinaryExpr:
		f.binary(e, in)
	case *ast.CompositeLit:
		f.composite(e)
	default:
		f.report(expression, "expression", "an expression that kernels do not have")
	}
}

// refusedForm reports expressions that are refused whatever their type is.
func (f *function) refusedForm(expression ast.Expr) bool {
	switch e := expression.(type) {
	case *ast.FuncLit:
		f.report(e, "closure", "a function literal (helpers are declared functions)")
	case *ast.StarExpr:
		f.report(e, "pointer", "a pointer (pass values, or slices to be written)")
	case *ast.UnaryExpr:
		if e.Op != token.AND && e.Op != token.ARROW {
			return false
		}
		f.report(e, "pointer", "%s (there are no pointers and no channels: pass values, or slices to be written)", e.Op)
	case *ast.SliceExpr:
		f.report(e, "list", "a slice expression (x[:] as an argument of a helper is the only one)")
	case *ast.TypeAssertExpr:
		f.report(e, "type", "a type assertion (there are no interfaces)")
	case *ast.Ident:
		if function, ok := f.Info.ObjectOf(e).(*types.Func); ok {
			f.report(e, "closure", "function %s as a value (call it)", function.Name())
			return true
		}
		if e.Name != "_" && f.Info.ObjectOf(e) == nil {
			f.report(e, "type", "%s is not known here (kernels do not use generated code)", e.Name)
			return true
		}
		return false
	case *ast.SelectorExpr:
		if function, ok := f.Info.ObjectOf(e.Sel).(*types.Func); ok {
			f.report(e, "closure", "function %s as a value (call it)", function.Name())
			return true
		}
		return false
	default:
		return false
	}
	return true
}

// refusedType reports expressions of a type that kernels do not have.
func (f *function) refusedType(expression ast.Expr, in use) bool {
	t := f.Info.TypeOf(expression)
	if t == nil {
		f.report(expression, "type", "the type of this is not known (kernels do not use generated code)")
		return true
	}
	if name, ok := expression.(*ast.Ident); ok && f.refusedVariable(name) {
		return true
	}
	if source.IsNamed(t, "Group") {
		f.report(expression, "group", "the group as a value (g.ID and range g.Each(n) are its only uses)")
		return true
	}
	if source.IsList(t) {
		if in != useList && in != useTarget {
			f.report(expression, "list", "a %s as a value (index it, or pass it to a helper as x[:])", f.typeName(t))
			return true
		}
		if isSlice(t) {
			return false // it is a parameter, whose type has been checked
		}
	}
	if problem := typeProblem(t); problem != "" {
		if name, ok := expression.(*ast.Ident); ok && f.isVariable(name) {
			return true // refused where it was declared
		}
		f.report(expression, "type", "a value of type %s: %s (%s)", f.typeName(t), problem, allowedTypes)
		return true
	}
	return false
}

func (f *function) isVariable(name *ast.Ident) bool {
	_, ok := f.Info.ObjectOf(name).(*types.Var)
	return ok
}

// refusedVariable reports variables of packages.
func (f *function) refusedVariable(name *ast.Ident) bool {
	variable, ok := f.Info.ObjectOf(name).(*types.Var)
	if !ok || variable.IsField() || variable.Pkg() == nil || variable.Parent() != variable.Pkg().Scope() {
		return false
	}
	f.report(name, "variable", "%s is a variable of a package (pass it as a parameter, or make it a constant)",
		name.Name)
	return true
}

// constant checks a constant expression: its literals, and its type, which may be int where a number of things is
// meant.
func (f *function) constant(expression ast.Expr, tv types.TypeAndValue, in use) {
	refused := false
	ast.Inspect(expression, func(node ast.Node) bool {
		switch e := node.(type) {
		case *ast.BasicLit:
			if e.Kind != token.INT && e.Kind != token.FLOAT {
				f.report(e, "literal", "literal %s (numbers and bools are known)", e.Value)
				refused = true
			}
		case *ast.Ident:
			if named, ok := f.Info.Uses[e].(*types.Const); ok &&
				!isBasic(named.Type(), types.IsInteger|types.IsFloat|types.IsBoolean) {
				f.constantKind(e, named)
				refused = true
			}
		}
		return true
	})
	if refused {
		return
	}
	if basic, ok := tv.Type.Underlying().(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
		return // an operand, whose use has the type
	}
	if problem := typeProblem(tv.Type); problem != "" && (in != useCount || !isBasic(tv.Type, types.IsInteger)) {
		f.report(expression, "type", "a constant of type %s (%s)", f.typeName(tv.Type), allowedTypes)
	}
}

func (f *function) identifier(name *ast.Ident) {
	if f.Info.ObjectOf(name) == types.Universe.Lookup("nil") {
		f.report(name, "pointer", "nil (there are no pointers)")
	}
}

func (f *function) selector(e *ast.SelectorExpr, in use) {
	if name, ok := e.X.(*ast.Ident); ok {
		if _, ok := f.Info.Uses[name].(*types.PkgName); ok {
			f.refusedVariable(e.Sel)
			return
		}
		if source.IsNamed(f.Info.TypeOf(name), "Group") {
			return // g.ID; methods are not selected without a call
		}
	}
	if in != useTarget && in != useList {
		in = useValue
	}
	f.expression(e.X, in)
}

func (f *function) index(e *ast.IndexExpr) {
	t := f.Info.TypeOf(e.X)
	if t == nil || !source.IsList(t) {
		f.report(e, "list", "an index of a %s (slices that are parameters, and arrays, are indexed)", f.typeName(t))
		return
	}
	if source.RootVariable(e.X) == nil {
		f.report(e, "list", "an index of a result (assign it to a variable first)")
		return
	}
	f.expression(e.X, useList)
	f.expression(e.Index, useCount)
	if value := f.Info.Types[e.Index].Value; value != nil {
		if n, exact := constant.Int64Val(constant.ToInt(value)); !exact || n > math.MaxInt32 {
			f.report(e.Index, "list", "index %s (an int32)", value)
		}
	}
	if i := f.Info.TypeOf(e.Index); !isBasic(i, types.IsInteger) && f.Info.Types[e.Index].Value == nil {
		f.report(e.Index, "type", "an index of type %s (an int32)", f.typeName(i))
	}
}

func (f *function) binary(e *ast.BinaryExpr, in use) {
	left, right := f.Info.TypeOf(e.X), f.Info.TypeOf(e.Y)
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		for _, t := range []types.Type{left, right} {
			if !isBasic(t, types.IsInteger|types.IsFloat|types.IsBoolean) {
				f.report(e, "comparison", "a comparison of a %s (compare numbers and bools)", f.typeName(t))
				return
			}
		}
		f.expression(e.X, useCompared)
		f.expression(e.Y, useCompared)
	case token.SHL, token.SHR:
		f.expression(e.X, useValue)
		f.shiftCount(e.Y)
	case token.MUL, token.QUO:
		if e.Op == token.MUL && isFloat(f.Info.TypeOf(e)) {
			if in != useRounded && in != useFactor && in != useCompared {
				f.report(e, "product",
					"a float product that may be fused with a sum "+
						"(float32(x * y), or an operand of *, / or a comparison)")
			}
			f.zeroOperand(e, left, e.X)
			f.zeroOperand(e, right, e.Y)
		}
		f.expression(e.X, useFactor)
		f.expression(e.Y, useFactor)
	default:
		if isFloat(f.Info.TypeOf(e)) {
			f.zeroOperand(e, left, e.X)
			if e.Op == token.ADD {
				f.zeroOperand(e, right, e.Y)
			}
		}
		f.expression(e.X, useValue)
		f.expression(e.Y, useValue)
	}
}

// zeroOperand refuses a constant float zero as an operand: drivers fold it away, and the sign of zero with it.
func (f *function) zeroOperand(at ast.Node, t types.Type, operand ast.Expr) {
	value := f.Info.Types[operand].Value
	if !isFloat(t) || value == nil || constant.Sign(value) != 0 {
		return
	}
	f.report(at, "zero",
		"a float zero as an operand, which some compilers fold (leave the operation out, or negate by -x)")
}

// shiftCount checks that a shift count is a constant below 32 or masked.
func (f *function) shiftCount(count ast.Expr) {
	if value := f.Info.Types[count].Value; value != nil {
		// go/types accepts counts of other types.
		if t := f.Info.TypeOf(count); !isBasic(t, types.IsInteger|types.IsUntyped) {
			f.report(count, "shift", "a shift by a %s (0 to 31, of an integer type or none)", f.typeName(t))
		}
		if n, exact := constant.Int64Val(constant.ToInt(value)); !exact || n < 0 || n > 31 {
			f.report(count, "shift", "a shift by %s (0 to 31)", value)
		}
		return
	}
	if !f.isMasked(count) {
		f.report(count, "shift", "a shift by a variable that may be 32 or more (x << (n & 31))")
	}
	f.expression(count, useValue)
}

// isMasked says whether an integer is the result of & with a constant from 0 to 31.
func (f *function) isMasked(expression ast.Expr) bool {
	switch e := ast.Unparen(expression).(type) {
	case *ast.CallExpr:
		return source.IsConversion(f.Info, e) && len(e.Args) == 1 && f.isMasked(e.Args[0])
	case *ast.BinaryExpr:
		if e.Op != token.AND {
			return false
		}
		for _, operand := range []ast.Expr{e.X, e.Y} {
			value := f.Info.Types[operand].Value
			if value == nil {
				continue
			}
			if n, exact := constant.Int64Val(constant.ToInt(value)); exact && n >= 0 && n <= 31 {
				return true
			}
		}
	}
	return false
}

// composite checks a struct or array literal.
func (f *function) composite(e *ast.CompositeLit) {
	t := f.Info.TypeOf(e)
	if problem := typeProblem(t); problem != "" {
		f.report(e, "type", "a value of type %s: %s (%s)", f.typeName(t), problem, allowedTypes)
		return
	}
	for _, element := range e.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			element = pair.Value
		}
		if inner, ok := ast.Unparen(element).(*ast.CompositeLit); ok {
			f.composite(inner) // of an array too
			continue
		}
		f.expression(element, useValue)
	}
}
