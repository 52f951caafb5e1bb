//go:build cgo && linux

package cuda

import (
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// program is a list of operations in the form that the C code needs. A conditional is followed by its body. A
// replayed graph is included with its operations, because a graph with conditionals cannot be a child graph. Commands
// outside bodies have dependencies on earlier commands; those of a body run in order. Operations that do nothing are
// left out, so that a conditional with an empty body makes no node.
type program struct {
	commands     []command
	words        []uint64
	dependencies []uint32
	depth        int // maximum nesting of conditionals
	loops        int
}

func (p *program) reset() {
	p.commands, p.words, p.dependencies = p.commands[:0], p.words[:0], p.dependencies[:0]
	p.depth, p.loops = 0, 0
}

// commandKinds are the commands for the kinds of operations.
var commandKinds = [...]uint32{
	backend.OperationLaunch: commandLaunch, backend.OperationCopy: commandCopy, backend.OperationFill: commandFill,
	backend.OperationUpload: commandUpload, backend.OperationDownload: commandDownload,
	backend.OperationIf: commandIf, backend.OperationRepeat: commandWhile,
}

// leaf appends an operation without a body, unless it does nothing. some is whether it appended a command.
func (p *program) leaf(d *device, o *recorder.Operation) (some bool, err error) {
	c := command{kind: commandKinds[o.Kind], end: uint32(len(p.commands)) + 1}
	switch o.Kind {
	case backend.OperationLaunch:
		if o.N == 0 {
			return false, nil
		}
		f, err := d.function(o.Def)
		if err != nil {
			return false, err
		}
		c.target = uint64(f.handle)
		c.first = uint32(len(p.words))
		p.arguments(o)
		c.parameters = uint32(len(p.words)) - c.first
		c.grid, c.block = shape(o, f)
	case backend.OperationCopy:
		c.target, c.source = address(o.Spans[0]), address(o.Spans[1])
	case backend.OperationFill:
		c.target, c.pattern = address(o.Spans[0]), o.Pattern
	case backend.OperationUpload:
		c.target, c.source = address(o.Spans[0]), hostAddress(o)
	case backend.OperationDownload:
		c.target, c.source = hostAddress(o), address(o.Spans[0])
	}
	if o.Kind != backend.OperationLaunch {
		if c.bytes = uint64(o.Spans[0].Bytes); c.bytes == 0 {
			return false, nil
		}
	}
	p.commands = append(p.commands, c)
	return true, nil
}

// arguments appends the parameters of a launch: the number of items, the buffers with their lengths, and the scalars.
func (p *program) arguments(o *recorder.Operation) {
	p.words = append(p.words, uint64(o.N))
	buffers, scalars := 0, 0
	for i := range o.Def.Params {
		param := &o.Def.Params[i]
		if !param.Buffer {
			p.words = append(p.words, uint64(o.Scalars[scalars]))
			scalars++
			continue
		}
		span := o.Spans[buffers]
		p.words = append(p.words, address(span), uint64(span.Bytes/param.Type.Size()))
		buffers++
	}
}

// list appends operations. Operations that follow no other operation of the list come after the commands whose indices
// are in after. At depth 0, outside bodies, list returns the indices of the appended commands that no other operation
// of the list follows.
func (p *program) list(
	d *device, operations []recorder.Operation, after []uint32, depth int,
) (last []uint32, err error) {
	ends := make([][]uint32, len(operations)) // the last commands of each operation
	followed := make([]bool, len(operations))
	for i := range operations {
		o := &operations[i]
		for _, before := range o.After {
			followed[before] = true
			ends[i] = union(ends[i], ends[before])
		}
		from := ends[i]
		if len(from) == 0 {
			from = after
		}
		made, err := p.add(d, o, from, depth)
		if err != nil {
			return nil, err
		}
		if len(made) > 0 {
			ends[i] = made
		}
	}
	if depth > 0 { // commands of a body have no dependencies
		return nil, nil
	}
	for i := range operations {
		if !followed[i] {
			last = union(last, ends[i])
		}
	}
	return last, nil
}

// add appends an operation that comes after the commands whose indices are in after. It returns the indices of the
// operation's last commands, and none if the operation does nothing.
func (p *program) add(d *device, o *recorder.Operation, after []uint32, depth int) ([]uint32, error) {
	at := uint32(len(p.commands))
	switch o.Kind {
	case backend.OperationReplay:
		return p.list(d, o.Body.Operations, after, depth)
	case backend.OperationIf, backend.OperationRepeat:
		p.commands = append(p.commands,
			command{kind: commandKinds[o.Kind], target: address(o.Spans[0]), pattern: uint32(o.N)})
		if _, err := p.list(d, o.Body.Operations, nil, depth+1); err != nil {
			return nil, err
		}
		end := uint32(len(p.commands))
		if end == at+1 {
			p.commands = p.commands[:at]
			return nil, nil
		}
		p.commands[at].end = end
		p.depth = max(p.depth, depth+1)
		if o.Kind == backend.OperationRepeat {
			p.loops++
		}
	default:
		if some, err := p.leaf(d, o); err != nil || !some {
			return nil, err
		}
	}
	c := &p.commands[at]
	c.from, c.count = uint32(len(p.dependencies)), uint32(len(after))
	p.dependencies = append(p.dependencies, after...)
	return []uint32{at}, nil
}

// union returns the indices of both lists without changing either.
func union(a, b []uint32) []uint32 {
	if len(a) == 0 {
		return b
	}
	out := slices.Clip(a)
	for _, index := range b {
		if !slices.Contains(out, index) {
			out = append(out, index)
		}
	}
	return out
}

// count allocates an iteration counter of one word for each loop of the program. It returns their memory with one
// reference, or nil if there are no loops.
func (p *program) count(d *device, op string) (*memory, error) {
	if p.loops == 0 {
		return nil, nil
	}
	words, err := d.allocate(op, 4*int64(p.loops))
	if err != nil {
		return nil, err
	}
	next := words.address
	for i := range p.commands {
		if p.commands[i].kind == commandWhile {
			p.commands[i].source = next
			next += 4
		}
	}
	return words, nil
}

// address returns the address of the first byte of a span, or 0 if the span has no memory.
func address(s recorder.Span) uint64 {
	if s.Memory == nil {
		return 0
	}
	return s.Memory.(*memory).address + uint64(s.Offset)
}

// hostAddress returns the address of the host memory that an operation copies from or to.
func hostAddress(o *recorder.Operation) uint64 {
	return o.Host.(*memory).address + uint64(o.HostOffset)
}
