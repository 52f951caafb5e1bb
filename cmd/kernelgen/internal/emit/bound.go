package emit

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

// bound returns the Bound of a kernel's definition. A kernel has one if it begins with
//
//	if i >= list[0] {
//		return
//	}
//
// where i is its index, or g.ID, and list is an []int32 that it only reads. Shared arrays, and other variables without
// values, may be declared before.
func bound(k *source.Kernel, analysis *access.Analysis) int {
	statements := k.Declaration.Body.List
	for len(statements) > 0 && declares(statements[0]) {
		statements = statements[1:]
	}
	if len(statements) == 0 {
		return 0
	}
	list := returnsFrom(k, statements[0])
	if list == nil || analysis.Of(k.Function)[list]&kernel.Write != 0 {
		return 0
	}
	buffers := 0
	for _, param := range k.Params {
		if !param.Buffer {
			continue
		}
		buffers++
		if param.Object == list && param.Type == kernel.Int32 {
			return buffers
		}
	}
	return 0
}

// declares says whether a statement declares variables without values, or constants or types.
func declares(statement ast.Stmt) bool {
	declaration, ok := statement.(*ast.DeclStmt)
	if !ok {
		return false
	}
	list := declaration.Decl.(*ast.GenDecl)
	for _, spec := range list.Specs {
		if values, ok := spec.(*ast.ValueSpec); ok && list.Tok == token.VAR && len(values.Values) > 0 {
			return false
		}
	}
	return true
}

// returnsFrom returns the list of a statement that returns for the items from list[0] on and does nothing else, nil for
// other statements.
func returnsFrom(k *source.Kernel, statement ast.Stmt) *types.Var {
	test, ok := statement.(*ast.IfStmt)
	if !ok || test.Init != nil || test.Else != nil || len(test.Body.List) != 1 {
		return nil
	}
	if _, ok := test.Body.List[0].(*ast.ReturnStmt); !ok {
		return nil
	}
	comparison, ok := ast.Unparen(test.Cond).(*ast.BinaryExpr)
	if !ok {
		return nil
	}
	item, first := comparison.X, comparison.Y
	switch comparison.Op {
	case token.GEQ:
	case token.LEQ:
		item, first = first, item
	default:
		return nil
	}
	if !isItem(k, item) {
		return nil
	}
	element, ok := ast.Unparen(first).(*ast.IndexExpr)
	if !ok {
		return nil
	}
	if index := k.Info.Types[element.Index].Value; index == nil || constant.Sign(index) != 0 {
		return nil
	}
	return variable(k, element.X)
}

// isItem says whether an expression is the index of a kernel's item.
func isItem(k *source.Kernel, e ast.Expr) bool {
	if k.Group {
		selector, ok := ast.Unparen(e).(*ast.SelectorExpr)
		return ok && selector.Sel.Name == "ID" && variable(k, selector.X) == k.Index
	}
	return variable(k, e) == k.Index
}

// variable returns the variable that an expression names, nil if it is anything else.
func variable(k *source.Kernel, e ast.Expr) *types.Var {
	name, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	v, _ := k.Info.Uses[name].(*types.Var)
	return v
}
