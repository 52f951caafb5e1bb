package trackgen

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all" // every backend can be opened by name
	"github.com/trackgen-go/trackgen/exec"
)

// Device is an open device. Close it last, after everything that was made on it. Its methods are safe for concurrent
// use.
type Device = backend.Device

// DeviceInfo describes a device: its name, as Open accepts it, driver, workers and memory.
type DeviceInfo = backend.Info

// Backend is an entry of Devices: a backend with its devices, or the reason why it has none.
type Backend = backend.Backend

// Stream is an in-order queue of work of a device (Device.NewStream). It can capture work into a Graph and replay it.
type Stream = backend.Stream

// Graph is recorded work: Stream.EndCapture returns it, and Stream.Replay runs it. It keeps the memory that it uses
// until it is closed.
type Graph = backend.Graph

// OpenOption is an option of Open.
type OpenOption = backend.Option

// MaxWorkers is the maximum of the option Workers.
const MaxWorkers = backend.MaxWorkers

// DeviceVariable is the name of the environment variable that selects the device "auto".
const DeviceVariable = backend.DeviceVariable

// Open opens a device by name: "cpu", "cuda:1" (a backend and the index of a device), "auto" or "gpu". The device
// "auto" is the one that the environment variable TRACKGEN_DEVICE names, or else the best one available. The device
// "gpu" is the best one that is not the CPU: a CUDA device before a Vulkan one. Software devices, and devices that do
// not keep denormals, are opened by name only; the latter with a DenormalsWarning. The caller closes the device.
//
// The error matches ErrInvalid for an invalid name or option, and ErrUnavailable if a library or the device is missing.
func Open(name string, options ...OpenOption) (Device, error) { return backend.Open(name, options...) }

// OpenAll opens several devices, which make one batch together (NewShardedGenerator): the names of Open with commas
// between them, or a backend with ":all", such as "cuda:all", for all of its devices. They are in the order of the
// list. The caller closes each. After an error, none stays open.
//
// The errors are those of Open; a device that comes twice is ErrInvalid.
func OpenAll(names string, options ...OpenOption) ([]Device, error) {
	return backend.OpenAll(names, options...)
}

// Workers sets the number of goroutines on which the CPU runs kernels, including the calling one: 1 to MaxWorkers, or 0
// for GOMAXPROCS. It never changes a result.
func Workers(n int) OpenOption { return backend.Workers(n) }

// Scalar makes the CPU run the Go functions of kernels, also where they have machine code that runs several items at a
// time, which is a few times as fast. It never changes a result. The environment variable TRACKGEN_CPU, go or lanes,
// overrides it.
func Scalar(on bool) OpenOption { return backend.Scalar(on) }

// MemoryLimit limits the device and host memory in use, in bytes; 0 means the memory of the machine. Calls that would
// allocate more return ErrOutOfMemory.
func MemoryLimit(bytes int64) OpenOption { return backend.MemoryLimit(bytes) }

// DeviceWarnings passes the warnings about the device to warn instead of log/slog, such as a DenormalsWarning.
func DeviceWarnings(warn func(Warning)) OpenOption { return backend.Warnings(warn) }

// DenormalsWarning says that a device that was opened by name does not keep denormals, and what that means.
type DenormalsWarning = backend.DenormalsWarning

// Debug makes every launch run the instrumented twin of its kernel, on the CPU: it checks each index and each integer
// division, and detects races. It is much slower. On every device, the error of Device.Close then names the line of the
// program that made each resource that is still open.
func Debug(on bool) OpenOption { return backend.Debug(on) }

// Devices lists the backends with their devices, in the order in which "auto" prefers them.
func Devices() []Backend { return backend.Devices() }

// OnStream returns a context with which calls work on stream, unless they name another stream: Generate, Track.Batch,
// Array.Read and all others that take a context. A call on another device ignores the stream.
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
