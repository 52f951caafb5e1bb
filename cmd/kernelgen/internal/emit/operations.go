package emit

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// counter counts the float32 operations in pieces of source: sums, differences, products, quotients, comparisons and
// square roots. Twins add the counts up while they run (kernel.Work).
type counter struct {
	program *source.Program
	// copied says whether a function has a twin of its own, which counts for itself.
	copied func(*types.Func) bool
	known  map[*types.Func]int
}

// statement counts the operations that a statement makes whenever it is reached, without those of the blocks inside it.
// The condition of a loop belongs to the iterations and is not counted. Both sides of && and || are.
func (c *counter) statement(info *types.Info, statement ast.Stmt) int {
	switch s := statement.(type) {
	case *ast.IfStmt:
		n := c.optional(info, s.Init) + c.expression(info, s.Cond)
		if other, ok := s.Else.(*ast.IfStmt); ok {
			n += c.statement(info, other)
		}
		return n
	case *ast.ForStmt:
		return c.optional(info, s.Init)
	case *ast.RangeStmt:
		return c.expression(info, s.X)
	case *ast.SwitchStmt:
		n := c.optional(info, s.Init)
		if s.Tag != nil {
			n += c.expression(info, s.Tag)
		}
		for _, clause := range s.Body.List {
			for _, value := range clause.(*ast.CaseClause).List {
				n += c.expression(info, value)
			}
		}
		return n
	case *ast.BlockStmt:
		return 0
	case *ast.AssignStmt:
		n := c.node(info, s)
		if s.Tok != token.ASSIGN && s.Tok != token.DEFINE && isFloat(info.TypeOf(s.Lhs[0])) {
			n++
		}
		return n
	default:
		return c.node(info, statement)
	}
}

func (c *counter) optional(info *types.Info, statement ast.Stmt) int {
	if statement == nil {
		return 0
	}
	return c.statement(info, statement)
}

// iteration counts what each iteration of a loop makes outside of its body.
func (c *counter) iteration(info *types.Info, s *ast.ForStmt) int {
	n := c.optional(info, s.Post)
	if s.Cond != nil {
		n += c.expression(info, s.Cond)
	}
	return n
}

func (c *counter) expression(info *types.Info, expression ast.Expr) int {
	return c.node(info, expression)
}

// node counts the operations of the expressions inside a node.
func (c *counter) node(info *types.Info, node ast.Node) int {
	n := 0
	ast.Inspect(node, func(node ast.Node) bool {
		expression, ok := node.(ast.Expr)
		if !ok {
			return true
		}
		if info.Types[expression].Value != nil {
			return false // the compiler has computed it
		}
		switch e := expression.(type) {
		case *ast.BinaryExpr:
			if isFloat(info.TypeOf(e.X)) {
				n++
			}
		case *ast.CallExpr:
			if callee := source.Callee(info, e); callee != nil {
				n += c.call(callee)
			}
		}
		return true
	})
	return n
}

// call counts the operations of a call of a function without a twin, on the longest path through it.
func (c *counter) call(callee *types.Func) int {
	switch {
	case c.copied(callee):
		return 0
	case source.IsIntrinsic(callee):
		if callee.Name() == "Sqrt" {
			return 1
		}
		return 0
	}
	if n, ok := c.known[callee]; ok {
		return n
	}
	n := 0
	if f := c.program.Function(callee); f != nil {
		n = c.block(f.Info, f.Declaration.Body.List)
	}
	c.known[callee] = n
	return n
}

// block counts the longest path through statements. It counts each loop once, because the functions that it is used for
// have none.
func (c *counter) block(info *types.Info, list []ast.Stmt) int {
	n := 0
	for _, statement := range list {
		n += c.statement(info, statement)
		switch s := statement.(type) {
		case *ast.BlockStmt:
			n += c.block(info, s.List)
		case *ast.IfStmt:
			n += c.longest(info, s)
		case *ast.ForStmt:
			n += c.iteration(info, s) + c.block(info, s.Body.List)
		case *ast.RangeStmt:
			n += c.block(info, s.Body.List)
		case *ast.SwitchStmt:
			longest := 0
			for _, clause := range s.Body.List {
				longest = max(longest, c.block(info, clause.(*ast.CaseClause).Body))
			}
			n += longest
		}
	}
	return n
}

// longest counts the longest branch.
func (c *counter) longest(info *types.Info, s *ast.IfStmt) int {
	n := c.block(info, s.Body.List)
	switch other := s.Else.(type) {
	case *ast.BlockStmt:
		return max(n, c.block(info, other.List))
	case *ast.IfStmt:
		return max(n, c.longest(info, other))
	}
	return n
}

func isFloat(t types.Type) bool {
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsFloat != 0
}

// nests says whether a statement has blocks of its own. What follows such a statement may not be reached.
func nests(statement ast.Stmt) bool {
	switch statement.(type) {
	case *ast.BlockStmt, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt:
		return true
	}
	return false
}
