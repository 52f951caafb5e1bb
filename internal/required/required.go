// Package required says what a test does without something that it needs and that a machine may not have: it is
// skipped with the reason, or it fails if an environment variable says that this machine has everything. make sets the
// variables where it installs what the tests need.
package required

import (
	"cmp"
	"os"
	"os/exec"
	"testing"
)

const (
	// Vulkan is the variable of tests that need a Vulkan driver.
	Vulkan = "TRACKGEN_REQUIRE_VULKAN"
	// Tools is the variable of tests that need compilers and other programs.
	Tools = "TRACKGEN_REQUIRE_KERNEL_TOOLS"
)

// On reports whether a variable is set, so that nothing that it stands for may be missing.
func On(variable string) bool { return os.Getenv(variable) == "1" }

// Skip ends a test that lacks something: it is skipped, or fails if the variable is 1. format says what is missing.
func Skip(tb testing.TB, variable, format string, args ...any) {
	tb.Helper()
	if On(variable) {
		tb.Fatalf(variable+"=1, and "+format, args...)
	}
	tb.Skipf("NOT TESTED: "+format, args...)
}

// packages has the packages of Debian whose names are not those of their programs.
var packages = map[string]string{"glslangValidator": "glslang-tools", "man": "man-db", "spirv-val": "spirv-tools"}

// Program returns the path of a program. Without the program the test ends as in Skip.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Skip(tb, Tools, "%s is not installed (Debian: %s)", name, cmp.Or(packages[name], name))
	}
	return path
}

// NumPy runs a Python script with arguments and returns its output. Without NumPy the test is skipped, except if
// TRACKGEN_PYTHON names an interpreter, which then must have NumPy; make sets it.
func NumPy(tb testing.TB, script string, args ...string) string {
	tb.Helper()
	interpreter, named := os.LookupEnv("TRACKGEN_PYTHON")
	if !named {
		interpreter = "python3"
	}
	if err := exec.Command(interpreter, "-c", "import numpy").Run(); err != nil {
		if named {
			tb.Fatalf("TRACKGEN_PYTHON=%s has no NumPy: %v", interpreter, err)
		}
		tb.Skip("NOT TESTED: python3 with NumPy is needed (Debian: python3-numpy)")
	}
	out, err := exec.Command(interpreter, append([]string{"-c", script}, args...)...).CombinedOutput()
	if err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return string(out)
}
