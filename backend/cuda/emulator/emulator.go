//go:build cgo && linux

// Package emulator builds and controls a stand-in for libcuda, for tests of the CUDA backend on machines without a GPU.
//
// The library is written in C++, in the directory driver. It is compiled once with g++ and kept in the user's cache
// directory. Start gives a test its own instance and points TRACKGEN_LIBCUDA at it. Tests use it in two ways: through
// the backend, and through the driver interface itself (Call), as another library in the process such as PyTorch would.
package emulator

// #cgo LDFLAGS: -ldl
// #include <dlfcn.h>
// #include <stdint.h>
// #include <stdlib.h>
//
// static int call(void *function, const uint64_t *a) {
//   typedef int (*seven)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
//   return ((seven)function)(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
// }
// static void start(void *f, int version, uint64_t seed, int interpret, int measure) {
//   ((void (*)(int, uint64_t, int, int))f)(version, seed, interpret, measure);
// }
// static const char *text(void *f) { return ((const char *(*)(void))f)(); }
// static const char *kernels(void *f, const char *path) { return ((const char *(*)(const char *))f)(path); }
// static int call_uncounted(void *f, void *function, const uint64_t *a) {
//   return ((int (*)(void *, const uint64_t *))f)(function, a);
// }
// static void fail_nth(void *f, const char *name, long count, int code) {
//   ((void (*)(const char *, long, int))f)(name, count, code);
// }
// static void fail_at(void *f, long count, int code) { ((void (*)(long, int))f)(count, code); }
// static void limit_steps(void *f, uint64_t limit) { ((void (*)(uint64_t))f)(limit); }
// static void hold(void *f, const char *name) { ((void (*)(const char *))f)(name); }
// static long waiting(void *f) { return ((long (*)(void))f)(); }
// static void set_broken(void *f, int what, int how) { ((void (*)(int, int))f)(what, how); }
// static void set_attribute(void *f, int attribute, int value) { ((void (*)(int, int))f)(attribute, value); }
// static void set_pointer(void *f, uint64_t address, int attribute, uint64_t value) {
//   ((void (*)(uint64_t, int, uint64_t))f)(address, attribute, value);
// }
// static int carveout(void *f, const char *name) { return ((int (*)(const char *))f)(name); }
// static void set_resources(void *f, int registers, int shared) { ((void (*)(int, int))f)(registers, shared); }
// static long calls(void *f, const char *name) { return ((long (*)(const char *))f)(name); }
// static void *resolve(void *f, const char *name, int version) {
//   void *function = NULL;
//   int status;
//   ((int (*)(const char *, void **, int, uint64_t, int *))f)(name, &function, version, 1, &status);
//   return function;
// }
import "C"

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// ModeVariable is an environment variable that says how the emulator runs kernels: "host", the default, runs their CUDA
// C, compiled for the host; "ptx" interprets the PTX that the driver is given.
const ModeVariable = "TRACKGEN_EMULATE"

// DevicesVariable is an environment variable with the number of emulated devices, 1 to 8; the default is 1. They share
// the memory of the machine, but what is made in the context of one is refused in that of another.
const DevicesVariable = "TRACKGEN_EMULATED_DEVICES"

// Interpreting returns whether ModeVariable asks for the interpreter of PTX. Another value than the two is an error.
func Interpreting() (bool, error) {
	switch mode := os.Getenv(ModeVariable); mode {
	case "", "host":
		return false, nil
	case "ptx":
		return true, nil
	default:
		return false, fmt.Errorf("%s is %q; allowed are \"host\" and \"ptx\"", ModeVariable, mode)
	}
}

// Emulator is one instance of the emulated driver. No other test shares it.
type Emulator struct {
	Path       string
	version    int
	library    unsafe.Pointer
	real       bool // the driver of a GPU: see Real
	interprets bool
}

