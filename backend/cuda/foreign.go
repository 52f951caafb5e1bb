//go:build cgo && linux

package cuda

import (
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// foreignCapture is a capture that somebody else began with the driver. This package has seen it because an adopted
// stream, or a stream that joined it, takes part. What is emitted there becomes part of their graph at once. Several
// devices of this package can be on one GPU and record into one capture.
type foreignCapture struct {
	recorder.ForeignCapture

	key        captureKey
	device     *device      // the first to see the capture; it is not finished before the registry forgets the capture
	stream     streamHandle // the stream on which the capture began, as far as this package can tell: see origin
	graph      graphHandle
	retentions map[*device]*retention // of the devices that have recorded something
}

// captureKey identifies a capture in the process.
type captureKey struct {
	library *library
	id      uint64
}

// captures holds the foreign captures of this process that may be open.
var captures captureRegistry

type captureRegistry struct {
	mu    sync.Mutex
	known map[captureKey]*foreignCapture
}

// observe returns the capture that, according to the driver, a stream is recording into.
func (r *captureRegistry) observe(q *queue, info captureInfo) *foreignCapture {
	key := captureKey{q.device.library, info.id}
	r.mu.Lock()
	c := r.known[key]
	r.mu.Unlock()
	if c != nil {
		return c
	}
	c = &foreignCapture{key: key, device: q.device, stream: origin(q, info.id), graph: info.graph}
	c.Begin(c)
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.known[key]; known != nil {
		return known
	}
	if r.known == nil {
		r.known = make(map[captureKey]*foreignCapture)
	}
	r.known[key] = c
	return c
}

// origin returns the stream on which a capture began, when the capture is first seen, on q. The driver does not report
// that stream. Of the adopted streams that take part in the capture, origin returns the one that was adopted first, or
// else q.
func origin(q *queue, id uint64) streamHandle {
	for _, a := range q.device.adoptedBefore(q) {
		if info, f := q.device.context.capture(a); !f.failed() && info.status == statusActive && info.id == id {
			return a
		}
	}
	return q.handle
}

// open returns whether this package knows of a foreign capture that is open in the process. It forgets those that have
// ended.
func (r *captureRegistry) open() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, c := range r.known {
		if !c.open() {
			delete(r.known, key)
		}
	}
	return len(r.known) > 0
}

// has returns whether a capture is still open.
func (r *captureRegistry) has(c *foreignCapture) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[c.key] == c && c.open()
}

// open asks the driver whether the capture is still open. If the driver does not answer, the capture counts as open,
// unless the stream or the context is gone. The call is harmless in every capture mode. The caller holds the lock of
// the registry, which contains c.
func (c *foreignCapture) open() bool {
	info, f := c.device.context.capture(c.stream)
	if f.failed() { // assume that it is open: giving something back during a capture would break it
		return f.code != codeInvalidHandle && !lost(f.code)
	}
	return info.status == statusInvalidated || info.status == statusActive && info.id == c.key.id
}

// Foreign implements recorder.ForeignQueue.
func (q *queue) Foreign(op string) (recorder.Foreign, error) {
	info, f := q.device.context.capture(q.handle)
	switch {
	case f.code == codeCaptureImplicit:
		return nil, &backend.CaptureError{Op: op, State: backend.CaptureNone,
			Reason: "the legacy stream takes no work while a blocking stream is being captured"}
	case f.failed():
		return nil, f.as(q.device.info.Name, op)
	case info.status == statusInvalidated:
		return nil, &backend.CaptureError{Op: op, State: backend.CaptureInvalidated,
			Reason: "the capture of the stream is broken and must be ended first"}
	case info.status == statusActive:
		return captures.observe(q, info), nil
	}
	return nil, nil
}

// CaptureID implements recorder.ForeignQueue.
func (q *queue) CaptureID() uint64 {
	info, f := q.device.context.capture(q.handle)
	if f.failed() || info.status == statusNone {
		return 0
	}
	return info.id
}

// ID implements recorder.Foreign.
func (c *foreignCapture) ID() uint64 { return c.key.id }

// Joined implements recorder.Foreign.
func (c *foreignCapture) Joined(q recorder.Queue) bool {
	own := q.(*queue)
	return own.joined == c.key.id || own.handle != c.stream
}

// retain returns the retention for a device of the graph that is being captured, and makes it if there is none.
func (c *foreignCapture) retain(d *device, op string) (*retention, error) {
	if r := c.retentions[d]; r != nil {
		return r, nil
	}
	r, err := newRetention(d, c.graph, op)
	if err != nil {
		return nil, err
	}
	if c.retentions == nil {
		c.retentions = make(map[*device]*retention)
	}
	c.retentions[d] = r
	return r, nil
}

