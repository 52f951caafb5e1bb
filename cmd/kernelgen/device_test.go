package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/cuda"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/device"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/emit"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/machine"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/spirv"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/toolchain"
	"github.com/trackgen-go/trackgen/internal/required"
)

const module = "github.com/trackgen-go/trackgen"

// compilers returns the compilers. Where they are not installed it ends the test, as a failure if the environment asks
// for them.
func compilers(t *testing.T) *toolchain.Toolchain {
	t.Helper()
	tools, err := toolchain.Find()
	if errors.Is(err, toolchain.ErrMissing) {
		required.Skip(t, required.Tools, "%v", err)
	}
	require.NoError(t, err)
	return tools
}

func fileHash(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// TestManifests checks, without any compiler, that what was compiled came from the sources as they are.
func TestManifests(t *testing.T) {
	lanes := laneHashes(t)
	for _, dir := range kernelDirectories(t) {
		m, err := device.ReadManifest(filepath.Join(dir, "kernel_generated.json"))
		require.NoError(t, err)
		require.NotEmpty(t, m.Sources)
		require.NotEmpty(t, m.Tools)
		const advice = "%s has changed since the kernels were compiled: run make kernels"
		for _, s := range m.Sources {
			require.Equal(t, module, s.Module)
			require.Equal(t, s.SHA256, fileHash(t, filepath.Join("../..", filepath.FromSlash(s.File))), advice, s.File)
		}
		compiled := 0
		for _, o := range m.Outputs {
			require.Equal(t, o.SHA256, fileHash(t, filepath.Join("../..", filepath.FromSlash(o.File))), advice, o.File)
			if o.From == "" {
				continue
			}
			compiled++
			if strings.HasSuffix(o.File, machine.AssemblyFile) {
				require.Equal(t, o.From, lanes[m.Package], advice, o.File)
				delete(lanes, m.Package)
				continue
			}
			text := strings.NewReplacer(".spv", ".comp", ".ptx", ".cu").Replace(o.File)
			require.Equal(t, o.From, fileHash(t, filepath.Join("../..", filepath.FromSlash(text))), advice, text)
		}
		require.Positive(t, compiled)
	}
	require.Empty(t, lanes, "packages without their machine code: run make kernels")
}

// laneHashes returns the hashes of the kernels in lanes by the path of their package.
func laneHashes(t *testing.T) map[string]string {
	t.Helper()
	var patterns []string
	for _, dir := range kernelDirectories(t) {
		relative, err := filepath.Rel("../..", dir)
		require.NoError(t, err)
		patterns = append(patterns, "./"+filepath.ToSlash(relative))
	}
	program, err := source.Load("../..", patterns, nil)
	require.NoError(t, err)
	analysis := access.New(program)
	hashes := map[string]string{}
	for _, p := range program.Packages {
		hash, err := device.LanesHash(program, p, analysis)
		require.NoError(t, err)
		if hash != "" {
			hashes[p.Types.Path()] = hash
		}
	}
	return hashes
}

// TestCompilersAreThoseOfTheManifests says which compiler to install where generating again cannot give the same bytes.
func TestCompilersAreThoseOfTheManifests(t *testing.T) {
	tools := compilers(t)
	for _, dir := range kernelDirectories(t) {
		m, err := device.ReadManifest(filepath.Join(dir, "kernel_generated.json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		require.NoError(t, err)
		for program, version := range m.Tools {
			require.Equal(t, version, tools.Versions()[program], "the kernels of %s were compiled by another version", dir)
		}
	}
}

// devicePackage generates the device code of one package below testdata/accept into a module of its own. tools may be
// nil.
func devicePackage(
	t *testing.T, program *source.Program, p *source.Package, dir string, tools *toolchain.Toolchain,
) ([]emit.File, *emit.Device, error) {
	t.Helper()
	moved := *p
	moved.Dir, moved.ModuleDir = dir, dir
	return device.Package(program, &moved, access.New(program), device.Compilers{Devices: tools, Lanes: tools})
}

// TestAcceptedSourcesCompile compiles everything in testdata/accept: compilers accept the texts, the checks the
// results. One of them is compiled twice, which gives the same bytes; that the texts are the same from run to run,
// TestAccept shows for all.
func TestAcceptedSourcesCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles two dozen packages")
	}
	tools := compilers(t)
	program := accepted(t)
	for _, p := range program.Packages {
		t.Run(filepath.Base(p.Dir), func(t *testing.T) {
			t.Parallel()
			first, _, err := devicePackage(t, program, p, t.TempDir(), tools)
			require.NoError(t, err)
			if filepath.Base(p.Dir) != "bound" {
				return
			}
			second, _, err := devicePackage(t, program, p, t.TempDir(), tools)
			require.NoError(t, err)
			require.Len(t, second, len(first))
			for i := range first {
				require.Equal(t, filepath.Base(first[i].Path), filepath.Base(second[i].Path))
				require.True(t, bytes.Equal(first[i].Text, second[i].Text), "%s differs from run to run",
					filepath.Base(first[i].Path))
			}
		})
	}
}

// TestWithoutCompilers checks that what was compiled before is kept as long as its text is the same, and that files of
// kernels that are gone are removed.
func TestWithoutCompilers(t *testing.T) {
	tools := compilers(t)
	program := accepted(t)
	p := program.Packages[slices.IndexFunc(program.Packages, func(p *source.Package) bool {
		return p.Types.Name() == "access"
	})]
	dir := t.TempDir()
	files, made, err := devicePackage(t, program, p, dir, tools)
	require.NoError(t, err)
	for _, file := range files {
		require.NoError(t, file.Write())
	}

	again, kept, err := devicePackage(t, program, p, dir, nil)
	require.NoError(t, err)
	require.Equal(t, made.ModuleHash, kept.ModuleHash)
	require.Equal(t, files, again)

	one := *p
	one.Kernels = p.Kernels[:1]
	fewer, _, err := devicePackage(t, program, &one, dir, tools)
	require.NoError(t, err)
	var removed []string
	for _, file := range fewer {
		if file.Text == nil {
			removed = append(removed, filepath.Base(file.Path))
			require.NoError(t, file.Write())
			require.NoFileExists(t, file.Path)
		}
	}
	require.Equal(t, []string{"throughHelpers.comp", "throughHelpers.spv"}, removed)

	_, _, err = devicePackage(t, program, p, dir, nil)
	require.ErrorContains(t, err, "must be compiled anew")
}

// TestLargeShaderIsRefused checks the limit on SPIR-V, which drivers compile at the first launch.
func TestLargeShaderIsRefused(t *testing.T) {
	tools := compilers(t)
	var text strings.Builder
	text.WriteString("package large\n\n//kernel:thread\nfunc large(i int32, x []float32) {\n")
	for range 1400 {
		text.WriteString("\tx[i] = x[i] + 1\n")
	}
	text.WriteString("}\n")
	program, err := loadVocabulary(t).WithTexts(map[string][]byte{"/module/input.go": []byte(text.String())})
	require.NoError(t, err)
	_, _, err = devicePackage(t, program, program.Packages[0], t.TempDir(), tools)
	require.Regexp(t, `^/module/input.go:4:1: limit: large takes \d+ bytes of SPIR-V \(at most 131072: `, err.Error())
}

// TestPTXCheck checks what is found in PTX, by the instructions that a compiler would write.
func TestPTXCheck(t *testing.T) {
	entries := []cuda.Entry{{Name: "k_one"}, {Name: "k_two", LocalArrays: true}}
	ptx := func(body string) string {
		return ".global .align 4 .b8 table[8] = {1, 2};\n.visible .entry k_one(\n)\n{\n" + body +
			"\n}\n.visible .entry k_two(\n)\n{\n\t.local .align 4 .b8 \t__local_depot0[16];\n}\n"
	}
	for _, good := range []string{
		"\tadd.rn.f32 \t%f3, %f1, %f2;", "\tld.global.f32 \t%f1, [%rd1];", "\t// fma.rn.f32 is not here",
		"\tmov.u64 \t%rd1, table;\n\tadd.s64 \t%rd2, %rd1, 4;\n\tld.global.nc.u32 \t%r1, [%rd2];",
		"\tmax.f32 \t%f2, %f1, 0f3F800000;", "\tmin.s32 \t%r3, %r1, %r2;",
		"\tmax.f32 \t%f3, %f1, %f2;\n\tmax.f32 \t%f5, %f3, %f4;\n\tsetp.gt.f32 \t%p1, %f5, %f6;\n\tmov.f32 \t%f7, %f4;",
	} {
		require.NoError(t, cuda.Check(ptx(good), entries), good)
	}
	for _, bad := range []string{
		"\tfma.rn.f32 \t%f3, %f1, %f2, %f4;", "\t@%p1 fma.rn.f32 \t%f3, %f1, %f2, %f4;",
		"\tadd.rn.ftz.f32 \t%f3, %f1, %f2;",
		"\tsqrt.approx.f32 \t%f3, %f1;", "\tdiv.full.f32 \t%f3, %f1, %f2;", "\tld.global.nc.f32 \t%f1, [%rd9];",
		"\t.local .align 4 .b8 \t__local_depot0[16];", ".func (.param .b32 r) helper(",
		"\tmov.u64 \t%rd9, table;\n\tmov.u64 \t%rd9, %rd1;\n\tld.global.nc.f32 \t%f1, [%rd9];",
		"\texit;",
		"\tmin.f32 \t%f2, %f1, 0f00000000;\n\tst.global.f32 \t[%rd1], %f2;",
		"\tmax.f32 \t%f2, %f1, 0f80000000;\n\tadd.rn.f32 \t%f3, %f2, %f4;",
		"\tmin.f32 \t%f3, %f1, %f2;\n\tmov.f32 \t%f5, %f3;",
	} {
		require.Error(t, cuda.Check(ptx(bad), entries), bad)
	}
	require.ErrorContains(t, cuda.Check(ptx(""), append(entries, cuda.Entry{Name: "k_three"})), "k_three")
}

// TestExactShaders checks that no committed shader has a float operation that may be contracted, and that the pass adds
// what a compiler leaves out.
func TestExactShaders(t *testing.T) {
	shaders := 0
	for _, pattern := range []string{"../../shaders/*/*.spv", "../../backend/backendtest/shaders/*.spv"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, spirv.Verify(text), path)
			require.LessOrEqual(t, len(text), 128<<10, path)
			shaders++
		}
	}
	require.Greater(t, shaders, 30)

	tools := compilers(t)
	const header = "#version 450\nlayout(local_size_x = 1) in;\nlayout(std430, binding = 0) buffer B { float x[]; };\n"
	plain, err := tools.SPIRV(
		header + "void main() { x[0] = -x[1] * x[2] + x[3] / x[4] - mod(x[5], 1.0) * 0.0; }\n")
	require.NoError(t, err)
	_, err = spirv.Exact(plain)
	require.NoError(t, err)
	require.ErrorContains(t, spirv.Verify(plain), "may be contracted")
	loose, err := tools.SPIRV(header + "void main() { x[0] = sin(x[1]); }\n")
	require.NoError(t, err)
	_, err = spirv.Exact(loose)
	require.ErrorContains(t, err, "no exact meaning")
	forgotten, err := tools.SPIRV(header + "void main() { x[0] = float(max(int(x[1]), 7)); }\n")
	require.NoError(t, err)
	_, err = spirv.Exact(forgotten)
	require.ErrorContains(t, err, "SMax is wrong in loops of some drivers")
}

