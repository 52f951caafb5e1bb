package exec

import (
	"context"
	"os"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
)

// LaunchContext is one device and one stream. It is the only way for library code to emit device work. A public entry
// point (For, GraphRunner.Run) builds it and passes it down as the first argument.
//
// Emitting returns no error: a context keeps the first one in a cell that it shares with the contexts derived from it,
// and ignores all later work (D10, D16). Whoever built the context returns Err.
//
// A context is used by one goroutine at a time. The nil context is legal: its Err returns an error.
type LaunchContext struct {
	device   backend.Device
	stream   backend.Stream
	caps     backend.Caps
	scopes   scopes
	launch   launchOptions
	ctx      context.Context // the public call's, which only legacy producers need
	forced   bool            // run every body and every window: prepare (R42)
	inDevice bool            // inside the body of a device conditional
	library  bool            // recording a graph that a runner owns
	legacy   bool            // the runner was told of legacy producers, or there is no runner (R53)
	arrays   *usedArrays     // the arrays recorded into the graph, nil if no runner is recording one
	test     *seam.Test      // set by a test, else nil
	probe    seam.Probe      // the stream, if it is instrumented, else nil
	lineage  *LaunchContext  // the context of the public call: this one or an ancestor

	// slot is the stage that is emitting, nil outside of stages.
	slot *StageSlot

	// nesting is the level at which lc emits, shared with the contexts derived from it. lc is valid while version is the
	// level's version. ownNesting is the level of a context that was not derived.
	nesting    *nesting
	version    uint32
	ownNesting nesting
	// rootStream is the stream on which the outermost enclosing body is open, or lc's own stream if there is none
	rootStream backend.Stream
	// open is the open body, and body the context that it receives, kept so that only the first body allocates.
	open openBody
	body *LaunchContext
	// poll is host memory through which loops read their flags; nil if no runner keeps any.
	poll *pollMemory

	failure  *errorCell
	own      errorCell
	launcher Launcher
}

// errorCell keeps the first error of a public call.
type errorCell struct{ err error }

// reset makes lc a fresh context with an empty error cell of its own.
func (lc *LaunchContext) reset(ctx context.Context, device backend.Device, caps backend.Caps, stream backend.Stream,
	options launchOptions) {
	if lc.stream != stream {
		lc.stream = stream
		lc.probe, _ = stream.(seam.Probe)
	}
	lc.device, lc.rootStream = device, stream
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
	lc.startNesting(false)
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
	d.nesting, d.version, d.rootStream = lc.nesting, lc.version, lc.rootStream
	d.slot = lc.slot
	d.failure = lc.failure
	d.launcher.def = nil
}

