//go:build cgo && (linux || darwin)

package vulkan

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
	"github.com/trackgen-go/trackgen/kernel"
)

// encoder turns operations into commands and records them. It first lowers an operation completely, which may fail, and
// then records it, so that no operation is recorded in part. It reuses the slices, so that an eager launch allocates
// nothing.
type encoder struct {
	device    *device
	recording *recording
	retains   bool // each operation retains its memory; a graph has already retained all of it
	args      kernel.Args

	commands    []command
	bindings    []binding
	words       []uint32
	uses        []use
	descriptors [kernel.MaxBuffers]descriptor
}

// encode records an operation.
func (e *encoder) encode(o *recorder.Operation) error {
	if e.recording.broken != nil {
		return e.recording.broken
	}
	e.commands, e.bindings, e.words = e.commands[:0], e.bindings[:0], e.words[:0]
	if e.retains {
		if err := o.Uses(func(k recorder.Keeper, what string) error { return e.keep(k, o, what) }); err != nil {
			return err
		}
	}
	if err := e.lower(o, nil); err != nil {
		return err
	}
	if err := e.record(); err != nil {
		return err
	}
	e.recording.operations++
	return nil
}

// record records the commands, in as many command buffers as their work needs. Everything that can run out of memory
// comes before the first of them.
func (e *encoder) record() error {
	if err := e.recording.reserve(e.cuts()); err != nil {
		return err
	}
	for i := range e.commands {
		if c := &e.commands[i]; c.kind == dispatchCommand {
			var err error
			if c.pool, err = e.recording.descriptorPool(len(c.bindings)); err != nil {
				return err
			}
		}
	}
	for i := range e.commands {
		c := &e.commands[i]
		if e.device.full(e.recording.work, c) {
			if err := e.recording.cut(); err != nil {
				return err
			}
			e.recording.trace(&command{kind: cutCommand})
		}
		if err := e.emit(c); err != nil {
			e.recording.broken = err
			return err
		}
		e.recording.work += c.work
	}
	clear(e.commands)
	return nil
}

// cuts returns how many times record cuts the recording.
func (e *encoder) cuts() int {
	cuts, work := 0, e.recording.work
	for i := range e.commands {
		c := &e.commands[i]
		if e.device.full(work, c) {
			cuts++
			work = 0
		}
		work += c.work
	}
	return cuts
}

// keep keeps what an operation uses until the recording has run.
func (e *encoder) keep(k recorder.Keeper, o *recorder.Operation, what string) error {
	if !k.Retain() {
		return &backend.ClosedError{Op: o.Kind.String(), What: what}
	}
	e.recording.references = append(e.recording.references, k)
	return nil
}

// lower appends the commands of an operation inside the conditional w, which is nil outside of conditionals.
func (e *encoder) lower(o *recorder.Operation, w *window) error {
	switch o.Kind {
	case backend.OperationLaunch:
		return e.lowerLaunch(o, w)
	case backend.OperationCopy:
		to, from := o.Spans[0], o.Spans[1]
		switch {
		case to.Bytes == 0:
		case w != nil:
			return e.copyWords(bindingOf(from), bindingOf(to), w)
		default:
			e.commands = append(e.commands, command{kind: copyCommand, from: bindingOf(from), to: bindingOf(to),
				work: wordWork(to.Bytes)})
		}
	case backend.OperationFill:
		to := o.Spans[0]
		switch {
		case to.Bytes == 0:
		case w != nil:
			return e.fillWords(bindingOf(to), o.Pattern, w)
		default:
			e.commands = append(e.commands, command{kind: fillCommand, to: bindingOf(to), pattern: o.Pattern,
				work: wordWork(to.Bytes)})
		}
	case backend.OperationUpload, backend.OperationDownload:
		if o.Spans[0].Bytes == 0 {
			return nil
		}
		a := o.Host.(*allocation)
		host := binding{block: a.block, offset: a.offset + o.HostOffset, bytes: o.Spans[0].Bytes}
		c := command{kind: copyCommand, from: host, to: bindingOf(o.Spans[0]), work: wordWork(host.bytes)}
		if o.Kind == backend.OperationDownload {
			c.from, c.to = c.to, c.from
			e.recording.toHost = true
		}
		e.commands = append(e.commands, c)
	case backend.OperationIf:
		return e.lowerConditional(o, w)
	case backend.OperationReplay:
		for i := range o.Body.Operations {
			if err := e.lower(&o.Body.Operations[i], w); err != nil {
				return err
			}
		}
	}
	return nil
}

