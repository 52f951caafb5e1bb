package emit

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

func number(n int64) string { return strconv.FormatInt(n, 10) }

func (w *twinWriter) expressions(list []ast.Expr) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = w.expression(e)
	}
	return strings.Join(texts, ", ")
}

// expression returns the text of an expression that is read.
func (w *twinWriter) expression(expression ast.Expr) string {
	info := w.current.Info
	if tv, ok := info.Types[expression]; ok && tv.Value != nil && w.folds(expression) {
		return w.literal(expression, tv.Value, tv.Type)
	}
	switch e := expression.(type) {
	case *ast.BasicLit:
		return e.Value
	case *ast.Ident:
		return w.identifier(e)
	case *ast.ParenExpr:
		return "(" + w.expression(e.X) + ")"
	case *ast.SelectorExpr:
		if name, ok := e.X.(*ast.Ident); ok {
			if _, ok := info.Uses[name].(*types.PkgName); ok {
				return w.global(e, info.Uses[e.Sel])
			}
		}
		return w.expression(e.X) + "." + e.Sel.Name
	case *ast.IndexExpr:
		return w.indexed(e, kernel.Read)
	case *ast.SliceExpr:
		return w.slice(e)
	case *ast.UnaryExpr:
		operand := w.expression(e.X)
		if strings.HasPrefix(operand, e.Op.String()) {
			operand = " " + operand // two minus signs would be a decrement
		}
		return e.Op.String() + operand
	case *ast.BinaryExpr:
		if (e.Op == token.QUO || e.Op == token.REM) && w.mayFail(e.X, e.Y) {
			operation := "Divide"
			if e.Op == token.REM {
				operation = "Remainder"
			}
			return fmt.Sprintf("twin.%s(run, %s, %s, %d)", operation, w.expression(e.X), w.expression(e.Y), w.site(e))
		}
		return w.expression(e.X) + " " + e.Op.String() + " " + w.expression(e.Y)
	case *ast.CallExpr:
		return w.call(e)
	case *ast.CompositeLit:
		return w.composite(e)
	case *ast.KeyValueExpr:
		if name, ok := e.Key.(*ast.Ident); ok {
			return name.Name + ": " + w.expression(e.Value)
		}
		return w.expression(e.Key) + ": " + w.expression(e.Value)
	default:
		w.problem(expression, "%T cannot be instrumented", expression)
		return "0"
	}
}

// folds says whether a constant expression is written as its value: one of another package, whose names are not known
// here, or a length, which the arrays of twins do not have.
func (w *twinWriter) folds(expression ast.Expr) bool {
	if w.current.Object.Pkg() != w.into {
		return true
	}
	found := false
	ast.Inspect(expression, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		found = found || ok && source.Builtin(w.current.Info, call) != ""
		return !found
	})
	return found
}

// mayFail says whether a division is one of integers whose divisor may be 0 or -1.
func (w *twinWriter) mayFail(x, y ast.Expr) bool {
	basic, ok := w.current.Info.TypeOf(x).Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 {
		return false
	}
	divisor := w.current.Info.Types[y].Value
	if divisor != nil && w.current.Info.Types[x].Value != nil {
		return false // a constant, which the compiler has divided
	}
	return divisor == nil || constant.Sign(divisor) <= 0
}

func (w *twinWriter) identifier(name *ast.Ident) string {
	object := w.current.Info.ObjectOf(name)
	if local, ok := w.locals[object]; ok {
		return local
	}
	if object != nil && object.Pkg() != nil && object.Parent() == object.Pkg().Scope() {
		return w.global(name, object)
	}
	return name.Name
}

// global returns the name of an object of a package's outermost scope.
func (w *twinWriter) global(at ast.Node, object types.Object) string {
	switch {
	case object == nil:
		w.problem(at, "nothing is known of this name")
		return "_"
	case object.Pkg() == w.into:
		return object.Name()
	case !object.Exported():
		w.problem(at, "%s of package %s is not exported (what kernels of another package use must be)", object.Name(),
			object.Pkg().Path())
	}
	return w.importName(object.Pkg()) + "." + object.Name()
}

// checked returns the text of a slice or shared array that package twin checks; ok is false for arrays that belong to
// one item.
func (w *twinWriter) checked(expression ast.Expr) (text string, ok bool) {
	switch e := expression.(type) {
	case *ast.ParenExpr:
		return w.checked(e.X)
	case *ast.SliceExpr:
		return w.checked(e.X)
	case *ast.Ident:
		object := w.current.Info.ObjectOf(e)
		if object == nil {
			return "", false
		}
		_, isSlice := object.Type().Underlying().(*types.Slice)
		return w.identifier(e), isSlice || w.shared[object]
	case *ast.IndexExpr:
		// A row of a two-dimensional shared array.
		rows, ok := w.checked(e.X)
		if _, isArray := w.current.Info.TypeOf(e).Underlying().(*types.Array); !ok || !isArray {
			return "", false
		}
		return fmt.Sprintf("%s.Row(%s, %d)", rows, w.index(e.Index), w.site(e)), true
	}
	return "", false
}

