package cpu

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// graph is a recorded program. Its replays may run on several streams at once.
type graph struct {
	device   *device
	id       uint64
	site     string
	nodes    int
	recorded atomic.Pointer[recording] // nil once closed
}

// recording is what a graph holds: the work and what it needs. A graph that has recorded a replay refers to it, and so
// keeps the anchors of both.
type recording struct {
	program program
	memory  []memory // all that the program uses, each once
	anchors []any
}

// memory is a buffer or a host buffer.
type memory interface{ open() bool }

// uses adds the memory that a program uses to a set.
func (p *program) uses(set map[memory]struct{}) {
	for i := range p.operations {
		o := &p.operations[i]
		for _, span := range o.spans {
			if span.buffer != nil {
				set[span.buffer] = struct{}{}
			}
		}
		switch {
		case o.host != nil:
			set[o.host] = struct{}{}
		case o.graph != nil:
			for _, m := range o.graph.memory {
				set[m] = struct{}{}
			}
		case o.body != nil:
			o.body.uses(set)
		}
	}
}

// newGraph makes the graph of a capture that has ended. The caller holds c.mu. It returns the interface, so that a failure
// gives a nil one.
func (d *device) newGraph(c *capture) (backend.Graph, error) {
	g := &graph{device: d, site: d.site(), nodes: c.program.nodes}
	uses := make(map[memory]struct{})
	c.program.uses(uses)
	g.recorded.Store(&recording{program: c.program, memory: slices.Collect(maps.Keys(uses)), anchors: c.anchors})
	var err error
	if g.id, err = d.keep("end capture", g); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *graph) Device() backend.Device { return g.device }

func (g *graph) Nodes() int { return g.nodes }

func (g *graph) Close() error {
	g.device.forget(g.id)
	g.release()
	return nil
}

func (g *graph) release() { g.recorded.Store(nil) }

func (g *graph) leak() backend.Leak { return backend.Leak{Kind: "graph", Site: g.site} }

// Replay runs a graph of this device, or records it as one operation. A graph that uses closed memory is refused before
// any of its work runs.
func (s *stream) Replay(g backend.Graph) error {
	const op = "replay"
	own, ok := g.(*graph)
	if !ok || own == nil || own.device != s.device {
		return &backend.ArgumentError{Op: op, Arg: "graph", Value: foreign(g),
			Allowed: "a graph of this device"}
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	recorded := own.recorded.Load()
	if recorded == nil {
		return &backend.ClosedError{Op: op, What: "graph"}
	}
	if err := recorded.usable(op); err != nil {
		return err
	}
	if c := s.live(); c != nil {
		return c.inline(s, recorded)
	}
	return s.run(&recorded.program)
}

// usable returns an error if memory that the graph uses is closed.
func (r *recording) usable(op string) error {
	for _, m := range r.memory {
		if !m.open() {
			return &backend.ClosedError{Op: op, What: "memory that the graph uses"}
		}
	}
	return nil
}
