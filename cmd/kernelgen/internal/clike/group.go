package clike

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

// Code at group scope is uniform: every lane computes the same. A lane must have read at group scope what a phase
// writes before another lane begins that phase. So a barrier follows such reads, as it follows each phase.

// groupStatements translates statements at group scope. A run of statements without phases, which only a return leaves,
// is followed by one barrier.
func (w *writer) groupStatements(list []ast.Stmt) {
	pending := false
	for _, s := range list {
		if _, returns := s.(*ast.ReturnStmt); returns {
			w.statement(s)
			return // the group ends
		}
		if !w.hasPhase(s) && !jumps(s) {
			w.group = false
			w.statement(s)
			w.group = true
			pending = pending || w.readsMutable(s)
			continue
		}
		if pending {
			w.barrier()
			pending = false
		}
		w.statement(s)
	}
	if pending {
		w.barrier()
	}
}

// needsBarrier says whether a statement at group scope reads what a phase may write.
func (w *writer) needsBarrier(s ast.Stmt) bool { return w.group && w.readsMutable(s) }

func (w *writer) hasPhase(node ast.Node) bool {
	found := false
	ast.Inspect(node, func(node ast.Node) bool {
		loop, ok := node.(*ast.RangeStmt)
		found = found || ok && source.Phase(w.info, loop) != nil
		return !found
	})
	return found
}

// jumps says whether a break or continue inside a statement leaves it.
func jumps(statement ast.Stmt) bool {
	found := false
	var walk func(node ast.Node, inLoop, inSwitch bool)
	walk = func(root ast.Node, inLoop, inSwitch bool) {
		ast.Inspect(root, func(node ast.Node) bool {
			if node == root {
				return true
			}
			switch s := node.(type) {
			case *ast.ForStmt, *ast.RangeStmt:
				walk(s, true, false)
				return false
			case *ast.SwitchStmt:
				walk(s, inLoop, true)
				return false
			case *ast.BranchStmt:
				stays := inLoop || inSwitch && s.Tok == token.BREAK
				found = found || !stays
			}
			return true
		})
	}
	switch s := statement.(type) {
	case *ast.BranchStmt:
		return true
	case *ast.ForStmt, *ast.RangeStmt:
		walk(s, true, false)
	case *ast.SwitchStmt:
		walk(s, false, true)
	default:
		walk(s, false, false)
	}
	return found
}

// readsMutable says whether a node reads the memory of the group, or a buffer that the kernel writes.
func (w *writer) readsMutable(node ast.Node) bool {
	found := false
	mutable := func(e ast.Expr) {
		root := source.RootVariable(e)
		if root == nil {
			return
		}
		object, ok := w.info.ObjectOf(root).(*types.Var)
		found = found || ok && (w.shared[object] || w.isBuffer(object) && w.sets[object]&kernel.Write != 0)
	}
	ast.Inspect(node, func(node ast.Node) bool {
		switch e := node.(type) {
		case ast.Expr:
			if tv, ok := w.info.Types[e]; ok && tv.Value != nil {
				return false
			}
			switch e := e.(type) {
			case *ast.IndexExpr:
				mutable(e)
			case *ast.CallExpr:
				for i, argument := range e.Args {
					if w.analysis.Argument(w.info, e, i)&kernel.Read != 0 {
						mutable(argument)
					}
				}
			}
		}
		return !found
	})
	return found
}

func (w *writer) isBuffer(object *types.Var) bool {
	_, isSlice := object.Type().Underlying().(*types.Slice)
	return isSlice
}

// rewritten returns the buffers that more than one phase writes, or that one phase writes more than once. Lanes then
// write the same elements, in an order that the barriers give.
func (w *writer) rewritten(body *ast.BlockStmt) map[*types.Var]bool {
	phases := map[*types.Var]int{}
	var walk func(root ast.Node, times int)
	walk = func(root ast.Node, times int) {
		ast.Inspect(root, func(node ast.Node) bool {
			if node == root {
				return true
			}
			switch s := node.(type) {
			case *ast.ForStmt:
				walk(s, 2)
				return false
			case *ast.RangeStmt:
				if source.Phase(w.info, s) == nil {
					walk(s, 2)
					return false
				}
				for buffer := range w.written(s) {
					phases[buffer] += times
				}
				return false
			}
			return true
		})
	}
	walk(body, 1)
	result := map[*types.Var]bool{}
	for buffer, count := range phases {
		result[buffer] = count > 1
	}
	return result
}

// written returns the buffers that a node writes.
func (w *writer) written(node ast.Node) map[*types.Var]bool {
	found := map[*types.Var]bool{}
	mark := func(e ast.Expr) {
		root := source.RootVariable(e)
		if root == nil {
			return
		}
		if object, ok := w.info.ObjectOf(root).(*types.Var); ok && w.isBuffer(object) {
			found[object] = true
		}
	}
	ast.Inspect(node, func(node ast.Node) bool {
		switch s := node.(type) {
		case *ast.AssignStmt:
			for _, target := range s.Lhs {
				mark(target)
			}
		case *ast.IncDecStmt:
			mark(s.X)
		case *ast.CallExpr:
			for i, argument := range s.Args {
				if w.analysis.Argument(w.info, s, i)&kernel.Write != 0 {
					mark(argument)
				}
			}
		}
		return true
	})
	return found
}
