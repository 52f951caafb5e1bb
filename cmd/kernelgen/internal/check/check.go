// Package check enforces the kernel language: the subset of Go that means the same, bit for bit, in Go, CUDA C and
// GLSL.
//
// Each refusal names a rule and says what is allowed instead. Whatever the rules do not know is refused.
package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// Program checks the kernels of a program and every helper that they call, in any package. The result is sorted; it may
// hold warnings alone.
func Program(program *source.Program, analysis *access.Analysis) source.Diagnostics {
	c := &checker{program: program, analysis: analysis, kernels: map[*types.Func]bool{}, state: map[*types.Func]state{}}
	for _, p := range program.Packages {
		for _, k := range p.Kernels {
			c.kernels[k.Object] = true
		}
	}
	for _, p := range program.Packages {
		c.names(p)
		for _, k := range p.Kernels {
			c.function(k.Function, k)
		}
	}
	c.diagnostics.Sort()
	return c.diagnostics
}

// Functions checks functions as helpers. With it the tests check package kernel itself.
func Functions(program *source.Program, analysis *access.Analysis, functions []*source.Function) source.Diagnostics {
	c := &checker{program: program, analysis: analysis, kernels: map[*types.Func]bool{}, state: map[*types.Func]state{}}
	for _, f := range functions {
		c.follow(f)
	}
	c.diagnostics.Sort()
	return c.diagnostics
}

type state uint8

const (
	unseen state = iota
	open         // being checked: a call to it is recursive
	done
)

type checker struct {
	program     *source.Program
	analysis    *access.Analysis
	kernels     map[*types.Func]bool
	state       map[*types.Func]state
	diagnostics source.Diagnostics
}

// follow checks a helper once.
func (c *checker) follow(f *source.Function) {
	if c.state[f.Object] == unseen {
		c.function(f, nil)
	}
}

// function checks a kernel, or a helper if k is nil.
func (c *checker) function(f *source.Function, k *source.Kernel) {
	c.state[f.Object] = open
	checked := &function{checker: c, Function: f, kernel: k}
	if k == nil {
		checked.signature()
	}
	if f.Declaration.Body != nil {
		checked.block(f.Declaration.Body)
		checked.limits()
	}
	c.state[f.Object] = done
}

// function is the check of one function.
type function struct {
	*checker
	*source.Function
	kernel *source.Kernel // nil for helpers

	phase *ast.RangeStmt // the phase that the walk is in
	depth int            // of blocks, 1 in the outermost
	// enclosing is what a break would leave, from the outside in: loops, phases and switches.
	enclosing []ast.Stmt
}

func (f *function) report(at ast.Node, rule, format string, arguments ...any) {
	f.reportAt(at.Pos(), rule, format, arguments...)
}

func (f *function) reportAt(pos token.Pos, rule, format string, arguments ...any) {
	f.diagnostics = append(f.diagnostics, source.Diagnostic{
		Position: f.program.Fset.Position(pos), Rule: rule, Message: fmt.Sprintf(format, arguments...),
	})
}

// groupScope says whether the walk is in code that all lanes of a group run alike.
func (f *function) groupScope() bool { return f.kernel != nil && f.kernel.Group && f.phase == nil }

// signature checks the receiver, parameters and results of a helper.
func (f *function) signature() {
	signature, declaration := f.Signature(), f.Declaration
	if declaration.Body == nil {
		f.report(declaration, "helper", "%s has no body (a helper is written in Go)", f.Object.Name())
	}
	if signature.TypeParams() != nil || signature.RecvTypeParams() != nil {
		f.report(declaration, "helper", "%s is generic (helpers have fixed types)", f.Object.Name())
		return
	}
	if signature.Variadic() {
		f.report(declaration, "helper", "%s is variadic (helpers have a fixed number of parameters)", f.Object.Name())
	}
	if receiver := signature.Recv(); receiver != nil {
		f.variableType(receiver, "a receiver is a value of a struct or number type")
	}
	for parameter := range signature.Params().Variables() {
		if slice, ok := parameter.Type().Underlying().(*types.Slice); ok {
			if problem := typeProblem(slice.Elem()); problem != "" || isArray(slice.Elem()) {
				f.reportAt(parameter.Pos(), "type", "the elements of parameter %s are of type %s (%s)",
					parameter.Name(), f.typeName(slice.Elem()), allowedTypes)
			}
			continue
		}
		f.variableType(parameter, "")
		if isArray(parameter.Type()) {
			f.reportAt(parameter.Pos(), "list", "parameter %s is an array (take a slice, and pass x[:])",
				parameter.Name())
		}
	}
	for result := range signature.Results().Variables() {
		if problem := typeProblem(result.Type()); problem != "" || isArray(result.Type()) {
			pos := result.Pos()
			if !pos.IsValid() {
				pos = declaration.Type.Results.Pos()
			}
			f.reportAt(pos, "type", "%s returns a %s (%s, but no arrays)", f.Object.Name(), f.typeName(result.Type()),
				allowedTypes)
		}
	}
}