// Real opens the driver of a GPU instead, for tests that can run on one. Call works; calls cannot be made to fail, and
// nothing is counted or listed.
func Real(tb testing.TB, path string) *Emulator {
	tb.Helper()
	text := C.CString(path)
	defer C.free(unsafe.Pointer(text))
	e := &Emulator{Path: path, real: true, library: C.dlopen(text, C.RTLD_NOW|C.RTLD_LOCAL)}
	if e.library == nil {
		tb.Fatalf("loading the driver: %s", C.GoString(C.dlerror()))
	}
	return e
}

// Version returns the version of an emulated driver, such as 12040.
func (e *Emulator) Version() int { return e.version }

// IsReal returns whether this is the driver of a GPU.
func (e *Emulator) IsReal() bool { return e.real }

// signatures holds the ABI versions of functions that tests call on a real driver. Functions that are not listed have
// version 2000.
var signatures = map[string]int{
	"cuDevicePrimaryCtxRelease": 11000, "cuStreamDestroy": 4000, "cuEventDestroy": 4000,
	"cuStreamBeginCapture": 10010, "cuStreamEndCapture": 10000, "cuStreamGetCaptureInfo": 12030,
	"cuStreamIsCapturing": 10000, "cuStreamWaitEvent": 3020, "cuGraphConditionalHandleCreate": 12030,
	"cuGraphInstantiateWithParams": 12000, "cuGraphLaunch": 10000, "cuGraphDestroy": 10000,
	"cuGraphExecDestroy": 10000, "cuDevicePrimaryCtxRetain": 7000, "cuCtxSetCurrent": 4000,
	"cuThreadExchangeStreamCaptureMode": 10010, "cuMemAlloc": 3020, "cuMemFree": 3020, "cuMemHostAlloc": 2020,
	"cuMemAllocManaged": 6000, "cuMemAllocAsync": 11020, "cuMemFreeAsync": 11020,
}

// Start makes an instance with a driver version, such as 12040 for CUDA 12.4, and sets TRACKGEN_LIBCUDA to it during
// the test. ModeVariable says how it runs kernels. seed determines the order in which queued work and the nodes of
// graphs run.
func Start(tb testing.TB, version int, seed uint64) *Emulator {
	tb.Helper()
	interpret, err := Interpreting()
	if err != nil {
		tb.Fatal(err)
	}
	e, err := Open(tb.TempDir(), Options{Version: version, Seed: seed, Interpret: interpret})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Setenv(LibraryVariable, e.Path)
	tb.Setenv(CacheVariable, "off") // tests do not share what they compile
	return e
}

// CacheVariable is the environment variable with the directory in which the backend keeps compiled kernels.
const CacheVariable = "TRACKGEN_CUDA_CACHE"

// LibraryVariable is the environment variable with the path of libcuda for the backend.
const LibraryVariable = "TRACKGEN_LIBCUDA"

// Options say how an emulator runs.
type Options struct {
	Version   int    // of the driver, such as 12040 for CUDA 12.4
	Seed      uint64 // determines the order in which queued work and the nodes of graphs run
	Interpret bool   // run kernels by the interpreter of PTX
	Measure   bool   // count what interpreted kernels do: see Figures
}

// Open makes an instance for a program other than a test, with its library in a directory. LibraryVariable must be set
// to its Path before the backend opens a device.
func Open(directory string, o Options) (*Emulator, error) {
	built, err := Driver()
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(built)
	if err != nil {
		return nil, fmt.Errorf("opening the emulator: %w", err)
	}
	path := filepath.Join(directory, "libcuda.so.1")
	if err := os.WriteFile(path, data, 0o700); err != nil {
		return nil, fmt.Errorf("opening the emulator: %w", err)
	}
	text := C.CString(path)
	defer C.free(unsafe.Pointer(text))
	e := &Emulator{Path: path, version: o.Version, interprets: o.Interpret}
	if e.library = C.dlopen(text, C.RTLD_NOW|C.RTLD_LOCAL); e.library == nil {
		return nil, fmt.Errorf("loading the emulator: %s", C.GoString(C.dlerror()))
	}
	C.start(e.symbol("emulator_start"), C.int(o.Version), C.uint64_t(o.Seed), flag(o.Interpret), flag(o.Measure))
	return e, nil
}

