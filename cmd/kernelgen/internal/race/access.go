package race

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// mode is how an element is accessed. Atomics of one function commute; they have the function's name.
type mode string

const (
	reads  mode = "read"
	writes mode = "written"
)

// access is one access that the items of a phase make to a slice or shared array.
type access struct {
	root    *types.Var
	mode    mode
	indices []index
	node    ast.Expr
	in      *source.Function // where node stands
}

// index is what is known of an index.
type index struct {
	value polynomial
	known bool
}

func (i index) key() string {
	if !i.known {
		return "?"
	}
	return i.value.key()
}

// place is a slice variable of a helper, or the array that it stands for: a root with the indices that are applied to
// it.
type place struct {
	root    *types.Var
	indices []index
}

// maxAccesses is where a phase is given up.
const maxAccesses = 20000

// phase is the walk through one phase, or through a thread kernel.
type phase struct {
	program  *source.Program
	kernel   *source.Kernel
	body     *ast.BlockStmt
	atoms    *atomTable
	accesses []access
	seen     map[string]bool
}

// scope is one function on the way: what its variables hold, and what its slices stand for.
type scope struct {
	*phase
	function *source.Function
	values   map[types.Object]index
	lists    map[types.Object]place
	assigned map[types.Object]int // how often a variable is assigned after its declaration
}

func (p *phase) enter(f *source.Function) *scope {
	return &scope{
		phase: p, function: f,
		values: map[types.Object]index{}, lists: map[types.Object]place{}, assigned: assignments(f),
	}
}

// assignments counts the assignments to variables, their declarations apart.
func assignments(f *source.Function) map[types.Object]int {
	count := map[types.Object]int{}
	target := func(expression ast.Expr) {
		if name, ok := ast.Unparen(expression).(*ast.Ident); ok && f.Info.Defs[name] == nil {
			count[f.Info.ObjectOf(name)]++
		}
	}
	ast.Inspect(f.Declaration.Body, func(node ast.Node) bool {
		switch s := node.(type) {
		case *ast.AssignStmt:
			for _, left := range s.Lhs {
				target(left)
			}
		case *ast.IncDecStmt:
			target(s.X)
		}
		return true
	})
	return count
}

// inside says whether an object is declared in the phase.
func (p *phase) inside(object types.Object) bool {
	return p.body.Pos() <= object.Pos() && object.Pos() < p.body.End()
}

// statements walks through a function or phase in the order of the text.
func (s *scope) statements(node ast.Node) {
	ast.Inspect(node, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.AssignStmt:
			s.assignment(n)
			return false
		case *ast.IncDecStmt:
			s.expression(n.X)
			s.touch(n.X, writes)
			return false
		case *ast.ValueSpec:
			for _, value := range n.Values {
				s.expression(value)
			}
			if len(n.Values) == len(n.Names) {
				for i, name := range n.Names {
					s.bind(name, n.Values[i])
				}
			}
			return false
		case *ast.ForStmt:
			if n.Init != nil {
				s.statements(n.Init)
			}
			s.bindLoop(n)
			for _, part := range []ast.Node{n.Cond, n.Post, n.Body} {
				if part != nil {
					s.statements(part)
				}
			}
			return false
		case *ast.RangeStmt:
			s.expression(n.X)
			s.bindRange(n)
			s.statements(n.Body)
			return false
		case ast.Expr:
			s.expression(n)
			return false
		}
		return true
	})
}

func (s *scope) assignment(a *ast.AssignStmt) {
	for _, value := range a.Rhs {
		s.expression(value)
	}
	for i, target := range a.Lhs {
		if name, ok := target.(*ast.Ident); ok {
			if a.Tok == token.DEFINE && len(a.Lhs) == len(a.Rhs) {
				s.bind(name, a.Rhs[i])
			}
			continue
		}
		if a.Tok != token.ASSIGN {
			s.touch(target, reads)
		}
		s.indices(target)
		s.touch(target, writes)
	}
}

// bind notes what a variable holds that is assigned once.
func (s *scope) bind(name *ast.Ident, value ast.Expr) {
	object := s.function.Info.Defs[name]
	if object != nil && s.assigned[object] == 0 {
		s.values[object] = s.index(value)
	}
}

