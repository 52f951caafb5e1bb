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

// unit is the text of one kernel.
type unit struct {
	program   *source.Program
	analysis  *access.Analysis
	words     *clike.Unit // writes constants
	instances map[string]*instance
	structs   map[string]string // names by type
	results   map[string]string
	taken     clike.Names
	shared    map[*types.Var]*sharedArray
	sources   map[*source.Function]bool
	atomics   map[*source.Function]bool
	scalar    bool // one item at a time
	exploring bool // looking for the uses of arrays

	types, functions []clike.Text
	problems         source.Diagnostics
}

// instance is a helper for arguments of certain classes and shapes.
type instance struct {
	function  *source.Function
	arguments []argument
	flow      *flow
	lanes     bool // it runs several items, else it is scalar code
	masked    bool // it is told which lanes are on
	name      string
}

// instance returns the helper for some arguments. Code in which all lanes compute the same is scalar.
func (u *unit) instance(function *source.Function, arguments []argument, lanes bool) *instance {
	if lanes && !u.hasAtomics(function) {
		lanes = false
		for _, a := range arguments {
			lanes = lanes || a.list && !a.shape.uniform() || !a.list && a.class > uniform
		}
	}
	var key strings.Builder
	fmt.Fprintf(&key, "%s %t", function.Object.FullName(), lanes)
	for _, a := range arguments {
		if a.list {
			key.WriteString(" [" + a.shape.key() + "]")
		} else {
			key.WriteString(" " + fmt.Sprint(a.class))
		}
	}
	if found, ok := u.instances[key.String()]; ok {
		return found
	}
	i := &instance{function: function, arguments: arguments, lanes: lanes, flow: newFlow(u, function, lanes)}
	u.instances[key.String()] = i
	f := i.flow
	for k, parameter := range i.parameters() {
		if arguments[k].list {
			f.lists[parameter] = arguments[k].shape
		} else {
			f.join(parameter, arguments[k].class)
		}
	}
	f.run()
	i.masked = lanes && f.needsMask(function.Declaration.Body)
	return i
}

// parameters returns the parameters of a helper, the receiver first.
func (i *instance) parameters() []*types.Var {
	var list []*types.Var
	if receiver := i.function.Signature().Recv(); receiver != nil {
		list = append(list, receiver)
	}
	for parameter := range i.function.Signature().Params().Variables() {
		list = append(list, parameter)
	}
	return list
}

// hasAtomics says whether a function or one that it calls has an atomic, for which it counts how many lanes run.
func (u *unit) hasAtomics(function *source.Function) bool {
	if found, ok := u.atomics[function]; ok {
		return found
	}
	found := false
	ast.Inspect(function.Declaration, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok {
			if callee := source.Callee(function.Info, call); callee != nil {
				helper := u.program.Function(callee)
				found = found || source.IsAtomic(callee) ||
					helper != nil && !source.IsIntrinsic(callee) && u.hasAtomics(helper)
			}
		}
		return !found
	})
	u.atomics[function] = found
	return found
}

// needsMask says whether code must know which lanes are on: for loops, memory, and divisions of scalars.
func (f *flow) needsMask(node ast.Node) bool {
	found := false
	ast.Inspect(node, func(node ast.Node) bool {
		switch e := node.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.IndexExpr:
			found = true
		case *ast.BinaryExpr:
			found = found || f.traps(e.Op, e.Y)
		case *ast.AssignStmt:
			found = found || e.Tok == token.QUO_ASSIGN && f.traps(token.QUO, e.Rhs[0]) ||
				e.Tok == token.REM_ASSIGN && f.traps(token.REM, e.Rhs[0])
		case *ast.CallExpr:
			found = found || f.callsMasked(e)
		}
		return !found
	})
	return found
}

// traps says whether an operation ends the program for some operands.
func (f *flow) traps(op token.Token, divisor ast.Expr) bool {
	tv := f.info.Types[divisor]
	basic, ok := tv.Type.Underlying().(*types.Basic)
	return (op == token.QUO || op == token.REM) && tv.Value == nil && ok && basic.Info()&types.IsInteger != 0
}

func (f *flow) callsMasked(call *ast.CallExpr) bool {
	if source.IsConversion(f.info, call) || source.Builtin(f.info, call) != "" {
		return false
	}
	callee := source.Callee(f.info, call)
	if callee == nil || source.IsIntrinsic(callee) {
		return callee != nil && source.IsAtomic(callee)
	}
	function := f.program.Function(callee)
	if function == nil {
		return false
	}
	i := f.instance(function, f.arguments(call, callee), f.lanes)
	return i.masked || !i.lanes && i.flow.needsMask(function.Declaration.Body)
}

// emit writes the function unless it stands already, and returns its name.
func (u *unit) emit(i *instance) string {
	if i.name != "" {
		return i.name
	}
	name := "f_"
	if receiver := i.function.Signature().Recv(); receiver != nil {
		if named, ok := types.Unalias(receiver.Type()).(*types.Named); ok {
			name += clike.Identifier(named.Obj().Name()) + "_"
		}
	}
	name += clike.Identifier(i.function.Object.Name())
	if i.lanes {
		name += "_"
		for _, a := range i.arguments {
			if a.list {
				name += "l"
			} else {
				name += a.class.letter()
			}
		}
	}
	i.name = u.taken.Take(name)
	u.sources[i.function] = true
	w := u.newWriter(i.flow)
	header := w.header(i)
	w.line("// %s of package %s.", i.function.Object.Name(), i.function.Object.Pkg().Name())
	w.open("KG %s %s(%s)", w.resultType(i), i.name, strings.Join(header, ", "))
	w.begin(i)
	w.statements(i.function.Declaration.Body.List)
	w.end()
	w.close()
	u.functions = append(u.functions, w.text())
	return i.name
}

