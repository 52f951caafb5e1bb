//go:build cgo && linux

package cuda

// #cgo CFLAGS: -std=gnu11 -O2 -fvisibility=hidden
// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"errors"
	"sync"
	"unsafe"
)

// Only this file calls C. Handles and addresses are numbers.

// library is one loaded libcuda.
type library struct {
	c    *C.tgc_driver
	path string
}

// context is the primary context of a device together with the backend's own stream, in C memory.
type context struct{ c *C.tgc_device }

type (
	streamHandle   uint64
	eventHandle    uint64
	graphHandle    uint64
	execHandle     uint64
	moduleHandle   uint64
	functionHandle uint64
)

// failure is a failed driver call; the zero failure means success.
type failure struct {
	call   string
	code   int
	name   string
	detail string
}

func (f failure) failed() bool { return f.call != "" }

// add appends text to the detail.
func (f *failure) add(text string) {
	if f.detail != "" {
		f.detail += ": "
	}
	f.detail += text
}

// as returns the error of a failure that happened during op, or nil for success.
func (f failure) as(device, op string) error {
	if !f.failed() {
		return nil
	}
	return &Error{Device: device, Op: op, Call: f.call, Code: f.code, Name: f.name, Detail: f.detail}
}

func (l *library) failure(f C.tgc_failure) failure {
	if f.call == nil {
		return failure{}
	}
	out := failure{call: C.GoString(f.call), code: int(f.code)}
	if text := C.tgc_error_name(l.c, f.code); text != nil {
		out.name = C.GoString(text)
	}
	if text := C.tgc_error_text(l.c, f.code); text != nil {
		out.detail = C.GoString(text)
	}
	return out
}

// libraries holds the loaded libraries by path.
var libraries struct {
	sync.Mutex
	loaded map[string]*library
}

// load opens the library at path, once. A failure is not remembered, because the library may exist next time.
func load(path string) (*library, error) {
	libraries.Lock()
	defer libraries.Unlock()
	if l := libraries.loaded[path]; l != nil {
		return l, nil
	}
	text := (*C.char)(C.calloc(1, 1024))
	defer C.free(unsafe.Pointer(text))
	cPath := C.CString(path)
	defer C.free(unsafe.Pointer(cPath))
	c := C.tgc_driver_load(cPath, text, 1024)
	if c == nil {
		return nil, errors.New(C.GoString(text))
	}
	if libraries.loaded == nil {
		libraries.loaded = make(map[string]*library)
	}
	l := &library{c, path}
	libraries.loaded[path] = l
	return l, nil
}

// file returns the path of the file that the library was loaded from. l.path may be a name that the dynamic linker
// knows.
func (l *library) file() string {
	if path := C.tgc_driver_file(l.c); path != nil {
		return C.GoString(path)
	}
	return l.path
}

// start initialises the driver and returns its version, such as 12040, and the number of devices.
func (l *library) start() (version, devices int, f failure) {
	var v, n C.int
	f = l.failure(C.tgc_driver_start(l.c, &v, &n))
	return int(v), int(n), f
}

// attributeMajor is the attribute of a device that holds the major number of its compute capability.
const attributeMajor = C.TG_ATTRIBUTE_MAJOR

// description is what the driver reports about a device.
type description struct {
	name            string
	bytes           int64
	major, minor    int
	multiprocessors int
	multiprocessor  multiprocessor
}

func (l *library) describe(index int) (description, failure) {
	var c C.tgc_description
	if f := l.failure(C.tgc_describe(l.c, C.int(index), &c)); f.failed() {
		return description{}, f
	}
	return description{
		name:            C.GoString(&c.name[0]),
		bytes:           int64(c.bytes),
		major:           int(c.major),
		minor:           int(c.minor),
		multiprocessors: int(c.multiprocessors),
		multiprocessor: multiprocessor{threads: int(c.threads), blocks: int(c.blocks), registers: int(c.registers),
			shared: int(c.shared), reserved: int(c.reserved)},
	}, failure{}
}

// attribute returns an attribute of a device, by its number in cuda.h (CUdevice_attribute).
func (l *library) attribute(index, attribute int) (int, failure) {
	var value C.int
	f := l.failure(C.tgc_attribute(l.c, C.int(index), C.int(attribute), &value))
	return int(value), f
}

