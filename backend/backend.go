// Package backend defines what a compute backend offers and keeps the registry of backends.
//
// A backend is opened by name, as a database driver is:
//
//	import _ "github.com/trackgen-go/trackgen/backend/cpu"
//
//	device, err := backend.Open("cpu")
//
// # Who validates
//
// Every call is checked twice, each time for a reason of its own. Package exec checks what its callers promise, above all
// backends, and names arguments as they do. Every backend checks what its memory depends on, before it emits anything: that
// a thing is of this device and open, that a range lies within its buffer, that a launch has the arguments of its kernel,
// and that the capture state allows the call. So a program that uses a backend without exec can fail and cannot corrupt
// memory. Package recorder, below the backends, holds these checks once: those of arguments for all of them, those of
// captures for all but CUDA, whose streams others can capture. A driver refuses only what it alone can know. A backend
// lowers an operation or refuses it with an error; it never skips one.
//
// # Lifetime
//
// Closing takes a thing from the caller, and from nobody else (R166); the rule is the same on every backend. New work
// on it is refused with ErrClosed. What was emitted before Close goes on as if nothing had happened: eager work that
// has not run yet, captures that have not ended, graphs, replays under way. Each keeps the memory that it uses, of
// buffers and of host buffers, flags of conditionals and loops included, and a graph that has recorded the replay of
// another keeps what that one uses. Streams and events may be closed as soon as a call with them has returned.
//
// Memory is free when the last of its users is gone: the buffer at its Close, eager work when it has run, a capture
// when it is dropped, a graph when it is closed and no replay of it runs, a graph that somebody else has captured
// (AdoptStream) when they have destroyed it. Until then it counts against MemoryLimit. Close of the device ends all but
// the last of these. Kernels stay loaded as long as the device.
package backend

import "github.com/trackgen-go/trackgen/kernel"

// Info describes a device.
type Info struct {
	Name        string // canonical: "cpu", "cuda:0", "vulkan:0"
	Backend     string // "cpu", "cuda", "vulkan"
	Description string // the device as its maker names it
	Driver      string // driver or runtime version
	Workers     int    // CPU: goroutines that run kernels at once; else 0
	MemoryBytes int64  // device memory, 0 if unknown
	Software    bool   // a graphics driver that computes on the CPU: opened by name only, never by "auto"
}

// Caps says what a device can do. Policy reads Caps and never a name.
type Caps struct {
	Capture             bool // streams can capture, graphs can be replayed
	OwnGraphs           bool // a producer gains by replaying a graph of its own (false on the CPU: decision D14)
	CaptureConditionals bool // If works inside a capture
	EagerConditionals   bool // If works on a stream that is not capturing (decision D3)
	WhileNodes          bool // a capture can hold a device-counted loop (decision D12)
	CheapHostPoll       bool // reading device memory costs no synchronisation: the CPU
	ForeignStreams      bool // AdoptStream works
	ExactFloat          bool // float32 + - * / sqrt are exactly rounded and never contracted
	GraphRetain         bool // a graph keeps anchored owners alive
	MaxBufferBytes      int64
	// LoopIterations is how many iterations all loops of one invocation of a kernel make together before the device
	// ends them without a word; 0 means any number. The test that ends a loop counts as one. Streams refuse a launch
	// that may make more (kernel.Def.Iterations).
	LoopIterations int64
	MaxItems       int64 // largest item count of one launch
}

// Device is one compute device. All methods may be called from any goroutine.
type Device interface {
	Info() Info
	Caps() Caps

	// Alloc returns device memory, zero at first use. bytes must be positive.
	Alloc(bytes int64) (Buffer, error)
	// AllocHost returns host memory that streams copy from and to.
	AllocHost(bytes int64) (HostBuffer, error)

	NewStream() (Stream, error)
	// DefaultStream returns the stream that always exists.
	DefaultStream() Stream
	// CurrentStream is the stream that allocation and legacy producers use (decision D15); the default stream at first.
	CurrentStream() Stream
	SetCurrentStream(Stream) error
	// AdoptStream wraps a foreign stream handle, which stays the foreigner's own.
	AdoptStream(handle uintptr) (Stream, error)

	NewEvent() (Event, error)

	// Load prepares kernels, so that a later capture loads nothing.
	Load(defs ...*kernel.Def) error

	// Close releases the device. If buffers, streams, events or graphs are still open, it releases them and returns a
	// *LeakError that lists them; memory that was closed and is kept by an open graph is no leak of its own. Closing
	// twice is a no-op.
	Close() error
}

// Buffer is device memory.
type Buffer interface {
	Device() Device
	Bytes() int64
	// Close gives the buffer up: new work on it is refused with ErrClosed, and work that was emitted or recorded before
	// keeps the memory (see Lifetime). Twice is a no-op.
	Close() error
}

// HostBuffer is host memory that the device can copy from and to without staging.
type HostBuffer interface {
	// Bytes returns the memory, nil once it is closed.
	Bytes() []byte
	// Close gives the buffer up, as Close of a Buffer does: what Bytes has returned must not be used any more, and
	// recorded uploads and downloads go on with the memory.
	Close() error
}

// View is a part of a buffer, in bytes. Offset is a multiple of 4. A view of 0 bytes may have no buffer.
type View struct {
	Buffer Buffer
	Offset int64
	Bytes  int64
}

