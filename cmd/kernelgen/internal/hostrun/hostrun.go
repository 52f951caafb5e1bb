// Package hostrun runs generated CUDA C on the host and compares it with the Go functions of the kernels, for tests.
package hostrun

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernel"
)

//go:embed testdata/runner.cpp
var runnerSource []byte

// Exact are the flags that C++ needs to give the bits of Go. g++ 12 takes x*x >= 0 for true where it threads jumps,
// also for a NaN.
var Exact = []string{"-O2", "-ffp-contract=off", "-fno-strict-aliasing", "-fwrapv", "-fno-math-errno",
	"-fno-thread-jumps"}

// Runner is a process that runs the kernels of one CUDA C file.
type Runner struct {
	mutex   sync.Mutex
	program string
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
	errors  bytes.Buffer
	broken  error
}

// Build compiles a CUDA C file for the host, with flags after those of Exact, and starts the program. It ends with the
// test. The program stays in the user's cache.
func Build(t testing.TB, code string, flags ...string) *Runner {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return BuildIn(t, filepath.Join(cache, "trackgen", "hostrun"), code, flags...)
}

// BuildIn is Build with the directory where the program stays.
func BuildIn(t testing.TB, dir, code string, flags ...string) *Runner {
	t.Helper()
	required.Program(t, compiler)
	program, err := build(dir, code, flags)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, program)
}

// Flushing starts the program once more, with the flags of the processor that make denormals zeros, as operands and as
// results. ok is false where the processor has none. It ends with the test.
func (r *Runner) Flushing(t testing.TB) (flushing *Runner, ok bool) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		return nil, false
	}
	return start(t, r.program, "flush"), true
}

// start starts a program that build made.
func start(t testing.TB, program string, arguments ...string) *Runner {
	t.Helper()
	r := &Runner{program: program, command: exec.Command(program, arguments...)}
	var err error
	if r.input, err = r.command.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	pipe, err := r.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	r.output = bufio.NewReaderSize(pipe, 1<<20)
	r.command.Stderr = &r.errors
	if err := r.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if r.broken != nil {
			return // reported, and waited for
		}
		_ = r.input.Close()
		if err := r.command.Wait(); err != nil {
			t.Errorf("the kernels on the host: %v\n%s", err, r.errors.Bytes())
		}
	})
	return r
}

const compiler = "g++"

