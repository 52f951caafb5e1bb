//go:build cgo && linux

package cuda

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// device is the primary context of one GPU and everything that was made on it.
type device struct {
	info    backend.Info
	library *library
	version int
	context context
	debug   bool
	limit   int64 // of reserved

	conditionals bool   // whether captures hold conditionals
	reason       string // why not

	gate     sync.RWMutex // held for reading by calls that use the context and hold no stream, for writing by Close
	closed   atomic.Bool
	reserved atomic.Int64 // bytes of memory that has not been given back to the driver
	held     atomic.Int64 // allocations that somebody has a reference to
	base     *stream      // the default stream
	current  atomic.Pointer[stream]

	mu          sync.Mutex
	made        uint64                          // resources made so far: the identity of the last one
	resources   map[uint64]resource             // those still open
	adopted     map[*stream]uint64              // open wrappers of foreign streams, numbered in the order of adoption
	adoptions   uint64                          // how many there have been
	modules     map[*kernel.Module]moduleHandle // they stay loaded until the device is closed
	loaded      []moduleHandle                  // the same, and that of the control kernel
	pending     []disposal                      // what the driver is to be given back
	recorders   []*recorder                     // those that nobody uses
	outstanding int                             // retentions by graphs of others
	finished    bool                            // the context has been released

	disposing sync.Mutex // held by collect
	functions sync.Map   // *kernel.Def to *function
}

// resource is something that is open until its Close, and that the device can release and list.
type resource interface {
	release() bool
	leak() backend.Leak
}

// open opens a device, loads the control kernel and probes conditionals.
func open(l *library, version, index int, options backend.Options, s settings) (_ *device, err error) {
	about, err := info(l, version, index)
	if err != nil {
		return nil, err
	}
	context, f := l.open(index)
	if err := f.as(about.Name, "open the device"); err != nil {
		return nil, err
	}
	d := &device{
		info:      about,
		library:   l,
		version:   version,
		context:   context,
		debug:     options.Debug,
		limit:     math.MaxInt64,
		resources: make(map[uint64]resource),
		adopted:   make(map[*stream]uint64),
		modules:   make(map[*kernel.Module]moduleHandle),
	}
	if options.MemoryLimit > 0 {
		d.limit = options.MemoryLimit
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, d.Close())
		}
	}()
	handle, f := context.createStream()
	if err := f.as(about.Name, "make the default stream"); err != nil {
		return nil, err
	}
	d.base = &stream{device: d, handle: handle, owned: true}
	d.current.Store(d.base)
	if d.conditionals, d.reason, err = d.probe(s); err != nil {
		return nil, err
	}
	return d, nil
}

func (d *device) Info() backend.Info { return d.info }

// Caps says that captures hold conditionals where the probe at open has seen one work (decision D9).
func (d *device) Caps() backend.Caps {
	return backend.Caps{
		Capture:             true,
		OwnGraphs:           true,
		CaptureConditionals: d.conditionals,
		WhileNodes:          d.conditionals,
		ForeignStreams:      true,
		ExactFloat:          true,
		GraphRetain:         true,
		MaxBufferBytes:      d.info.MemoryBytes,
		MaxItems:            math.MaxInt32,
	}
}

// enter keeps the device open until leave. What works on a stream holds the lock of the stream instead, which Close takes.
func (d *device) enter(op string) error {
	d.gate.RLock()
	if err := d.usable(op); err != nil {
		d.gate.RUnlock()
		return err
	}
	return nil
}

func (d *device) leave() { d.gate.RUnlock() }

// usable returns an error if the device is closed.
func (d *device) usable(op string) error {
	if d.closed.Load() {
		return &backend.ClosedError{Op: op, What: "device"}
	}
	return nil
}

