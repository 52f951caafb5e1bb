package clike

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// writer translates one function.
type writer struct {
	*Unit
	function *source.Function
	info     *types.Info
	kernel   *source.Kernel // nil in helpers
	sets     access.Sets

	body    strings.Builder
	origins []token.Pos // of the lines of body
	at      token.Pos   // of what is being translated
	indent  int
	locals  map[types.Object]string
	lists   map[types.Object]list
	shared  map[types.Object]bool
	used    names // variables
	group   bool  // at group scope

	resultNames []string // of named results
	arraysSeen  bool     // an item has an array of its own
	temporaries int
}

func (u *Unit) newWriter(f *source.Function) *writer {
	u.Sources[f] = true
	return &writer{
		Unit: u, function: f, info: f.Info, at: f.Declaration.Pos(),
		locals: map[types.Object]string{}, lists: map[types.Object]list{}, shared: map[types.Object]bool{},
		used: names{},
	}
}

func (w *writer) line(format string, arguments ...any) {
	w.write(strings.Repeat("\t", w.indent) + fmt.Sprintf(format, arguments...) + "\n")
}

// write writes whole lines.
func (w *writer) write(lines string) {
	text := TextFrom(w.at, lines)
	w.body.WriteString(text.Code)
	w.origins = append(w.origins, text.origins...)
}

// open begins a block.
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

// documented returns the function's text below its doc comment.
func (w *writer) documented() Text {
	var text strings.Builder
	if comment := w.function.Declaration.Doc.Text(); comment != "" {
		for line := range strings.SplitSeq(strings.TrimRight(comment, "\n"), "\n") {
			// A backslash at the end would join the next line.
			text.WriteString(strings.TrimRight("// "+strings.ToValidUTF8(ascii(line), "?"), " \\") + "\n")
		}
	}
	documented := TextFrom(w.function.Declaration.Pos(), text.String())
	return Text{Code: documented.Code + w.body.String(), origins: append(documented.origins, w.origins...)}
}

func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x7f || r < 0x20 && r != '\t' {
			return '?'
		}
		return r
	}, text)
}

// declare returns the name of a new variable of the source. Each object has a name of its own: in Go, x := x + 1 reads
// the outer x, and in C it would read the inner one.
func (w *writer) declare(object types.Object) string {
	name := w.used.take(variablePrefix + identifier(object.Name()))
	w.locals[object] = name
	w.arraysSeen = w.arraysSeen || hasArray(object.Type())
	return name
}

// declarePointer returns the names of pointer and length by which CUDA C knows a slice.
func (w *writer) declarePointer(object types.Object) (pointer, length string) {
	pointer = w.declare(object)
	length = w.used.take(pointer + "_len")
	w.lists[object] = list{root: pointer, length: length}
	return pointer, length
}

// temporary returns the name of a new variable that the source does not have.
func (w *writer) temporary() string {
	w.temporaries++
	return fmt.Sprintf("kg_%d", w.temporaries)
}

// results declares the named results of a function.
func (w *writer) results(signature *types.Signature) {
	for result := range signature.Results().Variables() {
		if result.Name() == "" {
			return
		}
		name := w.declare(result)
		w.resultNames = append(w.resultNames, name)
		w.line("%s = %s;", w.declaration(result.Type(), name), w.zero(result.Type()))
	}
}

// result returns the expression that a function returns.
func (w *writer) result(values []string) string {
	if len(values) == 1 {
		return values[0]
	}
	name := w.resultStruct(w.function)
	if w.Language == CUDA {
		return name + "{" + strings.Join(values, ", ") + "}"
	}
	return name + "(" + strings.Join(values, ", ") + ")"
}

func (w *writer) zeroResult() string {
	var values []string
	for result := range w.function.Signature().Results().Variables() {
		values = append(values, w.zero(result.Type()))
	}
	return w.result(values)
}

// sharedArrays declares the arrays of the group and clears them.
func (w *writer) sharedArrays() {
	var cleared []types.Object
	for _, statement := range w.function.Declaration.Body.List {
		declaration, ok := statement.(*ast.DeclStmt)
		if !ok {
			continue
		}
		general, ok := declaration.Decl.(*ast.GenDecl)
		if !ok || general.Tok != token.VAR {
			continue
		}
		for _, spec := range general.Specs {
			for _, name := range spec.(*ast.ValueSpec).Names {
				object := w.info.Defs[name]
				if object == nil || name.Name == "_" {
					continue
				}
				if _, isArray := object.Type().Underlying().(*types.Array); !isArray {
					continue
				}
				w.shared[object] = true
				w.declareShared(object)
				cleared = append(cleared, object)
			}
		}
	}
	if len(cleared) == 0 {
		return
	}
	for _, object := range cleared {
		w.clearShared(object)
	}
	w.barrier()
}

func (w *writer) declareShared(object types.Object) {
	w.at = object.Pos()
	if w.Language == GLSL {
		name := w.taken.take(sharedPrefix + identifier(object.Name()))
		w.locals[object] = name
		w.Shared = append(w.Shared, TextFrom(object.Pos(), "shared "+w.declaration(object.Type(), name)+";\n"))
		return
	}
	name := w.used.take(sharedPrefix + identifier(object.Name()))
	w.locals[object] = name
	w.line("KG_SHARED %s;", w.declaration(object.Type(), name))
}

// clearShared sets a shared array to zero, spread over the lanes along its longer dimension.
func (w *writer) clearShared(object types.Object) {
	w.at = object.Pos()
	outer := object.Type().Underlying().(*types.Array)
	const strided = "for (int %s = KG_LANE; %s < %d; %s += KG_LANES)"
	const plain = "for (int %s = 0; %s < %d; %s++)"
	inner, twoDimensional := outer.Elem().Underlying().(*types.Array)
	if !twoDimensional {
		w.open(strided, "kg_i", "kg_i", outer.Len(), "kg_i")
		w.line("%s[kg_i] = %s;", w.locals[object], w.zero(outer.Elem()))
		w.close()
		return
	}
	first, second := strided, plain
	if inner.Len() > outer.Len() {
		first, second = plain, strided
	}
	w.open(first, "kg_i", "kg_i", outer.Len(), "kg_i")
	w.open(second, "kg_j", "kg_j", inner.Len(), "kg_j")
	w.line("%s[kg_i][kg_j] = %s;", w.locals[object], w.zero(inner.Elem()))
	w.close()
	w.close()
}

func (w *writer) barrier() { w.line("KG_BARRIER();") }
