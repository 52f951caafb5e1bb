package exec

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// ForeignMode is the mode in which a foreign library began its capture.
type ForeignMode uint8

// The modes.
const (
	ForeignGlobal      ForeignMode = iota // allocating or waiting in any thread breaks the capture
	ForeignThreadLocal                    // doing so in the capturing thread breaks it
	ForeignRelaxed                        // nothing breaks it
)

// String returns the name of the mode.
func (m ForeignMode) String() string {
	switch m {
	case ForeignGlobal:
		return "global"
	case ForeignThreadLocal:
		return "thread_local"
	case ForeignRelaxed:
		return "relaxed"
	default:
		return fmt.Sprintf("ForeignMode(%d)", uint8(m))
	}
}

// ForeignOptions describe a foreign capture to RegisterForeign.
type ForeignOptions struct {
	// Mode is the mode that the foreign library used.
	Mode ForeignMode
	// Conditional lets the library add device conditionals to the graph, which belongs to somebody else (R118i).
	Conditional bool
	// Keep receives the owners of producers that are recorded into the capture; it keeps them for as long as the graph
	// exists. Without it they are kept until End.
	Keep func(owner any)
}

// ForeignCapture is a registration of a capture that a foreign library has begun. Package interop makes them.
type ForeignCapture struct {
	stream  backend.Stream
	id      uint64 // of the capture, 0 where the backend does not say
	options ForeignOptions
	inner   bool // another registration, or the library itself, owns the capture (R118d, R118e)

	mutex  sync.Mutex
	owners []any
}

// RegisterForeign makes a foreign capture known. Recording into one needs no registration; it adds the opt-in to device
// conditionals, and keeps producers alive where the backend cannot.
//
// On a stream that is registered already, was captured through this library or only joined a capture, it registers
// nothing (R118e). A stream that the foreign library has forked into a capture counts as joined if the capture
// is registered on another stream; else, of the streams that the library knows when it first sees the capture, the one
// that it has known longest counts as the one on which the capture began. A registration is for one capture: it counts
// for nothing in the next capture of the stream, even if End is yet to come. RegisterForeign returns a *CaptureError
// if the stream is not being captured or the capture is broken.
func RegisterForeign(stream backend.Stream, options ForeignOptions) (*ForeignCapture, error) {
	const op = "register foreign capture"
	if stream == nil {
		return nil, &ArgError{Op: op, Arg: "stream", Value: nil, Allowed: "a stream that is being captured"}
	}
	if err := checkIdentity(op, "stream", stream); err != nil {
		return nil, err
	}
	if options.Mode > ForeignRelaxed {
		return nil, &ArgError{Op: op, Arg: "Mode", Value: options.Mode, Allowed: "global, thread_local or relaxed"}
	}
	c := &ForeignCapture{stream: stream, id: captureID(stream), options: options}
	switch stream.Capture() {
	case backend.CaptureNone:
		return nil, &CaptureError{Op: op, Detail: "the stream is not being captured; register inside the capture"}
	case backend.CaptureInvalidated:
		return nil, errInvalidated(op, stream)
	case backend.CaptureForeign:
		c.inner = !foreignCaptures.add(c)
	default:
		c.inner = true
	}
	return c, nil
}

// Stream returns the stream, nil for the nil ForeignCapture.
func (c *ForeignCapture) Stream() backend.Stream {
	if c == nil {
		return nil
	}
	return c.stream
}

// Registered reports whether this registration is the one in force, rather than one inside another.
func (c *ForeignCapture) Registered() bool { return c != nil && foreignCaptures.find(c.stream) == c }

// End ends the registration; the foreign capture goes on. Twice is a no-op.
func (c *ForeignCapture) End() {
	if c == nil || c.inner {
		return
	}
	foreignCaptures.remove(c)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.owners = nil
}

// keep keeps owner alive.
func (c *ForeignCapture) keep(owner any) {
	if c.options.Keep != nil {
		c.options.Keep(owner)
		return
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for _, known := range c.owners {
		if known == owner { // owners are pointers: WeakOwner
			return
		}
	}
	c.owners = append(c.owners, owner)
}

// foreignCaptures is every registration in force in this process.
var foreignCaptures foreignRegistry

// foreignRegistry holds registrations by stream.
type foreignRegistry struct {
	count    atomic.Int32 // of byStream: nearly always 0
	mutex    sync.Mutex
	byStream map[backend.Stream]*ForeignCapture
}

// captureID returns the number of the capture that a stream takes part in, 0 if it takes part in none or the backend does
// not say.
func captureID(stream backend.Stream) uint64 {
	if s, ok := stream.(backend.CaptureIdentifier); ok {
		return s.CaptureID()
	}
	return 0
}

// current reports whether the capture that was registered is the one that the stream takes part in now. A driver that does
// not say at the moment leaves the registration in force: the stream takes no work then (D18).
func (c *ForeignCapture) current() bool {
	id := captureID(c.stream)
	return id == c.id || id == 0 && c.stream.Capture() == backend.CaptureInvalidated
}

// add reports whether c is now in force; another registration of its stream, or of its capture on another stream, comes
// first.
func (r *foreignRegistry) add(c *ForeignCapture) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for stream, known := range r.byStream {
		switch {
		case !known.current():
			delete(r.byStream, stream)
		case stream == c.stream, known.id == c.id && c.id != 0:
			return false
		}
	}
	if r.byStream == nil {
		r.byStream = make(map[backend.Stream]*ForeignCapture)
	}
	r.byStream[c.stream] = c
	r.count.Store(int32(len(r.byStream)))
	return true
}

func (r *foreignRegistry) remove(c *ForeignCapture) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.byStream[c.stream] == c {
		delete(r.byStream, c.stream)
		r.count.Store(int32(len(r.byStream)))
	}
}

// find returns the registration of the capture that stream takes part in now, nil if there is none.
func (r *foreignRegistry) find(stream backend.Stream) *ForeignCapture {
	if r.count.Load() == 0 {
		return nil
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if c := r.byStream[stream]; c != nil && c.current() {
		return c
	}
	return nil
}

// conditional reports whether the foreign capture of stream may hold device conditionals.
func (r *foreignRegistry) conditional(stream backend.Stream) bool {
	c := r.find(stream)
	return c != nil && c.options.Conditional
}

// open reports whether a capture of a GLOBAL mode is known on device, so that allocating or waiting would break it (D18).
func (r *foreignRegistry) open(device backend.Device) bool {
	if r.count.Load() == 0 {
		return false
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for stream, c := range r.byStream {
		if c.options.Mode == ForeignGlobal && stream.Device() == device && stream.Capture() != backend.CaptureNone && c.current() {
			return true
		}
	}
	return false
}

// foreignOpen reports whether a foreign library is capturing in a way that waiting or allocating on device would break:
// the flag of WithForeignStream, or a registered capture in GLOBAL mode (D18).
func foreignOpen(s scopes, device backend.Device, caps *backend.Caps) bool {
	if !caps.ForeignStreams {
		return false
	}
	return s.foreignCapturing && s.foreignStream != nil && s.foreignStream.Device() == device || foreignCaptures.open(device)
}
