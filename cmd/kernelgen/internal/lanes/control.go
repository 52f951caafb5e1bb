package lanes

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// mask is a variable that says which lanes are on.
type mask struct {
	name   string
	loop   ast.Node // the loop, phase or switch that it belongs to
	role   role
	shrunk bool // lanes have left, and nothing has tested yet whether any is left
}

// role is what a mask is for.
type role uint8

const (
	branch    role = iota // of an if, of a case, or of the function
	loopLanes             // that are in the loop
	roundOnly             // that are in this round of the loop
)

// mask returns the name of the innermost mask.
func (w *writer) mask() string {
	if len(w.masks) == 0 {
		return "vi(-1)"
	}
	return w.masks[len(w.masks)-1].name
}

// and returns the lanes that are on and meet a condition, or do not.
func (w *writer) and(condition string, not bool) string {
	if not {
		condition = "~" + condition
	}
	if len(w.masks) == 0 {
		return clike.Bare(condition)
	}
	return w.mask() + " & " + condition
}

// on translates statements with a mask, in a region.
func (w *writer) on(m *mask, region ast.Node, body func()) {
	w.masks = append(w.masks, m)
	w.in(region, body)
	w.masks = w.masks[:len(w.masks)-1]
}

// in translates the statements of a region.
func (w *writer) in(region ast.Node, body func()) {
	outer, nesting := w.region, w.nesting
	w.region, w.nesting = region, 0
	body()
	w.region, w.nesting = outer, nesting
}

// leave turns the lanes that are on off in all masks from the inside to the one of a number.
func (w *writer) leave(to int) {
	inner := w.mask()
	for i := len(w.masks) - 2; i >= to; i-- {
		w.line("%s &= ~%s;", w.masks[i].name, inner)
		w.masks[i].shrunk = true
	}
	top := w.masks[len(w.masks)-1]
	switch {
	case w.nesting > 1: // statements around this one may follow
		w.line("%s = vi(0);", inner)
		top.shrunk = true
	case top.role == loopLanes:
		w.line("break;")
	case top.role == roundOnly:
		w.line("continue;")
	}
}

// restTest follows a statement after which no lane may be left. It returns true where it opened a block for the rest.
func (w *writer) restTest(rest []ast.Stmt) bool {
	if len(w.masks) == 0 {
		return false
	}
	m := w.masks[len(w.masks)-1]
	if !m.shrunk || w.cheap(rest, cheapCost) {
		return false
	}
	m.shrunk = false
	switch {
	case m.role == roundOnly:
		w.line("if (!kg_any(%s)) continue;", m.name)
	case m.role == loopLanes:
		w.line("if (!kg_any(%s)) break;", m.name)
	default:
		w.open("if (kg_any(%s))", m.name)
		return true
	}
	return false
}

func (w *writer) branch(s *ast.BranchStmt) {
	t := w.leaves(s.Tok)
	if !w.flow.parting[t.node] {
		w.line("%s;", s.Tok)
		return
	}
	top := len(w.masks) - 1
	// The masks of the loop or switch: of the round, and of the loop below.
	round := slices.IndexFunc(w.masks, func(m *mask) bool { return m.loop == t.node })
	last := round
	for last < top && w.masks[last+1].loop == t.node {
		last++
	}
	if s.Tok == token.CONTINUE {
		if last == top && w.masks[top].role != branch {
			w.line("continue;")
			return
		}
		w.leave(last)
		return
	}
	switch {
	case top != last || w.masks[top].role == branch:
		w.leave(round)
	case round == last:
		w.line("break;")
	default:
		w.line("%s &= ~%s;", w.masks[round].name, w.mask())
		w.line("continue;")
	}
}

// leaves returns what a break or continue leaves.
func (w *writer) leaves(what token.Token) target {
	for i := len(w.flow.targets) - 1; i >= 0; i-- {
		if t := w.flow.targets[i]; what == token.BREAK || t.loop {
			return t
		}
	}
	return target{}
}

func (w *writer) ifStatement(s *ast.IfStmt) {
	if s.Init != nil {
		w.statement(s.Init)
	}
	condition := w.expression(s.Cond)
	w.branches(s, condition, s.Body.List, s.Body, s.Else)
}

