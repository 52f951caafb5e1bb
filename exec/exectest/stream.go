package exectest

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
	"github.com/trackgen-go/trackgen/kernel"
)

// instrumentedStream is a stream of an instrumented device.
type instrumentedStream struct {
	backend.Stream
	device *Device
	root   *instrumentedStream // itself, or for the stream of a conditional body the stream on which the body was opened
	depth  int                 // number of enclosing conditional bodies
}

func (s *instrumentedStream) Device() backend.Device { return s.device }

// Sanction is called by package exec around its own reads of a loop's flag and around the operations of a HOST stage.
func (s *instrumentedStream) Sanction(token seam.Token) {
	for _, g := range s.device.watch.here() {
		g.sanction(token)
	}
	s.device.watch.sanctioned(token)
}

// Enter is called by package exec before an enqueue emits on the stream. A producer that runs inside an enqueue is part
// of it, so its context must be derived from the one that the enqueue received.
func (s *instrumentedStream) Enter(e seam.Enqueue) error {
	if err := s.Uses(e.Lineage); err != nil {
		return err
	}
	for _, g := range s.device.watch.here() {
		g.enterEnqueue(enqueue{e, s.root})
	}
	s.device.watch.entered(e.Lineage)
	return nil
}

// Leave is called by package exec after the enqueue has returned.
func (s *instrumentedStream) Leave() {
	for _, g := range s.device.watch.here() {
		g.leaveEnqueue()
	}
	s.device.watch.left()
}

// Uses is called by package exec before work is emitted through a context.
func (s *instrumentedStream) Uses(lineage any) error {
	for _, g := range s.device.watch.here() {
		if err := g.observeLineage(s, lineage); err != nil {
			return err
		}
	}
	s.device.watch.used(s, lineage)
	return nil
}

// Misuses is called by package exec when host operations are used outside of their stage (R126).
func (s *instrumentedStream) Misuses(api string) error {
	for _, g := range s.device.watch.here() {
		if err := g.observe(HostSync, api, "outside of its stage"); err != nil {
			return err
		}
	}
	return nil
}

// emits shows an emission to the guards and the recorder; an error refuses it.
func (s *instrumentedStream) emits(o operation) error {
	w := s.device.watch
	if w.active.Load() == 0 {
		return nil
	}
	for _, g := range w.here() {
		if err := g.observeEmission(s, "Stream."+o.api); err != nil {
			return err
		}
	}
	w.note(s, o)
	return nil
}

// waits shows a wait or a copy on the host to the guards; an error refuses it.
func (s *instrumentedStream) waits(o operation) error {
	w := s.device.watch
	if w.active.Load() == 0 {
		return nil
	}
	for _, g := range w.here() {
		if err := g.observe(HostSync, "Stream."+o.api, ""); err != nil {
			return err
		}
	}
	w.note(s, o)
	return nil
}

// captures shows a capture or a replay to the guards; an error refuses it.
func (s *instrumentedStream) captures(o operation) error {
	w := s.device.watch
	if w.active.Load() == 0 {
		return nil
	}
	for _, g := range w.here() {
		if err := g.observe(Capture, "Stream."+o.api, ""); err != nil {
			return err
		}
	}
	w.note(s, o)
	return nil
}

func (s *instrumentedStream) Launch(def *kernel.Def, launch backend.Launch) error {
	o := operation{api: "Launch"}
	if s.device.watch.active.Load() != 0 && def != nil {
		o.what = fmt.Sprintf("%s over %d", def.Name, launch.N)
	}
	if err := s.emits(o); err != nil {
		return err
	}
	return s.Stream.Launch(def, launch)
}

func (s *instrumentedStream) Copy(dst, src backend.View) error {
	if err := s.emits(operation{api: "Copy", bytes: dst.Bytes}); err != nil {
		return err
	}
	return s.Stream.Copy(dst, src)
}

func (s *instrumentedStream) Fill(dst backend.View, pattern uint32) error {
	if err := s.emits(operation{api: "Fill", bytes: dst.Bytes}); err != nil {
		return err
	}
	return s.Stream.Fill(dst, pattern)
}

