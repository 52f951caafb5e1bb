package check

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

func (f *function) block(block *ast.BlockStmt) {
	f.depth++
	f.statements(block.List)
	f.depth--
}

func (f *function) statements(list []ast.Stmt) {
	for _, statement := range list {
		f.statement(statement)
	}
}

// optional checks the init or post statement of an if, for or switch.
func (f *function) optional(statement ast.Stmt) {
	if statement == nil {
		return
	}
	f.statement(statement)
	if assignment, ok := statement.(*ast.AssignStmt); ok && assignment.Tok == token.DEFINE {
		for _, target := range assignment.Lhs {
			if source.IsList(f.Info.TypeOf(target)) {
				f.report(target, "list", "an array declared in the header of a statement (declare it before)")
			}
		}
	}
}

func (f *function) statement(statement ast.Stmt) {
	switch s := statement.(type) {
	case *ast.BlockStmt:
		f.block(s)
	case *ast.DeclStmt:
		f.declaration(s)
	case *ast.ExprStmt:
		f.expressionStatement(s)
	case *ast.AssignStmt:
		f.assignment(s)
	case *ast.IncDecStmt:
		f.target(s.X)
	case *ast.ReturnStmt:
		f.returns(s)
	case *ast.BranchStmt:
		f.branch(s)
	case *ast.IfStmt:
		f.depth++
		f.optional(s.Init)
		f.expression(s.Cond, useValue)
		f.depth--
		f.block(s.Body)
		f.optional(s.Else)
	case *ast.ForStmt:
		f.forLoop(s)
	case *ast.RangeStmt:
		f.rangeLoop(s)
	case *ast.SwitchStmt:
		f.switchStatement(s)
	case *ast.EmptyStmt:
	case *ast.LabeledStmt:
		f.report(s, "branch", "label %s (there are no labels: leave an inner loop by a bool)", s.Label.Name)
		f.statement(s.Stmt)
	case *ast.GoStmt:
		f.report(s, "statement", "a go statement (the items of a phase are what runs at once)")
	case *ast.DeferStmt:
		f.report(s, "statement", "a defer statement (write the code where it runs)")
	default:
		f.report(s, "statement",
			"a statement that kernels do not have (assignments, if, for, switch, return and calls are known)")
	}
}

func (f *function) expressionStatement(s *ast.ExprStmt) {
	call, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		f.report(s, "statement", "an expression as a statement (only calls are)")
		return
	}
	f.call(call, useStatement)
}

func (f *function) declaration(s *ast.DeclStmt) {
	general, ok := s.Decl.(*ast.GenDecl)
	if !ok || general.Tok != token.VAR && general.Tok != token.CONST {
		f.report(s, "statement", "a type declared in a function (declare it outside)")
		return
	}
	if general.Tok == token.CONST {
		for _, spec := range general.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				f.constantKind(name, f.Info.Defs[name])
			}
		}
		return
	}
	for _, spec := range general.Specs {
		values := spec.(*ast.ValueSpec)
		f.values(values.Values, len(values.Names))
		for _, name := range values.Names {
			f.defined(name, len(values.Values) > 0)
		}
	}
}

// constantKind refuses constants that are no numbers and no bools.
func (f *function) constantKind(at ast.Node, object types.Object) {
	if object != nil && !isBasic(object.Type(), types.IsInteger|types.IsFloat|types.IsBoolean) {
		f.report(at, "literal", "constant %s is of type %s (numbers and bools are known)", object.Name(),
			f.typeName(object.Type()))
	}
}

// defined checks a variable where it is declared.
func (f *function) defined(name *ast.Ident, initialised bool) {
	variable, ok := f.Info.Defs[name].(*types.Var)
	if !ok {
		return
	}
	f.variableType(variable, "")
	if name.Name == "_" && source.IsList(variable.Type()) {
		f.report(name, "list", "an array without a name (leave it out)")
		return
	}
	if f.groupScope() && isArray(variable.Type()) {
		switch {
		case f.depth != 1:
			f.report(name, "shared", "array %s is declared in a block (declare shared arrays at the top of the kernel)",
				name.Name)
		case initialised:
			f.report(name, "shared", "shared array %s is initialised (it is zero at the start; fill it in a phase)",
				name.Name)
		}
	}
}

// values checks the right side of an assignment or declaration of a number of variables.
func (f *function) values(list []ast.Expr, targets int) {
	if len(list) == 1 {
		if call, ok := ast.Unparen(list[0]).(*ast.CallExpr); ok && f.Info.Types[list[0]].Value == nil {
			use := useSole
			if targets > 1 {
				use = useTuple
			}
			f.call(call, use)
			return
		}
	}
	for _, value := range list {
		if literal, ok := ast.Unparen(value).(*ast.CompositeLit); ok {
			f.composite(literal) // of an array too, where it begins a variable
			continue
		}
		f.expression(value, useCount) // of an int, the variable is refused
	}
}

