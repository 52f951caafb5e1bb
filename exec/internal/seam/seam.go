// Package seam is what package exec shows to package exectest and to nobody else: marks on the work that it emits, and
// switches that only tests turn. Nothing outside of exec can import it, so no producer can forge a mark.
package seam

import "sync/atomic"

// Token says on whose behalf exec waits for a stream or copies to the host (R126).
type Token uint8

// The tokens.
const (
	None    Token = iota
	Poll          // a bounded loop reads its flag between windows
	HostOps       // a HOST stage uses its HostOps
)

// Probe is implemented by the streams of an instrumented device. Its methods are called by the goroutine that emits.
type Probe interface {
	// Sanction says that what follows on this goroutine is done for token; None ends it.
	Sanction(token Token)
	// Enter says that an enqueue begins to emit on this stream, Leave that it has returned. An error refuses the enqueue,
	// and Leave is not called.
	Enter(Enqueue) error
	Leave()
	// Uses says that work is emitted through a context of this lineage; an error refuses the work.
	Uses(lineage any) error
	// Misuses says that host operations are used outside of their stage; an error takes the place of that of package exec.
	Misuses(api string) error
}

// Enqueue says what an enqueue is a part of.
type Enqueue struct {
	// Lineage is the same pointer for the context that the enqueue receives and all that stem from it, and for no other.
	Lineage any
	InStage bool // the enqueue is that of a stage,
	Host    bool // of the HOST class
}

// Lowering forces how bounded loops are emitted, whatever the situation (C20).
type Lowering uint8

// The lowerings by the letters of the specification.
const (
	Free        Lowering = iota // the policy decides
	HostPoll                    // (a)
	Conditional                 // (b), or (b') where work is not being captured
	All                         // (c)
	Trace                       // every iteration, with a look at the flag and a call of Test.Iteration before each
)

// Test is what a test changes about loops and conditionals.
type Test struct {
	Lowering   Lowering
	CheckEvery int // instead of that of the loop, if not 0
	// Iteration is called under Trace before each of the n iterations from the first check on, with the flag at that
	// moment, and once after the last one, with n as the iteration.
	Iteration func(iteration, n int, active bool)
}

// TestKey is the key of a *Test in a context.Context.
type TestKey struct{}

// debugSyncsOff counts who wants no debug syncs.
var debugSyncsOff atomic.Int32

// SuppressDebugSync turns debug syncs off in the whole process until the function that it returns is called (R133).
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