// branches writes both branches of an if.
func (w *writer) branches(s ast.Node, condition value, then []ast.Stmt, region ast.Node, otherwise ast.Stmt) {
	if !w.flow.parting[s] {
		w.open("if (%s)", clike.Bare(condition.text))
		w.statements(then)
		if otherwise != nil {
			w.indent--
			w.open("} else")
			w.otherwise(otherwise)
		}
		w.close()
		return
	}
	text := w.vector(condition, types.Typ[types.Bool])
	if otherwise != nil {
		text = w.named(value{text, varying}, types.Typ[types.Bool]).text
	}
	first := &mask{name: w.temporary()}
	w.line("vi %s = %s;", first.name, w.and(text, false))
	var second *mask
	if otherwise != nil {
		second = &mask{name: w.temporary()}
		w.line("vi %s = %s;", second.name, w.and(text, true))
	}
	w.masked(first, region, then, func() { w.statements(then) })
	if otherwise != nil {
		list := []ast.Stmt{otherwise}
		if block, ok := otherwise.(*ast.BlockStmt); ok {
			list = block.List
		}
		w.masked(second, otherwise, list, func() { w.statements(list) })
	}
}

func (w *writer) otherwise(s ast.Stmt) {
	if block, ok := s.(*ast.BlockStmt); ok {
		w.statements(block.List)
		return
	}
	w.statement(s)
}

// masked writes a branch. One that costs little runs without a test.
func (w *writer) masked(m *mask, region ast.Node, list []ast.Stmt, body func()) {
	if w.cheap(list, cheapCost) {
		w.open("")
	} else {
		w.open("if (kg_any(%s))", m.name)
	}
	w.on(m, region, body)
	w.close()
}

// A loop that all lanes leave at once is a loop of scalars. Otherwise a mask holds the lanes that are in the loop, and
// another one those that are in a round, if a continue can end it.
type loop struct {
	node   ast.Node
	region ast.Node
	body   *ast.BlockStmt
	header string
	init   func()
	test   func() value // nil if there is none
	post   func()       // nil if there is none
	begin  func()       // of a round; nil if there is nothing
}

func (w *writer) forStatement(s *ast.ForStmt) {
	l := loop{node: s, body: s.Body, region: w.flow.bodyRegion(s, s.Body)}
	define, ok := s.Init.(*ast.AssignStmt)
	if defines := ok && define.Tok == token.DEFINE; s.Init != nil && !defines {
		w.statement(s.Init)
	} else if defines {
		l.init = func() { w.statement(s.Init) }
	}
	if s.Cond != nil {
		l.test = func() value { return w.expression(s.Cond) }
	}
	if s.Post != nil {
		l.post = func() { w.statement(s.Post) }
	}
	w.loop(l)
}

func (w *writer) loop(l loop) {
	w.flow.region = w.region
	if l.region == nil || !w.flow.parting[l.node] {
		l.region = w.region
	}
	w.open("")
	outer := w.region
	lanes := &mask{name: w.temporary(), loop: l.node, role: loopLanes}
	if w.flow.parting[l.node] {
		w.line("vi %s = %s;", lanes.name, w.mask())
		w.masks, w.region = append(w.masks, lanes), l.node
	}
	if l.init != nil {
		l.init()
	}
	post := w.captured(l.post)
	again := ""
	switch {
	case l.post == nil:
		w.open("for (;;)")
	case strings.Count(post, "\n") == 1 && !strings.Contains(post, "[") && !strings.Contains(post, "kg_quo") &&
		!strings.Contains(post, "kg_rem") && !strings.Contains(post, "<"):
		w.open("for (;; %s)", strings.TrimSuffix(strings.TrimSpace(post), ";"))
	default:
		again = w.temporary()
		w.open("for (bool %s = false;; %[1]s = true)", again)
	}
	if again != "" {
		w.open("if (%s)", again)
		if w.flow.parting[l.node] {
			w.line("if (!kg_any(%s)) break;", lanes.name)
		}
		l.post()
		w.close()
	}
	w.round(l, lanes)
	w.close()
	if w.flow.parting[l.node] {
		w.masks, w.region = w.masks[:len(w.masks)-1], outer
	}
	w.close()
}

// captured returns what a function writes, without writing it.
func (w *writer) captured(write func()) string {
	if write == nil {
		return ""
	}
	page, indent, temporaries := w.page, w.indent, w.temporaries
	w.page, w.indent = &clike.Page{}, 0
	write()
	text := w.page.Text().Code
	w.page, w.indent, w.temporaries = page, indent, temporaries
	return text
}

// round writes one round of a loop: the test and the body.
func (w *writer) round(l loop, lanes *mask) {
	parting := w.flow.parting[l.node]
	test := value{class: uniform}
	if l.test != nil {
		if test = l.test(); test.class > uniform {
			w.line("%s &= %s;", lanes.name, clike.Bare(test.text))
		} else {
			w.line("if (!%s) break;", parenthesised(test.text))
		}
	}
	if parting && (test.class > uniform || w.ends(l.body)) {
		w.line("if (!kg_any(%s)) break;", lanes.name)
	}
	w.flow.targets = append(w.flow.targets, target{node: l.node, loop: true})
	body := func() {
		if l.begin != nil {
			l.begin()
		}
		w.statements(l.body.List)
	}
	switch {
	case parting && w.continues(l.body):
		m := &mask{name: w.temporary(), loop: l.node, role: roundOnly}
		w.line("vi %s = %s;", m.name, lanes.name)
		w.on(m, l.region, body)
	case parting:
		w.in(l.region, body)
	default:
		body()
	}
	w.flow.targets = w.flow.targets[:len(w.flow.targets)-1]
}

