package emit

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

func (w *twinWriter) block(block *ast.BlockStmt) {
	w.printf("{\n")
	w.statements(block.List, 0)
	w.printf("}")
}

// iterated writes the body of a loop, which counts its iterations, and so many operations more than its own.
func (w *twinWriter) iterated(body *ast.BlockStmt, more int) {
	w.printf("{\nrun.Iterate()\n")
	w.statements(body.List, more)
	w.printf("}")
}

// statements writes statements, each run of them that is left by its end alone after a count of its operations.
func (w *twinWriter) statements(list []ast.Stmt, more int) {
	for first := 0; first < len(list); {
		end := first
		for nested := false; end < len(list) && !nested; end++ {
			more += w.counter.statement(w.current.Info, list[end])
			nested = nests(list[end])
		}
		w.count(more)
		more = 0
		for _, statement := range list[first:end] {
			w.statement(statement)
			w.printf("\n")
		}
		first = end
	}
	w.count(more) // of an empty block
}

func (w *twinWriter) count(operations int) {
	if operations > 0 {
		w.printf("run.Count(%d)\n", operations)
	}
}

func (w *twinWriter) statement(statement ast.Stmt) {
	w.mark(statement)
	switch s := statement.(type) {
	case *ast.BlockStmt:
		w.block(s)
	case *ast.DeclStmt:
		general := s.Decl.(*ast.GenDecl)
		w.declaration(general)
		for _, spec := range general.Specs {
			if values, ok := spec.(*ast.ValueSpec); ok && general.Tok == token.VAR {
				for _, name := range values.Names {
					w.keep(name)
				}
			}
		}
	case *ast.ExprStmt:
		w.printf("%s", w.expression(s.X))
	case *ast.AssignStmt:
		w.assignment(s)
	case *ast.IncDecStmt:
		w.printf("%s%s", w.place(s.X, kernel.ReadWrite), s.Tok)
	case *ast.ReturnStmt:
		w.printf("return %s", w.expressions(s.Results))
	case *ast.BranchStmt:
		w.printf("%s", s.Tok)
	case *ast.IfStmt:
		w.ifStatement(s)
	case *ast.ForStmt:
		w.printf("run.Iterate()\nfor ") // the test that ends the loop
		if s.Init != nil || s.Post != nil {
			w.optional(s.Init)
			w.printf("; ")
			if s.Cond != nil {
				w.printf("%s", w.expression(s.Cond))
			}
			w.printf("; ")
			w.optional(s.Post)
		} else if s.Cond != nil {
			w.printf("%s", w.expression(s.Cond))
		}
		w.iterated(s.Body, w.counter.iteration(w.current.Info, s))
	case *ast.RangeStmt:
		w.rangeStatement(s)
	case *ast.SwitchStmt:
		w.switchStatement(s)
	case *ast.EmptyStmt:
	default:
		w.problem(statement, "%T cannot be instrumented", statement)
	}
}

func (w *twinWriter) optional(statement ast.Stmt) {
	if statement != nil {
		w.statement(statement)
	}
}

func (w *twinWriter) ifStatement(s *ast.IfStmt) {
	w.printf("if ")
	if s.Init != nil {
		w.statement(s.Init)
		w.printf("; ")
	}
	w.printf("%s ", w.expression(s.Cond))
	w.block(s.Body)
	if s.Else != nil {
		w.printf(" else ")
		w.statement(s.Else)
	}
}

func (w *twinWriter) rangeStatement(s *ast.RangeStmt) {
	var over string
	each := source.Phase(w.current.Info, s)
	if each != nil {
		over = "run.Each(" + w.expression(each.Args[0]) + ")"
	} else {
		over = w.expression(s.X)
		w.printf("run.Iterate()\n") // the test that ends the loop
	}
	w.printf("for ")
	if s.Key != nil {
		name := s.Key.(*ast.Ident)
		if s.Tok == token.DEFINE {
			w.printf("%s := ", w.define(name))
		} else {
			w.printf("%s = ", w.place(name, kernel.Write))
		}
	}
	w.printf("range %s ", over)
	if each != nil {
		w.block(s.Body) // Each counts
	} else {
		w.iterated(s.Body, 0)
	}
}

func (w *twinWriter) switchStatement(s *ast.SwitchStmt) {
	w.printf("switch ")
	if s.Init != nil {
		w.statement(s.Init)
		w.printf("; ")
	}
	if s.Tag != nil {
		w.printf("%s ", w.expression(s.Tag))
	}
	w.printf("{\n")
	for _, clause := range s.Body.List {
		c := clause.(*ast.CaseClause)
		if c.List == nil {
			w.printf("default:\n")
		} else {
			w.printf("case %s:\n", w.expressions(c.List))
		}
		w.statements(c.Body, 0)
	}
	w.printf("}")
}