// lowerLaunch lowers the launch of a kernel. A buffer whose offset the device cannot bind is copied to aligned memory
// first. If the kernel writes it, it is copied back afterwards.
func (e *encoder) lowerLaunch(o *recorder.Operation, w *window) error {
	if o.N == 0 {
		return nil
	}
	p, err := e.device.kernelPipeline(o.Def, o.Block)
	if err != nil {
		return err
	}
	start, buffer := len(e.bindings), 0
	type staging struct{ view, copy binding }
	var staged []staging
	for i := range o.Def.Params {
		param := &o.Def.Params[i]
		if !param.Buffer {
			continue
		}
		b := bindingOf(o.Spans[buffer])
		b.access = param.Access
		buffer++
		switch {
		case b.bytes == 0:
			b = e.device.nothing
		case b.bytes > e.device.maxRange:
			return &backend.UnsupportedError{Device: e.device.info.Name, Op: "argument " + param.Name,
				Reason: fmt.Sprintf("it has %d bytes, and a kernel can access at most %d of a buffer (maxStorageBufferRange)",
					b.bytes, e.device.maxRange)}
		case b.offset%e.device.alignment != 0:
			aligned, err := e.recording.scratch.take(b.bytes)
			if err != nil {
				return err
			}
			aligned.bytes, aligned.access = b.bytes, b.access
			staged = append(staged, staging{b, aligned})
			b = aligned
		}
		e.bindings = append(e.bindings, b)
	}
	bindings := e.bindings[start:len(e.bindings):len(e.bindings)]
	for _, s := range staged {
		if err := e.copyWords(s.view, s.copy, w); err != nil {
			return err
		}
	}
	e.dispatchLaunch(o, p, bindings, w)
	for _, s := range staged {
		if s.view.access&kernel.Write == 0 {
			continue
		}
		if err := e.copyWords(s.copy, s.view, w); err != nil {
			return err
		}
	}
	return nil
}

func divideUp(n, by int64) int64 { return (n + by - 1) / by }

// dispatchLaunch appends the dispatch of a launch, or several over ranges of its workgroups if it is too much work for
// one submission.
func (e *encoder) dispatchLaunch(o *recorder.Operation, p *pipeline, bindings []binding, w *window) {
	groups, perGroup := int64(o.N), int64(1)
	if !o.Def.Group {
		groups, perGroup = divideUp(groups, int64(p.size)), int64(p.size)
	}
	work := e.launchWork(o)
	each := e.device.rangeOf(work, groups)
	bounded := e.bounded(o, w)
	for before := int64(0); before < groups; before += each {
		end := min(before+each, groups)
		first := len(e.words)
		e.words = append(e.words, uint32(o.N), 0, uint32(before*perGroup))
		e.words = append(e.words, o.Scalars...)
		e.dispatch(p, bindings, e.words[first:len(e.words):len(e.words)], end-before, w)
		c := &e.commands[len(e.commands)-1]
		c.before, c.work = uint32(before), work/float64(groups)*float64(end-before)
		if bounded {
			c.perGroup = uint32(perGroup)
		}
	}
}

// maxGroups is the maximum number of workgroups in x and in y that every device allows.
const maxGroups = 65535

// dispatch appends a dispatch of groups workgroups, spread over x and y.
func (e *encoder) dispatch(p *pipeline, bindings []binding, words []uint32, groups int64, w *window) {
	y := divideUp(groups, maxGroups)
	e.commands = append(e.commands, command{kind: dispatchCommand, pipeline: p, bindings: bindings, words: words,
		x: uint32(divideUp(groups, y)), y: uint32(y), window: w})
}

// wordChunk is the maximum number of bytes that one dispatch copies or fills.
func (d *device) wordChunk() int64 { return min(d.maxRange-granule, math.MaxInt32) / granule * granule }

