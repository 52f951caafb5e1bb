package trackgen

import (
	"context"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/interop"
)

// CaptureOptions describe a capture that another library has begun.
type CaptureOptions = interop.Options

// CaptureMode is the mode in which another library began its capture, as in cudaStreamCaptureMode.
type CaptureMode = exec.ForeignMode

// The modes of captures.
const (
	CaptureGlobal      = exec.ForeignGlobal      // allocating or waiting in any thread breaks the capture
	CaptureThreadLocal = exec.ForeignThreadLocal // doing so in the capturing thread breaks it
	CaptureRelaxed     = exec.ForeignRelaxed     // nothing breaks it
)

// CaptureRegistration is a registered capture of another library. Call its method End before that library ends the
// capture.
type CaptureRegistration = interop.Registration

// ForeignGraph stands for a graph that another library owns. Objects retained on it stay reachable until its Close. The
// zero value is ready for use.
type ForeignGraph = interop.Graph

// AdoptStream returns a context for calls that are to work on a stream of another library, such as PyTorch, unless they
// name another stream. handle is the native handle of the stream (cudaStream_t). capturing says whether that library is
// capturing the stream in this thread. ReleaseStreams forgets the stream.
//
// It returns an *ArgumentError for a nil ctx or device, and ErrUnsupported on a device without foreign streams, such as
// the CPU.
func AdoptStream(ctx context.Context, device Device, handle uintptr, capturing bool) (context.Context, error) {
	return interop.Adopt(ctx, device, handle, capturing)
}

// RegisterCapture registers a capture that another library has begun on the stream with the given handle. Calls with
// the returned context are recorded into that capture. Recording into a capture needs no registration. A registration
// also permits conditionals in the graph of the other library, and provides a ForeignGraph that keeps generators alive.
// The example is a training loop that another library captures.
//
// It returns ErrCapture if the stream is not being captured, and the errors of AdoptStream.
func RegisterCapture(ctx context.Context, device Device, handle uintptr,
	options CaptureOptions) (context.Context, *CaptureRegistration, error) {
	return interop.Register(ctx, device, handle, options)
}

// Retain keeps owners, such as arrays and generators, reachable until graph is closed.
//
// It returns an *ArgumentError for a nil graph or an owner that Go cannot compare, and ErrClosed for a closed graph.
func Retain(graph *ForeignGraph, owners ...any) error { return interop.Retain(graph, owners...) }

// ReleaseStreams forgets the streams of other libraries on device. Call it before Device.Close.
func ReleaseStreams(device Device) error { return interop.Release(device) }
