// Package access finds what a function does with slices and arrays: which it reads, which it writes, and whether the
// items of a phase can touch each other's elements.
package access

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

// Sets tells for each slice or array variable of a function what the function does with its elements.
type Sets map[*types.Var]kernel.Access

// Analysis answers what functions of a program do with slices. It remembers the functions it has seen.
type Analysis struct {
	program *source.Program
	sets    map[*source.Function]Sets
}

// New returns an analysis of a program.
func New(program *source.Program) *Analysis {
	return &Analysis{program: program, sets: map[*source.Function]Sets{}}
}

// Of returns the sets of a function. Accesses inside the helpers it calls count for the slices it passes.
func (a *Analysis) Of(function *source.Function) Sets {
	if sets, ok := a.sets[function]; ok {
		return sets
	}
	sets := Sets{}
	a.sets[function] = sets // a recursive call, which the checker refuses, sees the empty set
	if function.Declaration.Body != nil {
		ast.Walk(&setVisitor{analysis: a, info: function.Info, sets: sets}, function.Declaration.Body)
	}
	return sets
}

// Writes says whether a function writes any slice that it is given.
func (a *Analysis) Writes(function *source.Function) bool {
	sets := a.Of(function)
	for parameter := range function.Signature().Params().Variables() {
		if sets[parameter]&kernel.Write != 0 {
			return true
		}
	}
	return false
}

// Argument returns what a call does with its argument i: nothing unless that is a slice.
func (a *Analysis) Argument(info *types.Info, call *ast.CallExpr, i int) kernel.Access {
	callee := source.Callee(info, call)
	if callee == nil {
		return 0
	}
	if i < callee.Signature().Params().Len() {
		if _, isSlice := callee.Signature().Params().At(i).Type().Underlying().(*types.Slice); !isSlice {
			return 0
		}
	}
	if source.IsAtomic(callee) {
		return kernel.ReadWrite
	}
	function := a.program.Function(callee)
	if function == nil || i >= callee.Signature().Params().Len() {
		return 0
	}
	return a.Of(function)[callee.Signature().Params().At(i)]
}

type setVisitor struct {
	analysis *Analysis
	info     *types.Info
	sets     Sets
}

// Visit records reads. Statements that write, and calls, are taken apart here.
func (v *setVisitor) Visit(node ast.Node) ast.Visitor {
	switch node := node.(type) {
	case *ast.AssignStmt:
		mode := kernel.Write
		if node.Tok != token.ASSIGN && node.Tok != token.DEFINE {
			mode = kernel.ReadWrite
		}
		for _, target := range node.Lhs {
			v.place(target, mode)
		}
		for _, value := range node.Rhs {
			ast.Walk(v, value)
		}
		return nil
	case *ast.IncDecStmt:
		v.place(node.X, kernel.ReadWrite)
		return nil
	case *ast.IndexExpr:
		v.place(node, kernel.Read)
		return nil
	case *ast.CallExpr:
		for i, argument := range node.Args {
			if mode := v.analysis.Argument(v.info, node, i); mode != 0 {
				v.place(argument, mode)
				continue
			}
			if source.IsList(v.info.TypeOf(argument)) {
				v.place(argument, 0)
				continue
			}
			ast.Walk(v, argument)
		}
		ast.Walk(v, node.Fun)
		return nil
	}
	return v
}

// place records an access to what expression denotes, and reads of the indices on the way there.
func (v *setVisitor) place(expression ast.Expr, mode kernel.Access) {
	root, indices := source.Root(expression)
	for _, index := range indices {
		ast.Walk(v, index)
	}
	if name, ok := root.(*ast.Ident); !ok {
		if root != nil {
			ast.Walk(v, root)
		}
	} else if variable, ok := v.info.ObjectOf(name).(*types.Var); ok && source.IsList(variable.Type()) {
		v.sets[variable] |= mode
	}
}
