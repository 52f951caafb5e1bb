package lanes

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

// flow finds the classes of the variables of one function, and which statements the lanes leave in different ways.
//
// A region is code that lanes enter and leave in a way of their own: the branches of an if with a varying condition,
// the body of a loop that some lanes leave earlier. A variable that is assigned in the region where it is declared
// keeps the class of its values, because the lanes that have left the region do not read it any more. Elsewhere only
// some lanes take the value.
type flow struct {
	*unit
	function *source.Function
	info     *types.Info
	lists    map[*types.Var]shape // slices that are parameters
	lanes    bool                 // several items run at a time

	vars    map[*types.Var]class
	declare map[*types.Var]ast.Node // the region of the declaration
	parting map[ast.Node]bool       // statements at which lanes part
	results []class
	parts   bool // lanes return at different places

	region  ast.Node
	targets []target // what break and continue leave
	changed bool
}

// target is a loop, phase or switch around the walk.
type target struct {
	node   ast.Node
	loop   bool
	region ast.Node // of its body
}

func newFlow(u *unit, f *source.Function, lanes bool) *flow {
	return &flow{
		unit: u, function: f, info: f.Info, lanes: lanes,
		lists: map[*types.Var]shape{}, vars: map[*types.Var]class{}, declare: map[*types.Var]ast.Node{},
		parting: map[ast.Node]bool{}, results: make([]class, f.Signature().Results().Len()),
	}
}

// run walks the function until nothing changes.
func (f *flow) run() {
	for result := range f.function.Signature().Results().Variables() {
		f.join(result, uniform) // named ones begin as zero
	}
	for f.changed = true; f.changed; {
		f.changed = false
		f.statements(f.function.Declaration.Body.List)
	}
}

func (f *flow) join(v *types.Var, c class) {
	c = ofType(join(f.vars[v], c), v.Type())
	if f.vars[v] != c {
		f.vars[v] = c
		f.changed = true
	}
}

// assigned notes that a variable takes a value of a class here.
func (f *flow) assigned(v *types.Var, c class) {
	if f.lanes && f.declare[v] != f.region {
		c = parted(c)
	}
	f.join(v, max(c, uniform))
}

func (f *flow) part(node ast.Node) {
	if !f.parting[node] {
		f.parting[node] = true
		f.changed = true
	}
}

// within walks in a region.
func (f *flow) within(region ast.Node, walk func()) {
	outer := f.region
	f.region = region
	walk()
	f.region = outer
}

func (f *flow) statements(list []ast.Stmt) {
	for _, s := range list {
		f.statement(s)
	}
}

func (f *flow) statement(statement ast.Stmt) {
	switch s := statement.(type) {
	case nil:
	case *ast.BlockStmt:
		f.statements(s.List)
	case *ast.DeclStmt:
		f.declaration(s.Decl.(*ast.GenDecl))
	case *ast.ExprStmt:
		f.effects(s.X)
	case *ast.AssignStmt:
		f.assignment(s)
	case *ast.IncDecStmt:
		f.target(s.X, sum(f.classOf(s.X), uniform, false))
	case *ast.ReturnStmt:
		f.returnStatement(s)
	case *ast.BranchStmt:
		f.branch(s)
	case *ast.IfStmt:
		f.statement(s.Init)
		f.effects(s.Cond)
		if f.classOf(s.Cond) > uniform {
			f.part(s)
		}
		f.branches(s, s.Body, func() { f.statements(s.Body.List) })
		if s.Else != nil {
			f.branches(s, s.Else, func() { f.statement(s.Else) })
		}
	case *ast.ForStmt:
		f.forStatement(s)
	case *ast.RangeStmt:
		f.rangeStatement(s)
	case *ast.SwitchStmt:
		f.switchStatement(s)
	}
}

// branches walks a part of a statement, which is a region if lanes part there.
func (f *flow) branches(of, region ast.Node, walk func()) {
	if f.parting[of] {
		f.within(region, walk)
	} else {
		walk()
	}
}

