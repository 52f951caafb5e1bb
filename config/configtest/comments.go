// Package configtest checks the tables of configurations.
package configtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/trackgen-go/trackgen/config"
)

// CheckComments checks that the comments of the structs of a configuration match the table, in the same order. path is
// the source file. The fields of a group are those of the struct with its name and Config; the fields outside of all
// groups are those of Config and of component, the embedded struct, if there is one. other lists fields that the table
// does not have.
func CheckComments[C any](t *testing.T, table *config.Table[C], path, component string, other ...string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	left := table.Documented()
	for _, group := range table.Groups() {
		structs := []string{"Config"}
		if component != "" {
			structs = append(structs, component)
		}
		if group.Name != "" {
			structs = []string{config.GoName(group.Name) + "Config"}
		}
		for _, name := range structs {
			for _, declared := range structFields(t, file, name, component) {
				is := strings.Join(strings.Fields(declared.Doc.Text()), " ")
				inGroup := func(f config.Field[C]) bool { return f.Group() == group.Name }
				i := slices.IndexFunc(left, func(f config.Field[C]) bool {
					return inGroup(f) && config.GoName(f.Leaf()) == declared.Names[0].Name
				})
				if i < 0 {
					if !slices.Contains(other, declared.Names[0].Name) {
						t.Errorf("%s.%s is not in the table", name, declared.Names[0].Name)
					}
					continue
				}
				if want := left[i].Comment(); is != want {
					t.Errorf("comment of %s: %q, must be %q", left[i].Name, is, want)
				}
				if group.Name != "" && slices.IndexFunc(left, inGroup) != i {
					t.Errorf("%s is not in the order of the table", left[i].Name)
				}
				left = slices.Delete(left, i, i+1)
			}
		}
	}
	for _, f := range left {
		t.Errorf("%s has no comment", f.Name)
	}
}

// structFields returns the fields of a struct, except those whose type is a struct of the configuration.
func structFields(t *testing.T, file *ast.File, name, component string) []*ast.Field {
	t.Helper()
	object := file.Scope.Lookup(name)
	if object == nil {
		t.Fatalf("%s is missing", name)
	}
	declared := object.Decl.(*ast.TypeSpec).Type.(*ast.StructType).Fields.List
	return slices.DeleteFunc(slices.Clone(declared), func(f *ast.Field) bool {
		of, ok := f.Type.(*ast.Ident)
		return ok && (of.Name == component || strings.HasSuffix(of.Name, "Config"))
	})
}
