package exec

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
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
		{"R64 M8 keyed, C2", situation{caps: gpuCaps, capture: none, capturable: true, policy: Eager, keyed: true},
			modeEager},
		{"R64 M8 segmented", situation{caps: gpuCaps, capture: none, segmented: true, policy: Eager}, modeEager},
		{"D3, R64 M8 in an eager conditional body", situation{caps: eagerCaps, capture: none, capturable: true, inBody: true,
			keyed: true}, modeEager},
		{"R64 M9", situation{caps: gpuCaps, capture: none}, modeEager},
		{"R64 M9 keyed, C2", situation{caps: gpuCaps, capture: none, keyed: true}, modeEager},
		{"R64 M10", situation{caps: gpuCaps, capture: none, segmented: true}, modeSegmented},
		{"R64 M10 keyed", situation{caps: gpuCaps, capture: none, segmented: true, keyed: true, prepared: true},
			modeSegmented},
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
		{"R164 no first capture", situation{caps: gpuCaps, capturable: true, foreignOpen: true, prepared: true}, modeEager},
		{"R164, C12 no implicit prepare", situation{caps: gpuCaps, capturable: true, foreignOpen: true}, modeEager},
		{"R164 replays go on", situation{caps: gpuCaps, capturable: true, foreignOpen: true, known: true, prepared: true},
			modeOwnGraph},
		{"R164 segmented", situation{caps: gpuCaps, segmented: true, foreignOpen: true, prepared: true}, modeEager},
		{"R164 keyed, C2", situation{caps: gpuCaps, capturable: true, foreignOpen: true, keyed: true}, modeEager},
		{"D18 invalidated", situation{caps: gpuCaps, capture: broken, capturable: true}, refuseInvalidated},
		{"D18 invalidated before M4", situation{caps: cpuCaps, capture: broken}, refuseInvalidated},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			assert.Equal(t, test.want, decide(test.in))
		})
	}
}

