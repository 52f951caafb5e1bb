//go:build cgo && linux

package vulkan

import (
	"sync"

	vk "github.com/vulkan-go/vulkan"

	"github.com/trackgen-go/trackgen/backend"
)

// graph is a command buffer, recorded once and submitted by every replay. Replays run one after the other, in whatever
// streams they are, because they share the memory of gates and staged views.
type graph struct {
	device *device
	id     uint64
	site   string
	nodes  int

	mu        sync.Mutex
	contents  *contents // nil once closed
	recording *recording
	last      uint64 // value of the timeline at which the last replay has run
}

// contents is what a graph holds: the work, the memory that it has retained, and the anchors. A graph that has recorded a
// replay takes over the operations and retains the memory itself.
type contents struct {
	program program
	memory  map[*allocation]struct{}
	anchors []any
}

// newGraph makes the graph of a capture that has ended, which hands over its references; those of bodies that failed
// go. The caller holds c.mu.
func (d *device) newGraph(c *capture) (*graph, error) {
	r, err := d.newRecording(vk.CommandBufferUsageSimultaneousUseBit)
	if err != nil {
		return nil, err
	}
	e := encoder{device: d, recording: r}
	for i := range c.program.operations {
		if err = e.encode(&c.program.operations[i]); err != nil {
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
	memory := make(map[*allocation]struct{})
	c.program.uses(memory)
	for a := range memory {
		r.references = append(r.references, a)
		delete(c.memory, a)
	}
	c.letGo()
	g := &graph{device: d, site: d.site(), nodes: c.program.nodes, recording: r,
		contents: &contents{program: c.program, memory: memory, anchors: c.anchors}}
	g.id = d.keep(g)
	return g, nil
}

func (g *graph) Device() backend.Device { return g.device }

func (g *graph) Nodes() int { return g.nodes }

// Close closes the graph; what runs at that moment runs to its end.
func (g *graph) Close() error {
	g.device.forget(g.id)
	if g.device.enterLost() != nil {
		return nil // the device is closed and has released it
	}
	defer g.device.leave()
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.contents != nil {
		g.contents = nil
		g.device.queue.retire(g.recording, g.last)
	}
	return nil
}

// release destroys the recording. The device is idle.
func (g *graph) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.contents != nil {
		g.contents = nil
		g.recording.destroy()
	}
}

func (g *graph) leak() backend.Leak { return backend.Leak{Kind: "graph", Site: g.site} }

// Replay submits a graph of this device, or records it as one operation.
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
	defer s.unlock()
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.contents == nil {
		return &backend.ClosedError{Op: op, What: "graph"}
	}
	if c := s.live(); c != nil {
		return c.inline(s, own.contents)
	}
	if err := s.flush(); err != nil {
		return err
	}
	value, err := s.device.queue.submit(own.recording, max(s.point(), own.last), true)
	if err != nil {
		return err
	}
	s.last, own.last = value, value
	return nil
}
