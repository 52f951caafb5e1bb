package clike

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

func (w *writer) statements(list []ast.Stmt) {
	for _, statement := range list {
		w.statement(statement)
	}
}

func (w *writer) statement(statement ast.Stmt) {
	outer := w.at
	w.at = statement.Pos()
	defer func() { w.at = outer }()
	switch s := statement.(type) {
	case *ast.EmptyStmt:
	case *ast.BlockStmt:
		w.open("")
		w.block(s)
		w.close()
	case *ast.DeclStmt:
		w.declarations(s.Decl.(*ast.GenDecl))
	case *ast.ExprStmt:
		w.line("%s;", w.value(s.X))
	case *ast.AssignStmt:
		w.assignment(s)
	case *ast.IncDecStmt:
		text, _ := w.simple(s)
		w.line("%s;", text)
	case *ast.ReturnStmt:
		w.returnStatement(s)
	case *ast.BranchStmt:
		w.line("%s;", s.Tok)
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

// block translates the statements of a block, of the group where it stands there.
func (w *writer) block(block *ast.BlockStmt) {
	if w.group {
		w.groupStatements(block.List)
	} else {
		w.statements(block.List)
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
				if object := w.info.Defs[name]; object != nil && name.Name != "_" && !w.shared[object] {
					w.declareZero(object)
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

// declareZero declares a variable with the zero value.
func (w *writer) declareZero(object types.Object) {
	t := object.Type()
	name := w.declare(object)
	if _, isArray := t.Underlying().(*types.Array); isArray && w.Language == GLSL {
		w.line("%s;", w.declaration(t, name))
		var loops strings.Builder
		w.clear(&loops, strings.Repeat("\t", w.indent), name, t, 0)
		w.write(loops.String())
		return
	}
	w.line("%s = %s;", w.declaration(t, name), w.zero(t))
}

func (w *writer) assignment(s *ast.AssignStmt) {
	if s.Tok == token.ASSIGN || s.Tok == token.DEFINE {
		w.assign(s.Lhs, s.Rhs, s.Tok == token.DEFINE)
		return
	}
	text, _ := w.simple(s)
	w.line("%s;", text)
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
	texts := make([]string, len(values))
	fresh := true // nothing that the values read changes on the way
	for i, value := range values {
		texts[i] = w.typed(value, w.targetType(targets[i], value))
		fresh = fresh && define && (isBlank(targets[i]) || w.info.Defs[targets[i].(*ast.Ident)] != nil)
	}
	if !fresh {
		places := w.places(targets)
		for i, value := range values {
			name := w.temporary()
			t := w.targetType(targets[i], value)
			w.line("%s = %s;", w.declaration(t, name), texts[i])
			texts[i] = name
		}
		for i, target := range targets {
			w.store(target, places[i], texts[i], define)
		}
		return
	}
	for i, target := range targets {
		w.store(target, "", texts[i], define)
	}
}

func (w *writer) assignOne(target, value ast.Expr, define bool) {
	if isBlank(target) {
		// Only a call that writes memory has an effect.
		if call, ok := ast.Unparen(value).(*ast.CallExpr); ok && w.writes(call) {
			w.line("%s;", w.value(call))
		}
		return
	}
	text := w.typed(value, w.targetType(target, value))
	w.store(target, w.place(target, define), text, define)
}

// assignResults assigns the results of a call.
func (w *writer) assignResults(targets []ast.Expr, call *ast.CallExpr, define bool) {
	places := make([]string, len(targets))
	if !define {
		places = w.places(targets)
	}
	callee := source.Callee(w.info, call)
	function := w.program.Function(callee)
	if function == nil {
		w.problem(call, "the source of %s is not known (call helpers with source)", callee.FullName())
		return
	}
	text := w.expression(call)
	name := w.temporary()
	w.line("%s %s = %s;", w.resultStruct(function), name, text)
	for i, target := range targets {
		if places[i] == "" {
			places[i] = w.place(target, define)
		}
		w.store(target, places[i], fmt.Sprintf("%s.r%d", name, i), define)
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

func (w *writer) targetType(target, value ast.Expr) types.Type {
	if isBlank(target) {
		return types.Default(w.info.TypeOf(value))
	}
	return w.info.TypeOf(target)
}

// typed returns a value; an array literal needs the type of its variable.
func (w *writer) typed(value ast.Expr, t types.Type) string {
	w.arraysSeen = w.arraysSeen || hasArray(t)
	if literal, ok := ast.Unparen(value).(*ast.CompositeLit); ok {
		return w.composite(literal, t)
	}
	if constant := w.info.Types[value].Value; constant != nil {
		return w.alone(bare(w.constant(value, constant, t)), t)
	}
	return w.value(value)
}

// place returns the text of a target; "" for what store will declare.
func (w *writer) place(target ast.Expr, define bool) string {
	if name, ok := target.(*ast.Ident); ok && (name.Name == "_" || define && w.info.Defs[name] != nil) {
		return ""
	}
	return w.expression(target)
}

// places returns the texts of several targets, whose indices are evaluated before any of them is assigned.
func (w *writer) places(targets []ast.Expr) []string {
	list := make([]string, len(targets))
	for i, target := range targets {
		list[i] = w.fixed(ast.Unparen(target))
	}
	return list
}

// fixed returns the text of a target with its indices evaluated.
func (w *writer) fixed(target ast.Expr) string {
	switch e := target.(type) {
	case *ast.Ident:
		if isBlank(e) || w.info.Defs[e] != nil {
			return ""
		}
	case *ast.ParenExpr:
		return w.fixed(e.X)
	case *ast.SelectorExpr:
		return w.fixed(e.X) + "." + w.fieldOf(e)
	case *ast.IndexExpr:
		index := w.index(e)
		if w.info.Types[e.Index].Value == nil {
			name := w.temporary()
			w.line("%s = %s;", w.declaration(w.info.TypeOf(e.Index), name), index)
			index = name
		}
		return w.fixed(e.X) + "[" + index + "]"
	}
	return w.expression(target)
}

// store assigns a text to a place, or declares the target with it.
func (w *writer) store(target ast.Expr, place, text string, define bool) {
	if isBlank(target) {
		return
	}
	if name, ok := target.(*ast.Ident); ok && define {
		if object := w.info.Defs[name]; object != nil {
			w.line("%s = %s;", w.declaration(object.Type(), w.declare(object)), text)
			return
		}
	}
	w.line("%s = %s;", place, text)
}

// simple returns a statement as the header of a for loop has it; ok is false where that is not possible.
func (w *writer) simple(statement ast.Stmt) (text string, ok bool) {
	switch s := statement.(type) {
	case nil:
		return "", true
	case *ast.IncDecStmt:
		op := token.ADD
		if s.Tok == token.DEC {
			op = token.SUB
		}
		t := w.info.TypeOf(s.X)
		one := map[string]string{"int": "1", "uint": "1u", "unsigned": "1u"}[w.typeName(t)]
		if one == "" {
			one = w.float(1)
		}
		x := w.expression(s.X)
		return x + " = " + bare(w.operation(op, t, x, one, nil)), true
	case *ast.AssignStmt:
		if len(s.Lhs) != 1 || isBlank(s.Lhs[0]) {
			return "", false
		}
		if s.Tok == token.DEFINE {
			object := w.info.Defs[s.Lhs[0].(*ast.Ident)]
			if object == nil || source.IsList(object.Type()) {
				return "", false
			}
			value := w.typed(s.Rhs[0], object.Type())
			return w.declaration(object.Type(), w.declare(object)) + " = " + value, true
		}
		x := w.expression(s.Lhs[0])
		if s.Tok == token.ASSIGN {
			return x + " = " + w.typed(s.Rhs[0], w.info.TypeOf(s.Lhs[0])), true
		}
		value := w.info.Types[s.Rhs[0]].Value
		y := w.rightOperand(assigned[s.Tok], s.Rhs[0])
		return x + " = " + bare(w.operation(assigned[s.Tok], w.info.TypeOf(s.Lhs[0]), x, y, value)), true
	}
	return "", false
}

// assigned maps the assignments with an operation to it.
var assigned = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO,
	token.REM_ASSIGN: token.REM, token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR,
	token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT,
}

func (w *writer) returnStatement(s *ast.ReturnStmt) {
	results := w.function.Signature().Results()
	switch {
	case results.Len() == 0:
		w.line("return;")
	case len(s.Results) == 0:
		w.line("return %s;", w.result(w.resultNames))
	default:
		values := make([]string, len(s.Results))
		for i, value := range s.Results {
			values[i] = w.typed(value, results.At(i).Type())
		}
		w.line("return %s;", w.result(values))
	}
}

func (w *writer) ifStatement(s *ast.IfStmt) {
	if s.Init != nil {
		w.initial(s.Init)
	}
	w.open("if (%s)", w.condition(s.Cond))
	w.block(s.Body)
	w.otherwise(s.Else)
}

// initial translates the statement in the header of another, in the block around it: names are unique.
func (w *writer) initial(s ast.Stmt) {
	w.statement(s)
	if w.needsBarrier(s) {
		w.barrier()
	}
}

// conversion is a text that begins with a conversion.
var conversion = regexp.MustCompile(`^(float|int|unsigned|bool)\(`)

// undeclared returns a value as a condition that is no declaration: g++ takes float(f(int(x), int(x))) <= y for one.
func (w *writer) undeclared(e ast.Expr) string {
	text := w.value(e)
	if conversion.MatchString(text) {
		return "(" + text + ")"
	}
	return text
}

// condition returns a condition. At group scope a condition that reads what a phase may write is evaluated before a
// barrier.
func (w *writer) condition(e ast.Expr) string {
	text := w.undeclared(e)
	if !w.group || !w.readsMutable(e) {
		return text
	}
	kind := "bool" // of joined cases too, which have no type
	if t := w.info.TypeOf(e); t != nil {
		kind = w.typeName(t)
	}
	name := w.temporary()
	w.line("%s %s = %s;", kind, name, text)
	w.barrier()
	return name
}

// otherwise ends an if, with its else.
func (w *writer) otherwise(statement ast.Stmt) {
	w.indent--
	if statement != nil {
		w.at = statement.Pos()
	}
	switch s := statement.(type) {
	case nil:
		w.line("}")
	case *ast.BlockStmt:
		w.line("} else {")
		w.indent++
		w.block(s)
		w.close()
	case *ast.IfStmt:
		if s.Init == nil && !w.group {
			w.line("} else if (%s) {", w.undeclared(s.Cond))
			w.indent++
			w.block(s.Body)
			w.otherwise(s.Else)
			return
		}
		w.line("} else {")
		w.indent++
		w.ifStatement(s)
		w.close()
	}
}

func (w *writer) forStatement(s *ast.ForStmt) {
	header := ""
	if define, ok := s.Init.(*ast.AssignStmt); ok && define.Tok == token.DEFINE && len(define.Lhs) == 1 &&
		!w.needsBarrier(s.Init) {
		header, _ = w.simple(s.Init)
	}
	if header == "" && s.Init != nil {
		w.initial(s.Init)
	}
	condition := ""
	if s.Cond != nil {
		condition = w.undeclared(s.Cond)
	}
	post, ok := w.simple(s.Post)
	if ok {
		if header == "" && post == "" && condition != "" {
			w.open("while (%s)", condition)
		} else {
			w.open("for (%s; %s; %s)", header, condition, post)
		}
		w.block(s.Body)
		w.close()
		return
	}
	// The post statement may become several statements, so it begins every round but the first.
	again := w.temporary()
	w.line("bool %s = false;", again)
	w.open("for (%s; ; )", header)
	w.open("if (%s)", again)
	w.statement(s.Post)
	w.close()
	w.line("%s = true;", again)
	if condition != "" {
		w.open("if (!(%s))", condition)
		w.line("break;")
		w.close()
	}
	w.block(s.Body)
	w.close()
}

func (w *writer) rangeStatement(s *ast.RangeStmt) {
	if each := source.Phase(w.info, s); each != nil {
		w.phase(s, each.Args[0])
		return
	}
	t := w.info.TypeOf(s.X)
	kind := w.typeName(t)
	bound := w.bound(s.X, kind)
	counter := w.temporary()
	item := ""
	if name, ok := s.Key.(*ast.Ident); ok && name.Name != "_" {
		item = w.declare(w.info.Defs[name])
		if !w.assigns(s.Body, w.info.Defs[name]) {
			counter, item = item, ""
		}
	}
	zero := map[bool]string{true: "0u", false: "0"}[kind != "int"]
	w.open("for (%s %s = %s; %s < %s; %s++)", kind, counter, zero, counter, bound, counter)
	if item != "" {
		w.line("%s %s = %s;", kind, item, counter) // the body may change it; the count goes on
	}
	w.block(s.Body)
	w.close()
}

// bound returns what a range runs to, which is evaluated once.
func (w *writer) bound(e ast.Expr, kind string) string {
	if constant := w.info.Types[e].Value; constant != nil {
		return w.value(e)
	}
	text := w.value(e)
	name := w.temporary()
	w.line("%s %s = %s;", kind, name, text)
	if w.group && w.readsMutable(e) {
		w.barrier()
	}
	return name
}

// assigns says whether a block assigns a variable.
func (w *writer) assigns(block *ast.BlockStmt, object types.Object) bool {
	found := false
	is := func(e ast.Expr) {
		root := source.RootVariable(e)
		found = found || root != nil && w.info.ObjectOf(root) == object
	}
	ast.Inspect(block, func(node ast.Node) bool {
		switch s := node.(type) {
		case *ast.AssignStmt:
			for _, target := range s.Lhs {
				is(target)
			}
		case *ast.IncDecStmt:
			is(s.X)
		}
		return !found
	})
	return found
}

// phase spreads the items of a phase over the lanes.
func (w *writer) phase(s *ast.RangeStmt, n ast.Expr) {
	var bound string
	if name, ok := ast.Unparen(n).(*ast.Ident); ok {
		bound = w.value(name) // no phase assigns the variables of the group
	} else {
		bound = w.bound(n, "int")
	}
	var item string
	if name, ok := s.Key.(*ast.Ident); ok && name.Name != "_" {
		item = w.declare(w.info.Defs[name])
	} else {
		item = w.temporary()
	}
	w.open("for (int %s = KG_LANE; %s < %s; %s += KG_LANES)", item, item, bound, item)
	w.group = false
	w.statements(s.Body.List)
	w.group = true
	w.close()
	w.barrier()
}

func (w *writer) switchStatement(s *ast.SwitchStmt) {
	if s.Init != nil {
		w.initial(s.Init)
	}
	if s.Tag == nil {
		w.chain(s)
		return
	}
	w.open("switch (%s)", w.condition(s.Tag))
	for _, clause := range s.Body.List {
		c := clause.(*ast.CaseClause)
		w.at = c.Pos()
		if c.List == nil {
			w.line("default:")
		}
		for _, value := range c.List {
			w.line("case %s:", w.typed(value, w.info.TypeOf(s.Tag)))
		}
		w.indent++
		w.open("")
		w.block(&ast.BlockStmt{List: c.Body})
		w.line("break;")
		w.close()
		w.indent--
	}
	w.close()
}

// chain writes a switch without a tag as a chain of ifs.
func (w *writer) chain(s *ast.SwitchStmt) {
	var otherwise *ast.CaseClause
	opened := 0
	for _, clause := range s.Body.List {
		c := clause.(*ast.CaseClause)
		if c.List == nil {
			otherwise = c
			continue
		}
		w.at = c.Pos()
		condition := c.List[0]
		for _, next := range c.List[1:] {
			condition = &ast.BinaryExpr{X: condition, Op: token.LOR, Y: next}
		}
		if opened > 0 {
			w.indent--
			w.line("} else {")
			w.indent++
		}
		w.open("if (%s)", w.condition(condition))
		w.block(&ast.BlockStmt{List: c.Body})
		opened++
	}
	if otherwise != nil {
		w.at = otherwise.Pos()
		if opened > 0 {
			w.indent--
			w.line("} else {")
			w.indent++
		} else {
			w.open("")
			opened++
		}
		w.block(&ast.BlockStmt{List: otherwise.Body})
	}
	for range opened {
		w.close()
	}
}
