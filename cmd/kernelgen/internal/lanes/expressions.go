package lanes

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

func rootOf(info *types.Info, e ast.Expr) *types.Var {
	root := source.RootVariable(e)
	if root == nil {
		return nil
	}
	v, _ := info.ObjectOf(root).(*types.Var)
	return v
}

// expression returns the value of an expression, its text in parentheses where it is not a single operand.
func (w *writer) expression(e ast.Expr) value {
	if tv, ok := w.info.Types[e]; ok && tv.Value != nil {
		return value{w.words.Constant(e, tv.Value, tv.Type), uniform}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return w.expression(e.X)
	case *ast.Ident:
		v, _ := w.info.ObjectOf(e).(*types.Var)
		return value{w.locals[v], max(w.flow.vars[v], uniform)}
	case *ast.SelectorExpr:
		if source.IsNamed(w.info.TypeOf(e.X), "Group") {
			return w.expression(e.X) // the parameter is its ID
		}
		if source.RootVariable(e) == nil {
			x := w.expression(e.X)
			return value{x.text + "." + w.fieldName(e), spread(x.class)}
		}
		return w.read(w.place(e))
	case *ast.IndexExpr:
		return w.read(w.place(e))
	case *ast.UnaryExpr:
		return w.unary(e)
	case *ast.BinaryExpr:
		return w.binary(e)
	case *ast.CallExpr:
		return w.call(e)
	case *ast.CompositeLit:
		return w.composite(e, w.info.TypeOf(e))
	}
	w.problem(e, "an expression that cannot be translated")
	return value{"0", uniform}
}

func (w *writer) unary(e *ast.UnaryExpr) value {
	x := w.expression(e.X)
	if e.Op == token.ADD {
		return x
	}
	t := w.info.TypeOf(e.X)
	text, c := x.text, spread(x.class)
	if c.vector() {
		text = w.vector(x, t)
	}
	switch {
	case e.Op == token.NOT && !c.vector():
		return value{"(!" + text + ")", c}
	case e.Op == token.NOT, e.Op == token.XOR:
		return value{"(~" + text + ")", c}
	}
	return value{"(-" + text + ")", c}
}

func (w *writer) binary(e *ast.BinaryExpr) value {
	if e.Op == token.LAND || e.Op == token.LOR {
		return w.logical(e)
	}
	x, y := w.expression(e.X), w.rightOperand(e.Op, e.Y)
	switch e.Op {
	case token.NEQ, token.EQL, token.LEQ, token.GEQ, token.LSS, token.GTR:
		return w.comparison(e, x, y)
	}
	return w.operation(e.Op, w.info.TypeOf(e), x, y, e.Y)
}

// rightOperand returns y of x op y. A shift count may be an untyped constant such as 2.0.
func (w *writer) rightOperand(op token.Token, y ast.Expr) value {
	tv := w.info.Types[y]
	if tv.Value == nil || op != token.SHL && op != token.SHR {
		return w.expression(y)
	}
	count, _ := constant.Int64Val(constant.ToInt(tv.Value))
	return value{fmt.Sprint(count), uniform}
}

func (w *writer) comparison(e *ast.BinaryExpr, x, y value) value {
	t := w.info.TypeOf(e.X)
	if x.class <= uniform && y.class <= uniform {
		return value{"(" + x.text + " " + e.Op.String() + " " + y.text + ")", uniform}
	}
	if kindOf(t) == "bool" {
		text := "(" + w.vector(x, t) + " ^ " + w.vector(y, t) + ")"
		if e.Op == token.EQL {
			text = "(~" + text + ")"
		}
		return value{text, varying}
	}
	return value{"(" + w.operand(x, t) + " " + e.Op.String() + " " + w.operand(y, t) + ")", varying}
}

// operand returns an operand beside a vector, which may be a scalar.
func (w *writer) operand(v value, t types.Type) string {
	if v.class == consecutive {
		return w.vector(v, t)
	}
	return v.text
}

// operation returns x op y of numbers of type t; divisor is y in the source.
func (w *writer) operation(op token.Token, t types.Type, x, y value, divisor ast.Expr) value {
	c := spread(max(x.class, y.class))
	if kindOf(t) == "int" && (op == token.ADD || op == token.SUB) {
		c = sum(x.class, y.class, op == token.SUB)
	}
	left, right := x.text, y.text
	if c.vector() {
		left, right = w.operand(x, t), w.operand(y, t)
	}
	switch {
	case op == token.AND_NOT:
		return value{"(" + left + " & ~" + right + ")", c}
	case op == token.SHL || op == token.SHR:
		return w.shift(op, t, x, y, c)
	case (op == token.QUO || op == token.REM) && kindOf(t) != "float" && (divisor == nil || !w.positive(divisor)):
		if c.vector() {
			left, right = w.vector(x, t), w.vector(y, t)
		}
		function := map[token.Token]string{token.QUO: "kg_quo", token.REM: "kg_rem"}[op]
		return value{function + "(" + clike.Bare(left) + ", " + clike.Bare(right) + ")", c}
	}
	return value{"(" + left + " " + op.String() + " " + right + ")", c}
}

