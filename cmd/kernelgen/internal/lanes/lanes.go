package lanes

import (
	"cmp"
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

//go:embed prelude.h
var prelude string

// Text is one kernel in C++ for clang with vector extensions: a file of its own that includes nothing.
type Text struct {
	clike.Text
	Body    string // the code without the prelude that all kernels have in common
	Kernel  *source.Kernel
	Scratch int64 // bytes of memory that the entry needs besides its stack, for the arrays of a group
	Sources map[*source.Function]bool
}

// Translate returns the text of a kernel, or a diagnostic that says why it cannot be put in lanes.
func Translate(
	program *source.Program, k *source.Kernel, analysis *access.Analysis,
) (*Text, *source.Diagnostic, error) {
	shared := sharedArrays(k)
	u := newUnit(program, analysis, shared)
	u.scalar = k.Scalar
	if len(shared) > 0 && !k.Scalar { // once to see how they are used
		u.exploring = true
		u.kernelFlow(k).run()
		for _, a := range shared {
			a.layOut()
		}
		u = newUnit(program, analysis, shared)
	}
	f := u.kernelFlow(k)
	f.run()
	scratch := u.kernel(k, f)
	if problems := append(u.problems, u.words.Problems()...); len(problems) > 0 {
		problems.Sort()
		problems[0].Rule = "lanes"
		return nil, &problems[0], nil
	}
	var page clike.Page
	items := "eight items"
	if k.Scalar {
		items = "one item"
	}
	fmt.Fprintf(&page, "%s\n\n// Kernel %s of package %s, %s at a time.\n\n%s\n", source.Header, k.Object.Name(),
		k.Object.Pkg().Path(), items, prelude)
	common := page.Len()
	for _, part := range append(u.types, u.functions...) {
		page.Add(part)
		page.WriteString("\n")
	}
	text := page.Text()
	return &Text{Text: text, Body: text.Code[common:], Kernel: k, Scratch: scratch, Sources: u.sources}, nil, nil
}

func newUnit(program *source.Program, analysis *access.Analysis, shared map[*types.Var]*sharedArray) *unit {
	return &unit{
		program: program, analysis: analysis, words: clike.New(clike.CUDA, program, analysis),
		instances: map[string]*instance{}, structs: map[string]string{}, results: map[string]string{},
		taken: clike.Names{}, shared: shared, sources: map[*source.Function]bool{}, atomics: map[*source.Function]bool{},
	}
}

// kernelFlow returns the flow of a kernel, before it has run.
func (u *unit) kernelFlow(k *source.Kernel) *flow {
	lanes := !k.Group && !k.Scalar
	f := newFlow(u, k.Function, lanes)
	index := uniform
	if lanes {
		index = consecutive
	}
	f.join(k.Index, index)
	for _, param := range k.Params {
		if param.Buffer {
			f.lists[param.Object] = shape{storage: buffers, stride: 1}
		} else {
			f.join(param.Object, uniform)
		}
	}
	return f
}

// sharedArrays finds the arrays of a group.
func sharedArrays(k *source.Kernel) map[*types.Var]*sharedArray {
	found := map[*types.Var]*sharedArray{}
	if !k.Group {
		return found
	}
	for _, statement := range k.Declaration.Body.List {
		declaration, ok := statement.(*ast.DeclStmt)
		if !ok {
			continue
		}
		for _, spec := range declaration.Decl.(*ast.GenDecl).Specs {
			values, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for _, name := range values.Names {
				v, ok := k.Info.Defs[name].(*types.Var)
				if !ok || name.Name == "_" {
					continue
				}
				if _, isArray := v.Type().Underlying().(*types.Array); isArray {
					a := &sharedArray{}
					a.element, a.rows, a.length = dimensions(v.Type())
					found[v] = a
				}
			}
		}
	}
	return found
}

// kernel writes the function of a kernel and its entry. It returns the bytes of the arrays of a group.
func (u *unit) kernel(k *source.Kernel, f *flow) int64 {
	u.sources[k.Function] = true
	w := u.newWriter(f)
	name := u.taken.Take("f_" + clike.Identifier(k.Object.Name()))
	index := w.declare(k.Index)
	header := []string{"int " + index}
	arguments := []string{"(int)kg_i"}
	buffer, scalar := 0, 0
	for _, param := range k.Params {
		if param.Buffer {
			header = append(header, w.listParameter(param.Object, f.lists[param.Object])...)
			l := w.lists[param.Object]
			pointer := strings.TrimSuffix(header[len(header)-2], l.pointer)
			arguments = append(arguments, fmt.Sprintf("(%s)args->buffers[%d].data", strings.TrimSpace(pointer), buffer),
				fmt.Sprintf("(int)args->buffers[%d].len", buffer))
			buffer++
			continue
		}
		kind := kindOf(param.Object.Type())
		header = append(header, w.parameter(param.Object, uniform))
		arguments = append(arguments, fmt.Sprintf("args->scalars[%d].%s", scalar, kind[:1]))
		scalar++
	}
	scratch := int64(0)
	if len(u.shared) > 0 {
		var parameter string
		parameter, scratch = w.sharedStruct(k)
		header = append(header, parameter+" *__restrict kg_s")
		arguments = append(arguments, "("+parameter+" *)scratch")
	}
	if f.lanes {
		header = append(header, "vi kg_m")
		arguments = append(arguments, "kg_below((int)kg_i, last)")
	}
	w.open("KG void %s(%s)", name, strings.Join(header, ", "))
	w.convertParameters()
	w.clearShared()
	if f.lanes {
		w.masks = append(w.masks, &mask{name: "kg_m"})
	}
	w.statements(k.Declaration.Body.List)
	w.close()
	u.functions = append(u.functions, w.text(), entry(k, name, arguments))
	return scratch
}

// entry returns the entry of a kernel, which runs the items from first to last.
func entry(k *source.Kernel, name string, arguments []string) clike.Text {
	step := "KG_W"
	if k.Group || k.Scalar {
		step = "1"
	}
	return clike.TextFrom(k.Declaration.Pos(), fmt.Sprintf(`#ifdef KG_PRESERVE_NONE
#define KG_ENTRY __attribute__((preserve_none))
#else
#define KG_ENTRY
#endif

extern "C" KG_ENTRY void kg_entry(const kg_args *args, int first, int last, void *scratch) {
	for (long kg_i = first; kg_i < last; kg_i += %s) {
		%s(%s);
	}
}
`, step, name, strings.Join(arguments, ", ")))
}

// sharedStruct writes the struct of the arrays of a group, in the order of their declaration.
func (w *writer) sharedStruct(k *source.Kernel) (name string, size int64) {
	var text strings.Builder
	name = w.taken.Take("S_" + clike.Identifier(k.Object.Name()))
	fmt.Fprintf(&text, "struct %s {\n", name)
	for _, v := range w.sharedOrder() {
		a := w.shared[v]
		field := w.used.Take("s_" + clike.Identifier(v.Name()))
		a.name = fmt.Sprintf("(kg_s->%s + %d)", field, room)
		if a.split {
			fmt.Fprintf(&text, "\tint %s[%d][%d];\n", field, words(a.element), a.size())
			a.name = fmt.Sprintf("(kg_s->%s[0] + %d)", field, room)
		} else {
			fmt.Fprintf(&text, "\t%s %s[%d];\n", w.memoryType(a.element), field, a.size())
		}
		size += a.size() * source.Size(a.element)
	}
	text.WriteString("};\n")
	w.types = append(w.types, clike.TextFrom(k.Declaration.Pos(), text.String()))
	return name, size
}

func (u *unit) sharedOrder() []*types.Var {
	var list []*types.Var
	for v := range u.shared {
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b *types.Var) int { return cmp.Compare(a.Pos(), b.Pos()) })
	return list
}

// clearShared sets the arrays of a group to zero, as Go defines them.
func (w *writer) clearShared() {
	if len(w.shared) > 0 {
		w.line("kg_clear(kg_s, sizeof *kg_s / 4);")
	}
}
