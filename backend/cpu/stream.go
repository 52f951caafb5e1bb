package cpu

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// stream runs work at once, in the order in which its calls get hold of it, or adds it to the capture it takes part in.
// The body of a conditional gets a stream of its own, whose parent is the stream that If was called on.
type stream struct {
	device *device
	id     uint64 // 0: the default stream
	site   string
	closed atomic.Bool
	parent *stream  // the stream of the enclosing capture, for the stream of a conditional body
	depth  int      // conditional bodies around this one
	target *program // of a body stream: where it records

	mu       sync.Mutex
	capture  *capture // taken part in; may have ended: see live
	scratch  operation
	spans    [kernel.MaxBuffers]span
	args     kernel.Args
	launches uint64 // in debug mode, for the seed of the next twin
}

func (s *stream) Device() backend.Device { return s.device }

// Handle is 0: the CPU has no native stream.
func (s *stream) Handle() uintptr { return 0 }

// lock gets hold of the stream. A kernel that would wait for it gets an error: it may be running on this very stream.
func (s *stream) lock(op string) error {
	if !s.mu.TryLock() {
		if insideKernel() {
			return callerIsKernel(op)
		}
		s.mu.Lock()
	}
	err := s.device.usable(op)
	if err == nil && s.closed.Load() {
		err = &backend.ClosedError{Op: op, What: "stream"}
	}
	if err != nil {
		s.mu.Unlock()
	}
	return err
}

// emit runs an operation, whose spans are borrowed, or records it. The caller holds the lock.
func (s *stream) emit(o *operation) error {
	var err error
	if c := s.live(); c != nil {
		err = c.record(s, o)
	} else {
		err = s.perform(o)
	}
	s.scratch = operation{}
	return err
}

func (s *stream) Launch(def *kernel.Def, launch backend.Launch) error {
	if def == nil {
		return &backend.ArgumentError{Op: "launch", Arg: "kernel", Value: "nil", Allowed: "a definition"}
	}
	if err := s.lock("launch"); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if err := s.prepare(def, &launch); err != nil {
		return backend.InLaunch(def.Name, err)
	}
	return s.emit(&s.scratch)
}

