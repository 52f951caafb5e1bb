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

// graph is an executable graph of the driver with the program it was made of, which is what is recorded where the driver
// does not let a graph be part of another: a graph with conditionals cannot be a child graph.
type graph struct {
	device *device
	id     uint64
	site   string
	nodes  int

	mu      sync.RWMutex
	closed  bool
	program program
	anchors []any
	handle  graphHandle
	exec    execHandle
}

// newGraph makes the graph of a capture that has ended. The caller holds c.mu. It returns the interface, so that a failure
// gives a nil one.
func (d *device) newGraph(c *capture) (backend.Graph, error) {
	const op = "end capture"
	g := &graph{device: d, site: d.Site(), nodes: len(c.program.commands), anchors: c.anchors}
	err := d.recording(op, c.program.depth, func(r *lane) (f failure) {
		g.handle, g.exec, f = d.context.record(r, &c.program)
		return f
	})
	if err != nil {
		return nil, err
	}
	g.program = c.program
	if err := d.Keep(op, g, &g.id); err != nil {
		d.discard(disposal{disposeExec, uint64(g.exec), 0})
		d.discard(disposal{disposeGraph, uint64(g.handle), 0})
		return nil, err
	}
	return g, nil
}

func (g *graph) Device() backend.Device { return g.device }

func (g *graph) Nodes() int { return g.nodes }

// Close lets go of the graph. Replays under way go on: the driver keeps what runs, and memory that only the graph used is given
// back after them.
func (g *graph) Close() error {
	released := g.release()
	g.device.Forget(g.id) // afterwards: Close of the device waits for what is on the list
	if !released {
		return nil
	}
	return g.device.Collect()
}

func (g *graph) release() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.closed = true
	g.device.discard(disposal{disposeExec, uint64(g.exec), 0})
	g.device.discard(disposal{disposeGraph, uint64(g.handle), 0})
	g.program.release()
	g.anchors = nil
	return true
}

// Release implements recorder.Resource.
func (g *graph) Release() { g.release() }

// Leak implements recorder.Resource.
func (g *graph) Leak() backend.Leak { return backend.Leak{Kind: "graph", Site: g.site} }

// Replay runs a graph of this device, or records its operations.
func (s *stream) Replay(g backend.Graph) error {
	const op = "replay"
	own, ok := g.(*graph)
	if !ok || own == nil || own.device != s.device {
		return &backend.ArgumentError{Op: op, Argument: "graph", Value: recorder.Stranger(g), Allowed: "a graph of this device"}
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	own.mu.RLock()
	defer own.mu.RUnlock()
	if own.closed {
		return &backend.ClosedError{Op: op, What: "graph"}
	}
	capture, other, err := s.situation(op)
	switch {
	case err != nil:
		return err
	case capture != nil:
		if err := capture.inline(s, &own.program); err != nil {
			return err
		}
		capture.mu.Lock()
		defer capture.mu.Unlock()
		capture.anchors = append(capture.anchors, own.anchors...)
		return nil
	case other != nil:
		return other.inline(s, &own.program, own.anchors)
	}
	return s.device.context.replay(own.exec, s.handle).as(s.device.info.Name, op)
}

// DOT returns a graph of this package in the DOT language, as the driver prints it, for debugging.
func DOT(g backend.Graph) (string, error) {
	const op = "print graph"
	own, ok := g.(*graph)
	if !ok || own == nil {
		return "", &backend.ArgumentError{Op: op, Argument: "graph", Value: recorder.Stranger(g), Allowed: "a graph of a cuda device"}
	}
	own.mu.RLock()
	defer own.mu.RUnlock()
	if own.closed {
		return "", &backend.ClosedError{Op: op, What: "graph"}
	}
	directory, err := os.MkdirTemp("", "trackgen")
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	defer func() { _ = os.RemoveAll(directory) }()
	path := filepath.Join(directory, "graph.dot")
	if err := own.device.context.dot(own.handle, path).as(own.device.info.Name, op); err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", op, err)
	}
	return string(text), nil
}
