package clike

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// expression returns the text of an expression, in parentheses where it is not a single operand.
func (w *writer) expression(expression ast.Expr) string {
	if tv, ok := w.info.Types[expression]; ok && tv.Value != nil {
		return w.constant(expression, tv.Value, tv.Type)
	}
	switch e := expression.(type) {
	case *ast.ParenExpr:
		return w.expression(e.X)
	case *ast.Ident:
		object := w.info.ObjectOf(e)
		if l, ok := w.lists[object]; ok {
			return l.place()
		}
		return w.locals[object]
	case *ast.SelectorExpr:
		if source.IsNamed(w.info.TypeOf(e.X), "Group") {
			return w.expression(e.X) // the parameter is its ID
		}
		return w.expression(e.X) + "." + w.fieldOf(e)
	case *ast.IndexExpr:
		return w.expression(e.X) + "[" + w.index(e) + "]"
	case *ast.UnaryExpr:
		return w.unary(e)
	case *ast.BinaryExpr:
		return w.binary(e)
	case *ast.CallExpr:
		return w.call(e)
	case *ast.CompositeLit:
		return w.composite(e, w.info.TypeOf(e))
	}
	w.problem(expression, "an expression that cannot be translated")
	return "0"
}

// bare returns an expression without the parentheses around all of it.
func bare(text string) string {
	if !strings.HasPrefix(text, "(") || !strings.HasSuffix(text, ")") {
		return text
	}
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(text)-1 {
			return text
		}
	}
	return text[1 : len(text)-1]
}

// value returns the text of an expression that stands alone.
func (w *writer) value(e ast.Expr) string {
	text := bare(w.expression(e))
	if tv, ok := w.info.Types[e]; ok && tv.Value != nil {
		return w.alone(text, tv.Type)
	}
	return text
}

// alone returns the text of a constant that is no operand. In GLSL it hides a float behind the zero that no compiler
// knows. A compiler that knows numbers may find a zero among their results, and would fold x + 0 and x * 0. A constant
// operand beside an unknown one needs no hiding.
func (w *writer) alone(text string, t types.Type) string {
	if w.Language != GLSL || w.typeName(t) != "float" || text == w.zeroFloat() {
		return text
	}
	return w.hidden(text)
}

// hidden returns a float as a number that compilers cannot compute with, in GLSL. What is converted from an integer is
// hidden because it may be a zero, the first number of an unrolled loop, and because drivers replace the conversions of
// an integer to a float and back by the integer, though the float may be rounded.
func (w *writer) hidden(text string) string { return w.uses("kg_hidden") + "(" + text + ")" }

// hiddenInt and hiddenBits follow a number that compilers are not to know. It is an "or", because what is hidden may be
// hidden again, and compilers know that x ^ y ^ y is x.
const (
	hiddenInt  = " | floatBitsToInt(kg_zero)"
	hiddenBits = " | floatBitsToUint(kg_zero)"
)

// index returns the text of the index of an element.
func (w *writer) index(e *ast.IndexExpr) string {
	if name, ok := ast.Unparen(e.X).(*ast.Ident); ok {
		if l, ok := w.lists[w.info.ObjectOf(name)]; ok {
			return w.indexOf(l, e.Index)
		}
	}
	return w.value(e.Index)
}

// indexOf returns the text of the index of a list. A helper that is given several arrays may test the length before it
// names an element that one of them does not have. GLSL compilers refuse to read such a constant.
func (w *writer) indexOf(l list, index ast.Expr) string {
	text := w.value(index)
	value := w.info.Types[index].Value
	if w.Language != GLSL || value == nil {
		return text
	}
	length, err := strconv.ParseInt(l.length, 10, 64) // of an array
	n, _ := constant.Int64Val(constant.ToInt(value))
	if err != nil || n < length {
		return text
	}
	return w.integer(n) + hiddenInt
}

func (w *writer) fieldOf(e *ast.SelectorExpr) string {
	s, ok := w.info.TypeOf(e.X).Underlying().(*types.Struct)
	if !ok {
		w.problem(e, "a field of what is no struct")
		return "_"
	}
	for i := range s.NumFields() {
		if s.Field(i).Name() == e.Sel.Name {
			return w.fields(w.info.TypeOf(e.X))[i]
		}
	}
	return "_"
}

