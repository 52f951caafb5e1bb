package exec

import (
	"context"
	"os"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
)

// LaunchContext is one device and one stream, and the only route by which library code emits device work. It is
// built once by a public entry point (For, GraphRunner.Run) and from there on passed as the first argument.
//
// Emitting returns no error: a context keeps the first one in a cell that it shares with the contexts derived from it,
// and ignores all later work (D10, D16). Whoever built the context returns Err.
//
// A context is used by one goroutine at a time. The nil context is legal and reports an error from Err.
type LaunchContext struct {
	device   backend.Device
	stream   backend.Stream
	caps     backend.Caps
	scopes   scopes
	launch   launchOptions
	ctx      context.Context // of the public call, for legacy producers alone
	forced   bool            // every body and every window runs: prepare (R42)
	inDevice bool            // inside the body of a device conditional
	library  bool            // records a graph that a runner owns
	legacy   bool            // of a runner that was told of legacy producers, or of no runner (R53)
	arrays   *usedArrays     // that this graph is recorded with, nil where there is none
	test     *seam.Test      // of a test, nil outside of tests
	probe    seam.Probe      // the stream, if it is instrumented, else nil
	lineage  *LaunchContext  // the context of the public call that this one stems from: itself or an ancestor

	// slot is the stage that is emitting, nil outside of stages.
	slot *StageSlot

	// place is where the context emits, together with the contexts that were derived from it, and turn is the use of the
	// place that the context belongs to. ownPlace is the place of a context that was not derived.
	place    *place
	turn     uint32
	ownPlace place
	ground   backend.Stream // on which the outermost body around is open, the context's own stream if there is none
	// open is the body that is open, and body its context, kept so that opening one allocates once.
	open openBody
	body *LaunchContext
	// poll is host memory that the flags of loops are read through; nil where no runner keeps one.
	poll *pollMemory

	failure  *errorCell
	own      errorCell
	launcher Launcher
}

// errorCell keeps the first error of a public call.
type errorCell struct{ err error }

// reset makes lc a fresh context with an empty error cell of its own.
func (lc *LaunchContext) reset(ctx context.Context, device backend.Device, caps backend.Caps, stream backend.Stream, options launchOptions) {
	if lc.stream != stream {
		lc.stream = stream
		lc.probe, _ = stream.(seam.Probe)
	}
	lc.device, lc.ground = device, stream
	lc.caps = caps
	lc.ctx = ctx
	lc.scopes = scopesOf(ctx)
	lc.test, _ = ctx.Value(seam.TestKey{}).(*seam.Test)
	lc.launch = options
	lc.forced = false
	lc.inDevice = false
	lc.library = false
	lc.legacy = true
	lc.lineage = lc
	lc.settle(false)
	lc.arrays = nil
	lc.slot = nil
	lc.own.err = nil
	lc.failure = &lc.own
	lc.launcher.def = nil
}

// derive returns a context like lc that shares its error cell.
func (lc *LaunchContext) derive() *LaunchContext {
	d := &LaunchContext{}
	lc.deriveInto(d)
	return d
}

func (lc *LaunchContext) deriveInto(d *LaunchContext) {
	d.device, d.stream, d.caps = lc.device, lc.stream, lc.caps
	d.scopes, d.launch = lc.scopes, lc.launch
	d.ctx, d.test, d.poll = lc.ctx, lc.test, lc.poll
	d.forced, d.inDevice = lc.forced, lc.inDevice
	d.library, d.legacy, d.arrays = lc.library, lc.legacy, lc.arrays
	d.probe, d.lineage = lc.probe, lc.lineage
	d.place, d.turn, d.ground = lc.place, lc.turn, lc.ground
	d.slot = lc.slot
	d.failure = lc.failure
	d.launcher.def = nil
}

