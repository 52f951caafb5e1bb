//go:build cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// capture is the recording of a graph of our own. The driver knows nothing of it before EndCapture, which captures the whole
// list on a private stream in one step: so nothing can invalidate it, and it invalidates nobody's. It begins on one stream, and a stream that waits
// for an event of a stream in it joins it.
type capture struct {
	origin *stream
	ended  atomic.Bool

	mu      sync.Mutex
	program program
	open    int               // conditional bodies open; only the innermost may record
	points  map[*stream]point // streams that take part
	anchors []any             // kept reachable by the graph
}

// point is a place in a stream of a capture: the commands that what follows comes after, and how many calls of each stream
// come before (a vector clock).
type point struct {
	after []uint32
	clock map[*stream]int
}

// clone copies a point.
func (p point) clone() point {
	c := point{after: slices.Clone(p.after), clock: make(map[*stream]int, len(p.clock))}
	for s, n := range p.clock {
		c.clock[s] = n
	}
	return c
}

// join returns the point after both.
func (p point) join(q point) point {
	c := p.clone()
	for _, index := range q.after {
		if !slices.Contains(c.after, index) {
			c.after = append(c.after, index)
		}
	}
	for s, n := range q.clock {
		c.clock[s] = max(c.clock[s], n)
	}
	return c
}

func newCapture(origin *stream) *capture {
	return &capture{origin: origin, points: map[*stream]point{origin: point{}.clone()}}
}

// live returns the capture of our own that the stream is part of, nil if there is none. The caller holds the lock of the
// stream.
func (s *stream) live() *capture {
	if s.body != nil {
		return s.body.own
	}
	if s.capture != nil && s.capture.ended.Load() {
		s.capture = nil
	}
	return s.capture
}

// state returns how a stream takes part.
func (c *capture) state(s *stream) backend.CaptureState {
	if s.root() == c.origin {
		return backend.CaptureOwn
	}
	return backend.CaptureJoined
}

// refuse makes the error of a call that a capture forbids.
func (c *capture) refuse(s *stream, op, reason string) error {
	return &backend.CaptureError{Op: op, State: c.state(s), Reason: reason}
}

const reasonBodyOpen = "a conditional body is open, and its work goes to the stream it received"

// reasonTooDeep refuses the replay of a graph in a body, or in a capture, that it does not fit into.
var reasonTooDeep = fmt.Sprintf("with the graph more than %d conditionals would be inside each other", recorder.LimitsCUDA.Depth)

// usable tells whether s may record: while a conditional body is open, only its own stream may (decision D17). The caller
// holds c.mu.
func (c *capture) usable(s *stream, op string) error {
	if c.ended.Load() {
		return s.device.Ended(op)
	}
	if s.depth() != c.open {
		return c.refuse(s, op, reasonBodyOpen)
	}
	if len(c.program.commands) >= recorder.LimitsCUDA.Nodes {
		return c.refuse(s, op, fmt.Sprintf("the graph has %d operations, which is the most", recorder.LimitsCUDA.Nodes))
	}
	return nil
}

// record adds the operation of a stream.
func (c *capture) record(s *stream, w *work) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, w.op); err != nil {
		return err
	}
	if w.empty {
		return nil
	}
	if !w.retain() {
		return &backend.ClosedError{Op: w.op, What: "buffer"}
	}
	if s.body != nil {
		s.body.program.add(w, nil)
		return nil
	}
	p := c.points[s]
	c.advance(s, []uint32{c.program.add(w, p.after)})
	return nil
}

// advance moves a stream behind the commands with the indices after.
func (c *capture) advance(s *stream, after []uint32) {
	p := c.points[s]
	p.after = after
	p.clock[s]++
	c.points[s] = p
}