func (w *writer) unary(e *ast.UnaryExpr) string {
	x := w.expression(e.X)
	switch e.Op {
	case token.ADD:
		return x
	case token.NOT:
		return "(!" + x + ")"
	case token.XOR:
		return "(~" + x + ")"
	}
	switch w.typeName(w.info.TypeOf(e.X)) {
	case "int":
		if w.Language == CUDA {
			return w.uses("kg_neg") + "(" + bare(x) + ")"
		}
	case "uint", "unsigned":
		return "(0u - " + x + ")"
	case "float":
		if w.Language == GLSL { // a driver that flushes denormals does so in a negation too
			return "uintBitsToFloat(floatBitsToUint(" + bare(x) + ") ^ 0x80000000u)"
		}
	}
	return "(-" + x + ")"
}

func (w *writer) binary(e *ast.BinaryExpr) string {
	x, y := w.expression(e.X), w.rightOperand(e.Op, e.Y)
	switch e.Op {
	case token.NEQ, token.EQL, token.LEQ, token.GEQ:
		if text, ok := w.selfComparison(e, x, y); ok {
			return text
		}
		fallthrough
	case token.LSS, token.GTR, token.LAND, token.LOR:
		return "(" + x + " " + e.Op.String() + " " + y + ")"
	}
	return w.operation(e.Op, w.info.TypeOf(e), x, y, w.info.Types[e.Y].Value)
}

// rightOperand returns the text of y in x op y. A shift count may be an untyped constant such as 2.0, which both
// languages take for a float.
func (w *writer) rightOperand(op token.Token, y ast.Expr) string {
	value := w.info.Types[y].Value
	if value == nil || op != token.SHL && op != token.SHR || w.typeName(w.info.TypeOf(y)) != "float" {
		return w.expression(y)
	}
	count, _ := constant.Int64Val(constant.ToInt(value))
	return w.integer(count)
}

// selfComparison returns x != x as a test for a NaN in GLSL, whose compilers may assume that there is none. The other
// comparisons of x and x that a NaN decides are the opposite.
func (w *writer) selfComparison(e *ast.BinaryExpr, x, y string) (string, bool) {
	if w.Language != GLSL || x != y || w.typeName(w.info.TypeOf(e.X)) != "float" {
		return "", false
	}
	test := w.uses("kg_is_nan") + "(" + bare(x) + ")"
	if e.Op != token.NEQ {
		test = "(!" + test + ")"
	}
	return test, true
}

// operation returns x op y of numbers of type t. divisor is y where it is constant.
func (w *writer) operation(op token.Token, t types.Type, x, y string, divisor constant.Value) string {
	call := func(name string) string { return w.uses(name) + "(" + bare(x) + ", " + bare(y) + ")" }
	infix := func(operator string) string { return "(" + x + " " + operator + " " + y + ")" }
	kind := w.typeName(t)
	switch {
	case op == token.AND_NOT:
		return "(" + x + " & ~" + y + ")"
	case kind == "float" && op == token.QUO && w.Language == GLSL:
		return call("kg_div")
	case kind != "int":
		return infix(op.String())
	}
	if op == token.QUO || op == token.REM {
		positive := divisor != nil && constant.Sign(divisor) > 0
		switch {
		case positive && op == token.QUO, positive && w.Language == CUDA:
			return infix(op.String())
		case op == token.QUO:
			return call("kg_quo")
		}
		w.uses("kg_quo")
		return call("kg_rem")
	}
	if name, ok := wrapping[op]; ok && w.Language == CUDA {
		return call(name)
	}
	return infix(op.String())
}

// wrapping are the operations of int32 that overflow, which C leaves undefined.
var wrapping = map[token.Token]string{
	token.ADD: "kg_add", token.SUB: "kg_sub", token.MUL: "kg_mul", token.SHL: "kg_shl",
}

func (w *writer) call(call *ast.CallExpr) string {
	if source.IsConversion(w.info, call) {
		return w.conversion(call)
	}
	if name := source.Builtin(w.info, call); name != "" {
		return w.builtin(call, name)
	}
	callee := source.Callee(w.info, call)
	if callee == nil {
		w.problem(call, "a call of what is no declared function (call functions and methods by name)")
		return "0"
	}
	if source.IsAtomic(callee) {
		return w.atomic(call, callee)
	}
	if source.IsIntrinsic(callee) {
		argument := w.value(call.Args[0])
		if callee.Name() == "Float32FromBits" && w.Language == GLSL {
			argument = w.expression(call.Args[0]) + hiddenBits
		}
		return w.intrinsic(callee.Name()) + "(" + argument + ")"
	}
	return w.helper(call, callee)
}

