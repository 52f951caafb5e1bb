//go:build cgo

package parity

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
)

// guarded is memory between pages that cannot be touched, one region for each buffer of a kernel.
type guarded struct {
	regions [kernel.MaxBuffers][]byte
}

var page = os.Getpagesize()

// reserve makes the region of a buffer at least as long as bytes.
func (g *guarded) reserve(t testing.TB, buffer, bytes int) {
	t.Helper()
	if len(g.regions[buffer])-2*page >= bytes && g.regions[buffer] != nil {
		return
	}
	g.release(t, buffer)
	pages := 2 + max(1, (2*bytes+page-1)/page)
	region, err := syscall.Mmap(-1, 0, pages*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	require.NoError(t, syscall.Mprotect(region[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(region[len(region)-page:], syscall.PROT_NONE))
	g.regions[buffer] = region
}

func (g *guarded) release(t testing.TB, buffer int) {
	if g.regions[buffer] != nil {
		require.NoError(t, syscall.Munmap(g.regions[buffer]))
		g.regions[buffer] = nil
	}
}

// place copies data to the end of the memory of a buffer, or to its beginning. An empty buffer lies where nothing can
// be touched.
func (g *guarded) place(buffer int, data []byte, atEnd bool) []byte {
	region := g.regions[buffer]
	switch {
	case len(data) == 0:
		return region[page/2:][:0]
	case atEnd:
		region = region[len(region)-page-len(data):]
	default:
		region = region[page:]
	}
	copy(region, data)
	return region[:len(data):len(data)]
}

// guard runs the machine code of a kernel between pages that cannot be touched, and compares it with the Go function.
type guard struct {
	def      *kernel.Def
	run      func(first, last int32, args *kernel.Args) // the machine code
	memory   *guarded
	sizes    []int // of an element of each buffer
	integers []bool
	runs     int
	empty    int // runs that had an empty buffer
}

func newGuard(def *kernel.Def, memory *guarded) *guard {
	g := &guard{def: def, run: def.Vector, memory: memory}
	for _, param := range def.Params {
		if param.Buffer {
			g.sizes = append(g.sizes, int(param.Type.Size()))
			g.integers = append(g.integers, param.Type == kernel.Int32 || param.Type == kernel.Uint32)
		}
	}
	return g
}

// runsWithEmptyBuffers is how many runs of a kernel are repeated with each of its buffers empty.
const runsWithEmptyBuffers = 4

// compare runs items in Go, and in machine code on copies. The error says what differs, or which memory was touched.
func (g *guard) compare(t testing.TB, first, last int32, args *kernel.Args) error {
	before := g.snapshot(args)
	g.runs++
	if g.runs <= runsWithEmptyBuffers {
		for k := range before {
			without := slices.Clone(before)
			without[k] = nil
			want, ok := g.inGo(first, last, args, without)
			if !ok { // it needs the buffer
				continue
			}
			g.empty++
			if err := g.both(t, first, last, args, without, want); err != nil {
				return fmt.Errorf("buffer %d is empty: %w", k, err)
			}
		}
		if err := g.both(t, first, first, args, before, before); err != nil {
			return fmt.Errorf("no items: %w", err)
		}
	}
	g.def.Go(first, last, args)
	return g.both(t, first, last, args, before, g.snapshot(args))
}

// inGo runs items in Go on copies of buffers. It returns false if the function needs more than these.
func (g *guard) inGo(first, last int32, args *kernel.Args, buffers [][]byte) (after [][]byte, ok bool) {
	copied := *args
	for k := range buffers {
		data := bytes.Clone(buffers[k])
		copied.Buffers[k] = kernel.BufferArg{Data: unsafe.Pointer(unsafe.SliceData(data)), Len: len(data) / g.sizes[k]}
	}
	defer func() {
		if recover() != nil {
			after, ok = nil, false
		}
	}()
	g.def.Go(first, last, &copied)
	return g.snapshot(&copied), true
}

// both runs the machine code with buffers at the beginning of their memory, and at the end.
func (g *guard) both(t testing.TB, first, last int32, args *kernel.Args, before, want [][]byte) error {
	for _, atEnd := range []bool{false, true} {
		copied := *args
		got := make([][]byte, len(before))
		for k, data := range before {
			g.memory.reserve(t, k, len(data))
			got[k] = g.memory.place(k, data, atEnd)
			copied.Buffers[k] = kernel.BufferArg{Data: unsafe.Pointer(unsafe.SliceData(got[k])), Len: len(data) / g.sizes[k]}
		}
		if err := faults(func() { g.run(first, last, &copied) }); err != nil {
			return fmt.Errorf("buffers at the end of their memory: %t: %w", atEnd, err)
		}
		for k := range want {
			if at := g.difference(k, want[k], got[k]); at >= 0 {
				return fmt.Errorf("byte %d of buffer %d differs from Go", at, k)
			}
		}
	}
	return nil
}

// difference returns the first word of a buffer that differs, by its byte, or -1. Two computed NaNs are equal.
func (g *guard) difference(buffer int, want, got []byte) int {
	if bytes.Equal(want, got) {
		return -1
	}
	for k := 0; k < len(want); k += 4 {
		w, v := *(*uint32)(unsafe.Pointer(&want[k])), *(*uint32)(unsafe.Pointer(&got[k]))
		isNaN := !g.integers[buffer] && w&0x7fffffff > 0x7f800000 && v&0x7fffffff > 0x7f800000
		if w != v && !isNaN {
			return k
		}
	}
	return -1
}

func (g *guard) snapshot(args *kernel.Args) [][]byte {
	copies := make([][]byte, len(g.sizes))
	for k, size := range g.sizes {
		b := args.Buffers[k]
		copies[k] = bytes.Clone(unsafe.Slice((*byte)(b.Data), b.Len*size))
	}
	return copies
}

// faults runs f, and returns an error if it touches memory that cannot be touched.
func faults(f func()) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	f()
	return nil
}

// guardAll lets every later run of kernels in machine code go through a guard, until the test ends.
func guardAll(t testing.TB, defs []*kernel.Def) map[string]*guard {
	memory, guards := &guarded{}, map[string]*guard{}
	var mutex sync.Mutex // one run at a time: they have the same memory
	for _, def := range defs {
		if def.Vector == nil {
			continue
		}
		g, vector := newGuard(def, memory), def.Vector
		guards[def.Name] = g
		def.Vector = func(first, last int32, args *kernel.Args) {
			mutex.Lock()
			defer mutex.Unlock()
			if err := g.compare(t, first, last, args); err != nil {
				t.Errorf("%s, items %d to %d: %v", def.Name, first, last, err)
			}
		}
		t.Cleanup(func() { def.Vector = vector })
	}
	t.Cleanup(func() {
		for k := range memory.regions {
			memory.release(t, k)
		}
	})
	return guards
}