// every calls f with every situation.
func every(f func(situation)) {
	for bits := range 1 << 10 {
		bit := func(i int) bool { return bits>>i&1 != 0 }
		for _, caps := range []backend.Caps{cpuCaps, gpuCaps} {
			for capture := backend.CaptureNone; capture <= backend.CaptureInvalidated; capture++ {
				s := situation{capture: capture, caps: caps, capturable: bit(0), segmented: bit(1), legacy: bit(2),
					onCurrent: bit(3), keyed: bit(4), known: bit(5), full: bit(6), prepared: bit(7)}
				s.foreignOpen = bit(9)
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
		case s.capture != backend.CaptureNone: // R64 M1-M6: recorded or refused, regardless of the key and the policy
			assert.Contains(t, []mode{modeRecord, refuseNotCapturable, refuseLegacyStream}, got, "%+v", s)
			assert.Equal(t, got == refuseNotCapturable, !s.capturable, "%+v", s) // R66
		default:
			assert.Contains(t, []mode{modeEager, modeEagerAtLimit, modeOwnGraph, modeSegmented, refuseNotPrepared}, got,
				"%+v", s)
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

var (
	eagerCaps      = backend.Caps{CaptureConditionals: true, EagerConditionals: true, OwnGraphs: true}
	noConditionals = backend.Caps{Capture: true, OwnGraphs: true}
)

func TestConditionalLowering(t *testing.T) {
	const own, alien = backend.CaptureOwn, backend.CaptureForeign
	tests := []struct {
		rule string
		in   emission
		want bool
	}{
		{"R24 own capture", emission{capture: own, caps: gpuCaps}, true},
		{"R24 a producer's graph", emission{capture: own, caps: gpuCaps, library: true}, true},
		{"R24 foreign capture with opt-in", emission{capture: alien, caps: gpuCaps, optedIn: true}, true},
		{"D14 own capture on the CPU", emission{capture: own, caps: cpuCaps}, true},
		{"R25 eager", emission{caps: gpuCaps}, false},
		{"R25 eager on the CPU", emission{caps: cpuCaps}, false},
		{"D3 eager where eager work is recorded", emission{caps: eagerCaps}, true},
		{"R47 the scope leaves eager calls", emission{caps: eagerCaps, scopes: scopes{unconditional: true}}, true},
		{"R25 foreign capture without opt-in", emission{capture: alien, caps: gpuCaps}, false},
		{"R48 conditional() is no opt-in for a foreign capture", emission{capture: alien, caps: gpuCaps,
			scopes: scopes{conditional: true}}, false},
		{"R25 joined stream", emission{capture: backend.CaptureJoined, caps: gpuCaps, optedIn: true}, false},
		{"R25 driver too old", emission{capture: own, caps: noConditionals}, false},
		{"D9, D21 foreign, driver too old", emission{capture: alien, caps: noConditionals, optedIn: true}, false},
		{"R45 unconditional", emission{capture: own, caps: gpuCaps, scopes: scopes{unconditional: true}}, false},
		{"R45 unconditional in a foreign capture", emission{capture: alien, caps: gpuCaps, optedIn: true,
			scopes: scopes{unconditional: true}}, false},
		{"R71, R47 own graph", emission{capture: own, caps: gpuCaps, library: true, scopes: scopes{unconditional: true}},
			false},
		{"R49 unconditional wins", emission{capture: own, caps: gpuCaps,
			scopes: scopes{unconditional: true, conditional: true}}, false},
		{"R25, C5 own capture on the foreign library's stream", emission{capture: own, caps: gpuCaps, foreign: true}, false},
		{"R48, C5 the same under conditional()", emission{capture: own, caps: gpuCaps, foreign: true,
			scopes: scopes{conditional: true}}, true},
		{"R49 library graphs are unaffected", emission{capture: own, caps: gpuCaps, foreign: true, library: true}, true},
		{"D4 nested", emission{capture: own, caps: gpuCaps, inDevice: true}, true},
		{"D4 nested in a foreign capture", emission{capture: alien, caps: gpuCaps, inDevice: true}, true},
		{"R42 prepare runs everything", emission{caps: eagerCaps, forced: true}, false},
		{"C20 forced off", emission{capture: own, caps: gpuCaps, inDevice: true, test: seam.All}, false},
		{"C20 forced on", emission{capture: own, caps: gpuCaps, test: seam.Conditional, scopes: scopes{unconditional: true}},
			true},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			assert.Equal(t, test.want, recordsConditional(test.in))
		})
	}
}

func TestLoopLowering(t *testing.T) {
	const own, alien, joined = backend.CaptureOwn, backend.CaptureForeign, backend.CaptureJoined
	whileCaps := gpuCaps
	whileCaps.WhileNodes = true
	eagerWhile := eagerCaps
	eagerWhile.WhileNodes = true
	tests := []struct {
		rule   string
		in     emission
		loop   lowering
		repeat lowering
	}{
		{"R34 (a) eager CPU", emission{caps: cpuCaps}, lowerPoll, lowerPoll},
		{"C4 (a) eager CPU inside unconditional()", emission{caps: cpuCaps, scopes: scopes{unconditional: true}}, lowerPoll,
			lowerPoll},
		{"R36 (c) eager CUDA", emission{caps: gpuCaps}, lowerAll, lowerAll},
		{"D3 (a) AllowHostPoll", emission{caps: gpuCaps, scopes: scopes{allowHostPoll: true}}, lowerPoll, lowerPoll},
		{"R72 (c) AllowHostPoll beside a foreign capture", emission{caps: gpuCaps, scopes: scopes{allowHostPoll: true},
			foreignOpen: true}, lowerAll, lowerAll},
		{"R34 (a) the CPU never waits", emission{caps: cpuCaps, scopes: scopes{allowHostPoll: true}, foreignOpen: true},
			lowerPoll, lowerPoll},
		{"R43, D3 (b') eager where eager work is recorded", emission{caps: eagerCaps}, lowerConditional, lowerConditional},
		{"D3 (b') before AllowHostPoll", emission{caps: eagerCaps, scopes: scopes{allowHostPoll: true}}, lowerConditional,
			lowerConditional},
		{"R35 (b) own capture", emission{capture: own, caps: gpuCaps}, lowerConditional, lowerConditional},
		{"R35 (b) own graph", emission{capture: own, caps: gpuCaps, library: true}, lowerConditional, lowerConditional},
		{"R35 (b) foreign capture with opt-in", emission{capture: alien, caps: gpuCaps, optedIn: true}, lowerConditional,
			lowerConditional},
		{"D14 (b) CPU capture", emission{capture: own, caps: cpuCaps}, lowerConditional, lowerConditional},
		{"D12 one node", emission{capture: own, caps: whileCaps}, lowerConditional, lowerWhile},
		{"D12 one node in a body", emission{capture: own, caps: whileCaps, inDevice: true}, lowerConditional, lowerWhile},
		{"D12 windows in an eager body", emission{caps: eagerWhile, inDevice: true}, lowerConditional, lowerConditional},
		{"D12 windows in an eager call", emission{caps: eagerWhile}, lowerConditional, lowerConditional},
		{"R36 (c) plain foreign capture", emission{capture: alien, caps: whileCaps}, lowerAll, lowerAll},
		{"R36 (c) joined stream", emission{capture: joined, caps: whileCaps}, lowerAll, lowerAll},
		{"R36 (c) older driver", emission{capture: own, caps: noConditionals}, lowerAll, lowerAll},
		{"R36, C4 (c) inside unconditional()", emission{capture: own, caps: cpuCaps, scopes: scopes{unconditional: true}},
			lowerAll, lowerAll},
		{"D3 no poll in a capture", emission{capture: alien, caps: gpuCaps, scopes: scopes{allowHostPoll: true}}, lowerAll,
			lowerAll},
		{"R42 (c) prepare on the CPU", emission{caps: cpuCaps, forced: true}, lowerAll, lowerAll},
		{"R42 (c) prepare where eager work is recorded", emission{caps: eagerCaps, forced: true}, lowerAll, lowerAll},
		{"C20 forced (a)", emission{caps: gpuCaps, test: seam.HostPoll}, lowerPoll, lowerPoll},
		{"C20 forced (b)", emission{caps: gpuCaps, test: seam.Conditional}, lowerConditional, lowerConditional},
		{"C20 forced (c)", emission{caps: cpuCaps, test: seam.All}, lowerAll, lowerAll},
		{"C20 traced", emission{caps: gpuCaps, test: seam.Trace}, lowerTrace, lowerTrace},
	}
	for _, test := range tests {
		t.Run(test.rule, func(t *testing.T) {
			assert.Equal(t, test.loop, lowerLoop(test.in))
			assert.Equal(t, test.repeat, lowerRepeat(test.in))
		})
	}
}

// In every situation, a loop uses device conditionals if and only if SkipUnless would (R35), and the host never waits
// inside a capture.
func TestLoopInvariants(t *testing.T) {
	for bits := range 1 << 8 {
		bit := func(i int) bool { return bits>>i&1 != 0 }
		for _, caps := range []backend.Caps{cpuCaps, gpuCaps, eagerCaps, noConditionals} {
			caps.WhileNodes = bit(0) && caps.CaptureConditionals
			for capture := backend.CaptureNone; capture < backend.CaptureInvalidated; capture++ {
				e := emission{capture: capture, caps: caps, forced: bit(1), inDevice: bit(2), library: bit(3), optedIn: bit(4),
					foreign: bit(5),
					scopes:  scopes{unconditional: bit(6), conditional: bit(5), allowHostPoll: bit(7)}}
				how := lowerLoop(e)
				assert.Equal(t, recordsConditional(e), how == lowerConditional, "%+v", e)
				if how == lowerPoll {
					assert.Equal(t, backend.CaptureNone, capture, "%+v", e)
				}
				if again := lowerRepeat(e); again != how {
					assert.Equal(t, lowerWhile, again, "%+v", e)
					assert.Equal(t, lowerConditional, how, "%+v", e)
				}
			}
		}
	}
}

func TestSerialTable(t *testing.T) { // R78
	for _, test := range []struct {
		captures, pending, legacy, onCurrent, want bool
		rule                                       string
	}{
		{rule: "no legacy producer"},
		{rule: "on the current stream, none pending", onCurrent: true},
		{rule: "a legacy producer that has captured", legacy: true},
		{rule: "about to capture", captures: true, pending: true, legacy: true, want: true},
		{rule: "another is about to, on the current stream", pending: true, onCurrent: true, want: true},
		{rule: "another is about to, on another stream", pending: true},
		{rule: "another is about to, this one is legacy", pending: true, legacy: true, want: true},
	} {
		assert.Equal(t, test.want, needsSerial(test.captures, test.pending, test.legacy, test.onCurrent), test.rule)
	}
}

func TestNames(t *testing.T) {
	assert.Equal(t, "auto", Auto.String())
	assert.Equal(t, "eager", Eager.String())
	assert.Equal(t, "Policy(7)", Policy(7).String())
	assert.Equal(t, "static bounded host", Static.String()+" "+Bounded.String()+" "+Host.String())
	assert.Equal(t, "CaptureClass(9)", CaptureClass(9).String())
}
