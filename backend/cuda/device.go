//go:build cgo && linux

package cuda

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/kernel"
)

// device is the primary context of one GPU and everything that was made on it.
type device struct {
	recorder.Inventory

	info    backend.Info
	library *library
	version int
	context context
	limit   int64 // of reserved

	conditionals bool   // whether captures hold conditionals
	reason       string // why not

	gate     sync.RWMutex // held for reading by calls that use the context and hold no stream, for writing by Close
	reserved atomic.Int64 // bytes of memory that has not been given back to the driver
	held     atomic.Int64 // allocations that somebody has a reference to
	base     *stream      // the default stream
	current  atomic.Pointer[stream]

	mu          sync.Mutex
	adopted     map[*stream]uint64              // open wrappers of foreign streams, numbered in the order of adoption
	adoptions   uint64                          // how many there have been
	modules     map[*kernel.Module]moduleHandle // they stay loaded until the device is closed
	loaded      []moduleHandle                  // the same, and that of the control kernel
	pending     []disposal                      // what the driver is to be given back
	lanes       []*lane                         // those that nobody uses
	outstanding int                             // retentions by graphs of others
	finished    bool                            // the context has been released

	disposing sync.Mutex // held by collect
	functions sync.Map   // *kernel.Def to *function
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
		info:    about,
		library: l,
		version: version,
		context: context,
		limit:   math.MaxInt64,
		adopted: make(map[*stream]uint64),
		modules: make(map[*kernel.Module]moduleHandle),
	}
	d.Start(d, d, options.Debug)
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

func (d *device) NewStream() (backend.Stream, error) {
	const op = "new stream"
	if err := d.Enter(op); err != nil {
		return nil, err
	}
	defer d.Leave()
	handle, f := d.context.createStream()
	if err := f.as(d.info.Name, op); err != nil {
		return nil, err
	}
	s := &stream{device: d, handle: handle, owned: true, site: d.Site()}
	if err := d.Keep(op, s, &s.id); err != nil {
		s.Release()
		return nil, err
	}
	return s, nil
}

func (d *device) DefaultStream() backend.Stream { return d.base }

func (d *device) CurrentStream() backend.Stream { return d.current.Load() }

// SetCurrentStream makes s the current stream; nil means the default stream.
func (d *device) SetCurrentStream(s backend.Stream) error {
	const op = "set current stream"
	if err := d.Usable(op); err != nil {
		return err
	}
	if s == nil {
		d.current.Store(d.base)
		return nil
	}
	own, ok := s.(*stream)
	if ok && own != nil && own.body != nil {
		return &backend.ArgumentError{Op: op, Argument: "stream", Value: "that of a conditional body", Allowed: "a stream of this device"}
	}
	if !ok || own == nil || own.device != d {
		return &backend.ArgumentError{Op: op, Argument: "stream", Value: recorder.Stranger(s), Allowed: "a stream of this device"}
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
	if err := d.Enter(op); err != nil {
		return nil, err
	}
	defer d.Leave()
	if handle == perThread {
		return nil, &backend.ArgumentError{Op: op, Argument: "handle", Value: "2, the default stream of the calling thread",
			Allowed: "a stream that is the same on all threads"}
	}
	s := &stream{device: d, handle: streamHandle(handle), site: d.Site()}
	if !s.legacy() {
		same, f := d.context.owns(s.handle)
		if err := f.as(d.info.Name, op); err != nil {
			return nil, err
		}
		if !same {
			return nil, &backend.ArgumentError{Op: op, Argument: "handle", Value: "a stream of another context",
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
	d.Each(func(r recorder.Resource) {
		if s, ok := r.(*stream); ok && !s.gone {
			list = append(list, s.handle)
		}
	})
	for s := range d.adopted {
		list = append(list, s.handle)
	}
	return list
}

// Close releases what is still open. Memory that a graph of somebody else uses stays until that graph is gone.
func (d *device) Close() error {
	d.gate.Lock()
	first := d.Shut()
	d.gate.Unlock()
	if !first {
		return nil
	}
	d.mu.Lock()
	adopted := slices.Collect(maps.Keys(d.adopted))
	d.mu.Unlock()

	leaks := d.ReleaseAll()
	err := d.Collect() // while the streams that others own can still be waited for
	for _, s := range adopted {
		s.Release()
	}
	if d.base != nil {
		d.base.Release()
	}
	d.discardLanes()
	err = errors.Join(err, d.Collect(), d.finish())
	if leaks != nil {
		return errors.Join(leaks, err)
	}
	return err
}