func (l *library) open(index int) (context, failure) {
	c := (*C.tgc_device)(C.calloc(1, C.sizeof_tgc_device))
	if f := l.failure(C.tgc_device_open(l.c, C.int(index), c)); f.failed() {
		C.free(unsafe.Pointer(c))
		return context{}, f
	}
	return context{c}, failure{}
}

func (c context) failure(f C.tgc_failure) failure {
	if f.call == nil {
		return failure{}
	}
	l := library{c: c.c.driver}
	return l.failure(f)
}

func (c context) close() failure {
	f := c.failure(C.tgc_device_close(c.c))
	C.free(unsafe.Pointer(c.c))
	return f
}

// setControl sets the control kernels of conditionals.
func (c context) setControl(setIf, beginWhile, nextWhile functionHandle) {
	c.c.set_if = pointer[C.CUfunction](uint64(setIf))
	c.c.begin_while = pointer[C.CUfunction](uint64(beginWhile))
	c.c.next_while = pointer[C.CUfunction](uint64(nextWhile))
}

// pointer converts a number to a C pointer. The number is no address of Go memory.
func pointer[T any](number uint64) T { return *(*T)(unsafe.Pointer(&number)) }

func cStream(h streamHandle) C.CUstream { return pointer[C.CUstream](uint64(h)) }

// number converts a C pointer to a number.
func number(p unsafe.Pointer) uint64 { return uint64(uintptr(p)) }

// allocate returns the address of zeroed memory. If the device has too little memory left, it returns how much is
// available.
func (c context) allocate(bytes int64) (address uint64, available int64, f failure) {
	var a C.CUdeviceptr
	var left C.size_t
	f = c.failure(C.tgc_allocate(c.c, C.size_t(bytes), &a, &left))
	return uint64(a), int64(left), f
}

func (c context) allocateHost(bytes int64) (unsafe.Pointer, failure) {
	var p unsafe.Pointer
	f := c.failure(C.tgc_allocate_host(c.c, C.size_t(bytes), &p))
	return p, f
}

// foreignMemory is what the driver reports about an address. The zero kind means that it knows no memory there.
type foreignMemory struct {
	kind            int
	managed, mapped bool
	ordinal, device int  // of the device for which it was allocated, and of this device
	other           bool // it belongs to another context
	from            uint64
	bytes           uint64
}

// The kinds of foreignMemory.
const (
	memoryHost   = C.TG_MEMORY_HOST
	memoryDevice = C.TG_MEMORY_DEVICE
)

func (c context) memoryAt(address uint64) (foreignMemory, failure) {
	var m C.tgc_memory
	f := c.failure(C.tgc_memory_at(c.c, C.CUdeviceptr(address), &m))
	return foreignMemory{kind: int(m._type), managed: m.managed != 0, mapped: m.mapped != 0, ordinal: int(m.ordinal),
		device: int(m.device), other: m.other != 0, from: uint64(m.from), bytes: uint64(m.bytes)}, f
}

func (c context) createStream() (streamHandle, failure) {
	var s C.CUstream
	f := c.failure(C.tgc_stream_create(c.c, &s))
	return streamHandle(number(unsafe.Pointer(s))), f
}

func (c context) sync(s streamHandle) failure { return c.failure(C.tgc_stream_sync(c.c, cStream(s))) }

// settle waits for the work of a stream, unless somebody captures on it.
func (c context) settle(s streamHandle) (capturing bool, f failure) {
	var is C.int
	f = c.failure(C.tgc_stream_settle(c.c, cStream(s), &is))
	return is != 0, f
}

// owns returns whether a stream belongs to this context.
func (c context) owns(s streamHandle) (bool, failure) {
	var same C.int
	f := c.failure(C.tgc_stream_owner(c.c, cStream(s), &same))
	return same != 0, f
}

func (c context) createEvent() (eventHandle, failure) {
	var e C.CUevent
	f := c.failure(C.tgc_event_create(c.c, &e))
	return eventHandle(number(unsafe.Pointer(e))), f
}

func (c context) recordEvent(e eventHandle, s streamHandle) failure {
	return c.failure(C.tgc_event_record(c.c, pointer[C.CUevent](uint64(e)), cStream(s)))
}

func (c context) waitEvent(e eventHandle, s streamHandle) failure {
	return c.failure(C.tgc_event_wait(c.c, pointer[C.CUevent](uint64(e)), cStream(s)))
}

func (c context) syncEvent(e eventHandle) failure {
	return c.failure(C.tgc_event_sync(c.c, pointer[C.CUevent](uint64(e))))
}

