package exec

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// Enqueue emits the work of a producer through lc, which is valid until the function returns. It must not decide
// anything from data or from the capture state. It reports errors through lc.Fail.
type Enqueue = func(lc *LaunchContext)

// DefaultMaxKeyedGraphs is the default limit of keyed graphs per runner (R70).
const DefaultMaxKeyedGraphs = 16

// RunnerOptions describe the producer of a GraphRunner.
type RunnerOptions struct {
	// Capturable says that the body obeys the capture contract. Otherwise it runs eagerly outside captures and is refused
	// inside.
	Capturable bool
	// Legacy says that the body contains a LegacyProducer, which launches on the device's current stream (R53).
	Legacy bool
	// DefaultStream is used if neither the call nor an ambient context names a stream (R6). Nil means the device's current
	// stream at the time of each call.
	DefaultStream backend.Stream
	// Owner is kept reachable by every capture into which the producer is recorded. Create it with WeakOwner. The body
	// must not refer to it strongly.
	Owner Owner
	// Name identifies the producer in errors and warnings.
	Name string
	// StageIDs are the HOST stages that a NotCapturableError names.
	StageIDs []string
	// MaxKeyedGraphs limits the number of keyed graphs; 0 means DefaultMaxKeyedGraphs.
	MaxKeyedGraphs int
	// Warn receives warnings; nil is LogWarning.
	Warn WarnFunc
}

// RunOptions are the options of one Run.
type RunOptions struct {
	// Stream is the stream of the call; nil resolves one (R6).
	Stream backend.Stream
	// Policy is Auto or Eager.
	Policy Policy
	// Sync makes the host wait for the stream after the work, unless the work is being recorded (R72).
	Sync bool
	// Key selects the body: equal keys mean identical launches on identical buffers. Nil is the default body.
	Key any
}

// check returns a *backend.ArgumentError for a bad option.
func (o *RunOptions) check(op string) error {
	if o.Policy > Eager {
		return &backend.ArgumentError{Op: op, Argument: "Policy", Value: o.Policy, Allowed: "auto or eager"}
	}
	return checkKey(op, o.Key)
}

// GraphRunner runs the body of one producer in the mode that fits the call: into the caller's capture, directly, or as
// a replay of a graph that the runner owns (R64).
//
// One goroutine at a time uses a runner, because a producer has one set of outputs; a second concurrent call gets
// ErrConcurrentUse. Different runners are independent. The accessors are safe for concurrent use.
type GraphRunner struct {
	device  backend.Device
	caps    backend.Caps
	options RunnerOptions

	busy     atomic.Bool
	prepared atomic.Bool
	warned   bool // R70: one warning per runner

	legacyPending atomic.Bool // the producer is legacy and has not yet captured its graph (R78)

	graphs        graphCache
	captureStream backend.Stream // private, so that producers do not interfere (R67)

	current backend.Stream // the device's current stream as this call read it, nil before it reads it (D15)

	call    LaunchContext // context of the current or last Run or Prepare
	capture LaunchContext // context on captureStream
	poll    pollMemory    // through which loops of call read their flags
}

// NewGraphRunner returns a runner for one producer on device.
//
// It returns a *backend.ArgumentError for a nil device or a negative limit, and ErrDeviceMismatch for a default stream
// of another device.
func NewGraphRunner(device backend.Device, options RunnerOptions) (*GraphRunner, error) {
	const op = "new graph runner"
	if err := CheckDevice(op, device); err != nil {
		return nil, err
	}
	if options.MaxKeyedGraphs < 0 {
		return nil, &backend.ArgumentError{Op: op, Argument: "MaxKeyedGraphs", Value: options.MaxKeyedGraphs,
			Allowed: fmt.Sprintf("a positive number, or 0 for %d", DefaultMaxKeyedGraphs)}
	}
	if options.MaxKeyedGraphs == 0 {
		options.MaxKeyedGraphs = DefaultMaxKeyedGraphs
	}
	if options.DefaultStream != nil {
		if err := checkStream("DefaultStream", device, options.DefaultStream); err != nil {
			return nil, err
		}
	}
	if options.Warn == nil {
		options.Warn = LogWarning
	}
	options.StageIDs = append([]string(nil), options.StageIDs...)
	r := &GraphRunner{device: device, caps: device.Caps(), options: options}
	r.call.poll = &r.poll
	if options.Legacy && options.Capturable && r.caps.OwnGraphs {
		r.legacyPending.Store(true)
		legacyCalls.add(device, 1)
	}
	return r, nil
}

// Device returns the device.
func (r *GraphRunner) Device() backend.Device { return r.device }