// For returns the launch context of one public call on a device. Its stream is, in this order (R6): the one of
// OnStream or of OnContext; the one of the ambient context, if that is of the same device; the one of DefaultStream;
// the stream that a foreign library is capturing, if ctx knows it (WithForeignStream); the device's current stream (D15).
// Flags come from ctx, and the error cell is empty (D16).
//
// It returns an *ArgError for a nil ctx or device, and ErrDeviceMismatch for a stream of another device.
func For(ctx context.Context, device backend.Device, options ...Option) (*LaunchContext, error) {
	var o callOptions
	for _, option := range options {
		if option == nil {
			return nil, &ArgError{Op: "launch context", Arg: "option", Value: nil, Allowed: "an option"}
		}
		option.apply(&o)
	}
	if err := checkCall("launch context", ctx, device); err != nil {
		return nil, err
	}
	if err := checkLaunchOptions("launch context", o.launch); err != nil {
		return nil, err
	}
	explicit, err := o.explicitStream(device)
	if err != nil {
		return nil, err
	}
	stream, _, err := resolveStream(ctx, device, explicit, o.defaultStream)
	if err != nil {
		return nil, err
	}
	lc := &LaunchContext{}
	lc.reset(ctx, device, device.Caps(), stream, o.launch)
	lc.follow(From(ctx))
	lc.follow(o.context)
	return lc, nil
}

// OnDefault returns a launch context on the device's current stream, whatever the ambient context says. It is for
// work that must be ordered with allocation, which zeroes memory on that stream.
func OnDefault(device backend.Device) (*LaunchContext, error) {
	if err := CheckDevice("launch context", device); err != nil {
		return nil, err
	}
	lc := &LaunchContext{}
	lc.reset(context.Background(), device, device.Caps(), device.CurrentStream(), launchOptions{})
	return lc, nil
}

type ambientKey struct{}

// With returns a context.Context in which lc is ambient: a public call on the same device that is given the result uses
// lc's stream. It ends with the context.Context, so there is nothing to restore. A nil ctx stays nil, which the call
// refuses.
func With(ctx context.Context, lc *LaunchContext) context.Context {
	if ctx == nil {
		return nil
	}
	return context.WithValue(ctx, ambientKey{}, lc)
}

// From returns the ambient launch context of ctx, or nil.
func From(ctx context.Context) *LaunchContext {
	if ctx == nil {
		return nil
	}
	lc, _ := ctx.Value(ambientKey{}).(*LaunchContext)
	return lc
}

// follow makes lc, which is new, a part of what origin belongs to: the public call (R136), the graph that a runner is
// recording (R166) and, on the same stream, the body of a conditional or loop and the capture of that graph. origin is the
// ambient context of the call, that of OnContext, or nil.
func (lc *LaunchContext) follow(origin *LaunchContext) {
	if origin == nil || origin.device != lc.device {
		return
	}
	lc.lineage, lc.arrays, lc.legacy = origin.lineage, origin.arrays, origin.legacy
	if origin.stream == lc.stream && (origin.place.inside || origin.library) {
		lc.place, lc.turn, lc.ground = origin.place, origin.turn, origin.ground
		lc.inDevice, lc.library = origin.inDevice, origin.library
	}
}

// resolveStream returns the one stream that a public call uses (R6), and whether it is the current stream of the device
// for want of another.
func resolveStream(ctx context.Context, device backend.Device, explicit, bound backend.Stream) (stream backend.Stream, current bool, err error) {
	if explicit != nil {
		return explicit, false, checkStream("stream", device, explicit)
	}
	if ambient := From(ctx); ambient != nil && ambient.device == device {
		if err := ambient.obstacle("launch context"); err != nil {
			return nil, false, err
		}
		return ambient.stream, false, nil
	}
	if bound != nil {
		return bound, false, checkStream("default stream", device, bound)
	}
	if foreign := scopesOf(ctx).foreignStream; foreign != nil && foreign.Device() == device && foreign.Capture() != backend.CaptureNone {
		return foreign, false, checkStream("foreign stream", device, foreign)
	}
	return device.CurrentStream(), true, nil
}

// Device returns the device, nil for the nil context.
func (lc *LaunchContext) Device() backend.Device {
	if lc == nil {
		return nil
	}
	return lc.device
}

// Stream returns the stream, nil for the nil context.
func (lc *LaunchContext) Stream() backend.Stream {
	if lc == nil {
		return nil
	}
	return lc.stream
}

