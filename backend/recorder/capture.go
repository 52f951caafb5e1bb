package recorder

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// capture is the recording of a graph. It begins on one stream. Another stream joins it by waiting for an event that
// was recorded in the capture. Operations are kept in the order in which they are emitted.
//
// The body of a conditional on a stream that is not capturing is collected in the same way, in a hidden capture that
// ends with the body.
//
// For a capture that somebody else began with the driver, this type holds only the open body; the driver holds the
// rest.
type capture struct {
	origin  *Stream
	eager   bool    // collects the body of an eager conditional
	foreign Foreign // nil: a capture of our own
	ended   atomic.Bool

	mu      sync.Mutex
	program Program
	open    int               // number of open bodies; only the innermost may record
	points  map[*Stream]point // of each stream that takes part
	nodes   int               // number of recorded operations, including those of bodies that failed
	anchors []any             // objects that the graph keeps reachable
	kept    map[Keeper]struct{}
}

// point is a position on a stream in a capture.
type point struct {
	after []int           // indices of the operations that the next one directly follows; the slice is never changed
	clock map[*Stream]int // for each stream, how many of its operations come before this point (a vector clock)
}

// clone copies a point.
func (p point) clone() point { return point{p.after, maps.Clone(p.clock)} }

// join makes p come after another point as well.
func (p *point) join(other point) {
	after := slices.Clone(p.after)
	for _, index := range other.after {
		if !slices.Contains(after, index) {
			after = append(after, index)
		}
	}
	p.after = after
	if p.clock == nil {
		p.clock = make(map[*Stream]int)
	}
	for s, n := range other.clock {
		p.clock[s] = max(p.clock[s], n)
	}
}

func newCapture(origin *Stream) *capture {
	return &capture{origin: origin, points: map[*Stream]point{origin: {clock: make(map[*Stream]int)}},
		kept: make(map[Keeper]struct{})}
}

// live returns the capture that the stream takes part in, or nil. The caller holds the lock of the stream.
func (s *Stream) live() *capture {
	if s.capture != nil && s.capture.ended.Load() && s.parent == nil {
		s.capture = nil
	}
	return s.capture
}

// root returns the stream on which the outermost body was opened, or the stream itself if it is not the stream of a
// body.
func (s *Stream) root() *Stream {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// state returns how a stream takes part in the capture.
func (c *capture) state(s *Stream) backend.CaptureState {
	s = s.root()
	switch {
	case c.eager:
		return backend.CaptureNone
	case c.foreign != nil && !c.foreign.Joined(s.queue):
		return backend.CaptureForeign
	case s == c.origin:
		return backend.CaptureOwn
	default:
		return backend.CaptureJoined
	}
}

// refuse returns the error of a call that is not allowed during a capture.
func (c *capture) refuse(s *Stream, op, reason string) error {
	return &backend.CaptureError{Op: op, State: c.state(s), Reason: reason}
}

// usable returns an error if s may not record: while a body is open, only the stream of that body may (decision D17).
// The caller holds c.mu.
func (c *capture) usable(s *Stream, op string) error {
	if c.ended.Load() {
		return s.device.ended(op)
	}
	if s.depth != c.open {
		return c.refuse(s, op, "a conditional body is open, and its work goes to the stream it received")
	}
	return nil
}

// record adds an operation emitted on s, and copies the slices that the operation borrows.
func (c *capture) record(s *Stream, o *Operation) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	op := o.Kind.String()
	if err := c.usable(s, op); err != nil {
		return err
	}
	if c.foreign != nil && s.parent == nil {
		return c.foreign.Emit(s.queue, o)
	}
	if err := c.count(s, 1); err != nil {
		return err
	}
	if err := c.keepAll(o, op); err != nil {
		return err
	}
	c.add(s, o.clone())
	return nil
}

// count adds to the number of operations, or returns an error if the capture cannot hold that many. The caller holds
// c.mu.
func (c *capture) count(s *Stream, nodes int) error {
	limits := s.device.limits
	if err := limits.room(c.nodes + nodes); err != nil {
		return err
	}
	c.nodes = min(c.nodes+nodes, limits.Nodes)
	return nil
}

// keepAll takes references to all memory that an operation uses. The caller holds c.mu.
func (c *capture) keepAll(o *Operation, op string) error {
	for _, span := range o.Spans {
		if span.Memory != nil {
			if err := c.keep(span.Memory, op, "buffer"); err != nil {
				return err
			}
		}
	}
	if o.Host != nil {
		return c.keep(o.Host, op, "host buffer")
	}
	return nil
}