// Capturable reports whether the producer can be captured.
func (r *GraphRunner) Capturable() bool { return r.options.Capturable }

// DefaultStream returns the stream of the options, which may be nil.
func (r *GraphRunner) DefaultStream() backend.Stream { return r.options.DefaultStream }

// Name returns the label of the options.
func (r *GraphRunner) Name() string { return r.options.Name }

// Prepared reports whether Prepare has completed.
func (r *GraphRunner) Prepared() bool { return r.prepared.Load() }

// Graph returns the runner's graph of the default body. It is nil before the run that captures it, and always nil on
// the CPU and if the producer is not capturable. The runner owns the graph.
func (r *GraphRunner) Graph() backend.Graph { return r.GraphFor(nil) }

// GraphFor returns the runner's graph of the whole body for key, nil if there is none, for example if the body is
// segmented. The runner owns the graph.
func (r *GraphRunner) GraphFor(key any) backend.Graph {
	if known := r.known(key); known != nil {
		return known.whole
	}
	return nil
}

// SegmentGraphsFor returns the runner's graphs of a segmented body for key, one per segment in order, with nil for HOST
// segments. It returns nil if there are none. The runner owns the graphs.
func (r *GraphRunner) SegmentGraphsFor(key any) []backend.Graph {
	if known := r.known(key); known != nil {
		return append([]backend.Graph(nil), known.parts...)
	}
	return nil
}

// known returns the graphs that were captured for key, nil if there are none.
func (r *GraphRunner) known(key any) *ownGraph {
	if checkKey("graph", key) != nil {
		return nil
	}
	graph, _ := r.graphs.lookup(key)
	return graph
}

// GraphKeys returns the keys of all graphs in the order in which they were captured; nil stands for the default body.
func (r *GraphRunner) GraphKeys() []any { return r.graphs.list() }

// Context returns the launch context of a call with this explicit stream, which may be nil.
func (r *GraphRunner) Context(ctx context.Context, stream backend.Stream) (*LaunchContext, error) {
	if err := r.checkRunner("launch context"); err != nil {
		return nil, err
	}
	return For(ctx, r.device, OnStream(stream), DefaultStream(r.options.DefaultStream))
}

// EnsureNotCapturing calls the function EnsureNotCapturing with the device, name and default stream of the runner.
func (r *GraphRunner) EnsureNotCapturing(ctx context.Context) (*LaunchContext, error) {
	if err := r.checkRunner("construct"); err != nil {
		return nil, err
	}
	return EnsureNotCapturing(ctx, r.device, r.options.Name, r.options.DefaultStream)
}

// EnsureNotCapturing returns the context of a call. It returns ErrCapture if the call's stream, the producer's default
// stream (which may be nil) or the device's current stream is being captured, or if a foreign library is capturing
// (R59). A producer calls it before its first allocation. name identifies the producer in errors.
func EnsureNotCapturing(ctx context.Context, device backend.Device, name string,
	defaultStream backend.Stream) (*LaunchContext, error) {
	lc, err := For(ctx, device, DefaultStream(defaultStream))
	if err != nil {
		return nil, InProducer(name, err)
	}
	if err := ensureNotCapturing(lc, "construct", defaultStream, device.CurrentStream()); err != nil {
		return nil, InProducer(name, err)
	}
	return lc, nil
}

// ensureNotCapturing returns an error while a capture is open that allocating or waiting would break.
func ensureNotCapturing(lc *LaunchContext, op string, defaultStream, current backend.Stream) error {
	if err := RefuseCapture(lc.stream, op,
		"the stream of the call is being captured; do it outside the capture"); err != nil {
		return err
	}
	if defaultStream != nil {
		if err := RefuseCapture(defaultStream, op,
			"the default stream of the producer is being captured; do it outside the capture"); err != nil {
			return err
		}
	}
	if err := RefuseCapture(current, op,
		"the current stream of the device is being captured; do it outside the capture"); err != nil {
		return err
	}
	if foreignOpen(lc.scopes, lc.device, &lc.caps) {
		return &backend.CaptureError{Op: op,
			Reason: "a foreign library is capturing, and allocating or waiting would break its capture; do it outside the " +
				"capture"}
	}
	return nil
}

// Prepare executes body once, with no capture open, and waits for it. This loads everything that a later recording
// needs, runs every conditional body and every window of every bounded loop, and leaves a usable result. It returns
// ErrCapture if a capture is open (R59).
func (r *GraphRunner) Prepare(ctx context.Context, body Enqueue) error {
	return r.prepareWork(ctx, work{body: body})
}

