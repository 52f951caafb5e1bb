package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
)

// seedTexts returns the sources of the tests.
func seedTexts(t testing.TB) []string {
	t.Helper()
	var texts []string
	for _, pattern := range []string{"testdata/accept/*/input.go", "testdata/refuse/*/input.go", "internal/mutants/*s.go", "../../kernel/trig.go"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			texts = append(texts, string(text))
		}
	}
	return texts
}

// loadVocabulary loads what the sources of the tests may import.
func loadVocabulary(t testing.TB) *source.Program {
	t.Helper()
	vocabulary, err := source.Load("../..", []string{"./kernel", "./kernel/twin", "math"}, nil)
	require.NoError(t, err)
	return vocabulary
}

// requireTotal translates a source and requires that it is either refused with diagnostics, or that what is generated from
// it is Go that compiles. It returns whether the source was accepted.
func requireTotal(t require.TestingT, vocabulary *source.Program, text string) bool {
	const path = "/module/input.go"
	program, err := vocabulary.WithTexts(map[string][]byte{path: []byte(text)})
	if err != nil {
		requireDiagnostics(t, err)
		return false
	}
	program.Packages[0].NoLauncher = true // package exec is not loaded
	files, err := translate(program)
	if err != nil {
		requireDiagnostics(t, err)
	}
	texts := map[string][]byte{path: []byte(text)}
	for _, file := range files {
		if file.Text != nil {
			texts[file.Path] = file.Text
		}
	}
	_, err = vocabulary.WithTexts(texts)
	require.NoError(t, err, "generated from:\n%s", text)
	return len(texts) > 1
}

func requireDiagnostics(t require.TestingT, err error) {
	var diagnostics source.Diagnostics
	require.True(t, errors.As(err, &diagnostics), "%T: %v", err, err)
	require.NotEmpty(t, diagnostics)
}

// FuzzSource gives arbitrary texts to the tool.
func FuzzSource(f *testing.F) {
	for _, text := range seedTexts(f) {
		f.Add(text)
	}
	vocabulary := loadVocabulary(f)
	f.Fuzz(func(t *testing.T, text string) { requireTotal(t, vocabulary, text) })
}

// fragment is an expression or statement of a source.
type fragment struct{ begin, end int }

// fragments returns the expressions and the statements of a source.
func fragments(t *testing.T, text string) (expressions, statements []fragment) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, declaration := range file.Decls {
		function, ok := declaration.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		ast.Inspect(function.Body, func(node ast.Node) bool {
			if node == nil {
				return false
			}
			f := fragment{fset.Position(node.Pos()).Offset, fset.Position(node.End()).Offset}
			switch node.(type) {
			case ast.Expr:
				expressions = append(expressions, f)
			case ast.Stmt:
				statements = append(statements, f)
			}
			return true
		})
	}
	return expressions, statements
}

// TestSplicedSources puts expressions and statements of one source in the place of others, which gives sources that are odd
// but often well typed.
func TestSplicedSources(t *testing.T) {
	texts := seedTexts(t)
	vocabulary := loadVocabulary(t)
	expressions, statements := make([][]fragment, len(texts)), make([][]fragment, len(texts))
	for i, text := range texts {
		expressions[i], statements[i] = fragments(t, text)
	}
	accepted := 0
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(texts)-1).Draw(t, "source")
		j := i // mostly of the same source, whose names are known
		if rapid.IntRange(0, 3).Draw(t, "foreign") == 0 {
			j = rapid.IntRange(0, len(texts)-1).Draw(t, "other source")
		}
		kind := expressions
		if rapid.IntRange(0, 2).Draw(t, "statement") == 0 {
			kind = statements
		}
		if len(kind[i]) == 0 || len(kind[j]) == 0 {
			return
		}
		to := kind[i][rapid.IntRange(0, len(kind[i])-1).Draw(t, "to")]
		from := kind[j][rapid.IntRange(0, len(kind[j])-1).Draw(t, "from")]
		text := texts[i][:to.begin] + texts[j][from.begin:from.end] + texts[i][to.end:]
		if requireTotal(t, vocabulary, text) {
			accepted++
		}
	})
	require.Positive(t, accepted, "no splice was accepted, so nothing was compiled")
}
