package clike

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

// storage is where the elements of a slice lie.
type storage int

const (
	buffers   storage = iota // a parameter of the kernel
	sharedMem                // an array of the group
	own                      // an array of one item
)

// list is what a slice of the source stands for. In CUDA C it is a pointer. GLSL has no pointers, so there it is a
// place: a root and the steps from it, such as ring[row].hits.
type list struct {
	root     string
	rootType types.Type // of arrays
	storage  storage
	steps    []step
	length   string
}

// step leads from a struct or array to a part of it.
type step struct {
	field string // "" for an index
	index string
}

// place returns the text that an index follows.
func (l list) place() string {
	var text strings.Builder
	text.WriteString(l.root)
	for _, s := range l.steps {
		if s.field != "" {
			text.WriteString("." + s.field)
		} else {
			text.WriteString("[" + s.index + "]")
		}
	}
	return text.String()
}

// shape identifies the place but for the values of its indices.
func (l list) shape() string {
	var text strings.Builder
	for _, s := range l.steps {
		if s.field != "" {
			text.WriteString("." + s.field)
		} else {
			text.WriteString("[]")
		}
	}
	return text.String()
}

// list returns what an argument for a slice, a slice parameter or x[:], stands for.
func (w *writer) list(expression ast.Expr) list {
	switch e := ast.Unparen(expression).(type) {
	case *ast.SliceExpr:
		l := w.list(e.X)
		if array, ok := w.info.TypeOf(e.X).Underlying().(*types.Array); ok {
			l.length = fmt.Sprint(array.Len())
		}
		return l
	case *ast.Ident:
		object := w.info.ObjectOf(e)
		if l, ok := w.lists[object]; ok {
			return l
		}
		kind := own
		if w.shared[object] {
			kind = sharedMem
		}
		return list{root: w.locals[object], rootType: object.Type(), storage: kind}
	case *ast.IndexExpr:
		l := w.list(e.X)
		index := w.value(e.Index)
		if w.typeName(w.info.TypeOf(e.Index)) != "int" {
			index = "int(" + index + ")"
		}
		l.steps = append(l.steps[:len(l.steps):len(l.steps)], step{index: index})
		return l
	case *ast.SelectorExpr:
		l := w.list(e.X)
		l.steps = append(l.steps[:len(l.steps):len(l.steps)], step{field: w.fieldOf(e)})
		return l
	}
	w.problem(expression, "a slice that is no parameter and no array (pass a slice parameter, or x[:] of an array)")
	return list{}
}

// helper returns the text of a call of a function whose source is translated.
func (w *writer) helper(call *ast.CallExpr, callee *types.Func) string {
	function := w.program.Function(callee)
	if function == nil {
		w.problem(call, "the source of %s is not known (call helpers with source)", callee.FullName())
		return "0"
	}
	var arguments []string
	if receiver := source.Receiver(w.info, call); receiver != nil {
		arguments = append(arguments, w.value(receiver))
	}
	passed := map[*types.Var]list{}
	for i, argument := range call.Args {
		parameter := callee.Signature().Params().At(i)
		if _, isSlice := parameter.Type().Underlying().(*types.Slice); !isSlice {
			arguments = append(arguments, w.value(argument))
			continue
		}
		l := w.list(argument)
		passed[parameter] = l
		if w.Language == CUDA {
			arguments = append(arguments, l.place(), l.length)
		}
	}
	var bound *binding
	if w.Language == GLSL {
		var extra []string
		bound, extra = w.specialise(function, passed)
		arguments = append(arguments, extra...)
	}
	name := w.copyOf(function, bound)
	w.arraysSeen = w.arraysSeen || w.arrays[name]
	return name + "(" + strings.Join(arguments, ", ") + ")"
}

// binding is how a GLSL helper knows the slices that it is given. It names buffers and shared arrays. The arrays of an
// item, and the indices on the way to a row, are further parameters.
type binding struct {
	key        string
	lists      map[*types.Var]list
	parameters []string // declarations
}

