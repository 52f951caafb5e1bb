package interop

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// Options describe a foreign capture to Register.
type Options struct {
	// Graph keeps the producers that are recorded into the capture alive. Without it they are let go at the end
	// of the registration, except where the graph itself can keep them.
	Graph *Graph
	// Mode is the mode in which the foreign library began its capture; the zero value is the global mode (R118h).
	Mode exec.ForeignMode
	// Conditional lets device conditionals be added to the graph (R118i).
	Conditional bool
}

// Registration is a registered foreign capture.
type Registration struct{ capture *exec.ForeignCapture }

// Register makes the capture that a foreign library has open on the stream with that handle known, and returns a context
// in which calls that name no other stream go into it. The context is for the time of the registration. End that
// before the foreign library ends the capture; the capture itself goes on.
//
// On a stream that is registered already, the outer registration stays in force and the options are ignored. On a
// stream that has only joined a capture, nothing is registered: work is recorded, unconditionally (R118e).
//
// It returns backend.ErrCapture if the stream is not being captured, and the errors of StreamFor.
func Register(ctx context.Context, device backend.Device, handle uintptr, options Options) (context.Context, *Registration, error) {
	stream, err := StreamFor(device, handle)
	if err != nil {
		return nil, nil, err
	}
	return RegisterStream(ctx, stream, options)
}

// RegisterStream is Register for a stream, which may be one of this library.
func RegisterStream(ctx context.Context, stream backend.Stream, options Options) (context.Context, *Registration, error) {
	const op = "register foreign capture"
	if ctx == nil {
		return nil, nil, &exec.ArgError{Op: op, Arg: "ctx", Value: nil, Allowed: "a context.Context"}
	}
	foreign := exec.ForeignOptions{Mode: options.Mode, Conditional: options.Conditional}
	if graph := options.Graph; graph != nil {
		if err := Retain(graph); err != nil {
			return nil, nil, err
		}
		// Owners are pointers. A graph that is closed meanwhile is gone, and needs nothing.
		foreign.Keep = func(owner any) { _ = Retain(graph, owner) }
	}
	capture, err := exec.RegisterForeign(stream, foreign)
	if err != nil {
		return nil, nil, err
	}
	return exec.WithForeignStream(ctx, stream, true), &Registration{capture: capture}, nil
}

// Stream returns the registered stream, nil for the nil Registration.
func (r *Registration) Stream() backend.Stream {
	if r == nil {
		return nil
	}
	return r.capture.Stream()
}

// InForce reports whether this registration is the one that counts, rather than one inside another or of a joined stream.
func (r *Registration) InForce() bool { return r != nil && r.capture.Registered() }

// End ends the registration. Twice is a no-op.
func (r *Registration) End() {
	if r != nil {
		r.capture.End()
	}
}
