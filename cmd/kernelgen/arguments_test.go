package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	goload "golang.org/x/tools/go/packages"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// TestMisuseDoesNotCompile checks that the packages of testdata/misuse have just the type errors that their comments
// want. A launcher that takes a struct refuses arguments one by one, in any order, and a literal of the struct without
// names.
func TestMisuseDoesNotCompile(t *testing.T) {
	paths, err := filepath.Glob("testdata/misuse/*/input.go")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		loaded, err := goload.Load(&goload.Config{
			Mode: goload.NeedName | goload.NeedImports | goload.NeedDeps | goload.NeedSyntax | goload.NeedTypes,
		}, "./"+filepath.Dir(path))
		require.NoError(t, err)
		require.Len(t, loaded, 1)
		expected := wants(t, path)
		for _, refused := range loaded[0].TypeErrors {
			line := refused.Fset.Position(refused.Pos).Line
			i := slices.IndexFunc(expected[line], func(w *want) bool {
				return !w.found && w.pattern.MatchString(refused.Msg)
			})
			if i < 0 {
				t.Errorf("unexpected: %s:%d: %s", path, line, refused.Msg)
				continue
			}
			expected[line][i].found = true
		}
		for line, list := range expected {
			for _, w := range list {
				require.True(t, w.found, "%s:%d: no error that matches %s", path, line, w.pattern)
			}
		}
	}
}

// argumentFields is the fields of the structs that launchers take, by import path and type name.
type argumentFields map[string]map[string][]string

// TestArgumentsAreComplete checks that every call in the repository gives each field of a struct of arguments. A number
// that is left out would be 0.
func TestArgumentsAreComplete(t *testing.T) {
	sources := map[string]*ast.File{}
	modules := map[string]string{} // by directory
	walkSources(t, func(path string, text []byte) {
		if filepath.Base(path) == "go.mod" {
			modules[filepath.Dir(path)] = string(modulePath.FindSubmatch(text)[1])
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		sources[path] = file
	})
	importPath := func(path string) string {
		dir := filepath.Dir(path)
		for root := dir; ; root = filepath.Dir(root) {
			if module, ok := modules[root]; ok {
				relative, err := filepath.Rel(root, dir)
				require.NoError(t, err)
				return filepath.ToSlash(filepath.Join(module, relative))
			}
		}
	}
	fields := argumentFields{}
	for path, file := range sources {
		if filepath.Base(path) == source.LauncherFile {
			fields[importPath(path)] = structsOfArguments(file)
		}
	}
	literals := 0
	for path, file := range sources {
		if filepath.Base(path) == source.LauncherFile {
			continue
		}
		found, problems := fields.incomplete(file, importPath(path))
		literals += found
		for _, problem := range problems {
			t.Errorf("%s: %s", path, problem)
		}
	}
	require.Greater(t, literals, 25)
}

var modulePath = regexp.MustCompile(`(?m)^module (\S+)`)

// walkSources calls visit with every Go file and go.mod of the repository, testdata apart.
func walkSources(t *testing.T, visit func(path string, text []byte)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && name != "..") {
			return filepath.SkipDir
		}
		if entry.IsDir() || filepath.Ext(name) != ".go" && name != "go.mod" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			visit(path, text)
		}
		return err
	}))
}

// structsOfArguments returns the fields of the structs of a generated file, by type name.
func structsOfArguments(file *ast.File) map[string][]string {
	found := map[string][]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok {
			return true
		}
		if list, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range list.Fields.List {
				for _, name := range field.Names {
					if name.Name != "_" {
						found[spec.Name.Name] = append(found[spec.Name.Name], name.Name)
					}
				}
			}
		}
		return false
	})
	return found
}

// incomplete counts the literals of structs of arguments in a file of a package. Problems are literals that leave a
// field out, and mentions of such a type that are neither the type of a literal, nor of a conversion, nor in the
// signature of a function.
func (a argumentFields) incomplete(file *ast.File, of string) (literals int, problems []string) {
	imported := map[string]string{} // by name
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil || a[path] == nil {
			continue
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = path
	}
	named := func(expression ast.Node) (string, []string) {
		switch e := expression.(type) {
		case *ast.SelectorExpr:
			if name, ok := e.X.(*ast.Ident); ok {
				return name.Name + "." + e.Sel.Name, a[imported[name.Name]][e.Sel.Name]
			}
		case *ast.Ident:
			return e.Name, a[of][e.Name]
		}
		return "", nil
	}
	allowed := map[ast.Node]bool{}
	ast.Inspect(file, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.FuncType:
			return false
		case *ast.CompositeLit:
			name, fields := named(n.Type)
			if fields == nil {
				return true
			}
			literals++
			allowed[n.Type] = true
			for _, field := range fields {
				if !slices.ContainsFunc(n.Elts, func(e ast.Expr) bool { return gives(e, field) }) {
					problems = append(problems, name+" without "+field)
				}
			}
		case *ast.CallExpr: // a conversion of another struct, which has the same fields, or it does not compile
			if _, fields := named(n.Fun); fields != nil && len(n.Args) == 1 {
				allowed[n.Fun] = true
			}
		case *ast.SelectorExpr, *ast.Ident:
			name, fields := named(n)
			if fields != nil && !allowed[n] {
				problems = append(problems, name+" is no literal (give all fields in one)")
			}
			return fields == nil
		}
		return true
	})
	return literals, problems
}

// gives says whether an element of a literal gives a field.
func gives(element ast.Expr, field string) bool {
	pair, ok := element.(*ast.KeyValueExpr)
	if !ok {
		return false
	}
	key, ok := pair.Key.(*ast.Ident)
	return ok && key.Name == field
}

// TestIncompleteArgumentsAreFound checks TestArgumentsAreComplete itself.
func TestIncompleteArgumentsAreFound(t *testing.T) {
	fields := argumentFields{
		"example.com/kernels/ring": {"RelaxArgs": {"Inner", "Outer"}},
		"example.com/own":          {"GrowArgs": {"Count"}},
	}
	for body, want := range map[string]string{
		"ring.Relax(ring.RelaxArgs{Inner: a, Outer: b})": "",
		"ring.Relax(ring.RelaxArgs{Inner: a})":           "ring.RelaxArgs without Outer",
		"ring.Relax(ring.RelaxArgs{a, b})":               "ring.RelaxArgs without Inner; ring.RelaxArgs without Outer",
		"args := []ring.RelaxArgs{{}}":                   "ring.RelaxArgs is no literal (give all fields in one)",
		"var args ring.RelaxArgs":                        "ring.RelaxArgs is no literal (give all fields in one)",
		"Grow(GrowArgs{})":                               "GrowArgs without Count",
		"Grow(GrowArgs{Count: n(GrowArgs{})})":           "GrowArgs without Count",
		"_ = func(GrowArgs) ring.RelaxArgs { return a }": "",
		"x := GrowArgs(args)":                            "", // args is of a literal, or declared
		"x := GrowArgs(a, b)":                            "GrowArgs is no literal (give all fields in one)",
		"other.Relax(other.RelaxArgs{})":                 "",
	} {
		text := "package own\n\nimport (\n\"example.com/kernels/ring\"\n\"example.com/other\"\n)\n\n" +
			"func f() {\n" + body + "\n}\n"
		file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		require.NoError(t, err, body)
		_, problems := fields.incomplete(file, "example.com/own")
		require.Equal(t, want, strings.Join(problems, "; "), body)
	}
}