// For returns the launch context of one public call on a device. Its stream is the first of these that is given (R6):
// the one of OnStream or OnContext; the one of the ambient context, if that is on the same device; the one of
// DefaultStream; the stream that a foreign library is capturing, if ctx knows it (WithForeignStream); the device's
// current stream (D15). Flags come from ctx, and the error cell is empty (D16).
//
// It returns a *backend.ArgumentError for a nil ctx or device, and ErrDeviceMismatch for a stream of another device.
func For(ctx context.Context, device backend.Device, options ...Option) (*LaunchContext, error) {
	var o callOptions
	for _, option := range options {
		if option == nil {
			return nil, &backend.ArgumentError{Op: "launch context", Argument: "option", Value: nil, Allowed: "an option"}
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

// OnCurrentStream returns a launch context on the device's current stream and ignores the ambient context. It is for
// work that must be ordered with allocation, which zeroes memory on that stream.
func OnCurrentStream(device backend.Device) (*LaunchContext, error) {
	if err := CheckDevice("launch context", device); err != nil {
		return nil, err
	}
	lc := &LaunchContext{}
	lc.reset(context.Background(), device, device.Caps(), device.CurrentStream(), launchOptions{})
	return lc, nil
}

type ambientKey struct{}

// With returns a context.Context in which lc is ambient: a public call on the same device that receives it uses lc's
// stream. The setting ends with the context.Context, so there is nothing to restore. A nil ctx stays nil, and the call
// refuses it.
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

// follow makes the new context lc part of what origin belongs to: the public call (R136), the graph that a runner is
// recording (R166) and, on the same stream, the enclosing body and the capture of that graph. origin is the ambient
// context of the call, or the one given to OnContext, or nil.
func (lc *LaunchContext) follow(origin *LaunchContext) {
	if origin == nil || origin.device != lc.device {
		return
	}
	lc.lineage, lc.arrays, lc.legacy = origin.lineage, origin.arrays, origin.legacy
	if origin.stream == lc.stream && (origin.nesting.inside || origin.library) {
		lc.nesting, lc.version, lc.rootStream = origin.nesting, origin.version, origin.rootStream
		lc.inDevice, lc.library = origin.inDevice, origin.library
	}
}

// resolveStream returns the stream of a public call (R6). current reports whether it fell back to the device's current
// stream.
func resolveStream(ctx context.Context, device backend.Device, explicit, bound backend.Stream,
) (stream backend.Stream, current bool, err error) {
	if explicit != nil {
		return explicit, false, checkStream("stream", device, explicit)
	}
	if ambient := From(ctx); ambient != nil && ambient.device == device {
		if err := ambient.blocked("launch context"); err != nil {
			return nil, false, err
		}
		return ambient.stream, false, nil
	}
	if bound != nil {
		return bound, false, checkStream("default stream", device, bound)
	}
	if foreign := scopesOf(ctx).foreignStream; foreign != nil && foreign.Device() == device &&
		foreign.Capture() != backend.CaptureNone {
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

// Capturing reports whether the stream is being captured, by this library or any other. It is for diagnosis: an enqueue
// must not decide anything from it.
func (lc *LaunchContext) Capturing() bool {
	return lc != nil && lc.stream != nil && lc.stream.Capture() != backend.CaptureNone
}

// Err returns the first error; all work after it was ignored.
func (lc *LaunchContext) Err() error {
	if lc == nil || lc.failure == nil {
		return &backend.ArgumentError{Op: "launch context", Argument: "context", Value: nil,
			Allowed: "one made by exec.For or a GraphRunner"}
	}
	return lc.failure.err
}

// Fail records err if it is the first error; a nil err is ignored. Inside a stage, the error names the stage.
func (lc *LaunchContext) Fail(err error) {
	if lc == nil || lc.failure == nil || lc.failure.err != nil || err == nil {
		return
	}
	if lc.slot != nil {
		err = withLocation(WorkError{Stage: lc.slot.id}, err)
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

// Sync helps debugging: with TRACKGEN_DEBUG_SYNC=1 it waits until the stream has run everything, so that an error shows
// up at the launch that caused it. Otherwise, or while the stream is being captured, it does nothing.
func (lc *LaunchContext) Sync() {
	if os.Getenv(DebugSyncVariable) != "1" || seam.DebugSyncSuppressed() || !lc.accepts("debug sync") || lc.Capturing() {
		return
	}
	if err := lc.stream.Sync(); err != nil {
		lc.Fail(Doing("debug sync", err))
	}
}

// accepts reports whether lc takes work, and records why if it does not.
func (lc *LaunchContext) accepts(op string) bool {
	if lc == nil || lc.failure == nil || lc.failure.err != nil {
		return false
	}
	err := lc.blocked(op)
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

// emission returns everything that decides how a conditional or a loop is lowered.
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

// enqueue runs body with lc. slot is the stage whose work it is, nil outside of stages.
func (lc *LaunchContext) enqueue(body Enqueue, slot *StageSlot) {
	if lc.probe == nil {
		body(lc)
		return
	}
	if err := lc.probe.Enter(seam.Enqueue{Lineage: lc.lineage, InStage: slot != nil,
		Host: slot.Class() == Host}); err != nil {
		lc.Fail(err)
		return
	}
	defer lc.probe.Leave()
	body(lc)
}
