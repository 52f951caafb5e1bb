package check

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

// maxNodes is the size of a function past which the Go compiler inlines only the smallest helpers.
const maxNodes = 5000

// maxDepth is how deep expressions and statements may stand in each other. Compilers give up at some depth or run out
// of their stack, clang at about 700 parentheses.
const maxDepth = 200

// nested refuses what stands too deep, once in a function.
func (f *function) nested(root ast.Node, depth int) bool {
	deep := false
	ast.Inspect(root, func(node ast.Node) bool {
		if deep || node == nil || node == root {
			return !deep
		}
		below := depth + 1
		switch n := node.(type) {
		case *ast.ParenExpr:
			below = depth
		case *ast.CallExpr:
			if source.Builtin(f.Info, n) != "" {
				below = depth + len(n.Args) // min of three is two calls, one in the other
			}
		case *ast.SwitchStmt:
			deep = f.nestedClauses(n, below)
			return false
		case ast.Expr, ast.Stmt:
		default:
			return true // a part of a statement
		}
		if below > maxDepth {
			f.report(node, "limit",
				"this stands %d expressions and statements deep (at most %d: use variables and helpers)",
				below, maxDepth)
			deep = true
			return false
		}
		deep = f.nested(node, below)
		return false
	})
	return deep
}

// nestedClauses refuses what stands too deep in a switch. A switch without a tag becomes a chain of ifs, each in the
// else of the one before, and the values of a case stand in each other too.
func (f *function) nestedClauses(s *ast.SwitchStmt, depth int) bool {
	if s.Init != nil && f.nested(s.Init, depth) || s.Tag != nil && f.nested(s.Tag, depth) {
		return true
	}
	for _, statement := range s.Body.List {
		clause := statement.(*ast.CaseClause)
		if s.Tag == nil {
			depth += max(1, len(clause.List))
		}
		if depth > maxDepth {
			f.report(clause, "limit",
				"the switch has too many conditions up to this case "+
					"(with what stands around it at most %d; or a switch with a tag)",
				maxDepth)
			return true
		}
		if f.nested(clause, depth) {
			return true
		}
	}
	return false
}

// limits checks the shared memory of a kernel, and the size and depth of its body.
func (f *function) limits() {
	f.nested(f.Declaration.Body, 0)
	nodes := 0
	ast.Inspect(f.Declaration.Body, func(node ast.Node) bool {
		if node != nil {
			nodes++
		}
		return true
	})
	if nodes > maxNodes {
		f.diagnostics = append(f.diagnostics, source.Diagnostic{
			Position: f.program.Fset.Position(f.Declaration.Pos()),
			Rule:     "limit",
			Message: fmt.Sprintf(
				"%s has %d nodes, and past %d Go inlines only the smallest helpers (loop instead of unrolling)",
				f.Object.Name(), nodes, maxNodes),
			Warning: true,
		})
	}
	if f.kernel == nil || !f.kernel.Group {
		return
	}
	total := int64(0)
	for _, statement := range f.Declaration.Body.List {
		declaration, ok := statement.(*ast.DeclStmt)
		if !ok {
			continue
		}
		ast.Inspect(declaration, func(node ast.Node) bool {
			name, ok := node.(*ast.Ident)
			if !ok {
				return true
			}
			variable, ok := f.Info.Defs[name].(*types.Var)
			if !ok || variable.IsField() || !isArray(variable.Type()) || total > kernel.MaxSharedBytes {
				return true
			}
			total += source.Size(variable.Type())
			if total > kernel.MaxSharedBytes {
				f.report(name, "limit", "with %s the shared arrays of %s take %d bytes (at most %d)",
					name.Name, f.Object.Name(), total, kernel.MaxSharedBytes)
			}
			return true
		})
	}
}