func parenthesised(text string) string { return "(" + clike.Bare(text) + ")" }

// continues says whether a continue inside a body ends its round.
func (w *writer) continues(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(node ast.Node) bool {
		switch s := node.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return false
		case *ast.BranchStmt:
			found = found || s.Tok == token.CONTINUE
		}
		return !found
	})
	return found
}

// ends says whether a break or return inside a body ends the loop.
func (w *writer) ends(body *ast.BlockStmt) bool {
	found := false
	var inside func(node ast.Node, inner bool)
	inside = func(root ast.Node, inner bool) {
		ast.Inspect(root, func(node ast.Node) bool {
			switch s := node.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
				if node != root {
					inside(node, true)
					return false
				}
			case *ast.BranchStmt:
				found = found || s.Tok == token.BREAK && !inner
			case *ast.ReturnStmt:
				found = true
			}
			return !found
		})
	}
	inside(body, false)
	return found
}

func (w *writer) rangeStatement(s *ast.RangeStmt) {
	if each := source.Phase(w.info, s); each != nil {
		w.phase(s, each)
		return
	}
	t := w.info.TypeOf(s.X)
	kind := kindOf(t)
	bound := w.expression(s.X)
	if w.info.Types[s.X].Value == nil {
		bound = w.named(bound, t)
	}
	zero, one := "0", "1"
	if kind == "unsigned" {
		zero, one = "0u", "1u"
	}
	counter := w.temporary()
	l := loop{node: s, body: s.Body, region: w.flow.bodyRegion(s, s.Body)}
	l.init = func() { w.line("%s %s = %s;", kind, counter, zero) }
	l.test = func() value {
		if bound.class > uniform {
			return value{"(" + counter + " < " + w.vector(bound, t) + ")", varying}
		}
		return value{"(" + counter + " < " + bound.text + ")", uniform}
	}
	l.post = func() { w.line("%s = %[1]s + %s;", counter, one) }
	if name, ok := s.Key.(*ast.Ident); ok && name.Name != "_" {
		v := w.info.Defs[name].(*types.Var)
		if w.flow.assigns(s.Body, v) {
			l.begin = func() { w.declareAs(v, value{counter, uniform}) } // the body may change it; the count goes on
		} else {
			w.used.Take(counter)
			w.locals[v] = counter
			counter = w.declare(v)
		}
	}
	w.loop(l)
}

// phase writes a loop over the items of a phase, eight at a time.
func (w *writer) phase(s *ast.RangeStmt, each *ast.CallExpr) {
	n := w.expression(each.Args[0])
	name, _ := s.Key.(*ast.Ident)
	var item *types.Var
	if name != nil && name.Name != "_" {
		item, _ = w.info.Defs[name].(*types.Var)
	}
	index := ""
	if item != nil {
		index = w.declare(item)
	} else {
		index = w.temporary()
	}
	w.flow.targets = append(w.flow.targets, target{node: s, loop: true})
	defer func() { w.flow.targets = w.flow.targets[:len(w.flow.targets)-1] }()
	bound := n.text
	if w.info.Types[each.Args[0]].Value == nil {
		bound = w.named(n, types.Typ[types.Int32]).text
	}
	if w.scalar || w.flow.single(each) {
		w.open("for (int %s = 0; %[1]s < %s; %[1]s++)", index, bound)
		w.in(s.Body, func() { w.statements(s.Body.List) })
		w.close()
		return
	}
	w.open("for (int %s = 0; %[1]s < %s; %[1]s += KG_W)", index, bound)
	w.line("vi kg_m = kg_below(%s, %s);", index, bound)
	w.lanes, w.flow.lanes = true, true
	w.on(&mask{name: "kg_m", loop: s, role: roundOnly}, s.Body, func() { w.statements(s.Body.List) })
	w.lanes, w.flow.lanes = false, false
	w.close()
}

func (w *writer) switchStatement(s *ast.SwitchStmt) {
	if s.Init != nil {
		w.statement(s.Init)
	}
	w.flow.targets = append(w.flow.targets, target{node: s})
	defer func() { w.flow.targets = w.flow.targets[:len(w.flow.targets)-1] }()
	switch {
	case s.Tag == nil:
		w.chain(s)
	case w.flow.parting[s]:
		w.maskedCases(s)
	default:
		w.cases(s)
	}
}

