package cpu

import (
	"math"
	"os"
	"runtime"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/kernel"
)

// device is the processor with its workers and memory budget.
type device struct {
	recorder.Device
	recorder.Synchronous

	info      backend.Info
	debug     bool
	debugSeed uint64
	hearWork  func(*kernel.Def, kernel.Work) // may be nil
	lanes     bool                           // kernels run in machine code where they have some
	pool      *pool
	memory    *budget
	twins     sync.Mutex // held by the running twin
}

func open(options backend.Options, read func() (systemMemory, bool)) (*device, error) {
	workers := options.Workers
	if workers == 0 {
		workers = min(runtime.GOMAXPROCS(0), backend.MaxWorkers)
	}
	lanes, err := chooseLanes(options, os.Getenv(functionsVariable), kernel.HasLanes())
	if err != nil {
		return nil, err
	}
	d := &device{
		info:      describe(workers, lanes),
		lanes:     lanes,
		debug:     options.Debug,
		debugSeed: options.DebugSeed,
		hearWork:  options.Work,
		pool:      newPool(workers),
		memory:    newBudget(options.MemoryLimit, read),
	}
	if err := d.Start(d, d, recorder.LimitsCPU, d.debug); err != nil {
		d.pool.close()
		return nil, err
	}
	return d, nil
}

// Info implements backend.Device.
func (d *device) Info() backend.Info { return d.info }

// Caps says that graphs do not make producers faster here, that captures hold conditionals, and that eager streams poll
// flags (decision D14).
func (d *device) Caps() backend.Caps {
	return backend.Caps{
		Capture:             true,
		CaptureConditionals: true,
		WhileNodes:          true,
		CheapHostPoll:       true,
		ForeignMemory:       true,
		ExactFloat:          true,
		Denormals:           true,
		GraphRetain:         true,
		MaxBufferBytes:      d.memory.max(),
		MaxItems:            math.MaxInt32,
	}
}

// AdoptStream is not supported: there are no foreign streams on the CPU.
func (d *device) AdoptStream(uintptr) (backend.Stream, error) {
	return nil, &backend.UnsupportedError{Device: name, Op: "adopt stream", Reason: "the CPU has no foreign streams"}
}

// Blocked refuses a call by a kernel that would wait for a stream, because the kernel may be running on that stream.
func (d *device) Blocked(op string) error {
	if insideKernel() {
		return callerIsKernel(op)
	}
	return nil
}

// Prepare implements recorder.Driver: there is nothing to prepare.
func (d *device) Prepare(def *kernel.Def) error { return d.Runnable(def) }

// Runnable returns an error if this device cannot run def.
func (d *device) Runnable(def *kernel.Def) error {
	switch {
	case def.Go == nil:
		return &backend.UnsupportedError{Device: name, Op: "kernel " + def.Name, Reason: "it has no Go implementation"}
	case d.debug && def.Twin == nil:
		return &backend.UnsupportedError{Device: name, Op: "kernel " + def.Name,
			Reason: "debug mode is on, and it has no instrumented twin"}
	}
	return nil
}

// NewQueue implements recorder.Driver.
func (d *device) NewQueue(s *recorder.Stream) (recorder.Queue, error) {
	return &queue{device: d, stream: s}, nil
}

// MakeStream implements recorder.Driver.
func (d *device) MakeStream() (*recorder.Stream, backend.Stream) {
	s := new(recorder.Polling)
	return &s.Stream, s
}

// Peek reads a flag. Streams are synchronous, so all earlier work has run.
func (d *device) Peek(flag recorder.Span) (int32, error) {
	spans := [...]recorder.Span{flag}
	if !hold(spans[:]) {
		return 0, &backend.ClosedError{Op: "peek", What: "buffer"}
	}
	defer release(spans[:])
	value, isOpen := pointer(&flag)
	if !isOpen {
		return 0, &backend.ClosedError{Op: "peek", What: "buffer"}
	}
	return *(*int32)(value), nil
}

// Close ends the workers after the current work, and releases what is still open. A kernel must not call it.
func (d *device) Close() error {
	if insideKernel() {
		return callerIsKernel("close device")
	}
	first, err := d.Shut()
	if first {
		d.pool.close()
	}
	return err
}
