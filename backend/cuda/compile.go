//go:build cgo && linux

package cuda

import (
	std "context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// The driver's compiler takes up to seconds for a kernel. It runs on threads of its own, and holds nothing that other
// calls need: neither a lock nor the gate of the device. So allocations, launches of other kernels and captures go on,
// and Close does not wait for it.

// source is what the driver compiles at once: one kernel, so that a program pays for the kernels that it uses.
type source struct {
	module *kernel.Module
	entry  string
}

func sourceOf(def *kernel.Def) source { return source{def.Module, def.Entry} }

// compilation is a kernel that is compiled, or waits for that. The results are set once done is closed.
type compilation struct {
	source   source
	done     chan struct{}
	function *function
	err      error

	waiters int  // calls that need it; guarded by the mutex of the device, as begun
	begun   bool // whether a thread compiles it
}

// compiler is the state of all compilations of a device, guarded by its mutex.
type compiler struct {
	all       map[source]*compilation // those that have not failed
	queue     []*compilation          // not begun, the oldest first
	threads   int                     // that work on the queue, at most GOMAXPROCS
	compiling int                     // calls that are in the driver's compiler
	keeping   sync.WaitGroup          // images that are being written
	closing   chan struct{}           // closed by the first Close of the device
	closed    bool
}

// await waits until a kernel is compiled, ctx ends or the device is closed. If the driver refuses a kernel, all who
// wait for it get the error, and the next call tries again.
func (d *device) await(ctx std.Context, c *compilation) (*function, error) {
	select {
	case <-c.done:
		return c.function, c.err
	default:
	}
	select {
	case <-c.done:
		return c.function, c.err
	case <-d.compiler.closing:
		return nil, closedError(c.source)
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: waiting for the compiler of kernel %s: %w", d.info.Name, c.source.entry, std.Cause(ctx))
	}
}

func closedError(s source) error {
	return &backend.ClosedError{Op: "load kernel " + s.entry, What: "device"}
}

// requests are compilations that a call needs.
type requests []*compilation

// drop ends the interest of the call.
func (r requests) drop(d *device) {
	for _, c := range r {
		d.unwanted(c)
	}
}

// settle waits until those have ended that have begun, ctx ends or the device is closed. The call has dropped them.
func (r requests) settle(ctx std.Context, d *device) {
	for _, c := range r {
		d.mu.Lock()
		begun := c.begun
		d.mu.Unlock()
		if begun {
			_, _ = d.await(ctx, c) // what it gives is of no interest any more
		}
	}
}

// wanted returns the compilation of a kernel, which begins as soon as a thread is free. The caller calls unwanted
// later.
func (d *device) wanted(s source) (*compilation, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	own := &d.compiler
	c := own.all[s]
	switch {
	case own.closed:
		return nil, closedError(s)
	case c == nil:
		c = &compilation{source: s, done: make(chan struct{})}
		own.all[s] = c
		own.queue = append(own.queue, c)
		if own.threads < runtime.GOMAXPROCS(0) {
			own.threads++
			go d.compileQueued()
		}
	}
	c.waiters++
	return c, nil
}

// unwanted ends the interest of a caller. A compilation that nobody needs any more does not begin.
func (d *device) unwanted(c *compilation) {
	d.mu.Lock()
	defer d.mu.Unlock()
	own := &d.compiler
	if c.waiters--; c.waiters > 0 || c.begun {
		return
	}
	if i := slices.Index(own.queue, c); i >= 0 {
		own.queue = slices.Delete(own.queue, i, i+1)
		delete(own.all, c.source)
	}
}

// compileQueued compiles kernels until none waits, on a thread that ends with it: our context is current there.
func (d *device) compileQueued() {
	runtime.LockOSThread()
	for c := d.nextQueued(); c != nil; c = d.nextQueued() {
		function, keep, err := d.compile(c.source)
		c.function, c.err = function, err
		closed := d.endCompilation(c, keep != nil)
		close(c.done)
		switch {
		case closed:
			orphans.sweep() // of which this device may be one
		case keep != nil:
			keep()
			d.compiler.keeping.Done()
		}
	}
}

// nextQueued returns the next compilation to begin. If none waits, it returns nil and the thread must end.
func (d *device) nextQueued() *compilation {
	d.mu.Lock()
	defer d.mu.Unlock()
	own := &d.compiler
	if len(own.queue) == 0 {
		own.threads--
		return nil
	}
	c := own.queue[0]
	own.queue = slices.Delete(own.queue, 0, 1)
	c.begun = true
	own.compiling++
	return c
}

// endCompilation removes a compilation that has failed, and returns whether the device has been closed meanwhile. From
// then on, the calling thread does not use the driver. keeps is whether the image will be kept.
func (d *device) endCompilation(c *compilation, keeps bool) (closed bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	own := &d.compiler
	own.compiling--
	if c.err != nil {
		delete(own.all, c.source)
	}
	if keeps && !own.closed {
		own.keeping.Add(1)
	}
	return own.closed
}

// stopCompiling ends all waits for the compiler, and drops what has not begun. What the driver is compiling goes on: it
// cannot be ended. The device is finished when the last of it has returned.
func (d *device) stopCompiling() {
	d.mu.Lock()
	defer d.mu.Unlock()
	own := &d.compiler
	if own.closed {
		return
	}
	own.closed, own.queue = true, nil
	close(own.closing)
}
