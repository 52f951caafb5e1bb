package interop

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// wrappers holds the single wrapper of every foreign stream.
var wrappers = wrapperCache{byDevice: map[backend.Device]map[uintptr]backend.Stream{}}

type wrapperCache struct {
	mutex    sync.Mutex
	byDevice map[backend.Device]map[uintptr]backend.Stream
}

// StreamFor returns the wrapper of a foreign stream of device, always the same one for a handle. This package owns the
// wrapper: callers do not close it, and call Release before the stream is destroyed and before they close the device.
//
// It returns a *backend.ArgumentError for a nil device, and backend.ErrUnsupported for a device without foreign
// streams, such as the CPU.
func StreamFor(device backend.Device, handle uintptr) (backend.Stream, error) {
	const op = "foreign stream"
	if err := exec.CheckDevice(op, device); err != nil {
		return nil, err
	}
	wrappers.mutex.Lock()
	defer wrappers.mutex.Unlock()
	if stream := wrappers.byDevice[device][handle]; stream != nil {
		return stream, nil
	}
	stream, err := device.AdoptStream(handle)
	if err != nil {
		return nil, fmt.Errorf("%s %#x: %w", op, handle, err)
	}
	if wrappers.byDevice[device] == nil {
		wrappers.byDevice[device] = map[uintptr]backend.Stream{}
	}
	wrappers.byDevice[device][handle] = stream
	return stream, nil
}

// Release closes the wrappers of all foreign streams of device; the foreign library keeps the streams themselves. Call
// it before Device.Close. Without wrappers it does nothing.
func Release(device backend.Device) error {
	if exec.CheckDevice("release foreign streams", device) != nil {
		return nil //nolint:nilerr // it cannot have a wrapper
	}
	wrappers.mutex.Lock()
	streams := wrappers.byDevice[device]
	delete(wrappers.byDevice, device)
	wrappers.mutex.Unlock()
	var err error
	for handle, stream := range streams {
		if closeErr := stream.Close(); closeErr != nil {
			err = errors.Join(err, fmt.Errorf("release foreign stream %#x: %w", handle, closeErr))
		}
	}
	return err
}

// Adopt returns a context that knows the stream on which the foreign library is working, and whether it is capturing in
// this thread (D18): see exec.WithForeignStream. Calls that name no other stream are recorded into its capture (R6).
func Adopt(ctx context.Context, device backend.Device, handle uintptr, capturing bool) (context.Context, error) {
	if ctx == nil {
		return nil, &backend.ArgumentError{Op: "adopt foreign stream", Argument: "ctx", Value: nil,
			Allowed: "a context.Context"}
	}
	stream, err := StreamFor(device, handle)
	if err != nil {
		return nil, err
	}
	return exec.WithForeignStream(ctx, stream, capturing), nil
}