// keep adds an open resource, which is complete, to the list and sets its identity, which grows with every resource made. From
// then on Close of the device may release it.
func (d *device) keep(op string, r resource, id *uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(op); err != nil {
		return err
	}
	d.made++
	*id = d.made
	d.resources[d.made] = r
	return nil
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
	const op = "new stream"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	handle, f := d.context.createStream()
	if err := f.as(d.info.Name, op); err != nil {
		return nil, err
	}
	s := &stream{device: d, handle: handle, owned: true, site: d.site()}
	if err := d.keep(op, s, &s.id); err != nil {
		s.release()
		return nil, err
	}
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
	if ok && own != nil && own.body != nil {
		return &backend.ArgumentError{Op: op, Arg: "stream", Value: "that of a conditional body", Allowed: "a stream of this device"}
	}
	if !ok || own == nil || own.device != d {
		return &backend.ArgumentError{Op: op, Arg: "stream", Value: foreign(s), Allowed: "a stream of this device"}
	}
	if own.closed.Load() {
		return &backend.ClosedError{Op: op, What: "stream"}
	}
	d.current.Store(own)
	return nil
}

// AdoptStream wraps a stream that belongs to somebody else, of the same context. 0 and 1 are the driver's legacy default
// stream, which cannot be captured. 2, the default stream of the calling thread, is refused: goroutines have no thread of
// their own. The owner must keep the stream until the wrapper is closed; if that happens during a capture that the wrapper
// has seen, until something of this package has been closed after the end of the capture.
func (d *device) AdoptStream(handle uintptr) (backend.Stream, error) {
	const op = "adopt stream"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	if handle == perThread {
		return nil, &backend.ArgumentError{Op: op, Arg: "handle", Value: "2, the default stream of the calling thread",
			Allowed: "a stream that is the same on all threads"}
	}
	s := &stream{device: d, handle: streamHandle(handle), site: d.site()}
	if !s.legacy() {
		same, f := d.context.owns(s.handle)
		if err := f.as(d.info.Name, op); err != nil {
			return nil, err
		}
		if !same {
			return nil, &backend.ArgumentError{Op: op, Arg: "handle", Value: "a stream of another context",
				Allowed: "a stream of the primary context of " + d.info.Name}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.adoptions++
	d.adopted[s] = d.adoptions
	return s, nil
}

// adoptedBefore returns the foreign streams that can be captured and were adopted before s, all of them if s is not one, in
// the order of adoption.
func (d *device) adoptedBefore(s *stream) []streamHandle {
	d.mu.Lock()
	defer d.mu.Unlock()
	limit, isAdopted := d.adopted[s]
	var earlier []*stream
	for a, number := range d.adopted {
		if !a.legacy() && (!isAdopted || number < limit) {
			earlier = append(earlier, a)
		}
	}
	slices.SortFunc(earlier, func(a, b *stream) int { return cmp.Compare(d.adopted[a], d.adopted[b]) })
	handles := make([]streamHandle, len(earlier))
	for i, a := range earlier {
		handles[i] = a.handle
	}
	return handles
}

// streams returns the handles of all streams that have not been given up. The caller holds d.mu.
func (d *device) streams() []streamHandle {
	var list []streamHandle
	if d.base != nil && !d.base.gone {
		list = append(list, d.base.handle)
	}
	for _, r := range d.resources {
		if s, ok := r.(*stream); ok && !s.gone {
			list = append(list, s.handle)
		}
	}
	for s := range d.adopted {
		list = append(list, s.handle)
	}
	return list
}

// Close releases what is still open. Memory that a graph of somebody else uses stays until that graph is gone.
func (d *device) Close() error {
	d.gate.Lock()
	twice := d.closed.Swap(true)
	d.gate.Unlock()
	if twice {
		return nil
	}
	d.mu.Lock()
	left := maps.Clone(d.resources)
	adopted := slices.Collect(maps.Keys(d.adopted))
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
	err := d.collect() // while the streams that others own can still be waited for
	for _, s := range adopted {
		s.release()
	}
	if d.base != nil {
		d.base.release()
	}
	d.discardRecorders()
	d.mu.Lock()
	d.resources = nil
	d.mu.Unlock()
	err = errors.Join(err, d.collect(), d.finish())
	if len(leaks) > 0 {
		return errors.Join(&backend.LeakError{Device: d.info.Name, Leaks: leaks}, err)
	}
	return err
}
