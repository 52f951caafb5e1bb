package interop

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// Options describe a foreign capture.
type Options struct {
	// Graph keeps the producers that are recorded into the capture alive. If it is nil, they are released at the end of
	// the registration, unless the native graph can keep them.
	Graph *Graph
	// Mode is the mode in which the foreign library began its capture; the zero value is the global mode (R118h).
	Mode exec.ForeignMode
	// Conditional allows device conditionals in the graph (R118i).
	Conditional bool
}

// Registration is a registered foreign capture.
type Registration struct{ capture *exec.ForeignCapture }

// Register registers the capture that a foreign library has open on the stream with the given handle. It returns a
// context in which calls that name no other stream are recorded into that capture. The context is valid until the
// registration ends. End the registration before the foreign library ends the capture; the capture itself continues.
//
// On a stream that is registered already, the outer registration stays in force and the options are ignored. On a
// stream that only joined a capture, nothing is registered: work is recorded unconditionally (R118e).
//
// It returns backend.ErrCapture if the stream is not being captured, and the errors of StreamFor.
func Register(ctx context.Context, device backend.Device, handle uintptr,
	options Options) (context.Context, *Registration, error) {
	stream, err := StreamFor(device, handle)
	if err != nil {
		return nil, nil, err
	}
	return RegisterStream(ctx, stream, options)
}

// RegisterStream is Register for a stream, which may be one of this library.
func RegisterStream(ctx context.Context, stream backend.Stream,
	options Options) (context.Context, *Registration, error) {
	const op = "register foreign capture"
	if ctx == nil {
		return nil, nil, &backend.ArgumentError{Op: op, Argument: "ctx", Value: nil, Allowed: "a context.Context"}
	}
	foreign := exec.ForeignOptions{Mode: options.Mode, Conditional: options.Conditional}
	if graph := options.Graph; graph != nil {
		if err := Retain(graph); err != nil {
			return nil, nil, err
		}
		// Owners are pointers, so the only error is that the graph was closed meanwhile; it then needs no owners.
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

// InForce reports whether this registration is in force, and not one nested inside another or of a joined stream.
func (r *Registration) InForce() bool { return r != nil && r.capture.Registered() }

// End ends the registration. Calling it twice does nothing.
func (r *Registration) End() {
	if r != nil {
		r.capture.End()
	}
}
