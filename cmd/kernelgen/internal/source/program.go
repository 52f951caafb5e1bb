// Package source loads packages of kernel sources and models what the later steps of kernelgen work on: functions with
// their syntax and types, and the kernels among them with their parameters.
package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"

	"github.com/trackgen-go/trackgen/kernel"
)

// Program is the loaded packages with every function whose source is known.
type Program struct {
	Fset      *token.FileSet
	Packages  []*Package // those that the patterns matched, in the order of the go command
	functions map[*types.Func]*Function
	packages  map[string]*types.Package // by import path
}

// Package is one package of kernels.
type Package struct {
	Types      *types.Package
	Dir        string // absolute
	Kernels    []*Kernel
	ModulePath string
	ModuleDir  string // absolute
	NoLauncher bool   // the package asked for no launchers (//kernel:nolauncher)
	NoDevice   bool   // its kernels run on the CPU alone (//kernel:nodevice)

	diagnostics Diagnostics
}

// Function is a function or method with its source.
type Function struct {
	Object      *types.Func
	Declaration *ast.FuncDecl
	Info        *types.Info
	ModulePath  string
	ModuleDir   string // absolute; empty for the standard library
}

// Signature returns the type of the function.
func (f *Function) Signature() *types.Signature { return f.Object.Signature() }

// Vocabulary says whether the function belongs to package kernel.
func (f *Function) Vocabulary() bool { return IsVocabulary(f.Object.Pkg()) }

// IsVocabulary says whether p is package kernel.
func IsVocabulary(p *types.Package) bool { return p != nil && p.Path() == VocabularyPath }

// Kernel is a function that a launch runs.
type Kernel struct {
	*Function
	Group    bool
	Lanes    int32 // group kernels only
	Unproven bool  // the author answers for the absence of races
	Scalar   bool  // on a CPU one item at a time, because eight at a time are slower
	Index    *types.Var
	Params   []Param

	iterations   ast.Expr // the bound on the iterations of its loops, nil if it states none
	iterationsAt token.Pos
}

// Param is a parameter of a kernel after the index or group.
type Param struct {
	Object *types.Var
	Type   kernel.Type // of an element for a buffer
	Buffer bool
}

// LauncherName returns the name of the launcher of a kernel: the kernel's own, exported.
func LauncherName(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// MaxPositional is the largest number of parameters, slices and scalars alike, that a launcher takes one by one. The
// index or group does not count. The launcher of a kernel with more parameters takes a struct, so that no argument
// takes the place of another.
const MaxPositional = 6

// ArgumentsName returns the name of the struct that the launcher of a kernel takes.
func ArgumentsName(name string) string { return LauncherName(name) + "Args" }

// TakesStruct says whether the launcher of the kernel takes a struct.
func (k *Kernel) TakesStruct() bool { return len(k.Params) > MaxPositional }

// Function returns the source of a function, nil where it is not known.
func (p *Program) Function(object *types.Func) *Function {
	if object == nil {
		return nil
	}
	return p.functions[object.Origin()]
}

// Position returns where a node is, with the file relative to the root of the function's module.
func (p *Program) Position(f *Function, pos token.Pos) token.Position {
	position := p.Fset.Position(pos)
	if relative, err := filepath.Rel(f.ModuleDir, position.Filename); err == nil && f.ModuleDir != "" {
		position.Filename = filepath.ToSlash(relative)
	}
	return position
}

// index records the functions of a package.
func (p *Program) index(from *packages.Package) {
	if from.TypesInfo == nil {
		return
	}
	moduleDir, modulePath := "", ""
	if from.Module != nil {
		moduleDir, modulePath = from.Module.Dir, from.Module.Path
	}
	for _, file := range from.Syntax {
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok {
				continue
			}
			object, ok := from.TypesInfo.Defs[function.Name].(*types.Func)
			if !ok {
				continue
			}
			p.functions[object] = &Function{Object: object, Declaration: function, Info: from.TypesInfo,
				ModuleDir: moduleDir, ModulePath: modulePath}
		}
	}
}

// kernelsOf finds the kernels of a package in the order of its files and declarations.
func (p *Program) kernelsOf(from *packages.Package) *Package {
	found := &Package{Types: from.Types, Dir: from.Dir}
	if from.Module != nil {
		found.ModulePath, found.ModuleDir = from.Module.Path, from.Module.Dir
	}
	report := func(pos token.Pos, rule, format string, arguments ...any) {
		found.diagnostics = append(found.diagnostics, Diagnostic{
			Position: p.Fset.Position(pos), Rule: rule, Message: fmt.Sprintf(format, arguments...),
		})
	}
	for _, file := range from.Syntax {
		used := map[*ast.Comment]bool{}
		for comment, directive := range directives(file.Doc) {
			used[comment] = true
			switch directive {
			case "nolauncher":
				found.NoLauncher = true
			case "nodevice":
				found.NoDevice = true
			default:
				report(comment.Pos(), "directive",
					"//kernel:%s is no directive of a package (//kernel:nolauncher and //kernel:nodevice are)",
					directive)
			}
		}
		for _, declaration := range file.Decls {
			function, ok := declaration.(*ast.FuncDecl)
			if !ok || !hasDirective(function.Doc) {
				continue
			}
			for comment := range directives(function.Doc) {
				used[comment] = true
			}
			object, ok := from.TypesInfo.Defs[function.Name].(*types.Func)
			if !ok {
				continue
			}
			if k := newKernel(p.functions[object], report); k != nil {
				found.Kernels = append(found.Kernels, k)
			}
		}
		for _, group := range file.Comments {
			for comment, directive := range directives(group) {
				if !used[comment] {
					report(comment.Pos(), "directive",
						"//kernel:%s stands on no function (put it in the function's doc comment)", directive)
				}
			}
			for _, comment := range group.List {
				if meant := nearDirective.FindStringSubmatch(comment.Text); meant != nil {
					report(comment.Pos(), "directive", "%q is a comment and no directive (write //kernel:%s)", meant[0],
						meant[1])
				}
			}
		}
	}
	return found
}

// packageClause returns the package name of one file.
func packageClause(path string) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
	if err != nil {
		return "", err
	}
	return file.Name.Name, nil
}

// IsGenerated says whether text is a file that kernelgen wrote.
func IsGenerated(text []byte) bool { return strings.HasPrefix(string(text), Header) }

// Functions yields every function whose source is known, in no fixed order.
func (p *Program) Functions() iter.Seq[*Function] { return maps.Values(p.functions) }
