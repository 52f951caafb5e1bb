// Package seam is what package exec exposes to package exectest and to nobody else: marks on the work that it emits,
// and switches for tests. Packages outside of exec cannot import it, so no producer can forge a mark.
package seam

import "sync/atomic"

// Token says for what purpose exec waits for a stream or copies to the host (R126).
type Token uint8

// The tokens.
const (
	None    Token = iota
	Poll          // a bounded loop reads its flag between windows
	HostOps       // a HOST stage uses its HostOps
)

// Probe is implemented by the streams of an instrumented device. The emitting goroutine calls its methods.
type Probe interface {
	// Sanction says that the next operations on this goroutine are for token; None ends it.
	Sanction(token Token)
	// Enter says that an enqueue begins to emit on this stream, and Leave that it has returned. If Enter returns an error,
	// the enqueue is refused and Leave is not called.
	Enter(Enqueue) error
	Leave()
	// Uses says that work is emitted through a context of this lineage. An error refuses the work.
	Uses(lineage any) error
	// Misuses says that host operations are used outside of their stage. An error replaces that of package exec.
	Misuses(api string) error
}

// Enqueue describes an enqueue to a Probe.
type Enqueue struct {
	// Lineage is a pointer shared by the context that the enqueue receives and all contexts derived from it.
	Lineage any
	InStage bool // the enqueue is that of a stage
	Host    bool // the stage has class HOST
}

// Lowering forces how bounded loops are emitted in every situation (C20).
type Lowering uint8

// The lowerings by the letters of the specification.
const (
	Free        Lowering = iota // the policy decides
	HostPoll                    // (a)
	Conditional                 // (b), or (b') outside of a capture
	All                         // (c)
	Trace                       // every iteration; reads the flag and calls Test.Iteration before each
)

// Test overrides how loops and conditionals are emitted.
type Test struct {
	Lowering   Lowering
	CheckEvery int // replaces that of the loop if it is not 0
	// Iteration is called under Trace before each of the n iterations from the first check on, with the current flag, and
	// once after the last one with iteration n.
	Iteration func(iteration, n int, active bool)
}

// TestKey is the key of a *Test in a context.Context.
type TestKey struct{}

// debugSyncsOff counts the callers that have suppressed debug syncs.
var debugSyncsOff atomic.Int32

// SuppressDebugSync turns debug syncs off in the whole process until restore is called (R133).
func SuppressDebugSync() (restore func()) {
	debugSyncsOff.Add(1)
	var done atomic.Bool
	return func() {
		if done.CompareAndSwap(false, true) {
			debugSyncsOff.Add(-1)
		}
	}
}

// DebugSyncSuppressed reports whether debug syncs are off.
func DebugSyncSuppressed() bool { return debugSyncsOff.Load() > 0 }
