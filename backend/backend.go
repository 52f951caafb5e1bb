// Package backend defines the interface of compute backends and keeps their registry.
//
// A backend is opened by name, like a database driver:
//
//	import _ "github.com/trackgen-go/trackgen/backend/cpu"
//
//	device, err := backend.Open("cpu")
//
// # Who validates
//
// Two layers check every call, each for its own reason. Package exec checks what its callers promise, once for all
// backends, and names the arguments as the callers do. Every backend checks, before it emits anything, whatever the
// safety of its memory depends on: an object belongs to this device and is open, a range lies within its buffer, a
// launch has the arguments of its kernel, and the capture state allows the call. So a program that uses a backend
// without exec can fail but cannot corrupt memory. Package recorder, below the backends, holds these checks once for
// all of them, for every method of this file except AdoptStream. An error has the same type and text on every backend,
// which the conformance suite compares. A driver refuses only what it alone can know:
//
//   - AdoptStream: whether the handle is a stream of the device
//   - Alloc and AllocHost: whether there is memory left
//   - Wrap: whether a range of addresses is memory of the device
//   - Load and Launch: whether the device can run the kernel
//   - EndCapture and conditionals: whether it can make the graph
//   - every call with a stream that was adopted, or has joined the capture of an adopted stream: whether the capture
//     that another library has begun there accepts work
//   - every call: whether the device is lost
//
// A backend lowers an operation or returns an error; it never skips one.
//
// # Lifetime
//
// Close ends the caller's use of an object and nobody else's (R166), on every backend alike. New work on the object
// returns ErrClosed. Work that was emitted before Close continues unaffected: eager work that has not run yet, captures
// that have not ended, graphs, and replays in flight. Each keeps the memory that it uses (buffers, host buffers, flags
// of conditionals and loops), and a graph that has recorded the replay of another graph keeps the memory of that graph.
// Streams and events may be closed as soon as a call that uses them has returned.
//
// Memory is released with its last user. A buffer stops using it at Close; eager work, when it has run; a capture, when
// it is dropped; a graph, when it is closed and no replay of it runs; a graph captured by another library
// (AdoptStream), when that library has destroyed it. Until then the memory counts against MemoryLimit. Close of the
// device ends all of these uses except the last, and except that of a retained buffer. Kernels stay loaded until the
// device is closed.
//
// A retained buffer (Buffer.Retain) keeps memory after everything else that used it has been closed, also the device:
// another library may read and write the memory by its address (Addresser) until the retained buffer is closed. It is
// no leak of the device.
//
// Wrapped memory (Device.Wrap) belongs to somebody else, and follows the same rules: its owner stays reachable as long
// as this package uses the memory, and is told afterwards that it does no more.
package backend

import (
	"context"
	"fmt"

	"github.com/trackgen-go/trackgen/kernel"
)

// Info describes a device.
type Info struct {
	Name        string // canonical: "cpu", "cuda:0", "vulkan:0"
	Backend     string // "cpu", "cuda", "vulkan"
	Description string // the vendor's name for the device
	Driver      string // driver or runtime version
	Workers     int    // CPU: number of goroutines that run kernels; else 0
	Lanes       int    // CPU: items that a core runs at a time: 8 in machine code, 1 in Go; else 0
	MemoryBytes int64  // device memory, 0 if unknown
	Software    bool   // a graphics driver that computes on the CPU: opened only by name, never by "auto"
}

// Caps says what a device can do. Policy depends on Caps, never on a name.
type Caps struct {
	Capture             bool // streams can capture, graphs can be replayed
	OwnGraphs           bool // replaying its own graph makes a producer faster (false on the CPU: decision D14)
	CaptureConditionals bool // If works inside a capture
	EagerConditionals   bool // If works on a stream that is not capturing (decision D3)
	WhileNodes          bool // a capture can hold a loop that the device counts (decision D12)
	CheapHostPoll       bool // the host reads device memory without synchronisation: the CPU
	ForeignStreams      bool // AdoptStream works
	ForeignMemory       bool // Wrap works, and buffers have an address (Addresser)
	ExactFloat          bool // float32 + - * / sqrt are correctly rounded and never contracted, see Denormals
	// Denormals says that float32 denormals, numbers below 2^-126, are kept in all operations. Where it is false, a
	// denormal that an operation or a comparison takes or returns may count as a zero of its sign. This is the only
	// freedom that it gives: with ExactFloat, everything else is correctly rounded. Copies always keep denormals.
	Denormals      bool
	GraphRetain    bool // a graph keeps anchored owners alive
	MaxBufferBytes int64
	// LoopIterations is the limit of the total iterations of all loops in one invocation of a kernel, beyond which the
	// device silently ends them; 0 means no limit. The test that ends a loop counts as one iteration. Streams refuse a
	// launch that may need more (kernel.Def.Iterations).
	LoopIterations int64
	MaxItems       int64 // maximum number of items of one launch
}

