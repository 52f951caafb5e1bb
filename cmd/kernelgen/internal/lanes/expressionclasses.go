package lanes

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// classOf returns the class of an expression.
func (f *flow) classOf(e ast.Expr) class {
	if tv, ok := f.info.Types[e]; ok && tv.Value != nil {
		return uniform
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.classOf(e.X)
	case *ast.Ident:
		v, _ := f.info.ObjectOf(e).(*types.Var)
		return f.vars[v]
	case *ast.SelectorExpr:
		if source.IsNamed(f.info.TypeOf(e.X), "Group") {
			return uniform
		}
		if source.RootVariable(e) == nil {
			return spread(f.classOf(e.X)) // of a result
		}
		return f.placeClass(e)
	case *ast.IndexExpr:
		return f.placeClass(e)
	case *ast.UnaryExpr:
		if e.Op == token.ADD {
			return f.classOf(e.X)
		}
		return spread(f.classOf(e.X))
	case *ast.BinaryExpr:
		x, y := f.classOf(e.X), f.classOf(e.Y)
		if basic, ok := f.info.TypeOf(e).Underlying().(*types.Basic); ok && basic.Kind() == types.Int32 &&
			(e.Op == token.ADD || e.Op == token.SUB) {
			return sum(x, y, e.Op == token.SUB)
		}
		return spread(max(x, y))
	case *ast.CallExpr:
		return f.callClass(e)
	case *ast.CompositeLit:
		return f.compositeClass(e)
	}
	return varying
}

func (f *flow) compositeClass(e *ast.CompositeLit) class {
	c := uniform
	for _, element := range e.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			element = pair.Value
		}
		c = max(c, spread(f.classOf(element)))
	}
	return c
}

// placeClass returns the class of what is read from an element or field.
func (f *flow) placeClass(e ast.Expr) class {
	p := f.parse(e)
	v := f.info.ObjectOf(source.RootVariable(e)).(*types.Var)
	if p.list == nil {
		if p.parted(f) {
			return varying
		}
		return spread(f.vars[v])
	}
	s := f.shapeOf(p.list)
	index := s.index(f.classOf(p.index))
	f.useElement(s, index, len(p.steps) > 0)
	if s.lanes || index > uniform || p.parted(f) {
		return varying
	}
	return uniform
}

// path is a place taken apart: a variable or an element of a list, and the fields and indices inside.
type path struct {
	list  ast.Expr // that holds the element, nil for a variable
	index ast.Expr
	steps []ast.Expr // selectors and indices, from the outside in
}

// parted says whether lanes have different indices inside the element.
func (p path) parted(f *flow) bool {
	for _, s := range p.steps {
		if index, ok := s.(*ast.IndexExpr); ok && f.classOf(index.Index) > uniform {
			return true
		}
	}
	return false
}

// parse takes a place apart.
func (f *flow) parse(e ast.Expr) path {
	var p path
	for {
		e = ast.Unparen(e)
		switch x := e.(type) {
		case *ast.SelectorExpr:
			p.steps = append([]ast.Expr{x}, p.steps...)
			e = x.X
		case *ast.IndexExpr:
			if f.isList(x.X) {
				p.list, p.index = x.X, x.Index
				return p
			}
			p.steps = append([]ast.Expr{x}, p.steps...)
			e = x.X
		default:
			return p
		}
	}
}

// isList says whether e is a slice or array variable, or a row of one, whose elements are no arrays.
func (f *flow) isList(e ast.Expr) bool {
	e = ast.Unparen(e)
	switch t := f.info.TypeOf(e).Underlying().(type) {
	case *types.Array:
		if _, rows := t.Elem().Underlying().(*types.Array); rows {
			return false
		}
	case *types.Slice:
	default:
		return false
	}
	if row, ok := e.(*ast.IndexExpr); ok {
		e = ast.Unparen(row.X)
	}
	_, ok := e.(*ast.Ident)
	return ok
}

func (f *flow) callClass(call *ast.CallExpr) class {
	if source.IsConversion(f.info, call) {
		from, to := f.info.TypeOf(call.Args[0]).Underlying(), f.info.TypeOf(call).Underlying()
		if from == to {
			return f.classOf(call.Args[0])
		}
		return spread(f.classOf(call.Args[0]))
	}
	if name := source.Builtin(f.info, call); name == "len" {
		return uniform
	}
	callee := source.Callee(f.info, call)
	if source.Builtin(f.info, call) != "" || callee != nil && source.IsIntrinsic(callee) {
		c := uniform
		for _, argument := range call.Args {
			c = max(c, spread(f.classOf(argument)))
		}
		return c
	}
	if results := f.callResults(call); len(results) == 1 {
		return results[0]
	}
	return uniform
}

// callResults returns the classes of the results of a helper.
func (f *flow) callResults(call *ast.CallExpr) []class {
	callee := source.Callee(f.info, call)
	function := f.program.Function(callee)
	if function == nil {
		return make([]class, callee.Signature().Results().Len())
	}
	return f.instance(function, f.arguments(call, callee), f.lanes).flow.results
}

// argument is how a call gives a parameter: a value of a class, or a list.
type argument struct {
	class class
	list  bool
	shape shape
}

// arguments returns how a call gives its parameters, the receiver first.
func (f *flow) arguments(call *ast.CallExpr, callee *types.Func) []argument {
	var list []argument
	if receiver := source.Receiver(f.info, call); receiver != nil {
		list = append(list, argument{class: max(f.classOf(receiver), uniform)})
	}
	for i, a := range call.Args {
		if _, isSlice := callee.Signature().Params().At(i).Type().Underlying().(*types.Slice); isSlice {
			list = append(list, argument{list: true, shape: f.shapeOf(a)})
			continue
		}
		list = append(list, argument{class: max(f.classOf(a), uniform)})
	}
	return list
}
