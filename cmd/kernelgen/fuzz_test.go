package main

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/device"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/emit"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/spirv"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/toolchain"
)

// seedTexts returns the sources of the tests.
func seedTexts(t testing.TB) []string {
	t.Helper()
	var texts []string
	patterns := []string{
		"testdata/accept/*/input.go", "testdata/refuse/*/input.go", "internal/mutants/*s.go", "../../kernel/trig.go",
	}
	for _, pattern := range patterns {
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

// loadOnce loads what the sources of the tests may import.
var loadOnce = sync.OnceValues(func() (*source.Program, error) {
	return source.Load("../..", []string{"./kernel", "./kernel/twin", "math"}, nil)
})

func loadVocabulary(t testing.TB) *source.Program {
	t.Helper()
	vocabulary, err := loadOnce()
	require.NoError(t, err)
	return vocabulary
}

// requireTotal translates a source. The source is refused with diagnostics, or the generated Go compiles, and so do the
// CUDA C and GLSL if tools is not nil. It returns whether the source was accepted.
func requireTotal(t require.TestingT, vocabulary *source.Program, text string, tools *toolchain.Toolchain) bool {
	const path = "/module/input.go"
	program, err := vocabulary.WithTexts(map[string][]byte{path: []byte(text)})
	if err != nil {
		requireDiagnostics(t, err)
		return false
	}
	program.Packages[0].NoLauncher = true // package exec is not loaded
	devices := func(p *source.Package, analysis *access.Analysis) ([]emit.File, *emit.Device, error) {
		forDevices, err := device.Translate(program, p, analysis)
		if err == nil && tools != nil {
			requireCompiles(t, tools, forDevices, text)
		}
		return nil, nil, err
	}
	files, err := translate(program, devices)
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

// requireCompiles requires that the compilers accept the texts for devices, and the checks the results.
func requireCompiles(t require.TestingT, tools *toolchain.Toolchain, texts *device.Texts, text string) {
	if len(texts.Shaders) == 0 {
		return
	}
	_, err := tools.PTX(texts.CUDA.Code)
	require.NoError(t, err, "generated from:\n%s", text)
	for _, shader := range texts.Shaders {
		module, err := tools.SPIRV(shader.Code)
		require.NoError(t, err, "generated from:\n%s", text)
		module, err = spirv.Exact(module)
		require.NoError(t, err, "generated from:\n%s", text)
		require.NoError(t, tools.Validate(module), "generated from:\n%s", text)
	}
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
	f.Fuzz(func(t *testing.T, text string) { requireTotal(t, vocabulary, text, nil) })
}

// fragment is an expression or statement of a source.
type fragment struct{ begin, end int }

// fragments returns the expressions and the statements of a source, in this order.
func fragments(text string) ([2][]fragment, error) {
	var found [2][]fragment
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return found, err
	}
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
				found[0] = append(found[0], f)
			case ast.Stmt:
				found[1] = append(found[1], f)
			}
			return true
		})
	}
	return found, nil
}

// TestSplicedSources checks a hundred spliced sources, the same ones in every run, and compiles eight of those that are
// accepted. TestSplicedSourcesSlow checks others in every run.
func TestSplicedSources(t *testing.T) {
	tools, err := toolchain.Find()
	if !errors.Is(err, toolchain.ErrMissing) {
		require.NoError(t, err)
	}
	vocabulary, sources, accepted := loadVocabulary(t), splices(t), 0
	for seed := range 100 {
		if accepted == 8 {
			tools = nil
		}
		if requireTotal(t, vocabulary, sources.Example(seed), tools) {
			accepted++
		}
	}
	require.Positive(t, accepted, "no splice was accepted, so nothing was compiled")
}

// splices generates sources. It replaces expressions and statements of a source by others, which gives sources that are
// odd but often well typed.
func splices(t *testing.T) *rapid.Generator[string] {
	t.Helper()
	texts := seedTexts(t)
	pieces := make([][2][]fragment, len(texts))
	for i, text := range texts {
		var err error
		pieces[i], err = fragments(text)
		require.NoError(t, err)
	}
	return rapid.Custom(func(t *rapid.T) string {
		i := rapid.IntRange(0, len(texts)-1).Draw(t, "source")
		text := texts[i]
		for range rapid.IntRange(1, 3).Draw(t, "splices") {
			places, err := fragments(text)
			if err != nil {
				break // what the last splice made is no Go, which requireTotal looks at
			}
			j := i // mostly of the same source, whose names are known
			if rapid.IntRange(0, 3).Draw(t, "foreign") == 0 {
				j = rapid.IntRange(0, len(texts)-1).Draw(t, "other source")
			}
			kind := rapid.SampledFrom([]int{0, 0, 1}).Draw(t, "kind")
			if len(places[kind]) == 0 || len(pieces[j][kind]) == 0 {
				break
			}
			to := places[kind][rapid.IntRange(0, len(places[kind])-1).Draw(t, "to")]
			from := pieces[j][kind][rapid.IntRange(0, len(pieces[j][kind])-1).Draw(t, "from")]
			text = text[:to.begin] + texts[j][from.begin:from.end] + text[to.end:]
		}
		return text
	})
}

// TestLargeFunctionWarns checks that a function past the size at which Go stops inlining is translated with a warning.
func TestLargeFunctionWarns(t *testing.T) {
	var text strings.Builder
	text.WriteString("package large\n\n//kernel:thread\nfunc large(i int32, x []float32) {\n")
	for range 700 {
		text.WriteString("\tx[i] = x[i] + 1\n")
	}
	text.WriteString("}\n")
	vocabulary := loadVocabulary(t)
	program, err := vocabulary.WithTexts(map[string][]byte{"/module/input.go": []byte(text.String())})
	require.NoError(t, err)
	files, err := translate(program, hostOnly)
	require.Len(t, files, 2)
	var diagnostics source.Diagnostics
	require.ErrorAs(t, err, &diagnostics)
	require.False(t, diagnostics.Refused())
	require.Regexp(t, `^/module/input.go:4:1: warning: limit: large has \d+ nodes, and past 5000 `, err.Error())
}