// Device is one compute device. All methods are safe for concurrent use.
type Device interface {
	Info() Info
	Caps() Caps

	// Alloc returns device memory, initially zero. bytes must be positive.
	Alloc(bytes int64) (Buffer, error)
	// AllocHost returns host memory for uploads and downloads.
	AllocHost(bytes int64) (HostBuffer, error)
	// Wrap returns a buffer of memory that another library has allocated on this device: bytes bytes from address, a
	// multiple of 4, which is an address as Addresser returns it. The memory keeps its content, is used where it is, and
	// does not count against MemoryLimit. It must stay allocated, at this address, as long as the owner is kept.
	//
	// owner is kept reachable until the last use of the memory has ended (see Lifetime); it may be nil. If it is a
	// Releaser, its Release is then called, once. If Wrap returns an error, it has not taken the owner.
	//
	// Wrap returns an *ArgumentError, before any use, for a range that is empty, misaligned, beyond the end of the address
	// space or of its allocation, of another device, or no memory of the device; and an *UnsupportedError on a device
	// without Caps.ForeignMemory. Nothing is waited for: the other library orders its work with that of this one, by
	// streams and events.
	Wrap(address uintptr, bytes int64, owner any) (Buffer, error)

	NewStream() (Stream, error)
	// DefaultStream returns the stream that always exists.
	DefaultStream() Stream
	// CurrentStream is the stream of allocations and legacy producers (decision D15), initially the default stream.
	CurrentStream() Stream
	SetCurrentStream(Stream) error
	// AdoptStream wraps the handle of a foreign stream. The foreign library keeps its ownership.
	AdoptStream(handle uintptr) (Stream, error)

	NewEvent() (Event, error)

	// Load prepares kernels, so that a later capture loads nothing. LoadContext is Load with a context.
	Load(defs ...*kernel.Def) error

	// Close releases the device. If buffers, streams, events or graphs are still open, it releases them and returns a
	// *LeakError that lists them. Closed memory that an open graph keeps is not listed. A lost device is released too,
	// and the error then also matches ErrDeviceLost. Closing twice does nothing.
	Close() error
}

// Buffer is device memory.
type Buffer interface {
	Device() Device
	Bytes() int64
	// Retain returns another buffer of the same memory, with a lifetime of its own: the memory stays until both are
	// closed. Device.Close does not close the retained buffer and does not list it as a leak. It then still has its
	// address, where the memory has one, until its Close. Retain returns ErrClosed once the buffer is closed.
	//
	// Retain, and Close of what it returns, may be called on any goroutine at any time, also while a stream is being
	// captured by this or another library.
	Retain() (Buffer, error)
	// Close ends the caller's use of the buffer: new work on it returns ErrClosed, and work that was emitted or recorded
	// before keeps the memory (see Lifetime). Closing twice does nothing.
	Close() error
}

// Releaser is an owner of wrapped memory that wants to know when its memory is used no more. Release is called once,
// soon after the last use has ended, on a goroutine that calls the owners of the process one after the other and holds
// no lock. It may call this package, and it must not block for long. Owners that are due when the process ends are not
// called.
type Releaser interface{ Release() }

// ReleaseFunc is a function as a Releaser.
type ReleaseFunc func()

// Release calls f.
func (f ReleaseFunc) Release() { f() }

// ContextLoader is a Device whose compiler takes long. LoadContext is Load, and returns an error that wraps the cause
// of ctx if that ends first. Kernels that are being compiled then are ready for a later call.
type ContextLoader interface {
	LoadContext(ctx context.Context, defs ...*kernel.Def) error
}

// LoadContext loads kernels. It ends early with ctx if the device is a ContextLoader, and otherwise looks at ctx once.
func LoadContext(ctx context.Context, device Device, defs ...*kernel.Def) error {
	if loader, ok := device.(ContextLoader); ok {
		return loader.LoadContext(ctx, defs...)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("load: %w", context.Cause(ctx))
	}
	return device.Load(defs...)
}

// Addresser is a Buffer whose memory has an address that other libraries on the device understand: a CUdeviceptr, or on
// the CPU a host address.
type Addresser interface {
	// Address returns the address of the first byte, 0 where the memory has none. It is valid until Close, and does not
	// keep the memory: Buffer.Retain does.
	Address() uintptr
}

// HostBuffer is host memory that the device can copy from and to without staging.
type HostBuffer interface {
	// Bytes returns the memory, nil after Close.
	Bytes() []byte
	// Close ends the caller's use of the buffer, as Buffer.Close does. The result of Bytes must not be used any more.
	// Recorded uploads and downloads keep the memory.
	Close() error
}

// View is a range of a buffer in bytes. Offset is a multiple of 4. An empty view may have no buffer.
type View struct {
	Buffer Buffer
	Offset int64
	Bytes  int64
}

// Launch holds the arguments of one kernel launch. Buffers and Scalars are in the order of the definition's parameters.
// The backend keeps neither slice after the call returns.
type Launch struct {
	N         int32 // threads of a thread kernel, groups of a group kernel
	Buffers   []View
	Scalars   []uint32
	Block     int32 // threads per block, 0 = the backend's choice; a tuning hint
	MaxBlocks int32 // maximum number of concurrent blocks or workers, 0 = no limit
}