func flag(b bool) C.int {
	if b {
		return 1
	}
	return 0
}

// Interprets returns whether kernels run by the interpreter of PTX.
func (e *Emulator) Interprets() bool { return e.interprets }

// LoadKernels compiles a file of generated CUDA C for the host and registers its kernels with the emulator. It does
// nothing if the emulator interprets their PTX.
func (e *Emulator) LoadKernels(tb testing.TB, source string) {
	tb.Helper()
	if e.interprets {
		return
	}
	library, err := Kernels(source)
	if err != nil {
		tb.Fatal(err)
	}
	path := C.CString(library)
	defer C.free(unsafe.Pointer(path))
	if reason := C.kernels(e.symbol("emulator_kernels"), path); reason != nil {
		tb.Fatalf("loading kernels of %s: %s", source, C.GoString(reason))
	}
}

// symbol returns the address of a function of the library.
func (e *Emulator) symbol(name string) unsafe.Pointer {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	address := C.dlsym(e.library, text)
	if e.real {
		resolve := C.CString("cuGetProcAddress_v2")
		defer C.free(unsafe.Pointer(resolve))
		address = C.resolve(C.dlsym(e.library, resolve), text, C.int(max(signatures[name], 2000)))
	}
	if address == nil {
		panic("the emulator has no function " + name)
	}
	return address
}

// Call calls a function of the driver with integers and addresses, and returns its result. State that belongs to a
// thread, such as the current context, is that of the goroutine's thread. The call is not counted and never made to
// fail.
func (e *Emulator) Call(name string, arguments ...uint64) int {
	var a [7]C.uint64_t
	for i, value := range arguments {
		a[i] = C.uint64_t(value)
	}
	if e.real {
		return int(C.call(e.symbol(name), &a[0]))
	}
	return int(C.call_uncounted(e.symbol("emulator_call"), e.symbol(name), &a[0]))
}

// cellWords is enough for the parameters of a graph node.
const cellWords = 32

// Cell is memory that the driver reads arguments from and writes results to.
type Cell struct{ words *[cellWords]uint64 }

// NewCell returns a cell of zero words, which is freed at the end of the test.
func NewCell(tb testing.TB) Cell {
	p := C.calloc(cellWords, 8)
	tb.Cleanup(func() { C.free(p) })
	return Cell{(*[cellWords]uint64)(p)}
}

// Follow returns the word at the address that the i-th word holds.
func (c Cell) Follow(i int) uint64 { return **(**uint64)(unsafe.Pointer(&c.words[i])) }

// Address returns the address of the i-th word, to pass to Call.
func (c Cell) Address(i int) uint64 { return uint64(uintptr(unsafe.Pointer(&c.words[i]))) }

// Word returns the i-th word.
func (c Cell) Word(i int) uint64 { return c.words[i] }

// Set sets the i-th word.
func (c Cell) Set(i int, value uint64) { c.words[i] = value }

// FailNext makes the next call of a driver function fail.
func (e *Emulator) FailNext(name string, code int) { e.FailNth(name, 0, code) }

// FailNth makes a call of a driver function fail, after count calls of that function.
func (e *Emulator) FailNth(name string, count, code int) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	C.fail_nth(e.symbol("emulator_fail_nth"), text, C.long(count), C.int(code))
}

// FailAt makes a call of the driver fail, after count calls of any function. A negative count cancels this.
func (e *Emulator) FailAt(count int, code int) {
	C.fail_at(e.symbol("emulator_fail_at"), C.long(count), C.int(code))
}

// LimitSteps sets how many instructions an interpreted warp may run until it is taken for one that never ends.
func (e *Emulator) LimitSteps(limit uint64) {
	C.limit_steps(e.symbol("emulator_limit_steps"), C.uint64_t(limit))
}

// Hold makes all calls of a driver function wait, as if it were slow, until Hold names another function or none.
func (e *Emulator) Hold(name string) {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	C.hold(e.symbol("emulator_hold"), text)
}

