package random

import (
	"bufio"
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/hostrun"
	"github.com/trackgen-go/trackgen/kernel"
)

// Result is what a launch of a program leaves in its buffers.
type Result struct {
	Buffers [][]uint32
	Err     error
}

// launchTime is how long a Go function or a twin may run, which takes milliseconds. Shrinking can leave out the end of
// a loop.
const launchTime = 10 * time.Second

// errEndless is the result of a program that does not end in launchTime.
var errEndless = errors.New("the Go function does not end")

//go:embed testdata/child.go
var child []byte

// RunGo builds the Go files of a batch into a program and runs the Go function and the twin of each kernel in it. root
// is the directory of this module. The results of a kernel that does not end, and of all that are not begun at a
// deadline, are errEndless; without a deadline it is the zero time.
func (b *Batch) RunGo(root string, deadline time.Time) (functions, twins []Result, err error) {
	dir, err := os.MkdirTemp("", "random-*")
	if err != nil {
		return nil, nil, fmt.Errorf("building a batch: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	program, err := b.build(root, dir)
	if err != nil {
		return nil, nil, err
	}
	functions, twins = make([]Result, len(b.Defs)), make([]Result, len(b.Defs))
	for first := 0; first < len(b.Defs); {
		if first, err = b.runFrom(program, first, deadline, functions, twins); err != nil {
			return nil, nil, err
		}
	}
	return functions, twins, nil
}

// runFrom runs the kernels from the first on in one process, up to and with one that does not end. It returns the
// number of the next.
func (b *Batch) runFrom(
	program string, first int, deadline time.Time, functions, twins []Result,
) (next int, err error) {
	command := exec.Command(program)
	var failure bytes.Buffer
	command.Stderr = &failure
	input, err := command.StdinPipe()
	if err != nil {
		return 0, fmt.Errorf("running a batch: %w", err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return 0, fmt.Errorf("running a batch: %w", err)
	}
	if err := command.Start(); err != nil {
		return 0, fmt.Errorf("running a batch: %w", err)
	}
	reader := bufio.NewReader(output)
	for next = first; next < len(b.Defs); next++ {
		if !deadline.IsZero() && time.Now().After(deadline) {
			functions[next], twins[next] = Result{Err: errEndless}, Result{Err: errEndless}
			continue
		}
		timer := time.AfterFunc(launchTime, func() { _ = command.Process.Kill() })
		functions[next], twins[next] = b.ask(input, reader, next, 0), b.ask(input, reader, next, 1)
		if !timer.Stop() {
			functions[next], twins[next] = Result{Err: errEndless}, Result{Err: errEndless}
			_, _ = input.Close(), command.Wait() // it was killed
			return next + 1, nil
		}
	}
	if err := errors.Join(input.Close(), command.Wait()); err != nil {
		return 0, fmt.Errorf("running a batch: %w\n%s", err, failure.Bytes())
	}
	return next, nil
}

// build builds the Go files of a batch. They lie elsewhere, and the go command takes them to be a package of this
// module.
func (b *Batch) build(root, dir string) (string, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return "", fmt.Errorf("building a batch: %w", err)
	}
	const place = "cmd/kernelgen/internal/random/batch"
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	files := map[string][]byte{"child.go": child}
	for name, text := range b.Go {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return "", fmt.Errorf("building a batch: %w", err)
		}
		overlay.Replace[filepath.Join(root, place, name)] = path
	}
	text, err := json.Marshal(overlay)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("building a batch: %w", err)
	}
	program := filepath.Join(dir, "batch")
	command := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-buildvcs=false",
		"-ldflags=-s -w", "-o", program, "./"+place)
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building a batch: %w\n%s", err, output)
	}
	return program, nil
}

// ask sends a launch to the program of a batch and reads the answer.
func (b *Batch) ask(input io.Writer, output io.Reader, i int, twin uint32) Result {
	def, p := b.Defs[i], b.Programs[i]
	buffers, scalars := p.Arguments(def)
	request := []uint32{uint32(i), twin, uint32(p.Items), uint32(len(buffers))}
	next := 0
	for _, param := range def.Params {
		if param.Buffer {
			words := buffers[next]
			next++
			request = append(request, uint32(int64(len(words))*4/param.Type.Size()), uint32(len(words)))
			request = append(request, words...)
		}
	}
	request = append(append(request, uint32(len(scalars))), scalars...)
	if _, err := input.Write(bytesOf(request)); err != nil {
		return Result{Err: fmt.Errorf("sending a launch: %w", err)}
	}
	length := []uint32{0}
	if _, err := io.ReadFull(output, bytesOf(length)); err != nil {
		return Result{Err: fmt.Errorf("reading an answer: %w", err)}
	}
	text := make([]byte, length[0])
	_, err := io.ReadFull(output, text)
	for _, words := range buffers {
		if err == nil {
			_, err = io.ReadFull(output, bytesOf(words))
		}
	}
	if err == nil && len(text) > 0 {
		err = errors.New(string(text))
	}
	return Result{Buffers: buffers, Err: err}
}

