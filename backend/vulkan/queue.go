//go:build cgo && (linux || darwin)

package vulkan

import (
	"sync"

	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

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

// submit submits the recording of a stream after the work up to the value after, and after the zeroing of all memory
// handed out so far. It returns the value after which the recording has run. The queue keeps the recording until then;
// if it cannot be submitted, the queue destroys it.
func (q *queue) submit(r *recording, after uint64) (uint64, error) {
	value, err := q.submitParts(r, after)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil && value == 0 {
		r.destroy()
		return 0, err
	}
	r.value = value
	q.running = append(q.running, r)
	return value, err
}

// replay submits the recording of a graph in the same way, but leaves it to the graph. If only some of its command
// buffers could be submitted, it returns the value after which these have run, and an error; if none, 0.
func (q *queue) replay(r *recording, after uint64) (uint64, error) { return q.submitParts(r, after) }

// submitParts submits the command buffers of a recording one after another, each after the one before it.
func (q *queue) submitParts(r *recording, after uint64) (value uint64, err error) {
	q.sending.Lock()
	defer q.sending.Unlock()
	if err := q.sendZeros(); err != nil {
		return 0, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, commands := range r.parts[:r.used] {
		if err := q.makeRoom(); err != nil {
			return value, err
		}
		sent, err := q.send(commands, max(after, q.zeroed, value))
		if err != nil {
			return value, err
		}
		value = sent
	}
	return value, nil
}

// zero submits the zeroing of all memory handed out so far. It returns the latest value.
func (q *queue) zero() (uint64, error) {
	q.sending.Lock()
	defer q.sending.Unlock()
	if err := q.sendZeros(); err != nil {
		return 0, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.submitted, nil
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
		if r.value, err = q.send(r.commands(), 0); err == nil {
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
// be a part of a replay. Others may use the queue meanwhile, but not submit. The caller holds q.sending and q.mu.
func (q *queue) makeRoom() error {
	q.reap()
	if q.submitted-q.completed < maxRunning {
		return nil
	}
	oldest := q.submitted - maxRunning + 1
	q.mu.Unlock()
	err := q.device.failed("wait", q.device.handle.waitTimeline(q.timeline, oldest))
	q.mu.Lock()
	if err != nil {
		return err
	}
	q.reap()
	return nil
}

// send submits commands after the work up to the value after. They wait at least for the work that the host knows to
// have run, although nothing is left to wait for: only the wait makes what that work wrote visible to the commands,
// which may use its memory. A submission makes only the host's own writes visible. The caller holds q.mu.
func (q *queue) send(commands commandsHandle, after uint64) (uint64, error) {
	after = max(after, q.completed)
	value := q.submitted + 1
	if replace := q.device.settings.submit; replace != nil {
		if result := replace(after, value); result != vk.Success {
			return 0, q.device.failed("submit", result)
		}
	}
	if err := q.device.failed("submit", q.device.handle.submit(commands, q.timeline, after, value)); err != nil {
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
	value, err := q.zero()
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