// Launch is the arguments of one kernel launch. Buffers and Scalars follow the parameters of the definition. The backend
// keeps neither slice after the call returns.
type Launch struct {
	N         int32 // threads of a thread kernel, groups of a group kernel
	Buffers   []View
	Scalars   []uint32
	Block     int32 // threads of a block, 0 = the backend's choice; a tuning hint
	MaxBlocks int32 // most blocks (or workers) at once, 0 = no limit
}

// CaptureState tells whose capture a stream is recording into (decision D18).
type CaptureState uint8

// The capture states.
const (
	CaptureNone        CaptureState = iota
	CaptureOwn                      // begun by BeginCapture of this stream
	CaptureForeign                  // begun outside this library
	CaptureJoined                   // begun on another stream, which this one has joined
	CaptureInvalidated              // broken: nothing may be emitted before it ends
)

// Stream is an in-order queue of work. While it is capturing, the work is recorded and not run. Its methods may be called
// from any goroutine; the work runs in the order in which the calls get hold of the stream.
//
// A call that the capture state forbids returns a *CaptureError before anything is emitted, and the capture stays usable.
type Stream interface {
	Device() Device
	// Handle is the native stream, 0 where there is none.
	Handle() uintptr

	Launch(def *kernel.Def, launch Launch) error
	// Copy copies src.Bytes bytes on the device. The ranges are of equal size and do not overlap.
	Copy(dst, src View) error
	// Fill writes a 32-bit pattern over dst, whose size is a multiple of 4.
	Fill(dst View, pattern uint32) error
	// Upload copies from a host buffer, from offset on, to dst, in stream order. A recorded one reads the host buffer at
	// every replay.
	Upload(dst View, src HostBuffer, offset int64) error
	// Download copies src to a host buffer at offset, in stream order; the bytes are there after Sync.
	Download(dst HostBuffer, offset int64, src View) error

	// If emits body so that the device skips all of it when the int32 in flag is zero. body receives the stream to emit
	// on, for launches, fills and copies on the device only; until body returns, nothing else may be emitted in
	// the capture (decision D17). An eager stream stays free for others, whose work comes before the conditional. An error
	// of body is returned and leaves the stream and the capture usable. One If inside another means both.
	// Where Caps has no conditionals, If returns an *UnsupportedError and does not call body.
	If(flag View, body func(Stream) error) error

	// BeginCapture begins to record. Another stream joins the capture when it waits for an event that was recorded on a
	// stream in it; it has to be joined back, by an event in the other direction, before EndCapture.
	BeginCapture() error
	// EndCapture ends a capture that began on this stream. If it fails because a stream was not joined back, the capture
	// has ended all the same.
	EndCapture() (Graph, error)
	Capture() CaptureState
	// Anchor keeps owner reachable for as long as the graph that this stream is recording.
	Anchor(owner any) error

	// Replay runs a graph on this stream, or records it where the backend can. The graph may be closed when it returns.
	Replay(Graph) error
	// Record marks the point after the work emitted so far. Recording an event again moves it.
	Record(Event) error
	// Wait lets the work that follows run after the event. A stream that is capturing cannot wait for an event recorded
	// outside its capture.
	Wait(Event) error
	// Sync blocks until everything emitted so far has run.
	Sync() error
	Close() error
}

// Event is a point in a stream that another stream or the host can wait for. Waiting for an event that was never
// recorded waits for nothing.
type Event interface {
	Sync() error
	Close() error
}

// Graph is recorded work that can be replayed any number of times. It keeps all memory that it uses until it is closed
// and no replay of it runs (see Lifetime), so that a replay after Close of a buffer computes what it computed before.
type Graph interface {
	Device() Device
	Nodes() int // operations recorded, those inside conditionals included
	Close() error
}

// Repeater is a Stream that can hold a loop which the device counts. Streams of a device with Caps.WhileNodes implement
// it, inside conditional bodies too; where they do not, package exec emits one If for each iteration.
type Repeater interface {
	// Repeat records body once, so that the device runs it while the int32 in flag is not zero, at most limit times, which
	// is 1 or more. The flag is read before each iteration, and body changes it. The rules for the body are those of If,
	// which may stand inside it and around it. Outside a capture Repeat returns an *UnsupportedError.
	Repeat(flag View, limit int32, body func(Stream) error) error
}

// CaptureReporter is a Stream that asks a driver for its capture state, which may fail. Capture then returns
// CaptureInvalidated, with which nothing may be emitted.
type CaptureReporter interface {
	// CaptureFailure returns why the last Capture could not tell the state, nil if it could.
	CaptureFailure() error
}

// CaptureIdentifier is a Stream whose driver tells captures apart. Streams of a device with Caps.ForeignStreams implement it:
// the only other way to know that a foreign library has forked a stream into a capture, or has begun another one, is to be
// told.
type CaptureIdentifier interface {
	// CaptureID returns the number of the capture that the stream takes part in, the same for all streams in it. It is 0
	// if the stream takes part in none, or the driver does not say. No other capture of the process has the same number.
	CaptureID() uint64
}

// Peeker is a Stream whose device memory the host can read at no cost. Streams of a device with Caps.CheapHostPoll
// implement it; where they do not, package exec downloads the flag and waits.
type Peeker interface {
	// Peek returns the int32 in flag after everything emitted so far. It is refused while the stream is capturing.
	Peek(flag View) (int32, error)
}