// aligned returns the smallest range containing b that the device can bind, and the offset of b in it in words.
func (d *device) aligned(b binding) (binding, uint32) {
	skip := b.offset % d.alignment
	b.offset -= skip
	b.bytes += skip + -b.bytes&3
	return b, uint32(skip / 4)
}

// copyWords copies with a kernel, which a conditional can skip.
func (e *encoder) copyWords(from, to binding, w *window) error {
	p, err := e.device.builtinPipeline(copyShader)
	if err != nil {
		return err
	}
	chunk := e.device.wordChunk()
	for done := int64(0); done < from.bytes; done += chunk {
		size := min(chunk, from.bytes-done)
		lastMask := uint32(math.MaxUint32)
		if tail := size % 4; tail != 0 {
			lastMask = 1<<(8*tail) - 1
		}
		source, sourceOffset := e.device.aligned(from.part(done, size, kernel.Read))
		destination, destinationOffset := e.device.aligned(to.part(done, size, kernel.ReadWrite))
		words := divideUp(size, 4)
		e.builtin(p, []binding{source, destination}, []uint32{uint32(words), 0, sourceOffset, destinationOffset, lastMask},
			words, w)
	}
	return nil
}

// fillWords fills with a kernel, which a conditional can skip.
func (e *encoder) fillWords(to binding, pattern uint32, w *window) error {
	p, err := e.device.builtinPipeline(fillShader)
	if err != nil {
		return err
	}
	chunk := e.device.wordChunk()
	for done := int64(0); done < to.bytes; done += chunk {
		size := min(chunk, to.bytes-done)
		destination, offset := e.device.aligned(to.part(done, size, kernel.Write))
		e.builtin(p, []binding{destination}, []uint32{uint32(size / 4), 0, offset, pattern}, size/4, w)
	}
	return nil
}

// builtin appends a dispatch of a shader of this package over items items.
func (e *encoder) builtin(p *pipeline, bindings []binding, words []uint32, items int64, w *window) {
	e.dispatch(p, bindings, words, divideUp(items, int64(p.size)), w)
	e.commands[len(e.commands)-1].work = wordWork(4 * items)
}

// emit records a command, preceded by a barrier if it needs one.
func (e *encoder) emit(c *command) error {
	r, handle := e.recording, e.device.handle
	e.uses = c.uses(e.uses[:0])
	if r.hazards.need(e.uses) {
		barrier := command{kind: barrierCommand, stages: r.hazards.stages, writes: r.hazards.writes}
		handle.barrier(r.commands(), barrier.stages, allStages, barrier.writes, allAccesses)
		r.trace(&barrier)
		r.hazards.clear()
	}
	r.hazards.add(e.uses)
	r.trace(c)
	switch c.kind {
	case copyCommand:
		handle.copy(r.commands(), c.from.block.buffer, c.from.offset, c.to.block.buffer, c.to.offset, c.to.bytes)
	case fillCommand:
		handle.fill(r.commands(), c.to.block.buffer, c.to.offset, c.to.bytes, c.pattern)
	case dispatchCommand:
		for i := range c.bindings {
			b := &c.bindings[i]
			e.descriptors[i] = descriptor{b.block.buffer, uint64(b.offset), uint64(b.bytes)}
		}
		var indirect bufferHandle
		if c.indirect.block != nil {
			indirect = c.indirect.block.buffer
		}
		result := handle.dispatch(r.commands(), c.pipeline.handle, c.pool, e.descriptors[:len(c.bindings)], c.words, c.x,
			c.y, indirect, c.indirect.offset)
		if result != vk.Success {
			return e.device.failed("record a dispatch", result)
		}
	}
	return nil
}

// window is a conditional while it is lowered. Its gate is one word that says whether the conditional is taken,
// followed by the workgroup counts of its dispatches, three words each. A kernel writes the gate where the conditional
// begins. The kernel's table holds for each dispatch the counts in x and y, the number of items per workgroup, or 0 for
// a launch without a bound, and the number of workgroups of the launch in earlier dispatches.
type window struct {
	parent *window
	gate   binding

	opening int     // index of the command that writes its gate
	bound   binding // one int32; no block if no launch has a bound. The gate limits launches to that many items
	changed bool    // a command in the window writes the bound, so the gate cannot limit later launches
	scanned int     // the commands before this one do not write the bound
}

