package recorder

import (
	"github.com/trackgen-go/trackgen/backend"
)

// Looping is a stream of a device with Caps.WhileNodes.
type Looping struct{ Stream }

// Repeat implements backend.Repeater.
func (l *Looping) Repeat(flag backend.View, limit int32, body func(backend.Stream) error) error {
	return l.branch(Operation{Kind: backend.OperationRepeat, N: limit}, flag, limit, body)
}

// If implements backend.Stream.
func (s *Stream) If(flag backend.View, body func(backend.Stream) error) error {
	return s.branch(Operation{Kind: backend.OperationIf}, flag, 1, body)
}

// branch records body on a stream of its own and emits o with the flag and that body.
func (s *Stream) branch(o Operation, flag backend.View, limit int32, body func(backend.Stream) error) error {
	op := o.Kind.String()
	span, err := s.device.checkBranch(op, flag, limit, body)
	if err != nil {
		return err
	}
	defer span.Memory.Release()
	inner, err := s.openBody(o.Kind)
	if err != nil {
		return err
	}
	returned := false
	defer func() {
		if !returned { // body panicked or called Goexit: leave the stream and the capture usable
			_ = s.closeBody(inner, nil)
		}
	}()
	err = body(inner.self)
	returned = true
	if err != nil {
		_ = s.closeBody(inner, nil) // nothing is emitted, so closing cannot be refused
		return err
	}
	o.Spans, o.Body = []Span{span}, inner.target
	return s.closeBody(inner, &o)
}

// openBody makes the stream of a body. Until closeBody, only that stream may record.
func (s *Stream) openBody(kind backend.OperationKind) (*Stream, error) {
	op := kind.String()
	if err := s.lock(op); err != nil {
		return nil, err
	}
	defer s.unlock()
	c, err := s.situation(op)
	if err == nil && (c == nil || c.eager) {
		err = s.device.eager(kind)
	}
	if err == nil {
		err = s.device.driver.Conditionals(kind)
	}
	if err != nil {
		return nil, err
	}
	if c == nil { // other goroutines may still use the stream for eager work, which then runs before the conditional
		c = newCapture(s)
		c.eager = true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, op); err != nil {
		return nil, err
	}
	if err := s.device.limits.shallow(op, s.depth+1); err != nil {
		return nil, err
	}
	c.open++
	inner, self := s.device.driver.MakeStream()
	inner.device, inner.self, inner.id, inner.capture = s.device, self, s.id, c
	inner.parent, inner.depth, inner.target = s, s.depth+1, new(Program)
	return inner, nil
}

// eager returns an error if the device does not support bodies of this kind outside captures.
func (d *Device) eager(kind backend.OperationKind) error {
	caps := d.driver.Caps()
	if kind == backend.OperationIf && caps.EagerConditionals {
		return nil
	}
	reason := "no capture is open, and the device has it in graphs only"
	if caps.CheapHostPoll {
		reason = "no capture is open, and the flag can be read on the host at no cost"
	}
	return &backend.UnsupportedError{Device: d.driver.Info().Name, Op: kind.String(), Reason: reason}
}

// closeBody closes the stream of a body. If o is not nil, it emits o, the operation with that body.
func (s *Stream) closeBody(inner *Stream, o *Operation) error {
	inner.closed.Store(true)
	c := inner.capture
	switch {
	case c.eager && s.parent == nil:
		return s.closeEager(c, o)
	case c.foreign != nil && s.parent == nil:
		return s.closeForeign(c, o)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	if o == nil {
		return nil
	}
	op := o.Kind.String()
	if c.ended.Load() {
		return s.device.ended(op)
	}
	if err := c.keepAll(o, op); err != nil {
		return err
	}
	c.add(s, *o)
	return nil
}

// closeEager ends the hidden capture of an eager conditional and runs the conditional.
func (s *Stream) closeEager(c *capture, o *Operation) error {
	defer c.drop() // the queue has taken its own references by then
	if o == nil {
		return nil
	}
	op := o.Kind.String()
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	if begun := s.live(); begun != nil {
		return begun.refuse(s, op, "the capture began while the body of the conditional was open")
	}
	return s.queue.Run(o)
}