func (s *instrumentedStream) Upload(dst backend.View, src backend.HostBuffer, offset int64) error {
	if err := s.waits(operation{api: "Upload", bytes: dst.Bytes}); err != nil {
		return err
	}
	return s.Stream.Upload(dst, src, offset)
}

func (s *instrumentedStream) Download(dst backend.HostBuffer, offset int64, src backend.View) error {
	if err := s.waits(operation{api: "Download", bytes: src.Bytes}); err != nil {
		return err
	}
	s.device.watch.polled(src)
	return s.Stream.Download(dst, offset, src)
}

func (s *instrumentedStream) Sync() error {
	if err := s.waits(operation{api: "Sync"}); err != nil {
		return err
	}
	return s.Stream.Sync()
}

// Peek reads device memory if the underlying stream can.
func (s *instrumentedStream) Peek(flag backend.View) (int32, error) {
	peeker, ok := s.Stream.(backend.Peeker)
	if !ok {
		return 0, &backend.UnsupportedError{Device: s.device.Info().Name, Op: "peek"}
	}
	if err := s.waits(operation{api: "Peek"}); err != nil {
		return 0, err
	}
	s.device.watch.polled(flag)
	return peeker.Peek(flag)
}

// CaptureID asks the underlying stream, if that can tell.
func (s *instrumentedStream) CaptureID() uint64 {
	if identifier, ok := s.Stream.(backend.CaptureIdentifier); ok {
		return identifier.CaptureID()
	}
	return 0
}

// If passes the body an instrumented stream.
func (s *instrumentedStream) If(flag backend.View, body func(backend.Stream) error) error {
	if err := s.captures(operation{api: "If"}); err != nil {
		return err
	}
	return s.Stream.If(flag, s.inner(body))
}

// Repeat passes the body an instrumented stream.
func (s *instrumentedStream) Repeat(flag backend.View, limit int32, body func(backend.Stream) error) error {
	repeater, ok := s.Stream.(backend.Repeater)
	if !ok {
		return &backend.UnsupportedError{Device: s.device.Info().Name, Op: "repeat"}
	}
	if err := s.captures(operation{api: "Repeat"}); err != nil {
		return err
	}
	return repeater.Repeat(flag, limit, s.inner(body))
}

func (s *instrumentedStream) inner(body func(backend.Stream) error) func(backend.Stream) error {
	if body == nil {
		return nil
	}
	return func(inner backend.Stream) error {
		return body(&instrumentedStream{Stream: inner, device: s.device, root: s.root, depth: s.depth + 1})
	}
}

func (s *instrumentedStream) BeginCapture() error {
	if err := s.captures(operation{api: "BeginCapture"}); err != nil {
		return err
	}
	return s.Stream.BeginCapture()
}

func (s *instrumentedStream) EndCapture() (backend.Graph, error) {
	if err := s.captures(operation{api: "EndCapture"}); err != nil {
		return nil, err
	}
	return s.Stream.EndCapture()
}

func (s *instrumentedStream) Replay(g backend.Graph) error {
	if err := s.captures(operation{api: "Replay"}); err != nil {
		return err
	}
	return s.Stream.Replay(g)
}

func (s *instrumentedStream) Record(e backend.Event) error {
	if err := s.emits(operation{api: "Record"}); err != nil {
		return err
	}
	return s.Stream.Record(unwrapEvent(e))
}

func (s *instrumentedStream) Wait(e backend.Event) error {
	if err := s.emits(operation{api: "Wait"}); err != nil {
		return err
	}
	return s.Stream.Wait(unwrapEvent(e))
}

// Close removes the stream from the list of instrumented streams.
func (s *instrumentedStream) Close() error {
	w := s.device.watch
	w.mutex.Lock()
	if w.streams[s.Stream] == s {
		delete(w.streams, s.Stream)
	}
	w.mutex.Unlock()
	return s.Stream.Close()
}
