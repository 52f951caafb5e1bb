//go:build cgo && linux

package cuda

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// queue is a stream of the driver, made by this package or adopted.
type queue struct {
	device *device
	stream *recorder.Stream
	handle streamHandle
	number uint64 // of an adopted stream: its number in the order of adoption; 0: made by this package
	joined uint64 // the foreign capture that the stream has joined by Wait

	program program // of the current operation
	held    []recorder.Keeper
}

// perThread is the handle of the default stream of the calling thread.
const perThread = 2

// legacy returns whether the handle is the driver's legacy default stream, which cannot be captured.
func (q *queue) legacy() bool { return q.handle < perThread }

// MakeStream implements recorder.Driver.
func (d *device) MakeStream() (*recorder.Stream, backend.Stream) {
	s := new(recorder.Adoptable)
	return &s.Stream, s
}

// NewQueue implements recorder.Driver.
func (d *device) NewQueue(s *recorder.Stream) (recorder.Queue, error) {
	handle, f := d.context.createStream()
	if err := f.as(d.info.Name, "new stream"); err != nil {
		return nil, err
	}
	q := &queue{device: d, stream: s, handle: handle}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queues[q] = struct{}{}
	return q, nil
}

// Handle implements recorder.ForeignQueue. It is 0 for the adopted null stream.
func (q *queue) Handle() uintptr { return uintptr(q.handle) }

// Run implements recorder.Queue.
func (q *queue) Run(o *recorder.Operation) error {
	q.program.reset()
	some, err := q.program.leaf(q.device, o)
	if err != nil || !some {
		return err
	}
	defer q.release()
	if err := o.Uses(func(k recorder.Keeper, what string) error {
		if !k.Retain() {
			return &backend.ClosedError{Op: o.Kind.String(), What: what}
		}
		q.held = append(q.held, k)
		return nil
	}); err != nil {
		return err
	}
	return q.emit(&q.program, nil).as(q.device.info.Name, o.Kind.String())
}

// release releases the references of the current operation. Memory without other references is freed after the work of
// all streams.
func (q *queue) release() {
	for _, k := range q.held {
		k.Release()
	}
	clear(q.held)
	q.held = q.held[:0]
}

// emit emits a program. bodies has one stream for each depth of nested conditionals.
func (q *queue) emit(p *program, bodies []streamHandle) failure {
	return q.device.context.emit(q.handle, bodies, p.commands, p.words)
}

// Sync waits for the work of the stream. Other calls on the stream are blocked meanwhile, because they could close it.
func (q *queue) Sync() (uint64, error) {
	return 0, q.device.context.sync(q.handle).as(q.device.info.Name, "sync")
}

// Record implements recorder.Queue. Marks are events of the driver.
func (q *queue) Record(mark uint64) (uint64, error) {
	return mark, q.device.context.recordEvent(eventHandle(mark), q.handle).as(q.device.info.Name, "record event")
}

// After implements recorder.Queue.
func (q *queue) After(mark uint64) error {
	return q.device.context.waitEvent(eventHandle(mark), q.handle).as(q.device.info.Name, "wait for event")
}

// NewMark implements recorder.Driver.
func (d *device) NewMark(op string) (uint64, error) {
	e, f := d.context.createEvent()
	return uint64(e), f.as(d.info.Name, op)
}

// DropMark implements recorder.Driver.
func (d *device) DropMark(mark uint64) { d.discard(disposal{kind: disposeEvent, handle: mark}) }

// Await implements recorder.Driver.
func (d *device) Await(op string, mark uint64) error {
	if mark == 0 {
		return nil
	}
	return d.context.syncEvent(eventHandle(mark)).as(d.info.Name, op)
}

// Close gives the stream up. If somebody else owns the stream, Close first waits for its work, because this package
// cannot wait for it afterwards.
func (q *queue) Close() (err error) {
	if q.number > 0 && !q.legacy() {
		_, f := q.device.context.settle(q.handle)
		err = f.as(q.device.info.Name, "close stream")
	}
	q.Release()
	return err
}

// Release implements recorder.Queue. A stream of this package is destroyed after its work. The owner of an adopted
// stream may destroy it when Release returns; by then no call waits for the stream or asks the driver about it for a
// capture that has ended.
func (q *queue) Release() {
	d := q.device
	if q.number > 0 {
		d.disposing.Lock()
		defer d.disposing.Unlock()
		captures.open()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, open := d.queues[q]; !open {
		return
	}
	delete(d.queues, q) // and add to pending under one lock: freeing memory always waits for its work
	if q.number == 0 {
		d.pending = append(d.pending, disposal{kind: disposeStream, handle: uint64(q.handle)})
	}
}