// Emit implements recorder.Foreign. A failure leaves the capture active, with the operations emitted before.
func (c *foreignCapture) Emit(to recorder.Queue, o *recorder.Operation) error {
	q, op := to.(*queue), o.Kind.String()
	p := &q.program
	p.reset()
	if _, err := p.add(q.device, o, nil, 0); err != nil || len(p.commands) == 0 {
		return err
	}
	kept, err := c.retain(q.device, op)
	if err != nil {
		return err
	}
	if err := kept.keep(o); err != nil {
		return err
	}
	words, err := p.count(q.device, op)
	if err != nil {
		return err
	}
	if words != nil {
		kept.adopt(words)
	}
	emit := func(bodies []streamHandle) failure {
		f := q.emit(p, bodies)
		if f.failed() && len(p.commands) > 1 {
			f.add("the graph that is being captured holds a part of this, and must not be run")
		}
		return f
	}
	if p.depth == 0 {
		return emit(nil).as(q.device.info.Name, op)
	}
	return q.device.recording(op, p.depth, func(r *lane) failure { return emit(r.bodies) })
}

// Anchor implements recorder.Foreign.
func (c *foreignCapture) Anchor(q recorder.Queue, owner any) error {
	kept, err := c.retain(q.(*queue).device, "anchor")
	if err != nil {
		return err
	}
	kept.anchor(owner)
	return nil
}

// Join implements recorder.Foreign.
func (c *foreignCapture) Join(to recorder.Queue, mark uint64) (open bool, err error) {
	const op = "wait for event"
	q := to.(*queue)
	if !captures.has(c) {
		return false, nil
	}
	before, f := q.device.context.capture(q.handle)
	if !f.failed() {
		f = q.device.context.waitEvent(eventHandle(mark), q.handle)
		// The event's capture has ended. It seemed open because another capture of its stream is invalidated, and the
		// driver does not report the number of an invalidated capture.
		if f.code == codeInvalidValue {
			return false, nil
		}
	}
	if err := f.as(q.device.info.Name, op); err != nil {
		return true, err
	}
	if before.status == statusNone {
		q.joined = c.key.id
	}
	return true, nil
}

// retention is what a graph of somebody else keeps alive. The graph holds a user object with a token. The token comes
// back when the graph and everything that was instantiated from it are gone and no longer run.
type retention struct {
	device *device

	mu      sync.Mutex
	kept    map[recorder.Keeper]struct{} // with one reference each; nil once they are released
	anchors []any
}

// retentions holds those whose tokens have not come back.
var retentions struct {
	mu   sync.Mutex
	last uint64
	held map[uint64]*retention
}

func newRetention(d *device, graph graphHandle, op string) (*retention, error) {
	r := &retention{device: d, kept: make(map[recorder.Keeper]struct{})}
	retentions.mu.Lock()
	retentions.last++
	token := retentions.last
	if retentions.held == nil {
		retentions.held = make(map[uint64]*retention)
	}
	retentions.held[token] = r
	retentions.mu.Unlock()
	d.mu.Lock()
	d.outstanding++
	d.mu.Unlock()
	if err := d.context.keep(graph, token).as(d.info.Name, op); err != nil {
		forgetRetention(token)
		return nil, err
	}
	return r, nil
}

// forgetRetention releases what a token stands for. A second call does nothing.
func forgetRetention(token uint64) {
	retentions.mu.Lock()
	r := retentions.held[token]
	delete(retentions.held, token)
	retentions.mu.Unlock()
	if r == nil {
		return
	}
	r.mu.Lock()
	for k := range r.kept {
		k.Release()
	}
	r.kept, r.anchors = nil, nil
	r.mu.Unlock()
	r.device.mu.Lock()
	defer r.device.mu.Unlock()
	r.device.outstanding--
}

// keep takes references to everything that an operation uses.
func (r *retention) keep(o *recorder.Operation) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return o.Uses(func(k recorder.Keeper, what string) error {
		if _, known := r.kept[k]; known {
			return nil
		}
		if !k.Retain() {
			return &backend.ClosedError{Op: o.Kind.String(), What: what}
		}
		r.add(k)
		return nil
	})
}

// adopt takes over a reference.
func (r *retention) adopt(k recorder.Keeper) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(k)
}

// add adds a reference to what the graph keeps, or releases it if the graph is gone. The caller holds r.mu.
func (r *retention) add(k recorder.Keeper) {
	if r.kept == nil {
		k.Release()
		return
	}
	r.kept[k] = struct{}{}
}

func (r *retention) anchor(owner any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.anchors = append(r.anchors, owner)
}

// reap releases what graphs of others kept, if they are gone.
func reap() {
	for {
		tokens := returnedTokens()
		if len(tokens) == 0 {
			return
		}
		for _, token := range tokens {
			forgetRetention(token)
		}
	}
}
