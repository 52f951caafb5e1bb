package lanes

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

// statements translates a list. Where lanes have left before the end, the rest runs if any lane is left.
func (w *writer) statements(list []ast.Stmt) {
	opened := 0
	w.nesting++
	defer func() { w.nesting-- }()
	for i, s := range list {
		w.statement(s)
		if endsHere(s) {
			break
		}
		if i < len(list)-1 && w.restTest(list[i+1:]) {
			opened++
			w.cut = true
		}
	}
	for range opened {
		w.close()
	}
}

func endsHere(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

func (w *writer) statement(statement ast.Stmt) {
	outer := w.at
	w.at = statement.Pos()
	defer func() { w.at = outer }()
	switch s := statement.(type) {
	case *ast.EmptyStmt:
	case *ast.BlockStmt:
		w.open("")
		w.statements(s.List)
		w.close()
	case *ast.DeclStmt:
		w.declarations(s.Decl.(*ast.GenDecl))
	case *ast.ExprStmt:
		w.callStatement(ast.Unparen(s.X).(*ast.CallExpr))
	case *ast.AssignStmt:
		w.assignment(s)
	case *ast.IncDecStmt:
		w.increment(s)
	case *ast.ReturnStmt:
		w.returnStatement(s)
	case *ast.BranchStmt:
		w.branch(s)
	case *ast.IfStmt:
		w.ifStatement(s)
	case *ast.ForStmt:
		w.forStatement(s)
	case *ast.RangeStmt:
		w.rangeStatement(s)
	case *ast.SwitchStmt:
		w.switchStatement(s)
	default:
		w.problem(statement, "a statement that cannot be translated")
	}
}

func (w *writer) declarations(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return // constants are written as their values
	}
	for _, spec := range d.Specs {
		w.at = spec.Pos()
		values := spec.(*ast.ValueSpec)
		if len(values.Values) == 0 {
			for _, name := range values.Names {
				v, ok := w.info.Defs[name].(*types.Var)
				if ok && name.Name != "_" && w.shared[v] == nil {
					w.declareZero(v)
				}
			}
			continue
		}
		targets := make([]ast.Expr, len(values.Names))
		for i, name := range values.Names {
			targets[i] = name
		}
		w.assign(targets, values.Values, true)
	}
}

// inlineWords is the largest array that is cleared in place.
const inlineWords = 16

// declareZero declares a variable with the zero value.
func (w *writer) declareZero(v *types.Var) {
	t, c, name := v.Type(), w.flow.vars[v], w.declare(v)
	if _, isArray := t.Underlying().(*types.Array); !isArray {
		w.line("%s %s = %s;", w.typeOf(t, c), name, w.zero(t, c))
		return
	}
	declaration := fmt.Sprintf("%s %s%s", w.inMemory(t, c), name, suffix(t))
	if words(t) <= inlineWords {
		w.line("%s = {};", declaration)
		return
	}
	w.line("%s;", declaration)
	w.line("kg_clear(&%s, sizeof %[1]s / 4);", name)
}

func (w *writer) callStatement(call *ast.CallExpr) {
	if callee := source.Callee(w.info, call); callee != nil && source.IsAtomic(callee) {
		w.atomic(call, callee)
		return
	}
	w.line("%s;", w.expression(call).text)
}

func (w *writer) assignment(s *ast.AssignStmt) {
	if s.Tok == token.ASSIGN || s.Tok == token.DEFINE {
		w.assign(s.Lhs, s.Rhs, s.Tok == token.DEFINE)
		return
	}
	op, target := assigned[s.Tok], ast.Unparen(s.Lhs[0])
	y := w.rightOperand(op, s.Rhs[0])
	p := w.target(target)
	w.store(p, w.operation(op, w.info.TypeOf(target), w.current(p), y, s.Rhs[0]))
}

// assigned maps the assignments with an operation to it.
var assigned = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO,
	token.REM_ASSIGN: token.REM, token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR,
	token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT,
}

