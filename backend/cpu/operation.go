package cpu

import (
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/kernel"
)

// queue is the CPU's part of a stream; it runs work at once.
type queue struct {
	recorder.SynchronousQueue
	device   *device
	stream   *recorder.Stream
	args     kernel.Args
	launches uint64 // in debug mode, for the seed of the next twin
}

// Replay implements recorder.Queue.
func (q *queue) Replay(w *recorder.Work) error { return q.run(&w.Program) }

// run runs a program in order and stops at the first error.
func (q *queue) run(p *recorder.Program) error {
	for i := range p.Operations {
		if err := q.operate(&p.Operations[i]); err != nil {
			return err
		}
	}
	return nil
}

// Run implements recorder.Queue: it runs one operation now. The operations of a graph are run without it, because the
// graph keeps their memory.
func (q *queue) Run(o *recorder.Operation) error {
	if !hold(o.Spans) {
		return closedBuffer(o)
	}
	defer release(o.Spans)
	return q.operate(o)
}

// operate runs one operation.
func (q *queue) operate(o *recorder.Operation) error {
	switch o.Kind {
	case backend.OperationLaunch:
		return q.launch(o)
	case backend.OperationCopy:
		dst, dstOpen := data(&o.Spans[0])
		src, srcOpen := data(&o.Spans[1])
		if !dstOpen || !srcOpen {
			return closedBuffer(o)
		}
		copy(dst, src)
	case backend.OperationFill:
		dst, isOpen := data(&o.Spans[0])
		if !isOpen {
			return closedBuffer(o)
		}
		fill(dst, o.Pattern)
	case backend.OperationUpload, backend.OperationDownload:
		device, isOpen := data(&o.Spans[0])
		if !isOpen {
			return closedBuffer(o)
		}
		host := o.Host.Bytes()
		if host == nil {
			return &backend.ClosedError{Op: o.Kind.String(), What: "host buffer"}
		}
		host = host[o.HostOffset:][:len(device)]
		if o.Kind == backend.OperationUpload {
			copy(device, host)
		} else {
			copy(host, device)
		}
	case backend.OperationIf:
		flag, isOpen := pointer(&o.Spans[0])
		if !isOpen {
			return closedBuffer(o)
		}
		if *(*int32)(flag) != 0 {
			return q.run(o.Body)
		}
	case backend.OperationReplay:
		return q.run(o.Body)
	case backend.OperationRepeat:
		for range o.N {
			flag, isOpen := pointer(&o.Spans[0])
			if !isOpen {
				return closedBuffer(o)
			}
			if *(*int32)(flag) == 0 {
				return nil
			}
			if err := q.run(o.Body); err != nil {
				return err
			}
		}
	}
	return nil
}

// closedBuffer is the error of an eager operation whose buffer was closed after the operation had been checked.
func closedBuffer(o *recorder.Operation) error {
	return &backend.ClosedError{Op: o.Kind.String(), What: "buffer"}
}

// launch runs a kernel, or its twin in debug mode.
func (q *queue) launch(o *recorder.Operation) error {
	buffers := 0
	for i := range o.Def.Params {
		param := &o.Def.Params[i]
		if !param.Buffer {
			continue
		}
		data, isOpen := pointer(&o.Spans[buffers])
		if !isOpen {
			return closedBuffer(o)
		}
		q.args.Buffers[buffers] = kernel.BufferArg{Data: data, Len: int(o.Spans[buffers].Bytes / param.Type.Size())}
		buffers++
	}
	copy(q.args.Scalars[:], o.Scalars)
	defer q.drop(buffers)
	if o.N == 0 {
		return nil
	}
	if q.device.debug {
		return q.launchTwin(o)
	}
	n := o.N
	if bound := o.Def.Bound; bound > 0 && bound <= buffers && q.args.Buffers[bound-1].Len > 0 {
		n = max(0, min(n, *(*int32)(q.args.Buffers[bound-1].Data)))
	}
	if n == 0 {
		return nil
	}
	return q.device.pool.run(o.Def, q.device.function(o.Def), n, &q.args, o.MaxBlocks)
}

// drop clears the buffers of a launch, so that the queue does not keep the memory of closed buffers. A loop costs less
// here than clear.
func (q *queue) drop(buffers int) {
	for i := range q.args.Buffers[:buffers] {
		q.args.Buffers[i] = kernel.BufferArg{}
	}
}

// launchTwin runs the instrumented twin. Twins run one at a time because their atomics are not atomic.
func (q *queue) launchTwin(o *recorder.Operation) error {
	if !q.device.twins.TryLock() {
		if insideKernel() {
			return callerIsKernel("launch")
		}
		q.device.twins.Lock()
	}
	defer q.device.twins.Unlock()
	q.launches++
	seed := mix(q.device.debugSeed, q.stream.ID(), q.launches)
	if q.device.hearWork == nil {
		return runTwin(o.Def, o.N, &q.args, seed)
	}
	var work kernel.Work
	q.args.Work = &work
	err := runTwin(o.Def, o.N, &q.args, seed)
	q.args.Work = nil
	q.device.hearWork(o.Def, work)
	return err
}

// mix returns the seed of one launch on one stream: SplitMix64 (Steele, Lea and Flood 2014) over the three numbers.
func mix(seed, stream, launch uint64) uint64 {
	for _, word := range [...]uint64{stream, launch} {
		seed += 0x9e3779b97f4a7c15 * (word + 1)
		seed = (seed ^ seed>>30) * 0xbf58476d1ce4e5b9
		seed = (seed ^ seed>>27) * 0x94d049bb133111eb
		seed ^= seed >> 31
	}
	return seed
}

// fillBlock is the number of words that fill writes one by one: a block that fits the first-level cache.
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
