// Package toolchain runs the compilers that turn CUDA C into PTX and GLSL into SPIR-V.
package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The programs, and the Debian packages that have them.
// Clang is the program that compiles CUDA C, and C++ for lanes.
const Clang = "clang-19"

const (
	clang     = Clang
	glslang   = "glslangValidator"
	validator = "spirv-val"
)

var packageOf = map[string]string{clang: "clang-19", glslang: "glslang-tools", validator: "spirv-tools"}

// ErrMissing is the cause of an error of Find: programs are not installed.
var ErrMissing = errors.New("not installed")

// timeLimit is the longest that a compiler may run. The largest kernel takes seconds.
const timeLimit = 5 * time.Minute

// warnings are the warnings of clang that are errors, because each betrays a mistake of the translation. All others are
// off, so that what a programmer may mean is not refused: comparisons that are always true, a variable assigned to
// itself, a loop whose condition does not change, a switch on a constant.
var warnings = []string{
	// A value of another type than in Go.
	"conversion", "double-promotion", "sign-compare", "literal-range",
	// A variable without its zero value, a function without its result, a case that runs into the next.
	"uninitialized", "sometimes-uninitialized", "conditional-uninitialized", "return-type", "implicit-fallthrough",
	// An operation that Go evaluates or refuses, and C leaves undefined.
	"shift-count-overflow", "shift-count-negative", "shift-overflow", "integer-overflow",
	"division-by-zero", "array-bounds", "unsequenced", "infinite-recursion",
	// Parentheses that are missing, and two objects under one name.
	"logical-op-parentheses", "logical-not-parentheses", "bitwise-op-parentheses", "shift-op-parentheses",
	"dangling-else",
	"empty-body", "shadow",
	// An operation whose result is lost.
	"unused-value", "unused-comparison",
	"unknown-warning-option",
}

// Toolchain is the compilers of a machine.
type Toolchain struct {
	versions  map[string]string
	timeLimit time.Duration
}

// Find looks the compilers up.
func Find() (*Toolchain, error) { return find([]string{clang, glslang, validator}) }

// find looks programs up, and asks those whose output depends on their version for it.
func find(programs []string) (*Toolchain, error) {
	t := &Toolchain{versions: map[string]string{}, timeLimit: timeLimit}
	var missing []string
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, packageOf[program])
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("compilers %w: apt-get install %s", ErrMissing, strings.Join(missing, " "))
	}
	for _, program := range programs {
		if program == validator {
			continue
		}
		limited, cancel := context.WithTimeout(context.Background(), timeLimit)
		output, err := exec.CommandContext(limited, program, "--version").Output()
		cancel()
		if err != nil {
			return nil, fmt.Errorf("asking %s for its version: %w", program, err)
		}
		first, _, _ := strings.Cut(string(output), "\n")
		t.versions[program] = strings.TrimSpace(first)
	}
	return t, nil
}

// Versions returns the versions of the compilers whose output depends on them, by program.
func (t *Toolchain) Versions() map[string]string { return t.versions }

// PTX compiles CUDA C. The result depends on the code alone: no path, no date.
func (t *Toolchain) PTX(code string) (string, error) {
	arguments := []string{
		"-x", "cuda", "--cuda-device-only", "-S", "-emit-llvm", "-O2", "-nocudainc", "-nocudalib", "-std=c++17",
		"-ffp-contract=off", "-fwrapv",
		"--cuda-gpu-arch=sm_70", "--cuda-feature=+ptx70", "-fno-caret-diagnostics", "-Wno-everything",
		"-fbracket-depth=1024", // more than a source that kernelgen accepts takes
	}
	for _, warning := range warnings {
		arguments = append(arguments, "-Werror="+warning)
	}
	arguments = append(arguments, "-Wno-sign-conversion") // of the numbers of lanes, which are int, to those of items
	module, err := t.run(code, "kernels.cu", "kernels.ll", clang, append(arguments, "kernels.cu", "-o", "kernels.ll")...)
	if err != nil {
		return "", err
	}
	ptx, err := t.run(keepThreads(keepZeros(string(module))), "kernels.ll", "kernels.ptx", clang,
		"-x", "ir", "--target=nvptx64-nvidia-cuda", "-S", "-O2", "-Xclang", "-disable-llvm-passes",
		"-Xclang", "-target-cpu", "-Xclang", "sm_70", "-Xclang", "-target-feature", "-Xclang", "+ptx70",
		"kernels.ll", "-o", "kernels.ptx")
	return string(ptx), err
}

// SPIRV compiles GLSL for Vulkan 1.1.
func (t *Toolchain) SPIRV(code string) ([]byte, error) {
	return t.run(code, "shader.comp", "shader.spv", glslang,
		"-V", "--target-env", "vulkan1.1", "-g0", "--quiet", "shader.comp", "-o", "shader.spv")
}

// Validate checks a SPIR-V module.
func (t *Toolchain) Validate(module []byte) error {
	_, err := t.run(string(module), "shader.spv", "", validator, "--target-env", "vulkan1.1", "shader.spv")
	return err
}

// run runs a program in a directory that holds one file, and returns the file that it writes.
func (t *Toolchain) run(input, inputName, outputName, program string, arguments ...string) (output []byte, err error) {
	dir, err := os.MkdirTemp("", "kernelgen-*")
	if err != nil {
		return nil, fmt.Errorf("compiling: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, inputName), []byte(input), 0o600); err != nil {
		return nil, fmt.Errorf("compiling: %w", err)
	}
	said, err := t.command(dir, inputName, program, arguments)
	if err != nil || outputName == "" {
		return nil, err
	}
	output, err = os.ReadFile(filepath.Join(dir, outputName))
	if err != nil {
		return nil, &Error{Program: program, Output: said, Err: fmt.Errorf("it wrote nothing: %w", err)}
	}
	return output, nil
}

// command runs a program in a directory and returns what it says. The error is an *Error with the program's messages
// about the lines of its input.
func (t *Toolchain) command(dir, input, program string, arguments []string) (said string, err error) {
	limited, cancel := context.WithTimeout(context.Background(), t.timeLimit)
	defer cancel()
	command := exec.CommandContext(limited, program, arguments...)
	command.Dir = dir
	command.WaitDelay = time.Second // for what it started itself
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	err = command.Run()
	said = strings.TrimSpace(output.String())
	if err == nil {
		return said, nil
	}
	if limited.Err() != nil {
		err = fmt.Errorf("stopped after %v: %w", t.timeLimit, limited.Err())
	}
	return "", &Error{Program: program, Messages: messages(input, said), Output: said, Err: err}
}
