package recorder

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// Graph is recorded work. Replays on several streams may be in flight at once.
type Graph struct {
	device *Device
	id     uint64
	site   string
	nodes  int
	work   atomic.Pointer[Work] // nil once closed
}

// newGraph makes the graph of a capture that has ended. The graph takes over the references that its program needs. The
// caller holds c.mu. The result is an interface, so that it is nil on failure and not a nil *Graph.
func (d *Device) newGraph(op string, c *capture) (backend.Graph, error) {
	used := make(map[Keeper]struct{})
	for i := range c.program.Operations {
		_ = c.program.Operations[i].Uses(func(k Keeper, _ string) error { // the function returns no error
			used[k] = struct{}{}
			return nil
		})
	}
	w := &Work{Program: c.program, kept: slices.Collect(maps.Keys(used)), anchors: c.anchors}
	w.users.Begin()
	var err error
	if w.Executable, err = d.driver.Compile(w); err != nil {
		return nil, fmt.Errorf("%s: the capture is dropped: %w", op, err)
	}
	for k := range used {
		delete(c.kept, k)
	}
	g := &Graph{device: d, site: d.site(), nodes: c.program.nodes}
	g.work.Store(w)
	if err := d.list(op, g, &g.id); err != nil {
		g.Release()
		return nil, err
	}
	return g, nil
}

// Device implements backend.Graph.
func (g *Graph) Device() backend.Device { return g.device.self }

// Nodes implements backend.Graph.
func (g *Graph) Nodes() int { return g.nodes }

// Close implements backend.Graph. Replays in flight continue.
func (g *Graph) Close() error {
	if !g.device.enterLost() {
		return nil // the device has released it
	}
	defer g.device.leave()
	g.device.forget(g.id)
	w := g.work.Swap(nil)
	if w == nil {
		return nil
	}
	if w.Executable != nil {
		w.Executable.Close()
	}
	w.Release()
	return g.device.driver.Collect()
}

// Release implements Resource.
func (g *Graph) Release() {
	if w := g.work.Swap(nil); w != nil {
		if w.Executable != nil {
			w.Executable.Release()
		}
		w.Release()
	}
}

// Leak implements Resource.
func (g *Graph) Leak() backend.Leak { return backend.Leak{Kind: "graph", Site: g.site} }

// Operations implements backend.Inspector.
func (g *Graph) Operations() []backend.Operation {
	w := g.work.Load()
	if w == nil {
		return nil
	}
	return w.Program.list(make(map[*Program][]backend.Operation))
}

// Replay implements backend.Stream. Outside captures it runs a graph of this device; in a capture it records the replay
// as one operation.
func (s *Stream) Replay(g backend.Graph) error {
	const op = "replay"
	own, ok := g.(*Graph)
	if !ok || own == nil || own.device != s.device {
		return &backend.ArgumentError{Op: op, Argument: "graph", Value: Stranger(g), Allowed: "a graph of this device"}
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	w := own.Hold()
	if w == nil {
		return &backend.ClosedError{Op: op, What: "graph"}
	}
	defer w.Release()
	c, err := s.situation(op)
	if err != nil {
		return err
	}
	if c != nil {
		return c.inline(s, w)
	}
	return s.queue.Replay(w)
}

// Hold returns the work of the graph with a new reference, or nil once the graph is closed.
func (g *Graph) Hold() *Work {
	if w := g.work.Load(); w != nil && w.Retain() {
		return w
	}
	return nil
}