// prepare checks the arguments of a launch against the parameters of its kernel and puts them into the scratch operation.
// exec has checked them before; this keeps memory safe for those who call the backend themselves.
func (s *stream) prepare(def *kernel.Def, launch *backend.Launch) error {
	if err := s.device.runnable(def); err != nil {
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
			if span.bytes%param.Type.Size() != 0 {
				return &backend.ArgumentError{Op: "arguments", Arg: param.Name, Value: fmt.Sprintf("%d bytes", span.bytes),
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
	s.scratch = operation{kind: launchKernel, def: def, n: launch.N, maxWorkers: launch.MaxBlocks,
		spans: s.spans[:buffers], scalars: launch.Scalars}
	return nil
}

func (s *stream) Copy(dst, src backend.View) error {
	const op = "copy"
	to, err := s.device.span(op, "destination", dst)
	if err != nil {
		return err
	}
	from, err := s.device.span(op, "source", src)
	if err != nil {
		return err
	}
	if to.bytes != from.bytes {
		return &backend.ArgumentError{Op: op, Arg: "destination", Value: fmt.Sprintf("%d bytes", to.bytes),
			Allowed: fmt.Sprintf("the %d bytes of the source", from.bytes)}
	}
	if to.overlaps(from) {
		return &backend.ArgumentError{Op: op, Arg: "source", Value: fmt.Sprintf("%d bytes at offset %d", from.bytes, from.offset),
			Allowed: fmt.Sprintf("a range that does not overlap the destination at offset %d", to.offset)}
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.spans[0], s.spans[1] = to, from
	s.scratch = operation{kind: copyDevice, spans: s.spans[:2]}
	return s.emit(&s.scratch)
}

func (s *stream) Fill(dst backend.View, pattern uint32) error {
	const op = "fill"
	to, err := s.device.span(op, "destination", dst)
	if err != nil {
		return err
	}
	if to.bytes%4 != 0 {
		return &backend.ArgumentError{Op: op, Arg: "destination", Value: fmt.Sprintf("%d bytes", to.bytes), Allowed: "a multiple of 4 bytes"}
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.spans[0] = to
	s.scratch = operation{kind: fillDevice, spans: s.spans[:1], pattern: pattern}
	return s.emit(&s.scratch)
}

func (s *stream) Upload(dst backend.View, src backend.HostBuffer, offset int64) error {
	return s.transfer(uploadHost, dst, src, offset)
}

func (s *stream) Download(dst backend.HostBuffer, offset int64, src backend.View) error {
	return s.transfer(downloadHost, src, dst, offset)
}

// transfer copies between a view and a host buffer from offset on.
func (s *stream) transfer(k kind, view backend.View, host backend.HostBuffer, offset int64) error {
	op := k.String()
	device, err := s.device.span(op, "view", view)
	if err != nil {
		return err
	}
	own, ok := host.(*hostBuffer)
	if !ok || own == nil || own.device != s.device {
		return &backend.ArgumentError{Op: op, Arg: "host buffer", Value: foreign(host),
			Allowed: "a host buffer of this device"}
	}
	if size := own.memory.bytes; offset < 0 || offset > size || device.bytes > size-offset {
		return &backend.ArgumentError{Op: op, Arg: "offset", Value: fmt.Sprintf("%d with %d bytes", offset, device.bytes),
			Allowed: fmt.Sprintf("a range within the %d bytes of the host buffer", size)}
	}
	if own.closed.Load() {
		return &backend.ClosedError{Op: op, What: "host buffer"}
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if s.parent != nil {
		return &backend.UnsupportedError{Device: name, Op: op,
			Reason: "the body of a conditional holds launches, fills and copies on the device"}
	}
	s.spans[0] = device
	s.scratch = operation{kind: k, spans: s.spans[:1], host: own.memory, hostOffset: offset}
	return s.emit(&s.scratch)
}

// Sync has nothing to wait for: the work has run.
func (s *stream) Sync() error {
	const op = "sync"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if c := s.live(); c != nil {
		return c.refuse(s, op, "work that is being recorded does not run")
	}
	return nil
}

// Peek reads a flag: the work before it has run.
func (s *stream) Peek(flag backend.View) (int32, error) {
	const op = "peek"
	span, err := s.device.span(op, "flag", flag)
	if err != nil {
		return 0, err
	}
	if span.bytes != 4 {
		return 0, &backend.ArgumentError{Op: op, Arg: "flag", Value: fmt.Sprintf("%d bytes", span.bytes), Allowed: "one int32"}
	}
	if err := s.lock(op); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	if c := s.live(); c != nil {
		return 0, c.refuse(s, op, "work that is being recorded does not run")
	}
	value, isOpen := span.pointer()
	if !isOpen {
		return 0, &backend.ClosedError{Op: op, What: "buffer"}
	}
	return *(*int32)(value), nil
}

// Close closes the stream. The default stream is closed with its device. A capture that began on it is dropped, which is
// an error.
func (s *stream) Close() error {
	const op = "close stream"
	if s == s.device.base || s.parent != nil {
		return &backend.ArgumentError{Op: op, Arg: "stream", Value: "the default stream or that of a conditional body",
			Allowed: "a stream made by NewStream"}
	}
	if err := s.lock(op); errors.Is(err, backend.ErrClosed) {
		return nil
	} else if err != nil {
		return err
	}
	defer s.mu.Unlock()
	c := s.live()
	s.closed.Store(true)
	s.device.forget(s.id)
	s.device.current.CompareAndSwap(s, s.device.base)
	if c != nil && c.origin == s {
		c.drop()
		return &backend.CaptureError{Op: op, State: backend.CaptureOwn, Reason: "the capture that it was recording is dropped"}
	}
	return nil
}

// release closes the stream, waits for the call that has hold of it, and drops a capture that began on it.
func (s *stream) release() {
	s.closed.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.capture; c != nil && c.origin == s {
		c.drop()
	}
}

func (s *stream) leak() backend.Leak { return backend.Leak{Kind: "stream", Site: s.site} }
