package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/device"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/machine"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/toolchain"
	"github.com/trackgen-go/trackgen/internal/required"
)

// everyStatement has a number of its own on each line that generates code, by which the line is found again.
const everyStatement = `package every

import "github.com/trackgen-go/trackgen/kernel"

type pair struct{ a, b int32 }

// helper has a comment
// of two lines.
func helper(x []int32, k int32) (int32, bool) {
	if k > 1001 {
		return 1002, true
	} else if k > 1003 {
		x[0] = 1004
	} else {
		x[1] = 1005
	}
	return 1006, k == 1007
}

//kernel:group lanes=16
//kernel:unproven
func every(g kernel.Group, n int32, out []int32, u []uint32) {
	var first [1199]int32
	var second [2][1102]pair
	k := n + 1103
	k += 1104
	for k > 1105 {
		k -= 1106
	}
	if m := k + 1107; m > 1108 {
		k = 1109
	}
	for i := range g.Each(1110) {
		var own [3]int32
		a, ok := helper(own[:], 1111)
		a, k2 := k+1112, a+1113
		own[1], own[2] = 1114, a
		switch a {
		case 1115:
			own[0] = 1116
		default:
			own[0] = 1117
		}
		switch {
		case ok && a > 1118:
			u[0] = 1119
		case k2 > 1120:
			u[1] = 1121
		default:
			u[2] = 1122
		}
		for b := int32(1123); b < 1124; b += 1125 {
			continue
		}
		for b, c := int32(1126), int32(1127); b < c; b, c = b+1128, c-1129 {
			if b == 1130 {
				break
			}
		}
		for c := range n - 1131 {
			c += 1132
			out[i] = c
		}
		first[0] = 1133
		second[0][0] = pair{1134, a}
		out[i] = own[0] +
			own[1]
		helper(
			own[:], 1136)
		kernel.AtomicMax(out, 0, 1137)
	}
	if first[1138] > 1139 {
		k = 1140
	} else if first[1] > 1141 {
		k = 1142
	}
	switch second[0][1].a {
	case 1143:
		k = 1144
	}
	switch {
	case first[3] > 1145:
		for range g.Each(1146) {
			out[4] = 1147
		}
	case first[3] > 1148:
		k = 1149
	default:
		k = 1150
	}
}

//kernel:thread
//kernel:unproven
func thread(i int32, out []int32) {
	out[i], out[1201] = 1202, 1203
	helper(out, 1204)
}
`

var marker = regexp.MustCompile(`\b1(00|1\d|20)\d\b`)

// everyProgram returns the program of everyStatement, in a directory of its own.
func everyProgram(t *testing.T) (*source.Program, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input.go")
	require.NoError(t, os.WriteFile(path, []byte(everyStatement), 0o600))
	program, err := loadVocabulary(t).WithTexts(map[string][]byte{path: []byte(everyStatement)})
	require.NoError(t, err)
	_, err = translate(program, hostOnly)
	require.NoError(t, err)
	return program, path
}

// lineOf returns the line of a text that holds another.
func lineOf(t *testing.T, text, part string) int {
	t.Helper()
	before, _, found := strings.Cut(text, part)
	require.True(t, found, part)
	return strings.Count(before, "\n") + 1
}

// TestOrigins checks that each line of the generated code, in both languages, is known by the line of Go that it came
// from.
func TestOrigins(t *testing.T) {
	program, path := everyProgram(t)
	texts, err := device.Translate(program, program.Packages[0], access.New(program))
	require.NoError(t, err)
	all := []clike.Text{texts.CUDA.Text}
	for _, shader := range texts.Shaders {
		all = append(all, shader.Text)
	}
	for _, text := range all {
		found := map[string]bool{}
		for number, line := range strings.Split(text.Code, "\n") {
			for _, mark := range marker.FindAllString(line, -1) {
				found[mark] = true
				origin := program.Fset.Position(text.Origin(number + 1))
				require.Equal(t, path, origin.Filename, "%s: %s", mark, line)
				want := lineOf(t, everyStatement, mark)
				if mark == "1136" {
					want-- // the statement begins on the line before
				}
				require.Equal(t, want, origin.Line, "%s: %s", mark, line)
			}
		}
		require.Greater(t, len(found), 3)
		require.False(t, text.Origin(1).IsValid(), "the header comes from nowhere")
		require.False(t, text.Origin(0).IsValid())
		require.False(t, text.Origin(strings.Count(text.Code, "\n")+2).IsValid())
	}
}