// bindLoop gives the variable of a counting loop its range.
func (s *scope) bindLoop(loop *ast.ForStmt) {
	initial, ok := loop.Init.(*ast.AssignStmt)
	if !ok || initial.Tok != token.DEFINE || len(initial.Lhs) != 1 {
		return
	}
	name, ok := initial.Lhs[0].(*ast.Ident)
	condition, compares := loop.Cond.(*ast.BinaryExpr)
	if !ok || !compares {
		return
	}
	object := s.function.Info.Defs[name]
	delete(s.values, object) // bound by the init statement, before the loop moves it
	if left, ok := ast.Unparen(condition.X).(*ast.Ident); !ok || s.function.Info.ObjectOf(left) != object ||
		s.assigned[object] != 1 {
		return
	}
	begin, end := s.index(initial.Rhs[0]), s.index(condition.Y)
	if !begin.known || !end.known {
		return
	}
	up := s.steps(loop.Post, object)
	low, high := begin.value, end.value
	if up < 0 {
		low, high = high, low
	}
	fits := true
	switch {
	case up > 0 && condition.Op == token.LSS:
		high, fits = high.plus(number(1), -1)
	case up > 0 && condition.Op == token.LEQ, up < 0 && condition.Op == token.GEQ:
	case up < 0 && condition.Op == token.GTR:
		low, fits = low.plus(number(1), 1)
	default:
		return
	}
	if !fits {
		return
	}
	if value, ok := s.atoms.rangedAtom(low, high); ok {
		s.values[object] = index{value, true}
	}
}

// steps returns the sign of the constant by which a post statement moves a variable, 0 where it does otherwise.
func (s *scope) steps(post ast.Stmt, object types.Object) int {
	switch p := post.(type) {
	case *ast.IncDecStmt:
		if name, ok := p.X.(*ast.Ident); ok && s.function.Info.ObjectOf(name) == object {
			return map[token.Token]int{token.INC: 1, token.DEC: -1}[p.Tok]
		}
	case *ast.AssignStmt:
		name, ok := p.Lhs[0].(*ast.Ident)
		value := s.function.Info.Types[p.Rhs[0]].Value
		if ok && s.function.Info.ObjectOf(name) == object && value != nil {
			return map[token.Token]int{token.ADD_ASSIGN: 1, token.SUB_ASSIGN: -1}[p.Tok] * constant.Sign(value)
		}
	}
	return 0
}

func (s *scope) bindRange(loop *ast.RangeStmt) {
	name, ok := loop.Key.(*ast.Ident)
	end := s.index(loop.X)
	if !ok || !end.known {
		return
	}
	object := s.function.Info.Defs[name]
	high, fits := end.value.plus(number(1), -1)
	if object == nil || s.assigned[object] != 0 || !fits {
		return
	}
	if value, ok := s.atoms.rangedAtom(nil, high); ok {
		s.values[object] = index{value, true}
	}
}

// expression records the accesses of an expression that is read.
func (s *scope) expression(expression ast.Expr) {
	ast.Inspect(expression, func(node ast.Node) bool {
		switch e := node.(type) {
		case *ast.CallExpr:
			s.call(e)
			return false
		case *ast.IndexExpr:
			s.indices(e)
			s.touch(e, reads)
			return false
		}
		return true
	})
}

// indices records the accesses that the indices of a place make.
func (s *scope) indices(expression ast.Expr) {
	root, indices := source.Root(expression)
	for _, index := range indices {
		s.expression(index)
	}
	if _, ok := root.(*ast.Ident); !ok {
		s.expression(root)
	}
}

// touch records an access to a place, unless it is a variable of the item alone.
func (s *scope) touch(expression ast.Expr, how mode) {
	at, ok := s.place(expression)
	if !ok || len(at.indices) == 0 {
		return
	}
	a := access{root: at.root, mode: how, indices: at.indices, node: expression, in: s.function}
	key := at.root.Name() + "/" + string(how)
	for _, i := range at.indices {
		key += "/" + i.key()
	}
	if s.seen[key] || len(s.accesses) > maxAccesses {
		return
	}
	s.seen[key] = true
	s.accesses = append(s.accesses, a)
}

// place returns the slice or shared array that an expression is a part of, with the indices up to the first field.
func (s *scope) place(expression ast.Expr) (place, bool) {
	switch e := expression.(type) {
	case *ast.ParenExpr:
		return s.place(e.X)
	case *ast.SliceExpr:
		return s.place(e.X)
	case *ast.SelectorExpr:
		return s.place(e.X)
	case *ast.IndexExpr:
		at, ok := s.place(e.X)
		if _, field := ast.Unparen(e.X).(*ast.SelectorExpr); ok && !field {
			indices := append([]index(nil), at.indices...)
			at.indices = append(indices, s.index(e.Index))
		}
		return at, ok
	case *ast.Ident:
		variable, ok := s.function.Info.ObjectOf(e).(*types.Var)
		if !ok || !source.IsList(variable.Type()) {
			return place{}, false
		}
		if at, ok := s.lists[variable]; ok {
			return at, true
		}
		shared := s.function == s.kernel.Function && !s.inside(variable)
		return place{root: variable}, shared
	}
	return place{}, false
}

