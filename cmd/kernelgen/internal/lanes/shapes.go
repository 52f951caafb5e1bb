package lanes

import (
	"fmt"
	"go/ast"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// storage is where the elements of a list lie.
type storage uint8

const (
	buffers   storage = iota // a parameter of the kernel
	sharedMem                // an array of the group
	own                      // an array of one item
)

// shape is how the elements of a list lie. Helpers are specialised by the shapes of the slices that they are given.
type shape struct {
	storage storage
	lanes   bool       // an element holds that of all lanes (own arrays only)
	offset  class      // of what is added to each index, unset if nothing is: the row of a two-dimensional array
	stride  int64      // elements between neighbours
	split   bool       // the words of an element are apart, each kind together
	root    *types.Var // the array of the group, while the uses of arrays are looked for
}

// uniform says whether all lanes see the same list.
func (s shape) uniform() bool { return !s.lanes && s.offset <= uniform }

// index returns the class of the place of an element, given the class of its index.
func (s shape) index(c class) class {
	if s.stride != 1 && c > uniform {
		c = varying
	}
	if s.offset == unset {
		return c
	}
	return sum(s.offset, c, false)
}

func (s shape) key() string {
	root := ""
	if s.root != nil {
		root = s.root.Name()
	}
	return fmt.Sprintf("%d %t %d %d %t %s", s.storage, s.lanes, s.offset, s.stride, s.split, root)
}

// sharedArray is an array of a group. Two-dimensional ones of which items have rows are transposed: the elements of
// one column follow each other, so that lanes with rows one after the other find them side by side.
type sharedArray struct {
	name       string // of its first element, or of the first word of it
	element    types.Type
	rows       int64 // 0 if it has one dimension
	length     int64
	transposed bool

	split bool // see shape

	rowsByItem, rowForAll, gathered, partly bool // how it is used
}

// elements returns how many there are.
func (a *sharedArray) elements() int64 { return max(a.rows, 1) * a.length }

// rowStride and stride return how far neighbours in a column, and in a row, are apart.
func (a *sharedArray) rowStride() int64 {
	if a.transposed {
		return 1
	}
	return a.length
}

func (a *sharedArray) stride() int64 {
	if a.transposed {
		return a.rows + room
	}
	return 1
}

// size returns the elements that the array takes, with room for a vector at both ends.
func (a *sharedArray) size() int64 {
	if a.transposed {
		return a.stride()*a.length + 2*room
	}
	return a.elements() + 2*room
}

// room is how many elements a vector that begins or ends with the array reaches beyond it, and one more.
const room = 8

func dimensions(t types.Type) (element types.Type, rows, length int64) {
	outer := t.Underlying().(*types.Array)
	if inner, ok := outer.Elem().Underlying().(*types.Array); ok {
		return inner.Elem(), outer.Len(), inner.Len()
	}
	return outer.Elem(), 0, outer.Len()
}

// shapeOf returns the shape of a list: a parameter, an array or a row.
func (f *flow) shapeOf(e ast.Expr) shape {
	switch e := ast.Unparen(e).(type) {
	case *ast.SliceExpr:
		return f.shapeOf(e.X)
	case *ast.Ident:
		v, _ := f.info.ObjectOf(e).(*types.Var)
		if s, ok := f.lists[v]; ok {
			return s
		}
		if a := f.shared[v]; a != nil {
			return f.sharedShape(v, a)
		}
		return shape{storage: own, lanes: f.vars[v] > uniform, stride: 1}
	case *ast.IndexExpr:
		return f.rowShape(e)
	case *ast.SelectorExpr:
		return f.insideShape(e)
	}
	return shape{stride: 1}
}

func (f *flow) sharedShape(v *types.Var, a *sharedArray) shape {
	s := shape{storage: sharedMem, stride: a.stride(), split: a.split}
	if f.exploring {
		s.root = v
	}
	return s
}

// rowShape returns the shape of a row of a two-dimensional array.
func (f *flow) rowShape(e *ast.IndexExpr) shape {
	c := max(f.classOf(e.Index), uniform)
	name, isVariable := ast.Unparen(e.X).(*ast.Ident)
	if !isVariable {
		return f.insideShape(e)
	}
	v, _ := f.info.ObjectOf(name).(*types.Var)
	if a := f.shared[v]; a != nil {
		s := f.sharedShape(v, a)
		if c > uniform {
			s.offset = varying
			if a.rowStride() == 1 || f.exploring {
				s.offset = c
			}
		}
		f.useRow(a, c)
		return s
	}
	s := shape{storage: own, lanes: f.vars[v] > uniform, stride: 1}
	if c > uniform {
		s.offset = varying
	}
	return s
}

// insideShape returns the shape of an array inside a struct or element of an item.
func (f *flow) insideShape(e ast.Expr) shape {
	root := source.RootVariable(e)
	v, _ := f.info.ObjectOf(root).(*types.Var)
	s := shape{storage: own, lanes: f.vars[v] > uniform, stride: 1}
	_, indices := source.Root(e)
	for _, index := range indices {
		if f.classOf(index) > uniform {
			s.offset = varying
		}
	}
	return s
}

// useRow notes how items use the array: each a row, or all of them the same.
func (f *flow) useRow(a *sharedArray, row class) {
	a.rowsByItem = a.rowsByItem || row > uniform
	a.rowForAll = a.rowForAll || row <= uniform && f.lanes
}

// useElement notes how items use elements: here and there, or parts of their own and of neighbouring ones.
func (f *flow) useElement(s shape, index class, part bool) {
	if a := f.shared[s.root]; a != nil {
		a.gathered = a.gathered || index == varying || index == mixed
		a.partly = a.partly || part && (index == consecutive || index == near)
	}
}

// layOut decides how an array lies. Elements of which items use their own or neighbouring ones are split, so that the
// same word of eight elements is one load. Where items use whole elements here and there, words that belong together
// are.
func (a *sharedArray) layOut() {
	a.transposed = a.rows > 0 && a.rowsByItem && !a.rowForAll
	_, isStruct := a.element.Underlying().(*types.Struct)
	a.split = isStruct && (!a.gathered || a.partly) && !hasArray(a.element)
}

func hasArray(t types.Type) bool {
	switch underlying := t.Underlying().(type) {
	case *types.Array:
		return true
	case *types.Struct:
		for f := range underlying.Fields() {
			if hasArray(f.Type()) {
				return true
			}
		}
	}
	return false
}
