package backend

import (
	"errors"
	"fmt"
	"strings"
)

// What went wrong, for errors.Is. The concrete types of this file carry the details, for errors.As.
var (
	ErrUnavailable = errors.New("backend unavailable")   // a library or a device is missing: UnavailableError
	ErrOutOfMemory = errors.New("out of device memory")  // OutOfMemoryError
	ErrDeviceLost  = errors.New("device lost")           // the device no longer answers; only Close is left
	ErrUnsupported = errors.New("unsupported operation") // Caps of the device says so: UnsupportedError
	ErrClosed      = errors.New("closed")                // ClosedError
	ErrInvalid     = errors.New("invalid argument")      // ArgumentError, NameError
	ErrCapture     = errors.New("wrong capture state")   // CaptureError
	ErrKernel      = errors.New("kernel failed")         // KernelError
	ErrLeak        = errors.New("leaked resources")      // LeakError
)

// UnavailableError says why a backend or a device cannot be opened.
type UnavailableError struct {
	Name   string // backend or device: "cuda", "cuda:1"
	Reason string
	Err    error // the cause, may be nil
}

func (e *UnavailableError) Error() string {
	text := e.Name + " is unavailable: " + e.Reason
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Is matches ErrUnavailable.
func (e *UnavailableError) Is(target error) bool { return target == ErrUnavailable }

func (e *UnavailableError) Unwrap() error { return e.Err }

// OutOfMemoryError is an allocation that does not fit.
type OutOfMemoryError struct {
	Device string
	Bytes  int64 // asked for
	Limit  int64 // most that could be had at that moment
}

func (e *OutOfMemoryError) Error() string {
	return fmt.Sprintf("%s: out of memory: %d bytes asked for, at most %d bytes can be had", e.Device, e.Bytes, e.Limit)
}

// Is matches ErrOutOfMemory.
func (e *OutOfMemoryError) Is(target error) bool { return target == ErrOutOfMemory }

// OperationError says during which operation something failed.
type OperationError struct {
	Op  string // what was being done
	Err error  // why it failed
}

func (e *OperationError) Error() string { return e.Op + ": " + e.Err.Error() }

// Operation returns Op.
func (e *OperationError) Operation() string { return e.Op }

func (e *OperationError) Unwrap() error { return e.Err }

// InLaunch says of which launch err is, unless err names the kernel, or says of itself that it is of a launch.
func InLaunch(kernel string, err error) error {
	var named interface{ Operation() string }
	if errors.As(err, &named) && (named.Operation() == "kernel "+kernel || named.Operation() == "launch") {
		return err
	}
	return &OperationError{Op: "launch " + kernel, Err: err}
}

// UnsupportedError is an operation that a device does not have.
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

// ClosedError is the use of something after its Close.
type ClosedError struct {
	Op   string // what was being done
	What string // what is closed: "buffer", "stream", "event", "graph", "device", "host buffer"
}

func (e *ClosedError) Error() string { return e.Op + ": the " + e.What + " is closed" }

// Operation returns Op.
func (e *ClosedError) Operation() string { return e.Op }

// Is matches ErrClosed.
func (e *ClosedError) Is(target error) bool { return target == ErrClosed }

// ArgumentError names an argument, its value and what is allowed.
type ArgumentError struct {
	Op      string
	Arg     string
	Value   string
	Allowed string
}

func (e *ArgumentError) Error() string {
	return fmt.Sprintf("%s: %s is %s; allowed: %s", e.Op, e.Arg, e.Value, e.Allowed)
}

// Operation returns Op.
func (e *ArgumentError) Operation() string { return e.Op }

// Is matches ErrInvalid.
func (e *ArgumentError) Is(target error) bool { return target == ErrInvalid }

// CaptureError is a call that the capture state of a stream forbids. The capture, if there is one, stays usable unless
// State is CaptureInvalidated.
type CaptureError struct {
	Op     string
	State  CaptureState // of the stream when it was called
	Reason string
}

func (e *CaptureError) Error() string {
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

// KernelError is a kernel that failed while it ran: an index out of range, an integer division by zero or, in debug
// mode, a finding of its instrumented twin. What the kernel wrote before is undefined.
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
	Site  string // file:line that made it; only in debug mode
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

// LeakError lists what a device still held at Close, in the order in which it was made. All of it has been released.
type LeakError struct {
	Device string
	Leaks  []Leak
}

// maxListedLeaks bounds the length of the message; Leaks has them all.
const maxListedLeaks = 10

func (e *LeakError) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s: closed with %d resources open: ", e.Device, len(e.Leaks))
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
	return text.String()
}

// Is matches ErrLeak.
func (e *LeakError) Is(target error) bool { return target == ErrLeak }
