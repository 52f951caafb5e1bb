//go:build cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/kernel"
)

// stream is a stream of the driver, made by this package or adopted. The body of a conditional gets a stream of its own,
// which collects in Go what a lane captures later.
type stream struct {
	device *device
	handle streamHandle
	owned  bool
	id     uint64 // 0: the default stream, an adopted one or that of a body
	site   string
	closed atomic.Bool
	gone   bool  // it is among what is given back to the driver, or its owner may destroy it; device.mu guards it
	body   *body // of a conditional, for the stream of one

	mu      sync.Mutex
	capture *capture // of our own, taken part in; may have ended: see live
	joined  uint64   // the foreign capture that this stream has joined by Wait
	unknown error    // why the driver did not tell the capture at the last Capture
	work    work
	spans   [kernel.MaxBuffers]recorder.Span // of the launch that is being prepared
}

// body is the inside of a conditional that is open.
type body struct {
	parent  *stream
	depth   int
	own     *capture        // whose recording it is part of,
	foreign *foreignCapture // or this one
	program program
}

func (s *stream) Device() backend.Device { return s.device }

// Handle is the driver's stream, 0 for the stream of a conditional body and for the adopted null stream.
func (s *stream) Handle() uintptr { return uintptr(s.handle) }

// perThread is the handle of the default stream of the calling thread.
const perThread = 2

// legacy tells whether the handle is the driver's legacy default stream, which cannot be captured.
func (s *stream) legacy() bool { return s.handle < perThread && s.body == nil }

// root returns the stream that the outermost conditional body belongs to, the stream itself if there is none.
func (s *stream) root() *stream {
	for s.body != nil {
		s = s.body.parent
	}
	return s
}

// depth counts the conditional bodies around the stream.
func (s *stream) depth() int {
	if s.body == nil {
		return 0
	}
	return s.body.depth
}

// lock gets hold of the stream.
func (s *stream) lock(op string) error {
	s.mu.Lock()
	err := s.device.Usable(op)
	if err == nil && s.closed.Load() {
		err = &backend.ClosedError{Op: op, What: "stream"}
	}
	if err != nil {
		s.mu.Unlock()
	}
	return err
}

// situation returns the capture that the stream is part of, of our own or foreign, or two nils. It is an error if the
// capture has been invalidated, or if somebody's capture forbids work on this stream. The caller holds the lock.
func (s *stream) situation(op string) (*capture, *foreignCapture, error) {
	if s.body != nil {
		return s.body.own, s.body.foreign, nil
	}
	if c := s.live(); c != nil {
		return c, nil, nil
	}
	info, f := s.device.context.capture(s.handle)
	switch {
	case f.code == codeCaptureImplicit:
		return nil, nil, &backend.CaptureError{Op: op, State: backend.CaptureNone,
			Reason: "the legacy stream takes no work while a blocking stream is being captured"}
	case f.failed():
		return nil, nil, f.as(s.device.info.Name, op)
	case info.status == statusInvalidated:
		return nil, nil, &backend.CaptureError{Op: op, State: backend.CaptureInvalidated,
			Reason: "the capture of the stream is broken and must be ended first"}
	case info.status == statusActive:
		return nil, captures.observe(s, info), nil
	}
	return nil, nil, nil
}

// stateOf returns the capture state that an error of situation stands for. An unknown state takes no work.
func stateOf(err error) backend.CaptureState {
	var capture *backend.CaptureError
	if errors.As(err, &capture) {
		return capture.State
	}
	return backend.CaptureInvalidated
}

// emit runs the operation that the stream holds, or records it. The caller holds the lock.
func (s *stream) emit() error {
	w := &s.work
	own, other, err := s.situation(w.op)
	switch {
	case err != nil:
		return err
	case own != nil:
		return own.record(s, w)
	case other != nil:
		return other.record(s, w)
	case w.empty:
		return nil
	}
	if !w.retain() {
		return &backend.ClosedError{Op: w.op, What: "buffer"}
	}
	defer w.release()
	return s.device.context.emit(s.handle, nil, w.commands[:], w.words[:]).as(s.device.info.Name, w.op)
}

