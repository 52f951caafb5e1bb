package hostrun

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/clike"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/lanes"
	"github.com/trackgen-go/trackgen/internal/required"
)

// Vectors is the compiler of kernels in lanes, and the flags that give the bits of Go.
var Vectors = []string{"clang-19", "-std=c++17", "-O3", "-ffp-contract=off", "-fno-strict-aliasing", "-fwrapv",
	"-fno-math-errno", "-fno-exceptions", "-fno-rtti", "-Wno-psabi"}

// AVX2 are the flags of processors with vectors of eight words.
var AVX2 = []string{"-mavx2", "-mno-fma"}

// BuildLanes compiles kernels in lanes, with flags after those of Vectors, and starts a program that runs them. It ends
// with the test. The objects stay in a directory, in the user's cache if that is "".
func BuildLanes(t testing.TB, dir string, texts []*lanes.Text, flags ...string) *Runner {
	t.Helper()
	required.Program(t, Vectors[0])
	required.Program(t, compiler)
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			cache = os.TempDir()
		}
		dir = filepath.Join(cache, "trackgen", "lanes")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	objects, failures := make([]string, len(texts)), make([]error, len(texts))
	var wait sync.WaitGroup
	processors := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, text := range texts {
		wait.Go(func() {
			processors <- struct{}{}
			defer func() { <-processors }()
			objects[i], failures[i] = object(dir, text, flags)
		})
	}
	wait.Wait()
	for _, err := range failures {
		if err != nil {
			t.Fatal(err)
		}
	}
	program, err := link(dir, objects, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return start(t, program)
}

// object compiles one kernel.
func object(dir string, text *lanes.Text, flags []string) (string, error) {
	code := text.Code + adapter(text)
	arguments := append(append([]string{}, Vectors[1:]...), flags...)
	hash := sha256.New()
	fmt.Fprintln(hash, arguments, code)
	made := filepath.Join(dir, hex.EncodeToString(hash.Sum(nil)[:16])+".o")
	if _, err := os.Stat(made); err == nil {
		return made, nil
	}
	temporary, err := os.MkdirTemp(dir, "build-")
	if err != nil {
		return "", fmt.Errorf("compiling %s: %w", text.Kernel.Object.Name(), err)
	}
	defer func() { _ = os.RemoveAll(temporary) }()
	path, built := filepath.Join(temporary, "kernel.cpp"), filepath.Join(temporary, "kernel.o")
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		return "", fmt.Errorf("compiling %s: %w", text.Kernel.Object.Name(), err)
	}
	name := clike.Identifier(text.Kernel.Object.Name())
	arguments = append(arguments, "-Dkg_entry=kg_entry_"+name, "-c", path, "-o", built)
	if output, err := exec.Command(Vectors[0], arguments...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling %s in lanes: %w\n%s", text.Kernel.Object.Name(), err, output)
	}
	return made, os.Rename(built, made)
}

// link links objects with the runner.
func link(dir string, objects []string, temporary string) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, objects)
	hash.Write(runnerSource)
	made := filepath.Join(dir, hex.EncodeToString(hash.Sum(nil)[:16]))
	if _, err := os.Stat(made); err == nil {
		return made, nil
	}
	runner, built := filepath.Join(temporary, "runner.cpp"), filepath.Join(temporary, "runner")
	empty := filepath.Join(temporary, "empty.cpp")
	for path, text := range map[string][]byte{runner: runnerSource, empty: nil} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return "", fmt.Errorf("linking kernels in lanes: %w", err)
		}
	}
	arguments := append([]string{"-O1", "-rdynamic", fmt.Sprintf("-DKERNELS=%q", empty), runner}, objects...)
	arguments = append(arguments, "-o", built, "-ldl")
	if output, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s %v: %w\n%s", compiler, arguments, err, output)
	}
	return made, os.Rename(built, made)
}

// adapter returns a function that the runner calls like one of the CUDA C. The scratch memory is aligned to a word, and
// what it holds before and after are no zeros.
func adapter(text *lanes.Text) string {
	var w strings.Builder
	name := clike.Identifier(text.Kernel.Object.Name())
	fmt.Fprintf(&w, "\nextern \"C\" void k_%s_host(int first, void **arguments) {\n"+
		"\tstatic int scratch[%d];\n\tfor (int &word : scratch) word = 0x7fc12345;\n"+
		"\tkg_args args = {};\n", name, text.Scratch/4+3)
	next, buffer, scalar := 1, 0, 0
	for _, param := range text.Kernel.Params {
		if !param.Buffer {
			fmt.Fprintf(&w, "\targs.scalars[%d].u = *(unsigned *)arguments[%d];\n", scalar, next)
			scalar++
			next++
			continue
		}
		fmt.Fprintf(&w, "\targs.buffers[%d].data = *(void **)arguments[%d];\n"+
			"\targs.buffers[%[1]d].len = *(int *)arguments[%[3]d];\n", buffer, next, next+1)
		buffer++
		next += 2
	}
	fmt.Fprintf(&w, "\tkg_entry(&args, first, *(int *)arguments[0], scratch + 1);\n}\n")
	return w.String()
}
