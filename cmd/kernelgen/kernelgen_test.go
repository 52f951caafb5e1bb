package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/check"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/device"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/emit"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/lanes"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/internal/required"
)

var updateExpected = flag.Bool("update", false, "write the expected outputs of testdata/accept")

// accepted loads the packages of testdata/accept.
func accepted(t *testing.T) *source.Program {
	t.Helper()
	program, err := source.Load(".", []string{"./testdata/accept/..."}, nil)
	require.NoError(t, err)
	directories, err := filepath.Glob("testdata/accept/*")
	require.NoError(t, err)
	require.NotEmpty(t, directories)
	require.Len(t, program.Packages, len(directories))
	return program
}

// TestAccept generates each package of testdata/accept and compares with the files that lie there: the Go files under
// the names that kernelgen gives them, CUDA C as expected.cu, the shader of kernel NAME as expected_NAME.comp, and the
// kernels in lanes as expected_lanes.txt.
func TestAccept(t *testing.T) {
	program := accepted(t)
	files, err := translate(program, hostOnly)
	require.NoError(t, err)
	require.Len(t, files, 2*len(program.Packages))
	for _, p := range program.Packages {
		texts, err := device.Translate(program, p, access.New(program))
		require.NoError(t, err)
		files = append(files, emit.File{Path: filepath.Join(p.Dir, "expected.cu"), Text: []byte(texts.CUDA.Code)})
		for _, shader := range texts.Shaders {
			name := "expected_" + shader.Kernel.Object.Name() + ".comp"
			files = append(files, emit.File{Path: filepath.Join(p.Dir, name), Text: []byte(shader.Code)})
		}
		files = append(files, emit.File{Path: filepath.Join(p.Dir, "expected_lanes.txt"), Text: inLanes(t, program, p)})
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file.Path)) + "/" + filepath.Base(file.Path)
		t.Run(name, func(t *testing.T) {
			require.NotNil(t, file.Text, "no kernel was found")
			if *updateExpected {
				require.NoError(t, file.Write())
			}
			expected, err := os.ReadFile(file.Path)
			require.NoError(t, err)
			require.Equal(t, string(expected), string(file.Text))
		})
	}
}

// inLanes returns the kernels of a package in lanes, without what they have in common.
func inLanes(t *testing.T, program *source.Program, p *source.Package) []byte {
	t.Helper()
	var all bytes.Buffer
	for _, k := range p.Kernels {
		text, problem, err := lanes.Translate(program, k, access.New(program))
		require.NoError(t, err)
		require.Nil(t, problem)
		fmt.Fprintf(&all, "// Kernel %s\n\n%s", k.Object.Name(), text.Body)
	}
	return bytes.ReplaceAll(all.Bytes(), []byte("\n\n\n"), []byte("\n\n"))
}

// want is a diagnostic that a comment of a source asks for.
type want struct {
	pattern *regexp.Regexp
	found   bool
}

var (
	wantQuoted = regexp.MustCompile(`"[^"]*"`)
	wantBelow  = regexp.MustCompile(`^\+(\d+) `)
)

// wants reads the comments `// want "regular expression" ...` of a file by line.
func wants(t *testing.T, path string) map[int][]*want {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
	require.NoError(t, err)
	found := map[int][]*want{}
	for _, group := range file.Comments {
		for _, comment := range group.List {
			text, ok := strings.CutPrefix(comment.Text, "// want ")
			if !ok {
				continue
			}
			line := fset.Position(comment.Pos()).Line
			if below := wantBelow.FindStringSubmatch(text); below != nil { // a directive has the rest of its line to itself
				lines, err := strconv.Atoi(below[1])
				require.NoError(t, err)
				line += lines
			}
			for _, quoted := range wantQuoted.FindAllString(text, -1) {
				pattern, err := strconv.Unquote(quoted)
				require.NoError(t, err)
				found[line] = append(found[line], &want{pattern: regexp.MustCompile("^(" + pattern + ")")})
			}
		}
	}
	return found
}

// documented is the names of the rules.
var documented = func() []string {
	var list []string
	for _, r := range rules {
		list = append(list, r.name)
	}
	return list
}()

