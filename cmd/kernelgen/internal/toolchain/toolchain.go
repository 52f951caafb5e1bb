// Package toolchain runs the compilers that turn CUDA C into PTX and GLSL into SPIR-V.
package toolchain

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The programs, and the Debian packages that have them.
const (
	clang     = "clang-19"
	glslang   = "glslangValidator"
	validator = "spirv-val"
)

var packageOf = map[string]string{clang: "clang-19", glslang: "glslang-tools", validator: "spirv-tools"}

// ErrMissing is the cause of an error of Find: programs are not installed.
var ErrMissing = errors.New("not installed")

// Toolchain is the compilers of a machine.
type Toolchain struct {
	versions map[string]string
}

// Find looks the compilers up.
func Find() (*Toolchain, error) {
	t := &Toolchain{versions: map[string]string{}}
	var missing []string
	for _, program := range []string{clang, glslang, validator} {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, packageOf[program])
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("compilers %w: apt-get install %s", ErrMissing, strings.Join(missing, " "))
	}
	for _, program := range []string{clang, glslang} {
		output, err := exec.Command(program, "--version").Output()
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
	ptx, err := run(code, "kernels.cu", "kernels.ptx", clang,
		"-x", "cuda", "--cuda-device-only", "-S", "-O2", "-nocudainc", "-nocudalib", "-std=c++17", "-ffp-contract=off", "-fwrapv",
		"--cuda-gpu-arch=sm_70", "--cuda-feature=+ptx70", "-Wall", "-Wno-unused", "-Werror", "kernels.cu", "-o", "kernels.ptx")
	return string(ptx), err
}

// SPIRV compiles GLSL for Vulkan 1.1.
func (t *Toolchain) SPIRV(code string) ([]byte, error) {
	return run(code, "shader.comp", "shader.spv", glslang, "-V", "--target-env", "vulkan1.1", "-g0", "--quiet", "shader.comp", "-o", "shader.spv")
}

// Validate checks a SPIR-V module.
func (t *Toolchain) Validate(module []byte) error {
	_, err := run(string(module), "shader.spv", "", validator, "--target-env", "vulkan1.1", "shader.spv")
	return err
}

// run runs a program in a directory that holds one file, and returns the file that it writes.
func run(input, inputName, outputName, program string, arguments ...string) (output []byte, err error) {
	dir, err := os.MkdirTemp("", "kernelgen-*")
	if err != nil {
		return nil, fmt.Errorf("compiling: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.WriteFile(filepath.Join(dir, inputName), []byte(input), 0o600); err != nil {
		return nil, fmt.Errorf("compiling: %w", err)
	}
	command := exec.Command(program, arguments...)
	command.Dir = dir
	var messages bytes.Buffer
	command.Stdout, command.Stderr = &messages, &messages
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", program, err, bytes.TrimSpace(messages.Bytes()))
	}
	if outputName == "" {
		return nil, nil
	}
	output, err = os.ReadFile(filepath.Join(dir, outputName))
	if err != nil {
		return nil, fmt.Errorf("%s wrote nothing: %w", program, err)
	}
	return output, nil
}