func (w *writer) increment(s *ast.IncDecStmt) {
	op := token.ADD
	if s.Tok == token.DEC {
		op = token.SUB
	}
	t := w.info.TypeOf(s.X)
	one := map[string]string{"int": "1", "unsigned": "1u", "float": "1.0f"}[kindOf(t)]
	p := w.target(ast.Unparen(s.X))
	w.store(p, w.operation(op, t, w.current(p), value{one, uniform}, nil))
}

// assign translates an assignment or declaration of any number of targets.
func (w *writer) assign(targets, values []ast.Expr, define bool) {
	if len(targets) > 1 && len(values) == 1 {
		w.assignResults(targets, ast.Unparen(values[0]).(*ast.CallExpr), define)
		return
	}
	if len(targets) == 1 {
		w.assignOne(targets[0], values[0], define)
		return
	}
	texts := make([]value, len(values))
	fresh := true // nothing that the values read changes on the way
	for i, v := range values {
		texts[i] = w.constantAs(v, w.targetType(targets[i], v))
		fresh = fresh && define && (isBlank(targets[i]) || w.info.Defs[targets[i].(*ast.Ident)] != nil)
	}
	places := make([]fixedTarget, len(targets))
	if !fresh {
		for i, v := range values {
			t := w.targetType(targets[i], v)
			texts[i] = w.named(texts[i], t)
		}
		for i, target := range targets {
			places[i] = w.fixed(target, define)
		}
	}
	for i, target := range targets {
		w.finish(target, places[i], texts[i], define)
	}
}

// named returns a value as a temporary.
func (w *writer) named(v value, t types.Type) value {
	name := w.temporary()
	w.line("%s %s = %s;", w.typeOf(t, v.class), name, clike.Bare(v.text))
	return value{name, v.class}
}

// fixedTarget is a target whose indices have been evaluated, if it is none that is declared.
type fixedTarget struct {
	place place
	known bool
}

// fixed returns a target with its indices evaluated.
func (w *writer) fixed(target ast.Expr, define bool) fixedTarget {
	target = ast.Unparen(target)
	if name, ok := target.(*ast.Ident); ok && (isBlank(name) || define && w.info.Defs[name] != nil) {
		return fixedTarget{}
	}
	w.freeze = true
	defer func() { w.freeze = false }()
	return fixedTarget{place: w.target(target), known: true}
}

func (w *writer) finish(target ast.Expr, p fixedTarget, v value, define bool) {
	if isBlank(target) {
		return
	}
	if name, ok := target.(*ast.Ident); ok && define {
		if object, ok := w.info.Defs[name].(*types.Var); ok {
			w.declareAs(object, v)
			return
		}
	}
	if !p.known {
		p.place = w.target(ast.Unparen(target))
	}
	w.store(p.place, v)
}

func (w *writer) declareAs(v *types.Var, x value) {
	t, c := v.Type(), w.flow.vars[v]
	text := w.as(x, t, c)
	w.line("%s %s = %s;", w.typeOf(t, c), w.declare(v), text)
}

func (w *writer) assignOne(target, from ast.Expr, define bool) {
	if isBlank(target) {
		// Only a call that writes memory has an effect.
		if call, ok := ast.Unparen(from).(*ast.CallExpr); ok && w.writes(call) {
			w.line("%s;", w.expression(call).text)
		}
		return
	}
	if name, ok := target.(*ast.Ident); ok && define {
		v, ok := w.info.Defs[name].(*types.Var)
		if ok && w.declaredArray(v, from) {
			return
		}
	}
	v := w.constantAs(from, w.targetType(target, from))
	w.finish(target, fixedTarget{}, v, define)
}

