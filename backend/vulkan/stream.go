//go:build cgo && linux

package vulkan

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	vk "github.com/vulkan-go/vulkan"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// stream records work in the order in which its calls get hold of it, and submits it in batches, or adds it to the
// capture it takes part in. The body of a conditional gets a stream of its own, whose parent is the stream that If was
// called on.
type stream struct {
	device *device
	id     uint64 // 0: the default stream
	site   string
	closed atomic.Bool
	parent *stream  // the stream of the enclosing capture, for the stream of a conditional body
	depth  int      // conditional bodies around this one
	target *program // of a body stream: where it records

	mu      sync.Mutex
	capture *capture // taken part in; may have ended: see live
	operand operation
	spans   [kernel.MaxBuffers]span
	encoder encoder // its recording is the batch that has not been submitted
	last    uint64  // value of the timeline at which what was submitted has run
	after   uint64  // value that the next submission waits for, besides last
}

// maxPending is how many operations a batch holds.
const maxPending = 64

func (d *device) newStream() *stream {
	return &stream{device: d, encoder: encoder{device: d, retains: true}}
}

func (s *stream) Device() backend.Device { return s.device }

// Handle is 0: a stream is no object of Vulkan.
func (s *stream) Handle() uintptr { return 0 }

// lock gets hold of the stream and of the device.
func (s *stream) lock(op string) error {
	if err := s.device.enter(op); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed.Load() {
		s.unlock()
		return &backend.ClosedError{Op: op, What: "stream"}
	}
	return nil
}

func (s *stream) unlock() {
	s.mu.Unlock()
	s.device.leave()
}

// emit records an operation, whose spans are borrowed. The caller holds the lock.
func (s *stream) emit(o *operation) error {
	var err error
	if c := s.live(); c != nil {
		err = c.record(s, o)
	} else {
		err = s.perform(o)
	}
	s.operand = operation{}
	return err
}

// perform adds an operation to the batch. The caller holds the lock.
func (s *stream) perform(o *operation) error {
	if s.encoder.recording == nil {
		r, err := s.device.newRecording(vk.CommandBufferUsageOneTimeSubmitBit)
		if err != nil {
			return err
		}
		s.encoder.recording = r
	}
	if err := s.encoder.encode(o); err != nil {
		return err
	}
	if o.kind == downloadHost || s.encoder.recording.operations >= maxPending {
		return s.flush()
	}
	return nil
}

// flush submits the batch. The caller holds the lock.
func (s *stream) flush() error {
	r := s.encoder.recording
	if r == nil {
		return nil
	}
	s.encoder.recording = nil
	err := r.finish()
	if err == nil {
		var value uint64
		if value, err = s.device.queue.submit(r, s.point(), false); err == nil {
			s.last = value
			return nil
		}
	}
	r.destroy()
	return err
}

// settle submits the batches of all streams and waits for all work, so that what only they use is free.
func (d *device) settle() error {
	d.mu.Lock()
	streams := []*stream{d.base}
	for _, r := range d.resources {
		if s, ok := r.(*stream); ok {
			streams = append(streams, s)
		}
	}
	d.mu.Unlock()
	for _, s := range streams {
		s.mu.Lock()
		err := s.flush()
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return d.queue.drain()
}

// point returns the value at which all that was submitted, and all that was waited for, has run.
func (s *stream) point() uint64 { return max(s.last, s.after) }

func (s *stream) Launch(def *kernel.Def, launch backend.Launch) error {
	if def == nil {
		return &backend.ArgumentError{Op: "launch", Arg: "kernel", Value: "nil", Allowed: "a definition"}
	}
	if err := s.lock("launch"); err != nil {
		return err
	}
	defer s.unlock()
	err := s.prepare(def, &launch)
	if err == nil {
		err = s.emit(&s.operand)
	}
	if err != nil {
		return backend.InLaunch(def.Name, err)
	}
	return nil
}

// prepare checks the arguments of a launch against the parameters of its kernel and puts them into the operand. exec has
// checked them before; this keeps memory safe for those who call the backend themselves. MaxBlocks is a hint that a
// dispatch has no use for.
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
	s.operand = operation{kind: launchKernel, def: def, n: launch.N, block: launch.Block, spans: s.spans[:buffers], scalars: launch.Scalars}
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
	defer s.unlock()
	s.spans[0], s.spans[1] = to, from
	s.operand = operation{kind: copyDevice, spans: s.spans[:2]}
	return s.emit(&s.operand)
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
	defer s.unlock()
	s.spans[0] = to
	s.operand = operation{kind: fillDevice, spans: s.spans[:1], pattern: pattern}
	return s.emit(&s.operand)
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
	if offset < 0 || offset > own.bytes || device.bytes > own.bytes-offset {
		return &backend.ArgumentError{Op: op, Arg: "offset", Value: fmt.Sprintf("%d with %d bytes", offset, device.bytes),
			Allowed: fmt.Sprintf("a range within the %d bytes of the host buffer", own.bytes)}
	}
	if !own.open() {
		return &backend.ClosedError{Op: op, What: "host buffer"}
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	if s.parent != nil {
		return &backend.UnsupportedError{Device: s.device.info.Name, Op: op,
			Reason: "the body of a conditional holds launches, fills and copies on the device"}
	}
	s.spans[0] = device
	s.operand = operation{kind: k, spans: s.spans[:1], host: own, hostOffset: offset}
	return s.emit(&s.operand)
}

// Sync submits the batch and waits until all work has run. Other goroutines may use the stream meanwhile.
func (s *stream) Sync() error {
	value, err := s.submitAll("sync")
	if err != nil {
		return err
	}
	defer s.device.leave()
	return s.device.queue.wait(value)
}

// submitAll submits the batch and returns the value at which all work has run. Unless it fails, the caller has entered
// the device.
func (s *stream) submitAll(op string) (uint64, error) {
	if err := s.lock(op); err != nil {
		return 0, err
	}
	var err error
	if c := s.live(); c != nil {
		err = c.refuse(s, op, "work that is being recorded does not run")
	} else {
		err = s.flush()
	}
	if err != nil {
		s.unlock()
		return 0, err
	}
	defer s.mu.Unlock()
	return s.point(), nil
}

// Close submits what is left and closes the stream. The default stream is closed with its device. A capture that began on
// it is dropped, which is an error.
func (s *stream) Close() error {
	const op = "close stream"
	if s == s.device.base || s.parent != nil {
		return &backend.ArgumentError{Op: op, Arg: "stream", Value: "the default stream or that of a conditional body",
			Allowed: "a stream made by NewStream"}
	}
	if err := s.lock(op); errors.Is(err, backend.ErrClosed) {
		return nil
	} else if err != nil && !errors.Is(err, backend.ErrDeviceLost) {
		return err
	} else if err != nil {
		s.closed.Store(true)
		s.device.forget(s.id)
		return nil
	}
	defer s.unlock()
	c := s.live()
	err := s.flush()
	s.closed.Store(true)
	s.device.forget(s.id)
	s.device.current.CompareAndSwap(s, s.device.base)
	if c != nil && c.origin == s {
		c.drop()
		return &backend.CaptureError{Op: op, State: backend.CaptureOwn, Reason: "the capture that it was recording is dropped"}
	}
	return err
}

// release drops what has not been submitted. The device is idle.
func (s *stream) release() {
	s.closed.Store(true)
	if s.encoder.recording != nil {
		s.encoder.recording.destroy()
		s.encoder.recording = nil
	}
}

func (s *stream) leak() backend.Leak { return backend.Leak{Kind: "stream", Site: s.site} }
