//go:build cgo && linux

package cuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// fakeLibrary compiles a shared library of C code.
func fakeLibrary(t *testing.T, code string) string {
	t.Helper()
	directory := t.TempDir()
	source, library := filepath.Join(directory, "fake.c"), filepath.Join(directory, libraryName)
	require.NoError(t, os.WriteFile(source, []byte(code), 0o600))
	text, err := exec.Command("gcc", "-shared", "-fPIC", "-o", library, source).CombinedOutput()
	require.NoError(t, err, string(text))
	return library
}

// stub is like the libcuda.so of the CUDA toolkit in lib64/stubs: every function returns CUDA_ERROR_STUB_LIBRARY.
const stub = `
int cuInit(unsigned flags) { return 34; }
int cuGetProcAddress_v2(const char *n, void **f, int v, unsigned long long g, int *s) { *f = 0; return 34; }
`

// lateStub finds all functions, each of which returns code.
const lateStub = `
#include <string.h>
static int fails() { return CODE; }
int cuGetProcAddress_v2(const char *n, void **f, int v, unsigned long long g, int *s) {
  *f = (void *)fails;
  return 0;
}
`

// incomplete lacks cuGraphAddNode.
const incomplete = `
#include <string.h>
static int works() { return 0; }
int cuGetProcAddress_v2(const char *n, void **f, int v, unsigned long long g, int *s) {
  *f = strcmp(n, "cuGraphAddNode") ? (void *)works : 0;
  return *f ? 0 : 500;
}
`

func lateStubOf(code string) string { return strings.ReplaceAll(lateStub, "CODE", code) }

// Each library that cannot be used is named with the reason, in the order of the search, and then those that do not
// exist.
func TestSearchNamesEverything(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	require.NoError(t, os.WriteFile(text, []byte("no library"), 0o600))
	e := start(t, 12020, 1)
	missing := filepath.Join(t.TempDir(), "absent", libraryName)
	tries := []struct{ path, reason string }{
		{"libtrackgen-no-such-library.so.1", "cannot open shared object file"},
		{text, "file too short"},
		{fakeLibrary(t, stub), "stub for linking"},
		{fakeLibrary(t, lateStubOf("34")), "cuInit failed with 34"},
		{fakeLibrary(t, incomplete), "it has no function cuGraphAddNode of CUDA 12.3"},
		{fakeLibrary(t, "int unrelated;"), "cuGetProcAddress_v2"},
		{fakeLibrary(t, lateStubOf("803")), "without a restart"},
		{e.Path, "of CUDA 12.3, the driver is of CUDA 12.2"},
		{"/nonexistent/other.so", "file does not exist"},
		{missing, ""},
	}
	var paths []string
	for _, try := range tries {
		paths = append(paths, try.path)
	}
	_, _, _, err := connect(paths)
	require.ErrorIs(t, err, backend.ErrUnavailable)
	rest := err.Error()
	for _, try := range tries[:len(tries)-1] {
		require.Equal(t, 1, strings.Count(rest, try.path), try.path)
		rest = rest[strings.Index(rest, try.path):]
		require.Contains(t, rest[:strings.Index(rest+";", ";")], try.reason)
	}
	require.Contains(t, rest, "; there is none in "+filepath.Dir(missing))
	require.ErrorIs(t, err, os.ErrNotExist)
	var failed *Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, codeStubLibrary, failed.Code)
}

// Two names of a library have one reason.
func TestSearchNamesReasonsOnce(t *testing.T) {
	path := fakeLibrary(t, lateStubOf("100"))
	again := filepath.Join(t.TempDir(), libraryName)
	require.NoError(t, os.Symlink(path, again))
	_, _, _, err := connect([]string{path, again})
	require.ErrorContains(t, err, path+" and "+again+": ")
	require.Equal(t, 1, strings.Count(err.Error(), advice[codeNoDevice]))
}

// A library that cannot be used does not keep the next one from being used.
func TestSearchContinues(t *testing.T) {
	e := start(t, 12080, 1)
	stub := fakeLibrary(t, stub)
	for _, before := range [][]string{{}, {stub}, {"/nonexistent/" + libraryName, stub, fakeLibrary(t, incomplete),
		fakeLibrary(t, lateStubOf("100")), fakeLibrary(t, lateStubOf("804"))}} {
		l, version, devices, err := connect(append(before, e.Path, stub))
		require.NoError(t, err)
		require.Equal(t, []any{e.Path, 12080, 1}, []any{l.path, version, devices})
	}
}

// TRACKGEN_LIBCUDA names the only library that is tried.
func TestNamedLibrary(t *testing.T) {
	path := fakeLibrary(t, stub)
	t.Setenv(libraryVariable, path)
	s, err := readSettings()
	require.NoError(t, err)
	require.Equal(t, []string{path}, s.libraries)
	_, err = driver{}.Open(0, backend.Options{})
	require.ErrorIs(t, err, backend.ErrUnavailable)
	require.ErrorContains(t, err, path+": it is a stub")
	require.NotContains(t, err.Error(), "/usr/lib/wsl")
}

// Without it, the dynamic linker's library comes first, then the documented directories.
func TestDefaultLibraries(t *testing.T) {
	t.Setenv(libraryVariable, "")
	s, err := readSettings()
	require.NoError(t, err)
	require.Equal(t, libraryName, s.libraries[0])
	document, err := os.ReadFile("../../docs/design/cuda.md")
	require.NoError(t, err)
	for _, processor := range []string{"amd64", "arm64"} {
		rest := string(document)
		for _, directory := range libraryDirectories(processor) {
			listed := "`" + strings.NewReplacer("x86_64", "TRIPLE", "aarch64", "TRIPLE").Replace(directory) + "`"
			listed = strings.ReplaceAll(listed, "TRIPLE-linux-gnu", "TRIPLE")
			require.Contains(t, rest, listed, "docs/design/cuda.md has not the same order")
			rest = rest[strings.Index(rest, listed):]
		}
	}
	require.Contains(t, s.libraries, "/usr/lib/wsl/lib/"+libraryName)
}