// The kinds of handles that dispose accepts.
const (
	disposeExec   = C.TG_DISPOSE_GRAPH_EXEC
	disposeGraph  = C.TG_DISPOSE_GRAPH
	disposeEvent  = C.TG_DISPOSE_EVENT
	disposeStream = C.TG_DISPOSE_STREAM
	disposeMemory = C.TG_DISPOSE_MEMORY
	disposeHost   = C.TG_DISPOSE_HOST
	disposeModule = C.TG_DISPOSE_MODULE
	// disposeOwner releases the owner of wrapped memory, without the driver.
	disposeOwner = disposeModule + 1
)

// dispose releases a handle. If an earlier driver call fails, it tries once more. In a lost context every call may
// fail, so the second attempt calls the driver's function regardless, unless the context is gone: then the handle is
// gone too, and the driver may crash on it. dispose returns the first failure, and whether nothing is left to release.
func (c context) dispose(kind int, handle uint64) (released bool, f failure) {
	released, f = c.tryDispose(kind, handle, false)
	switch {
	case released:
	case gone(f.code):
		released = true
	default:
		released, _ = c.tryDispose(kind, handle, lost(f.code))
	}
	return released, f
}

func (c context) tryDispose(kind int, handle uint64, regardless bool) (reached bool, f failure) {
	var force, r C.int
	if regardless {
		force = 1
	}
	f = c.failure(C.tgc_dispose(c.c, C.int(kind), C.uint64_t(handle), force, &r))
	return r != 0, f
}

// loadModule loads PTX, or an image that link has made. The detail of a failure holds the messages of the driver's
// compiler.
func (c context) loadModule(code string) (moduleHandle, failure) {
	text := C.CString(code) // ends with a byte 0, as PTX must
	defer C.free(unsafe.Pointer(text))
	log := (*C.char)(C.calloc(1, C.TG_LOG_BYTES))
	defer C.free(unsafe.Pointer(log))
	var m C.CUmodule
	f := c.failure(C.tgc_module_load(c.c, text, &m, log))
	if says := C.GoString(log); f.failed() && says != "" {
		f.add(says)
	}
	return moduleHandle(number(unsafe.Pointer(m))), f
}

// links returns whether the driver has the functions for link.
func (c context) links() bool { return C.tgc_links(c.c) != 0 }

// link compiles PTX to an image for the GPU.
func (c context) link(ptx string) (string, failure) {
	text := C.CString(ptx)
	defer C.free(unsafe.Pointer(text))
	var image unsafe.Pointer
	var bytes C.size_t
	f := c.failure(C.tgc_link(c.c, text, C.size_t(len(ptx)+1), &image, &bytes))
	if f.failed() {
		return "", f
	}
	defer C.free(image)
	return string(unsafe.Slice((*byte)(image), int(bytes))), f
}

// blockSizes are the numbers of threads that a block of a thread kernel can have if the launch does not say it, the
// smallest first: one warp, up to what hides latencies with registers for all.
var blockSizes = [C.TG_BLOCK_SIZES]C.int{32, 64, 128, 256}

// resources is what a kernel takes of a multiprocessor.
type resources struct {
	threads                  int                    // maximum number of a block
	registers, shared, local int                    // of a thread, of a block, of a thread, the last two in bytes
	blocks                   [len(blockSizes)]int32 // that run at once, for each of blockSizes; 0: the driver does not say
}

// function returns a kernel of a module.
func (c context) function(m moduleHandle, entry string) (functionHandle, resources, failure) {
	text := C.CString(entry)
	defer C.free(unsafe.Pointer(text))
	var out C.tgc_function
	f := c.failure(C.tgc_module_function(c.c, pointer[C.CUmodule](uint64(m)), text, &blockSizes[0], &out))
	r := resources{threads: int(out.threads), registers: int(out.registers), shared: int(out.shared),
		local: int(out.local)}
	for i, blocks := range out.blocks {
		r.blocks[i] = int32(blocks)
	}
	return functionHandle(number(unsafe.Pointer(out.handle))), r, f
}

// carveout asks for a part of a multiprocessor's memory, in percent of the largest, as shared memory.
func (c context) carveout(f functionHandle, percent int) failure {
	return c.failure(C.tgc_function_carveout(c.c, pointer[C.CUfunction](uint64(f)), C.int(percent)))
}

// captureInfo describes the capture that a stream is recording into, as the driver reports it.
type captureInfo struct {
	status int
	id     uint64
	graph  graphHandle
}