// keep takes a reference to k, which an operation uses. The capture has one reference, however many operations use k.
// The caller holds c.mu.
func (c *capture) keep(k Keeper, op, what string) error {
	if _, known := c.kept[k]; known {
		return nil
	}
	if !k.Retain() {
		return &backend.ClosedError{Op: op, What: what}
	}
	c.kept[k] = struct{}{}
	return nil
}

// drop ends a capture without making a graph of it.
func (c *capture) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended.Store(true)
	c.releaseKept()
}

// releaseKept releases all references of the capture. The caller holds c.mu.
func (c *capture) releaseKept() {
	for k := range c.kept {
		k.Release()
	}
	c.kept = nil
}

// add appends an operation to the program or the body that s records into. The caller holds c.mu.
func (c *capture) add(s *Stream, o Operation) {
	if s.parent != nil {
		s.target.add(o, s.device.limits)
		return
	}
	p := c.points[s]
	o.After, p.after = p.after, []int{len(c.program.Operations)}
	p.clock[s]++
	c.points[s] = p
	c.program.add(o, s.device.limits)
}

// inline records the replay of a graph.
func (c *capture) inline(s *Stream, w *Work) error {
	op := backend.OperationReplay.String()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, op); err != nil {
		return err
	}
	if s.parent != nil && w.Program.copiesHost {
		return hostCopyInBody(s.device.driver.Info().Name, "replay of a graph with uploads or downloads")
	}
	if err := s.device.limits.shallow(op, s.depth+1+w.Program.depth); err != nil {
		return err
	}
	o := Operation{Kind: backend.OperationReplay, Body: &w.Program, Work: w}
	if c.foreign != nil && s.parent == nil {
		return c.foreign.Emit(s.queue, &o)
	}
	if err := c.count(s, w.Program.nodes); err != nil {
		return err
	}
	if err := c.keep(w, op, "graph"); err != nil {
		return err
	}
	c.add(s, o)
	return nil
}

// Capture implements backend.Stream.
func (s *Stream) Capture() (state backend.CaptureState) {
	const op = "capture state"
	if s.lock(op) != nil {
		return backend.CaptureNone
	}
	defer s.unlock()
	c, err := s.situation(op)
	s.unknown = nil
	switch {
	case err != nil:
		state, s.unknown = stateOf(err)
		return state
	case c != nil:
		return c.state(s)
	}
	return backend.CaptureNone
}

// BeginCapture implements backend.Stream.
func (s *Stream) BeginCapture() error {
	const op = "begin capture"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	c, err := s.situation(op)
	if err != nil {
		return err
	}
	if c != nil {
		return c.refuse(s, op, "the stream is capturing already")
	}
	s.capture = newCapture(s)
	return nil
}

// EndCapture implements backend.Stream. Every stream that joined the capture must have been joined back: its last
// operation must come before an event that this stream has waited for.
func (s *Stream) EndCapture() (backend.Graph, error) {
	const op = "end capture"
	if err := s.lock(op); err != nil {
		return nil, err
	}
	defer s.unlock()
	c, err := s.situation(op)
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, &backend.CaptureError{Op: op, State: backend.CaptureNone,
			Reason: "no capture has begun on this stream"}
	case c.foreign != nil:
		return nil, c.refuse(s, op, "the capture did not begin with BeginCapture of this stream")
	case c.origin != s:
		return nil, c.refuse(s, op, "the capture began on another stream")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, op); err != nil {
		return nil, err
	}
	c.ended.Store(true)
	s.capture = nil
	defer c.releaseKept()
	for other, own := range c.points {
		if c.points[s].clock[other] < own.clock[other] {
			return nil, &backend.CaptureError{Op: op, State: backend.CaptureInvalidated,
				Reason: "a stream that joined the capture was not joined back; the capture is dropped"}
		}
	}
	return s.device.newGraph(op, c)
}

// Anchor implements backend.Stream. The owner stays reachable until the graph is closed, and until every graph that
// recorded a replay of it is closed too.
func (s *Stream) Anchor(owner any) error {
	const op = "anchor"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	c, err := s.situation(op)
	switch {
	case err != nil:
		return err
	case c == nil || c.eager:
		return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: "no graph is being recorded"}
	case owner == nil:
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.foreign != nil {
		return c.foreign.Anchor(s.root().queue, owner)
	}
	c.anchors = append(c.anchors, owner)
	return nil
}
