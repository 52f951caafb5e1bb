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
	// Conditional allows this library to add device conditionals to the graph, which belongs to the foreign library
	// (R118i).
	Conditional bool
	// Keep receives the owners of producers that are recorded into the capture, and must keep them as long as the graph
	// exists. If it is nil, they are kept until End.
	Keep func(owner any)
}

// ForeignCapture is the registration of a capture that a foreign library has begun. Package interop creates them.
type ForeignCapture struct {
	stream  backend.Stream
	id      uint64 // identifies the capture, 0 if the backend does not say
	options ForeignOptions
	inner   bool // another registration, or the library itself, owns the capture (R118d, R118e)

	mutex  sync.Mutex
	owners []any
}

// RegisterForeign registers a foreign capture. Recording into one needs no registration. A registration allows device
// conditionals, and keeps producers alive if the backend cannot.
//
// It registers nothing on a stream that is already registered, that this library is capturing, or that only joined a
// capture (R118e). If the foreign library forked its capture to several streams, one of them is where the capture
// began: the registered one, or else the one that this library has known longest when it first sees the capture. The
// other streams count as joined. A registration holds for one capture: it has no effect on the next capture of the
// stream, even before End. RegisterForeign returns a *backend.CaptureError if the stream is not being captured or the
// capture is broken.
func RegisterForeign(stream backend.Stream, options ForeignOptions) (*ForeignCapture, error) {
	const op = "register foreign capture"
	if stream == nil {
		return nil, &backend.ArgumentError{Op: op, Argument: "stream", Value: nil, Allowed: "a stream that is being captured"}
	}
	if err := checkIdentity(op, "stream", stream); err != nil {
		return nil, err
	}
	if options.Mode > ForeignRelaxed {
		return nil, &backend.ArgumentError{Op: op, Argument: "Mode", Value: options.Mode,
			Allowed: "global, thread_local or relaxed"}
	}
	c := &ForeignCapture{stream: stream, id: captureID(stream), options: options}
	switch stream.Capture() {
	case backend.CaptureNone:
		return nil, &backend.CaptureError{Op: op, Reason: "the stream is not being captured; register inside the capture"}
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

// Registered reports whether c is the registration in force, and not one nested inside another.
func (c *ForeignCapture) Registered() bool { return c != nil && foreignCaptures.find(c.stream) == c }

// End ends the registration; the foreign capture continues. Calling it twice does nothing.
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

// foreignCaptures holds all registrations in force in this process.
var foreignCaptures foreignRegistry

// foreignRegistry holds registrations by stream.
type foreignRegistry struct {
	count    atomic.Int32 // length of byStream, nearly always 0
	mutex    sync.Mutex
	byStream map[backend.Stream]*ForeignCapture
}

// captureID returns the ID of the capture that stream takes part in, 0 if there is none or the backend does not say.
func captureID(stream backend.Stream) uint64 {
	if s, ok := stream.(backend.CaptureIdentifier); ok {
		return s.CaptureID()
	}
	return 0
}

// current reports whether stream still takes part in the registered capture. If the driver cannot tell, the
// registration stays in force: the stream takes no work then (D18).
func (c *ForeignCapture) current() bool {
	id := captureID(c.stream)
	return id == c.id || id == 0 && c.stream.Capture() == backend.CaptureInvalidated
}

// add puts c in force unless its stream, or its capture on another stream, is already registered. It reports whether it
// did.
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

// find returns the registration of the capture that stream takes part in, nil if there is none.
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

// open reports whether a registered capture on device has GLOBAL mode, so that allocating or waiting would break it
// (D18). A capture that is already broken does not count: nothing can break it again, and a driver does not say which
// capture it is. It may be a later one of the stream, for which the registration counts for nothing (R118f).
func (r *foreignRegistry) open(device backend.Device) bool {
	if r.count.Load() == 0 {
		return false
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for stream, c := range r.byStream {
		if c.options.Mode != ForeignGlobal || stream.Device() != device {
			continue
		}
		if state := stream.Capture(); state != backend.CaptureNone && state != backend.CaptureInvalidated && c.current() {
			return true
		}
	}
	return false
}

// foreignOpen reports whether a foreign library is capturing in such a way that waiting or allocating on device would
// break the capture: WithForeignStream says so, or a capture is registered in GLOBAL mode (D18).
func foreignOpen(s scopes, device backend.Device, caps *backend.Caps) bool {
	if !caps.ForeignStreams {
		return false
	}
	return s.foreignCapturing && s.foreignStream != nil && s.foreignStream.Device() == device ||
		foreignCaptures.open(device)
}
