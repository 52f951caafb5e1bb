package exec

import (
	"errors"
	"fmt"
	"strings"

	"github.com/trackgen-go/trackgen/backend"
)

// ErrCapture is backend.ErrCapture. Every error about the capture state of a stream matches it, for example
// backend.CaptureError, NotCapturableError, LegacyPluginStreamError and ErrNotPrepared.
var ErrCapture = backend.ErrCapture

// ErrDeviceMismatch matches a DeviceMismatchError.
var ErrDeviceMismatch = errors.New("device mismatch")

// ErrConcurrentUse is returned by a GraphRunner if a second call enters it while the first is running. The second call
// does no work, and the first is unaffected.
var ErrConcurrentUse = errors.New("the runner is in use by another call")

// ErrNotPrepared is returned by a keyed run that would select a graph if the runner was never prepared (R74). It
// matches ErrCapture.
var ErrNotPrepared error = &backend.CaptureError{Op: "keyed run", Reason: "the runner has not been prepared"}

// ErrClosed is backend.ErrClosed. The error of using a closed array or runner matches it.
var ErrClosed = backend.ErrClosed

// DeviceMismatchError reports an array, stream or context that belongs to another device than the one in use. It
// matches ErrDeviceMismatch.
type DeviceMismatchError struct {
	Op       string // what was being done
	Argument string // the argument
	Have     string // name of the argument's device
	Want     string // name of the device in use
}

// Error names the argument and both devices.
func (e *DeviceMismatchError) Error() string {
	if e.Have == e.Want {
		return fmt.Sprintf("%s: %s belongs to another opening of device %q", e.Op, e.Argument, e.Have)
	}
	return fmt.Sprintf("%s: %s is on device %q, want %q", e.Op, e.Argument, e.Have, e.Want)
}

// Operation returns Op.
func (e *DeviceMismatchError) Operation() string { return e.Op }

// Is matches ErrDeviceMismatch.
func (e *DeviceMismatchError) Is(target error) bool { return target == ErrDeviceMismatch }

// NotCapturableError reports a producer that cannot be recorded into a capture. The call returns it before any device
// work, so the caller's capture is untouched. Outside a capture the same producer runs. It matches ErrCapture.
type NotCapturableError struct {
	Name     string   // label of the producer
	StageIDs []string // its HOST stages, empty when unknown
	Detail   string
}

// Error names the producer and the stages that prevent its capture.
func (e *NotCapturableError) Error() string {
	var b strings.Builder
	b.WriteString(label(e.Name))
	b.WriteString(" cannot be recorded into a capture")
	if len(e.StageIDs) > 0 {
		fmt.Fprintf(&b, ": its stages %q run on the host", e.StageIDs)
	}
	if e.Detail != "" {
		b.WriteString(": ")
		b.WriteString(e.Detail)
	}
	return b.String()
}

// Is matches ErrCapture.
func (e *NotCapturableError) Is(target error) bool { return target == ErrCapture }

// LegacyPluginStreamError reports a producer that launches on the device's current stream and so cannot be recorded
// into the capture of another stream (R53). It matches ErrCapture.
type LegacyPluginStreamError struct {
	Name   string // label of the producer
	Detail string
}

// Error names the producer.
func (e *LegacyPluginStreamError) Error() string {
	text := label(e.Name) + " launches on the current stream of its device, which is not the stream being captured"
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}

// Is matches ErrCapture.
func (e *LegacyPluginStreamError) Is(target error) bool { return target == ErrCapture }

// label names a producer in a message.
func label(name string) string {
	if name == "" {
		return "the producer"
	}
	return fmt.Sprintf("producer %q", name)
}
