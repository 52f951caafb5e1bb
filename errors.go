package trackgen

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
)

// The kinds of errors, for errors.Is.
var (
	ErrConfig         = track.ErrConfig        // a field of a Config or of ImportOptions is wrong: ConfigError
	ErrInvalid        = backend.ErrInvalid     // an argument is wrong: ArgumentError
	ErrCapture        = backend.ErrCapture     // the capture state of the stream forbids the call: CaptureError
	ErrClosed         = backend.ErrClosed      // the object has been closed
	ErrConcurrentUse  = exec.ErrConcurrentUse  // another goroutine is using the same Generator
	ErrDeviceMismatch = exec.ErrDeviceMismatch // an array or a stream belongs to another device
	ErrOutOfMemory    = backend.ErrOutOfMemory // the device has too little memory
	ErrUnsupported    = backend.ErrUnsupported // the device does not support the call
	ErrUnavailable    = backend.ErrUnavailable // a library or a device is missing
	ErrDeviceLost     = backend.ErrDeviceLost  // the device no longer responds; only Close works
	ErrKernel         = backend.ErrKernel      // a kernel failed at run time
	ErrLeak           = backend.ErrLeak        // a device was closed before the objects that were made on it
)

// ConfigError names a field of a Config or of ImportOptions, its value and what is allowed. Several of them are joined
// with errors.Join.
type ConfigError = track.ConfigError

// ArgumentError names an argument, its value and what is allowed.
type ArgumentError = backend.ArgumentError

// CaptureError names a call that the capture state of its stream forbids. The capture remains usable.
type CaptureError = backend.CaptureError

// LoopsError reports a configuration or a circuit whose kernels may need longer loops than a device allows. If a single
// field is the cause, a ConfigError that names the field wraps it. It matches ErrUnsupported.
type LoopsError = track.LoopsError
