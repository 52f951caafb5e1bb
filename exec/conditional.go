package exec

import "github.com/trackgen-go/trackgen/backend"

// SkipUnless emits body so that, where the capture allows, the device skips it when flag[0] is zero; elsewhere the body is
// emitted unconditionally (R22). It returns true exactly if the body was emitted under a device conditional.
//
// When flag[0] is zero the body must change no bit of any buffer (R23), because whether it is skipped depends on the
// capture and never on data. It emits through the context that it receives, and through no other (D17); that context is
// valid until body returns.
//
// flag is one int32 on lc's device, else an *ArgError or ErrDeviceMismatch is recorded and nothing is emitted (R27, C11).
func SkipUnless(lc *LaunchContext, flag Array[int32], body Enqueue) bool {
	const op = "skip unless"
	if !lc.admit(op) {
		return false
	}
	if body == nil {
		lc.Fail(&ArgError{Op: op, Arg: "body", Value: nil, Allowed: "a function"})
		return false
	}
	if err := flag.Check(op, "flag", lc.device, 1); err != nil {
		lc.Fail(err)
		return false
	}
	capture := lc.stream.Capture()
	if capture == backend.CaptureInvalidated {
		lc.Fail(errInvalidated(op))
		return false
	}
	if !recordsConditional(capture, lc.caps, lc.scopes, lc.forced, lc.inDevice) {
		lc.runBody(lc.stream, lc.inDevice, body)
		return false
	}
	err := lc.stream.If(flag.View(), func(stream backend.Stream) error {
		lc.runBody(stream, true, body)
		return lc.Err()
	})
	if err != nil {
		lc.Fail(wrap(op, err)) // ignored if it is the body's own error, which is recorded already
		return false
	}
	return true
}

// runBody runs the body of a conditional with a context of its own, while lc takes no work.
func (lc *LaunchContext) runBody(stream backend.Stream, inDevice bool, body Enqueue) {
	if lc.body == nil {
		lc.body = &LaunchContext{}
	}
	inner := lc.body
	lc.deriveInto(inner)
	inner.stream, inner.inDevice = stream, inDevice
	lc.suspended = true
	defer func() {
		lc.suspended = false
		inner.suspended = true // what a body kept of its context is of no use afterwards
	}()
	body(inner)
}

func errInvalidated(op string) error {
	return &CaptureError{Op: op, Detail: "the capture of the stream has been invalidated and must be ended first"}
}