func (w *writer) positive(divisor ast.Expr) bool {
	v := w.info.Types[divisor].Value
	return v != nil && constant.Sign(v) > 0
}

// shift returns x shifted by y, which is below 32 and may be of another type.
func (w *writer) shift(op token.Token, t types.Type, x, y value, c class) value {
	function := map[token.Token]string{token.SHL: "kg_shl", token.SHR: "kg_shr"}[op]
	left, right := x.text, y.text
	if c.vector() {
		left = w.vector(x, t)
		switch {
		case y.class == consecutive:
			right = "kg_from(" + right + ")"
		case y.class <= uniform:
			right = "vi((int)" + right + ")"
		default:
			right = "(vi)" + right
		}
	}
	return value{function + "(" + clike.Bare(left) + ", " + clike.Bare(right) + ")", c}
}

// logical returns x && y or x || y. Lanes that do not need y are off while it reads memory.
func (w *writer) logical(e *ast.BinaryExpr) value {
	and := e.Op == token.LAND
	x := w.expression(e.X)
	if x.class <= uniform && w.flow.classOf(e.Y) <= uniform {
		y := w.expression(e.Y)
		return value{"(" + x.text + " " + e.Op.String() + " " + y.text + ")", uniform}
	}
	operator := map[bool]string{true: " & ", false: " | "}[and]
	t := types.Typ[types.Bool]
	left := w.vector(x, t)
	if !w.flow.needsMask(e.Y) {
		return value{"(" + left + operator + w.vector(w.expression(e.Y), t) + ")", varying}
	}
	return w.guarded(x, e.Y, and)
}

// guarded returns x && y or x || y, with the lanes off that do not need y.
func (w *writer) guarded(x value, y ast.Expr, and bool) value {
	t := types.Typ[types.Bool]
	left := w.vector(x, t)
	first := w.temporary()
	w.line("vi %s = %s;", first, clike.Bare(left))
	name := w.temporary()
	if and {
		w.line("vi %s = %s & %s;", name, w.mask(), first)
	} else {
		w.line("vi %s = %s & ~%s;", name, w.mask(), first)
	}
	w.open("if (kg_any(%s))", name)
	w.masks = append(w.masks, &mask{name: name})
	right := w.vector(w.expression(y), t)
	w.masks = w.masks[:len(w.masks)-1]
	w.line("%s &= %s;", name, right)
	w.close()
	if and {
		return value{name, varying}
	}
	return value{"(" + first + " | " + name + ")", varying}
}

func (w *writer) call(call *ast.CallExpr) value {
	if source.IsConversion(w.info, call) {
		return w.conversion(call)
	}
	if name := source.Builtin(w.info, call); name != "" {
		return w.builtin(call, name)
	}
	callee := source.Callee(w.info, call)
	if callee == nil {
		w.problem(call, "a call of what is no declared function (call functions and methods by name)")
		return value{"0", uniform}
	}
	if source.IsAtomic(callee) {
		w.problem(call, "an atomic in an expression (make it a statement)")
		return value{"0", uniform}
	}
	if source.IsIntrinsic(callee) {
		function := map[string]string{"Float32Bits": "kg_bits", "Float32FromBits": "kg_float", "ToInt32": "kg_to_int",
			"Sqrt": "kg_sqrt"}[callee.Name()]
		x := w.expression(call.Args[0])
		c := spread(x.class)
		return value{function + "(" + w.as(x, w.info.TypeOf(call.Args[0]), c) + ")", c}
	}
	return w.helper(call, callee)
}

func (w *writer) conversion(call *ast.CallExpr) value {
	argument := call.Args[0]
	x := w.expression(argument)
	to, from := kindOf(w.info.TypeOf(call)), kindOf(w.info.TypeOf(argument))
	if from == to {
		return x
	}
	if x.class <= uniform {
		return value{to + "(" + clike.Bare(x.text) + ")", uniform}
	}
	text := w.vector(x, w.info.TypeOf(argument))
	if to == "float" {
		return value{"kg_to_float(" + clike.Bare(text) + ")", varying}
	}
	return value{"(" + "(" + vectors[to] + ")" + text + ")", varying}
}

func (w *writer) builtin(call *ast.CallExpr, name string) value {
	if name == "len" {
		if array, ok := w.info.TypeOf(call.Args[0]).Underlying().(*types.Array); ok {
			return value{fmt.Sprint(array.Len()), uniform}
		}
		return value{w.list(call.Args[0]).length, uniform}
	}
	c := w.flow.callClass(call)
	t := w.info.TypeOf(call)
	text := ""
	for i, argument := range call.Args {
		next := w.as(w.expression(argument), t, c)
		if i == 0 {
			text = next
			continue
		}
		text = "kg_" + name + "(" + text + ", " + next + ")"
	}
	return value{text, c}
}

