package emit

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

const twinPath = source.VocabularyPath + "/twin"

// Twins returns the file with the instrumented twins of a package's kernels. A twin is the kernel with each element
// access and integer division replaced by a checked one of package twin; helpers are copied likewise, those of other
// packages too.
func Twins(program *source.Program, p *source.Package, analysis *access.Analysis) ([]byte, error) {
	w := &twinWriter{
		program:  program,
		into:     p.Types,
		taken:    reserve("run", "twin", "kernel", "math"),
		imports:  map[string]string{source.VocabularyPath: "kernel", twinPath: "twin"},
		copies:   map[*source.Function]string{},
		analysis: analysis,
	}
	w.counter = counter{program: program, copied: w.needsCopy, known: map[*types.Func]int{}}
	for _, name := range p.Types.Scope().Names() {
		w.taken[name] = true
	}
	for _, k := range p.Kernels {
		w.taken.take(k.Object.Name() + "Twin")
	}
	w.sitesName = w.taken.take("twinSites")
	for _, k := range p.Kernels {
		w.kernel(k)
	}
	for len(w.pending) > 0 {
		next := w.pending[0]
		w.pending = w.pending[1:]
		w.function(next, w.copies[next], nil)
	}
	if len(w.problems) > 0 {
		return nil, w.problems
	}

	var file bytes.Buffer
	fmt.Fprintf(&file, "%s\n\npackage %s\n\nimport (\n", source.Header, p.Types.Name())
	if slices.ContainsFunc(p.Kernels, hasFloatScalar) {
		fmt.Fprintf(&file, "%q\n\n", "math")
	}
	for _, path := range slices.Sorted(maps.Keys(w.imports)) {
		name := w.imports[path]
		if path == name || strings.HasSuffix(path, "/"+name) {
			name = ""
		}
		fmt.Fprintf(&file, "%s %q\n", name, path)
	}
	file.WriteString(")\n")
	w.writeSites()
	return formatted(program, source.TwinFile, &file, &w.body, w.marks)
}

// twinWriter writes one twin file.
type twinWriter struct {
	program   *source.Program
	into      *types.Package
	analysis  *access.Analysis
	body      bytes.Buffer
	marks     []mark
	taken     names             // of the package and the file
	imports   map[string]string // path to name
	copies    map[*source.Function]string
	pending   []*source.Function // copies that are still to be written
	sitesName string
	sites     []token.Position
	texts     []string // of the sites
	problems  source.Diagnostics
	counter   counter

	// The function that is being written:
	current *source.Function
	locals  map[types.Object]string
	inUse   names
	shared  map[types.Object]bool
}

func (w *twinWriter) printf(pattern string, arguments ...any) {
	fmt.Fprintf(&w.body, pattern, arguments...)
}

// mark says that what follows comes from a node.
func (w *twinWriter) mark(node ast.Node) { w.marks = append(w.marks, mark{w.body.Len(), node.Pos()}) }

// problem records what keeps the twin from being written.
func (w *twinWriter) problem(node ast.Node, pattern string, arguments ...any) {
	w.problems = append(w.problems, source.Diagnostic{
		Position: w.program.Fset.Position(node.Pos()), Rule: "twin", Message: fmt.Sprintf(pattern, arguments...),
	})
}

// site numbers a checked expression.
func (w *twinWriter) site(expression ast.Expr) int {
	position := w.program.Position(w.current, expression.Pos())
	w.sites = append(w.sites, position)
	w.texts = append(w.texts, types.ExprString(expression))
	return len(w.sites) - 1
}

func (w *twinWriter) writeSites() {
	if len(w.sites) == 0 {
		w.printf("\nvar %s []twin.Site\n", w.sitesName)
		return
	}
	w.printf("\nvar %s = []twin.Site{\n", w.sitesName)
	for i, position := range w.sites {
		w.printf("{File: %q, Line: %d, Column: %d, Expression: %q},\n",
			position.Filename, position.Line, position.Column, w.texts[i])
	}
	w.printf("}\n")
}

