package lanes

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
)

// list is what a slice, an array or a row stands for.
type list struct {
	shape
	pointer string // to the first element, which an offset is added to
	offset  string // text of the class shape.offset
	element types.Type
	length  string
	plane   string // words between those of an element that is split
}

// list returns what an expression for a list stands for.
func (w *writer) list(e ast.Expr) list {
	s := w.flow.shapeOf(e)
	switch e := ast.Unparen(e).(type) {
	case *ast.SliceExpr:
		return w.list(e.X)
	case *ast.Ident:
		object := w.info.ObjectOf(e)
		if l, ok := w.lists[object]; ok {
			return l
		}
		v := object.(*types.Var)
		element, rows, length := dimensions(v.Type())
		l := list{shape: s, pointer: w.locals[object], element: element, length: fmt.Sprint(length)}
		if a := w.shared[v]; a != nil {
			l.pointer, l.plane = a.name, fmt.Sprint(a.size())
		} else if rows > 0 {
			w.problem(e, "an array of arrays as a list (pass a row)")
		}
		return l
	case *ast.IndexExpr:
		if name, ok := ast.Unparen(e.X).(*ast.Ident); ok {
			return w.row(name, e.Index, s)
		}
		return w.inside(e, s)
	case *ast.SelectorExpr:
		return w.inside(e, s)
	}
	w.problem(e, "a slice that is no parameter and no array (pass a slice parameter, or x[:] of an array)")
	return list{}
}

// row returns a row of a two-dimensional array.
func (w *writer) row(name *ast.Ident, index ast.Expr, s shape) list {
	v := w.info.ObjectOf(name).(*types.Var)
	element, _, length := dimensions(v.Type())
	l := list{shape: s, element: element, length: fmt.Sprint(length)}
	row := w.index(index)
	stride := length
	a := w.shared[v]
	if a != nil {
		l.pointer, l.plane, stride = a.name, fmt.Sprint(a.size()), a.rowStride()
	} else {
		l.pointer = w.locals[v] + "[0]"
	}
	if s.offset == unset {
		if a == nil {
			l.pointer = fmt.Sprintf("%s[%s]", w.locals[v], row.text)
		} else {
			l.pointer = fmt.Sprintf("(%s + %s)", l.pointer, scaled(row.text, stride))
		}
		return l
	}
	if s.offset == consecutive {
		l.offset = row.text
		return l
	}
	l.offset = scaled(w.vector(row, types.Typ[types.Int32]), stride)
	return l
}

func scaled(text string, by int64) string {
	if by == 1 {
		return text
	}
	return fmt.Sprintf("(%s * %d)", text, by)
}

// inside returns an array inside a struct or an element.
func (w *writer) inside(e ast.Expr, s shape) list {
	array, ok := w.info.TypeOf(e).Underlying().(*types.Array)
	if s.offset != unset || !ok {
		w.problem(e, "an array inside an element that differs between the items (copy the element to a variable first)")
		return list{}
	}
	return list{shape: s, element: array.Elem(), length: fmt.Sprint(array.Len()), pointer: w.direct(e)}
}

// direct returns the text of a place whose indices are all the same in all lanes.
func (w *writer) direct(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return w.locals[w.info.ObjectOf(e)]
	case *ast.SelectorExpr:
		return w.direct(e.X) + "." + w.fieldName(e)
	case *ast.IndexExpr:
		if w.flow.isList(e.X) {
			return w.list(e.X).pointer + "[" + clike.Bare(w.index(e.Index).text) + "]"
		}
		return w.direct(e.X) + "[" + clike.Bare(w.index(e.Index).text) + "]"
	}
	w.problem(e, "a place that cannot be translated")
	return "0"
}

func (w *writer) fieldName(e *ast.SelectorExpr) string {
	s := w.info.TypeOf(e.X).Underlying().(*types.Struct)
	for i, name := range clike.FieldNames(s) {
		if s.Field(i).Name() == e.Sel.Name {
			return name
		}
	}
	return "_"
}

