package backend

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The kinds of errors, for errors.Is. The concrete types in this file carry the details, for errors.As.
var (
	ErrUnavailable = errors.New("backend unavailable")   // a library or a device is missing: UnavailableError
	ErrOutOfMemory = errors.New("out of device memory")  // OutOfMemoryError
	ErrDeviceLost  = errors.New("device lost")           // the device no longer responds; only Close works
	ErrUnsupported = errors.New("unsupported operation") // the device's Caps exclude it: UnsupportedError
	ErrClosed      = errors.New("closed")                // ClosedError
	ErrInvalid     = errors.New("invalid argument")      // ArgumentError, NameError
	ErrCapture     = errors.New("wrong capture state")   // CaptureError
	ErrKernel      = errors.New("kernel failed")         // KernelError
	ErrLeak        = errors.New("leaked resources")      // LeakError
)

// UnavailableError says why a backend or a device cannot be opened.
type UnavailableError struct {
	Name   string // backend or device, e.g. "cuda" or "cuda:1"
	Reason string
	Err    error // the cause, nil if there is none
}

func (e *UnavailableError) Error() string {
	text := e.Name + " is unavailable: " + e.Reason
	if e.Err != nil {
		text += ": " + strings.ReplaceAll(e.Err.Error(), "\n", "; ") // errors.Join separates by line breaks
	}
	return text
}

// Is matches ErrUnavailable.
func (e *UnavailableError) Is(target error) bool { return target == ErrUnavailable }

func (e *UnavailableError) Unwrap() error { return e.Err }

// OutOfMemoryError reports an allocation that does not fit.
type OutOfMemoryError struct {
	Device string
	Bytes  int64 // requested
	Limit  int64 // available at that moment
}

func (e *OutOfMemoryError) Error() string {
	return fmt.Sprintf("%s: out of memory: %d bytes requested, at most %d bytes available", e.Device, e.Bytes, e.Limit)
}

// Is matches ErrOutOfMemory.
func (e *OutOfMemoryError) Is(target error) bool { return target == ErrOutOfMemory }

// OperationError adds to an error the operation that failed.
type OperationError struct {
	Op  string // what was being done
	Err error  // why it failed
}

func (e *OperationError) Error() string { return e.Op + ": " + e.Err.Error() }

// Operation returns Op.
func (e *OperationError) Operation() string { return e.Op }

func (e *OperationError) Unwrap() error { return e.Err }

// InLaunch adds to err the launch that failed, unless err already names the kernel or a launch.
func InLaunch(kernel string, err error) error {
	var named interface{ Operation() string }
	if errors.As(err, &named) && (named.Operation() == "kernel "+kernel || named.Operation() == "launch") {
		return err
	}
	return &OperationError{Op: "launch " + kernel, Err: err}
}

// UnsupportedError reports an operation that a device does not support.
type UnsupportedError struct {
	Device string
	Op     string
	Reason string // may be empty
}

func (e *UnsupportedError) Error() string {
	text := e.Device + ": " + e.Op + " is not supported"
	if e.Reason != "" {
		text += ": " + e.Reason
	}
	return text
}

// Operation returns Op.
func (e *UnsupportedError) Operation() string { return e.Op }

// Is matches ErrUnsupported.
func (e *UnsupportedError) Is(target error) bool { return target == ErrUnsupported }

// ClosedError reports the use of an object after its Close.
type ClosedError struct {
	Op   string // what was being done
	What string // the closed object: "buffer", "stream", "event", "graph", "device" or "host buffer"
}

func (e *ClosedError) Error() string { return e.Op + ": the " + e.What + " is closed" }

// Operation returns Op.
func (e *ClosedError) Operation() string { return e.Op }

// Is matches ErrClosed.
func (e *ClosedError) Is(target error) bool { return target == ErrClosed }

// ArgumentError reports an argument that a call does not accept. It matches ErrInvalid.
type ArgumentError struct {
	Op       string // what was being done, e.g. "launch kernels/seeding.advance"
	Argument string // the argument or field
	Value    any    // what was given
	Allowed  string // what is accepted
}

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("%s: %s is %v: must be %s", e.Op, e.Argument, e.Value, e.Allowed)
}