// kernel writes the twin of a kernel and the function that runs it.
func (w *twinWriter) kernel(k *source.Kernel) {
	w.mark(k.Declaration)
	name := k.Object.Name()
	body := w.taken.take(name + "TwinBody")
	sets := w.analysis.Of(k.Function)
	kind, method := "int32", "Threads"
	if k.Group {
		kind, method = "kernel.Group", "Groups"
	}
	w.printf("\nfunc %sTwin(n int32, args *kernel.Args, seed uint64) error {\n", name)
	w.printf("run := twin.New(%q, %s, args, seed)\n", definitionName(k), w.sitesName)
	if bound := k.Iterations("n", "args"); bound != "" {
		w.printf("run.Limit(%d, %s)\n", max(1, k.Lanes), bound)
	}
	inUse := names{"n": true, "args": true, "seed": true, "run": true, "i": true, "int32": true, "uint32": true, "float32": true}
	for name := range w.taken {
		inUse[name] = true
	}
	list := make([]string, len(k.Params))
	buffers, scalars := 0, 0
	for i, param := range k.Params {
		list[i] = inUse.take(param.Object.Name())
		switch {
		case param.Buffer && sets[param.Object]&kernel.Write != 0:
			w.printf("%s := twin.Buffer[%s](run, args, %d, %t)\n", list[i], param.Type, buffers, k.Group)
			buffers++
		case param.Buffer:
			w.printf("%s := twin.ReadOnly[%s](run, args, %d)\n", list[i], param.Type, buffers)
			buffers++
		default:
			w.printf("%s := %s\n", list[i], scalar(param.Type, fmt.Sprintf("args.Scalars[%d]", scalars)))
			scalars++
		}
	}
	w.printf("return run.%s(n, func(i %s) { %s(run, i", method, kind, body)
	for _, argument := range list {
		w.printf(", %s", argument)
	}
	w.printf(") })\n}\n")
	w.function(k.Function, body, k)
}

// copyOf returns the name of the twin of a helper and sees to it that the twin is written.
func (w *twinWriter) copyOf(f *source.Function) string {
	if name, ok := w.copies[f]; ok {
		return name
	}
	name := f.Object.Name()
	if receiver := f.Signature().Recv(); receiver != nil {
		if named, ok := types.Unalias(receiver.Type()).(*types.Named); ok {
			name = named.Obj().Name() + source.LauncherName(name)
		}
	}
	if f.Object.Pkg() != w.into {
		name = f.Object.Pkg().Name() + source.LauncherName(name)
	}
	// An exported name would be part of the package's surface.
	name = w.taken.take(lowerFirst(name) + "Twin")
	w.copies[f] = name
	w.pending = append(w.pending, f)
	return name
}

func lowerFirst(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToLower(first)) + name[size:]
}

// needsCopy says whether a call must run a twin of the callee: all helpers are copied, of package kernel only those that
// are given slices or that other packages cannot call.
func (w *twinWriter) needsCopy(f *types.Func) bool {
	if !source.IsVocabulary(f.Pkg()) {
		return true
	}
	if source.IsAtomic(f) {
		return false
	}
	for parameter := range f.Signature().Params().Variables() {
		if _, isSlice := parameter.Type().Underlying().(*types.Slice); isSlice {
			return true
		}
	}
	return !f.Exported()
}