// fakeTools puts programs that run a shell script in the place of the compilers.
func fakeTools(t *testing.T, scripts map[string]string) *toolchain.Toolchain {
	t.Helper()
	dir := t.TempDir()
	for _, program := range []string{"clang-19", "glslangValidator", "spirv-val"} {
		script, ok := scripts[program]
		if !ok {
			script = "exec " + required.Program(t, program) + ` "$@"`
		}
		text := "#!/bin/sh\nif [ \"$1\" = --version ]; then echo fake; exit 0; fi\n" + script + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, program), []byte(text), 0o700))
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	tools, err := toolchain.Find()
	require.NoError(t, err)
	return tools
}

// TestToolFailures checks that whatever a compiler does wrong is reported at the statement that its message is about,
// or where there is none at a kernel.
func TestToolFailures(t *testing.T) {
	compilers(t)
	program, path := everyProgram(t)
	p := program.Packages[0]
	texts, err := device.Translate(program, p, access.New(program))
	require.NoError(t, err)
	inCUDA := func(number string) int { return lineOf(t, texts.CUDA.Code, number) }
	inGLSL := func(number string) int { return lineOf(t, texts.Shaders[0].Code, number) }
	at := func(text string) string {
		return fmt.Sprintf(`%s:%d:\d+: tool: `, regexp.QuoteMeta(path), lineOf(t, everyStatement, text))
	}
	atEvery, atThread := at("func every("), at("func thread(")
	for name, test := range map[string]struct {
		program, script string
		want            []string // regular expressions, one a diagnostic
		refused         bool     // the compiler refused the code
	}{
		"clang errors": {
			program: "clang-19",
			script: fmt.Sprintf(`echo 'kernels.cu:%d:7: error: no such thing [-Werror,-Wthing]' >&2
				echo 'kernels.cu:9:1: note: here' >&2
				echo 'kernels.cu:%d:1: fatal error: give up' >&2
				exit 1`, inCUDA("1119"), inCUDA("1203")),
			want: []string{
				at("1119") + `clang-19: no such thing \[-Werror,-Wthing\] \(line \d+ of kernel_generated.cu\)$`,
				at("1203") + `clang-19: give up \(line \d+ of kernel_generated.cu\)$`,
			},
			refused: true,
		},
		"clang in the prelude": {
			program: "clang-19", script: "echo 'kernels.cu:5:7: error: no such thing' >&2; exit 1",
			want: []string{atEvery + `clang-19: no such thing \(line 5 of kernel_generated.cu\)$`}, refused: true,
		},
		"clang without a line": {
			program: "clang-19", script: "echo 'clang: error: unsupported option' >&2; exit 1",
			want: []string{atEvery +
				`compiling kernel_generated.cu: clang-19: exit status 1\nclang: error: unsupported`},
			refused: true,
		},
		"clang is killed": {
			program: "clang-19", script: "kill -9 $$",
			want: []string{atEvery + `compiling kernel_generated.cu: clang-19: signal: killed$`},
		},
		"clang writes nothing": {
			program: "clang-19", script: "exit 0",
			want: []string{atEvery + `compiling kernel_generated.cu: clang-19: it wrote nothing: .*no such file`},
		},
		"clang writes other code": {
			program: "clang-19",
			script: `printf '.visible .entry k_every()\n{\n}\n.visible .entry k_thread()\n{\n' > kernels.ptx
				printf 'fma.rn.f32 %%f1, %%f2, %%f3, %%f4;\n}\n' >> kernels.ptx
				touch kernels.ll`,
			want:    []string{atThread + `compiling kernel_generated.cu: line \d+ of the PTX: a fused multiply-add`},
			refused: true,
		},
		"glslang errors": {
			program: "glslangValidator",
			script: fmt.Sprintf(`grep -q 1119 shader.comp || exec false
				echo "ERROR: shader.comp:%d: '[' :  array index out of range '5'"
				echo "ERROR: shader.comp:%d: '' : compilation terminated "
				echo 'ERROR: 2 compilation errors.'
				exit 2`, inGLSL("1122"), inGLSL("1122")),
			want: []string{
				at("1122") + `glslangValidator: '\[' :  array index out of range '5' \(line \d+ of every.comp\)$`,
				atThread + `compiling thread.comp: glslangValidator: exit status 1$`,
			},
			refused: true,
		},
		"glslang writes no module": {
			program: "glslangValidator", script: "echo x > shader.spv",
			want: []string{atEvery + `compiling every.comp: `, atThread + `compiling thread.comp: `}, refused: true,
		},
		"spirv-val refuses": {
			program: "spirv-val", script: "echo 'error: line 12: OpFoo is not allowed' >&2; exit 1",
			want: []string{
				atEvery + `compiling every.comp: spirv-val: exit status 1\nerror: line 12: OpFoo is not allowed$`,
				atThread + `compiling thread.comp: spirv-val: exit status 1\nerror: line 12: OpFoo is not allowed$`,
			},
			refused: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tools := fakeTools(t, map[string]string{test.program: test.script})
			_, _, err := devicePackage(t, program, p, t.TempDir(), tools)
			var refused source.Diagnostics
			require.ErrorAs(t, err, &refused)
			require.Len(t, refused, len(test.want), "%v", refused)
			for i, want := range test.want {
				require.Regexp(t, "(?s)^"+want, refused[i].String())
				require.Contains(t, documented, refused[i].Rule)
			}
			want := exitUsage
			if test.refused {
				want = exitRefused
			}
			require.Equal(t, want, exitCode(refused))
		})
	}
}