// helper returns the call of a helper.
func (w *writer) helper(call *ast.CallExpr, callee *types.Func) value {
	function := w.program.Function(callee)
	if function == nil {
		w.problem(call, "the source of %s is not known (call helpers with source)", callee.FullName())
		return value{"0", uniform}
	}
	i := w.instance(function, w.flow.arguments(call, callee), w.lanes)
	var texts []string
	k := 0
	next := func() (argument, *types.Var) {
		k++
		return i.arguments[k-1], i.parameters()[k-1]
	}
	if receiver := source.Receiver(w.info, call); receiver != nil {
		a, parameter := next()
		texts = append(texts, w.as(w.expression(receiver), parameter.Type(), ofType(a.class, parameter.Type())))
	}
	for _, e := range call.Args {
		a, parameter := next()
		if !a.list {
			texts = append(texts, w.as(w.expression(e), parameter.Type(), ofType(a.class, parameter.Type())))
			continue
		}
		l := w.list(e)
		texts = append(texts, l.pointer, l.length)
		if l.split {
			texts = append(texts, l.plane)
		}
		if l.shape.offset != unset {
			texts = append(texts, clike.Bare(l.offset))
		}
	}
	if i.masked {
		texts = append(texts, w.mask())
	}
	c := uniform
	if len(i.flow.results) == 1 {
		c = i.flow.results[0]
	}
	return value{w.emit(i) + "(" + strings.Join(texts, ", ") + ")", c}
}

// atomic writes an atomic.
func (w *writer) atomic(call *ast.CallExpr, callee *types.Func) {
	of := ast.Unparen(call.Args[0])
	if slice, ok := of.(*ast.SliceExpr); ok {
		of = slice.X
	}
	l := w.list(of)
	if l.storage == own {
		w.problem(call, "%s of an array that one item owns (atomics are for buffers and arrays of the group)",
			callee.Name())
		return
	}
	p := w.place(&ast.IndexExpr{X: of, Index: call.Args[1]})
	v := w.expression(call.Args[2])
	name := "kg_atomic_" + strings.ToLower(strings.TrimPrefix(callee.Name(), "Atomic"))
	integer := types.Typ[types.Int32]
	switch {
	case !w.lanes:
		w.line("%s(&%s, %s);", name, p.text, clike.Bare(v.text))
	case p.index.class <= uniform:
		w.line("%s(%s, %s, %s, %s);", name, l.pointer, clike.Bare(p.index.text), clike.Bare(w.operand(v, integer)), w.mask())
	default:
		w.line("%s(%s, %s, %s, %s);", name, l.pointer, clike.Bare(w.vector(p.index, integer)),
			clike.Bare(w.vector(v, integer)), w.mask())
	}
}

// composite returns a struct literal.
func (w *writer) composite(e *ast.CompositeLit, t types.Type) value {
	elements := elementsOf(t)
	c := w.flow.compositeClass(e)
	texts := w.elementTexts(e, t, c)
	for i, text := range texts {
		if text == "" {
			texts[i] = w.zeroElement(elements[i], c)
		}
	}
	if _, isArray := t.Underlying().(*types.Array); isArray {
		return value{"{" + strings.Join(texts, ", ") + "}", c}
	}
	return value{w.typeOf(t, c) + "{" + strings.Join(texts, ", ") + "}", c}
}

func (w *writer) zeroElement(t types.Type, c class) string {
	if _, isArray := t.Underlying().(*types.Array); isArray {
		return "{}"
	}
	return w.zero(t, c)
}

func elementsOf(t types.Type) (list []types.Type) {
	switch underlying := t.Underlying().(type) {
	case *types.Struct:
		for f := range underlying.Fields() {
			list = append(list, f.Type())
		}
	case *types.Array:
		for range underlying.Len() {
			list = append(list, underlying.Elem())
		}
	}
	return list
}

// elementTexts returns the elements of a literal, all of class c; "" for those that it leaves out.
func (w *writer) elementTexts(e *ast.CompositeLit, t types.Type, c class) []string {
	elements := elementsOf(t)
	texts := make([]string, len(elements))
	next := 0
	for _, element := range e.Elts {
		inner := element
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			inner = pair.Value
			next = w.position(pair.Key, t)
		}
		if literal, ok := ast.Unparen(inner).(*ast.CompositeLit); ok {
			_, isArray := elements[next].Underlying().(*types.Array)
			if isArray {
				texts[next] = "{" + strings.Join(w.filled(literal, elements[next], c), ", ") + "}"
			} else {
				texts[next] = w.as(w.composite(literal, elements[next]), elements[next], c)
			}
		} else {
			texts[next] = w.as(w.constantAs(inner, elements[next]), elements[next], c)
		}
		next++
	}
	return texts
}

// filled returns all elements of an array literal, zeros included.
func (w *writer) filled(e *ast.CompositeLit, t types.Type, c class) []string {
	texts := w.elementTexts(e, t, c)
	for i, text := range texts {
		if text == "" {
			texts[i] = w.zeroElement(elementsOf(t)[i], c)
		}
	}
	return texts
}

// constantAs returns an expression; a constant as one of type t.
func (w *writer) constantAs(e ast.Expr, t types.Type) value {
	if v := w.info.Types[e].Value; v != nil {
		return value{w.words.Constant(e, v, t), uniform}
	}
	return w.expression(e)
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
