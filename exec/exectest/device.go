package exectest

import (
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
	"github.com/trackgen-go/trackgen/internal/goroutine"
	"github.com/trackgen-go/trackgen/kernel"
)

// Device is an instrumented device: it forwards to the underlying device and shows each call to the guards that are
// active on the calling goroutine (D19).
type Device struct {
	backend.Device
	watch *watch
}

// watch is the state that the parts of an instrumented device share.
type watch struct {
	active atomic.Int32 // number of guards and recorders; at 0 all instruments are inert

	mutex    sync.Mutex
	guards   map[uint64][]*Guard                    // by goroutine, outermost first
	recorder *recorder                              // used by the stage checks, else nil
	streams  map[backend.Stream]*instrumentedStream // by underlying stream
}

// Instrument returns an instrumented device on top of device, or device itself if it is instrumented already. Package
// exec treats the result as another device: arrays created on device before do not belong to it.
func Instrument(device backend.Device) *Device {
	if d, ok := device.(*Device); ok {
		return d
	}
	return &Device{Device: device, watch: &watch{
		guards:  map[uint64][]*Guard{},
		streams: map[backend.Stream]*instrumentedStream{},
	}}
}

// enter makes a guard active on this goroutine until leave is called.
func (w *watch) enter(g *Guard) (leave func()) {
	id := goroutine.ID()
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.guards[id] = append(w.guards[id], g)
	w.active.Add(1)
	return func() {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		list := w.guards[id]
		for i := len(list) - 1; i >= 0; i-- {
			if list[i] == g {
				list = append(list[:i:i], list[i+1:]...)
				break
			}
		}
		if len(list) == 0 {
			delete(w.guards, id)
		} else {
			w.guards[id] = list
		}
		w.active.Add(-1)
	}
}

// here returns the guards of this goroutine.
func (w *watch) here() []*Guard {
	if w.active.Load() == 0 {
		return nil
	}
	id := goroutine.ID()
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]*Guard(nil), w.guards[id]...)
}

// everywhere returns the guards of all goroutines: guards watch allocations per device (D19).
func (w *watch) everywhere() []*Guard {
	if w.active.Load() == 0 {
		return nil
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	seen := map[*Guard]bool{}
	var all []*Guard
	for _, list := range w.guards {
		for _, g := range list {
			if !seen[g] {
				seen[g] = true
				all = append(all, g)
			}
		}
	}
	return all
}

// allocates shows an allocation to the guards; an error refuses it.
func (w *watch) allocates(api string) ([]*Guard, error) {
	guards := w.everywhere()
	for _, g := range guards {
		if err := g.observe(Allocation, api, ""); err != nil {
			return nil, err
		}
	}
	return guards, nil
}

// Alloc counts as an allocation.
func (d *Device) Alloc(bytes int64) (backend.Buffer, error) {
	guards, err := d.watch.allocates("Device.Alloc")
	if err != nil {
		return nil, err
	}
	buffer, err := d.Device.Alloc(bytes)
	if err == nil {
		for _, g := range guards {
			g.keep(buffer)
		}
	}
	return buffer, err
}

// AllocHost counts as an allocation.
func (d *Device) AllocHost(bytes int64) (backend.HostBuffer, error) {
	if _, err := d.watch.allocates("Device.AllocHost"); err != nil {
		return nil, err
	}
	return d.Device.AllocHost(bytes)
}

// Load counts as an allocation: it creates modules or pipelines.
func (d *Device) Load(defs ...*kernel.Def) error {
	if _, err := d.watch.allocates("Device.Load"); err != nil {
		return err
	}
	return d.Device.Load(defs...)
}

// NewStream counts as an allocation.
func (d *Device) NewStream() (backend.Stream, error) {
	if _, err := d.watch.allocates("Device.NewStream"); err != nil {
		return nil, err
	}
	inner, err := d.Device.NewStream()
	if err != nil {
		return nil, err
	}
	return d.wrap(inner), nil
}

// NewEvent counts as an allocation.
func (d *Device) NewEvent() (backend.Event, error) {
	if _, err := d.watch.allocates("Device.NewEvent"); err != nil {
		return nil, err
	}
	inner, err := d.Device.NewEvent()
	if err != nil {
		return nil, err
	}
	return &event{Event: inner, device: d}, nil
}

// AdoptStream returns the single instrumented stream of a handle.
func (d *Device) AdoptStream(handle uintptr) (backend.Stream, error) {
	inner, err := d.Device.AdoptStream(handle)
	if err != nil {
		return nil, err
	}
	return d.wrap(inner), nil
}

// DefaultStream is a violation inside an enqueue, which must use its context's stream (R136).
func (d *Device) DefaultStream() backend.Stream {
	d.observeStreamQuery("Device.DefaultStream")
	return d.wrap(d.Device.DefaultStream())
}

// CurrentStream is a violation inside an enqueue, like DefaultStream.
func (d *Device) CurrentStream() backend.Stream {
	d.observeStreamQuery("Device.CurrentStream")
	return d.wrap(d.Device.CurrentStream())
}

// observeStreamQuery shows the guards that the caller asks the device for a stream, unless package exec does so for a
// legacy producer. The calls have no error result, so the violation is only recorded.
func (d *Device) observeStreamQuery(api string) {
	if d.watch.active.Load() == 0 {
		return
	}
	p := callers()
	if p.servesLegacy() {
		return
	}
	d.watch.asked(api, p)
	for _, g := range d.watch.here() {
		g.observeQuestion(api, p)
	}
}

// SetCurrentStream is a violation if a package calls it directly (C18).
func (d *Device) SetCurrentStream(s backend.Stream) error {
	for _, g := range d.watch.here() {
		if err := g.observeDirect(Stream, "Device.SetCurrentStream", "the current stream is the caller's"); err != nil {
			return err
		}
	}
	if own, ok := s.(*instrumentedStream); ok {
		s = own.Stream
	}
	return d.Device.SetCurrentStream(s)
}

// wrap returns the single instrumented stream of an underlying stream.
func (d *Device) wrap(inner backend.Stream) *instrumentedStream {
	d.watch.mutex.Lock()
	defer d.watch.mutex.Unlock()
	s := d.watch.streams[inner]
	if s == nil {
		s = &instrumentedStream{Stream: inner, device: d}
		s.root = s
		d.watch.streams[inner] = s
	}
	return s
}

// event is an event of an instrumented device.
type event struct {
	backend.Event
	device *Device
}

// Sync waits on the host, which guards watch.
func (e *event) Sync() error {
	for _, g := range e.device.watch.here() {
		if err := g.observe(HostSync, "Event.Sync", ""); err != nil {
			return err
		}
	}
	return e.Event.Sync()
}

// unwrapEvent returns the event of the underlying device.
func unwrapEvent(e backend.Event) backend.Event {
	if own, ok := e.(*event); ok {
		return own.Event
	}
	return e
}

var (
	_ seam.Probe                = (*instrumentedStream)(nil)
	_ backend.CaptureIdentifier = (*instrumentedStream)(nil)
	_ backend.Peeker            = (*instrumentedStream)(nil)
	_ backend.Repeater          = (*instrumentedStream)(nil)
)