// TestCorrectedArithmetic compares the division and the square root that shaders fall back on with those of the host,
// in a program that its compiler makes of the GLSL: with the results that they begin with as they are, wrong by some
// units in the last place, and useless.
func TestCorrectedArithmetic(t *testing.T) {
	required.Program(t, "g++")
	text, err := os.ReadFile("../../backend/backendtest/shaders/arithmetic.comp")
	require.NoError(t, err)
	begin := bytes.Index(text, []byte("// Rounds a positive number"))
	end := bytes.Index(text, []byte("// arithmetic computes"))
	require.Positive(t, begin)
	require.Greater(t, end, begin)
	functions := strings.NewReplacer("layout(constant_id = 1) ", "", "layout(constant_id = 2) ", "",
		"layout(constant_id = 3) const", "static", "inout int ", "int &", "out int ", "int &",
		"const bool kg_native_division = true", "const bool kg_native_division = false",
		"const bool kg_native_sqrt = true", "const bool kg_native_sqrt = false").Replace(string(text[begin:end]))
	dir := t.TempDir()
	program := correctedPrologue + functions + correctedMain
	require.NoError(t, os.WriteFile(filepath.Join(dir, "test.cpp"), []byte(program), 0o600))
	build := exec.Command("g++", "-std=c++17", "-O2", "-ffp-contract=off", "-fwrapv", "test.cpp", "-o", "test")
	build.Dir = dir
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	output, err = exec.Command(filepath.Join(dir, "test")).CombinedOutput()
	require.NoError(t, err, string(output))
}

