package cpu

import "sync/atomic"

// gate counts the workers inside a job. While it is open, it admits up to a given number of workers; once it is shut it
// admits none, and the last worker to leave learns that it is the last. So a worker that wakes up too late costs
// nothing.
//
// The state is one word: bit 62 is the open flag, bits 32..61 the remaining room, bits 0..31 the number of workers
// inside.
type gate struct{ state atomic.Int64 }

const gateOpen = int64(1) << 62

func (g *gate) open(room int) { g.state.Store(gateOpen | int64(room)<<32) }

// enter reports whether the caller was admitted. If so, it may read what was written before the gate opened.
func (g *gate) enter() bool {
	for {
		s := g.state.Load()
		inside, room := s&0xffffffff, s&^gateOpen>>32
		if s&gateOpen == 0 || inside >= room {
			return false
		}
		if g.state.CompareAndSwap(s, s+1) {
			return true
		}
	}
}

// leave reports whether the caller was the last worker inside a gate that has been shut.
func (g *gate) leave() bool { return g.state.Add(-1)&(gateOpen|0xffffffff) == 0 }

// shut closes the gate and reports whether a worker is still inside. A second call returns false.
func (g *gate) shut() bool {
	before := g.state.And(^gateOpen)
	return before&gateOpen != 0 && before&0xffffffff != 0
}