func (s *stream) Launch(def *kernel.Def, launch backend.Launch) error {
	const op = "launch"
	if def == nil {
		return &backend.ArgumentError{Op: op, Argument: "kernel", Value: "nil", Allowed: "a definition"}
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if s.body != nil { // Close does not wait for this stream, and the kernel may have to be loaded
		if err := s.device.Enter(op); err != nil {
			return err
		}
		defer s.device.Leave()
	}
	if err := s.prepare(def, &launch); err != nil {
		return backend.InLaunch(def.Name, err)
	}
	return s.emit()
}

// prepare makes a checked launch the work of the stream.
func (s *stream) prepare(def *kernel.Def, launch *backend.Launch) error {
	if _, err := s.device.Arguments(def, launch, &s.spans); err != nil {
		return err
	}
	f, err := s.device.function(def)
	if err != nil {
		return err
	}
	w := &s.work
	w.begin("launch", commandLaunch)
	w.word(uint64(launch.N))
	buffers, scalars := 0, 0
	for i := range def.Params {
		param := &def.Params[i]
		if !param.Buffer {
			w.word(uint64(launch.Scalars[scalars]))
			scalars++
			continue
		}
		span := s.spans[buffers]
		elements := span.Bytes / param.Type.Size()
		if elements > math.MaxInt32 {
			return &backend.ArgumentError{Op: "arguments", Argument: param.Name, Value: fmt.Sprintf("%d elements", elements),
				Allowed: "at most 2147483647"}
		}
		w.word(address(span))
		w.word(uint64(elements))
		w.uses(memoryOf(span))
		buffers++
	}
	w.empty = launch.N == 0
	c := &w.commands[0]
	c.target, c.parameters = uint64(f.handle), uint32(w.count)
	c.grid, c.block = shape(def, f, launch)
	return nil
}

func (s *stream) Copy(dst, src backend.View) error {
	const op = "copy"
	to, from, err := s.device.CopySpans(op, dst, src)
	if err != nil {
		return err
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.work.begin(op, commandCopy)
	s.work.move(address(to), address(from), to.Bytes)
	s.work.uses(memoryOf(to))
	s.work.uses(memoryOf(from))
	return s.emit()
}

// move sets what a copy copies.
func (w *work) move(target, source uint64, bytes int64) {
	c := &w.commands[0]
	c.target, c.source, c.bytes = target, source, uint64(bytes)
	w.empty = bytes == 0
}

func (s *stream) Fill(dst backend.View, pattern uint32) error {
	const op = "fill"
	to, err := s.device.FillSpan(op, dst)
	if err != nil {
		return err
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	s.work.begin(op, commandFill)
	s.work.move(address(to), 0, to.Bytes)
	s.work.commands[0].pattern = pattern
	s.work.uses(memoryOf(to))
	return s.emit()
}

func (s *stream) Upload(dst backend.View, src backend.HostBuffer, offset int64) error {
	return s.transfer("upload", commandUpload, dst, src, offset)
}

func (s *stream) Download(dst backend.HostBuffer, offset int64, src backend.View) error {
	return s.transfer("download", commandDownload, src, dst, offset)
}

// transfer copies between a view and a host buffer from offset on.
func (s *stream) transfer(op string, kind uint32, view backend.View, host backend.HostBuffer, offset int64) error {
	device, pinned, err := s.device.TransferSpan(op, view, host, offset)
	if err != nil {
		return err
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if s.body != nil {
		return recorder.HostCopyInBody(s.device.info.Name, op)
	}
	memory := pinned.(*memory)
	at := memory.address + uint64(offset)
	s.work.begin(op, kind)
	if kind == commandUpload {
		s.work.move(address(device), at, device.Bytes)
	} else {
		s.work.move(at, address(device), device.Bytes)
	}
	s.work.uses(memoryOf(device))
	s.work.uses(memory)
	return s.emit()
}

// Sync waits for the work of the stream. Calls on the stream wait for it.
func (s *stream) Sync() error {
	const op = "sync"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	own, other, err := s.situation(op)
	switch {
	case err != nil:
		return err
	case own != nil:
		return own.refuse(s, op, "work that is being recorded does not run")
	case other != nil:
		return other.refuse(s, op, "work that is being recorded does not run")
	}
	return s.device.context.sync(s.handle).as(s.device.info.Name, op)
}

// Close closes the stream, after its work if this package made it. The default stream is closed with its device. A capture
// that began on it is dropped, which is an error; a capture of somebody else goes on.
func (s *stream) Close() error {
	const op = "close stream"
	if s == s.device.base || s.body != nil {
		return &backend.ArgumentError{Op: op, Argument: "stream", Value: "the default stream or that of a conditional body",
			Allowed: "a stream made by NewStream"}
	}
	if s.lock(op) != nil {
		s.release() // if the device is just being closed: the owner may destroy the stream when this returns
		return nil
	}
	defer s.mu.Unlock()
	c := s.live()
	s.device.current.CompareAndSwap(s, s.device.base)
	var err error
	if !s.owned && !s.legacy() { // nobody waits for it afterwards
		_, f := s.device.context.settle(s.handle)
		err = f.as(s.device.info.Name, op)
	}
	s.shut()
	if c != nil && c.origin == s {
		err = errors.Join(err, &backend.CaptureError{Op: op, State: backend.CaptureOwn, Reason: "the capture that it was recording is dropped"})
	}
	return errors.Join(err, s.device.Collect())
}

func (s *stream) release() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shut()
}

// shut is release for who holds the lock.
func (s *stream) shut() bool {
	if s.closed.Swap(true) {
		return false
	}
	if c := s.capture; c != nil && c.origin == s {
		c.drop()
	}
	d := s.device
	if !s.owned { // its owner may destroy it as soon as nobody is waiting for it or asks for a capture of it that has ended
		d.disposing.Lock()
		defer d.disposing.Unlock()
		captures.open()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s.gone = true // at once with what follows: its work is waited for before memory goes
	if s.owned {
		d.pending = append(d.pending, disposal{disposeStream, uint64(s.handle), 0})
	}
	d.Forget(s.id)
	delete(d.adopted, s)
	return true
}

// Release implements recorder.Resource.
func (s *stream) Release() { s.release() }

// Leak implements recorder.Resource.
func (s *stream) Leak() backend.Leak { return backend.Leak{Kind: "stream", Site: s.site} }
