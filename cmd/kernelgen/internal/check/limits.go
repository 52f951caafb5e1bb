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

// limits checks the shared memory of a kernel and the size of its body.
func (f *function) limits() {
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
			Message: fmt.Sprintf("%s has %d nodes, and past %d Go inlines only the smallest helpers (loop instead of unrolling)",
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
			total += size(variable.Type())
			if total > kernel.MaxSharedBytes {
				f.report(name, "limit", "with %s the shared arrays of %s take %d bytes (at most %d)",
					name.Name, f.Object.Name(), total, kernel.MaxSharedBytes)
			}
			return true
		})
	}
}