// header returns the parameters of a helper, and declares them.
func (w *writer) header(i *instance) []string {
	var header []string
	for k, parameter := range i.parameters() {
		a := i.arguments[k]
		if a.list {
			header = append(header, w.listParameter(parameter, a.shape)...)
			continue
		}
		header = append(header, w.parameter(parameter, ofType(a.class, parameter.Type())))
	}
	if i.masked {
		header = append(header, "vi kg_m")
	}
	return header
}

// parameter returns the declaration of a parameter that is given a value of a class. It becomes a vector where the
// function assigns it so.
func (w *writer) parameter(v *types.Var, given class) string {
	name, c := w.declare(v), w.flow.vars[v]
	if c == given || c.vector() == given.vector() {
		return w.typeOf(v.Type(), given) + " " + name
	}
	scalar := w.used.Take("g_" + clike.Identifier(v.Name()))
	w.converted = append(w.converted, fmt.Sprintf("%s %s = %s;", w.typeOf(v.Type(), c), name,
		w.vector(value{scalar, given}, v.Type())))
	return w.typeOf(v.Type(), given) + " " + scalar
}

// listParameter returns the parameters by which a helper knows a slice.
func (w *writer) listParameter(parameter *types.Var, s shape) []string {
	element := parameter.Type().Underlying().(*types.Slice).Elem()
	pointer := w.declare(parameter)
	l := list{shape: s, pointer: pointer, element: element, length: w.used.Take(pointer + "_len")}
	constant := "const "
	if w.sets[parameter]&2 != 0 {
		constant = ""
	}
	kind := w.memoryType(element)
	if s.lanes {
		kind = w.inMemory(element, varying)
	}
	if s.split {
		kind = "int"
		l.plane = w.used.Take(pointer + "_plane")
	}
	header := []string{constant + kind + " *" + pointer, "int " + l.length}
	if s.split {
		header = append(header, "long "+l.plane)
	}
	switch {
	case s.offset == unset:
	case s.offset.vector():
		l.offset = w.used.Take(pointer + "_at")
		header = append(header, "vi "+l.offset)
	default:
		l.offset = w.used.Take(pointer + "_at")
		header = append(header, "int "+l.offset)
	}
	w.lists[parameter] = l
	return header
}

// begin writes the declarations at the begin of a helper.
func (w *writer) begin(i *instance) {
	w.convertParameters()
	signature := i.function.Signature()
	for result := range signature.Results().Variables() {
		if result.Name() != "" && result.Name() != "_" {
			w.declareZero(result)
		}
	}
	if i.masked {
		w.masks = append(w.masks, &mask{name: "kg_m"})
	} else if i.flow.parts {
		w.line("vi kg_m = vi(-1);")
		w.masks = append(w.masks, &mask{name: "kg_m"})
	}
	if !i.flow.parts {
		return
	}
	k := 0
	for result := range signature.Results().Variables() {
		c := i.flow.results[k]
		w.line("%s = %s;", w.typeOf(result.Type(), c)+fmt.Sprintf(" kg_r%d", k), w.zero(result.Type(), c))
		k++
	}
}

// convertParameters writes the declarations of parameters that become vectors.
func (w *writer) convertParameters() {
	for _, line := range w.converted {
		w.line("%s", line)
	}
}

// end writes what follows the statements of a helper.
func (w *writer) end() {
	if w.function.Signature().Results().Len() == 0 {
		return
	}
	list := w.function.Declaration.Body.List
	if _, returns := list[len(list)-1].(*ast.ReturnStmt); returns && !w.cut {
		return
	}
	var values []string
	k := 0
	for result := range w.function.Signature().Results().Variables() {
		if w.flow.parts {
			values = append(values, fmt.Sprintf("kg_r%d", k))
		} else {
			values = append(values, w.zero(result.Type(), w.flow.results[k]))
		}
		k++
	}
	w.line("return %s;", w.resultOf(values))
}

// resultType returns the type that a helper returns: of several results a struct.
func (w *writer) resultType(i *instance) string {
	results := i.function.Signature().Results()
	switch results.Len() {
	case 0:
		return "void"
	case 1:
		return w.typeOf(results.At(0).Type(), i.flow.results[0])
	}
	return w.resultStruct(i.flow)
}

// resultStruct returns the struct of several results.
func (u *unit) resultStruct(f *flow) string {
	key := f.function.Object.FullName()
	for _, c := range f.results {
		if c.vector() {
			key += " v"
		} else {
			key += " s"
		}
	}
	if name, ok := u.results[key]; ok {
		return name
	}
	name := u.taken.Take("R_" + clike.Identifier(f.function.Object.Name()))
	u.results[key] = name
	var text strings.Builder
	fmt.Fprintf(&text, "struct %s {\n", name)
	i := 0
	for result := range f.function.Signature().Results().Variables() {
		fmt.Fprintf(&text, "\t%s r%d;\n", u.typeOf(result.Type(), f.results[i]), i)
		i++
	}
	text.WriteString("};\n")
	u.types = append(u.types, clike.TextFrom(f.function.Declaration.Pos(), text.String()))
	return name
}

// resultOf returns the expression that a function returns.
func (w *writer) resultOf(values []string) string {
	switch len(values) {
	case 0:
		return ""
	case 1:
		return values[0]
	}
	return w.resultStruct(w.flow) + "{" + strings.Join(values, ", ") + "}"
}