// Waiting returns how many calls wait because of Hold.
func (e *Emulator) Waiting() int { return int(C.waiting(e.symbol("emulator_waiting"))) }

// Broken lists kinds of nodes that a driver gets wrong, as bits.
type Broken int

// The kinds of nodes.
const (
	BrokenKernel       Broken = 1 << iota // kernels in the body of a conditional
	BrokenIfInIf                          // an IF in the body of an IF
	BrokenWhileInIf                       // a WHILE in the body of an IF
	BrokenIfInWhile                       // an IF in the body of a WHILE
	BrokenWhileInWhile                    // a WHILE in the body of a WHILE
	BrokenWhile                           // a WHILE outside of bodies
)

// Failure is how a driver gets them wrong.
type Failure int

// The failures.
const (
	FailsByResult         Failure = iota // the graph runs, and does something else
	FailsWhenAdded                       // cuGraphAddNode gives 801; kernels are not concerned
	FailsWhenInstantiated                // cuGraphInstantiateWithParams gives 1
	FailsWhenRun                         // the context is lost, with 719
)

// Break makes the driver get some kinds of nodes wrong.
func (e *Emulator) Break(what Broken, how Failure) {
	C.set_broken(e.symbol("emulator_break"), C.int(what), C.int(how))
}

// SetAttribute sets what cuDeviceGetAttribute returns for an attribute.
func (e *Emulator) SetAttribute(attribute, value int) {
	C.set_attribute(e.symbol("emulator_attribute"), C.int(attribute), C.int(value))
}

// SetResources sets what each kernel takes, as cuFuncGetAttribute says it: registers of a thread, and bytes of shared
// memory of a block.
func (e *Emulator) SetResources(registers, shared int) {
	C.set_resources(e.symbol("emulator_resources"), C.int(registers), C.int(shared))
}

// Carveout returns the part of a multiprocessor's memory that a loaded kernel has asked for as shared memory, in
// percent, or -1 if it has not asked.
func (e *Emulator) Carveout(entry string) int {
	text := C.CString(entry)
	defer C.free(unsafe.Pointer(text))
	return int(C.carveout(e.symbol("emulator_carveout"), text))
}

// The attributes of memory that SetPointer sets, as cuda.h numbers them.
const (
	PointerContext = 1  // 1: it belongs to another context
	PointerOrdinal = 9  // the ordinal of its device
	PointerMapped  = 13 // how many bytes from its beginning are mapped
)

// SetPointer sets an attribute of the allocation that begins at an address, as if it had been made otherwise.
func (e *Emulator) SetPointer(address uint64, attribute int, value uint64) {
	C.set_pointer(e.symbol("emulator_pointer"), C.uint64_t(address), C.int(attribute), C.uint64_t(value))
}

// Failed returns the function whose call FailAt, FailNext or FailNth made fail. It is empty if there was no such call.
func (e *Emulator) Failed() string { return e.text("emulator_failed") }

// Complaint returns and clears the first mistake that a driver would not have reported. It is empty if there was none.
func (e *Emulator) Complaint() string { return e.text("emulator_complaint") }

// Live lists what is alive in the driver, such as "2 allocations, 1 streams". It is empty if nothing is.
func (e *Emulator) Live() string { return e.text("emulator_live") }

func (e *Emulator) text(name string) string {
	if e.real {
		return ""
	}
	return C.GoString(C.text(e.symbol(name)))
}

// Calls returns the number of calls of a function, or of all functions for an empty name. Calls made through Call do
// not count.
func (e *Emulator) Calls(name string) int {
	if e.real {
		return 0
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	return int(C.calls(e.symbol("emulator_calls"), text))
}

// AllCalls returns the number of calls of each function, counted as in Calls.
func (e *Emulator) AllCalls() map[string]int {
	calls := make(map[string]int)
	for line := range strings.Lines(e.text("emulator_all_calls")) {
		name, count, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		calls[name], _ = strconv.Atoi(count)
	}
	return calls
}
