package trackgen

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all" // every backend can be opened by name
	"github.com/trackgen-go/trackgen/exec"
)

// Device is an opened device. It is closed last, after what was made on it. Its methods are safe for concurrent use.
type Device = backend.Device

// DeviceInfo describes a device: its name, as Open takes it, driver, workers and memory.
type DeviceInfo = backend.Info

// Backend is what Devices lists: a backend with its devices, or the reason why it has none.
type Backend = backend.Backend

// Stream is an in-order queue of work of a device (Device.NewStream), which can capture work into a Graph and replay
// it.
type Stream = backend.Stream

// Graph is recorded work, from Stream.EndCapture to Stream.Replay. It keeps the memory that it uses until it is closed.
type Graph = backend.Graph

// OpenOption is an option of Open.
type OpenOption = backend.Option

// MaxWorkers is the maximum of the option Workers.
const MaxWorkers = backend.MaxWorkers

// DeviceVariable names the environment variable that says what the device "auto" is.
const DeviceVariable = backend.DeviceVariable

// Open opens a device by name: "cpu", "cuda:1" (a backend, and the index of a device), or "auto", which is what the
// environment variable TRACKGEN_DEVICE names, else the best device there is. The caller closes the device.
//
// The error matches ErrInvalid for a name or an option that means nothing, and ErrUnavailable where a library or the
// device is missing.
func Open(name string, options ...OpenOption) (Device, error) { return backend.Open(name, options...) }

// Workers sets the number of goroutines on which the CPU runs kernels, the calling one included: 1 to MaxWorkers, or 0
// for GOMAXPROCS. It never changes a result.
func Workers(n int) OpenOption { return backend.Workers(n) }

// MemoryLimit limits the device and host memory in use, in bytes; 0 means what the machine has. Beyond it, calls that
// allocate return ErrOutOfMemory.
func MemoryLimit(bytes int64) OpenOption { return backend.MemoryLimit(bytes) }

// Devices lists the backends with their devices, in the order in which "auto" prefers them.
func Devices() []Backend { return backend.Devices() }

// OnStream returns a context in which calls that name no other stream work on stream: Generate, Track.Batch, Array.Read
// and all others that take a context. A call on another device ignores it.
//
// It returns an *ArgumentError for a nil ctx or stream.
func OnStream(ctx context.Context, stream Stream) (context.Context, error) {
	if stream == nil {
		return nil, &ArgumentError{Op: "work on a stream", Argument: "stream", Value: nil,
			Allowed: "a stream of an open device"}
	}
	lc, err := exec.For(ctx, stream.Device(), exec.OnStream(stream))
	if err != nil {
		return nil, err
	}
	return exec.With(ctx, lc), nil
}
