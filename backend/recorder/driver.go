package recorder

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Driver is what a backend implements for one device. Its methods may be called from any goroutine. All arguments
// have been checked.
type Driver interface {
	Source
	Caps() backend.Caps

	// Hold is Enter for calls that close something, which a lost device takes too. It fails once the device is closed.
	Hold() bool
	// Blocked is called before a call waits for a stream that another call holds. An error refuses the call.
	Blocked(op string) error

	// Runnable tells at no cost whether the device has code for a kernel; Prepare makes it ready.
	Runnable(def *kernel.Def) error
	Prepare(def *kernel.Def) error

	// MakeStream returns a zero stream, and what holds it as users get it: a *Stream, *Looping or *Polling.
	MakeStream() (*Stream, backend.Stream)
	// NewQueue returns the driver's side of a stream that runs work; streams of bodies have none.
	NewQueue(s *Stream) (Queue, error)

	// Compile makes ready what a graph has recorded. All that the work uses is kept by the graph.
	Compile(w *Work) (Executable, error)
	// Await blocks until the device has reached a mark of a queue.
	Await(mark uint64) error
}

// Queue runs the work of one stream in order. The recorder holds the stream while it calls; Release is called when
// the device is being closed and nothing runs.
type Queue interface {
	// Run runs an operation or queues it. The operation and its slices are borrowed, but for Body.
	Run(o *Operation) error
	// Replay runs the work of a graph. Where Close of the executable comes first it returns a *backend.ClosedError.
	Replay(w *Work) error
	// Mark sends what is queued on its way, and returns the mark at which it has run.
	Mark() (uint64, error)
	// After makes what follows wait for a mark.
	After(mark uint64)
	// Close sends what is queued on its way. The queue gets no more work.
	Close() error
	Release()
}

// Executable is what a driver has made of the work of a graph, nil if it needs nothing.
type Executable interface {
	// Close gives it up when the graph is closed: replays under way go on. A replay may be about to begin.
	Close()
	// Release gives it up when the device is being closed and nothing runs.
	Release()
}

// Keeper is what recorded work uses, and what is given back when nobody has a reference to it any more.
type Keeper interface {
	Retain() bool // adds a reference, unless there is none left
	Release()
}

// Memory is device memory or host memory of a driver. It is comparable: two are the same memory if they are equal.
type Memory interface{ Keeper }

// HostMemory is memory of the host.
type HostMemory interface {
	Memory
	// Bytes returns the memory; it is called while there is a reference.
	Bytes() []byte
}

// Synchronous is the part of a Driver that has nothing to do where the work of a call has run when it returns.
type Synchronous struct{}

// Enter implements Driver.
func (Synchronous) Enter(string) error { return nil }

// Hold implements Driver.
func (Synchronous) Hold() bool { return true }

// Leave implements Driver.
func (Synchronous) Leave() {}

// Collect implements Driver.
func (Synchronous) Collect() error { return nil }

// Blocked implements Driver.
func (Synchronous) Blocked(string) error { return nil }

// Compile implements Driver.
func (Synchronous) Compile(*Work) (Executable, error) { return nil, nil }

// Await implements Driver.
func (Synchronous) Await(uint64) error { return nil }

// SynchronousQueue is the part of a Queue that has nothing to do where the work of a call has run when it returns.
type SynchronousQueue struct{}

// Mark implements Queue.
func (SynchronousQueue) Mark() (uint64, error) { return 0, nil }

// After implements Queue.
func (SynchronousQueue) After(uint64) {}

// Close implements Queue.
func (SynchronousQueue) Close() error { return nil }

// Release implements Queue.
func (SynchronousQueue) Release() {}
