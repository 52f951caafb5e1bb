package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen"
)

// Options of a World.
type Options struct {
	Version string   // of TrackGen, for the metadata of files
	Start   *Request // what the page begins with; nil: the defaults
}

const (
	// slots is the number of calls that work at a time. The CPU backend uses all cores for one.
	slots = 2
	// mostWaiting is the number of further calls that may wait. A page has one or two of each kind.
	mostWaiting = 32
)

// World answers calls with one device. Several goroutines may call it.
type World struct {
	device  trackgen.Device
	options Options
	slots   chan struct{}
	waiting atomic.Int32
	pace    pace

	closing sync.RWMutex // held for reading by each call
	closed  bool
}

// Emit takes the frames of an answer, in order. Its error ends the call.
type Emit func(Frame) error

// New returns a world that works on a device, which stays that of the caller and must stay open until the world is
// closed.
func New(device trackgen.Device, options Options) *World {
	return &World{device: device, options: options, slots: make(chan struct{}, slots)}
}

// Close waits for the calls that run, and refuses those that come later. A caller ends their contexts first.
func (w *World) Close() {
	w.closing.Lock()
	defer w.closing.Unlock()
	w.closed = true
}

// errClosed is the error of a call after Close.
var errClosed = errors.New("the explorer has ended")

// answers are the calls by their names.
var answers = map[string]func(w *World, ctx context.Context, r Request, file []byte, emit Emit) error{
	"tables":     (*World).tables,
	"generate":   (*World).generate,
	"statistics": (*World).statistics,
	"describe":   (*World).describe,
	"export":     (*World).export,
	"drive":      (*World).drive,
}

// Calls lists the names of calls.
func Calls() []string {
	return []string{"tables", "generate", "statistics", "describe", "export", "drive"}
}

// Call answers a call. request is the JSON of a Request, and file the bytes of the file that it names, if any. The
// error is a *Refused if the request is wrong, ErrBusy if too many calls wait, that of ctx if it ends, that of emit, or
// one of the device.
func (w *World) Call(ctx context.Context, name string, request json.RawMessage, file []byte, emit Emit) error {
	answer, ok := answers[name]
	if !ok {
		return refuse("call", fmt.Sprintf("%q", name), fmt.Sprint("one of ", Calls()))
	}
	r, err := readRequest(request)
	if err != nil {
		return err
	}
	w.closing.RLock()
	defer w.closing.RUnlock()
	if w.closed {
		return errClosed
	}
	place, err := w.slot(ctx)
	if err != nil {
		return err
	}
	defer place.leave()
	err = answer(w, ctx, r, file, place.lend(ctx, emit))
	if problems, ok := problemsOf(err, "settings"); ok {
		return &Refused{problems}
	}
	return err
}

// slot waits until the call may work.
func (w *World) slot(ctx context.Context) (*place, error) {
	if w.waiting.Add(1) > mostWaiting+slots {
		w.waiting.Add(-1)
		return nil, ErrBusy
	}
	p := &place{world: w}
	if err := p.enter(ctx); err != nil {
		p.leave()
		return nil, err
	}
	return p, nil
}

// place is that of a call among those that wait or work.
type place struct {
	world *World
	works bool // has one of the slots
}

// enter waits for a slot.
func (p *place) enter(ctx context.Context) error {
	select {
	case p.world.slots <- struct{}{}:
		p.works = true
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// pause gives the slot back, if the call has one.
func (p *place) pause() {
	if p.works {
		p.works = false
		<-p.world.slots
	}
}

// leave ends the call.
func (p *place) leave() {
	p.pause()
	p.world.waiting.Add(-1)
}

// lend returns an Emit that gives the slot to others while a frame is sent: a page that reads slowly, or not at all,
// does not keep others from working.
func (p *place) lend(ctx context.Context, emit Emit) Emit {
	return func(f Frame) error {
		p.pause()
		if err := emit(f); err != nil {
			return err
		}
		return p.enter(ctx)
	}
}