const correctedPrologue = `#include <cmath>
#include <cstdio>
#include <cstring>
typedef unsigned uint;
static uint floatBitsToUint(float x) { uint b; memcpy(&b, &x, 4); return b; }
static float uintBitsToFloat(uint b) { float x; memcpy(&x, &b, 4); return x; }
static int findMSB(uint x) { return x == 0 ? -1 : 31 - __builtin_clz(x); }
static int floatBitsToInt(float x) { return (int)floatBitsToUint(x); }
static void umulExtended(uint a, uint b, uint &high, uint &low) {
	unsigned long long product = (unsigned long long)a * b;
	high = (uint)(product >> 32);
	low = (uint)product;
}
static float kg_hidden(float x) { return x; }
static float native_sqrt(float x) { return __builtin_sqrtf(x); }
#define sqrt native_sqrt
`

const correctedMain = `
static unsigned long long state = 1;
static uint next() { state = state * 6364136223846793005ull + 1442695040888963407ull; return (uint)(state >> 32); }
static uint hard(uint r) { // often at the edges of exponent and mantissa
	uint b = next();
	switch (r & 7) {
	case 0: return b & 0x807fffffu;                // denormal or zero
	case 1: return b & 0x80000000u;                // zero
	case 2: return (b & 0x80000000u) | 0x7f800000u; // infinity
	case 3: return (b & 0x80ffffffu) | 0x3f000000u;
	case 4: return b & 0xff800003u;
	case 5: return b | 0x007ffff0u;
	}
	return b;
}
static bool same(float a, float b) { return floatBitsToUint(a) == floatBitsToUint(b) || (a != a && b != b); }
int main() {
	const int errors[] = {0, 0, 1, -1, 2, -2, 3, -3, 4, -4, 1 << 20, -(1 << 22), 1 << 30, -2147483647 - 1};
	for (int i = 0; i < 4000000; i++) {
		kg_seed_error = errors[i % 14];
		uint a = hard(next()), b = hard(next());
		float x = uintBitsToFloat(a), y = uintBitsToFloat(b);
		if (!same(kg_div(x, y), x / y)) { printf("%08x / %08x, error %d\n", a, b, kg_seed_error); return 1; }
		if (!same(kg_sqrt(x), native_sqrt(x))) { printf("root of %08x, error %d\n", a, kg_seed_error); return 1; }
	}
	return 0;
}
`

