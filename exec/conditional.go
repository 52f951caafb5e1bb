package exec

import "github.com/trackgen-go/trackgen/backend"

// SkipUnless emits body so that the device skips it when flag[0] is zero, where the capture allows that; elsewhere it
// emits body unconditionally. It returns true if and only if it emitted body under a device conditional.
//
// When flag[0] is zero, body must not change a bit of any buffer: whether the device skips it depends on the capture,
// never on data. body emits through the context that it receives and through no other (D17). That context is valid
// until body returns.
//
// A conditional is recorded into a graph that a runner owns, into the caller's own capture, and into a foreign capture
// that was registered with Conditional (R24). It is not recorded under Unconditional, or on a stream that only joined a
// capture (R25). On CUDA, a graph with a conditional cannot become a child of another graph (R28).
//
// flag is one int32 on lc's device. Otherwise a *backend.ArgumentError or ErrDeviceMismatch is recorded and nothing is
// emitted.
func SkipUnless(lc *LaunchContext, flag Array[int32], body Enqueue) bool {
	const op = "skip unless"
	if !lc.accepts(op) {
		return false
	}
	if body == nil {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "body", Value: nil, Allowed: "a function"})
		return false
	}
	e, ok := lc.checkFlag(op, "flag", flag)
	if !ok {
		return false
	}
	lc.openBody(body, nil)
	defer lc.closeBody()
	if !recordsConditional(e) {
		lc.emitBody(lc.stream, lc.inDevice)
		return false
	}
	return lc.emitConditional(op, flag)
}

// checkFlag checks the flag of a conditional or a loop before anything is emitted, and returns lc's emission.
func (lc *LaunchContext) checkFlag(op, arg string, flag Array[int32]) (emission, bool) {
	if err := flag.Check(op, arg, lc.device, 1); err != nil {
		lc.Fail(err)
		return emission{}, false
	}
	lc.arrays.add(flag.memory)
	e := lc.emission()
	if e.capture == backend.CaptureInvalidated {
		lc.Fail(errInvalidated(op, lc.stream))
		return emission{}, false
	}
	return e, true
}

// emitConditional emits the open body so that the device skips it while flag is zero.
func (lc *LaunchContext) emitConditional(op string, flag Array[int32]) bool {
	if err := lc.stream.If(flag.View(), lc.onDevice()); err != nil {
		lc.Fail(Doing(op, err)) // ignored if it is the body's own error, which is already recorded
		return false
	}
	return true
}

// onDevice returns the function that emits the open body on the stream of a device conditional.
func (lc *LaunchContext) onDevice() func(backend.Stream) error {
	if lc.open.onDevice == nil {
		lc.open.onDevice = func(stream backend.Stream) error {
			lc.emitBody(stream, true)
			return lc.Err()
		}
	}
	return lc.open.onDevice
}

// errInvalidated is the error of a call on a stream whose capture is broken, or whose driver cannot tell the state.
func errInvalidated(op string, stream backend.Stream) error {
	if err := captureFailure(stream); err != nil {
		return Doing(op, err)
	}
	return &backend.CaptureError{Op: op, Reason: "the capture of the stream has been invalidated and must be ended first"}
}