// define returns the name of a variable where := declares it; where it only assigns, the variable's.
func (w *twinWriter) define(name *ast.Ident) string {
	if name.Name == "_" {
		return "_"
	}
	if object := w.current.Info.Defs[name]; object != nil {
		return w.declare(object)
	}
	return w.place(name, kernel.Write)
}

func (w *twinWriter) declaration(d *ast.GenDecl) {
	for i, spec := range d.Specs {
		if i > 0 {
			w.printf("\n")
		}
		values, ok := spec.(*ast.ValueSpec)
		if !ok {
			w.problem(spec, "a local %s cannot be instrumented", d.Tok)
			continue
		}
		if d.Tok == token.CONST {
			for i, name := range values.Names {
				if i > 0 {
					w.printf("\n")
				}
				constant, ok := w.current.Info.Defs[name].(*types.Const)
				if !ok {
					continue // the blank identifier
				}
				w.printf("const %s = %s", w.declare(constant), w.literal(name, constant.Val(), constant.Type()))
			}
			continue
		}
		w.variables(values)
	}
}

func (w *twinWriter) variables(values *ast.ValueSpec) {
	// The values do not see the new names yet.
	text := w.expressions(values.Values)
	if text != "" {
		list := make([]string, len(values.Names))
		for i, name := range values.Names {
			list[i] = w.define(name)
		}
		w.printf("var %s ", strings.Join(list, ", "))
		if values.Type != nil {
			w.printf("%s ", w.typeText(values, w.current.Info.TypeOf(values.Type)))
		}
		w.printf("= %s", text)
		return
	}
	for i, name := range values.Names {
		if i > 0 {
			w.printf("\n")
		}
		object := w.current.Info.Defs[name]
		if object == nil {
			continue
		}
		if w.shared[object] {
			w.printf("%s := %s", w.define(name), w.sharedArray(name, object.Type()))
			continue
		}
		w.printf("var %s %s", w.define(name), w.typeText(name, object.Type()))
	}
}

// keep writes a use of a new array that would otherwise have none.
func (w *twinWriter) keep(name *ast.Ident) {
	object := w.current.Info.Defs[name]
	if object == nil || name.Name == "_" || !source.IsList(object.Type()) || !w.onlyMeasured(object) {
		return
	}
	w.printf("\n_ = %s", w.locals[object])
}

// onlyMeasured says whether a variable occurs in constant expressions alone, as an array in len(x) does. They are written
// as their values, after which nothing uses the variable.
func (w *twinWriter) onlyMeasured(object types.Object) bool {
	used := false
	ast.Inspect(w.current.Declaration.Body, func(node ast.Node) bool {
		if expression, ok := node.(ast.Expr); ok && w.current.Info.Types[expression].Value != nil {
			return false
		}
		name, ok := node.(*ast.Ident)
		used = used || ok && w.current.Info.Uses[name] == object
		return !used
	})
	return !used
}

func (w *twinWriter) sharedArray(at ast.Node, t types.Type) string {
	outer := t.Underlying().(*types.Array)
	if inner, ok := outer.Elem().Underlying().(*types.Array); ok {
		return "twin.SharedRows[" + w.typeText(at, inner.Elem()) + "](run, " + number(outer.Len()) + ", " + number(inner.Len()) + ")"
	}
	return "twin.Shared[" + w.typeText(at, outer.Elem()) + "](run, " + number(outer.Len()) + ")"
}

func (w *twinWriter) assignment(s *ast.AssignStmt) {
	if s.Tok == token.QUO_ASSIGN || s.Tok == token.REM_ASSIGN {
		if w.mayFail(s.Lhs[0], s.Rhs[0]) {
			operation := "DivideAssign"
			if s.Tok == token.REM_ASSIGN {
				operation = "RemainderAssign"
			}
			w.printf("twin.%s(run, %s, %s, %d)", operation, w.address(s.Lhs[0]), w.expression(s.Rhs[0]), w.site(s.Lhs[0]))
			return
		}
	}
	// The right side is written first: it does not see what := declares.
	values := w.expressions(s.Rhs)
	mode := kernel.Write
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		mode = kernel.ReadWrite
	}
	targets := make([]string, len(s.Lhs))
	for i, target := range s.Lhs {
		if name, ok := target.(*ast.Ident); ok && s.Tok == token.DEFINE {
			targets[i] = w.define(name)
			continue
		}
		targets[i] = w.place(target, mode)
	}
	w.printf("%s %s %s", strings.Join(targets, ", "), s.Tok, values)
	for _, target := range s.Lhs {
		if name, ok := target.(*ast.Ident); ok && s.Tok == token.DEFINE {
			w.keep(name)
		}
	}
}