// TestMissingCompilers checks what is said where code must be compiled and the compilers are not installed.
func TestMissingCompilers(t *testing.T) {
	program, path := everyProgram(t)
	goTool, err := exec.LookPath("go")
	require.NoError(t, err)
	t.Setenv("PATH", filepath.Dir(goTool))
	if _, err := toolchain.Find(); err == nil {
		t.Skip("the compilers lie beside the go command")
	}
	_, _, err = devicePackage(t, program, program.Packages[0], t.TempDir(), nil)
	require.ErrorIs(t, err, toolchain.ErrMissing)
	var refused source.Diagnostics
	require.ErrorAs(t, err, &refused)
	require.Equal(t, exitUsage, exitCode(refused))
	require.Len(t, refused, 3) // the PTX and two shaders
	for _, d := range refused {
		require.Equal(t, path, d.Position.Filename)
		require.Regexp(t, `^compiling \S+: \S+ must be compiled anew: compilers not installed: apt-get install .* `+
			`or write //kernel:nodevice above the package clause`, d.Message)
	}
}

// TestMissingCompilersOnTheCommandLine checks what is said once for all kernels, and that it is true.
func TestMissingCompilersOnTheCommandLine(t *testing.T) {
	goTool, err := exec.LookPath("go")
	require.NoError(t, err)
	t.Setenv("PATH", filepath.Dir(goTool))
	if _, err := toolchain.Find(); err == nil {
		t.Skip("the compilers lie beside the go command")
	}
	dir, err := os.MkdirTemp("testdata", "tool") // in this module, which has the vocabulary
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	path := filepath.Join(dir, "kernels.go")
	require.NoError(t, os.WriteFile(path, []byte(everyStatement), 0o600))
	var out, errs bytes.Buffer
	require.Equal(t, exitUsage, run([]string{"./" + dir}, &out, &errs))
	require.Equal(t, 1, strings.Count(errs.String(), withoutCompilers), errs.String())
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)

	require.NoError(t, os.WriteFile(path, []byte("//kernel:nodevice\n"+everyStatement), 0o600))
	errs.Reset()
	require.Equal(t, exitDone, run([]string{"./" + dir}, &out, &errs), errs.String())
	require.FileExists(t, filepath.Join(dir, "kernel_generated.go"))
	require.NoFileExists(t, filepath.Join(dir, "kernel_generated.cu"))
	require.NoFileExists(t, filepath.Join(dir, machine.AssemblyFile))
	require.Regexp(t, `kernels.go:\d+:6: warning: tool: on a CPU the kernels of \S+ run in Go, one item at a time: `+
		`compilers not installed: apt-get install clang-19\n`, errs.String())
	require.NotContains(t, errs.String(), "nothing is written")
}

