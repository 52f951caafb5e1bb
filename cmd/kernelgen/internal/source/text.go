package source

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// WithTexts type-checks files, by path, as a package which may import what p has loaded, and finds its kernels. The
// error is Diagnostics if a text is to blame.
func (p *Program) WithTexts(texts map[string][]byte) (*Program, error) {
	fset := token.NewFileSet()
	var files []*ast.File
	dir := ""
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		file, err := parser.ParseFile(fset, path, texts[path], parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, syntaxErrors(err)
		}
		files = append(files, file)
		dir = filepath.Dir(path)
	}
	var diagnostics Diagnostics
	config := types.Config{
		Importer: loadedImporter(p.packages),
		Error: func(err error) {
			var typeError types.Error
			if errors.As(err, &typeError) {
				diagnostics = append(diagnostics,
					Diagnostic{Position: fset.Position(typeError.Pos), Rule: "type", Message: typeError.Msg})
			}
		},
	}
	info := &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances:  map[*ast.Ident]types.Instance{},
		Implicits:  map[ast.Node]types.Object{},
		Scopes:     map[ast.Node]*types.Scope{},
	}
	checked, err := config.Check("text", fset, files, info)
	if err != nil {
		diagnostics.Sort()
		return nil, diagnostics
	}
	program := &Program{Fset: fset, functions: maps.Clone(p.functions), packages: p.packages}
	from := &packages.Package{
		Dir: dir, Syntax: files, Types: checked, TypesInfo: info,
		Module: &packages.Module{Dir: dir},
	}
	program.index(from)
	found := program.kernelsOf(from)
	program.Packages = []*Package{found}
	if found.diagnostics.Refused() {
		found.diagnostics.Sort()
		return nil, found.diagnostics
	}
	return program, nil
}

// syntaxErrors returns the errors of the parser as diagnostics.
func syntaxErrors(err error) error {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return err
	}
	var diagnostics Diagnostics
	for _, e := range list {
		diagnostics = append(diagnostics, Diagnostic{Position: e.Pos, Rule: "syntax", Message: e.Msg})
	}
	return diagnostics
}

// loadedImporter imports packages that are loaded already.
type loadedImporter map[string]*types.Package

// Import returns a package by its path.
func (i loadedImporter) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if p, ok := i[path]; ok {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is not loaded", path)
}