// index returns an index, an int.
func (w *writer) index(e ast.Expr) value {
	v := w.expression(e)
	if kindOf(w.info.TypeOf(e)) == "unsigned" {
		if v.class.vector() {
			v.text = "((vi)" + v.text + ")"
		} else {
			v.text = "((int)" + v.text + ")"
		}
	}
	if w.freeze && w.info.Types[e].Value == nil {
		v = w.named(v, types.Typ[types.Int32])
	}
	return v
}

// place is an element or field, by its words where lanes have different ones.
type place struct {
	t      types.Type
	text   string // of a place that is one for all lanes, or holds all lanes; "" otherwise
	lanes  bool   // text holds all lanes
	list   list
	index  value      // of the element in the list
	base   string     // address of what is no element of a list
	inner  value      // words inside the element
	nested bool       // it is a part of an element
	root   *types.Var // the variable, for one that is no memory

	variable bool // all of a variable
	split    bool // an element whose words are apart
}

// place returns the place of an element or field.
func (w *writer) place(e ast.Expr) place {
	p := w.flow.parse(e)
	result := place{t: w.info.TypeOf(e), nested: len(p.steps) > 0}
	root := rootOf(w.info, e)
	parted := p.parted(w.flow)
	if p.list == nil {
		result.lanes = w.flow.vars[root] > uniform
		result.root = root
		if !parted {
			result.text = w.direct(e)
			return result
		}
		result.list.shape = shape{storage: own, lanes: result.lanes}
		result.base = "&" + w.locals[root]
		result.inner = w.inner(p.steps)
		return result
	}
	result.list = w.list(p.list)
	if result.list.storage == own {
		result.root = root
		if w.isParameter(root) {
			result.root = nil
		}
	}
	result.lanes = result.list.lanes
	index := w.index(p.index)
	c := result.list.shape.index(index.class)
	text := scaled(index.text, result.list.stride)
	if c.vector() && result.list.stride != 1 {
		text = scaled(w.vector(index, types.Typ[types.Int32]), result.list.stride)
	} else if c.vector() && index.class == consecutive {
		text = w.vector(index, types.Typ[types.Int32])
	}
	if result.list.shape.offset != unset {
		offset := result.list.offset
		if c.vector() && !result.list.shape.offset.vector() {
			offset = "kg_from(" + offset + ")"
		}
		text = "(" + offset + " + " + text + ")"
	}
	result.index = value{text, c}
	if result.list.split {
		return w.splitPlace(result, p.steps)
	}
	if c <= uniform && !parted {
		result.text = result.list.pointer + "[" + clike.Bare(text) + "]" + w.stepTexts(p.steps)
		return result
	}
	result.inner = w.inner(p.steps)
	return result
}

func (w *writer) isParameter(v *types.Var) bool {
	_, ok := w.flow.lists[v]
	return ok
}

// stepTexts returns the texts of fields and of indices that are the same in all lanes.
func (w *writer) stepTexts(steps []ast.Expr) string {
	text := ""
	for _, s := range steps {
		switch s := s.(type) {
		case *ast.SelectorExpr:
			text += "." + w.fieldName(s)
		case *ast.IndexExpr:
			text += "[" + clike.Bare(w.index(s.Index).text) + "]"
		}
	}
	return text
}

// splitPlace returns the place of a word of a split element, which is an element of a list of such words, or of all of
// it.
func (w *writer) splitPlace(p place, steps []ast.Expr) place {
	l := &p.list
	l.pointer = fmt.Sprintf("(%s + %s * %s)", l.pointer, w.inner(steps).text, l.plane)
	p.nested = false
	if kindOf(p.t) == "" {
		p.split = true
		return p
	}
	l.split, l.element = false, p.t
	l.pointer = fmt.Sprintf("((%s *)%s)", w.memoryType(p.t), l.pointer)
	if p.index.class <= uniform {
		p.text = l.pointer + "[" + clike.Bare(p.index.text) + "]"
	}
	return p
}