// TestRefuse checks that each package of testdata/refuse is refused with just the diagnostics that its comments want.
func TestRefuse(t *testing.T) {
	paths, err := filepath.Glob("testdata/refuse/*/input.go")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
			t.Parallel()
			absolute, err := filepath.Abs(path)
			require.NoError(t, err)
			expected := map[string]map[int][]*want{absolute: wants(t, path)} // by file
			_, err = generate(".", []string{"./" + filepath.Dir(path)}, nil)
			var diagnostics source.Diagnostics
			require.True(t, errors.As(err, &diagnostics), "%v", err)
			for _, d := range diagnostics {
				require.Contains(t, documented, d.Rule)
				text := d.Rule + ": " + d.Message
				if expected[d.Position.Filename] == nil {
					expected[d.Position.Filename] = wants(t, d.Position.Filename) // a helper of another package
				}
				line := expected[d.Position.Filename][d.Position.Line]
				i := slices.IndexFunc(line, func(w *want) bool { return !w.found && w.pattern.MatchString(text) })
				if i < 0 {
					t.Errorf("unexpected: %s", d)
					continue
				}
				require.Contains(t, d.Message, "(", "%s says not what is allowed", d)
				line[i].found = true
			}
			for file, lines := range expected {
				for line, list := range lines {
					for _, w := range list {
						if !w.found {
							t.Errorf("%s:%d: nothing reported that matches %s", file, line, w.pattern)
						}
					}
				}
			}
		})
	}
}

// kernelDirectories returns the directories of the repository that hold kernel sources, testdata apart.
func kernelDirectories(t *testing.T) []string {
	t.Helper()
	var directories []string
	err := filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && (name == "testdata" || strings.HasPrefix(name, ".") && name != ".." && name != ".") {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); entry.IsDir() && err == nil &&
			filepath.Clean(path) != filepath.Join("..", "..") {
			return filepath.SkipDir // a module of its own
		}
		if entry.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") ||
			name == source.LauncherFile || name == source.TwinFile || name == source.LanesFile {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.Contains(text, []byte("\n//kernel:thread")) || bytes.Contains(text, []byte("\n//kernel:group")) {
			directories = append(directories, filepath.Dir(path))
		}
		return nil
	})
	require.NoError(t, err)
	return slices.Compact(directories)
}

// TestRepositoryIsCurrent checks that the kernels of the repository are accepted and that what is generated from them
// is up to date. The machine code of a fourth of the packages is compiled, and TestRepositoryIsCurrentSlow compiles
// all.
func TestRepositoryIsCurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles all kernels; TestManifests compares the hashes of what was compiled")
	}
	requireRepository(t, func(path string) bool {
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(path))
		return hash.Sum32()%4 != 0
	})
}

// requireRepository requires that all generated files of the repository are up to date.
func requireRepository(t *testing.T, reuse func(path string) bool) {
	t.Helper()
	directories := kernelDirectories(t)
	require.NotEmpty(t, directories)
	for i, directory := range directories {
		relative, err := filepath.Rel("../..", directory)
		require.NoError(t, err)
		directories[i] = "./" + filepath.ToSlash(relative)
	}
	requireCurrent(t, "../..", directories, reuse)
}

// TestLoopsHaveBounds checks that every kernel of packages kernels says how many iterations its loops make, so that a
// dry run shows it and devices that end long loops refuse the launch. That the bounds hold is checked by the twins.
func TestLoopsHaveBounds(t *testing.T) {
	program, err := source.Load("../..", []string{"./kernels/..."}, nil)
	require.NoError(t, err)
	bounded := 0
	for _, p := range program.Packages {
		for _, k := range p.Kernels {
			stated := k.Iterations("items", "args") != ""
			require.Equal(t, loops(program, k.Function), stated, "%s.%s", p.Types.Path(), k.Object.Name())
			if stated {
				bounded++
			}
		}
	}
	require.Greater(t, bounded, 20)
}

// loops says whether a function, or one that it calls, has a loop.
func loops(program *source.Program, f *source.Function) bool {
	found := false
	ast.Inspect(f.Declaration, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			found = true
		case *ast.CallExpr:
			if callee := program.Function(source.Callee(f.Info, n)); callee != nil && !callee.Vocabulary() {
				found = found || loops(program, callee)
			}
		}
		return !found
	})
	return found
}