// build returns the program. It lies in a directory if the same program was built there before.
func build(cache, code string, flags []string) (string, error) {
	code, err := filepath.Abs(code)
	if err != nil {
		return "", fmt.Errorf("building %s: %w", code, err)
	}
	text, err := os.ReadFile(code)
	if err != nil {
		return "", fmt.Errorf("building %s: %w", code, err)
	}
	arguments := append(append([]string{"-std=c++17", "-Wall", "-Wno-unused", "-rdynamic"}, Exact...), flags...)
	hash := sha256.New()
	fmt.Fprintln(hash, arguments)
	if processor, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		_, features, _ := bytes.Cut(processor, []byte("\nflags"))
		features, _, _ = bytes.Cut(features, []byte("\n"))
		hash.Write(features) // -march=native is of this processor
	}
	hash.Write(runnerSource)
	hash.Write(text)
	program := filepath.Join(cache, hex.EncodeToString(hash.Sum(nil)[:16]))
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	if err := os.MkdirAll(filepath.Dir(program), 0o700); err != nil {
		return "", fmt.Errorf("building %s: %w", code, err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(program), "build-")
	if err != nil {
		return "", fmt.Errorf("building %s: %w", code, err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	runner, made := filepath.Join(dir, "runner.cpp"), filepath.Join(dir, "runner")
	if err := os.WriteFile(runner, runnerSource, 0o600); err != nil {
		return "", fmt.Errorf("building %s: %w", code, err)
	}
	arguments = append(arguments, fmt.Sprintf("-DKERNELS=%q", code), runner, "-o", made, "-ldl")
	if output, err := exec.Command(compiler, arguments...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s %v: %w\n%s", compiler, arguments, err, output)
	}
	if err := os.Rename(made, program); err != nil { // at once: another process may be looking for it
		return "", fmt.Errorf("building %s: %w", code, err)
	}
	return program, nil
}

// Run runs the items from first to last of a kernel and leaves the results in buffers, in the order of its parameters.
func (r *Runner) Run(def *kernel.Def, first, last int32, buffers [][]byte, scalars []uint32) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.broken != nil {
		return r.broken
	}
	if err := r.exchange(def, first, last, buffers, scalars); err != nil {
		_ = r.input.Close()
		r.broken = fmt.Errorf("running %s on the host: %w", def.Name,
			errors.Join(err, r.command.Wait(), errors.New(r.errors.String())))
		return r.broken
	}
	return nil
}

func (r *Runner) exchange(def *kernel.Def, first, last int32, buffers [][]byte, scalars []uint32) error {
	var request []byte
	word := func(w uint32) { request = binary.NativeEndian.AppendUint32(request, w) }
	word(uint32(len(def.Entry)))
	request = append(request, def.Entry...)
	word(uint32(first))
	word(uint32(1 + len(def.Params)))
	word(0)
	word(uint32(last))
	nextBuffer, nextScalar := 0, 0
	for _, param := range def.Params {
		if !param.Buffer {
			word(0)
			word(scalars[nextScalar])
			nextScalar++
			continue
		}
		data := buffers[nextBuffer]
		nextBuffer++
		word(1)
		word(uint32(int64(len(data)) / param.Type.Size()))
		word(uint32(len(data)))
		request = append(request, data...)
	}
	if _, err := r.input.Write(request); err != nil {
		return fmt.Errorf("sending a request: %w", err)
	}
	for _, data := range buffers {
		if _, err := io.ReadFull(r.output, data); err != nil {
			return fmt.Errorf("reading an answer: %w", err)
		}
	}
	return nil
}

// Difference is the first element that the host's C gives other bits than Go.
type Difference struct {
	Kernel  string
	Param   string
	Element int
	Word    int // of the element
	Go, C   uint32
}

// Error says what differs.
func (d *Difference) Error() string {
	return fmt.Sprintf("%s: %s[%d] word %d is %#08x in Go and %#08x in C", d.Kernel, d.Param, d.Element, d.Word, d.Go,
		d.C)
}

// Compare makes every later run of a kernel's Go function run the C as well, until the test ends, and reports
// differences to t. It returns a counter of the runs. No kernel of the process may be running.
func Compare(t testing.TB, r *Runner, def *kernel.Def) (runs *int) {
	original, vector := def.Go, def.Vector
	def.Vector = nil     // else the CPU would not run the Go function
	var mutex sync.Mutex // one run at a time: the copy is consistent
	runs = new(int)
	def.Go = func(first, last int32, args *kernel.Args) {
		mutex.Lock()
		defer mutex.Unlock()
		*runs++
		if err := r.Against(original, def, first, last, args); err != nil {
			t.Errorf("items %d to %d: %v", first, last, err)
		}
	}
	t.Cleanup(func() { def.Go, def.Vector = original, vector })
	return runs
}

// Disturb runs a kernel's Go function once more before each later run, until the test ends. The extra run has a copy of
// the memory in which some floats are hard ones (NaN, infinities, denormals, zeros, huge numbers). After Compare, both
// runs are compared.
func Disturb(t testing.TB, def *kernel.Def, hard []float32) {
	original, vector := def.Go, def.Vector
	def.Vector = nil // else the CPU would not run the Go function
	random := rand.New(rand.NewPCG(1, 2))
	var mutex sync.Mutex
	def.Go = func(first, last int32, args *kernel.Args) {
		mutex.Lock()
		defer mutex.Unlock()
		disturbed := *args
		i := 0
		for _, param := range def.Params {
			if !param.Buffer {
				continue
			}
			if b := args.Buffers[i]; b.Len > 0 {
				words := int64(b.Len) * param.Type.Size() / 4
				copied := slices.Clone(unsafe.Slice((*float32)(b.Data), words))
				for k := range copied {
					if param.Type != kernel.Int32 && param.Type != kernel.Uint32 && random.IntN(40) == 0 {
						copied[k] = hard[random.IntN(len(hard))]
					}
				}
				disturbed.Buffers[i].Data = unsafe.Pointer(unsafe.SliceData(copied))
			}
			i++
		}
		original(first, last, &disturbed)
		original(first, last, args)
	}
	t.Cleanup(func() { def.Go, def.Vector = original, vector })
}

// Against runs the items from first to last of a kernel in Go, and in C on a copy of the same memory. The error is a
// *Difference if the results differ. Two computed NaNs are equal whatever their bits.
func (r *Runner) Against(
	function func(first, last int32, args *kernel.Args), def *kernel.Def, first, last int32, args *kernel.Args,
) error {
	copies := snapshot(def, args)
	function(first, last, args)
	if err := r.Run(def, first, last, copies, args.Scalars[:]); err != nil {
		return err
	}
	return compare(def, snapshot(def, args), copies)
}

// snapshot copies the buffers of a launch.
func snapshot(def *kernel.Def, args *kernel.Args) [][]byte {
	var copies [][]byte
	for _, param := range def.Params {
		if !param.Buffer {
			continue
		}
		b := args.Buffers[len(copies)]
		copies = append(copies, bytes.Clone(unsafe.Slice((*byte)(b.Data), int64(b.Len)*param.Type.Size())))
	}
	return copies
}

func compare(def *kernel.Def, want, got [][]byte) error {
	i := 0
	for _, param := range def.Params {
		if !param.Buffer {
			continue
		}
		if !bytes.Equal(want[i], got[i]) {
			for word := 0; word < len(want[i])/4; word++ {
				g, c := binary.NativeEndian.Uint32(want[i][4*word:]), binary.NativeEndian.Uint32(got[i][4*word:])
				integer := param.Type == kernel.Int32 || param.Type == kernel.Uint32
				if g != c && (integer || g&0x7fffffff <= 0x7f800000 || c&0x7fffffff <= 0x7f800000) {
					size := int(param.Type.Size() / 4)
					return &Difference{Kernel: def.Name, Param: param.Name, Element: word / size, Word: word % size,
						Go: g, C: c}
				}
			}
		}
		i++
	}
	return nil
}
