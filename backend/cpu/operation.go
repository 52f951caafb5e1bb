package cpu

import (
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

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
	repeated          // spans: flag; runs body while the flag is not 0, at most n times
)

// String returns the operation as error messages name it.
func (k kind) String() string {
	return [...]string{"launch", "copy", "fill", "upload", "download", "if", "replay", "repeat"}[k]
}

// operation is one unit of work with its checked arguments: what an eager stream runs and a capture records.
type operation struct {
	kind       kind
	def        *kernel.Def
	n          int32
	maxWorkers int32
	spans      []span   // launchKernel: the buffers in parameter order
	scalars    []uint32 // launchKernel, in parameter order
	pattern    uint32   // fillDevice
	host       *memory
	hostOffset int64
	body       *program   // conditional, nested, repeated
	graph      *recording // nested: whose program body is
}

// clone copies an operation whose spans and scalars are borrowed.
func (o *operation) clone() operation {
	c := *o
	c.spans = append([]span(nil), o.spans...)
	c.scalars = append([]uint32(nil), o.scalars...)
	return c
}

// program is a list of operations. Once recorded it does not change, so that several streams can run it at once.
type program struct {
	operations []operation
	nodes      int // operations, those inside bodies included; at most maxNodes
	depth      int // levels of bodies inside
}

const (
	// maxDepth bounds bodies inside bodies: running them takes stack.
	maxDepth = 1000
	// maxNodes is where counting stops: a graph can replay a graph twice that replays a graph twice, and so on.
	maxNodes = 1 << 30
)

// add appends an operation.
func (p *program) add(o operation) {
	p.operations = append(p.operations, o)
	p.nodes++
	if o.body != nil {
		p.nodes += o.body.nodes
		p.depth = max(p.depth, o.body.depth+1)
	}
	p.nodes = min(p.nodes, maxNodes)
}

// run runs a program in order and stops at the first error. The caller holds the lock of the stream.
func (s *stream) run(p *program) error {
	for i := range p.operations {
		if err := s.perform(&p.operations[i]); err != nil {
			return err
		}
	}
	return nil
}

// perform runs one operation now. The caller holds the lock of the stream.
func (s *stream) perform(o *operation) error {
	switch o.kind {
	case launchKernel:
		return s.launch(o)
	case copyDevice:
		dst, dstOpen := o.spans[0].data()
		src, srcOpen := o.spans[1].data()
		if !dstOpen || !srcOpen {
			return closedBuffer(o)
		}
		copy(dst, src)
	case fillDevice:
		dst, isOpen := o.spans[0].data()
		if !isOpen {
			return closedBuffer(o)
		}
		fill(dst, o.pattern)
	case uploadHost, downloadHost:
		device, isOpen := o.spans[0].data()
		if !isOpen {
			return closedBuffer(o)
		}
		host, isOpen := o.host.data()
		if !isOpen {
			return &backend.ClosedError{Op: o.kind.String(), What: "host buffer"}
		}
		host = host[o.hostOffset:][:len(device)]
		if o.kind == uploadHost {
			copy(device, host)
		} else {
			copy(host, device)
		}
	case conditional:
		flag, isOpen := o.spans[0].pointer()
		if !isOpen {
			return closedBuffer(o)
		}
		if *(*int32)(flag) != 0 {
			return s.run(o.body)
		}
	case nested:
		return s.run(o.body)
	case repeated:
		for range o.n {
			flag, isOpen := o.spans[0].pointer()
			if !isOpen {
				return closedBuffer(o)
			}
			if *(*int32)(flag) == 0 {
				return nil
			}
			if err := s.run(o.body); err != nil {
				return err
			}
		}
	}
	return nil
}

// closedBuffer is the error of an eager operation whose buffer was closed after it had been checked.
func closedBuffer(o *operation) error {
	return &backend.ClosedError{Op: o.kind.String(), What: "buffer"}
}

// launch runs a kernel, or its twin in debug mode.
func (s *stream) launch(o *operation) error {
	buffers := 0
	for i := range o.def.Params {
		param := &o.def.Params[i]
		if !param.Buffer {
			continue
		}
		data, isOpen := o.spans[buffers].pointer()
		if !isOpen {
			return closedBuffer(o)
		}
		s.args.Buffers[buffers] = kernel.BufferArg{Data: data, Len: int(o.spans[buffers].bytes / param.Type.Size())}
		buffers++
	}
	copy(s.args.Scalars[:], o.scalars)
	defer clear(s.args.Buffers[:buffers]) // the stream keeps no memory of closed buffers
	if o.n == 0 {
		return nil
	}
	if s.device.debug {
		return s.launchTwin(o)
	}
	n := o.n
	if bound := o.def.Bound; bound > 0 && bound <= buffers && s.args.Buffers[bound-1].Len > 0 {
		n = max(0, min(n, *(*int32)(s.args.Buffers[bound-1].Data)))
	}
	if n == 0 {
		return nil
	}
	return s.device.pool.run(o.def, n, &s.args, o.maxWorkers)
}

// launchTwin runs the instrumented twin. Twins run one at a time: their atomics are not atomic.
func (s *stream) launchTwin(o *operation) error {
	if !s.device.twins.TryLock() {
		if insideKernel() {
			return callerIsKernel("launch")
		}
		s.device.twins.Lock()
	}
	defer s.device.twins.Unlock()
	s.launches++
	seed := mix(s.device.debugSeed, s.id, s.launches)
	if s.device.hearWork == nil {
		return runTwin(o.def, o.n, &s.args, seed)
	}
	var work kernel.Work
	s.args.Work = &work
	err := runTwin(o.def, o.n, &s.args, seed)
	s.args.Work = nil
	s.device.hearWork(o.def, work)
	return err
}

// mix returns the seed of one launch of one stream: SplitMix64 (Steele, Lea and Flood 2014) over the three numbers.
func mix(seed, stream, launch uint64) uint64 {
	for _, word := range [...]uint64{stream, launch} {
		seed += 0x9e3779b97f4a7c15 * (word + 1)
		seed = (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		seed = (seed ^ seed>>27) * 0x94d049bb133111eb
		seed ^= seed >> 31
	}
	return seed
}

// fillBlock is how many words fill writes one by one: a block that stays in the nearest cache.
const fillBlock = 2048

// fill writes a 32-bit pattern over dst, whose size is a multiple of 4.
func fill(dst []byte, pattern uint32) {
	if pattern == 0 {
		clear(dst)
		return
	}
	words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(dst))), len(dst)/4)
	block := words[:min(len(words), fillBlock)]
	for i := range block {
		block[i] = pattern
	}
	for written := len(block); written < len(words); {
		written += copy(words[written:], block) // several times faster than a loop over words
	}
}
