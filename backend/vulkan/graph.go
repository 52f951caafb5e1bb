//go:build cgo && (linux || darwin)

package vulkan

import (
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

// executable is the recording of a graph, made once and submitted by every replay. Replays run one after
// another, even on different streams, because they share the memory of gates and staged views.
type executable struct {
	device *device

	mu        sync.Mutex
	recording *recording // nil once closed
	last      uint64     // timeline value after the last replay
}

// Compile records the work of a graph. The recording keeps everything that it uses until the last replay has run.
func (d *device) Compile(w *recorder.Work) (recorder.Executable, error) {
	r, err := d.newRecording(vk.CommandBufferUsageSimultaneousUseBit)
	if err != nil {
		return nil, err
	}
	e := encoder{device: d, recording: r}
	for i := range w.Program.Operations {
		if err = e.encode(&w.Program.Operations[i]); err != nil {
			break
		}
	}
	if err == nil {
		err = r.finish()
	}
	if err != nil {
		r.destroy()
		return nil, err
	}
	for _, k := range w.Kept() {
		k.Retain() // succeeds, because the work holds a reference
		r.references = append(r.references, k)
	}
	return &executable{device: d, recording: r}, nil
}

// Close implements recorder.Executable. A replay in flight completes.
func (e *executable) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.device.queue.retire(e.recording, e.last)
	e.recording = nil
}

// Release implements recorder.Executable.
func (e *executable) Release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.recording.destroy()
	e.recording = nil
}

// Replay implements recorder.Queue. It submits the batch and then the recording.
func (s *stream) Replay(w *recorder.Work) error {
	e := w.Executable.(*executable)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.recording == nil {
		return &backend.ClosedError{Op: backend.OperationReplay.String(), What: "graph"}
	}
	if err := s.flush(); err != nil {
		return err
	}
	value, err := s.device.queue.replay(e.recording, max(s.point(), e.last))
	s.last, e.last = max(s.last, value), max(e.last, value)
	return err
}
