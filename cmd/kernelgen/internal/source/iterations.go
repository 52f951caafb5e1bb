package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/kernel"
)

// allowedInBounds says what a bound on loop iterations is made of.
const allowedInBounds = "numbers, integer scalars of the kernel, len of its slices, items, lanes, constants, " +
	"functions of the package from float64 to float64, min, max, + - * / and brackets"

// readIterations reads the bound on loop iterations that a directive states.
func (k *Kernel) readIterations(at token.Pos, text string, report reporter) bool {
	if k.iterations != nil {
		report(at, "directive", "%s has two bounds on its loop iterations (one)", k.Object.Name())
		return false
	}
	expression, err := parser.ParseExpr(text)
	if err != nil {
		report(at, "directive", "%q is no expression (%s)", text, allowedInBounds)
		return false
	}
	k.iterations, k.iterationsAt = expression, at
	return true
}

// checkIterations reports what is wrong with the bound on loop iterations.
func (k *Kernel) checkIterations(report reporter) bool {
	if k.iterations == nil {
		return true
	}
	b := bound{kernel: k}
	b.text(k.iterations)
	if b.problem != "" {
		report(k.iterationsAt, "directive", "in the bound on loop iterations, %s (%s)", b.problem, allowedInBounds)
	}
	return b.problem == ""
}

// Iterations returns the bound on the loop iterations of a lane as a Go expression of type float64, "" if the kernel
// states none. items and args are the names of the number of items, an int32, and of the *kernel.Args.
func (k *Kernel) Iterations(items, args string) string {
	if k.iterations == nil {
		return ""
	}
	b := bound{kernel: k, items: items, args: args}
	return b.text(k.iterations)
}

// bound translates a bound on loop iterations.
type bound struct {
	kernel      *Kernel
	items, args string
	problem     string // the first one
}

// refuse notes a problem and returns no text.
func (b *bound) refuse(format string, arguments ...any) string {
	if b.problem == "" {
		b.problem = fmt.Sprintf(format, arguments...)
	}
	return ""
}

// text returns an expression in Go. All numbers are float64, so that no product overflows and no quotient is cut off.
func (b *bound) text(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return "(" + b.text(e.X) + ")"
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			return "float64(" + e.Value + ")"
		}
	case *ast.BinaryExpr:
		if slices.Contains([]token.Token{token.ADD, token.SUB, token.MUL, token.QUO}, e.Op) {
			return b.text(e.X) + " " + e.Op.String() + " " + b.text(e.Y)
		}
	case *ast.Ident:
		return b.name(e.Name)
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.Ident); ok && !e.Ellipsis.IsValid() {
			return b.call(f.Name, e.Args)
		}
	}
	return b.refuse("%s is not allowed", types.ExprString(e))
}

// name returns the value of a name: a parameter of the kernel, before what has the name elsewhere.
func (b *bound) name(name string) string {
	scalars := 0
	for _, param := range b.kernel.Params {
		switch {
		case param.Object.Name() == name && (param.Buffer || param.Type == kernel.Float32):
			return b.refuse("%s is of type %s", name, param.Object.Type())
		case param.Object.Name() == name && param.Type == kernel.Uint32:
			return fmt.Sprintf("float64(%s.Scalars[%d])", b.args, scalars)
		case param.Object.Name() == name:
			return fmt.Sprintf("float64(int32(%s.Scalars[%d]))", b.args, scalars)
		case !param.Buffer:
			scalars++
		}
	}
	switch name {
	case "items":
		return "float64(" + b.items + ")"
	case "lanes":
		return fmt.Sprintf("float64(%d)", max(1, b.kernel.Lanes))
	}
	if constant, ok := b.kernel.Object.Pkg().Scope().Lookup(name).(*types.Const); ok && isNumber(constant.Type()) {
		return "float64(" + name + ")"
	}
	return b.refuse("%s is no scalar, and no number of the package", name)
}

func isNumber(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0 && basic.Info()&types.IsComplex == 0
}

// call returns the value of a call.
func (b *bound) call(name string, arguments []ast.Expr) string {
	if name == "len" && len(arguments) == 1 {
		return b.length(arguments[0])
	}
	function, ok := b.kernel.Object.Pkg().Scope().Lookup(name).(*types.Func)
	builtin := name == "min" || name == "max"
	if !builtin && (!ok || !countsIterations(function.Signature(), len(arguments))) || builtin && len(arguments) == 0 {
		return b.refuse("%s is no function of %d numbers", name, len(arguments))
	}
	list := make([]string, len(arguments))
	for i, argument := range arguments {
		list[i] = b.text(argument)
	}
	return name + "(" + strings.Join(list, ", ") + ")"
}

// length returns the number of elements of a buffer.
func (b *bound) length(of ast.Expr) string {
	name, _ := of.(*ast.Ident)
	buffers := 0
	for _, param := range b.kernel.Params {
		if name != nil && param.Buffer && param.Object.Name() == name.Name {
			return fmt.Sprintf("float64(%s.Buffers[%d].Len)", b.args, buffers)
		}
		if param.Buffer {
			buffers++
		}
	}
	return b.refuse("%s is no slice of the kernel", types.ExprString(of))
}

// countsIterations says whether a function takes n float64 and returns one.
func countsIterations(s *types.Signature, n int) bool {
	if s.Variadic() || s.TypeParams() != nil || s.Params().Len() != n || s.Results().Len() != 1 {
		return false
	}
	for _, list := range []*types.Tuple{s.Params(), s.Results()} {
		for v := range list.Variables() {
			if !types.Identical(v.Type(), types.Typ[types.Float64]) {
				return false
			}
		}
	}
	return true
}
