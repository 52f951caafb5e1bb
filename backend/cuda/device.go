//go:build cgo && linux

package cuda

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// device is the primary context of one GPU and everything that was made on it.
type device struct {
	recorder.Device
	recorder.Defaults

	info    backend.Info
	library *library
	version int
	context context
	limit   int64 // upper bound of reserved, in bytes
	cache   *cache

	multiprocessors int
	multiprocessor  multiprocessor

	ifs, loops support // of conditionals and of loops in captures
	abandoned  bool    // the driver hangs; see bounded

	gate     sync.RWMutex // calls hold it for reading, Close for writing
	reserved atomic.Int64 // bytes of memory that has not been given back to the driver
	held     atomic.Int64 // number of allocations that have references

	mu          sync.Mutex
	queues      map[*queue]struct{} // streams that have not been given back to the driver or to their owner
	adoptions   uint64              // number of streams that have been adopted so far
	compiler    compiler
	loaded      []moduleHandle // modules stay loaded until the device is closed
	pending     []disposal     // handles to give back to the driver
	lanes       []*lane        // those not in use
	outstanding int            // number of retentions by graphs of others
	finished    bool           // whether the context has been released

	disposing sync.Mutex // held by collect
	functions sync.Map   // *kernel.Def to *function: kernels that can be launched
}

// open opens a device, loads the control kernels and probes conditionals.
func open(l *library, version, index int, about description, options backend.Options, s settings) (
	_ *device, err error,
) {
	info := about.info(version, index)
	context, f := l.open(index)
	if err := f.as(info.Name, "open the device"); err != nil {
		return nil, err
	}
	d := &device{
		info:            info,
		library:         l,
		version:         version,
		context:         context,
		limit:           math.MaxInt64,
		multiprocessors: about.multiprocessors,
		multiprocessor:  about.multiprocessor,
		queues:          make(map[*queue]struct{}),
		compiler:        compiler{all: make(map[source]*compilation), closing: make(chan struct{})},
	}
	if options.MemoryLimit > 0 {
		d.limit = options.MemoryLimit
	}
	defer func() {
		if err != nil && !d.abandoned {
			err = errors.Join(err, d.Close())
		}
	}()
	if err := d.Start(d, d, recorder.LimitsCUDA, options.Debug); err != nil {
		return nil, err
	}
	if err := d.probe(s); err != nil {
		return nil, err
	}
	d.cache = openCache(d, about, options, s)
	return d, nil
}

func (d *device) Info() backend.Info { return d.info }

// Caps reports conditionals and loops in captures only if they worked in the probe at open (decision D9).
func (d *device) Caps() backend.Caps {
	return backend.Caps{
		Capture:             true,
		OwnGraphs:           true,
		CaptureConditionals: d.ifs.works,
		WhileNodes:          d.loops.works,
		ForeignStreams:      true,
		ForeignMemory:       true,
		ExactFloat:          true,
		Denormals:           true,
		GraphRetain:         true,
		MaxBufferBytes:      d.info.MemoryBytes,
		MaxItems:            math.MaxInt32,
	}
}

var _ recorder.Guard = (*device)(nil)

// Enter implements recorder.Guard.
func (d *device) Enter(op string) error {
	d.gate.RLock()
	err := d.Usable(op)
	if err != nil {
		d.gate.RUnlock()
	}
	return err
}

// Hold implements recorder.Guard. It waits for Close of the device, because the owner of an adopted stream may destroy
// the stream as soon as Close of the stream returns.
func (d *device) Hold() bool { return d.Enter("") == nil }

// Leave implements recorder.Guard.
func (d *device) Leave() { d.gate.RUnlock() }

// Conditionals implements recorder.Driver.
func (d *device) Conditionals(kind backend.OperationKind) error {
	of := d.ifs
	if kind == backend.OperationRepeat {
		of = d.loops
	}
	if of.works {
		return nil
	}
	return &backend.UnsupportedError{Device: d.info.Name, Op: kind.String(), Reason: of.reason}
}

// AdoptStream wraps a stream of the same context that belongs to somebody else. Handles 0 and 1 are the driver's legacy
// default stream, which cannot be captured. Handle 2, the default stream of the calling thread, is refused, because
// goroutines have no thread of their own. The owner must keep the stream until the wrapper is closed. If the wrapper is
// closed during a capture that it has seen, the owner must keep the stream longer: until something of this package is
// closed after the end of the capture.
func (d *device) AdoptStream(handle uintptr) (backend.Stream, error) {
	const op = "adopt stream"
	if err := d.Enter(op); err != nil {
		return nil, err
	}
	defer d.Leave()
	if handle == perThread {
		return nil, &backend.ArgumentError{Op: op, Argument: "handle", Value: "2, the default stream of the calling thread",
			Allowed: "a stream that is the same on all threads"}
	}
	q := &queue{device: d, handle: streamHandle(handle)}
	if !q.legacy() {
		same, f := d.context.owns(q.handle)
		if err := f.as(d.info.Name, op); err != nil {
			return nil, err
		}
		if !same {
			return nil, &backend.ArgumentError{Op: op, Argument: "handle", Value: "a stream of another context",
				Allowed: "a stream of the primary context of " + d.info.Name}
		}
	}
	var self backend.Stream
	q.stream, self = d.Adopt(q)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.adoptions++
	q.number = d.adoptions
	d.queues[q] = struct{}{}
	return self, nil
}

// adopted returns the adopted streams in the order of adoption. The caller holds d.mu.
func (d *device) adopted() []*queue {
	var list []*queue
	for q := range d.queues {
		if q.number > 0 {
			list = append(list, q)
		}
	}
	slices.SortFunc(list, func(a, b *queue) int { return cmp.Compare(a.number, b.number) })
	return list
}

// adoptedBefore returns the adopted streams that can be captured and were adopted before q, in the order of adoption.
// If q was not adopted, it returns all adopted streams that can be captured.
func (d *device) adoptedBefore(q *queue) (handles []streamHandle) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, a := range d.adopted() {
		if !a.legacy() && (q.number == 0 || a.number < q.number) {
			handles = append(handles, a.handle)
		}
	}
	return handles
}

// Close releases what is still open. Memory that a graph of somebody else uses is kept until that graph is gone, and
// the context until the driver's compiler has returned.
func (d *device) Close() error {
	d.stopCompiling() // for which others may wait in the gate
	d.compiler.keeping.Wait()
	d.gate.Lock()
	defer d.gate.Unlock()
	first, leaks := d.Shut()
	if !first {
		return nil
	}
	err := d.Collect() // while it is still possible to wait for streams that others own
	d.mu.Lock()
	adopted := d.adopted()
	d.mu.Unlock()
	for _, q := range adopted {
		q.stream.Release()
	}
	d.discardLanes()
	err = errors.Join(err, d.Collect(), d.finish())
	if leaks != nil {
		return errors.Join(leaks, err)
	}
	return err
}
