package exec

import (
	"context"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/identity"
)

// checkCall checks the arguments that all public calls have in common.
func checkCall(op string, ctx context.Context, device backend.Device) error {
	if ctx == nil {
		return errNilContext(op)
	}
	return CheckDevice(op, device)
}

func errNilContext(op string) error {
	return &backend.ArgumentError{Op: op, Argument: "ctx", Value: nil, Allowed: "a context.Context"}
}

// CheckDevice returns a *backend.ArgumentError if device is nil, or if Go cannot compare it (for example a struct that
// embeds a device and has a slice field). Many checks compare devices.
func CheckDevice(op string, device backend.Device) error {
	if device == nil {
		return &backend.ArgumentError{Op: op, Argument: "device", Value: nil, Allowed: "an open backend.Device"}
	}
	if !identity.Has(device) {
		return &backend.ArgumentError{Op: op, Argument: "device", Value: fmt.Sprintf("a %T", device),
			Allowed: "a device that can be compared: a pointer"}
	}
	return nil
}

// checkIdentity returns a *backend.ArgumentError if Go cannot compare stream or its device.
func checkIdentity(op, arg string, stream backend.Stream) error {
	if !identity.Has(stream) {
		return &backend.ArgumentError{Op: op, Argument: arg, Value: fmt.Sprintf("a %T", stream),
			Allowed: "a stream that can be compared: a pointer"}
	}
	return CheckDevice(op, stream.Device())
}

// checkStream returns an error unless stream belongs to device.
func checkStream(arg string, device backend.Device, stream backend.Stream) error {
	if err := checkIdentity("launch context", arg, stream); err != nil {
		return err
	}
	owner := stream.Device()
	if owner == device {
		return nil
	}
	return mismatch("launch context", arg, owner, device)
}

func mismatch(op, arg string, have, want backend.Device) error {
	return &DeviceMismatchError{Op: op, Argument: arg, Have: deviceName(have), Want: deviceName(want)}
}

func deviceName(device backend.Device) string {
	if device == nil {
		return ""
	}
	return device.Info().Name
}

func checkLaunchOptions(op string, o launchOptions) error {
	if o.block < 0 {
		return &backend.ArgumentError{Op: op, Argument: "Block", Value: o.block,
			Allowed: "0 (the backend's choice) or a number of threads"}
	}
	if o.maxBlocks < 0 {
		return &backend.ArgumentError{Op: op, Argument: "MaxBlocks", Value: o.maxBlocks,
			Allowed: "0 (no limit) or a number of blocks"}
	}
	return nil
}

// RefuseCapture returns nil if stream is not being captured, and a *backend.CaptureError with op and detail if it is.
// If the driver cannot tell, it returns the driver's error.
func RefuseCapture(stream backend.Stream, op, detail string) error {
	if stream == nil {
		return &backend.ArgumentError{Op: op, Argument: "stream", Value: nil, Allowed: "a stream"}
	}
	state := stream.Capture()
	if state == backend.CaptureNone {
		return nil
	}
	if err := captureFailure(stream); err != nil {
		return Doing(op, err)
	}
	return &backend.CaptureError{Op: op, State: state, Reason: detail}
}

// captureFailure returns why the last stream.Capture() could not determine the state, nil if it could.
func captureFailure(stream backend.Stream) error {
	if reporter, ok := stream.(backend.CaptureReporter); ok {
		return reporter.CaptureFailure()
	}
	return nil
}
