//go:build cgo && linux

package cuda

import (
	"slices"

	"github.com/trackgen-go/trackgen/kernel"
)

// maxWords is the most parameters of a launch: the number of items, the buffers with their lengths, and the scalars.
const maxWords = 1 + 2*kernel.MaxBuffers + kernel.MaxScalars

// work is one checked operation: what an eager stream runs and a capture records. It lives in its stream and is reused.
type work struct {
	op       string
	empty    bool // there is nothing to do
	commands [1]command
	count    int // of words
	words    [maxWords]uint64
	held     int // of memories
	memories [kernel.MaxBuffers + 1]*memory
}

// begin makes w an operation without arguments.
func (w *work) begin(op string, kind uint32) {
	clear(w.memories[:w.held])
	w.op, w.empty, w.count, w.held = op, false, 0, 0
	w.commands[0] = command{kind: kind, end: 1}
}

func (w *work) word(value uint64) {
	w.words[w.count] = value
	w.count++
}

// uses adds the memory of a span to those that the operation uses.
func (w *work) uses(m *memory) {
	if m != nil {
		w.memories[w.held] = m
		w.held++
	}
}

// retain takes a reference to all memory of the operation, or none and false if some has been closed since it was checked.
func (w *work) retain() bool {
	for i, m := range w.memories[:w.held] {
		if !m.Retain() {
			for _, taken := range w.memories[:i] {
				taken.Release()
			}
			return false
		}
	}
	return true
}

func (w *work) release() {
	for _, m := range w.memories[:w.held] {
		m.Release()
	}
}

// program is a list of operations as the driver's side of this package wants it. A conditional is followed by its body.
// Commands outside bodies have dependencies on others before them; those of a body come one after the other.
type program struct {
	commands     []command
	words        []uint64
	dependencies []uint32
	memories     map[*memory]struct{} // one reference each
	depth        int                  // of conditionals inside each other
}

// holds adds a reference to memory that the caller has taken one of, and lets go of it if there is one already.
func (p *program) holds(m *memory) {
	if _, twice := p.memories[m]; twice {
		m.Release()
		return
	}
	if p.memories == nil {
		p.memories = make(map[*memory]struct{})
	}
	p.memories[m] = struct{}{}
}

// add appends an operation that comes after the commands with the indices after, and returns its own index. The caller has
// retained its memory.
func (p *program) add(w *work, after []uint32) uint32 {
	for _, m := range w.memories[:w.held] {
		p.holds(m)
	}
	c := w.commands[0]
	index := uint32(len(p.commands))
	c.first, c.parameters, c.end = uint32(len(p.words)), uint32(w.count), index+1
	c.from, c.count = p.depend(after)
	p.words = append(p.words, w.words[:w.count]...)
	p.commands = append(p.commands, c)
	return index
}

func (p *program) depend(after []uint32) (from, count uint32) {
	from = uint32(len(p.dependencies))
	p.dependencies = append(p.dependencies, after...)
	return from, uint32(len(after))
}

// addBranch appends a conditional with a body, which is not empty, and returns its index. The caller has retained the memory
// of w, the flag; the references of the body move to p.
func (p *program) addBranch(w *work, body *program, after []uint32) uint32 {
	index := p.add(w, after)
	p.splice(body)
	p.commands[index].end = uint32(len(p.commands))
	p.depth = max(p.depth, body.depth+1)
	return index
}

// splice appends the commands of another program and takes over its references.
func (p *program) splice(other *program) {
	commands, words, dependencies := uint32(len(p.commands)), uint32(len(p.words)), uint32(len(p.dependencies))
	p.words = append(p.words, other.words...)
	for _, index := range other.dependencies {
		p.dependencies = append(p.dependencies, index+commands)
	}
	for _, c := range other.commands {
		c.end += commands
		c.first += words
		c.from += dependencies
		p.commands = append(p.commands, c)
	}
	for m := range other.memories {
		p.holds(m)
	}
	other.memories = nil
	p.depth = max(p.depth, other.depth)
}

// inline appends a program that comes after the commands with the indices after, and returns the indices of its own that
// nothing in it comes after. p takes references of its own.
func (p *program) inline(other *program, after []uint32) []uint32 {
	if len(other.commands) == 0 {
		return after
	}
	copied := *other
	copied.memories = nil
	for m := range other.memories {
		m.Retain() // other holds a reference, so this succeeds
		copied.holds(m)
	}
	first := uint32(len(p.commands))
	p.splice(&copied)
	inner := make([]bool, len(p.commands)) // not an end
	for i := first; i < uint32(len(p.commands)); i = p.commands[i].end {
		c := &p.commands[i]
		if c.count == 0 {
			c.from, c.count = p.depend(after)
		}
		for _, index := range p.dependencies[c.from:][:c.count] {
			inner[index] = true
		}
	}
	var ends []uint32
	for i := first; i < uint32(len(p.commands)); i = p.commands[i].end {
		if !inner[i] {
			ends = append(ends, i)
		}
	}
	return ends
}

// copiesHost tells whether the program copies from or to host memory.
func (p *program) copiesHost() bool {
	return slices.ContainsFunc(p.commands, func(c command) bool { return c.kind == commandUpload || c.kind == commandDownload })
}

// release lets go of all memory.
func (p *program) release() {
	for m := range p.memories {
		m.Release()
	}
	p.memories = nil
}
