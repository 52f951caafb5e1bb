//go:build cgo && linux

package vulkan

import "github.com/trackgen-go/trackgen/kernel"

// kind says what an operation does.
type kind uint8

const (
	launchKernel kind = iota
	copyDevice        // spans: destination, source
	fillDevice        // spans: destination
	uploadHost        // spans: destination
	downloadHost      // spans: source
	conditional       // spans: flag; runs body unless the flag is 0
	nested            // runs body: a graph replayed inside a capture
)

// String returns the operation as error messages name it.
func (k kind) String() string {
	return [...]string{"launch", "copy", "fill", "upload", "download", "if", "replay"}[k]
}

// operation is one unit of work with its checked arguments: what a stream is asked for and a capture keeps.
type operation struct {
	kind       kind
	def        *kernel.Def
	n          int32
	block      int32
	spans      []span   // launchKernel: the buffers in parameter order
	scalars    []uint32 // launchKernel, in parameter order
	pattern    uint32   // fillDevice
	host       *hostBuffer
	hostOffset int64
	body       *program // conditional, nested
}

// clone copies an operation whose spans and scalars are borrowed.
func (o *operation) clone() operation {
	c := *o
	c.spans = append([]span(nil), o.spans...)
	c.scalars = append([]uint32(nil), o.scalars...)
	return c
}

// program is a list of operations. Once recorded it does not change.
type program struct {
	operations []operation
	nodes      int // operations, those inside bodies included; at most maxNodes
	depth      int // levels of bodies inside
}

const (
	// maxDepth bounds bodies inside bodies: recording them takes stack.
	maxDepth = 1000
	// maxNodes bounds a graph: one can replay a graph twice that replays a graph twice, and so on.
	maxNodes = 1 << 22
)

// uses adds the memory that a program uses to a set.
func (p *program) uses(set map[*allocation]struct{}) {
	for i := range p.operations {
		o := &p.operations[i]
		for _, span := range o.spans {
			if span.buffer != nil {
				set[span.buffer.allocation] = struct{}{}
			}
		}
		if o.host != nil {
			set[o.host.allocation] = struct{}{}
		}
		if o.body != nil {
			o.body.uses(set)
		}
	}
}

// add appends an operation.
func (p *program) add(o operation) {
	p.operations = append(p.operations, o)
	p.nodes++
	if o.body != nil {
		p.nodes += o.body.nodes
		p.depth = max(p.depth, o.body.depth+1)
	}
}
