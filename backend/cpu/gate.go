package cpu

import "sync/atomic"

// gate counts the workers that are inside a job. While it is open, at most a given number may be inside; once it is shut
// nobody enters, and the last one to leave is told so. A worker that wakes up too late thus costs nothing.
//
// The state is one word: bit 62 open, bits 32..61 the room, bits 0..31 the workers inside.
type gate struct{ state atomic.Int64 }

const gateOpen = int64(1) << 62

func (g *gate) open(room int) { g.state.Store(gateOpen | int64(room)<<32) }

// enter tells whether the caller is inside. What was written before open may then be read.
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

// leave tells whether the caller was the last one inside a gate that has been shut.
func (g *gate) leave() bool { return g.state.Add(-1)&(gateOpen|0xffffffff) == 0 }

// shut closes the gate and tells whether somebody is still inside. Shutting it again tells false.
func (g *gate) shut() bool {
	before := g.state.And(^gateOpen)
	return before&gateOpen != 0 && before&0xffffffff != 0
}
