//go:build cgo && linux

package cuda

import (
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// program is a list of operations as the driver's side of this package wants it. A conditional is followed by its body,
// and a replayed graph is there with its operations: a graph with conditionals cannot be a child graph. Commands
// outside bodies have dependencies on others before them; those of a body come one after the other. What does nothing
// is left out, so that a conditional with an empty body makes no node.
type program struct {
	commands     []command
	words        []uint64
	dependencies []uint32
	depth        int // of conditionals inside each other
	loops        int
}

func (p *program) reset() {
	p.commands, p.words, p.dependencies = p.commands[:0], p.words[:0], p.dependencies[:0]
	p.depth, p.loops = 0, 0
}

// commandKinds are the commands of operations.
var commandKinds = [...]uint32{
	backend.OperationLaunch: commandLaunch, backend.OperationCopy: commandCopy, backend.OperationFill: commandFill,
	backend.OperationUpload: commandUpload, backend.OperationDownload: commandDownload,
	backend.OperationIf: commandIf, backend.OperationRepeat: commandWhile,
}

// leaf appends an operation without a body, unless there is nothing to do.
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

// list appends operations, those that come after none of the list after the commands with the indices after. Outside
// bodies, at depth 0, it returns the commands of the list that no other comes after, which are none if it has none.
func (p *program) list(
	d *device, operations []recorder.Operation, after []uint32, depth int,
) (last []uint32, err error) {
	ends := make([][]uint32, len(operations)) // the commands that an operation ends in
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
	if depth > 0 { // nothing in a body comes after it by name
		return nil, nil
	}
	for i := range operations {
		if !followed[i] {
			last = union(last, ends[i])
		}
	}
	return last, nil
}

// add appends an operation that comes after the commands with the indices after. It returns the commands that it ends
// in, which are none if there is nothing to do.
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

// union returns the indices of both lists, and changes neither.
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

// count gives each loop of the program a word that counts its iterations, in memory with one reference; nil if it has
// none.
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

// address returns the address of the first byte of a span, 0 if there is no buffer.
func address(s recorder.Span) uint64 {
	if s.Memory == nil {
		return 0
	}
	return s.Memory.(*memory).address + uint64(s.Offset)
}

// hostAddress returns the address of the host memory that an operation copies.
func hostAddress(o *recorder.Operation) uint64 {
	return o.Host.(*memory).address + uint64(o.HostOffset)
}