// The states of captureInfo.
const (
	statusNone        = C.TG_CAPTURE_NONE
	statusActive      = C.TG_CAPTURE_ACTIVE
	statusInvalidated = C.TG_CAPTURE_INVALIDATED
)

func (c context) capture(s streamHandle) (captureInfo, failure) {
	info := C.tgc_capture_info(c.c, cStream(s))
	return captureInfo{int(info.status), uint64(info.id), graphHandle(number(unsafe.Pointer(info.graph)))},
		c.failure(info.failure)
}

// Kinds of commands.
const (
	commandLaunch   = C.TG_LAUNCH
	commandCopy     = C.TG_COPY
	commandFill     = C.TG_FILL
	commandUpload   = C.TG_UPLOAD
	commandDownload = C.TG_DOWNLOAD
	commandIf       = C.TG_IF
	commandWhile    = C.TG_WHILE
)

// command is one operation with its arguments as numbers. It has the fields of tgc_command.
type command struct {
	kind       uint32
	end        uint32
	from       uint32
	count      uint32
	grid       uint32
	block      uint32
	first      uint32
	parameters uint32
	target     uint64
	source     uint64
	bytes      uint64
	pattern    uint32
}

// These constants do not compile unless command has the layout of tgc_command.
const (
	_ = uint(unsafe.Sizeof(command{}) - C.sizeof_tgc_command)
	_ = uint(C.sizeof_tgc_command - unsafe.Sizeof(command{}))
)

// cStreams returns a list of streams as a C array.
func cStreams(list []streamHandle) *C.CUstream {
	return (*C.CUstream)(unsafe.Pointer(unsafe.SliceData(list)))
}

// emit emits commands on a stream. bodies has one stream for each depth of nested conditionals.
func (c context) emit(s streamHandle, bodies []streamHandle, commands []command, words []uint64) failure {
	if len(commands) == 0 {
		return failure{}
	}
	return c.failure(C.tgc_emit(c.c, cStream(s), cStreams(bodies),
		(*C.tgc_command)(unsafe.Pointer(unsafe.SliceData(commands))),
		C.size_t(len(commands)), (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(words)))))
}

// record makes an executable graph. The detail of a failure holds the result of the instantiation.
func (c context) record(r *lane, p *program) (graphHandle, execHandle, failure) {
	var graph C.CUgraph
	var exec C.CUgraphExec
	var result C.int
	f := c.failure(C.tgc_record(c.c, cStream(r.private), cStreams(r.bodies),
		(*C.tgc_command)(unsafe.Pointer(unsafe.SliceData(p.commands))), C.size_t(len(p.commands)),
		(*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(p.words))),
		(*C.uint32_t)(unsafe.Pointer(unsafe.SliceData(p.dependencies))),
		&graph, &exec, &result))
	if f.failed() && result > 1 {
		f.add("instantiation result " + instantiationResult(int(result)))
	}
	return graphHandle(number(unsafe.Pointer(graph))), execHandle(number(unsafe.Pointer(exec))), f
}

// instantiationResult names a CUgraphInstantiateResult.
func instantiationResult(result int) string {
	names := [...]string{"success", "error", "invalid structure", "operation not supported", "multiple contexts",
		"conditional handle unused"}
	if result < len(names) {
		return names[result]
	}
	return "unknown"
}

func (c context) replay(e execHandle, s streamHandle) failure {
	return c.failure(C.tgc_replay(c.c, pointer[C.CUgraphExec](uint64(e)), cStream(s)))
}

// dot writes a graph to a file in the DOT language.
func (c context) dot(g graphHandle, path string) failure {
	text := C.CString(path)
	defer C.free(unsafe.Pointer(text))
	return c.failure(C.tgc_dot(c.c, pointer[C.CUgraph](uint64(g)), text))
}

// keep attaches a token to a graph of somebody else. returnedTokens returns the token once the graph is gone.
func (c context) keep(g graphHandle, token uint64) failure {
	return c.failure(C.tgc_keep(c.c, pointer[C.CUgraph](uint64(g)), C.uint64_t(token)))
}

// returnedTokens removes some of the tokens that have come back from their list, and returns them.
func returnedTokens() []uint64 {
	var tokens [64]C.uint64_t
	n := C.tgc_returned(&tokens[0], C.size_t(len(tokens)))
	out := make([]uint64, n)
	for i := range out {
		out[i] = uint64(tokens[i])
	}
	return out
}
