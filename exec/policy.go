package exec

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
)

// This file is the whole execution policy: pure functions from a situation to a decision. Nothing here touches a
// device, and no other file decides.

// Policy restricts how a runner may execute a call outside a capture.
type Policy uint8

// The policies.
const (
	Auto  Policy = iota // replay the runner's own graph where that is faster
	Eager               // run the body directly, never as a graph
)

// String returns the name of the policy.
func (p Policy) String() string {
	switch p {
	case Auto:
		return "auto"
	case Eager:
		return "eager"
	default:
		return fmt.Sprintf("Policy(%d)", uint8(p))
	}
}

// mode is how a runner executes a call, or why it refuses it.
type mode uint8

const (
	modeRecord       mode = iota // run the body into the caller's capture
	modeEager                    // run the body directly
	modeEagerAtLimit             // like modeEager, because the limit of keyed graphs is reached: warn once
	modeOwnGraph                 // capture a graph once, then replay it
	modeSegmented                // run HOST segments eagerly, and replay a graph for each other segment

	refuseInvalidated   // the capture of the stream is broken (D18)
	refuseLegacyStream  // R53
	refuseNotCapturable // R66
	refuseNotPrepared   // R74
)

// situation is everything that decides the mode of a call. It contains no data.
type situation struct {
	capture backend.CaptureState // of the call's stream
	caps    backend.Caps

	capturable bool // the body obeys the capture contract (R52)
	segmented  bool // the body consists of segments, cut at HOST stages
	legacy     bool // the body launches on the device's current stream (R53)
	onCurrent  bool // the call's stream is the device's current stream
	inBody     bool // the call is made inside an open conditional body and becomes part of it

	policy   Policy
	keyed    bool // the call has a key
	known    bool // a graph for this key exists
	full     bool // the runner has reached its limit of keyed graphs
	prepared bool

	foreignOpen bool // a foreign library is capturing another stream, and allocating would break its capture (R164)
}

// decide is the mode table R64 with R64a and C2: an unprepared runner is an error only if the key would select a graph,
// and M15 precedes M13.
func decide(s situation) mode {
	switch {
	case s.capture == backend.CaptureInvalidated:
		return refuseInvalidated
	case s.capture != backend.CaptureNone:
		return decideCapturing(s)
	case !s.caps.OwnGraphs || s.policy == Eager || s.inBody: // M7, M8
		return modeEager
	case !s.capturable && !s.segmented: // M9
		return modeEager
	case !s.capturable && s.legacy: // R75: all segments run eagerly
		return modeEager
	case s.legacy && s.keyed: // M15
		return modeEager
	}
	if s.keyed && !s.known && s.full { // M14
		return modeEagerAtLimit
	}
	if s.foreignOpen && !s.known { // R164, C12: no first capture and no implicit prepare
		return modeEager
	}
	if s.keyed && !s.prepared { // M13
		return refuseNotPrepared
	}
	if !s.capturable { // M10
		return modeSegmented
	}
	return modeOwnGraph // M11, M12
}

// decideCapturing is the part of the table for a stream that is being captured by anybody.
func decideCapturing(s situation) mode {
	switch {
	case !s.capturable: // M4, M6
		return refuseNotCapturable
	case s.legacy && !s.onCurrent: // M3
		return refuseLegacyStream
	default: // M1, M2, M5
		return modeRecord
	}
}

// emission is everything that decides how a conditional or a loop is lowered. It contains no data (R37).
type emission struct {
	capture backend.CaptureState // of the context's stream
	caps    backend.Caps
	scopes  scopes

	forced   bool // run every body and every window: prepare (R42)
	inDevice bool // inside the body of a device conditional
	library  bool // the capture is a graph that a runner owns
	optedIn  bool // the capture is foreign and registered with Conditional (R24)
	foreign  bool // a foreign library is working on the stream (C5)

	// foreignOpen is set under AllowHostPoll only: a foreign library is capturing, and waiting would break its capture
	// (D18).
	foreignOpen bool

	test seam.Lowering // forced by a test (C20)
}

// recordsConditional reports whether a body is emitted under a device conditional (R22-R26, D3, D4, D14).
func recordsConditional(e emission) bool {
	switch {
	case e.forced || e.test == seam.All || e.test == seam.Trace: // R42: prepare runs everything
		return false
	case e.inDevice || e.test == seam.Conditional: // D4: an inner conditional requires both flags
		return true
	case e.capture == backend.CaptureNone: // R47: the scopes do not affect eager calls
		return e.caps.EagerConditionals
	case !e.caps.CaptureConditionals || e.scopes.unconditional: // R45, R49, D9, D21
		return false
	case e.capture == backend.CaptureOwn:
		return e.library || !e.foreign || e.scopes.conditional // R48, C5
	case e.capture == backend.CaptureForeign:
		return e.optedIn
	default: // R25: a stream that joined a capture
		return false
	}
}

// lowering is how a loop with a flag is emitted.
type lowering uint8

const (
	lowerAll         lowering = iota // (c): every window
	lowerPoll                        // (a): the host reads the flag before each window
	lowerConditional                 // (b), (b'): a device conditional around each window
	lowerWhile                       // one node that the device repeats (D12); Repeat only
	lowerTrace                       // every iteration, each reported to a test
)

// lowerLoop is the lowering table of a bounded loop with a flag (R34-R36, R43, D3, D14, C4).
func lowerLoop(e emission) lowering {
	switch {
	case e.forced: // R42
		return lowerAll
	case e.test == seam.HostPoll:
		return lowerPoll
	case e.test == seam.Trace:
		return lowerTrace
	case recordsConditional(e):
		return lowerConditional
	case e.test == seam.All || e.capture != backend.CaptureNone:
		return lowerAll
	case e.caps.CheapHostPoll || e.scopes.allowHostPoll && !e.foreignOpen: // R34, D3, R72
		return lowerPoll
	default:
		return lowerAll
	}
}

// lowerRepeat is the lowering table of a loop whose body does not depend on the iteration (D12).
func lowerRepeat(e emission) lowering {
	if how := lowerLoop(e); how != lowerConditional || e.capture == backend.CaptureNone || !e.caps.WhileNodes {
		return how
	}
	return lowerWhile
}

// needsSerial reports whether a call needs the process-wide lock of legacy producers (R78). captures: the call is of a
// legacy producer that has not yet captured its own graph on the current stream. pending: there is such a producer on
// the device.
func needsSerial(captures, pending, legacy, onCurrent bool) bool {
	return captures || pending && (onCurrent || legacy)
}