const (
	entryBytes = 12 // size of one entry of a gate: x, y and z
	tableBytes = 16 // size of one entry of a table
)

// bounded reports whether the gate of w can skip the items of a launch beyond its bound (kernel.Def.Bound). The gate
// reads one bound, that of the first such launch, when the conditional begins, so no command before the launch may
// change the bound.
func (e *encoder) bounded(o *recorder.Operation, w *window) bool {
	buffer := o.Def.Bound - 1
	if w == nil || buffer < 0 || buffer >= len(o.Spans) || o.Spans[buffer].Bytes < 4 {
		return false
	}
	bound := bindingOf(o.Spans[buffer]).part(0, 4, kernel.Read)
	if w.bound.block == nil {
		w.bound, w.scanned = bound, w.opening+1
	}
	if w.bound != bound {
		return false
	}
	for ; w.scanned < len(e.commands) && !w.changed; w.scanned++ {
		w.changed = e.commands[w.scanned].changes(bound)
	}
	return !w.changed
}

// lowerConditional lowers a conditional inside w, or outside of conditionals if w is nil.
func (e *encoder) lowerConditional(o *recorder.Operation, w *window) error {
	p, err := e.device.builtinPipeline(gateShader)
	if err != nil {
		return err
	}
	opening := len(e.commands)
	inner := &window{parent: w, opening: opening}
	e.commands = append(e.commands, command{})
	for i := range o.Body.Operations {
		if err := e.lower(&o.Body.Operations[i], inner); err != nil {
			return err
		}
	}
	body := e.commands[opening+1:]
	if len(body) == 0 {
		e.commands = e.commands[:opening]
		return nil
	}
	entries := 0
	for i := range body {
		if body[i].window == inner {
			entries++
		}
	}
	if inner.gate, err = e.recording.scratch.take(4 + int64(entries)*entryBytes); err != nil {
		return err
	}
	table, err := e.recording.table.take(max(int64(entries), 1) * tableBytes)
	if err != nil {
		return err
	}
	inner.connect(body, table.mapped())
	table.access = kernel.Read
	inner.gate.access = kernel.Write
	flag, flagOffset := e.device.aligned(bindingOf(o.Spans[0]))
	flag.access = kernel.Read
	bound, boundOffset := e.device.nothing, uint32(0)
	if inner.bound.block != nil {
		bound, boundOffset = e.device.aligned(inner.bound)
	}
	gate := command{kind: dispatchCommand, pipeline: p, y: 1, parent: w,
		bindings: []binding{flag, e.device.nothing, table, inner.gate, bound},
		words:    []uint32{uint32(entries), 0, flagOffset, 0, boundOffset},
		x:        uint32(divideUp(max(int64(entries), 1), int64(p.size)))}
	if w != nil {
		gate.words[3] = 1
	}
	e.commands[opening] = gate
	return nil
}

// connect makes the dispatches of a body read the gate of w, and writes their workgroup counts to the gate's table.
func (w *window) connect(body []command, table []byte) {
	entry := int64(0)
	for i := range body {
		c := &body[i]
		if c.parent == w {
			c.bindings[1] = w.gate.part(0, 4, kernel.Read)
		}
		if c.window != w {
			continue
		}
		c.indirect = w.gate.part(4+entry*entryBytes, entryBytes, kernel.Read)
		at := table[entry*tableBytes:]
		binary.NativeEndian.PutUint32(at, c.x)
		binary.NativeEndian.PutUint32(at[4:], c.y)
		binary.NativeEndian.PutUint32(at[8:], c.perGroup)
		binary.NativeEndian.PutUint32(at[12:], c.before)
		entry++
	}
}

// mapped returns the memory of a binding of host memory.
func (b binding) mapped() []byte {
	a := allocation{block: b.block, offset: b.offset}
	return a.bytesAt(b.bytes)
}