func (r *GraphRunner) prepareWork(ctx context.Context, w work) error {
	const op = "prepare"
	if err := r.enter(op, ctx, &w); err != nil {
		return err
	}
	defer r.busy.Store(false)
	stream, err := r.resolve(ctx, nil)
	if err != nil {
		return r.named(err)
	}
	lock, err := r.acquireSerial(ctx, op, stream)
	if err != nil {
		return r.named(err)
	}
	if lock != nil {
		defer lock.release()
	}
	if err := r.beginCall(ctx, op, stream); err != nil {
		return r.named(err)
	}
	return r.named(r.prepareOn(&r.call, &w))
}

// resolve returns the stream of one call (R6).
func (r *GraphRunner) resolve(ctx context.Context, explicit backend.Stream) (backend.Stream, error) {
	r.current = nil
	stream, current, err := resolveStream(ctx, r.device, explicit, r.options.DefaultStream)
	if current {
		r.current = stream
	}
	return stream, err
}

// currentStream returns the device's current stream, which a call reads at most once.
func (r *GraphRunner) currentStream() backend.Stream {
	if r.current == nil {
		r.current = r.device.CurrentStream()
	}
	return r.current
}

// beginCall resets the context for one call. It fails while a body is open on the stream that the call is not part of.
// It also fails while a body is open on the context of the last call, because resetting it would take that body's
// context away (D17).
func (r *GraphRunner) beginCall(ctx context.Context, op string, stream backend.Stream) error {
	if r.call.hasBodyOpen() {
		err := errBodyOpen(op)
		r.call.reportIntruder(err)
		return err
	}
	r.call.reset(ctx, r.device, r.caps, stream, launchOptions{})
	r.call.follow(From(ctx))
	r.call.legacy = r.options.Legacy
	return r.call.blocked(op)
}

// prepareOn runs the work on lc and waits for it.
func (r *GraphRunner) prepareOn(lc *LaunchContext, w *work) error {
	const op = "prepare"
	if err := ensureNotCapturing(lc, op, r.options.DefaultStream, r.currentStream()); err != nil {
		lc.Fail(err)
		return err
	}
	if err := r.waitForCurrent(lc.stream); err != nil {
		lc.Fail(Doing(op, err))
		return lc.Err()
	}
	lc.forced = true
	w.emit(lc)
	lc.forced = false
	if err := lc.Err(); err != nil {
		return err
	}
	if err := lc.stream.Sync(); err != nil {
		lc.Fail(Doing(op, err))
		return lc.Err()
	}
	r.prepared.Store(true)
	return nil
}

// waitForCurrent orders stream after the current stream, on which the buffers were allocated and zeroed.
func (r *GraphRunner) waitForCurrent(stream backend.Stream) (err error) {
	current := r.currentStream()
	if current == stream {
		return nil
	}
	event, err := r.device.NewEvent()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, event.Close()) }()
	if err := current.Record(event); err != nil {
		return err
	}
	return stream.Wait(event)
}

// Run executes body in the mode that fits (R64). It returns the call's context, so that the caller can order later work
// after it, and the first error, which names the producer. The context belongs to the runner and is valid until its
// next call.
//
// Outside captures, on a device that replays graphs faster, the first run of the default body captures a graph and
// later runs replay it. If the runner is not prepared, that first run executes body twice: once directly and once as
// the graph (R73). A keyed run needs a prepared runner and otherwise returns ErrNotPrepared (R74).
//
// Run refuses before any device work, with NotCapturableError, ErrNotPrepared, ErrConcurrentUse, ErrDeviceMismatch, an
// *backend.ArgumentError for a bad option, or ErrClosed if a graph works on a closed array. An eager run on the CPU
// allocates nothing.
func (r *GraphRunner) Run(ctx context.Context, body Enqueue, options RunOptions) (*LaunchContext, error) {
	return r.run(ctx, work{body: body}, options)
}