func (f *flow) declaration(d *ast.GenDecl) {
	if d.Tok != token.VAR {
		return
	}
	for _, spec := range d.Specs {
		values := spec.(*ast.ValueSpec)
		if len(values.Values) == 0 {
			for _, name := range values.Names {
				f.define(name, uniform)
			}
			continue
		}
		targets := make([]ast.Expr, len(values.Names))
		for i, name := range values.Names {
			targets[i] = name
		}
		f.assign(targets, values.Values)
	}
}

func (f *flow) define(name *ast.Ident, c class) {
	if v, ok := f.info.Defs[name].(*types.Var); ok && f.shared[v] == nil {
		f.declare[v] = f.region
		f.assigned(v, c)
	}
}

func (f *flow) assignment(s *ast.AssignStmt) {
	if s.Tok == token.ASSIGN || s.Tok == token.DEFINE {
		f.assign(s.Lhs, s.Rhs)
		return
	}
	f.effects(s.Rhs[0])
	x, y := f.classOf(s.Lhs[0]), f.classOf(s.Rhs[0])
	if s.Tok == token.ADD_ASSIGN || s.Tok == token.SUB_ASSIGN {
		f.target(s.Lhs[0], sum(x, y, s.Tok == token.SUB_ASSIGN))
		return
	}
	f.target(s.Lhs[0], spread(max(x, y)))
}

func (f *flow) assign(targets, values []ast.Expr) {
	for _, value := range values {
		f.effects(value)
	}
	if len(targets) > 1 && len(values) == 1 {
		results := f.callResults(ast.Unparen(values[0]).(*ast.CallExpr))
		for i, target := range targets {
			f.target(target, results[i])
		}
		return
	}
	classes := make([]class, len(values))
	for i, value := range values {
		classes[i] = f.classOf(value)
	}
	for i, target := range targets {
		f.target(target, classes[i])
	}
}

// target notes an assignment to a variable, element or field.
func (f *flow) target(target ast.Expr, c class) {
	target = ast.Unparen(target)
	if name, ok := target.(*ast.Ident); ok {
		if f.info.Defs[name] != nil {
			f.define(name, c)
			return
		}
		if v, ok := f.info.ObjectOf(name).(*types.Var); ok && name.Name != "_" {
			f.assigned(v, c)
		}
		return
	}
	base, indices := source.Root(target)
	v, ok := f.info.ObjectOf(base.(*ast.Ident)).(*types.Var)
	if !ok {
		return
	}
	f.classOf(target) // notes the use of an array
	if _, isParameter := f.lists[v]; isParameter || f.shared[v] != nil {
		return
	}
	c = spread(c)
	for _, index := range indices {
		if f.classOf(index) > uniform {
			c = varying
		}
	}
	f.assigned(v, c)
}

// effects notes what the calls of an expression write: the arrays of an item.
func (f *flow) effects(e ast.Node) {
	ast.Inspect(e, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		for i, argument := range call.Args {
			if f.analysis.Argument(f.info, call, i)&kernel.Write == 0 {
				continue
			}
			v := rootOf(f.info, argument)
			if _, isParameter := f.lists[v]; v != nil && f.lanes && !isParameter && f.shared[v] == nil {
				f.join(v, varying)
			}
		}
		return true
	})
}

func (f *flow) returnStatement(s *ast.ReturnStmt) {
	for i := range f.results {
		var c class
		if len(s.Results) == 0 {
			c = f.vars[f.function.Signature().Results().At(i)]
		} else {
			f.effects(s.Results[i])
			c = f.classOf(s.Results[i])
		}
		if f.region != nil {
			c = parted(c)
		}
		t := f.function.Signature().Results().At(i).Type()
		if c = ofType(join(f.results[i], max(c, uniform)), t); c != f.results[i] {
			f.results[i] = c
			f.changed = true
		}
	}
	if f.region == nil {
		return
	}
	if !f.parts {
		f.parts, f.changed = true, true
	}
	for _, t := range f.targets {
		f.part(t.node)
	}
}