// call walks through a helper with what it is given.
func (s *scope) call(call *ast.CallExpr) {
	info := s.function.Info
	receiver := source.Receiver(info, call)
	if receiver != nil {
		s.expression(receiver)
	}
	callee := source.Callee(info, call)
	for _, argument := range call.Args {
		if !source.IsList(info.TypeOf(argument)) {
			s.expression(argument)
		} else {
			s.indices(argument)
		}
	}
	if callee == nil {
		return
	}
	if source.IsAtomic(callee) {
		if at, ok := s.place(call.Args[0]); ok {
			at.indices = append(append([]index(nil), at.indices...), s.index(call.Args[1]))
			s.accesses = append(s.accesses, access{
				root: at.root, mode: mode("changed by " + callee.Name()), indices: at.indices,
				node: call, in: s.function,
			})
		}
		return
	}
	function := s.program.Function(callee)
	if function == nil || function.Declaration.Body == nil || source.IsIntrinsic(callee) ||
		len(s.accesses) > maxAccesses {
		return
	}
	inner := s.enter(function)
	parameters := callee.Signature().Params()
	lists := false
	for i := range min(parameters.Len(), len(call.Args)) {
		parameter := parameters.At(i)
		if source.IsList(parameter.Type()) {
			if at, ok := s.place(call.Args[i]); ok {
				inner.lists[parameter] = at
				lists = true
			}
			continue
		}
		if inner.assigned[parameter] == 0 {
			inner.values[parameter] = s.index(call.Args[i])
		}
	}
	if lists {
		inner.statements(function.Declaration.Body)
	}
}

// index returns what is known of an integer expression.
func (s *scope) index(expression ast.Expr) index {
	value, ok := s.polynomial(expression)
	return index{value, ok}
}

func (s *scope) polynomial(expression ast.Expr) (polynomial, bool) {
	info := s.function.Info
	if value := info.Types[expression].Value; value != nil {
		n, exact := constant.Int64Val(constant.ToInt(value))
		return number(n), exact && abs(n) <= maxCoefficient
	}
	switch e := expression.(type) {
	case *ast.ParenExpr:
		return s.polynomial(e.X)
	case *ast.Ident:
		return s.variable(e)
	case *ast.SelectorExpr:
		return s.field(e)
	case *ast.CallExpr:
		t, ok := info.TypeOf(e).Underlying().(*types.Basic)
		if source.IsConversion(info, e) && ok && t.Info()&types.IsInteger != 0 {
			from, ok := info.TypeOf(e.Args[0]).Underlying().(*types.Basic)
			if ok && from.Info()&types.IsInteger != 0 {
				return s.polynomial(e.Args[0])
			}
		}
	case *ast.UnaryExpr:
		if p, ok := s.polynomial(e.X); ok && e.Op == token.SUB {
			return polynomial(nil).plus(p, -1)
		}
	case *ast.BinaryExpr:
		return s.binary(e)
	}
	return nil, false
}

func (s *scope) variable(name *ast.Ident) (polynomial, bool) {
	object, ok := s.function.Info.ObjectOf(name).(*types.Var)
	if !ok {
		return nil, false
	}
	if value, ok := s.values[object]; ok {
		return value.value, value.known
	}
	if s.function != s.kernel.Function || s.inside(object) {
		return nil, false
	}
	// A variable of the group, which does not change during the phase, or a parameter of a thread kernel.
	if !s.kernel.Group && s.assigned[object] > 0 {
		return nil, false
	}
	return s.atoms.uniformAtom(objectKey(object)), true
}

// field returns a field of a variable of the group.
func (s *scope) field(e *ast.SelectorExpr) (polynomial, bool) {
	name, ok := e.X.(*ast.Ident)
	if !ok {
		return nil, false
	}
	object, ok := s.function.Info.ObjectOf(name).(*types.Var)
	if !ok || s.function != s.kernel.Function || s.inside(object) || !s.kernel.Group {
		return nil, false
	}
	return s.atoms.uniformAtom(objectKey(object) + "." + e.Sel.Name), true
}

func (s *scope) binary(e *ast.BinaryExpr) (polynomial, bool) {
	left, leftKnown := s.polynomial(e.X)
	right, rightKnown := s.polynomial(e.Y)
	n, isConstant := right.constant()
	isConstant = isConstant && rightKnown
	switch {
	case e.Op == token.AND:
		// A mask bounds whatever it is applied to.
		if m, ok := left.constant(); ok && leftKnown && !isConstant {
			n, isConstant = m, true
		}
		if isConstant && n >= 0 {
			return s.atoms.rangedAtom(nil, number(n))
		}
		return nil, false
	case e.Op == token.REM && isConstant && n > 0 && (!leftKnown || !s.atoms.isUniform(left)):
		return s.atoms.rangedAtom(number(1-n), number(n-1))
	}
	if !leftKnown || !rightKnown {
		return nil, false
	}
	switch e.Op {
	case token.ADD:
		return left.plus(right, 1)
	case token.SUB:
		return left.plus(right, -1)
	case token.MUL:
		return left.times(right)
	case token.SHL:
		if isConstant && n >= 0 && n < 31 {
			return left.times(number(1 << n))
		}
	case token.QUO, token.REM:
		if s.atoms.isUniform(left) && s.atoms.isUniform(right) {
			return s.atoms.uniformAtom("(" + left.key() + ")" + e.Op.String() + "(" + right.key() + ")"), true
		}
	}
	return nil, false
}