// function writes the twin of a function under a name. k is not nil if the function is a kernel.
func (w *twinWriter) function(f *source.Function, name string, k *source.Kernel) {
	w.current = f
	w.mark(f.Declaration)
	w.locals = map[types.Object]string{}
	w.inUse = names{}
	for _, name := range []string{"run", "twin", "kernel", "math", "int32", "uint32", "float32", "bool"} {
		w.inUse[name] = true
	}
	for _, alias := range w.imports {
		w.inUse[alias] = true
	}
	for _, copied := range w.copies {
		w.inUse[copied] = true
	}
	w.shared = map[types.Object]bool{}
	if k != nil && k.Group {
		for _, statement := range f.Declaration.Body.List {
			w.findShared(statement)
		}
	}
	signature := f.Signature()
	w.printf("\nfunc %s(run *twin.Run", name)
	if receiver := signature.Recv(); receiver != nil {
		w.printf(", %s %s", w.declare(receiver), w.typeText(f.Declaration, receiver.Type()))
	}
	for parameter := range signature.Params().Variables() {
		w.printf(", %s %s", w.declare(parameter), w.parameterType(f.Declaration, parameter.Type()))
	}
	w.printf(")")
	if results := signature.Results(); results.Len() > 0 {
		w.printf(" (")
		for result := range results.Variables() {
			if result.Name() != "" {
				w.printf("%s ", w.declare(result))
			}
			w.printf("%s, ", w.typeText(f.Declaration, result.Type()))
		}
		w.printf(")")
	}
	w.block(f.Declaration.Body)
	w.printf("\n")
}

// findShared records the arrays that a statement of a group kernel's outermost block declares.
func (w *twinWriter) findShared(statement ast.Stmt) {
	for _, name := range declaredNames(statement) {
		object := w.current.Info.Defs[name]
		if object == nil {
			continue
		}
		if _, isArray := object.Type().Underlying().(*types.Array); isArray {
			w.shared[object] = true
		}
	}
}

// declare returns the name of a variable or constant of the function, which may not be that of the source: the twin file
// has names of its own. Two objects of one name may share it, as scopes are kept.
func (w *twinWriter) declare(object types.Object) string {
	name := object.Name()
	if name == "" || name == "_" {
		return "_"
	}
	for w.inUse[name] {
		name += "_"
	}
	w.locals[object] = name
	return name
}

// typeText returns a type as the twin file writes it.
func (w *twinWriter) typeText(at ast.Node, t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string {
		if p == w.into {
			return ""
		}
		if named, ok := types.Unalias(t).(*types.Named); ok && !named.Obj().Exported() {
			w.problem(at, "type %s of package %s is not exported (a type that kernels of another package use must be)",
				named.Obj().Name(), p.Path())
		}
		return w.importName(p)
	})
}

func (w *twinWriter) importName(p *types.Package) string {
	if name, ok := w.imports[p.Path()]; ok {
		return name
	}
	name := w.taken.take(p.Name())
	w.imports[p.Path()] = name
	w.inUse[name] = true
	return name
}

func (w *twinWriter) parameterType(at ast.Node, t types.Type) string {
	if slice, ok := t.Underlying().(*types.Slice); ok {
		return "twin.Slice[" + w.typeText(at, slice.Elem()) + "]"
	}
	return w.typeText(at, t)
}

// literal returns the source text of a constant, exact for untyped ones.
func (w *twinWriter) literal(at ast.Node, value constant.Value, t types.Type) string {
	text := ""
	switch value.Kind() {
	case constant.Bool:
		text = value.String()
	case constant.Int:
		text = value.ExactString()
	case constant.Float:
		numerator, denominator := constant.Num(value), constant.Denom(value)
		if numerator.Kind() == constant.Unknown || denominator.Kind() == constant.Unknown {
			text = value.ExactString()
			break
		}
		text = numerator.ExactString() + ".0"
		if denominator.ExactString() != "1" {
			text = "(" + text + " / " + denominator.ExactString() + ".0)"
		}
	default:
		w.problem(at, "constant %s is no number", value)
	}
	if basic, ok := types.Unalias(t).(*types.Basic); ok && (basic.Info()&types.IsUntyped != 0 || basic.Kind() == types.Int) {
		return text
	}
	return w.typeText(at, t) + "(" + text + ")"
}
