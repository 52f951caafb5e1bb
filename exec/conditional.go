package exec

import "github.com/trackgen-go/trackgen/backend"

// SkipUnless emits body so that, where the capture allows, the device skips it when flag[0] is zero; elsewhere the body is
// emitted unconditionally. It returns true exactly if the body was emitted under a device conditional.
//
// When flag[0] is zero the body must change no bit of any buffer, because whether it is skipped depends on the
// capture and never on data. It emits through the context that it receives, and through no other (D17); that context is
// valid until body returns.
//
// A conditional is recorded in a graph that a runner owns, in the caller's own capture, and in a foreign capture that was
// registered with Conditional (R24); not under Unconditional, and not on a stream that only joined a capture (R25). A
// graph that holds one cannot become a child of another graph on CUDA (R28).
//
// flag is one int32 on lc's device, else an *ArgError or ErrDeviceMismatch is recorded and nothing is emitted.
func SkipUnless(lc *LaunchContext, flag Array[int32], body Enqueue) bool {
	const op = "skip unless"
	if !lc.admit(op) {
		return false
	}
	if body == nil {
		lc.Fail(&ArgError{Op: op, Arg: "body", Value: nil, Allowed: "a function"})
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

// checkFlag checks the flag of a conditional or a loop before anything is emitted, and returns the situation.
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
		lc.Fail(Doing(op, err)) // ignored if it is the body's own error, which is recorded already
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

// errInvalidated is the error of a call on a stream whose capture is broken, or whose device cannot tell.
func errInvalidated(op string, stream backend.Stream) error {
	if err := captureFailure(stream); err != nil {
		return Doing(op, err)
	}
	return &CaptureError{Op: op, Detail: "the capture of the stream has been invalidated and must be ended first"}
}
