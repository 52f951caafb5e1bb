//go:build cgo && linux

package vulkan

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/required"
)

// The C code compiles for macOS, as far as that can be seen without Apple's headers: those of testdata/darwin declare
// what it uses. Nothing is linked.
func TestShimCompilesForDarwin(t *testing.T) {
	compiler := required.Program(t, "clang-19")
	for _, target := range []string{"arm64-apple-macos13", "x86_64-apple-macos13"} {
		object := filepath.Join(t.TempDir(), "shim.o")
		output, err := exec.Command(compiler, "-target", target, "-ffreestanding", "-std=gnu11", "-Wall", "-Wextra",
			"-Wno-unused-parameter", "-Werror", "-isystem", "testdata/darwin", "-I.", "-c", "-o", object,
			"shim.c").CombinedOutput()
		require.NoError(t, err, string(output))
		code, err := os.ReadFile(object)
		require.NoError(t, err)
		require.Contains(t, string(code), "/opt/homebrew/lib/libMoltenVK.dylib")
		require.NotContains(t, string(code), ".so.1")
	}
}

// The Go code of a build with cgo for macOS is complete and has no errors of types outside of the file that
// calls C. It must not import package vulkan-go, with which every program would have to be linked with MoltenVK.
func TestTypesForDarwin(t *testing.T) {
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = "darwin", "arm64", true
	found, err := context.ImportDir(".", 0)
	require.NoError(t, err)
	require.Equal(t, []string{"native.go"}, found.CgoFiles)
	require.Equal(t, []string{"shim.c"}, found.CFiles)
	require.Contains(t, found.GoFiles, "device.go")
	require.NotContains(t, found.GoFiles, "absent.go")
	require.NotContains(t, found.Imports, "github.com/vulkan-go/vulkan")
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Concat(found.GoFiles, found.CgoFiles) {
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	var mistakes []error
	config := types.Config{FakeImportC: true, Importer: importer.ForCompiler(fset, "source", nil), Error: func(err error) {
		mistake := err.(types.Error)
		if fset.Position(mistake.Pos).Filename != found.CgoFiles[0] { // there, types of C are unknown
			mistakes = append(mistakes, err)
		}
	}}
	_, _ = config.Check(found.ImportPath, fset, files, nil)
	require.Empty(t, mistakes)
}