// cases writes a switch that all lanes take the same way.
func (w *writer) cases(s *ast.SwitchStmt) {
	w.open("switch (%s)", clike.Bare(w.expression(s.Tag).text))
	for _, clause := range s.Body.List {
		c := clause.(*ast.CaseClause)
		w.at = c.Pos()
		if c.List == nil {
			w.line("default:")
		}
		for _, v := range c.List {
			w.line("case %s:", w.constantAs(v, w.info.TypeOf(s.Tag)).text)
		}
		w.indent++
		w.open("")
		w.statements(c.Body)
		w.line("break;")
		w.close()
		w.indent--
	}
	w.close()
}

// maskedCases writes a switch whose lanes take different cases, one case after the other.
func (w *writer) maskedCases(s *ast.SwitchStmt) {
	t := w.info.TypeOf(s.Tag)
	tag := w.named(w.expression(s.Tag), t)
	w.open("")
	rest := w.temporary()
	w.line("vi %s = %s;", rest, w.mask())
	type part struct {
		clause *ast.CaseClause
		mask   *mask
	}
	var parts []part
	var otherwise *part
	for _, clause := range s.Body.List {
		c := clause.(*ast.CaseClause)
		p := part{c, &mask{name: w.temporary(), loop: s}}
		if c.List == nil {
			otherwise = &p
			continue
		}
		var tests []string
		for _, v := range c.List {
			tests = append(tests, "("+w.operand(value{w.vector(tag, t), varying}, t)+" == "+w.constantAs(v, t).text+")")
		}
		w.line("vi %s = %s & (%s);", p.mask.name, w.mask(), strings.Join(tests, " | "))
		w.line("%s &= ~%s;", rest, p.mask.name)
		parts = append(parts, p)
	}
	if otherwise != nil {
		w.line("vi %s = %s;", otherwise.mask.name, rest)
		parts = append(parts, *otherwise)
	}
	for _, p := range parts {
		w.at = p.clause.Pos()
		w.masked(p.mask, p.clause, p.clause.Body, func() { w.statements(p.clause.Body) })
	}
	w.close()
}

// chain writes a switch without a tag as a chain of ifs.
func (w *writer) chain(s *ast.SwitchStmt) {
	var clauses []*ast.CaseClause
	var otherwise *ast.CaseClause
	for _, clause := range s.Body.List {
		if c := clause.(*ast.CaseClause); c.List == nil {
			otherwise = c
		} else {
			clauses = append(clauses, c)
		}
	}
	if otherwise != nil {
		clauses = append(clauses, otherwise)
	}
	w.link(s, clauses)
}

// link writes the first of the clauses of a chain, and the others for the lanes that do not take it.
func (w *writer) link(s *ast.SwitchStmt, clauses []*ast.CaseClause) {
	if len(clauses) == 0 {
		return
	}
	c := clauses[0]
	w.at = c.Pos()
	if c.List == nil {
		w.statementsIn(s, c)
		return
	}
	condition := w.expression(c.List[0])
	for _, next := range c.List[1:] {
		condition = w.either(condition, next)
	}
	if !w.flow.parting[s] {
		w.open("if (%s)", clike.Bare(condition.text))
		w.statements(c.Body)
		if len(clauses) > 1 {
			w.indent--
			w.open("} else")
			w.link(s, clauses[1:])
		}
		w.close()
		return
	}
	text := w.named(value{w.vector(condition, types.Typ[types.Bool]), varying}, types.Typ[types.Bool]).text
	first, second := &mask{name: w.temporary(), loop: s}, &mask{name: w.temporary(), loop: s}
	w.line("vi %s = %s;", first.name, w.and(text, false))
	w.line("vi %s = %s;", second.name, w.and(text, true))
	w.masked(first, c, c.Body, func() { w.statements(c.Body) })
	if len(clauses) > 1 {
		w.open("if (kg_any(%s))", second.name)
		w.on(second, w.region, func() { w.link(s, clauses[1:]) })
		w.close()
	}
}

func (w *writer) statementsIn(s *ast.SwitchStmt, c *ast.CaseClause) {
	outer := w.region
	if w.flow.parting[s] {
		w.region = c
	}
	w.statements(c.Body)
	w.region = outer
}

// either returns x || y of the values of a clause.
func (w *writer) either(x value, y ast.Expr) value {
	t := types.Typ[types.Bool]
	if x.class <= uniform && w.flow.classOf(y) <= uniform {
		return value{fmt.Sprintf("(%s || %s)", x.text, w.expression(y).text), uniform}
	}
	if !w.flow.needsMask(y) {
		return value{"(" + w.vector(x, t) + " | " + w.vector(w.expression(y), t) + ")", varying}
	}
	return w.guarded(x, y, false)
}
