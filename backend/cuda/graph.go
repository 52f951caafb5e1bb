//go:build cgo && linux

package cuda

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// executable is an executable graph of the driver, and the graph that it was instantiated from.
type executable struct {
	device *device
	words  *memory // the iteration counters of loops, nil if there are none

	mu     sync.RWMutex // held for reading by replays
	closed bool
	graph  graphHandle
	exec   execHandle
}

// Compile captures the work of a graph on a private stream, in one call of C. Nothing can invalidate that capture, and
// it invalidates no other capture.
func (d *device) Compile(w *recorder.Work) (recorder.Executable, error) {
	const op = "make the graph"
	var p program
	if _, err := p.list(d, w.Program.Operations, nil, 0); err != nil {
		return nil, err
	}
	words, err := p.count(d, op)
	if err != nil {
		return nil, err
	}
	e := &executable{device: d, words: words}
	if err := d.recording(op, p.depth, func(r *lane) (f failure) {
		e.graph, e.exec, f = d.context.record(r, &p)
		return f
	}); err != nil {
		e.drop()
		return nil, err
	}
	return e, nil
}

// drop releases the iteration counters of loops.
func (e *executable) drop() {
	if e.words != nil {
		e.words.Release()
	}
}

// Close implements recorder.Executable. The driver keeps a graph that is still running.
func (e *executable) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	e.device.discard(disposal{kind: disposeExec, handle: uint64(e.exec)})
	e.device.discard(disposal{kind: disposeGraph, handle: uint64(e.graph)})
	e.drop()
}

// Release implements recorder.Executable.
func (e *executable) Release() { e.Close() }

// Replay implements recorder.Queue.
func (q *queue) Replay(w *recorder.Work) error {
	const op = "replay"
	e := w.Executable.(*executable)
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return &backend.ClosedError{Op: op, What: "graph"}
	}
	return q.device.context.replay(e.exec, q.handle).as(q.device.info.Name, op)
}

// DOT returns a graph of this package in the DOT language, as the driver prints it, for debugging.
func DOT(g backend.Graph) (string, error) {
	const op = "print graph"
	own, ok := g.(*recorder.Graph)
	var d *device
	if ok && own != nil {
		d, ok = own.Device().(*device)
	}
	if d == nil || !ok {
		return "", &backend.ArgumentError{Op: op, Argument: "graph", Value: recorder.Stranger(g),
			Allowed: "a graph of a cuda device"}
	}
	w := own.Hold()
	if w == nil {
		return "", &backend.ClosedError{Op: op, What: "graph"}
	}
	defer w.Release()
	e := w.Executable.(*executable)
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return "", &backend.ClosedError{Op: op, What: "graph"}
	}
	directory, err := os.MkdirTemp("", "trackgen")
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	defer func() { _ = os.RemoveAll(directory) }()
	path := filepath.Join(directory, "graph.dot")
	if err := d.context.dot(e.graph, path).as(d.info.Name, op); err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	return string(text), nil
}
