//go:build cgo && linux

package vulkan

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// capture is the recording of a graph. It begins on one stream, and a stream that waits for an event of a stream in it
// joins it. Operations are kept in the order in which they are emitted: whatever an operation depends on was emitted
// before it, so that one command buffer in this order respects every dependency.
//
// The body of a conditional on a stream that is not capturing is collected in the same way, in a capture that nobody sees
// and that ends with the body.
type capture struct {
	origin *stream
	eager  bool // collects the body of an eager conditional
	ended  atomic.Bool

	mu      sync.Mutex
	program program
	open    int                      // conditional bodies open; only the innermost may record
	clocks  map[*stream]clock        // streams that take part
	nodes   int                      // operations recorded in all, bounded by maxNodes
	anchors []any                    // kept reachable by the graph
	memory  map[*allocation]struct{} // of what has been recorded, one reference each
}

// clock says how many operations of each stream come before a point of a stream (a vector clock).
type clock map[*stream]int

// merge adds what comes before another point.
func (c clock) merge(other clock) {
	for s, n := range other {
		c[s] = max(c[s], n)
	}
}

func newCapture(origin *stream) *capture {
	return &capture{origin: origin, clocks: map[*stream]clock{origin: {}}, memory: make(map[*allocation]struct{})}
}

// live returns the capture that the stream is part of, nil if there is none. The caller holds the lock of the stream.
func (s *stream) live() *capture {
	if s.capture != nil && s.capture.ended.Load() && s.parent == nil {
		s.capture = nil
	}
	return s.capture
}

// state returns how a stream takes part.
func (c *capture) state(s *stream) backend.CaptureState {
	for s.parent != nil {
		s = s.parent
	}
	switch {
	case c.eager:
		return backend.CaptureNone
	case s == c.origin:
		return backend.CaptureOwn
	default:
		return backend.CaptureJoined
	}
}

// refuse makes the error of a call that a capture forbids.
func (c *capture) refuse(s *stream, op, reason string) error {
	return &backend.CaptureError{Op: op, State: c.state(s), Reason: reason}
}

// usable tells whether s may record: while a conditional body is open, only its own stream may (decision D17). The
// caller holds c.mu.
func (c *capture) usable(s *stream, op string) error {
	if c.ended.Load() {
		return c.refuse(s, op, "the capture has ended")
	}
	if s.depth != c.open {
		return c.refuse(s, op, "a conditional body is open, and its work goes to the stream it received")
	}
	return nil
}

// record adds an operation emitted on s, copying what it borrows.
func (c *capture) record(s *stream, o *operation) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	op := o.kind.String()
	if err := c.usable(s, op); err != nil {
		return err
	}
	if err := c.roomFor(1); err != nil {
		return err
	}
	if err := c.keep(o); err != nil {
		return err
	}
	c.add(s, o.clone())
	return nil
}

// keep retains the memory of an operation for the graph. The caller holds c.mu.
func (c *capture) keep(o *operation) error {
	for i := range o.spans {
		if b := o.spans[i].buffer; b != nil {
			if err := c.use(b.allocation, o.kind.String(), "buffer"); err != nil {
				return err
			}
		}
	}
	if o.host != nil {
		return c.use(o.host.allocation, o.kind.String(), "host buffer")
	}
	return nil
}

func (c *capture) use(a *allocation, op, what string) error {
	if _, known := c.memory[a]; known {
		return nil
	}
	if !a.retain() {
		return &backend.ClosedError{Op: op, What: what}
	}
	c.memory[a] = struct{}{}
	return nil
}

// add appends an operation where s records. The caller holds c.mu.
func (c *capture) add(s *stream, o operation) {
	if s.parent != nil {
		s.target.add(o)
		return
	}
	c.program.add(o)
	c.clocks[s][s]++
}

// drop ends a capture that becomes no graph.
func (c *capture) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended.Store(true)
	c.letGo()
}

// letGo drops the references to memory. The caller holds c.mu.
func (c *capture) letGo() {
	for a := range c.memory {
		a.release()
	}
	c.memory = nil
}

// Capture tells which capture the stream is part of.
func (s *stream) Capture() backend.CaptureState {
	if s.lock("capture state") != nil {
		return backend.CaptureNone
	}
	defer s.unlock()
	if c := s.live(); c != nil {
		return c.state(s)
	}
	return backend.CaptureNone
}

func (s *stream) BeginCapture() error {
	const op = "begin capture"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	if c := s.live(); c != nil {
		return c.refuse(s, op, "the stream is capturing already")
	}
	s.capture = newCapture(s)
	return nil
}

// EndCapture ends the capture that began on this stream. A stream that joined it must have been joined back: its last
// work must come before an event that this stream has waited for.
func (s *stream) EndCapture() (backend.Graph, error) {
	const op = "end capture"
	if err := s.lock(op); err != nil {
		return nil, err
	}
	defer s.unlock()
	c := s.live()
	if c == nil {
		return nil, &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: "no capture has begun on this stream"}
	}
	if c.origin != s {
		return nil, c.refuse(s, op, "the capture began on another stream")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, op); err != nil {
		return nil, err
	}
	c.ended.Store(true)
	s.capture = nil
	for other, own := range c.clocks {
		if c.clocks[s][other] < own[other] {
			c.letGo()
			return nil, &backend.CaptureError{Op: op, State: backend.CaptureInvalidated,
				Reason: "a stream that joined the capture was not joined back; the capture is dropped"}
		}
	}
	g, err := s.device.newGraph(c)
	if err != nil {
		c.letGo()
		return nil, fmt.Errorf("%s: the capture is dropped: %w", op, err)
	}
	return g, nil
}