// Capturing reports whether the stream is being captured, by whomever. It is for diagnosis: code inside an
// enqueue takes no decisions from it.
func (lc *LaunchContext) Capturing() bool {
	return lc != nil && lc.stream != nil && lc.stream.Capture() != backend.CaptureNone
}

// Err returns the first error, after which all work was ignored.
func (lc *LaunchContext) Err() error {
	if lc == nil || lc.failure == nil {
		return &ArgError{Op: "launch context", Arg: "context", Value: nil, Allowed: "one made by exec.For or a GraphRunner"}
	}
	return lc.failure.err
}

// Fail records err if it is the first; a nil err is ignored. Inside a stage the error says which.
func (lc *LaunchContext) Fail(err error) {
	if lc == nil || lc.failure == nil || lc.failure.err != nil || err == nil {
		return
	}
	if lc.slot != nil {
		err = located(WorkError{Stage: lc.slot.id}, err)
	}
	lc.failure.err = err
}

// With returns a context like lc with other launch options. It shares lc's error cell.
func (lc *LaunchContext) With(options ...LaunchOption) *LaunchContext {
	if lc == nil {
		return nil
	}
	d := lc.derive()
	for _, option := range options {
		option.applyLaunch(&d.launch)
	}
	if err := checkLaunchOptions("launch context", d.launch); err != nil {
		lc.Fail(err)
	}
	return d
}

// Unconditional returns a context like lc that records no device conditional in a capture. It shares lc's
// error cell.
func (lc *LaunchContext) Unconditional() *LaunchContext {
	if lc == nil {
		return nil
	}
	d := lc.derive()
	d.scopes.unconditional = true
	return d
}

// DebugSyncVariable names the environment variable that turns Sync on when it is "1".
const DebugSyncVariable = "TRACKGEN_DEBUG_SYNC"

// Sync helps debugging: with TRACKGEN_DEBUG_SYNC=1 it blocks until the stream has run everything, so that an error shows
// up at the launch that caused it. Otherwise, and on a stream that is being captured, it does nothing.
func (lc *LaunchContext) Sync() {
	if os.Getenv(DebugSyncVariable) != "1" || seam.DebugSyncSuppressed() || !lc.admit("debug sync") || lc.Capturing() {
		return
	}
	if err := lc.stream.Sync(); err != nil {
		lc.Fail(Doing("debug sync", err))
	}
}

// admit reports whether lc takes work now, and records why not.
func (lc *LaunchContext) admit(op string) bool {
	if lc == nil || lc.failure == nil || lc.failure.err != nil {
		return false
	}
	err := lc.obstacle(op)
	if err == nil && lc.probe != nil {
		if err = lc.probe.Uses(lc.lineage); err != nil {
			err = Doing(op, err)
		}
	}
	if err != nil {
		lc.Fail(err)
	}
	return err == nil
}

// emission returns what the lowering of a conditional or a loop depends on.
func (lc *LaunchContext) emission() emission {
	e := emission{
		capture: lc.stream.Capture(), caps: lc.caps, scopes: lc.scopes,
		forced: lc.forced, inDevice: lc.inDevice, library: lc.library,
		foreign: lc.scopes.foreignStream == lc.stream,
	}
	if lc.scopes.allowHostPoll {
		e.foreignOpen = foreignOpen(lc.scopes, lc.device, &lc.caps)
	}
	if lc.test != nil {
		e.test = lc.test.Lowering
	}
	if e.capture == backend.CaptureForeign {
		e.optedIn = foreignCaptures.conditional(lc.stream)
	}
	return e
}

// enqueue runs body with lc, as the work of a stage if slot is not nil.
func (lc *LaunchContext) enqueue(body Enqueue, slot *StageSlot) {
	if lc.probe == nil {
		body(lc)
		return
	}
	if err := lc.probe.Enter(seam.Enqueue{Lineage: lc.lineage, InStage: slot != nil, Host: slot.Class() == Host}); err != nil {
		lc.Fail(err)
		return
	}
	defer lc.probe.Leave()
	body(lc)
}
