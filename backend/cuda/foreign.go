//go:build cgo && linux

package cuda

import (
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// foreignCapture is a capture that somebody else has begun with the driver, as far as this package has seen it: a stream
// that was adopted, or one that has joined, is part of it. What is emitted there becomes part of their graph at once.
// Several devices of this package can be of one GPU, and record into one capture.
type foreignCapture struct {
	key    captureKey
	device *device      // on which it was seen first: it is not closed for good before the registry forgets the capture
	stream streamHandle // on which it began, as far as this package can tell: see origin
	graph  graphHandle

	mu         sync.Mutex
	bodies     int                    // conditional bodies open; only the innermost may record
	retentions map[*device]*retention // of the devices that have recorded something
}

// captureKey identifies a capture in the process.
type captureKey struct {
	library *library
	id      uint64
}

// captures are the foreign captures that may be open in this process.
var captures captureRegistry

type captureRegistry struct {
	mu    sync.Mutex
	known map[captureKey]*foreignCapture
}

// observe returns the capture that the driver says a stream is recording into.
func (r *captureRegistry) observe(s *stream, info captureInfo) *foreignCapture {
	key := captureKey{s.device.library, info.id}
	r.mu.Lock()
	c := r.known[key]
	r.mu.Unlock()
	if c != nil {
		return c
	}
	c = &foreignCapture{key: key, device: s.device, stream: origin(s, info.id), graph: info.graph}
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

// origin returns the stream on which a capture began that is seen for the first time, on s. The driver does not say it: of
// the streams that take part and were adopted, the one adopted first is taken for it, else s.
func origin(s *stream, id uint64) streamHandle {
	for _, a := range s.device.adoptedBefore(s) {
		if info, f := s.device.context.capture(a); !f.failed() && info.status == statusActive && info.id == id {
			return a
		}
	}
	return s.handle
}

// open tells whether a foreign capture is open in the process, as far as this package has seen one. It forgets those that
// have ended.
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

// has tells whether a capture is still open.
func (r *captureRegistry) has(c *foreignCapture) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known[c.key] == c && c.open()
}

// open asks the driver whether the capture has not ended yet, which is so too where the driver does not say and the stream
// is still there. This call is harmless in every capture mode. The caller holds the lock of the registry, which knows c.
func (c *foreignCapture) open() bool {
	info, f := c.device.context.capture(c.stream)
	if f.failed() { // giving something back to the driver by mistake would break the capture
		return f.code != codeInvalidHandle && !lost(f.code)
	}
	return info.status == statusInvalidated || info.status == statusActive && info.id == c.key.id
}

// state returns how a stream takes part.
func (c *foreignCapture) state(s *stream) backend.CaptureState {
	if root := s.root(); root.joined == c.key.id || root.handle != c.stream {
		return backend.CaptureJoined
	}
	return backend.CaptureForeign
}

// refuse makes the error of a call that the capture forbids.
func (c *foreignCapture) refuse(s *stream, op, reason string) error {
	return &backend.CaptureError{Op: op, State: c.state(s), Reason: reason}
}

// usable tells whether s may record: while a conditional body is open, only its own stream may (decision D17). The caller
// holds c.mu.
func (c *foreignCapture) usable(s *stream, op string) error {
	if s.depth() != c.bodies {
		return c.refuse(s, op, reasonBodyOpen)
	}
	return nil
}

// retain returns what the graph that is being captured keeps of a device, and makes it first if need be. The caller holds
// c.mu.
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

// record emits the operation of a stream.
func (c *foreignCapture) record(s *stream, w *work) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, w.op); err != nil {
		return err
	}
	if w.empty {
		return nil
	}
	if s.body != nil {
		if !w.retain() {
			return &backend.ClosedError{Op: w.op, What: "buffer"}
		}
		s.body.program.add(w, nil)
		return nil
	}
	kept, err := c.retain(s.device, w.op)
	if err != nil {
		return err
	}
	if !w.retain() {
		return &backend.ClosedError{Op: w.op, What: "buffer"}
	}
	kept.hold(w.memories[:w.held])
	return s.device.context.emit(s.handle, nil, w.commands[:], w.words[:]).as(s.device.info.Name, w.op)
}

// inline emits the operations of a graph.
func (c *foreignCapture) inline(s *stream, p *program, anchors []any) error {
	const op = "replay"
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, op); err != nil {
		return err
	}
	if s.depth()+p.depth > recorder.LimitsCUDA.Depth {
		return c.refuse(s, op, reasonTooDeep)
	}
	if s.body != nil && p.copiesHost() {
		return recorder.HostCopyInBody(s.device.info.Name, "replay of a graph with uploads or downloads")
	}
	kept, err := c.retain(s.device, op)
	if err != nil {
		return err
	}
	kept.anchor(anchors...)
	if s.body != nil {
		s.body.program.inline(p, nil)
		return nil
	}
	var copied program
	copied.inline(p, nil)
	kept.adopt(&copied)
	return c.emit(s, op, &copied)
}

// emit emits a program on a stream of the capture. A failure leaves the capture active, with what came before it.
func (c *foreignCapture) emit(s *stream, op string, p *program) error {
	emit := func(bodies []streamHandle) failure {
		f := s.device.context.emit(s.handle, bodies, p.commands, p.words)
		if f.failed() {
			f.add("the graph that is being captured holds a part of this, and must not be run")
		}
		return f
	}
	if p.depth == 0 {
		return emit(nil).as(s.device.info.Name, op)
	}
	return s.device.recording(op, p.depth, func(r *lane) failure { return emit(r.bodies) })
}

// anchor keeps an owner with the graph.
func (c *foreignCapture) anchor(s *stream, owner any) error {
	const op = "anchor"
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, err := c.retain(s.device, op)
	if err != nil {
		return err
	}
	kept.anchor(owner)
	return nil
}

// retention is what a graph of somebody else keeps alive: the graph holds a user object with its token, which comes back
// when the graph, and all that was instantiated from it, is gone and no longer runs.
type retention struct {
	device *device

	mu      sync.Mutex
	program program // for its memories
	anchors []any
}

// retentions are those whose token has not come back.
var retentions struct {
	mu   sync.Mutex
	last uint64
	held map[uint64]*retention
}

func newRetention(d *device, graph graphHandle, op string) (*retention, error) {
	r := &retention{device: d}
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

// forgetRetention releases what a token stands for. Twice is a no-op.
func forgetRetention(token uint64) {
	retentions.mu.Lock()
	r := retentions.held[token]
	delete(retentions.held, token)
	retentions.mu.Unlock()
	if r == nil {
		return
	}
	r.mu.Lock()
	r.program.release()
	r.anchors = nil
	r.mu.Unlock()
	r.device.mu.Lock()
	defer r.device.mu.Unlock()
	r.device.outstanding--
}

// hold takes over references to memory.
func (r *retention) hold(memories []*memory) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range memories {
		r.program.holds(m)
	}
}

// adopt takes over the references of a program.
func (r *retention) adopt(p *program) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for m := range p.memories {
		r.program.holds(m)
	}
	p.memories = nil
}

func (r *retention) anchor(owners ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.anchors = append(r.anchors, owners...)
}

// reap releases what graphs of others kept that are gone.
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