func (f *function) assignment(s *ast.AssignStmt) {
	switch s.Tok {
	case token.DEFINE, token.ASSIGN:
		f.values(s.Rhs, len(s.Lhs))
		for _, target := range s.Lhs {
			if name, ok := target.(*ast.Ident); ok && f.Info.Defs[name] != nil {
				f.defined(name, true)
				continue
			}
			f.target(target)
		}
		if len(s.Rhs) == 1 && f.writesSlices(s.Rhs[0]) {
			for _, target := range s.Lhs {
				if _, ok := ast.Unparen(target).(*ast.Ident); !ok {
					f.report(target, "effect",
						"the result of a helper that writes a slice is stored in an element "+
							"(assign it to a variable first)")
				}
			}
		}
		return
	}
	f.target(s.Lhs[0])
	if s.Tok == token.SHL_ASSIGN || s.Tok == token.SHR_ASSIGN {
		f.shiftCount(s.Rhs[0])
		return
	}
	f.expression(s.Rhs[0], useValue)
	left := f.Info.TypeOf(s.Lhs[0])
	switch s.Tok {
	case token.MUL_ASSIGN:
		if isFloat(left) {
			f.report(s, "product", "*= on a float, whose product may be fused with a later sum (x = float32(x * y))")
		}
	case token.ADD_ASSIGN:
		f.zeroOperand(s, left, s.Rhs[0])
	}
}

// writesSlices says whether an expression is a call of a helper that writes a slice.
func (f *function) writesSlices(expression ast.Expr) bool {
	call, ok := ast.Unparen(expression).(*ast.CallExpr)
	if !ok {
		return false
	}
	callee := f.program.Function(source.Callee(f.Info, call))
	return callee != nil && f.analysis.Writes(callee)
}

// target checks what is assigned to.
func (f *function) target(expression ast.Expr) {
	expression = ast.Unparen(expression)
	if name, ok := expression.(*ast.Ident); ok && name.Name == "_" {
		return
	}
	before := len(f.diagnostics)
	f.expression(expression, useTarget)
	if len(f.diagnostics) > before {
		return
	}
	base, indices := source.Root(expression)
	root, _ := base.(*ast.Ident)
	element := len(indices) > 0
	if root == nil {
		f.report(expression, "assignment", "this cannot be assigned to (variables, elements and fields can)")
		return
	}
	variable, ok := f.Info.ObjectOf(root).(*types.Var)
	if !ok {
		return
	}
	if t := f.Info.TypeOf(expression); t != nil && source.IsList(t) {
		f.report(expression, "list", "%s is assigned as a whole (assign its elements)", root.Name)
		return
	}
	memory := element && (isSlice(variable.Type()) || f.isShared(variable))
	switch {
	case memory && f.groupScope():
		f.report(expression, "group-scope",
			"%s is written at group scope (write it in a phase; range g.Each(1) is a phase of one item)", root.Name)
	case memory:
	case f.kernel != nil && variable == f.kernel.Index:
		f.report(expression, "assignment", "the index of the kernel is assigned (copy it to a variable)")
	case f.phase != nil && f.isItem(variable):
		f.report(expression, "phase", "the item of the phase is assigned (copy it to a variable)")
	case f.phase != nil && f.kernel.Group && !within(variable.Pos(), f.phase):
		f.report(expression, "phase",
			"%s belongs to the group and is assigned in a phase (keep what an item computes in an array)", root.Name)
	}
}

// within says whether pos is inside a node.
func within(pos token.Pos, node ast.Node) bool { return node.Pos() <= pos && pos < node.End() }

// isItem says whether a variable is the item of the current phase.
func (f *function) isItem(variable *types.Var) bool {
	name, ok := f.phase.Key.(*ast.Ident)
	return ok && f.Info.ObjectOf(name) == variable
}

// isShared says whether a variable is a shared array: one that a group kernel declares outside of phases.
func (f *function) isShared(variable *types.Var) bool {
	if f.kernel == nil || !f.kernel.Group || !isArray(variable.Type()) {
		return false
	}
	return f.phase == nil || !within(variable.Pos(), f.phase)
}

func (f *function) returns(s *ast.ReturnStmt) {
	if f.phase != nil {
		f.report(s, "phase", "a return inside a phase (continue ends an item)")
	}
	if len(s.Results) == 1 && f.Signature().Results().Len() > 1 {
		f.report(s, "call", "the results of a call are returned at once (assign them to variables first)")
		return
	}
	for _, result := range s.Results {
		f.expression(result, useValue)
	}
}