func (r *GraphRunner) run(ctx context.Context, w work, options RunOptions) (*LaunchContext, error) {
	const op = "run"
	if err := r.enter(op, ctx, &w); err != nil {
		return nil, err
	}
	defer r.busy.Store(false)
	if err := options.check(op); err != nil {
		return nil, r.named(err)
	}
	stream, err := r.resolve(ctx, options.Stream)
	if err != nil {
		return nil, r.named(err)
	}
	lock, err := r.acquireSerial(ctx, op, stream)
	if err != nil {
		return nil, r.named(err)
	}
	if lock != nil {
		defer lock.release()
	}
	known, keyed := r.graphs.lookup(options.Key)
	foreign := foreignOpen(scopesOf(ctx), r.device, &r.caps)
	if err := r.beginCall(ctx, op, stream); err != nil {
		return nil, r.named(err)
	}
	lc := &r.call
	s := r.situation(stream)
	s.onCurrent = r.options.Legacy && r.currentStream() == stream
	s.segmented, s.inBody = w.segmented(), lc.inDevice
	s.policy, s.keyed = options.Policy, options.Key != nil
	s.known, s.full = known != nil, keyed >= r.options.MaxKeyedGraphs
	s.prepared, s.foreignOpen = r.prepared.Load(), foreign
	switch how := decide(s); how {
	case modeRecord:
		r.record(lc, &w)
		return lc, r.named(lc.Err())
	case modeEager:
		w.emit(lc)
	case modeEagerAtLimit:
		r.warnAtLimit()
		w.emit(lc)
	case modeOwnGraph, modeSegmented:
		if err := known.check(op, how == modeSegmented, len(w.segments)); err != nil {
			return nil, r.named(err)
		}
		if how == modeSegmented {
			r.replaySegments(lc, &w, known, options.Key)
		} else {
			r.replay(lc, &w, known, options.Key)
		}
	default:
		return nil, r.named(r.refusal(op, how, stream))
	}
	if options.Sync && !foreign && !lc.inDevice && lc.Err() == nil { // R72
		if err := stream.Sync(); err != nil {
			lc.Fail(Doing(op, err))
		}
	}
	return lc, r.named(lc.Err())
}

// warnAtLimit issues the warning of R70, once per runner.
func (r *GraphRunner) warnAtLimit() {
	if r.warned {
		return
	}
	r.warned = true
	r.options.Warn(KeyedGraphLimitWarning{Name: r.options.Name, Limit: r.options.MaxKeyedGraphs})
}

// named adds the producer's name to err unless err already has it.
func (r *GraphRunner) named(err error) error { return InProducer(r.options.Name, err) }

// situation returns the part of the situation that the runner and the stream determine.
func (r *GraphRunner) situation(stream backend.Stream) situation {
	return situation{
		capture:    stream.Capture(),
		caps:       r.caps,
		capturable: r.options.Capturable,
		legacy:     r.options.Legacy,
	}
}

// CheckRecord returns the error with which Run would refuse to record into the capture of lc's stream before any
// launch, and nil if Run would run. It is for callers that emit work of their own before Run.
func (r *GraphRunner) CheckRecord(lc *LaunchContext) error {
	const op = "run"
	if err := r.checkRunner(op); err != nil {
		return err
	}
	if err := lc.Err(); err != nil {
		return err
	}
	if lc.device != r.device {
		return mismatch(op, "context", lc.device, r.device)
	}
	if err := lc.blocked(op); err != nil {
		return r.named(err)
	}
	if lc.stream.Capture() == backend.CaptureNone {
		return nil
	}
	s := r.situation(lc.stream)
	s.onCurrent = r.options.Legacy && r.device.CurrentStream() == lc.stream
	how := decide(s)
	if how == modeRecord {
		return nil
	}
	return r.named(r.refusal(op, how, lc.stream))
}

// Close releases the runner's graphs. Callers' graphs into which the producer was recorded stay valid (R166). Later
// calls return ErrClosed; closing twice does nothing.
func (r *GraphRunner) Close() error {
	if r == nil {
		return nil
	}
	if !r.busy.CompareAndSwap(false, true) {
		return r.named(Doing("close", ErrConcurrentUse))
	}
	defer r.busy.Store(false)
	r.endLegacyPending()
	err := errors.Join(r.graphs.close(), r.poll.close())
	if r.captureStream != nil {
		err = errors.Join(err, r.captureStream.Close())
		r.captureStream = nil
	}
	return r.named(Doing("close", err))
}

// checkRunner returns a *backend.ArgumentError if r is nil or zero.
func (r *GraphRunner) checkRunner(op string) error {
	if r == nil || r.device == nil {
		return &backend.ArgumentError{Op: op, Argument: "runner", Value: nil, Allowed: "one made by NewGraphRunner"}
	}
	return nil
}

// enter reserves the runner for one call.
func (r *GraphRunner) enter(op string, ctx context.Context, w *work) error {
	if err := r.checkRunner(op); err != nil {
		return err
	}
	if ctx == nil {
		return r.named(errNilContext(op))
	}
	if err := w.check(op, r.options.Capturable); err != nil {
		return r.named(err)
	}
	if err := ctx.Err(); err != nil {
		return r.named(Doing(op, err))
	}
	if !r.busy.CompareAndSwap(false, true) {
		return r.named(Doing(op, ErrConcurrentUse))
	}
	if r.graphs.isClosed() {
		r.busy.Store(false)
		return r.named(&backend.ClosedError{Op: op, What: "runner"})
	}
	return nil
}

