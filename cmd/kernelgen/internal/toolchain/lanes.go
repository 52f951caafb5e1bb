package toolchain

import (
	"regexp"
	"strings"
)

// vectorFlags are the flags of every step from C++ to machine code for processors with AVX2. Products and sums stay
// apart, and the stack, which Go aligns to 8 bytes only, is not aligned again.
var vectorFlags = []string{
	"--target=x86_64-unknown-linux-gnu", "-O3", "-mavx2", "-mpopcnt", "-mno-fma", "-ffp-contract=off", "-fPIC",
	"-mstack-alignment=8", "-mno-red-zone", "-mllvm", "-enable-shrink-wrap=false",
}

// laneFlags are those of C++ only. No loop becomes a call of memset or memcpy, which the code cannot reach.
var laneFlags = []string{
	"-std=c++17", "-DKG_PRESERVE_NONE", "-nostdinc", "-fno-builtin", "-fno-strict-aliasing", "-fwrapv",
	"-fno-math-errno", "-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables", "-fno-stack-protector",
	"-fomit-frame-pointer", "-fno-ident", "-fbracket-depth=1024", "-fno-caret-diagnostics",
}

// FindLanes looks up what the machine code of kernels in lanes needs, which is clang alone.
func FindLanes() (*Toolchain, error) { return find([]string{clang}) }

// LanesRecipe returns how C++ becomes machine code. With the same compiler and the same recipe, a text gives the same
// bytes.
func LanesRecipe() string {
	return strings.Join(vectorFlags, " ") + " " + strings.Join(laneFlags, " ") + " O3 align 8, no-realign-stack"
}

var (
	llvmAttributes = regexp.MustCompile(`(?m)^attributes #\d+ = \{`)
	llvmAlignment  = regexp.MustCompile(`\balign (16|32|64|128)\b`)
)

// VectorAssembly compiles C++ for eight lanes to the assembly of a processor with AVX2. Between the steps LLVM's text
// is changed. The code must not align the stack, for which C++ has no attribute. So no variable is more aligned than
// the stack, although C++ and LLVM's passes align vectors to their size.
func (t *Toolchain) VectorAssembly(code string) (string, error) {
	arguments := append(append([]string{}, vectorFlags...), laneFlags...)
	arguments = append(arguments, "-Wno-everything")
	for _, warning := range warnings {
		arguments = append(arguments, "-Werror="+warning)
	}
	arguments = append(arguments, "-Wno-sign-conversion", "-S", "-emit-llvm", "lanes.cpp", "-o", "lanes.ll")
	module, err := t.run(code, "lanes.cpp", "lanes.ll", clang, arguments...)
	if err != nil {
		return "", err
	}
	unaligned := llvmAlignment.ReplaceAllString(string(module), "align 8")
	unaligned = llvmAttributes.ReplaceAllString(unaligned, `$0 "no-realign-stack"`)
	assembly, err := t.run(unaligned, "lanes.ll", "lanes.s", clang, append(append([]string{}, vectorFlags...),
		"-Xclang", "-disable-llvm-passes", "-fno-addrsig", "-S", "lanes.ll", "-o", "lanes.s")...)
	return string(assembly), err
}

// Object assembles text for amd64 and returns an object in the format ELF.
func (t *Toolchain) Object(assembly string) ([]byte, error) {
	return t.run(assembly, "lanes.s", "lanes.o", clang, "--target=x86_64-unknown-linux-gnu", "-c", "lanes.s", "-o",
		"lanes.o")
}
