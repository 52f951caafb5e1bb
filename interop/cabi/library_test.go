//go:build cgo

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/internal/required"
)

// built is the library of this checkout.
var built struct {
	once      sync.Once
	directory string
	err       error
	output    []byte
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.directory != "" {
		if err := os.RemoveAll(built.directory); err != nil {
			code = 1
		}
	}
	os.Exit(code)
}

// library builds the library once and returns its folder.
func library(t testing.TB) string {
	t.Helper()
	required.Program(t, "gcc")
	built.once.Do(func() {
		built.directory, built.err = os.MkdirTemp("", "trackgen-library")
		if built.err != nil {
			return
		}
		built.output, built.err = exec.Command("../../scripts/library.sh", built.directory).CombinedOutput()
	})
	require.NoError(t, built.err, "%s", built.output)
	return built.directory
}

// compile compiles a C program with the library and returns its path.
func compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	return compileWith(t, library(t), source, flags...)
}

// compileWith is compile with the library in a folder.
func compileWith(t testing.TB, directory, source string, flags ...string) string {
	t.Helper()
	for _, file := range []string{source, "testdata/check.h", "testdata/driver.h", "trackgen.map",
		"../../scripts/library.sh"} {
		_, err := os.ReadFile(file) // go test does not take the result of a test from its cache if such a file has changed
		require.NoError(t, err)
	}
	program := filepath.Join(t.TempDir(), "program")
	arguments := []string{"-std=c99", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-I" + directory, source,
		"-L" + directory, "-ltrackgen", "-Wl,-rpath," + directory, "-o", program}
	output, err := exec.Command("gcc", append(arguments, flags...)...).CombinedOutput()
	require.NoError(t, err, "%s", output)
	return program
}

// execute runs a program and returns what it prints.
func execute(t *testing.T, program string, arguments ...string) string {
	t.Helper()
	command := exec.Command(program, arguments...)
	command.Dir = t.TempDir()
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}

// declared lists the functions of the header with the comment before each.
func declared(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("trackgen.h")
	require.NoError(t, err)
	comment := regexp.MustCompile(`(?s)/\*(.*?)\*/\s*(?:int32_t|const char \*|void) ?(tg_\w+)\(`)
	functions := make(map[string]string)
	for _, found := range regexp.MustCompile(`(?m)^(?:int32_t|const char \*|void) ?(tg_\w+)\(`).FindAllSubmatch(text, -1) {
		functions[string(found[1])] = ""
	}
	for _, found := range comment.FindAllSubmatch(text, -1) {
		functions[string(found[2])] = string(found[1])
	}
	return functions
}

// Each function of the header has a comment that begins with its name.
func TestFunctionsAreDocumented(t *testing.T) {
	functions := declared(t)
	assert.Greater(t, len(functions), 30)
	for name, comment := range functions {
		text := comment[strings.LastIndex(comment, "/*")+1:]
		assert.True(t, strings.HasPrefix(strings.TrimSpace(strings.Trim(text, "/* ")), name), "%s: %q", name, text)
	}
}

// The functions of the header, and nothing else, are visible in the library.
func TestSymbols(t *testing.T) {
	output, err := exec.Command("nm", "-D", "--defined-only", filepath.Join(library(t), "libtrackgen.so")).Output()
	require.NoError(t, err)
	functions := declared(t)
	for line := range bytes.Lines(output) {
		fields := strings.Fields(string(line))
		name, _, _ := strings.Cut(fields[len(fields)-1], "@")
		if name == "TRACKGEN_1" {
			continue // the version of the symbols
		}
		_, known := functions[name]
		assert.True(t, known, "%s is not in the header", name)
		delete(functions, name)
	}
	assert.Empty(t, functions, "not in the library")
}

// The header is valid C of 1999 and C++ of 2017 by itself.
func TestHeaderCompiles(t *testing.T) {
	for _, language := range [][]string{{"gcc", "-x", "c", "-std=c99"}, {"g++", "-x", "c++", "-std=c++17"}} {
		required.Program(t, language[0])
		arguments := append(language[1:], "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "trackgen.h")
		output, err := exec.Command(language[0], arguments...).CombinedOutput()
		assert.NoError(t, err, "%s", output)
	}
}

// The example of the documentation works.
func TestExample(t *testing.T) {
	output := execute(t, compile(t, "../../examples/c/tracks.c"))
	assert.Regexp(t, `^center \[64, \d+, 3\]\n( +-?\d\.\d{4}){3}\n`, output)
}

// The programs in C check what the library says and does: see the comment of each.
func TestPrograms(t *testing.T) {
	for _, name := range programs {
		t.Run(name, func(t *testing.T) {
			program := compile(t, "testdata/"+name+".c", "-std=gnu11", "-fsanitize=address,undefined")
			assert.Empty(t, execute(t, program))
		})
	}
}

// programs are those of testdata that need nothing but a CPU.
var programs = []string{"errors", "lifetime", "threads", "stress", "drive", "fork"}

// A Vulkan device, which has no addresses, makes the same tracks as the CPU: see testdata/devices.c.
func TestVulkanFromC(t *testing.T) {
	device, err := backend.Open("vulkan:0")
	if err != nil {
		required.Skip(t, required.Vulkan, "there is no Vulkan: %v", err)
	}
	require.NoError(t, device.Close())
	assert.Empty(t, execute(t, compile(t, "testdata/devices.c", "-std=gnu11"), "vulkan:0"))
}
