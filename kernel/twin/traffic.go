package twin

import "github.com/trackgen-go/trackgen/kernel"

// traffic counts what a launch has to move of one buffer: an element is read if it is read before it is written, and is
// written once, however often.
type traffic struct {
	work  *kernel.Work
	bytes int64 // of an element
	known []uint8
}

// Bits of an element: it is already counted as read or written.
const (
	knownRead uint8 = 1 << iota
	knownWritten
)

// newTraffic returns nil for a run whose work nobody wants to know.
func newTraffic[T kernel.Element](r *Run, n int) *traffic {
	if r.work == nil {
		return nil
	}
	return &traffic{work: r.work, bytes: kernel.TypeOf[T]().Size(), known: make([]uint8, n)}
}

func (t *traffic) touch(op operation, i int32) {
	known := &t.known[i]
	if op != opWrite && *known == 0 { // an atomic reads too
		t.work.BytesRead += t.bytes
		*known |= knownRead
	}
	if op != opRead && *known&knownWritten == 0 {
		t.work.BytesWritten += t.bytes
		*known |= knownWritten
	}
}
