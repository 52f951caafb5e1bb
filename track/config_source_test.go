package track

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The comments of the structs match the table of fields, in the same order.
func TestConfigCommentsMatchTheFields(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	require.NoError(t, err)
	left := slices.Clone(fields)
	for _, group := range Groups() {
		structs := []string{"Config", "FirstLoop"}
		if group.Name != "" {
			structs = []string{goName(group.Name) + "Config"}
		}
		for _, name := range structs {
			for _, declared := range structFields(t, file, name) {
				is := strings.Join(strings.Fields(declared.Doc.Text()), " ")
				inGroup := func(f Field) bool { return f.Group() == group.Name }
				i := slices.IndexFunc(left, func(f Field) bool { return inGroup(f) && goName(f.Leaf()) == declared.Names[0].Name })
				if i < 0 {
					assert.Equal(t, "Mix", declared.Names[0].Name, name)
					continue
				}
				assert.Equal(t, left[i].comment(), is)
				if group.Name != "" {
					assert.Equal(t, slices.IndexFunc(left, inGroup), i, "%s is not in the order of the table", left[i].Name)
				}
				left = slices.Delete(left, i, i+1)
			}
		}
	}
	assert.Empty(t, left, "fields without a comment")
}

// structFields returns the fields of a struct, except those whose type is a struct of this package.
func structFields(t *testing.T, file *ast.File, name string) []*ast.Field {
	object := file.Scope.Lookup(name)
	require.NotNil(t, object, name)
	declared := object.Decl.(*ast.TypeSpec).Type.(*ast.StructType).Fields.List
	return slices.DeleteFunc(slices.Clone(declared), func(f *ast.Field) bool {
		of, ok := f.Type.(*ast.Ident)
		return ok && (of.Name == "FirstLoop" || strings.HasSuffix(of.Name, "Config"))
	})
}