func bytesOf(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 4*len(words))
}

// runHost runs all kernels in a program made of the CUDA C of the batch.
func (b *Batch) runHost(runner *hostrun.Runner) []Result {
	results := make([]Result, len(b.Defs))
	for i, def := range b.Defs {
		buffers, scalars := b.Programs[i].Arguments(def)
		views := make([][]byte, len(buffers))
		for k, words := range buffers {
			views[k] = bytesOf(words)
		}
		called := *def
		called.Entry = entry(def)
		results[i] = Result{Buffers: buffers, Err: runner.Run(&called, 0, b.Programs[i].Items, views, scalars)}
	}
	return results
}

// runDevice runs all kernels on a device, those apart that could not be compiled for it.
func (b *Batch) runDevice(d backend.Device, defs []*kernel.Def, failures []error) []Result {
	results := make([]Result, len(defs))
	for i, def := range defs {
		if failures[i] != nil {
			results[i].Err = failures[i]
			continue
		}
		results[i] = launch(d, def, b.Programs[i])
	}
	return results
}

// launch runs one kernel on a device.
func launch(d backend.Device, def *kernel.Def, p Program) (r Result) {
	buffers, scalars := p.Arguments(def)
	stream := d.DefaultStream()
	var closers []io.Closer
	defer func() {
		for _, c := range slices.Backward(closers) {
			r.Err = errors.Join(r.Err, c.Close())
		}
	}()
	var views []backend.View
	var hosts []backend.HostBuffer
	for _, words := range buffers {
		size := int64(4 * len(words))
		memory, err := d.Alloc(size)
		if err != nil {
			return Result{Err: err}
		}
		closers = append(closers, memory)
		host, err := d.AllocHost(size)
		if err != nil {
			return Result{Err: err}
		}
		closers = append(closers, host)
		copy(host.Bytes(), bytesOf(words))
		views, hosts = append(views, backend.View{Buffer: memory, Bytes: size}), append(hosts, host)
		if err := stream.Upload(views[len(views)-1], host, 0); err != nil {
			return Result{Err: err}
		}
	}
	if err := stream.Launch(def, backend.Launch{N: p.Items, Buffers: views, Scalars: scalars}); err != nil {
		return Result{Err: err}
	}
	for i, view := range views {
		if err := stream.Download(hosts[i], 0, view); err != nil {
			return Result{Err: err}
		}
	}
	if err := stream.Sync(); err != nil {
		return Result{Err: err}
	}
	for i, words := range buffers {
		copy(bytesOf(words), hosts[i].Bytes())
	}
	return Result{Buffers: buffers}
}

// Difference is the first word in which two results of a program differ.
type Difference struct {
	Program   Program
	Param     string
	Word      int
	Want, Got uint32
	Err       error // instead of a word: a launch that failed
}

// Compare returns where a result is not that of the Go function, want, nil where it is everywhere.
func Compare(p Program, def *kernel.Def, got, want Result) *Difference {
	if err := cmp.Or(want.Err, got.Err); err != nil {
		return &Difference{Program: p, Err: err}
	}
	next := 0
	for _, param := range def.Params {
		if !param.Buffer {
			continue
		}
		whole := param.Type == kernel.Int32 || param.Type == kernel.Uint32
		anyNaN := !whole && param.Access&kernel.Write != 0
		for word, g := range got.Buffers[next] {
			if w := want.Buffers[next][word]; g != w && !(anyNaN && isNaN(w) && isNaN(g)) {
				return &Difference{Program: p, Param: param.Name, Word: word, Want: w, Got: g}
			}
		}
		next++
	}
	return nil
}

func isNaN(bits uint32) bool { return bits&0x7fffffff > 0x7f800000 }

// String says what differs.
func (d *Difference) String() string {
	if d.Err != nil {
		return d.Err.Error()
	}
	return fmt.Sprintf("word %d of %s is %#08x (%v), want %#08x (%v)", d.Word, d.Param, d.Got,
		kernel.Float32FromBits(d.Got), d.Want, kernel.Float32FromBits(d.Want))
}
