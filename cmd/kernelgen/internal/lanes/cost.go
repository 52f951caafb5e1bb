package lanes

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// cheapCost is the largest cost of a branch that runs without a test whether any lane takes it.
const cheapCost = 10

// cheap says whether statements are few assignments of variables and jumps, which may run when no lane is on.
func (w *writer) cheap(list []ast.Stmt, most int) bool {
	for _, s := range list {
		if w.flow.needsMask(s) {
			return false
		}
		switch s := s.(type) {
		case *ast.AssignStmt:
			if !w.variables(s.Lhs) {
				return false
			}
		case *ast.IncDecStmt:
			if !w.variables([]ast.Expr{s.X}) {
				return false
			}
		case *ast.ReturnStmt:
		case *ast.IfStmt:
			if s.Init != nil || s.Else != nil || !w.flow.parting[s] || !w.cheap(s.Body.List, most) {
				return false
			}
		case *ast.BranchStmt:
			if !w.flow.parting[w.leaves(s.Tok).node] {
				return false
			}
		default:
			return false
		}
		most -= w.cost(s)
	}
	return most >= 0
}

// variables says whether targets are variables and fields, not elements.
func (w *writer) variables(targets []ast.Expr) bool {
	for _, target := range targets {
		if v := rootOf(w.info, target); v == nil || source.IsList(v.Type()) {
			return false
		}
	}
	return true
}

// cost estimates the instructions of a node.
func (w *writer) cost(node ast.Node) int {
	cost := 0
	ast.Inspect(node, func(node ast.Node) bool {
		switch e := node.(type) {
		case *ast.BinaryExpr:
			cost++
			if e.Op == token.QUO || e.Op == token.REM {
				cost += 4
			}
		case *ast.UnaryExpr, *ast.AssignStmt:
			cost++
		case *ast.CallExpr:
			callee := source.Callee(w.info, e)
			if callee == nil {
				return true
			}
			cost += w.callCost(callee)
		}
		return true
	})
	return cost
}

func (w *writer) callCost(callee *types.Func) int {
	if source.IsIntrinsic(callee) {
		return map[string]int{"Sqrt": 5, "ToInt32": 3}[callee.Name()]
	}
	function := w.program.Function(callee)
	if function == nil {
		return cheapCost + 1
	}
	inner := &writer{unit: w.unit, flow: w.flow, info: function.Info}
	cost := 0
	for _, s := range function.Declaration.Body.List {
		cost += inner.cost(s)
	}
	return cost
}