// readSplit returns the value of a split element.
func (w *writer) readSplit(p place) value {
	w.typeOf(p.t, varying)
	t, l, index := w.memoryType(p.t), p.list, clike.Bare(p.index.text)
	switch p.index.class {
	case uniform:
		return value{fmt.Sprintf("kg_get_split<%s>(%s, %s, %s)", t, l.pointer, l.plane, index), uniform}
	case consecutive:
		return value{fmt.Sprintf("kg_load_split<%s>(%s, %s, %s)", t, l.pointer, l.plane, index), varying}
	}
	return value{fmt.Sprintf("kg_near_split<%s>(%s, %s, %s, %s)", t, l.pointer, l.plane, index, w.mask()), varying}
}

// writeSplit assigns to a split element.
func (w *writer) writeSplit(p place, v value) {
	w.typeOf(p.t, varying)
	t, l, index := w.memoryType(p.t), p.list, clike.Bare(p.index.text)
	switch {
	case p.index.class == uniform && v.class <= uniform:
		w.line("kg_put_split<%s>(%s, %s, %s, %s);", t, l.pointer, l.plane, index, clike.Bare(v.text))
	case p.index.class == consecutive:
		text := clike.Bare(w.vector(v, p.t))
		w.line("kg_store_split<%s>(%s, %s, %s, %s, %s);", t, l.pointer, l.plane, index, text, w.mask())
	default:
		at := clike.Bare(w.vector(p.index, types.Typ[types.Int32]))
		text := clike.Bare(w.vector(v, p.t))
		w.line("kg_scatter_split<%s>(%s, %s, %s, %s, %s);", t, l.pointer, l.plane, at, text, w.mask())
	}
}

// inner returns how many words into an element the steps lead.
func (w *writer) inner(steps []ast.Expr) value {
	sum := value{"0", uniform}
	add := func(text string, c class) {
		sum = value{"(" + sum.text + " + " + text + ")", max(sum.class, c)}
	}
	fixed := int64(0)
	for _, s := range steps {
		switch s := s.(type) {
		case *ast.SelectorExpr:
			t := w.info.TypeOf(s.X).Underlying().(*types.Struct)
			for i := 0; t.Field(i).Name() != s.Sel.Name; i++ {
				fixed += words(t.Field(i).Type())
			}
		case *ast.IndexExpr:
			index := w.index(s.Index)
			if index.class == consecutive {
				index = value{w.vector(index, types.Typ[types.Int32]), varying}
			}
			add(scaled(index.text, words(w.info.TypeOf(s))), spread(index.class))
		}
	}
	if sum.text == "0" {
		return value{fmt.Sprint(fixed), uniform}
	}
	if fixed != 0 {
		add(fmt.Sprint(fixed), uniform)
	}
	return sum
}

// read returns the value of a place.
func (w *writer) read(p place) value {
	if p.split {
		return w.readSplit(p)
	}
	if p.text != "" {
		if p.lanes {
			return value{p.text, varying}
		}
		return value{p.text, uniform}
	}
	t, l := w.memoryType(p.t), p.list
	w.typeOf(p.t, varying)
	mask := w.mask()
	if p.nested || l.lanes {
		function := "kg_gather_words"
		if l.lanes {
			function = "kg_gather_own"
		}
		return value{fmt.Sprintf("%s<%s>(%s, %s, %s)", function, t, w.address(p), w.wordIndex(p), mask), varying}
	}
	if l.storage == buffers {
		switch p.index.class {
		case consecutive:
			return value{fmt.Sprintf("kg_load_buffer(%s, %s, %s)", l.pointer, clike.Bare(p.index.text), mask), varying}
		case near:
			return value{fmt.Sprintf("kg_near_buffer(%s, %s, %s)", l.pointer, clike.Bare(p.index.text), mask), varying}
		}
	}
	if l.storage == sharedMem {
		switch p.index.class {
		case consecutive:
			return value{fmt.Sprintf("kg_load(&%s[%s])", l.pointer, clike.Bare(p.index.text)), varying}
		case near:
			return value{fmt.Sprintf("kg_near(%s, %s, %s)", l.pointer, clike.Bare(p.index.text), mask), varying}
		}
	}
	index := w.vector(p.index, types.Typ[types.Int32])
	return value{fmt.Sprintf("kg_gather<%s>(%s, %s, %s)", t, l.pointer, clike.Bare(index), mask), varying}
}

