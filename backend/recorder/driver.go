package recorder

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Driver is what a backend implements for one device. Its methods may be called from any goroutine. All arguments
// have been checked.
type Driver interface {
	Info() backend.Info
	Caps() backend.Caps

	// Blocked is called before a call waits for a stream that another call holds. An error refuses the call.
	Blocked(op string) error

	// Conditionals returns an error that says why captures hold no conditionals, nil if they do.
	Conditionals(op string) error
	// Allocate returns device memory, zero at first use, and AllocateHost memory that Bytes of a host buffer
	// returns, zero too. The caller gets the only reference.
	Allocate(op string, bytes int64) (Memory, error)
	AllocateHost(op string, bytes int64) (HostMemory, error)
	// Collect is called after something has been closed: what nobody has a reference to can be given back.
	Collect() error

	// Runnable tells whether the device has code for a kernel, at no cost once it has been asked; Prepare makes it
	// ready.
	Runnable(def *kernel.Def) error
	Prepare(def *kernel.Def) error

	// MakeStream returns a zero stream, and what holds it as users get it: a *Stream, *Looping, *Polling or *Adoptable.
	MakeStream() (*Stream, backend.Stream)
	// NewQueue returns the driver's side of a stream that runs work; streams of bodies have none.
	NewQueue(s *Stream) (Queue, error)

	// Compile makes ready what a graph has recorded. All that the work uses is kept by the graph.
	Compile(w *Work) (Executable, error)
	// NewMark returns what a new event is marked with, and DropMark gives it up when nobody waits for it any more.
	NewMark(op string) (uint64, error)
	DropMark(mark uint64)
	// Await blocks until the device has reached a mark of a queue.
	Await(op string, mark uint64) error
}

// Guard is a Driver whose Close waits for calls, or whose device can be lost.
type Guard interface {
	// Enter keeps the device open until Leave, or says why it is of no use. A call that holds a stream has entered.
	Enter(op string) error
	Leave()
	// Hold is Enter for calls that close something, which a lost device takes too. Where it fails, the device is closed
	// and has released everything.
	Hold() bool
}

// Queue runs the work of one stream in order. The recorder holds the stream while it calls; Release is called when
// the device is being closed and nothing runs.
type Queue interface {
	// Run runs an operation or queues it. The operation and its slices are borrowed, but for Body.
	Run(o *Operation) error
	// Replay runs the work of a graph. Where Close of the executable comes first it returns a *backend.ClosedError.
	Replay(w *Work) error
	// Sync sends what is queued on its way. It returns the mark at which it has run, or 0 once it has run.
	Sync() (uint64, error)
	// Record sends what is queued on its way and marks an event, which has a mark: it returns the new one, at which
	// what was queued has run.
	Record(mark uint64) (uint64, error)
	// After makes what follows wait for a mark of an event.
	After(mark uint64) error
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

// Defaults is the part of a Driver that most have no need of.
type Defaults struct{}

// Collect implements Driver.
func (Defaults) Collect() error { return nil }

// Blocked implements Driver.
func (Defaults) Blocked(string) error { return nil }

// Conditionals implements Driver.
func (Defaults) Conditionals(string) error { return nil }

// NewMark implements Driver.
func (Defaults) NewMark(string) (uint64, error) { return 0, nil }

// DropMark implements Driver.
func (Defaults) DropMark(uint64) {}

// Synchronous is the part of a Driver that has nothing to do where the work of a call has run when it returns.
type Synchronous struct{ Defaults }

// Compile implements Driver.
func (Synchronous) Compile(*Work) (Executable, error) { return nil, nil }

// Await implements Driver.
func (Synchronous) Await(string, uint64) error { return nil }

// SynchronousQueue is the part of a Queue that has nothing to do where the work of a call has run when it returns.
type SynchronousQueue struct{}

// Sync implements Queue.
func (SynchronousQueue) Sync() (uint64, error) { return 0, nil }

// Record implements Queue.
func (SynchronousQueue) Record(uint64) (uint64, error) { return 0, nil }

// After implements Queue.
func (SynchronousQueue) After(uint64) error { return nil }

// Close implements Queue.
func (SynchronousQueue) Close() error { return nil }

// Release implements Queue.
func (SynchronousQueue) Release() {}
