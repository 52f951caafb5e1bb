package recorder

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Stream gives work to its queue in the order in which its calls get hold of it, or adds it to the capture it takes
// part in. The body of a conditional gets a stream of its own, which has no queue and whose parent is the stream
// that If was called on.
type Stream struct {
	device *Device
	self   backend.Stream // as users get it
	queue  Queue          // nil: the stream of a body
	id     uint64         // 0: the default stream
	site   string
	closed atomic.Bool
	parent *Stream  // the stream of the enclosing body or capture, for the stream of a body
	depth  int      // bodies around this one
	target *Program // of a body stream: where it records

	mu      sync.Mutex
	capture *capture // taken part in; may have ended: see live
	operand Operation
	spans   [kernel.MaxBuffers]Span
}

// ID returns a number that no other stream of the device has, 0 for the default stream. That of a body has the
// number of the stream around it.
func (s *Stream) ID() uint64 { return s.id }

// Device implements backend.Stream.
func (s *Stream) Device() backend.Device { return s.device.self }

// Handle implements backend.Stream: the stream is no native one.
func (s *Stream) Handle() uintptr { return 0 }

// seize gets hold of the stream, open or not. The caller has entered the device, and leaves it by unlock.
func (s *Stream) seize(op string) error {
	if !s.mu.TryLock() {
		if err := s.device.driver.Blocked(op); err != nil {
			s.device.leave()
			return err
		}
		s.mu.Lock()
	}
	return nil
}

// lock gets hold of the stream and of the device.
func (s *Stream) lock(op string) error {
	if err := s.device.driver.Enter(op); err != nil {
		return err
	}
	if err := s.seize(op); err != nil {
		return err
	}
	err := s.device.Usable(op)
	if err == nil && s.closed.Load() {
		err = &backend.ClosedError{Op: op, What: "stream"}
	}
	if err != nil {
		s.unlock()
	}
	return err
}

func (s *Stream) unlock() {
	s.mu.Unlock()
	s.device.leave()
}

// emit gives the operand, whose spans are borrowed, to the queue, or records it. The caller holds the lock.
func (s *Stream) emit() error {
	var err error
	if c := s.live(); c != nil {
		err = c.record(s, &s.operand)
	} else {
		err = s.queue.Run(&s.operand)
	}
	s.operand = Operation{}
	return err
}

