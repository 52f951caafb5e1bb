package exec

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/backend"
)

var (
	cpuCaps = backend.Caps{Capture: true, CaptureConditionals: true, CheapHostPoll: true, GraphRetain: true}
	gpuCaps = backend.Caps{Capture: true, OwnGraphs: true, CaptureConditionals: true, GraphRetain: true}
)

func TestModeTable(t *testing.T) {
	const (
		none   = backend.CaptureNone
		own    = backend.CaptureOwn
		alien  = backend.CaptureForeign
		joined = backend.CaptureJoined
		broken = backend.CaptureInvalidated
	)
	tests := []struct {
		rule string
		in   situation
		want mode
	}{
		{"R64 M1 own capture", situation{caps: gpuCaps, capture: own, capturable: true}, modeRecord},
		{"R64 M1 foreign capture", situation{caps: gpuCaps, capture: alien, capturable: true}, modeRecord},
		{"R64 M1 joined capture", situation{caps: gpuCaps, capture: joined, capturable: true}, modeRecord},
		{"R64 M1 key ignored", situation{caps: gpuCaps, capture: own, capturable: true, keyed: true}, modeRecord},
		{"R64 M1 policy ignored", situation{caps: gpuCaps, capture: own, capturable: true, policy: Eager}, modeRecord},
		{"R64 M1 segmented", situation{caps: gpuCaps, capture: own, capturable: true, segmented: true}, modeRecord},
		{"R64 M2", situation{caps: gpuCaps, capture: own, capturable: true, legacy: true, onCurrent: true}, modeRecord},
		{"R64 M3", situation{caps: gpuCaps, capture: own, capturable: true, legacy: true}, refuseLegacyStream},
		{"R64 M4", situation{caps: gpuCaps, capture: own}, refuseNotCapturable},
		{"R64 M4 segmented", situation{caps: gpuCaps, capture: alien, segmented: true, prepared: true}, refuseNotCapturable},
		{"R64 M4 before M3", situation{caps: gpuCaps, capture: own, legacy: true}, refuseNotCapturable},
		{"R64 M5", situation{caps: cpuCaps, capture: own, capturable: true}, modeRecord},
		{"R64 M6", situation{caps: cpuCaps, capture: own}, refuseNotCapturable},
		{"R64 M7", situation{caps: cpuCaps, capture: none, capturable: true}, modeEager},
		{"R64 M7 not capturable", situation{caps: cpuCaps, capture: none}, modeEager},
		{"R64 M7 segmented", situation{caps: cpuCaps, capture: none, segmented: true}, modeEager},
		{"R64 M7 key ignored, C2", situation{caps: cpuCaps, capture: none, capturable: true, keyed: true}, modeEager},
		{"R64 M8", situation{caps: gpuCaps, capture: none, capturable: true, policy: Eager, prepared: true}, modeEager},
		{"R64 M8 keyed, C2", situation{caps: gpuCaps, capture: none, capturable: true, policy: Eager, keyed: true}, modeEager},
		{"R64 M8 segmented", situation{caps: gpuCaps, capture: none, segmented: true, policy: Eager}, modeEager},
		{"R64 M9", situation{caps: gpuCaps, capture: none}, modeEager},
		{"R64 M9 keyed, C2", situation{caps: gpuCaps, capture: none, keyed: true}, modeEager},
		{"R64 M10", situation{caps: gpuCaps, capture: none, segmented: true}, modeSegmented},
		{"R64 M10 keyed", situation{caps: gpuCaps, capture: none, segmented: true, keyed: true, prepared: true}, modeSegmented},
		{"R64 M10 keyed, C2", situation{caps: gpuCaps, capture: none, segmented: true, keyed: true}, refuseNotPrepared},
		{"R75 legacy segmented", situation{caps: gpuCaps, capture: none, segmented: true, legacy: true}, modeEager},
		{"R75 limit", situation{caps: gpuCaps, segmented: true, keyed: true, full: true, prepared: true}, modeEagerAtLimit},
		{"R64 M11 unprepared", situation{caps: gpuCaps, capture: none, capturable: true}, modeOwnGraph},
		{"R64 M11", situation{caps: gpuCaps, capture: none, capturable: true, prepared: true, known: true}, modeOwnGraph},
		{"R64 M11 legacy, C1", situation{caps: gpuCaps, capture: none, capturable: true, legacy: true}, modeOwnGraph},
		{"R64 M11 at the limit", situation{caps: gpuCaps, capture: none, capturable: true, full: true}, modeOwnGraph},
		{"R64a", situation{caps: gpuCaps, capture: none, capturable: true, segmented: true}, modeOwnGraph},
		{"R64 M12 new key", situation{caps: gpuCaps, capturable: true, prepared: true, keyed: true}, modeOwnGraph},
		{"R64 M12 known key at the limit, R70",
			situation{caps: gpuCaps, capturable: true, prepared: true, keyed: true, known: true, full: true}, modeOwnGraph},
		{"R64 M13", situation{caps: gpuCaps, capturable: true, keyed: true}, refuseNotPrepared},
		{"R64 M14", situation{caps: gpuCaps, capturable: true, prepared: true, keyed: true, full: true}, modeEagerAtLimit},
		{"R64 M14, C2", situation{caps: gpuCaps, capturable: true, keyed: true, full: true}, modeEagerAtLimit},
		{"R64 M15", situation{caps: gpuCaps, capturable: true, legacy: true, keyed: true, prepared: true}, modeEager},
		{"R64 M15 above M13, C2", situation{caps: gpuCaps, capturable: true, legacy: true, keyed: true}, modeEager},
		{"D18 invalidated", situation{caps: gpuCaps, capture: broken, capturable: true}, refuseInvalidated},
		{"D18 invalidated before M4", situation{caps: cpuCaps, capture: broken}, refuseInvalidated},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			assert.Equal(t, test.want, decide(test.in))
		})
	}
}

