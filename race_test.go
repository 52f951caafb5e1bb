package trackgen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alone lists the packages that use package sync but that make test does not run with the race detector, with the
// reason.
var alone = map[string]string{
	"cmd/kernelgen": "a value that tests share is made once",
	"cmd/kernelgen/internal/device": "compilers run side by side, and what they made is compared with the files of " +
		"the repository",
	"interop/cabi":                   "what runs at once are threads of C, in programs of their own",
	"cmd/kernelgen/internal/random":  "compilers and programs run side by side, one for each batch of kernels",
	"cmd/kernelgen/internal/hostrun": "a lock around another program, for kernels that the CPU backend runs",
	"bench/parity": "a test holds a lock while machine code runs, which builds with the race detector do " +
		"not have",
}

// variable returns the value that the Makefile assigns to a variable.
func variable(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?m)^` + name + ` := (.*)$`).FindSubmatch(text)
	require.NotNil(t, found, "the Makefile has no %s", name)
	return strings.ReplaceAll(string(found[1]), "$$", "$")
}

// covers reports whether one of the patterns of the go command matches a package.
func covers(patterns, dir string) bool {
	for pattern := range strings.FieldsSeq(patterns) {
		pattern = strings.TrimPrefix(pattern, "./")
		below, all := strings.CutSuffix(pattern, "/...")
		if dir == pattern || all && (dir == below || strings.HasPrefix(dir, below+"/")) {
			return true
		}
	}
	return false
}

// goesOn reports whether code starts goroutines.
func goesOn(node ast.Node) (found bool) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Go" && len(n.Args) == 1 {
				found = true // sync.WaitGroup.Go
			}
		}
		return !found
	})
	return found
}

// TestConcurrencyIsRaced compares the lists of the Makefile with the sources. A package that starts goroutines or uses
// package sync or sync/atomic must run with the race detector. If only some of its tests do, the tests that start
// goroutines must be among them.
func TestConcurrencyIsRaced(t *testing.T) {
	race, some := variable(t, "RACE"), variable(t, "RACE_SOME")
	concurrent := regexp.MustCompile(variable(t, "CONCURRENT"))
	used := map[string]bool{}
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == "testdata" || name != "." && strings.HasPrefix(name, ".") || name == "out" {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		uses := goesOn(file)
		for _, i := range file.Imports {
			uses = uses || i.Path.Value == `"sync"` || i.Path.Value == `"sync/atomic"`
		}
		if !uses {
			return nil
		}
		used[dir] = true
		if covers(some, dir) {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") && goesOn(f) {
					assert.Regexp(t, concurrent, f.Name.Name, "%s starts goroutines, and its name does not match CONCURRENT", path)
				}
			}
			return nil
		}
		if alone[dir] == "" {
			assert.True(t, covers(race, dir), "%s runs things at once: add its package to RACE or RACE_SOME of the Makefile",
				path)
		}
		return nil
	}))
	for dir := range alone {
		assert.True(t, used[dir] && !covers(race, dir) && !covers(some, dir), "%s needs no exception", dir)
	}
}