func (f *flow) branch(s *ast.BranchStmt) {
	for i := len(f.targets) - 1; i >= 0; i-- {
		t := f.targets[i]
		if s.Tok == token.CONTINUE && !t.loop {
			continue
		}
		if f.region != t.region {
			f.part(t.node)
		}
		return
	}
}

func (f *flow) body(node, region ast.Node, loop bool, list []ast.Stmt) {
	f.targets = append(f.targets, target{node: node, loop: loop, region: region})
	f.within(region, func() { f.statements(list) })
	f.targets = f.targets[:len(f.targets)-1]
}

// bodyRegion returns the region of the body of a loop or switch.
func (f *flow) bodyRegion(of, body ast.Node) ast.Node {
	if f.parting[of] {
		return body
	}
	return f.region
}

// forStatement walks a loop. Its variables are in a region of their own, in which they step for all lanes, so that they
// keep their class where some lanes leave the loop early.
func (f *flow) forStatement(s *ast.ForStmt) {
	define, ok := s.Init.(*ast.AssignStmt)
	defines := ok && define.Tok == token.DEFINE
	if s.Init != nil && !defines {
		f.statement(s.Init)
	}
	region := f.bodyRegion(s, s.Body)
	f.branches(s, s, func() {
		if defines {
			f.statement(s.Init)
		}
		if s.Cond != nil {
			f.effects(s.Cond)
			if f.classOf(s.Cond) > uniform {
				f.part(s)
			}
		}
		f.statement(s.Post)
	})
	f.body(s, region, true, s.Body.List)
}

func (f *flow) rangeStatement(s *ast.RangeStmt) {
	key, _ := s.Key.(*ast.Ident)
	if each := source.Phase(f.info, s); each != nil {
		f.phase(s, key, each)
		return
	}
	f.effects(s.X)
	if f.classOf(s.X) > uniform {
		f.part(s)
	}
	region := f.bodyRegion(s, s.Body)
	if key != nil {
		counter := ast.Node(s)
		if f.assigns(s.Body, f.info.Defs[key]) {
			counter = region // a copy of the counter in each round
		}
		f.branches(s, counter, func() { f.define(key, uniform) })
	}
	f.body(s, region, true, s.Body.List)
}

// phase walks the items of a phase. One alone runs as a scalar.
func (f *flow) phase(s *ast.RangeStmt, key *ast.Ident, each *ast.CallExpr) {
	item := uniform
	if !f.single(each) && !f.scalar {
		f.lanes, item = true, consecutive
	}
	f.within(s.Body, func() {
		if key != nil {
			f.define(key, item)
		}
	})
	f.body(s, s.Body, true, s.Body.List)
	f.lanes = false
}

// single says whether a phase has one item by its source.
func (f *flow) single(each *ast.CallExpr) bool {
	value := f.info.Types[each.Args[0]].Value
	return value != nil && value.ExactString() == "1"
}

func (f *flow) switchStatement(s *ast.SwitchStmt) {
	f.statement(s.Init)
	if s.Tag != nil {
		f.effects(s.Tag)
		if f.classOf(s.Tag) > uniform {
			f.part(s)
		}
	}
	for _, clause := range s.Body.List {
		c := clause.(*ast.CaseClause)
		for _, value := range c.List {
			f.effects(value)
			if f.classOf(value) > uniform {
				f.part(s)
			}
		}
	}
	for _, clause := range s.Body.List {
		f.body(s, f.bodyRegion(s, clause), false, clause.(*ast.CaseClause).Body)
	}
}

// assigns says whether a block assigns a variable.
func (f *flow) assigns(block *ast.BlockStmt, object types.Object) bool {
	found := false
	is := func(e ast.Expr) {
		root := source.RootVariable(e)
		found = found || root != nil && f.info.ObjectOf(root) == object
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
