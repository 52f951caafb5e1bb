package exec

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
)

// Iteration emits one iteration of a bounded loop.
type Iteration = func(lc *LaunchContext, iteration int)

// LoopOptions say how a bounded loop may end early.
type LoopOptions struct {
	// Active is one int32 in device memory. Once a check reads zero, the following iterations may be skipped. With the
	// zero Array, all iterations run.
	Active Array[int32]
	// FirstCheck is the number of iterations that always run, before the first check.
	FirstCheck int
	// CheckEvery is the number of iterations between two checks; 0 means 1.
	CheckEvery int
}

// BoundedLoop emits body for the iterations 0 to n-1, or fewer once the flag reads zero, if the situation permits.
// Iterations below FirstCheck always run. After them, a check of the flag precedes each window of CheckEvery
// iterations. Once a check reads zero, that window and all later ones may be skipped.
//
// How it is emitted depends only on the situation, never on data (R37):
//
//   - (a) the host reads the flag before each window: eager calls on the CPU (R34), and under AllowHostPoll (D3);
//   - (b) a device conditional around each window: wherever SkipUnless records one (R35), and in eager calls on a
//     device that records eager work too (D3);
//   - (c) every window: all other situations (R36), and GraphRunner.Prepare (R42).
//
// All give the same bits if the stage keeps the obligations of R38. The stage's own work sets the flag before the first
// check of every generation. After a check has read zero, the remaining iterations must not change any bit that is read
// after the loop. The body uses only the context that it receives, which is valid until the body returns, and changes
// no host state that is read after the loop. Under (b) the body consists of launches, fills and copies on the device
// (R40).
//
// Create body when the stage is built, not in its enqueue function: it escapes, so that a function literal in the
// enqueue allocates in each generation, which exectest.CheckStage reports (stage.no_alloc).
//
// A stage with an Active flag must be BOUNDED or HOST (R39). Every lowering checks the flag and the counts before it
// emits anything.
func BoundedLoop(lc *LaunchContext, n int, body Iteration, options LoopOptions) {
	const op = "bounded loop"
	if !lc.accepts(op) {
		return
	}
	if body == nil {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "body", Value: nil, Allowed: "a function"})
		return
	}
	if n < 0 {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "n", Value: n, Allowed: "0 or more iterations"})
		return
	}
	if options.FirstCheck < 0 {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "FirstCheck", Value: options.FirstCheck,
			Allowed: "0 or more iterations"})
		return
	}
	if options.CheckEvery < 0 {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "CheckEvery", Value: options.CheckEvery,
			Allowed: "1 or more iterations, or 0 for 1"})
		return
	}
	every := max(options.CheckEvery, 1)
	if lc.test != nil && lc.test.CheckEvery > 0 {
		every = lc.test.CheckEvery
	}
	var e emission
	if !options.Active.IsZero() {
		var ok bool
		if e, ok = lc.checkLoop(op, options.Active); !ok {
			return
		}
	}
	lc.openBody(nil, body)
	defer lc.closeBody()
	if options.Active.IsZero() {
		lc.emitWindow(0, n)
		return
	}
	first := min(options.FirstCheck, n)
	switch lowerLoop(e) {
	case lowerAll:
		lc.emitWindow(0, n)
	case lowerConditional:
		lc.emitWindow(0, first)
		for low := first; low < n && lc.failure.err == nil; {
			lc.open.low, lc.open.high = low, low+min(every, n-low)
			low = lc.open.high
			lc.emitConditional(op, options.Active)
		}
	case lowerPoll:
		lc.pollLoop(op, n, first, every, options.Active)
	case lowerTrace:
		lc.traceLoop(op, n, first, options.Active)
	}
}

// checkLoop checks the flag of a loop and the class of its stage (R39).
func (lc *LaunchContext) checkLoop(op string, active Array[int32]) (emission, bool) {
	e, ok := lc.checkFlag(op, "Active", active)
	if ok && lc.slot != nil && lc.slot.class == Static {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "class of the stage", Value: lc.slot.class,
			Allowed: "bounded, because the loop may end early"})
		return e, false
	}
	if ok && e.forced && e.scopes.allowHostPoll && lc.poll != nil {
		if err := lc.poll.reserve(lc.device); err != nil {
			lc.Fail(Doing(op, err))
			return e, false
		}
	}
	return e, ok
}

// emitWindow emits the iterations [low, high) unconditionally.
func (lc *LaunchContext) emitWindow(low, high int) {
	if low >= high || lc.failure.err != nil {
		return
	}
	lc.open.low, lc.open.high = low, high
	lc.emitBody(lc.stream, lc.inDevice)
}