func (f *function) branch(s *ast.BranchStmt) {
	switch {
	case s.Label != nil || s.Tok == token.GOTO:
		f.report(s, "branch", "%s with a label (break and continue of the innermost loop are known)", s.Tok)
	case s.Tok == token.FALLTHROUGH:
		f.report(s, "switch", "fallthrough (list all values of a case together)")
	case s.Tok == token.BREAK && len(f.enclosing) > 0:
		switch left := f.enclosing[len(f.enclosing)-1].(type) {
		case *ast.SwitchStmt:
			if left.Tag == nil {
				f.report(s, "switch", "a break that leaves a switch without a tag (use if and else)")
			}
		case *ast.RangeStmt:
			if left == f.phase {
				f.report(s, "phase", "a break that leaves a phase (continue ends an item, and all items run)")
			}
		}
	}
}

func (f *function) forLoop(s *ast.ForStmt) {
	f.depth++
	f.optional(s.Init)
	if s.Cond != nil {
		f.expression(s.Cond, useValue)
	}
	f.optional(s.Post)
	f.depth--
	if f.groupScope() && f.hasPhase(s.Body) {
		f.variablesOnly(s.Cond, "condition")
		f.variablesOnly(s.Post, "post statement")
	}
	f.loopBody(s, s.Body)
}

func (f *function) loopBody(loop ast.Stmt, body *ast.BlockStmt) {
	f.enclosing = append(f.enclosing, loop)
	f.block(body)
	f.enclosing = f.enclosing[:len(f.enclosing)-1]
}

// hasPhase says whether there is a phase in a block.
func (f *function) hasPhase(block *ast.BlockStmt) bool {
	found := false
	ast.Inspect(block, func(node ast.Node) bool {
		loop, ok := node.(*ast.RangeStmt)
		found = found || ok && source.Phase(f.Info, loop) != nil
		return !found
	})
	return found
}

// variablesOnly refuses memory and calls in the header of a loop around phases: a barrier would have to stand in it.
func (f *function) variablesOnly(node ast.Node, part string) {
	if node == nil {
		return
	}
	ast.Inspect(node, func(node ast.Node) bool {
		switch e := node.(type) {
		case *ast.IndexExpr:
			f.report(e, "loop", "the %s of a loop around phases reads memory (copy it to a variable)", part)
			return false
		case *ast.CallExpr:
			if source.IsConversion(f.Info, e) {
				return true
			}
			f.report(e, "loop", "the %s of a loop around phases calls a function (copy the result to a variable)", part)
			return false
		}
		return true
	})
}

func (f *function) rangeLoop(s *ast.RangeStmt) {
	if s.Value != nil {
		f.report(s.Value, "loop", "a range with two variables (for i := range n, with n an int32)")
		return
	}
	if s.Key != nil && s.Tok == token.ASSIGN {
		f.report(s.Key, "loop", "a range that assigns a variable (declare it with :=)")
		return
	}
	each := source.Phase(f.Info, s)
	if each == nil {
		t := f.Info.TypeOf(s.X)
		if !isBasic(t, types.IsInteger) {
			f.report(s.X, "loop", "a range over a %s (range over an int32, or a phase over g.Each(n))", f.typeName(t))
			return
		}
		if s.Key != nil && isBasic(t, types.IsInteger) && typeProblem(t) != "" {
			f.report(s.X, "type", "a range over an int, which gives an int (int32(n))")
			return
		}
		f.expression(s.X, useCount)
		f.loopBody(s, s.Body)
		return
	}
	switch {
	case f.kernel == nil || !f.kernel.Group:
		f.report(s, "phase", "a phase outside of a group kernel (phases stand in functions with //kernel:group)")
		return
	case f.phase != nil:
		f.report(s, "phase", "a phase inside a phase (close the outer one first)")
		return
	}
	f.expression(each.Args[0], useValue)
	f.phase = s
	f.loopBody(s, s.Body)
	f.phase = nil
}

func (f *function) switchStatement(s *ast.SwitchStmt) {
	f.depth++
	f.optional(s.Init)
	if s.Tag != nil {
		f.expression(s.Tag, useValue)
		if t := f.Info.TypeOf(s.Tag); !isBasic(t, types.IsInteger) {
			f.report(s.Tag, "switch", "a switch on a %s (switch on int32 or uint32, or without a tag)", f.typeName(t))
		}
	}
	f.enclosing = append(f.enclosing, s)
	for _, statement := range s.Body.List {
		clause, ok := statement.(*ast.CaseClause)
		if !ok {
			continue
		}
		for _, value := range clause.List {
			f.expression(value, useValue)
			if s.Tag != nil && f.Info.Types[value].Value == nil {
				f.report(value, "switch", "a case that is no constant (use if and else)")
			}
		}
		f.depth++
		f.statements(clause.Body)
		f.depth--
	}
	f.enclosing = f.enclosing[:len(f.enclosing)-1]
	f.depth--
}