// CaptureState says whose capture a stream is recording into (decision D18).
type CaptureState uint8

// The capture states.
const (
	CaptureNone        CaptureState = iota
	CaptureOwn                      // begun by BeginCapture of this stream
	CaptureForeign                  // begun outside this library
	CaptureJoined                   // begun on another stream, which this one has joined
	CaptureInvalidated              // broken: nothing may be emitted until it ends
)

// Stream is an in-order queue of work. While it is capturing, work is recorded and does not run. All methods are safe
// for concurrent use; work runs in the order in which the calls acquire the stream.
//
// A call that the capture state forbids returns a *CaptureError before it emits anything, and the capture stays usable.
type Stream interface {
	Device() Device
	// Handle is the native stream, 0 if there is none.
	Handle() uintptr

	Launch(def *kernel.Def, launch Launch) error
	// Copy copies src.Bytes bytes on the device. The ranges have equal size and must not overlap.
	Copy(dst, src View) error
	// Fill writes a 32-bit pattern over dst, whose size is a multiple of 4.
	Fill(dst View, pattern uint32) error
	// Upload copies from a host buffer, starting at offset, to dst, in stream order. A recorded upload reads the host
	// buffer at every replay.
	Upload(dst View, src HostBuffer, offset int64) error
	// Download copies src to a host buffer at offset, in stream order. Sync waits for it.
	Download(dst HostBuffer, offset int64, src View) error

	// If emits body so that the device skips all of it when the int32 in flag is zero. body receives the stream on which
	// it emits, and may emit only launches, fills and copies on the device. In a capture, nothing else may be emitted
	// until body returns (decision D17). An eager stream accepts other work meanwhile, which runs before the conditional.
	// If body returns an error, If returns it and the stream and the capture stay usable. A nested If requires both flags.
	// On a device without conditionals (Caps), If returns an *UnsupportedError and does not call body.
	If(flag View, body func(Stream) error) error

	// BeginCapture begins to record. Another stream joins the capture when it waits for an event that was recorded on a
	// stream of the capture. It must be joined back, by an event in the other direction, before EndCapture.
	BeginCapture() error
	// EndCapture ends a capture that began on this stream. If it fails because a stream was not joined back, the capture
	// has still ended.
	EndCapture() (Graph, error)
	Capture() CaptureState
	// Anchor keeps owner reachable as long as the graph exists that this stream is recording.
	Anchor(owner any) error

	// Replay runs a graph on this stream, or records it if the backend can. The graph may be closed as soon as Replay
	// returns.
	Replay(Graph) error
	// Record marks the point after the work emitted so far. Recording an event again moves it.
	Record(Event) error
	// Wait makes later work run after the event. A capturing stream cannot wait for an event recorded outside of its
	// capture.
	Wait(Event) error
	// Sync blocks until everything emitted so far has run.
	Sync() error
	Close() error
}

// Event is a point in a stream for which another stream or the host can wait. Waiting for an event that was never
// recorded returns at once.
type Event interface {
	Sync() error
	Close() error
}

// Graph is recorded work that can be replayed any number of times. It keeps all memory that it uses until it is closed
// and no replay of it runs (see Lifetime), so that replays compute the same results after the buffers are closed.
type Graph interface {
	Device() Device
	Nodes() int // number of recorded operations, including those inside conditionals
	Close() error
}

// Repeater is a Stream that can hold a loop counted by the device. Streams of a device with Caps.WhileNodes implement
// it, inside conditional bodies too. Otherwise package exec emits one If per iteration.
type Repeater interface {
	// Repeat records body once. The device runs it while the int32 in flag is not zero, at most limit times; limit is 1 or
	// more. The flag is read before each iteration, and body changes it. The rules for body are those of If; If and Repeat
	// may be nested in each other. Outside a capture Repeat returns an *UnsupportedError.
	Repeat(flag View, limit int32, body func(Stream) error) error
}

// CaptureReporter is a Stream that queries a driver for its capture state, which may fail. Capture then returns
// CaptureInvalidated, and nothing may be emitted.
type CaptureReporter interface {
	// CaptureFailure returns why the last Capture could not determine the state, nil if it could.
	CaptureFailure() error
}

// CaptureIdentifier is a Stream whose driver identifies captures. Streams of a device with Caps.ForeignStreams
// implement it. Without it, nothing but the foreign library itself could tell that it has forked a stream into a
// capture or has begun another capture.
type CaptureIdentifier interface {
	// CaptureID identifies the capture that the stream takes part in; it is the same for all streams of the capture and
	// for no other capture of the process. It is 0 if there is no capture or the driver does not say.
	CaptureID() uint64
}

// Peeker is a Stream whose device memory the host can read at no cost. Streams of a device with Caps.CheapHostPoll
// implement it. Otherwise package exec downloads the flag and waits.
type Peeker interface {
	// Peek returns the int32 in flag after everything emitted so far. It returns an error while the stream is capturing.
	Peek(flag View) (int32, error)
}
