//go:build cgo && linux

package vulkan

import "sync"

// queue is the queue of a device. Every submission gets the next value of the timeline semaphore, which is signalled
// after all commands submitted before it. So one value stands for all earlier work of all streams.
type queue struct {
	device   *device
	timeline timelineHandle

	sending sync.Mutex // held while work is submitted, so that it cannot overtake the zeroing of memory that it uses

	mu        sync.Mutex
	submitted uint64       // latest value
	completed uint64       // latest value known to be reached
	zeroed    uint64       // value at which all memory handed out before the last submission is zero
	running   []*recording // submitted and not known to have run
	idle      []*recording // ready for use
}

// maxRunning limits the number of submissions in flight: a host that is too far ahead waits.
const maxRunning = 64

// takeIdle returns a recording that has run and was reset, nil if there is none.
func (q *queue) takeIdle() *recording {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.idle) == 0 {
		q.reap()
	}
	if n := len(q.idle); n > 0 {
		r := q.idle[n-1]
		q.idle = q.idle[:n-1]
		return r
	}
	return nil
}

// submit submits a recording after the work up to the value after, and after the zeroing of all memory handed out so
// far. It returns the value of the submission. The queue keeps the recording until it has run, except the recording of
// a graph.
func (q *queue) submit(r *recording, after uint64, graph bool) (uint64, error) {
	q.sending.Lock()
	defer q.sending.Unlock()
	if err := q.sendZeros(); err != nil {
		return 0, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if r == nil {
		return q.submitted, nil
	}
	if err := q.makeRoom(); err != nil {
		return 0, err
	}
	value, err := q.send(r, max(after, q.zeroed))
	if err != nil {
		return 0, err
	}
	if !graph {
		r.value = value
		q.running = append(q.running, r)
	}
	return value, nil
}

// sendZeros submits the zeroing of new memory. If that fails, memory that is not zero has been handed out, so the
// device becomes unusable. The caller holds q.sending.
func (q *queue) sendZeros() error {
	r, err := q.device.zeros.take()
	if r == nil && err == nil {
		return nil
	}
	if err == nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		if r.value, err = q.send(r, 0); err == nil {
			q.running = append(q.running, r)
			q.zeroed = r.value
			return nil
		}
		r.destroy()
	}
	q.device.lost.Store(true)
	return err
}

// makeRoom removes recordings that have run. If there are still too many, it waits for the oldest submission, which may
// be a replay. The caller holds q.mu.
func (q *queue) makeRoom() error {
	q.reap()
	if q.submitted-q.completed < maxRunning {
		return nil
	}
	if err := q.device.failed("wait", q.device.handle.waitTimeline(q.timeline, q.submitted-maxRunning+1)); err != nil {
		return err
	}
	q.reap()
	return nil
}

// send submits a recording after the work up to the value after. It waits at least for the work that the host knows to
// have run, although nothing is left to wait for: only the wait makes what that work wrote visible to the recording,
// which uses its memory again. A submission makes only the host's own writes visible. The caller holds q.mu.
func (q *queue) send(r *recording, after uint64) (uint64, error) {
	after = max(after, q.completed)
	value := q.submitted + 1
	if q.device.settings.submitted != nil {
		q.device.settings.submitted(after, value)
	}
	if err := q.device.failed("submit", q.device.handle.submit(r.commands, q.timeline, after, value)); err != nil {
		return 0, err
	}
	q.submitted = value
	return value, nil
}

// reap removes recordings that have run from the list. The caller holds q.mu.
func (q *queue) reap() {
	q.completed = max(q.completed, q.device.handle.timelineValue(q.timeline))
	running := q.running[:0]
	for _, r := range q.running {
		switch {
		case r.value > q.completed:
			running = append(running, r)
		case r.once || r.reset() != nil:
			r.destroy()
		default:
			q.idle = append(q.idle, r)
		}
	}
	clear(q.running[len(running):])
	q.running = running
}

// wait blocks until a value is reached.
func (q *queue) wait(value uint64) error {
	q.mu.Lock()
	reached := value <= q.completed
	q.mu.Unlock()
	if reached {
		return nil
	}
	if err := q.device.failed("wait", q.device.handle.waitTimeline(q.timeline, value)); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.completed = max(q.completed, value)
	return nil
}

// retire destroys the recording of a graph once the value is reached.
func (q *queue) retire(r *recording, value uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r.once, r.value = true, value
	q.running = append(q.running, r)
	q.reap()
}

// drain waits for all submitted work and releases its memory.
func (q *queue) drain() error {
	value, err := q.submit(nil, 0, false)
	if err != nil {
		return err
	}
	if err := q.wait(value); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.reap()
	return nil
}

// close destroys all recordings. The device must be idle.
func (q *queue) close() {
	for _, list := range [][]*recording{q.running, q.idle} {
		for _, r := range list {
			r.destroy()
		}
	}
	q.running, q.idle = nil, nil
	q.device.handle.destroyTimeline(q.timeline)
}