// TestLocalMemory compiles kernels in which whole structs go from one place to another while what they came from
// changes. None of them may be in memory: operators assign them field by field.
func TestLocalMemory(t *testing.T) {
	tools := compilers(t)
	const text = `package literal

import "github.com/trackgen-go/trackgen/kernel"

type row struct {
	values [4]kernel.Vec3
	rest   [4]kernel.Vec3
	count  int32
}

//kernel:group lanes=8
func literal(g kernel.Group, in []int32, out []float32) {
	var rows [32]row
	for i := range g.Each(32) {
		rows[i] = row{rest: [4]kernel.Vec3{rows[i].values[in[i]&3], 2: kernel.V3(float32(i), 1, 2)}, count: 3}
	}
	for i := range g.Each(32) {
		out[i] = rows[i].rest[in[i]&3].X
	}
}

//kernel:thread
func exchange(i int32, in []int32, pairs []kernel.Quat) {
	pairs[2*i+in[i]&1], pairs[2*i+1] = pairs[2*i+1], pairs[2*i+in[i]&1]
}

type pair struct {
	first, second kernel.Vec3
}

//kernel:group lanes=8
func shift(g kernel.Group, in, out []kernel.Vec3) {
	var pairs [32]pair
	for i := range g.Each(32) {
		pairs[i].first = in[i]
	}
	for i := range g.Each(32) {
		pairs[i] = pair{first: pairs[i].second.Sub(pairs[i].first), second: pairs[i].first}
	}
	for i := range g.Each(32) {
		out[i] = pairs[i].second
	}
}
`
	program, err := loadVocabulary(t).WithTexts(map[string][]byte{"/module/input.go": []byte(text)})
	require.NoError(t, err)
	texts, err := device.Translate(program, program.Packages[0], access.New(program))
	require.NoError(t, err)
	ptx, err := tools.PTX(texts.CUDA.Code)
	require.NoError(t, err)
	require.Zero(t, strings.Count(ptx, ".local "), "clang keeps a struct in memory")
}
