package emit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// writeIterations writes the bound on the loop iterations of a kernel into its definition. What clears the arrays
// counts too: only generated code has these loops.
func writeIterations(w *bytes.Buffer, k *source.Kernel) {
	bound := k.Iterations("items", "args")
	if bound == "" {
		return
	}
	if cleared := clearIterations(k); cleared > 0 {
		bound = fmt.Sprintf("%d + %s", cleared, bound)
	}
	fmt.Fprintf(w, "Iterations: func(items int32, args *kernel.Args) float64 {\nreturn %s\n},\n", bound)
}

// clearIterations returns how many iterations a lane makes where shaders clear the arrays of the outermost block, in
// the loops of package clike: for shared ones, those along the longer dimension are spread over the lanes. An item of a
// thread kernel clears its arrays alone.
func clearIterations(k *source.Kernel) int64 {
	total := int64(0)
	for _, array := range outermostArrays(k.Function) {
		outer := array.Len()
		inner, twoDimensional := array.Elem().Underlying().(*types.Array)
		switch {
		case !twoDimensional:
			total += loop(rounds(outer, k.Lanes), 0)
		case inner.Len() > outer:
			total += loop(outer, loop(rounds(inner.Len(), k.Lanes), 0))
		default:
			total += loop(rounds(outer, k.Lanes), loop(inner.Len(), 0))
		}
	}
	return total
}

// rounds is how many of n items the busiest lane has.
func rounds(n int64, lanes int32) int64 {
	among := max(int64(lanes), 1)
	return (n + among - 1) / among
}

// loop counts a loop whose body makes so many iterations itself, with the test that ends it.
func loop(n, body int64) int64 { return n*(1+body) + 1 }

// outermostArrays returns the arrays that a kernel declares in its outermost block: those of a group kernel are shared.
func outermostArrays(f *source.Function) (arrays []*types.Array) {
	for _, statement := range f.Declaration.Body.List {
		for _, name := range declaredNames(statement) {
			if object := f.Info.Defs[name]; object != nil && name.Name != "_" {
				if array, ok := object.Type().Underlying().(*types.Array); ok {
					arrays = append(arrays, array)
				}
			}
		}
	}
	return arrays
}

// sharedBytes returns the SharedBytes of a kernel's definition.
func sharedBytes(k *source.Kernel) int64 {
	total := int64(0)
	for _, array := range outermostArrays(k.Function) {
		total += source.Size(array)
	}
	return total
}

// declaredNames returns the variables of a var statement.
func declaredNames(statement ast.Stmt) (names []*ast.Ident) {
	declaration, ok := statement.(*ast.DeclStmt)
	if !ok {
		return nil
	}
	for _, spec := range declaration.Decl.(*ast.GenDecl).Specs {
		if values, ok := spec.(*ast.ValueSpec); ok {
			names = append(names, values.Names...)
		}
	}
	return names
}
