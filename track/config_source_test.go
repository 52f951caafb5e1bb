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

// The comments of Config say what the table of fields says, in the same order.
func TestConfigCommentsMatchTheFields(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	require.NoError(t, err)
	object := file.Scope.Lookup("Config")
	require.NotNil(t, object)
	declared := object.Decl.(*ast.TypeSpec).Type.(*ast.StructType).Fields.List
	declared = slices.DeleteFunc(declared, func(f *ast.Field) bool { return f.Names[0].Name == "Mix" })
	require.Len(t, declared, len(fields))
	for i, f := range fields {
		assert.Equal(t, f.goName, declared[i].Names[0].Name)
		assert.Equal(t, f.comment(), strings.Join(strings.Fields(declared[i].Doc.Text()), " "))
	}
}
