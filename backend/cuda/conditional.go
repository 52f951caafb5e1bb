//go:build cgo && linux

package cuda

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// If records a conditional node (decisions D2 and D4). The operations of the body are collected first, and the node is
// made when they are complete: so an error of the body leaves no trace, and a body that turns out empty makes no node.
func (s *stream) If(flag backend.View, emit func(backend.Stream) error) error {
	return s.branch("if", commandIf, flag, 1, emit)
}

// Repeat records a loop as a conditional node that the device repeats.
func (s *stream) Repeat(flag backend.View, limit int32, emit func(backend.Stream) error) error {
	return s.branch("repeat", commandWhile, flag, limit, emit)
}

func (s *stream) branch(op string, kind uint32, flag backend.View, limit int32, emit func(backend.Stream) error) error {
	at, err := s.device.Branch(op, flag, limit, emit)
	if err != nil {
		return err
	}
	defer at.Memory.Release()
	inner, err := s.openBody(op)
	if err != nil {
		return err
	}
	complete := false
	defer func() { // also where emit panics or ends its goroutine
		if !complete {
			inner.dropBody()
		}
	}()
	if err := emit(inner); err != nil {
		return err
	}
	var left *memory // counts the iterations of a loop
	if kind == commandWhile {
		if left, err = s.device.newWord(op); err != nil {
			return err
		}
		defer left.Release()
	}
	complete = true
	return s.closeBody(op, kind, at, limit, left, inner)
}

// newWord allocates one word of device memory for the backend's own use, with one reference.
func (d *device) newWord(op string) (*memory, error) {
	if err := d.Enter(op); err != nil {
		return nil, err
	}
	defer d.Leave()
	return d.allocate(op, 4)
}

// openBody makes the stream of a conditional body, which is the only one to record until closeBody or dropBody.
func (s *stream) openBody(op string) (*stream, error) {
	if err := s.lock(op); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	own, other, err := s.situation(op)
	if err != nil {
		return nil, err
	}
	if own == nil && other == nil {
		return nil, &backend.UnsupportedError{Device: s.device.info.Name, Op: op,
			Reason: "no capture is open, and the driver has conditionals in graphs only"}
	}
	if !s.device.conditionals {
		return nil, &backend.UnsupportedError{Device: s.device.info.Name, Op: op, Reason: s.device.reason}
	}
	b := &body{parent: s, depth: s.depth() + 1, own: own, foreign: other}
	if b.depth > recorder.LimitsCUDA.Depth {
		return nil, &backend.ArgumentError{Op: op, Argument: "conditionals inside each other", Value: fmt.Sprint(b.depth),
			Allowed: fmt.Sprintf("at most %d", recorder.LimitsCUDA.Depth)}
	}
	inner := &stream{device: s.device, id: s.id, body: b}
	if own != nil {
		own.mu.Lock()
		defer own.mu.Unlock()
		if err := own.usable(s, op); err != nil {
			return nil, err
		}
		own.open++
		return inner, nil
	}
	other.mu.Lock()
	defer other.mu.Unlock()
	if err := other.usable(s, op); err != nil {
		return nil, err
	}
	other.bodies++
	return inner, nil
}

// dropBody closes the stream of a body and forgets what it recorded.
func (s *stream) dropBody() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed.Store(true)
	b := s.body
	b.program.release()
	if b.own != nil {
		b.own.mu.Lock()
		defer b.own.mu.Unlock()
		b.own.open--
		return
	}
	b.foreign.mu.Lock()
	defer b.foreign.mu.Unlock()
	b.foreign.bodies--
}

// closeBody closes the stream of a body and records the conditional with that body on s.
func (s *stream) closeBody(op string, kind uint32, flag recorder.Span, limit int32, left *memory, inner *stream) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	inner.mu.Lock()
	defer inner.mu.Unlock()
	inner.closed.Store(true)
	b := inner.body
	w := &s.work
	w.begin(op, kind)
	c := &w.commands[0]
	c.target, c.pattern = address(flag), uint32(limit)
	w.uses(memoryOf(flag))
	if left != nil {
		c.source = left.address
		w.uses(left)
	}
	if b.own != nil {
		return b.own.closeBody(s, w, &b.program)
	}
	return b.foreign.closeBody(s, w, &b.program)
}

func (c *capture) closeBody(s *stream, w *work, p *program) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	if c.ended.Load() {
		p.release()
		return s.device.Ended(w.op)
	}
	if len(p.commands) == 0 {
		p.release()
		return nil
	}
	if !w.retain() {
		p.release()
		return &backend.ClosedError{Op: w.op, What: "buffer"}
	}
	if s.body != nil {
		s.body.program.addBranch(w, p, nil)
		return nil
	}
	c.advance(s, []uint32{c.program.addBranch(w, p, c.points[s].after)})
	return nil
}

func (c *foreignCapture) closeBody(s *stream, w *work, p *program) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies--
	if len(p.commands) == 0 {
		p.release()
		return nil
	}
	var kept *retention
	if s.body == nil {
		err := c.still(s, w.op)
		if err == nil {
			kept, err = c.retain(s.device, w.op)
		}
		if err != nil {
			p.release()
			return err
		}
	}
	if !w.retain() {
		p.release()
		return &backend.ClosedError{Op: w.op, What: "buffer"}
	}
	if s.body != nil {
		s.body.program.addBranch(w, p, nil)
		return nil
	}
	var whole program
	whole.addBranch(w, p, nil)
	kept.adopt(&whole)
	return c.emit(s, w.op, &whole)
}

// still returns an error if the stream has been closed, or its capture ended or broken, while a body was open.
func (c *foreignCapture) still(s *stream, op string) error {
	if s.closed.Load() {
		return &backend.ClosedError{Op: op, What: "stream"}
	}
	_, now, err := s.situation(op)
	if err == nil && now != c {
		err = s.device.Ended(op)
	}
	return err
}
