package exec

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
)

// This file is the whole execution policy: pure functions from a situation to what happens in it. Nothing here touches a
// device, and nothing elsewhere decides.

// Policy restricts how a runner may execute a call outside a capture (R63).
type Policy uint8

// The policies.
const (
	Auto  Policy = iota // replay an own graph where that gains
	Eager               // run the body directly, never an own graph
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

// mode is what a runner does with a call, or why it refuses.
type mode uint8

const (
	modeRecord       mode = iota // run the body into the caller's capture
	modeEager                    // run the body directly
	modeEagerAtLimit             // the same, because no further key gets a graph: warn once
	modeOwnGraph                 // capture a graph of the runner's own at first, then replay it
	modeSegmented                // host parts eagerly, an own graph for each other part

	refuseInvalidated   // the capture of the stream is broken (D18)
	refuseLegacyStream  // R53
	refuseNotCapturable // R66
	refuseNotPrepared   // R74
)

// situation is everything that the mode of a call depends on. Data never appears in it.
type situation struct {
	capture backend.CaptureState // of the call's stream
	caps    backend.Caps

	capturable bool // the body obeys the capture contract (R52)
	segmented  bool // the body comes in parts, cut at host stages
	legacy     bool // the body launches on the device's current stream (R53)
	onCurrent  bool // the call's stream is the device's current stream

	policy   Policy
	keyed    bool // the call has a key
	known    bool // a graph for this key exists
	full     bool // as many keyed graphs as allowed exist
	prepared bool
}

// decide is the mode table R64, with C2 (errors for unprepared runners only where the key would select a graph, M15 above
// M13) and R64a.
func decide(s situation) mode {
	switch {
	case s.capture == backend.CaptureInvalidated:
		return refuseInvalidated
	case s.capture != backend.CaptureNone:
		return decideCapturing(s)
	case !s.caps.OwnGraphs || s.policy == Eager: // M7, M8
		return modeEager
	case !s.capturable && !s.segmented: // M9
		return modeEager
	case !s.capturable && s.legacy: // R75: all parts run eagerly
		return modeEager
	case s.legacy && s.keyed: // M15
		return modeEager
	}
	if s.keyed && !s.known && s.full { // M14
		return modeEagerAtLimit
	}
	if s.keyed && !s.prepared { // M13
		return refuseNotPrepared
	}
	if !s.capturable { // M10
		return modeSegmented
	}
	return modeOwnGraph // M11, M12
}

// decideCapturing is the part of the table for a stream that is being captured, by whomever.
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

// recordsConditional reports whether a body is emitted under a device conditional, rather than unconditionally
// (R22-R26, D3, D4, D14). inDevice says that the context is itself inside the body of one.
func recordsConditional(capture backend.CaptureState, caps backend.Caps, s scopes, forced, inDevice bool) bool {
	switch {
	case forced: // R42: prepare runs everything
		return false
	case inDevice: // D4: an inner conditional means both
		return true
	case capture == backend.CaptureNone: // R47: the scopes leave eager calls as they are
		return caps.EagerConditionals
	case capture == backend.CaptureOwn:
		return caps.CaptureConditionals && !s.unconditional
	default: // R25: a foreign capture without the opt-in, a joined stream
		return false
	}
}
