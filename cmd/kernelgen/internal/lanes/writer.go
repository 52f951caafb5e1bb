package lanes

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// writer translates one function, whose classes are known.
type writer struct {
	*unit
	flow     *flow
	function *source.Function
	info     *types.Info
	sets     access.Sets

	page   *clike.Page
	at     token.Pos // of what is being translated
	indent int
	locals map[types.Object]string
	lists  map[types.Object]list
	used   clike.Names

	masks       []*mask  // that are on, from the outside in
	region      ast.Node // as in flow
	lanes       bool     // several items run at a time
	converted   []string // declarations of parameters that become vectors
	nesting     int      // lists of statements within the region
	freeze      bool     // indices are evaluated first
	cut         bool     // the last statement stands in a test for lanes that are on
	temporaries int
}

// value is the text of an expression with its class.
type value struct {
	text  string
	class class
}

func (u *unit) newWriter(f *flow) *writer {
	return &writer{
		unit: u, flow: f, function: f.function, info: f.info, sets: u.analysis.Of(f.function), lanes: f.lanes,
		at: f.function.Declaration.Pos(), locals: map[types.Object]string{}, lists: map[types.Object]list{},
		used: clike.Names{}, page: &clike.Page{},
	}
}

func (w *writer) line(format string, arguments ...any) {
	text := strings.Repeat("\t", w.indent) + fmt.Sprintf(format, arguments...) + "\n"
	w.page.Add(clike.TextFrom(w.at, text))
}

func (w *writer) open(format string, arguments ...any) {
	text := fmt.Sprintf(format, arguments...)
	if text != "" {
		text += " "
	}
	w.line("%s{", text)
	w.indent++
}

func (w *writer) close() {
	w.indent--
	w.line("}")
}

func (w *writer) text() clike.Text { return w.page.Text() }

func (w *writer) problem(at ast.Node, format string, arguments ...any) {
	w.problems = append(w.problems, source.Diagnostic{
		Position: w.program.Fset.Position(at.Pos()), Rule: "expression", Message: fmt.Sprintf(format, arguments...),
	})
}

// declare returns the name of a new variable. Each object has its own.
func (w *writer) declare(object types.Object) string {
	prefix := clike.VariablePrefix
	if v, ok := object.(*types.Var); ok && w.flow.vars[v] == consecutive {
		prefix = consecutivePrefix
	}
	name := w.used.Take(prefix + clike.Identifier(object.Name()))
	w.locals[object] = name
	return name
}

// consecutivePrefix begins the names of variables that hold the value of lane 0, to which lane l adds l.
const consecutivePrefix = "c_"

func (w *writer) temporary() string {
	w.temporaries++
	return fmt.Sprintf("kg_%d", w.temporaries)
}

// vector returns a value as a vector.
func (w *writer) vector(v value, t types.Type) string {
	switch {
	case v.class.vector():
		return v.text
	case v.class == consecutive:
		return "kg_from(" + clike.Bare(v.text) + ")"
	}
	switch underlying := t.Underlying().(type) {
	case *types.Struct:
		w.typeOf(t, varying)
		return "kg_splat(" + v.text + ")"
	case *types.Basic:
		if underlying.Info()&types.IsBoolean != 0 {
			return "kg_mask(" + v.text + ")"
		}
	}
	return w.typeOf(t, varying) + "(" + clike.Bare(v.text) + ")"
}

// as returns a value as a variable of a class holds it.
func (w *writer) as(v value, t types.Type, c class) string {
	if c.vector() {
		return w.vector(v, t)
	}
	return clike.Bare(v.text)
}