// record runs the work into the caller's capture, which keeps the owner from then on (R65).
func (r *GraphRunner) record(lc *LaunchContext, w *work) {
	if owner := r.options.Owner.value(); owner != nil {
		if r.caps.GraphRetain {
			if err := lc.stream.Anchor(owner); err != nil {
				lc.Fail(Doing("anchor the owner", err))
				return
			}
		}
		if foreign := foreignCaptures.find(lc.stream); foreign != nil {
			foreign.keep(owner)
		}
	}
	w.emit(lc)
}

// replay runs the graph for key, and captures it first if it does not exist (R67).
func (r *GraphRunner) replay(lc *LaunchContext, w *work, known *ownGraph, key any) {
	if known == nil {
		if !r.prepared.Load() && r.prepareOn(lc, w) != nil {
			return
		}
		captured := &ownGraph{}
		var err error
		if captured.whole, err = r.captureGraph(lc, w, &captured.arrays); err != nil {
			lc.Fail(Doing("capture", err))
			return
		}
		known = captured
		r.graphs.add(key, known)
		r.endLegacyPending()
	}
	if lc.failure.err != nil {
		return // an error from a context that the body kept from its prepare
	}
	if err := lc.stream.Replay(known.whole); err != nil {
		lc.Fail(Doing("replay", err))
	}
}

// check returns an error if the call cannot use the graphs of its key, which may not exist yet: it has another form
// (segments or a whole body) than they have (R68), or an array that they use is closed.
func (g *ownGraph) check(op string, segmented bool, segments int) error {
	if g == nil {
		return nil
	}
	if segmented == (g.parts != nil) && (!segmented || len(g.parts) == segments) {
		if g.hasClosedArray() {
			return &backend.ClosedError{Op: op, What: "array that the producer's graph works on"}
		}
		return nil
	}
	allowed := "a whole body, as was captured for this key"
	if g.parts != nil {
		allowed = fmt.Sprintf("the %d segments that were captured for this key", len(g.parts))
	}
	have := any("a whole body")
	if segmented {
		have = fmt.Sprintf("%d segments", segments)
	}
	return &backend.ArgumentError{Op: op, Argument: "body", Value: have, Allowed: allowed}
}

// captureGraph records the work of a call on the private stream and adds the recorded arrays to arrays. A legacy
// producer is recorded on the current stream, the only one on which it launches; the caller holds the lock of R78.
func (r *GraphRunner) captureGraph(call *LaunchContext, w *work, arrays *usedArrays) (graph backend.Graph, err error) {
	if !r.options.Legacy && r.captureStream == nil {
		if r.captureStream, err = r.device.NewStream(); err != nil {
			return nil, err
		}
	}
	stream := r.captureStream
	if r.options.Legacy {
		stream = r.currentStream()
	}
	if err := stream.BeginCapture(); err != nil {
		return nil, err
	}
	lc := &r.capture
	lc.reset(call.ctx, r.device, r.caps, stream, launchOptions{})
	lc.library, lc.legacy, lc.lineage, lc.arrays = true, call.legacy, call.lineage, arrays
	// The capture ends even if the body panics, so that the stream stays usable.
	returned := false
	defer func() {
		lc.endNesting()
		ended, endErr := stream.EndCapture()
		if endErr != nil {
			err = errors.Join(lc.Err(), endErr)
			if stream == r.captureStream {
				r.captureStream = nil
				err = errors.Join(err, stream.Close())
			}
			return
		}
		if err = lc.Err(); err != nil || !returned {
			err = errors.Join(err, ended.Close())
			return
		}
		graph = ended
	}()
	w.emit(lc)
	returned = true
	return nil, nil
}

// refusal returns the error for a mode in which a call is refused.
func (r *GraphRunner) refusal(op string, how mode, stream backend.Stream) error {
	switch how {
	case refuseInvalidated:
		return errInvalidated(op, stream)
	case refuseNotCapturable:
		return &NotCapturableError{Name: r.options.Name, StageIDs: r.options.StageIDs}
	case refuseLegacyStream:
		return &LegacyPluginStreamError{Name: r.options.Name}
	case refuseNotPrepared:
		return ErrNotPrepared
	default:
		return fmt.Errorf("%s: there is no way to run it (mode %d)", op, how)
	}
}