// requireCurrent checks that the generated files of packages are up to date: byte by byte, or where no compilers are
// installed by the hashes of what was compiled.
func requireCurrent(t *testing.T, dir string, patterns []string, reuse func(path string) bool) {
	t.Helper()
	if required.On(required.Tools) {
		compilers(t)
	}
	files, err := generate(dir, patterns, reuse)
	require.NoError(t, err)
	for _, file := range files {
		current, err := file.Current()
		require.NoError(t, err)
		require.True(t, current, "%s is out of date: run make kernels", file.Path)
	}
}

// TestExample checks the module of examples/kernels, whose kernels are not of this module, and runs its tests.
func TestExample(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the kernels of another module")
	}
	const dir = "../../examples/kernels"
	requireCurrent(t, dir, []string{"."}, nil)
	test := exec.Command("go", "test", "./...")
	test.Dir = dir
	output, err := test.CombinedOutput()
	require.NoError(t, err, string(output))
}

// TestVocabulary holds package kernel to the kernel language: its functions are translated like those of any helper.
func TestVocabulary(t *testing.T) {
	program, err := source.Load("../..", []string{"./kernel"}, nil)
	require.NoError(t, err)
	var functions []*source.Function
	for f := range program.Functions() {
		file := filepath.Base(program.Fset.Position(f.Declaration.Pos()).Filename)
		host := file == "def.go" || strings.HasPrefix(file, "lanes") ||
			ast.IsExported(f.Object.Name()) && f.Object.Signature().TypeParams() != nil
		if f.Vocabulary() && !source.IsIntrinsic(f.Object) && !host && f.Object.Name() != "Each" {
			functions = append(functions, f)
		}
	}
	require.Greater(t, len(functions), 30)
	diagnostics := check.Functions(program, access.New(program), functions)
	require.Empty(t, diagnostics, "%v", diagnostics)
}

// TestCommandLine runs the command as a user does.
func TestCommandLine(t *testing.T) {
	command := func(arguments ...string) (code int, stdout, stderr string) {
		var out, err bytes.Buffer
		code = run(arguments, &out, &err)
		return code, out.String(), err.String()
	}
	t.Run("help", func(t *testing.T) {
		code, stdout, stderr := command("--help")
		require.Equal(t, exitDone, code)
		require.Contains(t, stdout, "Usage: kernelgen [-check] [packages]")
		require.Empty(t, stderr)
	})
	t.Run("rules", func(t *testing.T) {
		code, stdout, _ := command("-rules")
		require.Equal(t, exitDone, code)
		require.Regexp(t, `(?m)^product +a float product stands in`, stdout)
	})
	t.Run("unknown flag", func(t *testing.T) {
		code, _, stderr := command("-nosuch")
		require.Equal(t, exitUsage, code)
		require.Contains(t, stderr, "nosuch")
	})
	t.Run("unknown package", func(t *testing.T) {
		code, _, stderr := command("./nosuch")
		require.Equal(t, exitRefused, code)
		require.Contains(t, stderr, "nosuch")
	})
	t.Run("refused", func(t *testing.T) {
		code, _, stderr := command("./testdata/refuse/product")
		require.Equal(t, exitRefused, code)
		require.Regexp(t, `(?m)^testdata/refuse/product/input.go:\d+:\d+: product: `, stderr)
		require.NoFileExists(t, "testdata/refuse/product/"+source.LauncherFile)
	})
	t.Run("current", func(t *testing.T) {
		code, _, stderr := command("-check", "./internal/mutants")
		require.Equal(t, exitDone, code, stderr)
	})
}

