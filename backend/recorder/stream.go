package recorder

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Stream passes its work to its queue, in the order in which calls acquire the stream, or adds it to the capture that
// the stream takes part in. The body of a conditional gets its own stream, which has no queue; its parent is the stream
// on which If was called.
type Stream struct {
	device *Device
	self   backend.Stream // the stream that users hold
	queue  Queue          // nil: the stream of a body
	native ForeignQueue   // the queue, if somebody else can capture on it
	id     uint64         // 0: the default stream
	site   string
	closed atomic.Bool
	parent *Stream  // of the stream of a body: the stream on which the body was opened
	depth  int      // number of bodies around this stream
	target *Program // of the stream of a body: where it records

	mu      sync.Mutex
	capture *capture // the capture of our own that it takes part in; it may have ended: see live
	unknown error    // why the driver did not report the state at the last Capture
	operand Operation
	spans   [kernel.MaxBuffers]Span
	args    *kernel.Args // scratch memory of checkIterations, nil until needed
}

// ID returns a number that no other stream of the device has, and 0 for the default stream. The stream of a body has
// the number of the stream around it.
func (s *Stream) ID() uint64 { return s.id }

// Device implements backend.Stream.
func (s *Stream) Device() backend.Device { return s.device.self }

// Handle implements backend.Stream. It is 0, because this is no native stream.
func (s *Stream) Handle() uintptr { return 0 }

// seize acquires the stream, open or closed. The caller has entered the device; unlock leaves it, and so does seize if
// it fails.
func (s *Stream) seize(op string) error {
	if s.mu.TryLock() {
		return nil
	}
	if err := s.device.driver.Blocked(op); err != nil {
		s.device.leave()
		return err
	}
	s.mu.Lock()
	return nil
}

// lock enters the device and acquires the stream.
func (s *Stream) lock(op string) error {
	if s.device.guard != nil {
		if err := s.device.guard.Enter(op); err != nil {
			return err
		}
	}
	if err := s.seize(op); err != nil {
		return err
	}
	if !s.device.closed.Load() && !s.closed.Load() {
		return nil
	}
	s.unlock()
	if err := s.device.Usable(op); err != nil {
		return err
	}
	return &backend.ClosedError{Op: op, What: "stream"}
}

func (s *Stream) unlock() {
	s.mu.Unlock()
	s.device.leave()
}

// begin initialises the operand, which is empty, as an operation with the given number of spans. Setting single fields
// is cheaper than copying a whole operation.
func (s *Stream) begin(kind backend.OperationKind, spans int) *Operation {
	s.operand.Kind, s.operand.Spans = kind, s.spans[:spans]
	return &s.operand
}

// emit passes the operand, whose spans are borrowed, to the queue, or records it. The caller holds the lock.
func (s *Stream) emit() error {
	c := s.live()
	var err error
	if c == nil && s.native != nil {
		c, err = s.situation(s.operand.Kind.String())
	}
	switch {
	case err != nil:
	case c != nil:
		err = c.record(s, &s.operand)
	default:
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

// prepare checks a launch and stores it as the operand.
func (s *Stream) prepare(def *kernel.Def, launch *backend.Launch) error {
	if err := s.device.driver.Runnable(def); err != nil {
		return err
	}
	buffers, err := s.device.arguments(def, launch, &s.spans)
	if err != nil {
		return err
	}
	o := s.begin(backend.OperationLaunch, buffers)
	o.Def, o.N, o.Block, o.MaxBlocks, o.Scalars = def, launch.N, launch.Block, launch.MaxBlocks, launch.Scalars
	if err := s.checkIterations(o); err != nil {
		s.operand = Operation{}
		return err
	}
	return nil
}

// Copy implements backend.Stream.
func (s *Stream) Copy(dst, src backend.View) error {
	const op = "copy"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	if err := s.device.copySpans(op, dst, src, &s.spans); err != nil {
		return err
	}
	s.begin(backend.OperationCopy, 2)
	return s.emit()
}

// Fill implements backend.Stream.
func (s *Stream) Fill(dst backend.View, pattern uint32) error {
	const op = "fill"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	to, err := s.device.fillSpan(op, dst)
	if err != nil {
		return err
	}
	s.spans[0] = to
	s.begin(backend.OperationFill, 1).Pattern = pattern
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

// transfer copies between a view and the bytes of a host buffer that start at offset.
func (s *Stream) transfer(kind backend.OperationKind, view backend.View, host backend.HostBuffer, offset int64) error {
	op := kind.String()
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	device, memory, err := s.device.transferSpan(op, view, host, offset)
	if err != nil {
		return err
	}
	if s.parent != nil {
		return hostCopyInBody(s.device.driver.Info().Name, op)
	}
	s.spans[0] = device
	o := s.begin(kind, 1)
	o.Host, o.HostOffset = memory, offset
	return s.emit()
}

const reasonRecorded = "work that is being recorded does not run"

// Sync implements backend.Stream. Other goroutines may use the stream while Sync waits.
func (s *Stream) Sync() error {
	const op = "sync"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.device.leave()
	var mark uint64
	c, err := s.situation(op)
	switch {
	case err != nil:
	case c != nil:
		err = c.refuse(s, op, reasonRecorded)
	default:
		mark, err = s.queue.Sync()
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.device.driver.Await(op, mark)
}

// Close implements backend.Stream. The default stream is closed with its device. If a capture of our own began on the
// stream, Close drops it and returns an error; a capture of somebody else continues.
func (s *Stream) Close() error {
	const op = "close stream"
	d := s.device
	if s == d.base || s.parent != nil {
		return &backend.ArgumentError{Op: op, Argument: "stream", Value: "the default stream or that of a conditional body",
			Allowed: "a stream made by NewStream"}
	}
	if !d.enterLost() {
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
	d.forget(s.id)
	d.current.CompareAndSwap(s, d.base)
	if c != nil && c.origin == s {
		c.drop()
		err = errors.Join(err, &backend.CaptureError{Op: op, State: backend.CaptureOwn,
			Reason: "the capture that it was recording is dropped"})
	}
	return errors.Join(err, d.driver.Collect())
}

// Release closes the stream. It waits for the call that holds the stream, and drops a capture that began on it.
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

// Poller is a Driver whose device memory the host can read at no cost.
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
	span, err := s.device.flag(op, flag)
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
	if s.device.poller == nil {
		return 0, &backend.UnsupportedError{Device: s.device.driver.Info().Name, Op: op}
	}
	return s.device.poller.Peek(span)
}