// address returns where the words of a place are counted from.
func (w *writer) address(p place) string {
	if p.base != "" {
		return p.base
	}
	return p.list.pointer
}

// wordIndex returns the number of a place's first word in each lane, as a vector.
func (w *writer) wordIndex(p place) string {
	inner := p.inner
	if p.base == "" {
		index := scaled(w.vector(p.index, types.Typ[types.Int32]), words(p.list.element))
		if inner.text == "0" {
			return clike.Bare(index)
		}
		return index + " + " + inner.text
	}
	return clike.Bare(w.vector(inner, types.Typ[types.Int32]))
}

// write assigns a value to a place.
func (w *writer) write(p place, v value) {
	t, l := p.t, p.list
	if p.split {
		w.writeSplit(p, v)
		return
	}
	if p.text != "" {
		w.writeDirect(p, v)
		return
	}
	name, mask, text := w.memoryType(t), w.mask(), w.vector(v, t)
	w.typeOf(t, varying)
	switch {
	case p.nested || l.lanes:
		function := "kg_scatter_words"
		if l.lanes {
			function = "kg_scatter_own"
		}
		w.line("%s<%s>(%s, %s, %s, %s);", function, name, w.address(p), w.wordIndex(p), clike.Bare(text), mask)
	case p.index.class == consecutive && l.storage == buffers:
		w.line("kg_store_buffer<%s>(%s, %s, %s, %s);", name, l.pointer, clike.Bare(p.index.text), clike.Bare(text), mask)
	case p.index.class == consecutive && l.storage == sharedMem:
		w.line("kg_store<%s>(&%s[%s], %s, %s);", name, l.pointer, clike.Bare(p.index.text), clike.Bare(text), mask)
	default:
		index := w.vector(p.index, types.Typ[types.Int32])
		w.line("kg_scatter<%s>(%s, %s, %s, %s);", name, l.pointer, clike.Bare(index), clike.Bare(text), mask)
	}
}

// writeDirect assigns to a place that is one for all lanes, or that holds all lanes.
func (w *writer) writeDirect(p place, v value) {
	switch {
	case !p.lanes && !v.class.vector() && v.class != consecutive:
		w.line("%s = %s;", p.text, clike.Bare(v.text))
	case !p.lanes:
		w.line("kg_store_last<%s>(&%s, %s, %s);", w.memoryType(p.t), p.text, clike.Bare(w.vector(v, p.t)), w.mask())
	case w.blends(p.root):
		w.line("%s = kg_sel(%s, %s, %s);", p.text, w.mask(), clike.Bare(w.vector(v, p.t)), w.typed(p))
	default:
		w.line("%s = %s;", p.text, clike.Bare(w.vector(v, p.t)))
	}
}

// typed returns a vector in memory as a value.
func (w *writer) typed(p place) string {
	if name := w.typeOf(p.t, varying); kindOf(p.t) != "" {
		return "(" + name + ")" + p.text
	}
	return p.text
}

// blends says whether an assignment to a variable leaves those lanes as they are that are off. A list that a helper
// has been given belongs to its caller.
func (w *writer) blends(v *types.Var) bool {
	if !w.lanes || len(w.masks) == 0 {
		return false
	}
	return v == nil || w.flow.declare[v] != w.region
}
