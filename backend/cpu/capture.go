package cpu

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// capture is the recording of a graph. It begins on one stream, and a stream that waits for an event of a stream in it
// joins it. Operations are kept in the order in which they are emitted: whatever an operation depends on was emitted
// before it, so that running them in this order respects every dependency.
type capture struct {
	origin *stream
	ended  atomic.Bool

	mu      sync.Mutex
	program program
	open    int               // conditional bodies open; only the innermost may record
	clocks  map[*stream]clock // streams that take part
	anchors []any             // kept reachable by the graph
	kept    map[keeper]struct{}
}

// keeper is what recorded work uses and what is given back when nobody has a reference to it any more: memory, and the
// recording of a graph whose replay was recorded.
type keeper interface {
	retain() bool // adds a reference, unless there is none left
	release()
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
	return &capture{origin: origin, clocks: map[*stream]clock{origin: {}}, kept: make(map[keeper]struct{})}
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
	if s == c.origin {
		return backend.CaptureOwn
	}
	return backend.CaptureJoined
}

// refuse makes the error of a call that a capture forbids.
func (c *capture) refuse(s *stream, op, reason string) error {
	return &backend.CaptureError{Op: op, State: c.state(s), Reason: reason}
}

// usable tells whether s may record: while a conditional body is open, only its own stream may (decision D17). The
// caller holds c.mu.
func (c *capture) usable(s *stream, op string) error {
	if c.ended.Load() {
		return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: "the capture has ended"}
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
	for _, span := range o.spans {
		if span.memory != nil {
			if err := c.keep(span.memory, op, "buffer"); err != nil {
				return err
			}
		}
	}
	if o.host != nil {
		if err := c.keep(o.host, op, "host buffer"); err != nil {
			return err
		}
	}
	c.add(s, o.clone())
	return nil
}

// keep takes a reference to what an operation uses, one for the whole capture. The caller holds c.mu.
func (c *capture) keep(k keeper, op, what string) error {
	if _, known := c.kept[k]; known {
		return nil
	}
	if !k.retain() {
		return &backend.ClosedError{Op: op, What: what}
	}
	c.kept[k] = struct{}{}
	return nil
}

// drop ends a capture that becomes no graph.
func (c *capture) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended.Store(true)
	c.letGo()
}

// letGo gives back all references. The caller holds c.mu.
func (c *capture) letGo() {
	for k := range c.kept {
		k.release()
	}
	c.kept = nil
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

// Capture tells which capture the stream is part of.
func (s *stream) Capture() backend.CaptureState {
	if s.lock("capture state") != nil {
		return backend.CaptureNone
	}
	defer s.mu.Unlock()
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
	defer s.mu.Unlock()
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
	defer s.mu.Unlock()
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
	return s.device.newGraph(c)
}

// Anchor keeps owner reachable until the graph is closed, and longer if another graph has recorded its replay.
func (s *stream) Anchor(owner any) error {
	const op = "anchor"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	c := s.live()
	if c == nil {
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

// If records a conditional, whose flag is read at every replay (decision D14). Outside captures it is not supported: the
// caller emits the body, or polls the flag.
func (s *stream) If(flag backend.View, body func(backend.Stream) error) error {
	return s.branch(operation{kind: conditional}, flag, body)
}

// Repeat records a loop, whose flag is read before each iteration of every replay.
func (s *stream) Repeat(flag backend.View, limit int32, body func(backend.Stream) error) error {
	if limit < 1 {
		return &backend.ArgumentError{Op: "repeat", Arg: "limit", Value: fmt.Sprint(limit), Allowed: "1 or more"}
	}
	return s.branch(operation{kind: repeated, n: limit}, flag, body)
}

// branch records o with the flag and what body records.
func (s *stream) branch(o operation, flag backend.View, body func(backend.Stream) error) error {
	op := o.kind.String()
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
	if !flagSpan.memory.retain() { // body may close the flag
		return &backend.ClosedError{Op: op, What: "buffer"}
	}
	defer flagSpan.memory.release()
	inner, err := s.openBody(op)
	if err != nil {
		return err
	}
	returned := false
	defer func() {
		if !returned { // a panic or Goexit of body passes through and leaves the capture usable
			_ = s.closeBody(inner, nil)
		}
	}()
	err = body(inner)
	returned = true
	if err != nil {
		_ = s.closeBody(inner, nil) // nothing is recorded, so nothing is refused
		return err
	}
	o.spans, o.body = []span{flagSpan}, inner.target
	return s.closeBody(inner, &o)
}

// openBody makes the stream of a conditional body, which is the only one to record until closeBody.
func (s *stream) openBody(op string) (*stream, error) {
	if err := s.lock(op); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	c := s.live()
	if c == nil {
		return nil, &backend.UnsupportedError{Device: name, Op: op,
			Reason: "no capture is open, and the flag can be read on the host at no cost"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, op); err != nil {
		return nil, err
	}
	if err := shallow(op, s.depth+1); err != nil {
		return nil, err
	}
	c.open++
	return &stream{device: s.device, id: s.id, parent: s, depth: s.depth + 1, target: new(program), capture: c}, nil
}

// closeBody closes the stream of a body and records o, the conditional with that body, if it is not nil.
func (s *stream) closeBody(inner *stream, o *operation) error {
	inner.closed.Store(true)
	c := inner.capture
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	if o == nil {
		return nil
	}
	op := o.kind.String()
	if c.ended.Load() {
		return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: "the capture has ended"}
	}
	if err := c.keep(o.spans[0].memory, op, "buffer"); err != nil {
		return err
	}
	c.add(s, *o)
	return nil
}

// shallow refuses bodies and graphs that would be depth levels inside each other, if that is too many.
func shallow(op string, depth int) error {
	if depth <= maxDepth {
		return nil
	}
	return &backend.ArgumentError{Op: op, Arg: "conditionals and graphs inside each other", Value: fmt.Sprint(depth),
		Allowed: fmt.Sprintf("at most %d", maxDepth)}
}

// inline records the replay of a graph.
func (c *capture) inline(s *stream, g *recording) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	const op = "replay"
	if err := c.usable(s, op); err != nil {
		return err
	}
	if err := shallow(op, s.depth+1+g.program.depth); err != nil {
		return err
	}
	if err := c.keep(g, op, "graph"); err != nil {
		return err
	}
	c.add(s, operation{kind: nested, body: &g.program, graph: g})
	return nil
}