// declaredArray declares an array with a literal.
func (w *writer) declaredArray(v *types.Var, from ast.Expr) bool {
	literal, ok := ast.Unparen(from).(*ast.CompositeLit)
	if _, isArray := v.Type().Underlying().(*types.Array); !ok || !isArray {
		return false
	}
	c := w.flow.vars[v]
	text := "{"
	for i, element := range w.filled(literal, v.Type(), c) {
		if i > 0 {
			text += ", "
		}
		text += element
	}
	w.line("%s %s%s = %s};", w.inMemory(v.Type(), c), w.declare(v), suffix(v.Type()), text)
	return true
}

// assignResults assigns the results of a call.
func (w *writer) assignResults(targets []ast.Expr, call *ast.CallExpr, define bool) {
	places := make([]fixedTarget, len(targets))
	callee := source.Callee(w.info, call)
	function := w.program.Function(callee)
	if function == nil {
		w.problem(call, "the source of %s is not known (call helpers with source)", callee.FullName())
		return
	}
	if !define {
		for i, target := range targets {
			places[i] = w.fixed(target, define)
		}
	}
	text := w.expression(call).text
	i := w.instance(function, w.flow.arguments(call, callee), w.lanes)
	name := w.temporary()
	w.line("%s %s = %s;", w.resultStruct(i.flow), name, text)
	for k, target := range targets {
		w.finish(target, places[k], value{fmt.Sprintf("%s.r%d", name, k), max(i.flow.results[k], uniform)}, define)
	}
}

// writes says whether a call writes a slice that it is given.
func (w *writer) writes(call *ast.CallExpr) bool {
	for i := range call.Args {
		if w.analysis.Argument(w.info, call, i)&kernel.Write != 0 {
			return true
		}
	}
	return false
}

func isBlank(e ast.Expr) bool {
	name, ok := e.(*ast.Ident)
	return ok && name.Name == "_"
}

func (w *writer) targetType(target, from ast.Expr) types.Type {
	if isBlank(target) {
		return types.Default(w.info.TypeOf(from))
	}
	return w.info.TypeOf(target)
}

// target returns the place of a target.
func (w *writer) target(e ast.Expr) place {
	name, ok := e.(*ast.Ident)
	if !ok {
		return w.place(e)
	}
	v := w.info.ObjectOf(name).(*types.Var)
	return place{t: v.Type(), text: w.locals[v], lanes: w.flow.vars[v].vector(), root: v, variable: true}
}

// current returns what a target holds.
func (w *writer) current(p place) value {
	if p.variable {
		return value{p.text, max(w.flow.vars[p.root], uniform)}
	}
	return w.read(p)
}

// store assigns to a target.
func (w *writer) store(p place, v value) {
	if !p.variable {
		w.write(p, v)
		return
	}
	text := w.as(v, p.t, w.flow.vars[p.root])
	if p.lanes && w.blends(p.root) {
		text = fmt.Sprintf("kg_sel(%s, %s, %s)", w.mask(), text, p.text)
	}
	w.line("%s = %s;", p.text, text)
}

func (w *writer) returnStatement(s *ast.ReturnStmt) {
	results := w.function.Signature().Results()
	var values []string
	for i := range results.Len() {
		t, c := results.At(i).Type(), w.flow.results[i]
		if len(s.Results) == 0 {
			v := results.At(i)
			values = append(values, w.as(value{w.locals[v], max(w.flow.vars[v], uniform)}, t, c))
		} else {
			values = append(values, w.as(w.constantAs(s.Results[i], t), t, c))
		}
	}
	if w.flow.parts {
		for i := range values {
			if w.flow.results[i].vector() {
				values[i] = fmt.Sprintf("kg_sel(%s, %s, kg_r%d)", w.mask(), values[i], i)
			}
		}
	}
	if w.region == nil {
		if len(values) == 0 {
			w.line("return;")
		} else {
			w.line("return %s;", w.resultOf(values))
		}
		return
	}
	for i, text := range values {
		w.line("kg_r%d = %s;", i, text)
	}
	w.leave(0)
}