// Repeat emits body so that it runs while flag[0] is not zero, at most limit times (D12). Unlike in a bounded loop,
// body does not depend on the iteration, so that a capture can hold it once, in a node that the device repeats. If the
// device has no such nodes, Repeat is a bounded loop that checks before every iteration. The obligations are the same
// (R38).
func Repeat(lc *LaunchContext, limit int, flag Array[int32], body Enqueue) {
	const op = "repeat"
	if !lc.accepts(op) {
		return
	}
	if body == nil {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "body", Value: nil, Allowed: "a function"})
		return
	}
	if limit < 0 || limit > math.MaxInt32 {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "limit", Value: limit,
			Allowed: fmt.Sprintf("0 to %d iterations", math.MaxInt32)})
		return
	}
	e, ok := lc.checkLoop(op, flag)
	if !ok || limit == 0 {
		return
	}
	lc.openBody(body, nil)
	defer lc.closeBody()
	switch lowerRepeat(e) {
	case lowerWhile:
		repeater, ok := lc.stream.(backend.Repeater)
		if !ok {
			lc.repeatWindows(op, limit, flag)
			return
		}
		if err := repeater.Repeat(flag.View(), int32(limit), lc.onDevice()); err != nil {
			lc.Fail(Doing(op, err))
		}
	case lowerConditional:
		lc.repeatWindows(op, limit, flag)
	case lowerPoll:
		lc.pollLoop(op, limit, 0, 1, flag)
	case lowerTrace:
		lc.traceLoop(op, limit, 0, flag)
	default:
		for i := 0; i < limit && lc.failure.err == nil; i++ {
			lc.emitBody(lc.stream, lc.inDevice)
		}
	}
}

// repeatWindows emits the open body limit times, each time under a device conditional.
func (lc *LaunchContext) repeatWindows(op string, limit int, flag Array[int32]) {
	for i := 0; i < limit && lc.failure.err == nil; i++ {
		lc.emitConditional(op, flag)
	}
}

// pollMemory is one word of host memory through which flags are read if the host cannot read device memory. A runner
// allocates it on the first poll or in a prepare under AllowHostPoll, and keeps it.
type pollMemory struct{ host backend.HostBuffer }

func (m *pollMemory) reserve(device backend.Device) (err error) {
	if m.host == nil {
		m.host, err = device.AllocHost(4)
	}
	return err
}

func (m *pollMemory) close() error {
	if m.host == nil {
		return nil
	}
	host := m.host
	m.host = nil
	return host.Close()
}

// pollLoop emits the open body. It reads the flag on the host before each window after the first iterations.
func (lc *LaunchContext) pollLoop(op string, n, first, every int, flag Array[int32]) {
	lc.emitWindow(0, first)
	for low := first; low < n && lc.failure.err == nil; {
		if active := lc.pollFlag(op, flag); !active {
			return
		}
		high := low + min(every, n-low)
		lc.emitWindow(low, high)
		low = high
	}
}

// traceLoop emits every iteration and reports each to a test.
func (lc *LaunchContext) traceLoop(op string, n, first int, flag Array[int32]) {
	lc.emitWindow(0, first)
	for i := first; i < n && lc.failure.err == nil; i++ {
		lc.test.Iteration(i, n, lc.pollFlag(op, flag))
		lc.emitWindow(i, i+1)
	}
	if lc.failure.err == nil {
		lc.test.Iteration(n, n, lc.pollFlag(op, flag))
	}
}

// pollFlag reads the flag after all work emitted so far, and returns false after an error. It is the only place where a
// loop waits (R126).
func (lc *LaunchContext) pollFlag(op string, flag Array[int32]) bool {
	lc.sanction(seam.Poll)
	defer lc.sanction(seam.None)
	value, err := int32(0), backend.ErrUnsupported
	if peeker, ok := lc.stream.(backend.Peeker); ok {
		value, err = peeker.Peek(flag.View())
	}
	if errors.Is(err, backend.ErrUnsupported) {
		value, err = lc.downloadFlag(flag)
	}
	if err != nil {
		lc.Fail(Doing(op+": read the flag", err))
		return false
	}
	return value != 0
}

// downloadFlag reads the flag through host memory.
func (lc *LaunchContext) downloadFlag(flag Array[int32]) (value int32, err error) {
	memory := lc.poll
	if memory == nil {
		memory = new(pollMemory)
		defer func() { err = errors.Join(err, memory.close()) }()
	}
	if err := memory.reserve(lc.device); err != nil {
		return 0, err
	}
	if err := lc.stream.Download(memory.host, 0, flag.View()); err != nil {
		return 0, err
	}
	if err := lc.stream.Sync(); err != nil {
		return 0, err
	}
	bytes := memory.host.Bytes()
	if len(bytes) < 4 {
		return 0, &backend.ClosedError{Op: "read", What: "host buffer"}
	}
	return *(*int32)(unsafe.Pointer(unsafe.SliceData(bytes))), nil
}