// inline records the replay of a graph.
func (c *capture) inline(s *stream, p *program) error {
	const op = "replay"
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, op); err != nil {
		return err
	}
	if s.depth()+p.depth > recorder.LimitsCUDA.Depth {
		return c.refuse(s, op, reasonTooDeep)
	}
	if len(c.program.commands)+len(p.commands) > recorder.LimitsCUDA.Nodes {
		return c.refuse(s, op, fmt.Sprintf("the graph would have more than %d operations", recorder.LimitsCUDA.Nodes))
	}
	if s.body != nil {
		if p.copiesHost() {
			return recorder.HostCopyInBody(s.device.info.Name, "replay of a graph with uploads or downloads")
		}
		s.body.program.inline(p, nil)
		return nil
	}
	c.advance(s, c.program.inline(p, c.points[s].after))
	return nil
}

func (s *stream) BeginCapture() error {
	const op = "begin capture"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	own, other, err := s.situation(op)
	switch {
	case err != nil:
		return err
	case own != nil:
		return own.refuse(s, op, "the stream is capturing already")
	case other != nil:
		return other.refuse(s, op, "the stream is capturing already")
	}
	s.capture = newCapture(s)
	return nil
}

// EndCapture ends the capture that began on this stream and makes the graph. A stream that joined it must have been joined
// back: its last work must come before an event that this stream has waited for.
func (s *stream) EndCapture() (backend.Graph, error) {
	const op = "end capture"
	if err := s.lock(op); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	c := s.live()
	if c == nil {
		own, other, err := s.situation(op)
		if own == nil && other != nil {
			return nil, other.refuse(s, op, "the capture did not begin with BeginCapture of this stream")
		}
		if err != nil {
			return nil, err
		}
		return nil, &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: "no capture has begun on this stream"}
	}
	if c.origin != s {
		return nil, c.refuse(s, op, "the capture began on another stream")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open != s.depth() || s.body != nil {
		return nil, c.refuse(s, op, reasonBodyOpen)
	}
	c.ended.Store(true)
	s.capture = nil
	for other, p := range c.points {
		if c.points[s].clock[other] < p.clock[other] {
			c.program.release()
			return nil, &backend.CaptureError{Op: op, State: backend.CaptureInvalidated,
				Reason: "a stream that joined the capture was not joined back; the capture is dropped"}
		}
	}
	g, err := s.device.newGraph(c)
	if err != nil {
		c.program.release()
		return nil, err
	}
	return g, nil
}

// drop ends a capture without a graph.
func (c *capture) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended.Swap(true) {
		c.program.release()
	}
}

// Capture tells which capture the stream is part of.
func (s *stream) Capture() backend.CaptureState {
	const op = "capture state"
	if s.lock(op) != nil {
		return backend.CaptureNone
	}
	defer s.mu.Unlock()
	own, other, err := s.situation(op)
	s.unknown = nil
	switch {
	case err != nil:
		var failed *Error
		if errors.As(err, &failed) {
			s.unknown = err
		}
		return stateOf(err)
	case own != nil:
		return own.state(s)
	case other != nil:
		return other.state(s)
	}
	return backend.CaptureNone
}

// CaptureID returns the number of the foreign capture that the stream takes part in, as the driver says, 0 if there is none. A
// capture of our own has none: the driver does not know of it.
func (s *stream) CaptureID() uint64 {
	if s.lock("capture number") != nil {
		return 0
	}
	defer s.mu.Unlock()
	if s.body != nil && s.body.foreign != nil {
		return s.body.foreign.key.id
	}
	if s.live() != nil {
		return 0
	}
	info, f := s.device.context.capture(s.handle)
	if f.failed() || info.status == statusNone {
		return 0
	}
	return info.id
}

// CaptureFailure returns why the driver did not tell the state at the last Capture.
func (s *stream) CaptureFailure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unknown
}

// Anchor keeps owner reachable until the graph that is being recorded, and all that recorded a replay of it, are gone.
func (s *stream) Anchor(owner any) error {
	const op = "anchor"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	own, other, err := s.situation(op)
	switch {
	case err != nil:
		return err
	case own == nil && other == nil:
		return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: "no graph is being recorded"}
	case owner == nil:
		return nil
	case other != nil:
		return other.anchor(s, owner)
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	own.anchors = append(own.anchors, owner)
	return nil
}