// TestHostileSources checks that sources which the go command or the parser refuses or replaces are refused at a file
// and line, and that a line directive does not hide where a source lies.
func TestHostileSources(t *testing.T) {
	dir, err := os.MkdirTemp("testdata", "hostile") // in this module, which has the vocabulary
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	const kernel = "//kernel:thread\nfunc one(i int32, x []int32) { x[i] = 1 }\n"
	for name, test := range map[string]struct{ text, want string }{
		"zero byte": {"package user\n\x00" + kernel, `kernels.go:1: load: .*unexpected NUL`},
		"excluded": {"//go:build never\n\npackage user\n" + kernel,
			`kernels.go:1: load: build constraints exclude all`},
		"garbage":   {"package user\n}{\n" + kernel, `kernels.go:2:1: load: expected declaration`},
		"cgo":       {"package user\n\nimport \"C\"\n" + kernel, `kernels.go:3:8: load: cgo in a package of kernels`},
		"bad UTF-8": {"package user\n// \xff\n" + kernel, `kernels.go:2:4: load: illegal UTF-8`},
		"too deep": {
			"package user\n" + strings.Replace(kernel, "= 1", "= "+strings.Repeat("(", 1e5)+"1", 1),
			`kernels.go:3:\d+: load: exceeded max nesting depth`,
		},
		"method expression": {
			"package user\n\ntype t int32\n\nfunc (a t) f(b int32) {}\n\n" +
				strings.Replace(kernel, "x[i] = 1", "t.f(1, 2)", 1),
			`kernels.go:8:\d+: call: `,
		},
		"line directive": {"package user\n//line /nowhere/other.go:9\n" + kernel, ""},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "kernels.go"), []byte(test.text), 0o600))
			if test.want == "" {
				compilers(t)
			}
			_, err := generate(".", []string{"./" + dir}, nil)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			requireDiagnostics(t, err)
			require.Regexp(t, test.want, err.Error())
			require.NotRegexp(t, `(?m)^-`, err.Error())
		})
	}
}

// TestStaleFiles checks that missing, stale and broken generated files do not stand in the way, and that files which
// kernelgen did not write are left alone.
func TestStaleFiles(t *testing.T) {
	dir, err := os.MkdirTemp("testdata", "stale") // in this module, which has the vocabulary
	require.NoError(t, err)
	dir, err = filepath.Abs(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("kernels.go", `//kernel:nodevice
package user

import _ "github.com/trackgen-go/trackgen/kernel"

//kernel:thread
func one(i int32, x []int32) { x[i] = 1 }

//kernel:thread
func seven(i int32, a, b, c, d, e, f, x []int32) { x[i] = 1 }

var all = Defs

func use() {
	_ = OneDef
	Seven(nil, 1, SevenArgs{})
}
`)
	t.Chdir(dir)
	for name, text := range map[string]string{
		"missing": "",
		"stale":   source.Header + "\n\npackage user\n\nvar OneDef, Gone = missing.Name, 1\n",
		"broken":  source.Header + "\n\npackage",
		"cut":     source.Header + "\n\npackage user\n\nimport (\n\t\"example.com/no",
	} {
		t.Run(name, func(t *testing.T) {
			if text != "" {
				write(source.LauncherFile, text)
				write(source.TwinFile, text)
			}
			var out, errs bytes.Buffer
			require.Equal(t, exitRefused, run([]string{"-check"}, &out, &errs), errs.String())
			require.Contains(t, errs.String(), "out of date")
			require.Equal(t, exitDone, run(nil, &out, &errs), errs.String())
			require.Equal(t, exitDone, run([]string{"-check"}, &out, &errs), errs.String())
			require.NoError(t, errors.Join(os.Remove(source.LauncherFile), os.Remove(source.TwinFile)))
		})
	}
	t.Run("foreign", func(t *testing.T) {
		write(source.LauncherFile, "package user\n")
		var out, errs bytes.Buffer
		require.Equal(t, exitUsage, run(nil, &out, &errs))
		require.Contains(t, errs.String(), "was not written by kernelgen")
		text, err := os.ReadFile(source.LauncherFile)
		require.NoError(t, err)
		require.Equal(t, "package user\n", string(text))
		require.NoError(t, os.Remove(source.LauncherFile))
	})
	t.Run("no kernels left", func(t *testing.T) {
		var out, errs bytes.Buffer
		require.Equal(t, exitDone, run(nil, &out, &errs), errs.String())
		write("kernels.go", "package user\n")
		require.Equal(t, exitDone, run(nil, &out, &errs), errs.String())
		require.NoFileExists(t, source.LauncherFile)
	})
}
