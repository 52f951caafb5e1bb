package cpu

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// device is the processor with its workers, its memory budget and everything that was made on it.
type device struct {
	info      backend.Info
	debug     bool
	debugSeed uint64
	hearWork  func(*kernel.Def, kernel.Work) // nil: nobody
	pool      *pool
	memory    *budget
	closed    atomic.Bool
	base      *stream // the default stream
	current   atomic.Pointer[stream]
	twins     sync.Mutex // held by the twin that runs

	mu        sync.Mutex
	made      uint64              // resources made so far: the identity of the last one
	resources map[uint64]resource // those still open
}

// resource is something that is open until its Close, and that the device can release and list.
type resource interface {
	release()
	leak() backend.Leak
}

func open(options backend.Options, read func() (systemMemory, bool)) *device {
	workers := options.Workers
	if workers == 0 {
		workers = min(runtime.GOMAXPROCS(0), backend.MaxWorkers)
	}
	d := &device{
		info:      describe(workers),
		debug:     options.Debug,
		debugSeed: options.DebugSeed,
		hearWork:  options.Work,
		pool:      newPool(workers),
		memory:    newBudget(options.MemoryLimit, read),
		resources: make(map[uint64]resource),
	}
	d.base = &stream{device: d}
	d.current.Store(d.base)
	return d
}

func (d *device) Info() backend.Info { return d.info }

// Caps says that a producer gains nothing from a graph of its own here, that captures hold conditionals and that an eager
// stream polls flags (decision D14).
func (d *device) Caps() backend.Caps {
	return backend.Caps{
		Capture:             true,
		CaptureConditionals: true,
		WhileNodes:          true,
		CheapHostPoll:       true,
		ExactFloat:          true,
		GraphRetain:         true,
		MaxBufferBytes:      d.memory.max(),
		MaxItems:            math.MaxInt32,
	}
}

// usable returns an error if the device is closed.
func (d *device) usable(op string) error {
	if d.closed.Load() {
		return &backend.ClosedError{Op: op, What: "device"}
	}
	return nil
}

// keep adds an open resource to the list and returns its identity, which grows with every resource made.
func (d *device) keep(op string, r resource) (uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(op); err != nil {
		return 0, err
	}
	d.made++
	d.resources[d.made] = r
	return d.made, nil
}

// forget takes a closed resource off the list.
func (d *device) forget(id uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.resources, id)
}

// foreign describes something that is not of this device, for an error message.
func foreign(value any) string {
	switch value.(type) {
	case nil:
		return "nil"
	case *buffer, *hostBuffer, *stream, *event, *graph:
		return "nil or of another device"
	default:
		return fmt.Sprintf("a %T", value)
	}
}

func (d *device) NewStream() (backend.Stream, error) {
	s := &stream{device: d, site: d.site()}
	id, err := d.keep("new stream", s)
	if err != nil {
		return nil, err
	}
	s.id = id
	return s, nil
}

func (d *device) DefaultStream() backend.Stream { return d.base }

func (d *device) CurrentStream() backend.Stream { return d.current.Load() }

// SetCurrentStream makes s the current stream; nil means the default stream.
func (d *device) SetCurrentStream(s backend.Stream) error {
	const op = "set current stream"
	if err := d.usable(op); err != nil {
		return err
	}
	if s == nil {
		d.current.Store(d.base)
		return nil
	}
	own, ok := s.(*stream)
	if ok && own != nil && own.parent != nil {
		return &backend.ArgumentError{Op: op, Arg: "stream", Value: "that of a conditional body", Allowed: "a stream of this device"}
	}
	if !ok || own == nil || own.device != d {
		return &backend.ArgumentError{Op: op, Arg: "stream", Value: foreign(s),
			Allowed: "a stream of this device"}
	}
	if own.closed.Load() {
		return &backend.ClosedError{Op: op, What: "stream"}
	}
	d.current.Store(own)
	return nil
}

// AdoptStream is not supported: there are no foreign streams on the CPU.
func (d *device) AdoptStream(uintptr) (backend.Stream, error) {
	return nil, &backend.UnsupportedError{Device: name, Op: "adopt stream", Reason: "the CPU has no foreign streams"}
}

// Load checks the definitions; there is nothing to prepare.
func (d *device) Load(defs ...*kernel.Def) error {
	if err := d.usable("load"); err != nil {
		return err
	}
	for i, def := range defs {
		if def == nil {
			return &backend.ArgumentError{Op: "load", Arg: fmt.Sprintf("kernel %d", i), Value: "nil", Allowed: "a definition"}
		}
		if err := d.runnable(def); err != nil {
			return err
		}
	}
	return nil
}

// runnable tells whether def has what a launch on this device runs.
func (d *device) runnable(def *kernel.Def) error {
	switch {
	case def.Go == nil:
		return &backend.UnsupportedError{Device: name, Op: "kernel " + def.Name, Reason: "it has no Go implementation"}
	case d.debug && def.Twin == nil:
		return &backend.UnsupportedError{Device: name, Op: "kernel " + def.Name,
			Reason: "debug mode is on, and it has no instrumented twin"}
	}
	return nil
}

// Close ends the workers, after the work in hand, and releases what is still open. It may not be called by a kernel.
func (d *device) Close() error {
	if insideKernel() {
		return callerIsKernel("close device")
	}
	d.mu.Lock()
	if d.closed.Swap(true) {
		d.mu.Unlock()
		return nil
	}
	left := d.resources
	d.resources = nil
	d.mu.Unlock()

	ids := make([]uint64, 0, len(left))
	for id := range left {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var leaks []backend.Leak
	for _, id := range ids {
		leaks = append(leaks, left[id].leak())
		left[id].release()
	}
	d.base.release()
	d.pool.close()
	if len(leaks) > 0 {
		return &backend.LeakError{Device: name, Leaks: leaks}
	}
	return nil
}
