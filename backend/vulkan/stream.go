//go:build cgo && (linux || darwin)

package vulkan

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

// stream is Vulkan's part of a stream. It records work in command buffers and submits it in batches.
type stream struct {
	device  *device
	encoder encoder // records the batch that has not been submitted
	last    uint64  // timeline value after all submitted work
	after   uint64  // the next submission also waits for this value
}

// maxPending is the number of operations per batch. A batch is also submitted once it is too much work for one
// submission.
const maxPending = 64

// MakeStream implements recorder.Driver. Vulkan has no stream objects and no loops counted by the device.
func (d *device) MakeStream() (*recorder.Stream, backend.Stream) {
	s := new(recorder.Stream)
	return s, s
}

// NewQueue implements recorder.Driver.
func (d *device) NewQueue(*recorder.Stream) (recorder.Queue, error) {
	return &stream{device: d, encoder: encoder{device: d, retains: true}}, nil
}

// Run adds an operation to the batch.
func (s *stream) Run(o *recorder.Operation) error {
	if err := s.add(o); err != nil {
		if o.Kind == backend.OperationLaunch {
			return backend.InLaunch(o.Def.Name, err)
		}
		return err
	}
	r := s.encoder.recording
	if o.Kind == backend.OperationDownload || r.operations >= maxPending || r.used > 1 {
		return s.flush()
	}
	return nil
}

// add records an operation, in a new batch if there is none.
func (s *stream) add(o *recorder.Operation) error {
	if s.encoder.recording == nil {
		r, err := s.device.newRecording(vk.CommandBufferUsageOneTimeSubmitBit)
		if err != nil {
			return err
		}
		s.encoder.recording = r
	}
	return s.encoder.encode(o)
}

// flush submits the batch.
func (s *stream) flush() error {
	r := s.encoder.recording
	if r == nil {
		return nil
	}
	s.encoder.recording = nil
	if err := r.finish(); err != nil {
		r.destroy()
		return err
	}
	value, err := s.device.queue.submit(r, s.point())
	s.last = max(s.last, value)
	return err
}

// waitForStreams submits the batches of all streams and waits for all work, so that memory used only by that work
// becomes free.
func (d *device) waitForStreams() error {
	if err := d.EachQueue(func(q recorder.Queue) error { return q.(*stream).flush() }); err != nil {
		return err
	}
	return d.queue.drain()
}

// point returns the timeline value after all work that was submitted and all work that was waited for.
func (s *stream) point() uint64 { return max(s.last, s.after) }

// Record implements recorder.Queue: marks are values of the timeline.
func (s *stream) Record(uint64) (uint64, error) { return s.Sync() }

// Sync implements recorder.Queue.
func (s *stream) Sync() (uint64, error) {
	if err := s.flush(); err != nil {
		return 0, err
	}
	return s.point(), nil
}

// After implements recorder.Queue. The current batch may contain work that would not need to wait for the mark; it
// waits too.
func (s *stream) After(mark uint64) error {
	s.after = max(s.after, mark)
	return nil
}

// Await implements recorder.Driver.
func (d *device) Await(_ string, mark uint64) error { return d.queue.wait(mark) }

// Close submits the remaining work unless the device is lost.
func (s *stream) Close() error {
	if s.device.lost.Load() {
		s.Release()
		return nil
	}
	return s.flush()
}

// Release drops work that has not been submitted.
func (s *stream) Release() {
	if s.encoder.recording != nil {
		s.encoder.recording.destroy()
		s.encoder.recording = nil
	}
}
