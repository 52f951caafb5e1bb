package exec

import (
	"context"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
)

// Segment is a part of a body that is cut at its HOST stages: either a run of stages that can be captured together, or
// one HOST stage (R75).
type Segment struct {
	// Class is Host for a segment that works on the host. Segments of the other classes can be captured.
	Class CaptureClass
	// StageID names the HOST stage, or the first stage of the segment, in messages.
	StageID string
	// Body emits the segment. For a HOST segment it runs through the StageSlot of its stage.
	Body Enqueue
}

// work is what one call runs: a body, or its segments.
type work struct {
	body     Enqueue
	segments []Segment
}

func (w *work) segmented() bool { return w.segments != nil }

// emit emits the body or all segments in order.
func (w *work) emit(lc *LaunchContext) {
	if !w.segmented() {
		lc.enqueue(w.body, nil)
		return
	}
	for i := range w.segments {
		if lc.failure.err != nil {
			return
		}
		lc.enqueue(w.segments[i].Body, nil)
	}
}

// check returns an error if the work is not well formed.
func (w *work) check(op string, capturable bool) error {
	if !w.segmented() {
		if w.body == nil {
			return &backend.ArgumentError{Op: op, Argument: "body", Value: nil, Allowed: "a function"}
		}
		return nil
	}
	if len(w.segments) == 0 {
		return &backend.ArgumentError{Op: op, Argument: "segments", Value: "none", Allowed: "1 or more"}
	}
	for i := range w.segments {
		s := &w.segments[i]
		switch {
		case s.Body == nil:
			return &backend.ArgumentError{Op: op, Argument: fmt.Sprintf("segments[%d].Body", i), Value: nil,
				Allowed: "a function"}
		case s.Class > Host:
			return &backend.ArgumentError{Op: op, Argument: fmt.Sprintf("segments[%d].Class", i), Value: s.Class,
				Allowed: "static, bounded or host"}
		case s.Class == Host && capturable:
			return &backend.ArgumentError{Op: op, Argument: fmt.Sprintf("segments[%d].Class", i), Value: s.Class,
				Allowed: "static or bounded, because the runner is Capturable"}
		}
	}
	return nil
}

// RunSegments is Run for a body in segments. If it is recorded or runs eagerly, its segments run in order. Outside
// captures, on a device that replays graphs faster, a runner that is not Capturable runs the HOST segments eagerly and
// replays a graph for each other segment; a Capturable runner captures all segments as one graph (R64a). A key counts
// once, regardless of the number of its graphs.
//
// The same key must always come with the same number of segments; otherwise RunSegments returns an
// *backend.ArgumentError. The runner keeps the slice, which must not change.
func (r *GraphRunner) RunSegments(ctx context.Context, segments []Segment, options RunOptions) (*LaunchContext, error) {
	if segments == nil {
		segments = []Segment{}
	}
	return r.run(ctx, work{segments: segments}, options)
}

// PrepareSegments is Prepare for a body in segments.
func (r *GraphRunner) PrepareSegments(ctx context.Context, segments []Segment) error {
	if segments == nil {
		segments = []Segment{}
	}
	return r.prepareWork(ctx, work{segments: segments})
}

// replaySegments runs the HOST segments and replays the graphs of the others. If the graphs do not exist, it first
// captures all of them, before any work, so that a failure leaves nothing half done.
func (r *GraphRunner) replaySegments(lc *LaunchContext, w *work, known *ownGraph, key any) {
	if known == nil {
		if !r.prepared.Load() && r.prepareOn(lc, w) != nil {
			return
		}
		parts := make([]backend.Graph, len(w.segments))
		captured := &ownGraph{parts: parts}
		for i := range w.segments {
			s := &w.segments[i]
			if s.Class == Host {
				continue
			}
			graph, err := r.captureGraph(lc, &work{body: s.Body}, &captured.arrays)
			if err != nil {
				lc.Fail(s.failed("capture", i, err))
				if err := captured.close(); err != nil {
					lc.Fail(err)
				}
				return
			}
			parts[i] = graph
		}
		r.graphs.add(key, captured)
		known = captured
	}
	for i := range w.segments {
		if lc.failure.err != nil {
			return
		}
		s := &w.segments[i]
		if known.parts[i] == nil {
			lc.enqueue(s.Body, nil)
		} else if err := lc.stream.Replay(known.parts[i]); err != nil {
			lc.Fail(s.failed("replay", i, err))
		}
	}
}

// failed adds to err the segment in which it happened, and the segment's first stage unless err names a stage.
func (s *Segment) failed(op string, index int, err error) error {
	op = fmt.Sprintf("%s segment %d", op, index)
	if len(stagesOf(err)) == 0 {
		op += fmt.Sprintf(" (stage %q)", s.StageID)
	}
	return Doing(op, err)
}