func (w *writer) intrinsic(name string) string {
	switch name {
	case "Float32Bits":
		if w.Language == GLSL {
			return "floatBitsToUint"
		}
		return w.uses("kg_bits")
	case "Float32FromBits":
		if w.Language == GLSL {
			return "uintBitsToFloat"
		}
		return w.uses("kg_float")
	case "ToInt32":
		return w.uses("kg_to_int")
	}
	return w.uses("kg_sqrt")
}

func (w *writer) conversion(call *ast.CallExpr) string {
	argument := call.Args[0]
	to, text := w.typeName(w.info.TypeOf(call)), w.expression(argument)
	from := w.typeName(w.info.TypeOf(argument))
	if from == to {
		return text
	}
	converted := to + "(" + bare(text) + ")"
	if to == "float" && w.Language == GLSL {
		if from == "uint" {
			converted = w.uses("kg_from_uint") + "(" + bare(text) + ")"
		}
		return w.hidden(converted)
	}
	return converted
}

func (w *writer) builtin(call *ast.CallExpr, name string) string {
	if name == "len" {
		return w.list(call.Args[0]).length // of arrays it is constant
	}
	text, function := w.expression(call.Args[0]), w.uses("kg_"+name)
	for _, argument := range call.Args[1:] {
		text = function + "(" + bare(text) + ", " + w.value(argument) + ")"
	}
	return text
}

func (w *writer) atomic(call *ast.CallExpr, callee *types.Func) string {
	l := w.list(call.Args[0])
	if l.storage == own {
		w.problem(call, "%s of an array that one item owns (atomics are for buffers and arrays of the group)",
			callee.Name())
	}
	element, value := l.place()+"["+w.indexOf(l, call.Args[1])+"]", w.value(call.Args[2])
	if w.Language == GLSL {
		return "atomic" + strings.TrimPrefix(callee.Name(), "Atomic") + "(" + element + ", " + value + ")"
	}
	function := w.uses("kg_atomic_" + strings.ToLower(strings.TrimPrefix(callee.Name(), "Atomic")))
	return function + "(&" + element + ", " + value + ")"
}

// composite returns the text of a struct or array literal.
func (w *writer) composite(e *ast.CompositeLit, t types.Type) string {
	w.arraysSeen = w.arraysSeen || hasArray(t)
	var elements []types.Type
	switch underlying := t.Underlying().(type) {
	case *types.Struct:
		for f := range underlying.Fields() {
			elements = append(elements, f.Type())
		}
	case *types.Array:
		for range underlying.Len() {
			elements = append(elements, underlying.Elem())
		}
	}
	texts := make([]string, len(elements))
	next := 0
	for _, element := range e.Elts {
		value := element
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			value = pair.Value
			next = w.position(pair.Key, t)
		}
		if literal, ok := ast.Unparen(value).(*ast.CompositeLit); ok {
			texts[next] = w.composite(literal, elements[next])
		} else {
			texts[next] = w.value(value)
		}
		next++
	}
	for i, text := range texts {
		if text == "" {
			texts[i] = w.zero(elements[i])
		}
	}
	_, isArray := t.Underlying().(*types.Array)
	switch {
	case w.Language == GLSL:
		return w.typeName(t) + dimensions(t) + "(" + strings.Join(texts, ", ") + ")"
	case isArray:
		return "{" + strings.Join(texts, ", ") + "}"
	}
	return w.typeName(t) + "{" + strings.Join(texts, ", ") + "}"
}

// position returns which field or element a key of a literal names.
func (w *writer) position(key ast.Expr, t types.Type) int {
	if s, ok := t.Underlying().(*types.Struct); ok {
		for i := range s.NumFields() {
			if name, ok := key.(*ast.Ident); ok && s.Field(i).Name() == name.Name {
				return i
			}
		}
		return 0
	}
	index, _ := constant.Int64Val(constant.ToInt(w.info.Types[key].Value))
	return int(index)
}