// Launch implements backend.Stream.
func (s *Stream) Launch(def *kernel.Def, launch backend.Launch) error {
	const op = "launch"
	if def == nil {
		return &backend.ArgumentError{Op: op, Argument: "kernel", Value: "nil", Allowed: "a definition"}
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	if err := s.prepare(def, &launch); err != nil {
		return backend.InLaunch(def.Name, err)
	}
	return s.emit()
}

// prepare checks a launch and makes it the operand.
func (s *Stream) prepare(def *kernel.Def, launch *backend.Launch) error {
	if err := s.device.driver.Runnable(def); err != nil {
		return err
	}
	buffers, err := s.device.Arguments(def, launch, &s.spans)
	if err != nil {
		return err
	}
	s.operand = Operation{Kind: backend.OperationLaunch, Def: def, N: launch.N, Block: launch.Block,
		MaxBlocks: launch.MaxBlocks, Spans: s.spans[:buffers], Scalars: launch.Scalars}
	return nil
}

// Copy implements backend.Stream.
func (s *Stream) Copy(dst, src backend.View) error {
	const op = "copy"
	to, from, err := s.device.CopySpans(op, dst, src)
	if err != nil {
		return err
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	s.spans[0], s.spans[1] = to, from
	s.operand = Operation{Kind: backend.OperationCopy, Spans: s.spans[:2]}
	return s.emit()
}

// Fill implements backend.Stream.
func (s *Stream) Fill(dst backend.View, pattern uint32) error {
	const op = "fill"
	to, err := s.device.FillSpan(op, dst)
	if err != nil {
		return err
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	s.spans[0] = to
	s.operand = Operation{Kind: backend.OperationFill, Spans: s.spans[:1], Pattern: pattern}
	return s.emit()
}

// Upload implements backend.Stream.
func (s *Stream) Upload(dst backend.View, src backend.HostBuffer, offset int64) error {
	return s.transfer(backend.OperationUpload, dst, src, offset)
}

// Download implements backend.Stream.
func (s *Stream) Download(dst backend.HostBuffer, offset int64, src backend.View) error {
	return s.transfer(backend.OperationDownload, src, dst, offset)
}

// transfer copies between a view and a host buffer from offset on.
func (s *Stream) transfer(kind backend.OperationKind, view backend.View, host backend.HostBuffer, offset int64) error {
	op := kind.String()
	device, memory, err := s.device.TransferSpan(op, view, host, offset)
	if err != nil {
		return err
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	if s.parent != nil {
		return HostCopyInBody(s.device.driver.Info().Name, op)
	}
	s.spans[0] = device
	s.operand = Operation{Kind: kind, Spans: s.spans[:1], Host: memory, HostOffset: offset}
	return s.emit()
}

const reasonRecorded = "work that is being recorded does not run"

// Sync implements backend.Stream. Other goroutines may use the stream while it waits.
func (s *Stream) Sync() error {
	const op = "sync"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.device.leave()
	var mark uint64
	var err error
	if c := s.live(); c != nil {
		err = c.refuse(s, op, reasonRecorded)
	} else {
		mark, err = s.queue.Mark()
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.device.driver.Await(mark)
}

// Close implements backend.Stream. The default stream is closed with its device. A capture that began on the stream
// is dropped, which is an error.
func (s *Stream) Close() error {
	const op = "close stream"
	d := s.device
	if s == d.base || s.parent != nil {
		return &backend.ArgumentError{Op: op, Argument: "stream", Value: "the default stream or that of a conditional body",
			Allowed: "a stream made by NewStream"}
	}
	if !d.hold() {
		return nil // the device has released it
	}
	if err := s.seize(op); err != nil {
		return err
	}
	defer s.unlock()
	if s.closed.Load() {
		return nil
	}
	c := s.live()
	err := s.queue.Close()
	s.closed.Store(true)
	d.Forget(s.id)
	d.current.CompareAndSwap(s, d.base)
	if c != nil && c.origin == s {
		c.drop()
		err = errors.Join(err, &backend.CaptureError{Op: op, State: backend.CaptureOwn,
			Reason: "the capture that it was recording is dropped"})
	}
	return err
}

// Release closes the stream, waits for the call that has hold of it, and drops a capture that began on it.
func (s *Stream) Release() {
	s.closed.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.capture; c != nil && c.origin == s {
		c.drop()
	}
	if s.queue != nil {
		s.queue.Release()
	}
}

// Leak implements Resource.
func (s *Stream) Leak() backend.Leak { return backend.Leak{Kind: "stream", Site: s.site} }

// Poller is a Driver whose device memory the host reads at no cost.
type Poller interface {
	// Peek returns the int32 in a span.
	Peek(flag Span) (int32, error)
}

// Polling is a stream of a device with Caps.CheapHostPoll and Caps.WhileNodes, whose driver is a Poller.
type Polling struct{ Looping }

// Peek implements backend.Peeker.
func (p *Polling) Peek(flag backend.View) (int32, error) {
	const op = "peek"
	s := &p.Stream
	span, err := s.device.Flag(op, flag)
	if err != nil {
		return 0, err
	}
	if err := s.lock(op); err != nil {
		return 0, err
	}
	defer s.unlock()
	if c := s.live(); c != nil {
		return 0, c.refuse(s, op, reasonRecorded)
	}
	poller, ok := s.device.driver.(Poller)
	if !ok {
		return 0, &backend.UnsupportedError{Device: s.device.driver.Info().Name, Op: op}
	}
	return poller.Peek(span)
}