// specialise returns how a function knows the slices of one call, and the arguments for its further parameters.
func (w *writer) specialise(f *source.Function, passed map[*types.Var]list) (*binding, []string) {
	if len(passed) == 0 {
		return nil, nil
	}
	sets := w.analysis.Of(f)
	b := &binding{lists: map[*types.Var]list{}}
	var arguments, key []string
	roots := map[string]string{}         // the root of the caller to the parameter
	access := map[string]kernel.Access{} // of a root
	for parameter := range f.Signature().Params().Variables() {
		if l, ok := passed[parameter]; ok && l.storage == own {
			access[l.root] |= sets[parameter]
		}
	}
	indices := 0
	for parameter := range f.Signature().Params().Variables() {
		l, ok := passed[parameter]
		if !ok {
			continue
		}
		inside := list{root: l.root, rootType: l.rootType, storage: l.storage, length: l.length}
		if l.storage == own {
			root, known := roots[l.root]
			if !known {
				root = fmt.Sprintf("kg_own%d", len(roots))
				roots[l.root] = root
				mode := "in "
				if access[l.root]&kernel.Write != 0 {
					mode = "inout "
				}
				b.parameters = append(b.parameters, mode+w.declaration(l.rootType, root))
				arguments = append(arguments, l.root)
			}
			inside.root = root
		}
		for _, s := range l.steps {
			if s.field == "" {
				name := fmt.Sprintf("kg_row%d", indices)
				indices++
				b.parameters = append(b.parameters, "int "+name)
				arguments = append(arguments, s.index)
				s.index = name
			}
			inside.steps = append(inside.steps, s)
		}
		b.lists[parameter] = inside
		kind := ""
		if l.storage == own {
			kind = types.TypeString(l.rootType, nil)
		}
		key = append(key, inside.root+inside.shape()+" "+kind)
	}
	b.key = strings.Join(key, ", ")
	return b, arguments
}

// copyOf returns the name of the translation of a helper, which is placed before its caller.
func (u *Unit) copyOf(f *source.Function, b *binding) string {
	key := f.Object.FullName()
	if b != nil {
		key += " " + b.key
	}
	if name, ok := u.copies[key]; ok {
		return name
	}
	name := functionPrefix
	if receiver := f.Signature().Recv(); receiver != nil {
		if named, ok := types.Unalias(receiver.Type()).(*types.Named); ok {
			name += identifier(named.Obj().Name()) + "_"
		}
	}
	name = u.taken.take(name + identifier(f.Object.Name()))
	u.copies[key] = name
	u.helper(f, name, b)
	return name
}

// helper translates a helper.
func (u *Unit) helper(f *source.Function, name string, b *binding) {
	w := u.newWriter(f)
	w.sets = u.analysis.Of(f)
	signature := f.Signature()
	var header []string
	if receiver := signature.Recv(); receiver != nil {
		header = append(header, w.parameter(f, receiver))
	}
	for parameter := range signature.Params().Variables() {
		slice, isSlice := parameter.Type().Underlying().(*types.Slice)
		switch {
		case !isSlice:
			header = append(header, w.parameter(f, parameter))
		case u.Language == CUDA:
			pointer, length := w.declarePointer(parameter)
			header = append(header, u.pointer(slice.Elem(), pointer, w.sets[parameter]), "int "+length)
		default:
			w.lists[parameter] = b.lists[parameter]
		}
	}
	if b != nil {
		header = append(header, b.parameters...)
	}
	w.open("%s %s(%s)", u.functionSpecifier()+u.resultType(f, name), name, strings.Join(header, ", "))
	w.results(signature)
	w.statements(f.Declaration.Body.List)
	if list := f.Declaration.Body.List; signature.Results().Len() > 0 {
		if _, returns := list[len(list)-1].(*ast.ReturnStmt); !returns {
			w.line("return %s;", w.zeroResult()) // not reached, but no compiler is to wonder
		}
	}
	w.close()
	u.Functions = append(u.Functions, w.documented())
	u.arrays[name] = w.arraysSeen
}

// parameter declares a parameter of a helper that is no slice. In GLSL it is constant if the helper does not assign it:
// then the SPIR-V passes the value, where it else copies it to a variable for each call.
func (w *writer) parameter(f *source.Function, parameter *types.Var) string {
	declaration := w.declaration(parameter.Type(), w.declare(parameter))
	_, isArray := parameter.Type().Underlying().(*types.Array)
	if w.Language == GLSL && !isArray && !w.assigns(f.Declaration.Body, parameter) {
		return "const " + declaration
	}
	return declaration
}

// resultType returns the type that a function returns: of several results a struct.
func (u *Unit) resultType(f *source.Function, name string) string {
	results := f.Signature().Results()
	switch results.Len() {
	case 0:
		return "void"
	case 1:
		return u.typeName(results.At(0).Type())
	}
	return u.resultStruct(f)
}

// resultStruct returns the struct of a function's several results; all specialisations share it.
func (u *Unit) resultStruct(f *source.Function) string {
	key := "results of " + f.Object.FullName()
	if name, ok := u.structNames[key]; ok {
		return name
	}
	name := u.taken.take(resultPrefix + identifier(f.Object.Name()))
	u.structNames[key] = name
	var text strings.Builder
	fmt.Fprintf(&text, "struct %s {\n", name)
	i := 0
	for result := range f.Signature().Results().Variables() {
		fmt.Fprintf(&text, "\t%s;\n", u.declaration(result.Type(), fmt.Sprintf("r%d", i)))
		i++
	}
	text.WriteString("};\n")
	u.Structs = append(u.Structs, TextFrom(f.Declaration.Pos(), text.String()))
	return name
}
