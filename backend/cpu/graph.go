package cpu

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/references"
)

// graph is a recorded program. Its replays may run on several streams at once.
type graph struct {
	device   *device
	id       uint64
	site     string
	nodes    int
	recorded atomic.Pointer[recording] // nil once closed
}

// recording is what a graph holds: the work and what it needs. The graph has a reference to it, each replay that is
// running has one, and so has every capture and recording that contains a replay of it.
type recording struct {
	program    program
	kept       []keeper // all that the program uses, each once, with one reference
	anchors    []any
	references references.Count
}

func (r *recording) retain() bool { return r.references.Retain() }

func (r *recording) release() {
	if r.references.Release() {
		for _, k := range r.kept {
			k.release()
		}
		r.kept = nil
	}
}

// uses adds what a program uses to a set.
func (p *program) uses(set map[keeper]struct{}) {
	for i := range p.operations {
		o := &p.operations[i]
		for _, span := range o.spans {
			if span.memory != nil {
				set[span.memory] = struct{}{}
			}
		}
		switch {
		case o.host != nil:
			set[o.host] = struct{}{}
		case o.graph != nil:
			set[o.graph] = struct{}{}
		case o.body != nil:
			o.body.uses(set)
		}
	}
}

// newGraph makes the graph of a capture that has ended, which hands over its references; those of bodies that failed
// go. The caller holds c.mu. It returns the interface, so that a failure gives a nil one.
func (d *device) newGraph(c *capture) (backend.Graph, error) {
	g := &graph{device: d, site: d.site(), nodes: c.program.nodes}
	used := make(map[keeper]struct{})
	c.program.uses(used)
	for k := range used {
		delete(c.kept, k)
	}
	c.letGo()
	r := &recording{program: c.program, kept: slices.Collect(maps.Keys(used)), anchors: c.anchors}
	r.references.Begin()
	g.recorded.Store(r)
	var err error
	if g.id, err = d.keep("end capture", g); err != nil {
		g.release()
		return nil, err
	}
	return g, nil
}

func (g *graph) Device() backend.Device { return g.device }

func (g *graph) Nodes() int { return g.nodes }

// Close closes the graph. Replays under way go on.
func (g *graph) Close() error {
	g.device.forget(g.id)
	g.release()
	return nil
}

func (g *graph) release() {
	if r := g.recorded.Swap(nil); r != nil {
		r.release()
	}
}

func (g *graph) leak() backend.Leak { return backend.Leak{Kind: "graph", Site: g.site} }

// Replay runs a graph of this device, or records it as one operation.
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
	if recorded == nil || !recorded.retain() {
		return &backend.ClosedError{Op: op, What: "graph"}
	}
	defer recorded.release()
	if c := s.live(); c != nil {
		return c.inline(s, recorded)
	}
	return s.run(&recorded.program)
}
