package check

import (
	"go/ast"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

func (f *function) call(call *ast.CallExpr, in use) {
	if source.IsConversion(f.Info, call) {
		f.conversion(call)
		return
	}
	if name := source.Builtin(f.Info, call); name != "" {
		f.builtin(call, name)
		return
	}
	callee := source.Callee(f.Info, call)
	if callee == nil {
		if literal, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
			f.refusedForm(literal)
			return
		}
		f.report(call, "call", "a call of what is no declared function (call functions and methods by name)")
		return
	}
	if source.IsEach(f.Info, call) {
		f.report(call, "phase", "g.Each outside of a range (for i := range g.Each(n))")
		return
	}
	if !f.callee(call, callee) {
		return
	}
	if receiver := source.Receiver(f.Info, call); receiver != nil {
		f.expression(receiver, useValue)
	}
	f.arguments(call, callee)
	f.effect(call, callee, in)
	results := callee.Signature().Results().Len()
	switch {
	case in == useStatement:
	case results == 0:
		f.report(call, "call", "%s returns nothing (call it as a statement)", callee.Name())
	case results > 1 && in != useTuple:
		f.report(call, "call", "the results of %s are passed on at once (assign them to variables first)",
			callee.Name())
	}
}

// callee checks which function is called, and the function itself.
func (f *function) callee(call *ast.CallExpr, callee *types.Func) bool {
	function := f.program.Function(callee)
	switch {
	case source.IsIntrinsic(callee):
		return true
	case f.kernels[callee]:
		f.report(call, "call", "%s is a kernel (put what both do into a helper)", callee.Name())
		return false
	case function == nil:
		f.report(call, "call",
			"the source of %s is not known (call helpers of this module, of its dependencies and of package kernel)",
			callee.FullName())
		return false
	case function.ModuleDir == "":
		f.report(call, "call", "%s is of the standard library (package kernel has what kernels call)",
			callee.FullName())
		return false
	}
	switch f.state[callee] {
	case open:
		f.report(call, "recursion", "%s calls itself, directly or not (use a loop)", callee.Name())
		return false
	case unseen:
		f.follow(function)
	}
	return true
}

func (f *function) arguments(call *ast.CallExpr, callee *types.Func) {
	parameters := callee.Signature().Params()
	if callee.Signature().Variadic() {
		return // refused where it is declared
	}
	for i, argument := range call.Args {
		if i >= parameters.Len() || !isSlice(parameters.At(i).Type()) {
			f.expression(argument, useCount) // of an int, the parameter is refused
			continue
		}
		f.listArgument(argument)
	}
}

// listArgument checks the argument for a slice: a slice parameter, or x[:] of an array.
func (f *function) listArgument(argument ast.Expr) {
	argument = ast.Unparen(argument)
	if slice, ok := argument.(*ast.SliceExpr); ok {
		if slice.Low != nil || slice.High != nil || slice.Max != nil {
			f.report(slice, "list", "a part of a slice (pass x[:] and the bounds as numbers)")
			return
		}
		argument = ast.Unparen(slice.X)
	}
	root := source.RootVariable(argument)
	if root == nil || !source.IsList(f.Info.TypeOf(argument)) {
		f.report(argument, "list",
			"a slice that is no parameter and no array (pass a slice parameter, or x[:] of an array)")
		return
	}
	if _, isIndex := argument.(*ast.IndexExpr); !isIndex && argument != ast.Expr(root) {
		if variable, ok := f.Info.ObjectOf(root).(*types.Var); ok &&
			(isSlice(variable.Type()) || f.isShared(variable)) {
			f.report(argument, "list", "an array inside an element (copy the element to a variable first)")
			return
		}
	}
	f.expression(argument, useList)
}

// effect checks that a call which writes memory stands where it may.
func (f *function) effect(call *ast.CallExpr, callee *types.Func, in use) {
	writes := false
	for i, argument := range call.Args {
		if f.analysis.Argument(f.Info, call, i)&kernel.Write == 0 {
			continue
		}
		writes = true
		if slice, ok := ast.Unparen(argument).(*ast.SliceExpr); ok {
			argument = slice.X
		}
		root := source.RootVariable(argument)
		variable, ok := f.Info.ObjectOf(root).(*types.Var)
		if ok && f.phase != nil && f.kernel.Group && !within(variable.Pos(), f.phase) && !isSlice(variable.Type()) &&
			!f.isShared(variable) {
			f.report(call.Args[i], "phase",
				"%s belongs to the group and is written by %s in a phase (keep what an item computes in an array)",
				root.Name, callee.Name())
		}
	}
	if !writes {
		return
	}
	if f.groupScope() {
		f.report(call, "group-scope",
			"%s writes memory at group scope (call it in a phase; range g.Each(1) is a phase of one item)",
			callee.Name())
		return
	}
	if in != useStatement && in != useSole && in != useTuple {
		f.report(call, "effect",
			"%s writes a slice inside an expression (make the call a statement, or all of an assignment's right side)",
			callee.Name())
	}
}

func (f *function) conversion(call *ast.CallExpr) {
	to := f.Info.TypeOf(call)
	argument := call.Args[0]
	from := f.Info.TypeOf(argument)
	if isBasic(to, types.IsInteger) && isFloat(from) && f.Info.Types[argument].Value == nil {
		f.report(call, "conversion", "a float converted to %s, which differs between machines (kernel.ToInt32)",
			f.typeName(to))
		f.expression(argument, useRounded)
		return
	}
	if problem := typeProblem(to); problem != "" || !isBasic(to, types.IsInteger|types.IsFloat|types.IsBoolean) {
		f.report(call, "conversion", "a conversion to %s (int32, uint32 and float32 are converted to)", f.typeName(to))
		return
	}
	if inner, ok := ast.Unparen(argument).(*ast.CallExpr); ok && source.Builtin(f.Info, inner) == "len" &&
		len(inner.Args) == 1 {
		if name, ok := ast.Unparen(inner.Args[0]).(*ast.Ident); ok && source.IsList(f.Info.TypeOf(name)) {
			return
		}
	}
	use := useValue
	if isFloat(to) {
		use = useRounded
	}
	f.expression(argument, use)
}

func (f *function) builtin(call *ast.CallExpr, name string) {
	switch name {
	case "min", "max":
		for _, argument := range call.Args {
			if isFloat(f.Info.TypeOf(argument)) {
				f.report(call, "builtin", "%s of floats, whose NaN and zeros differ between machines (kernel.%s)",
					name, source.LauncherName(name))
				return
			}
		}
		for _, argument := range call.Args {
			f.expression(argument, useValue)
		}
	case "len":
		f.report(call, "builtin", "len gives an int (int32(len(x)) of a slice parameter or an array)")
	default:
		f.report(call, "builtin", "%s (len, and min and max of integers, are the only builtin functions)", name)
	}
}