// A kernel whose machine code is refused runs in Go, beside one of the same package that has some. kernelgen says so at
// the kernel, and ends well. The compiler here puts a call into one of them.
func TestKernelsThatStayInGo(t *testing.T) {
	if _, err := toolchain.FindLanes(); err != nil {
		required.Skip(t, required.Tools, "%v", err)
	}
	clang, err := exec.LookPath("clang-19")
	require.NoError(t, err)
	tools := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(tools, "clang-19"), []byte("#!/bin/sh\n"+clang+` "$@" || exit
if [ -f lanes.s ] && grep -q '^.*\.long.*0x4640e400' lanes.s; then
	sed -i '0,/^\.LBB0_[0-9]*:/s//&\n\tcallq\tmemset@PLT/' lanes.s
fi
`), 0o700))
	t.Setenv("PATH", tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	dir, err := os.MkdirTemp("testdata", "tool") // in this module, which has the vocabulary
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kernels.go"), []byte(`//kernel:nodevice
package user

import _ "github.com/trackgen-go/trackgen/kernel"

//kernel:thread
func plain(i int32, x []float32) { x[i] += 2 }

//kernel:thread
func called(i int32, x []float32) { x[i] += 12345 }
`), 0o600))
	var out, errs bytes.Buffer
	require.Equal(t, exitDone, run([]string{"./" + dir}, &out, &errs), errs.String())
	require.Regexp(t, `^\S+kernels.go:10:6: warning: \S+: .*the code has a call .*"callq memset@PLT" `+
		`\(it runs in Go on a CPU\)\n$`, errs.String())
	declared, err := os.ReadFile(filepath.Join(dir, machine.GoFile))
	require.NoError(t, err)
	require.Contains(t, string(declared), "PlainDef.Vector = plainVector")
	require.NotContains(t, string(declared), "CalledDef")
}

// TestToolFailureOnTheCommandLine checks the exit codes and that nothing is written.
func TestToolFailureOnTheCommandLine(t *testing.T) {
	compilers(t)
	dir, err := os.MkdirTemp("testdata", "tool") // in this module, which has the vocabulary
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "kernels.go"), []byte(everyStatement), 0o600))
	for script, want := range map[string]int{
		"echo 'kernels.cu:5:7: error: no such thing'; exit 1": exitRefused,
		"kill -9 $$": exitUsage,
	} {
		fakeTools(t, map[string]string{"clang-19": script})
		var out, errs bytes.Buffer
		require.Equal(t, want, run([]string{"./" + dir}, &out, &errs), errs.String())
		require.Regexp(t, `^testdata/tool\d+/kernels.go:\d+:\d+: tool: `, errs.String())
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1)
	}
}

// TestWarningsAreErrors checks that clang refuses what would be a mistake of the translation, and nothing that is
// only odd.
func TestWarningsAreErrors(t *testing.T) {
	tools := compilers(t)
	const frame = "__attribute__((global)) void k(int *x, float *y, unsigned *u, bool *b, int n, float f) { %s }\n"
	for _, good := range []string{
		"if (x[0] == x[0]) { x[0] = 1; }", "b[0] = !b[0] || b[0];", "n = n; x[0] = n;", "if (u[0] >= 0u) { x[0] = 1; }",
		"if ((n > 5) && (n < 3)) { x[0] = 1; }", "if ((n & 8) == 4) { x[0] = 1; }", "switch (3) { case 4: x[0] = 1; }",
		"for (int i = 0; n < 3; ) { x[i] = 1; if (x[0] > 2) { break; } }", "return; x[0] = 1;", "x[0] = x[0] - x[0];",
		"while (b[0]) { }", "int unused = 1;",
	} {
		_, err := tools.PTX(fmt.Sprintf(frame, good))
		require.NoError(t, err, good)
	}
	for warning, bad := range map[string]string{
		"uninitialized": "int i; x[0] = i;", "sometimes-uninitialized": "int i; if (n > 3) { i = 1; } x[0] = i;",
		"implicit-float-conversion": "y[0] = 1.5 * n;",
		"double-promotion":          "b[0] = f < 1.5;", "float-conversion": "x[0] = f;",
		"implicit-const-int-float-conversion": "y[0] = 2147483647;", "sign-compare": "if (n < u[0]) { x[0] = 1; }",
		"shift-count-overflow": "u[0] = u[0] << 32;",
		"implicit-fallthrough": "switch (n) { case 1: x[0] = 1; case 2: x[0] = 2; }",
		"shadow":               "int i = 1; { int i = 2; x[0] = i; } x[1] = i;", "unused-comparison": "x[0] == 1;",
		"unused-value":           "n + 1;",
		"logical-op-parentheses": "b[0] = b[1] || b[2] && b[3];", "shift-op-parentheses": "u[0] = u[1] << 1 + 2;",
		"division-by-zero": "x[0] = n / 0;", "array-bounds": "int a[2] = {}; x[0] = a[3];",
		"unsequenced": "n = n++ + n; x[0] = n;",
	} {
		_, err := tools.PTX(fmt.Sprintf(frame, bad))
		var failure *toolchain.Error
		require.ErrorAs(t, err, &failure, warning)
		require.Len(t, failure.Messages, 1, "%v", err)
		require.Equal(t, 1, failure.Messages[0].Line)
		require.Contains(t, failure.Messages[0].Text, "-W"+warning)
	}
	_, err := tools.PTX("static int f(int n) { if (n > 3) { return 1; } }\n")
	require.ErrorContains(t, err, "-Wreturn-type")
	require.True(t, errors.As(err, new(*toolchain.Error)))
}
