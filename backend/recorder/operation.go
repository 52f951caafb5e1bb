package recorder

import (
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/references"
	"github.com/trackgen-go/trackgen/kernel"
)

// Operation is one unit of work with checked arguments. Queues run operations, and captures record them.
type Operation struct {
	Kind       backend.OperationKind
	Def        *kernel.Def // launch
	N          int32       // launch: items; repeat: maximum number of iterations
	Block      int32       // launch: hint
	MaxBlocks  int32       // launch: hint
	Spans      []Span      // launch: the buffers in order; copy: destination, source; if, repeat: flag; others: one
	Scalars    []uint32    // launch, in parameter order
	Pattern    uint32      // fill
	Host       HostMemory  // upload, download
	HostOffset int64
	Body       *Program // if, repeat, replay
	Work       *Work    // replay: the work that Body belongs to
	// After holds the indices of the operations in the program that this one directly follows: the previous one on its
	// stream, and those that the stream has waited for. It is empty for operations of a body, which run in order.
	After []int
}

// clone copies an operation whose spans and scalars are borrowed.
func (o *Operation) clone() Operation {
	c := *o
	c.Spans = slices.Clone(o.Spans)
	c.Scalars = slices.Clone(o.Scalars)
	return c
}

// Uses calls f for each thing that an operation uses, once for each use, and stops at the first error.
func (o *Operation) Uses(f func(k Keeper, what string) error) error {
	for i := range o.Spans {
		if m := o.Spans[i].Memory; m != nil {
			if err := f(m, "buffer"); err != nil {
				return err
			}
		}
	}
	switch {
	case o.Host != nil:
		return f(o.Host, "host buffer")
	case o.Work != nil:
		return f(o.Work, "graph")
	case o.Body != nil:
		for i := range o.Body.Operations {
			if err := o.Body.Operations[i].Uses(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// Span is a checked range of device memory.
type Span struct {
	Memory Memory // nil only if Bytes is 0
	Offset int64
	Bytes  int64
}

// overlaps returns whether two spans share a byte. Memory that was wrapped may be a part of other memory, so spans of
// different memory are compared by their addresses, where they have one.
func (s Span) overlaps(t Span) bool {
	if s.Bytes == 0 || t.Bytes == 0 {
		return false
	}
	if s.Memory == t.Memory {
		return s.Offset < t.Offset+t.Bytes && t.Offset < s.Offset+s.Bytes
	}
	a, b := s.address(), t.address()
	return a != 0 && b != 0 && a < b+uintptr(t.Bytes) && b < a+uintptr(s.Bytes)
}

// address returns the address of the first byte, 0 if the memory has none.
func (s Span) address() uintptr {
	memory, ok := s.Memory.(backend.Addresser)
	if !ok {
		return 0
	}
	if base := memory.Address(); base != 0 {
		return base + uintptr(s.Offset)
	}
	return 0
}

// Program is a list of operations in an order that respects every dependency: an operation comes after everything that
// it depends on. A recorded program does not change, so that several queues can run it at once.
type Program struct {
	Operations []Operation
	nodes      int // operations, including those inside bodies; at most Limits.Nodes
	depth      int // levels of nested bodies
	copiesHost bool
}

// add appends an operation.
func (p *Program) add(o Operation, limits Limits) {
	p.Operations = append(p.Operations, o)
	p.nodes++
	p.copiesHost = p.copiesHost || o.Host != nil
	if o.Body != nil {
		p.copiesHost = p.copiesHost || o.Body.copiesHost
		p.nodes += o.Body.nodes
		p.depth = max(p.depth, o.Body.depth+1)
	}
	p.nodes = min(p.nodes, limits.Nodes)
}

// list converts a program for inspection. Each body is converted once, because a graph can replay a graph twice that
// itself replays a graph twice, and so on.
func (p *Program) list(known map[*Program][]backend.Operation) []backend.Operation {
	if list, ok := known[p]; ok {
		return list
	}
	list := make([]backend.Operation, len(p.Operations))
	for i := range p.Operations {
		o := &p.Operations[i]
		entry := backend.Operation{Kind: o.Kind}
		switch o.Kind {
		case backend.OperationLaunch:
			entry.Kernel, entry.Items, entry.Group = o.Def.Name, o.N, o.Def.Group
		case backend.OperationCopy, backend.OperationFill, backend.OperationUpload, backend.OperationDownload:
			entry.Bytes = o.Spans[0].Bytes
		case backend.OperationRepeat:
			entry.Limit = o.N
		}
		if o.Body != nil {
			entry.Body = o.Body.list(known)
		}
		list[i] = entry
	}
	known[p] = list
	return list
}

// Work is what a graph has recorded and what it needs. References to it are held by the graph, by each replay call in
// progress, and by every capture and work that contains a replay of it.
type Work struct {
	Program    Program
	Executable Executable // what the driver compiled, closed with the graph

	kept    []Keeper // everything that the program uses, each with one reference
	anchors []any
	users   references.Count
}

// Kept returns everything that the program uses, each thing once.
func (w *Work) Kept() []Keeper { return w.kept }

// Retain implements Keeper.
func (w *Work) Retain() bool { return w.users.Retain() }

// Release implements Keeper.
func (w *Work) Release() {
	if w.users.Release() {
		for _, k := range w.kept {
			k.Release()
		}
		w.kept, w.anchors = nil, nil
	}
}