// Anchor keeps owner reachable until the graph is closed, and longer if another graph has recorded its replay.
func (s *stream) Anchor(owner any) error {
	const op = "anchor"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	c := s.live()
	if c == nil || c.eager {
		return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: "no graph is being recorded"}
	}
	if owner == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.anchors = append(c.anchors, owner)
	return nil
}

// If emits a conditional, in a capture or on an eager stream (decision D3). The flag is read where the conditional
// begins.
func (s *stream) If(flag backend.View, body func(backend.Stream) error) error {
	const op = "if"
	flagSpan, err := s.device.span(op, "flag", flag)
	if err != nil {
		return err
	}
	if flagSpan.bytes != 4 {
		return &backend.ArgumentError{Op: op, Arg: "flag", Value: fmt.Sprintf("%d bytes", flagSpan.bytes), Allowed: "one int32"}
	}
	if body == nil {
		return &backend.ArgumentError{Op: op, Arg: "body", Value: "nil", Allowed: "a function"}
	}
	if !flagSpan.buffer.allocation.retain() { // body may close the flag
		return &backend.ClosedError{Op: op, What: "buffer"}
	}
	defer flagSpan.buffer.allocation.release()
	inner, err := s.openBody(op)
	if err != nil {
		return err
	}
	returned := false
	defer func() {
		if !returned { // a panic or Goexit of body passes through and leaves the stream usable
			_ = s.closeBody(inner, nil)
		}
	}()
	err = body(inner)
	returned = true
	if err != nil {
		_ = s.closeBody(inner, nil) // nothing is recorded, so nothing is refused
		return err
	}
	return s.closeBody(inner, &operation{kind: conditional, spans: []span{flagSpan}, body: inner.target})
}

// openBody makes the stream of a conditional body, which is the only one to record until closeBody.
func (s *stream) openBody(op string) (*stream, error) {
	if err := s.lock(op); err != nil {
		return nil, err
	}
	defer s.unlock()
	c := s.live()
	if c == nil { // the stream stays free for the eager work of other goroutines, which comes before the conditional
		c = newCapture(s)
		c.eager = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, op); err != nil {
		return nil, err
	}
	if s.depth == maxDepth {
		return nil, tooDeep(op, s.depth+1)
	}
	c.open++
	inner := s.device.newStream()
	inner.id, inner.parent, inner.depth, inner.target, inner.capture = s.id, s, s.depth+1, new(program), c
	return inner, nil
}

// closeBody closes the stream of a body and emits o, the conditional with that body, if it is not nil.
func (s *stream) closeBody(inner *stream, o *operation) error {
	inner.closed.Store(true)
	c := inner.capture
	if c.eager && s.parent == nil {
		return s.closeEager(c, o)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	if o == nil {
		return nil
	}
	op := o.kind.String()
	if c.ended.Load() {
		return c.refuse(s, op, "the capture has ended")
	}
	if depth := s.depth + 1 + o.body.depth; depth > maxDepth {
		return tooDeep(op, depth)
	}
	if err := c.keep(o); err != nil {
		return err
	}
	c.add(s, *o)
	return nil
}

// closeEager ends the hidden capture of an eager conditional and adds the conditional to the batch.
func (s *stream) closeEager(c *capture, o *operation) error {
	defer c.drop() // after the batch has retained the memory
	if err := s.lock("if"); err != nil {
		return err
	}
	defer s.unlock()
	if o == nil {
		return nil
	}
	op := o.kind.String()
	if depth := s.depth + 1 + o.body.depth; depth > maxDepth {
		return tooDeep(op, depth)
	}
	if begun := s.live(); begun != nil {
		return begun.refuse(s, op, "the capture began while the body of the conditional was open")
	}
	return s.perform(o)
}

func tooDeep(op string, depth int) error {
	return &backend.ArgumentError{Op: op, Arg: "conditionals and graphs inside each other", Value: fmt.Sprint(depth),
		Allowed: fmt.Sprintf("at most %d", maxDepth)}
}

// roomFor counts operations, or tells that the capture cannot hold them. The caller holds c.mu.
func (c *capture) roomFor(nodes int) error {
	total := c.nodes + nodes
	if total > maxNodes {
		return &backend.ArgumentError{Op: "capture", Arg: "operations", Value: fmt.Sprint(total), Allowed: fmt.Sprintf("at most %d", maxNodes)}
	}
	c.nodes = total
	return nil
}

// inline records the replay of a graph.
func (c *capture) inline(s *stream, g *contents) error {
	const op = "replay"
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, op); err != nil {
		return err
	}
	if depth := s.depth + 1 + g.program.depth; depth > maxDepth {
		return tooDeep(op, depth)
	}
	if err := c.roomFor(g.program.nodes); err != nil {
		return err
	}
	for a := range g.memory {
		if err := c.use(a, op, "graph"); err != nil {
			return err
		}
	}
	c.add(s, operation{kind: nested, body: &g.program})
	c.anchors = append(c.anchors, g.anchors...)
	return nil
}