// index returns the text of an index as an int32.
func (w *twinWriter) index(expression ast.Expr) string {
	text := w.expression(expression)
	if basic, ok := w.current.Info.TypeOf(expression).Underlying().(*types.Basic); ok && basic.Kind() == types.Uint32 {
		return "int32(" + text + ")" // from 1<<31 on it is negative, which no array has either
	}
	return text
}

// indexed returns the text of an element. Of a checked slice it is the value, or the pointer if the element is written.
func (w *twinWriter) indexed(e *ast.IndexExpr, mode kernel.Access) string {
	if slice, ok := w.checked(e.X); ok {
		method := map[kernel.Access]string{kernel.Read: "Read", kernel.Write: "Write", kernel.ReadWrite: "Update"}[mode]
		return fmt.Sprintf("%s.%s(%s, %d)", slice, method, w.index(e.Index), w.site(e))
	}
	var array string
	if mode == kernel.Read {
		array = w.expression(e.X)
	} else {
		array = w.inside(e.X, mode)
	}
	if w.current.Info.Types[e.Index].Value != nil {
		return array + "[" + w.expression(e.Index) + "]"
	}
	length := int64(0)
	if list, ok := w.current.Info.TypeOf(e.X).Underlying().(*types.Array); ok {
		length = list.Len()
	}
	return fmt.Sprintf("%s[run.Index(%s, %d, %d)]", array, w.index(e.Index), length, w.site(e))
}

// inside returns the text of a place of which a part is written. A checked place is written through a pointer.
func (w *twinWriter) inside(expression ast.Expr, mode kernel.Access) string {
	switch e := expression.(type) {
	case *ast.ParenExpr:
		return w.inside(e.X, mode)
	case *ast.SelectorExpr:
		return w.inside(e.X, mode) + "." + e.Sel.Name
	case *ast.IndexExpr:
		return w.indexed(e, mode)
	}
	return w.expression(expression)
}

// place returns the text of an expression that is assigned to.
func (w *twinWriter) place(expression ast.Expr, mode kernel.Access) string {
	expression = ast.Unparen(expression)
	if name, ok := expression.(*ast.Ident); ok && name.Name == "_" {
		return "_"
	}
	text := w.inside(expression, mode)
	if w.isPointer(expression) {
		return "*" + text
	}
	return text
}

// address returns the text of a pointer to an expression that is changed in place.
func (w *twinWriter) address(expression ast.Expr) string {
	expression = ast.Unparen(expression)
	text := w.inside(expression, kernel.ReadWrite)
	if w.isPointer(expression) {
		return text
	}
	return "&" + text
}

// isPointer says whether inside writes an expression as a pointer to it.
func (w *twinWriter) isPointer(expression ast.Expr) bool {
	e, ok := expression.(*ast.IndexExpr)
	if !ok {
		return false
	}
	sites := len(w.sites)
	_, checked := w.checked(e.X)
	w.sites, w.texts = w.sites[:sites], w.texts[:sites] // asked, not written
	return checked
}

// slice returns the text of x[:] as an argument.
func (w *twinWriter) slice(e *ast.SliceExpr) string {
	if text, ok := w.checked(e.X); ok {
		return text
	}
	return "twin.Local(run, " + w.inside(e.X, kernel.ReadWrite) + "[:])"
}

func (w *twinWriter) call(call *ast.CallExpr) string {
	info := w.current.Info
	if source.IsConversion(info, call) {
		return w.typeText(call, info.TypeOf(call.Fun)) + "(" + w.expressions(call.Args) + ")"
	}
	if name := source.Builtin(info, call); name != "" {
		if slice, ok := w.checked(call.Args[0]); ok && name == "len" {
			return slice + ".Len()"
		}
		return name + "(" + w.expressions(call.Args) + ")"
	}
	callee := source.Callee(info, call)
	if callee == nil {
		w.problem(call, "the function called is not known")
		return "0"
	}
	if source.IsAtomic(callee) {
		slice, ok := w.checked(call.Args[0])
		if !ok {
			w.problem(call, "%s of an array that one item owns", callee.Name())
		}
		return fmt.Sprintf("twin.%s(%s, %s, %d)", callee.Name(), slice, w.expressions(call.Args[1:]), w.site(call))
	}
	receiver := source.Receiver(info, call)
	if !w.needsCopy(callee) {
		if receiver != nil {
			return w.expression(receiver) + "." + callee.Name() + "(" + w.expressions(call.Args) + ")"
		}
		return w.global(call, callee) + "(" + w.expressions(call.Args) + ")"
	}
	function := w.program.Function(callee)
	if function == nil {
		w.problem(call, "the source of %s is not known", callee.FullName())
		return "0"
	}
	arguments := call.Args
	if receiver != nil {
		arguments = append([]ast.Expr{receiver}, arguments...)
	}
	name := w.copyOf(function)
	text := name + "(run"
	for _, argument := range arguments {
		text += ", " + w.expression(argument)
	}
	return text + ")"
}

func (w *twinWriter) composite(e *ast.CompositeLit) string {
	text := ""
	if e.Type != nil {
		text = w.typeText(e, w.current.Info.TypeOf(e))
	}
	return text + "{" + w.expressions(e.Elts) + "}"
}
