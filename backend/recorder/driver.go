package recorder

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Driver is what a backend implements for one device. Its methods may be called from any goroutine. All arguments have
// been checked.
type Driver interface {
	Info() backend.Info
	Caps() backend.Caps

	// Blocked is called before a call waits for a stream that another call holds. If it returns an error, the call
	// fails with that error.
	Blocked(op string) error

	// Conditionals returns nil if captures support a kind of conditional, If or Repeat, otherwise an error with the
	// reason.
	Conditionals(kind backend.OperationKind) error
	// Allocate returns zeroed device memory, and AllocateHost zeroed host memory for a host buffer. The caller gets the
	// only reference.
	Allocate(op string, bytes int64) (Memory, error)
	AllocateHost(op string, bytes int64) (HostMemory, error)
	// Collect is called after something has been closed. The driver can then free what has no references left.
	Collect() error

	// Runnable returns an error if the device cannot run a kernel; repeated calls are cheap. Load asks it for all kernels
	// before it prepares any. Prepare makes the kernel ready to launch.
	Runnable(def *kernel.Def) error
	Prepare(def *kernel.Def) error

	// MakeStream returns a zero stream, and the value that users hold, which contains it: a *Stream, *Looping, *Polling
	// or *Adoptable.
	MakeStream() (*Stream, backend.Stream)
	// NewQueue returns the driver's part of a stream; the streams of bodies have none.
	NewQueue(s *Stream) (Queue, error)

	// Compile prepares the recorded work of a graph for replays. The graph keeps everything that the work uses.
	Compile(w *Work) (Executable, error)
	// NewMark returns the first mark of a new event. DropMark gives a mark up, when no call waits for it any more.
	NewMark(op string) (uint64, error)
	DropMark(mark uint64)
	// Await blocks until the device has reached a mark of a queue.
	Await(op string, mark uint64) error
}

// Guard is a Driver whose Close waits for calls, or whose device can be lost.
type Guard interface {
	// Enter keeps the device open until Leave. It returns an error if the device is closed or lost. Any call that holds
	// a stream has entered.
	Enter(op string) error
	Leave()
	// Hold is Enter for calls that close something, which are also allowed on a lost device. If it returns false, the
	// device is closed and has released everything.
	Hold() bool
}

// Queue runs the work of one stream in order. The recorder holds the stream during every call except Release, which is
// called while the device is being closed and nothing runs.
type Queue interface {
	// Run runs or queues an operation. The operation and its slices, except Body, are only valid during the call.
	Run(o *Operation) error
	// Replay runs the work of a graph. If the executable has been closed, it returns a *backend.ClosedError.
	Replay(w *Work) error
	// Sync submits the queued work. It returns the mark that is reached when that work has run, or 0 if it has run
	// already.
	Sync() (uint64, error)
	// Record submits the queued work and records an event that has a mark. It returns the event's new mark, which is
	// reached when the queued work has run.
	Record(mark uint64) (uint64, error)
	// After makes all later work wait for the mark of an event.
	After(mark uint64) error
	// Close submits the queued work. The queue gets no more work.
	Close() error
	Release()
}

// Executable is what Compile made of the work of a graph, nil if the driver needs nothing.
type Executable interface {
	// Close is called when the graph is closed. Replays in flight continue, and a replay may begin at the same time.
	Close()
	// Release is called when the device is being closed and nothing runs.
	Release()
}

// Keeper is something that recorded work uses. It counts references, and is freed when the last one is released.
type Keeper interface {
	Retain() bool // adds a reference and returns true, unless none is left
	Release()
}

// Memory is device memory or host memory of a driver. Values are comparable; equal values are the same memory.
type Memory interface{ Keeper }

// HostMemory is host memory of a driver.
type HostMemory interface {
	Memory
	// Bytes returns the memory. The caller holds a reference.
	Bytes() []byte
}

// Defaults implements the methods of Driver that most drivers do not need.
type Defaults struct{}

// Collect implements Driver.
func (Defaults) Collect() error { return nil }

// Blocked implements Driver.
func (Defaults) Blocked(string) error { return nil }

// Conditionals implements Driver.
func (Defaults) Conditionals(backend.OperationKind) error { return nil }

// NewMark implements Driver.
func (Defaults) NewMark(string) (uint64, error) { return 0, nil }

// DropMark implements Driver.
func (Defaults) DropMark(uint64) {}

// Synchronous implements the methods of Driver that have nothing to do if all work has run when a call returns.
type Synchronous struct{ Defaults }

// Compile implements Driver.
func (Synchronous) Compile(*Work) (Executable, error) { return nil, nil }

// Await implements Driver.
func (Synchronous) Await(string, uint64) error { return nil }

// SynchronousQueue implements the methods of Queue that have nothing to do if all work has run when a call returns.
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
