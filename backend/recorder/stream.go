package recorder

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Stream gives work to its queue in the order in which its calls get hold of it, or adds it to the capture it takes part
// in. The body of a conditional gets a stream of its own, which has no queue and whose parent is the stream that If was
// called on.
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

// recorded returns the stream from whatever it is wrapped in.
func (s *Stream) recorded() *Stream { return s }

// ID returns a number that no other stream of the device has, 0 for the default stream. That of a body has the number of
// the stream around it.
func (s *Stream) ID() uint64 { return s.id }

// Queue returns the driver's side of the stream.
func (s *Stream) Queue() Queue { return s.queue }

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
	if err := s.device.enter(op); err != nil {
		return err
	}
	if err := s.seize(op); err != nil {
		return err
	}
	err := s.device.usable(op)
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
		return &backend.ArgumentError{Op: op, Arg: "kernel", Value: "nil", Allowed: "a definition"}
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	if err := s.prepare(def, &launch); err != nil {
		return fmt.Errorf("launch %s: %w", def.Name, err)
	}
	return s.emit()
}

// prepare checks the arguments of a launch against the parameters of its kernel and puts them into the operand. exec has
// checked them before; this keeps memory safe for those who call the backend themselves.
func (s *Stream) prepare(def *kernel.Def, launch *backend.Launch) error {
	if err := s.device.driver.Runnable(def); err != nil {
		return err
	}
	if launch.N < 0 || launch.MaxBlocks < 0 || launch.Block < 0 {
		return &backend.ArgumentError{Op: "arguments", Arg: "N, Block or MaxBlocks",
			Value: fmt.Sprintf("%d, %d, %d", launch.N, launch.Block, launch.MaxBlocks), Allowed: "0 or more"}
	}
	buffers, scalars := 0, 0
	for i := range def.Params {
		param := &def.Params[i]
		if !param.Buffer {
			scalars++
			continue
		}
		if buffers < len(launch.Buffers) && buffers < len(s.spans) {
			span, err := s.device.span("arguments", param.Name, launch.Buffers[buffers])
			if err != nil {
				return err
			}
			if span.Bytes%param.Type.Size() != 0 {
				return &backend.ArgumentError{Op: "arguments", Arg: param.Name, Value: fmt.Sprintf("%d bytes", span.Bytes),
					Allowed: fmt.Sprintf("whole elements of %d bytes", param.Type.Size())}
			}
			s.spans[buffers] = span
		}
		buffers++
	}
	if buffers > kernel.MaxBuffers || scalars > kernel.MaxScalars {
		return &backend.ArgumentError{Op: "parameters", Arg: "count", Value: fmt.Sprintf("%d buffers and %d scalars", buffers, scalars),
			Allowed: fmt.Sprintf("%d buffers and %d scalars", kernel.MaxBuffers, kernel.MaxScalars)}
	}
	if len(launch.Buffers) != buffers || len(launch.Scalars) != scalars {
		return &backend.ArgumentError{Op: "arguments", Arg: "count",
			Value:   fmt.Sprintf("%d buffers and %d scalars", len(launch.Buffers), len(launch.Scalars)),
			Allowed: fmt.Sprintf("%d buffers and %d scalars", buffers, scalars)}
	}
	s.operand = Operation{Kind: backend.OperationLaunch, Def: def, N: launch.N, Block: launch.Block, MaxBlocks: launch.MaxBlocks,
		Spans: s.spans[:buffers], Scalars: launch.Scalars}
	return nil
}

// Copy implements backend.Stream.
func (s *Stream) Copy(dst, src backend.View) error {
	const op = "copy"
	to, err := s.device.span(op, "destination", dst)
	if err != nil {
		return err
	}
	from, err := s.device.span(op, "source", src)
	if err != nil {
		return err
	}
	if to.Bytes != from.Bytes {
		return &backend.ArgumentError{Op: op, Arg: "destination", Value: fmt.Sprintf("%d bytes", to.Bytes),
			Allowed: fmt.Sprintf("the %d bytes of the source", from.Bytes)}
	}
	if to.overlaps(from) {
		return &backend.ArgumentError{Op: op, Arg: "source", Value: fmt.Sprintf("%d bytes at offset %d", from.Bytes, from.Offset),
			Allowed: fmt.Sprintf("a range that does not overlap the destination at offset %d", to.Offset)}
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
	to, err := s.device.span(op, "destination", dst)
	if err != nil {
		return err
	}
	if to.Bytes%4 != 0 {
		return &backend.ArgumentError{Op: op, Arg: "destination", Value: fmt.Sprintf("%d bytes", to.Bytes), Allowed: "a multiple of 4 bytes"}
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
	device, err := s.device.span(op, "view", view)
	if err != nil {
		return err
	}
	own, err := s.device.hostRange(op, host, offset, device.Bytes)
	if err != nil {
		return err
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	if s.parent != nil {
		return s.device.hostCopyInBody(op)
	}
	s.spans[0] = device
	s.operand = Operation{Kind: kind, Spans: s.spans[:1], Host: own.memory, HostOffset: offset}
	return s.emit()
}

func (d *Device) hostCopyInBody(op string) error {
	return &backend.UnsupportedError{Device: d.driver.Info().Name, Op: op + " in the body of a conditional",
		Reason: "it holds launches, fills and device copies only (R40)"}
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

// Close implements backend.Stream. The default stream is closed with its device. A capture that began on the stream is
// dropped, which is an error.
func (s *Stream) Close() error {
	const op = "close stream"
	d := s.device
	if s == d.base || s.parent != nil {
		return &backend.ArgumentError{Op: op, Arg: "stream", Value: "the default stream or that of a conditional body",
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
	d.forget(s.id)
	d.current.CompareAndSwap(s, d.base)
	if c != nil && c.origin == s {
		c.drop()
		err = errors.Join(err, &backend.CaptureError{Op: op, State: backend.CaptureOwn,
			Reason: "the capture that it was recording is dropped"})
	}
	return err
}

// release closes the stream, waits for the call that has hold of it, and drops a capture that began on it.
func (s *Stream) release() {
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

func (s *Stream) leak() backend.Leak { return backend.Leak{Kind: "stream", Site: s.site} }

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
	poller, ok := s.device.driver.(Poller)
	if !ok {
		return 0, &backend.UnsupportedError{Device: s.device.driver.Info().Name, Op: op}
	}
	return poller.Peek(span)
}