// Operation returns Op.
func (e *ArgumentError) Operation() string { return e.Op }

// Is matches ErrInvalid.
func (e *ArgumentError) Is(target error) bool { return target == ErrInvalid }

// CaptureError reports a call that the capture state of a stream forbids, for example preparing a producer while its
// stream is being captured. The capture, if there is one, stays usable unless State is CaptureInvalidated. It matches
// ErrCapture.
type CaptureError struct {
	Op     string       // what was being done
	State  CaptureState // of the stream at the time of the call; CaptureNone where no capture is the cause
	Reason string       // why the state forbids it
}

func (e *CaptureError) Error() string {
	if e.State == CaptureNone {
		return e.Op + ": " + e.Reason
	}
	return fmt.Sprintf("%s: %s (capture state: %s)", e.Op, e.Reason, e.State)
}

// Operation returns Op.
func (e *CaptureError) Operation() string { return e.Op }

// Is matches ErrCapture.
func (e *CaptureError) Is(target error) bool { return target == ErrCapture }

// String returns the state in lower case.
func (s CaptureState) String() string {
	switch s {
	case CaptureNone:
		return "none"
	case CaptureOwn:
		return "own"
	case CaptureForeign:
		return "foreign"
	case CaptureJoined:
		return "joined"
	case CaptureInvalidated:
		return "invalidated"
	default:
		return "invalid"
	}
}

// KernelError reports a kernel that failed while it ran: an index out of range, an integer division by zero or, in
// debug mode, an error found by its instrumented twin. What the kernel wrote before the failure is undefined.
type KernelError struct {
	Kernel   string // Def.Name
	Position string // file:line of the failure, empty if unknown
	Err      error  // the cause
}

func (e *KernelError) Error() string {
	text := "kernel " + e.Kernel + ": " + e.Err.Error()
	if e.Position != "" {
		text += " (" + e.Position + ")"
	}
	return text
}

// Operation returns the launch of the kernel.
func (e *KernelError) Operation() string { return "launch " + e.Kernel }

// Is matches ErrKernel.
func (e *KernelError) Is(target error) bool { return target == ErrKernel }

func (e *KernelError) Unwrap() error { return e.Err }

// Leak is one resource that was still open when its device was closed.
type Leak struct {
	Kind  string // "buffer", "host buffer", "stream", "event", "graph"
	Bytes int64  // of memory, 0 for the other kinds
	Site  string // file:line that created it; only in debug mode
}

func (l Leak) String() string {
	text := l.Kind
	if l.Bytes > 0 {
		text += fmt.Sprintf(" of %d bytes", l.Bytes)
	}
	if l.Site != "" {
		text += " made at " + l.Site
	}
	return text
}

// LeakError lists the resources that were open when their device was closed, in the order of their creation. All of
// them have been released.
type LeakError struct {
	Device string
	Leaks  []Leak
}

// maxListedLeaks limits the length of the message; Leaks is complete.
const maxListedLeaks = 10

func (e *LeakError) Error() string {
	var text strings.Builder
	resources := "resources"
	if len(e.Leaks) == 1 {
		resources = "resource"
	}
	fmt.Fprintf(&text, "%s: closed with %d %s open: ", e.Device, len(e.Leaks), resources)
	for i, leak := range e.Leaks {
		if i == maxListedLeaks {
			fmt.Fprintf(&text, " and %d more", len(e.Leaks)-i)
			break
		}
		if i > 0 {
			text.WriteString(", ")
		}
		text.WriteString(leak.String())
	}
	if !slices.ContainsFunc(e.Leaks, func(l Leak) bool { return l.Site != "" }) {
		text.WriteString(" (the option Debug tells where they were made)")
	}
	return text.String()
}

// Is matches ErrLeak.
func (e *LeakError) Is(target error) bool { return target == ErrLeak }