// every calls f with all situations.
func every(f func(situation)) {
	for bits := range 1 << 9 {
		bit := func(i int) bool { return bits>>i&1 != 0 }
		for _, caps := range []backend.Caps{cpuCaps, gpuCaps} {
			for capture := backend.CaptureNone; capture <= backend.CaptureInvalidated; capture++ {
				s := situation{capture: capture, caps: caps, capturable: bit(0), segmented: bit(1), legacy: bit(2),
					onCurrent: bit(3), keyed: bit(4), known: bit(5), full: bit(6), prepared: bit(7)}
				if bit(8) {
					s.policy = Eager
				}
				f(s)
			}
		}
	}
}

func TestModeInvariants(t *testing.T) {
	every(func(s situation) {
		got := decide(s)
		graph := got == modeOwnGraph || got == modeSegmented
		switch {
		case s.capture == backend.CaptureInvalidated: // D18
			assert.Equal(t, refuseInvalidated, got, "%+v", s)
		case s.capture != backend.CaptureNone: // R64 M1-M6: recorded or refused, whatever the key and the policy
			assert.Contains(t, []mode{modeRecord, refuseNotCapturable, refuseLegacyStream}, got, "%+v", s)
			assert.Equal(t, got == refuseNotCapturable, !s.capturable, "%+v", s) // R66
		default:
			assert.Contains(t, []mode{modeEager, modeEagerAtLimit, modeOwnGraph, modeSegmented, refuseNotPrepared}, got, "%+v", s)
		}
		if !s.caps.OwnGraphs { // D14
			assert.False(t, graph, "%+v", s)
		}
		if s.policy == Eager { // R63
			assert.False(t, graph, "%+v", s)
		}
		if graph && s.keyed { // R74
			assert.True(t, s.prepared, "%+v", s)
		}
		if !s.keyed { // R73, R70
			assert.NotEqual(t, refuseNotPrepared, got, "%+v", s)
			assert.NotEqual(t, modeEagerAtLimit, got, "%+v", s)
		}
		if got == modeSegmented { // R64a
			assert.False(t, s.capturable, "%+v", s)
			assert.True(t, s.segmented, "%+v", s)
		}
	})
}

func TestConditionalLowering(t *testing.T) {
	eagerCaps := backend.Caps{CaptureConditionals: true, EagerConditionals: true, OwnGraphs: true}
	noConditionals := backend.Caps{Capture: true, OwnGraphs: true}
	tests := []struct {
		rule     string
		capture  backend.CaptureState
		caps     backend.Caps
		scopes   scopes
		forced   bool
		inDevice bool
		want     bool
	}{
		{rule: "R24 own capture", capture: backend.CaptureOwn, caps: gpuCaps, want: true},
		{rule: "D14 own capture on the CPU", capture: backend.CaptureOwn, caps: cpuCaps, want: true},
		{rule: "R25 eager", capture: backend.CaptureNone, caps: gpuCaps},
		{rule: "R25 eager on the CPU", capture: backend.CaptureNone, caps: cpuCaps},
		{rule: "D3 eager where eager work is recorded", capture: backend.CaptureNone, caps: eagerCaps, want: true},
		{rule: "R47 the scope leaves eager calls", capture: backend.CaptureNone, caps: eagerCaps, scopes: scopes{unconditional: true}, want: true},
		{rule: "R25 foreign capture without opt-in", capture: backend.CaptureForeign, caps: gpuCaps},
		{rule: "R25 joined stream", capture: backend.CaptureJoined, caps: gpuCaps},
		{rule: "R25 driver too old", capture: backend.CaptureOwn, caps: noConditionals},
		{rule: "R45 unconditional", capture: backend.CaptureOwn, caps: gpuCaps, scopes: scopes{unconditional: true}},
		{rule: "R49 unconditional wins", capture: backend.CaptureOwn, caps: gpuCaps, scopes: scopes{unconditional: true, conditional: true}},
		{rule: "D4 nested", capture: backend.CaptureOwn, caps: gpuCaps, inDevice: true, want: true},
		{rule: "R42 prepare runs everything", capture: backend.CaptureNone, caps: eagerCaps, forced: true},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			assert.Equal(t, test.want, recordsConditional(test.capture, test.caps, test.scopes, test.forced, test.inDevice))
		})
	}
}

func TestNames(t *testing.T) {
	assert.Equal(t, "auto", Auto.String())
	assert.Equal(t, "eager", Eager.String())
	assert.Equal(t, "Policy(7)", Policy(7).String())
	assert.Equal(t, "static bounded host", Static.String()+" "+Bounded.String()+" "+Host.String())
	assert.Equal(t, "CaptureClass(9)", CaptureClass(9).String())
}
