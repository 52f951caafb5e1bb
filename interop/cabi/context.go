package main

// #include "library.h"
import "C"

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/interop"
)

const aContext = "a context (tg_context_new), or 0"

// launch says how calls run: the object of a context.
type launch struct {
	lifetime
	device *device
	ctx    context.Context
	cancel context.CancelFunc
	guard  *guard // with a use, or nil

	hasStream    bool
	stream       uintptr // of another library, if hasStream
	registration *interop.Registration
}

// release ends what the context has begun.
func (l *launch) release() error {
	l.cancel()
	l.registration.End()
	if l.guard != nil {
		drop(l.guard)
	}
	return nil
}

func (l *launch) what() string { return "a context" }

// launchOn returns the context of a call on a device, with one more use, which the caller drops by leave. 0 stands for
// the plain one.
func launchOn(handle C.tg_handle, d *device) (*launch, error) {
	if handle == 0 {
		return d.plain, nil
	}
	l, err := acquire[*launch](handle, "context", aContext)
	if err != nil {
		return nil, err
	}
	if l.device != d {
		drop(l)
		return nil, &exec.DeviceMismatchError{Op: "find object", Argument: "context", Have: l.device.Info().Name,
			Want: d.Info().Name}
	}
	if err := l.ctx.Err(); err != nil {
		drop(l)
		return nil, fmt.Errorf("the context was cancelled: %w", err)
	}
	return l, nil
}

// leave ends the use of a context by a call.
func (l *launch) leave() {
	if l != l.device.plain {
		drop(l)
	}
}

// onForeignStream returns a context whose calls work on a stream of another library, captured or not, whatever the
// default streams of the producers are (R6).
func onForeignStream(ctx context.Context, d *device, handle uintptr, capturing bool) (context.Context, error) {
	ctx, err := interop.Adopt(ctx, d.Device, handle, capturing)
	if err != nil {
		return nil, err
	}
	stream, err := interop.StreamFor(d.Device, handle)
	if err != nil {
		return nil, err
	}
	lc, err := exec.For(ctx, d.Device, exec.OnStream(stream))
	if err != nil {
		return nil, err
	}
	return exec.With(ctx, lc), nil
}

// scope returns a context with the settings of options.
func scope(ctx context.Context, d *device, options *C.tg_context_options) (context.Context, error) {
	const op = "new context"
	if options.has_stream != 0 {
		adopted, err := onForeignStream(ctx, d, uintptr(options.stream), options.capturing != 0)
		if err != nil {
			return nil, err
		}
		ctx = adopted
	}
	switch options.conditional {
	case -1:
	case 0:
		ctx = exec.Unconditional(ctx, true)
	case 1:
		ctx = exec.Conditional(exec.Unconditional(ctx, false), true)
	default:
		return nil, wrongChoice(op, "conditional", int32(options.conditional))
	}
	switch options.host_poll {
	case -1:
	case 0, 1:
		ctx = exec.AllowHostPoll(ctx, options.host_poll == 1)
	default:
		return nil, wrongChoice(op, "host_poll", int32(options.host_poll))
	}
	return ctx, nil
}

// wrongChoice is the error for a number that is not -1, 0 or 1.
func wrongChoice(op, argument string, value int32) error {
	return &backend.ArgumentError{Op: op, Argument: argument, Value: value, Allowed: "-1, 0 or 1"}
}

// wrongSize is the error for a struct of another size than that of the header.
func wrongSize(op, argument string, have C.uint32_t, want uintptr) error {
	return &backend.ArgumentError{Op: op, Argument: argument + ".size", Value: uint32(have),
		Allowed: fmt.Sprintf("%d, the size of the struct", want)}
}

// newLaunch makes a context on a device.
func newLaunch(d *device, options *C.tg_context_options) (*launch, error) {
	made := &launch{device: d, ctx: context.Background()}
	if options != nil {
		if err := made.set(options); err != nil {
			return nil, err
		}
	}
	made.ctx, made.cancel = context.WithCancel(made.ctx)
	made.lifetime = newLifetime(made.release)
	if made.guard != nil {
		made.guard.use()
	}
	return made, nil
}

// set makes the settings of options those of a context.
func (l *launch) set(options *C.tg_context_options) (err error) {
	const op = "new context"
	if options.size != C.sizeof_tg_context_options {
		return wrongSize(op, "options", options.size, C.sizeof_tg_context_options)
	}
	if options.parent != 0 {
		parent, err := acquire[*launch](options.parent, "parent", aContext)
		if err != nil {
			return err
		}
		defer drop(parent)
		if parent.device != l.device {
			return &exec.DeviceMismatchError{Op: op, Argument: "parent", Have: parent.device.Info().Name,
				Want: l.device.Info().Name}
		}
		l.ctx, l.guard, l.hasStream, l.stream = parent.ctx, parent.guard, parent.hasStream, parent.stream
	}
	if options.guard != 0 {
		g, err := acquire[*guard](options.guard, "guard", aGuard)
		if err != nil {
			return err
		}
		defer drop(g)
		if g.device != l.device {
			return &exec.DeviceMismatchError{Op: op, Argument: "guard", Have: g.device.Info().Name,
				Want: l.device.Info().Name}
		}
		l.guard = g
	}
	if options.has_stream != 0 {
		l.hasStream, l.stream = true, uintptr(options.stream)
	}
	l.ctx, err = scope(l.ctx, l.device, options)
	return err
}

//export tgo_context_new
func tgo_context_new(handle C.tg_handle, options C.tgi_context_options, out *C.tg_handle) C.int32_t {
	return call(func() error {
		if out == nil {
			return missingPointer("new context", "context")
		}
		d, err := acquire[*device](handle, "device", aDevice)
		if err != nil {
			return err
		}
		defer drop(d)
		l, err := newLaunch(d, (*C.tg_context_options)(options))
		if err != nil {
			return err
		}
		*out = objects.add(l)
		return nil
	})
}

//export tgo_cancel
func tgo_cancel(handle C.tg_handle) C.int32_t {
	return call(func() error {
		l, err := acquire[*launch](handle, "context", "a context (tg_context_new)")
		if err != nil {
			return err
		}
		defer drop(l)
		l.cancel()
		return nil
	})
}

// onDevice runs work that waits for nothing but the device, with a context.
func onDevice(handle, in C.tg_handle, work func(d *device, l *launch) error) error {
	d, err := acquire[*device](handle, "device", aDevice)
	if err != nil {
		return err
	}
	defer drop(d)
	l, err := launchOn(in, d)
	if err != nil {
		return err
	}
	defer l.leave()
	return work(d, l)
}

// onStream runs work with the device and the stream of a context.
func onStream(handle, in C.tg_handle, work func(d *device, lc *exec.LaunchContext) error) error {
	return onDevice(handle, in, func(d *device, l *launch) error {
		lc, err := exec.For(l.ctx, d.Device)
		if err != nil {
			return err
		}
		return work(d, lc)
	})
}

//export tgo_is_capturing
func tgo_is_capturing(handle, in C.tg_handle, out *C.int32_t) C.int32_t {
	return call(func() error {
		if out == nil {
			return missingPointer("ask for a capture", "capturing")
		}
		return onStream(handle, in, func(_ *device, lc *exec.LaunchContext) error {
			*out = 0
			if lc.Capturing() {
				*out = 1
			}
			return nil
		})
	})
}

//export tgo_synchronize
func tgo_synchronize(handle, in C.tg_handle) C.int32_t {
	return call(func() error {
		return onDevice(handle, in, func(d *device, l *launch) error {
			return l.run(func(ctx context.Context) error {
				lc, err := exec.For(ctx, d.Device)
				if err != nil {
					return err
				}
				return lc.Stream().Sync()
			})
		})
	})
}

//export tgo_stream
func tgo_stream(handle, in C.tg_handle, out *C.uint64_t) C.int32_t {
	return call(func() error {
		if out == nil {
			return missingPointer("ask for a stream", "stream")
		}
		return onStream(handle, in, func(_ *device, lc *exec.LaunchContext) error {
			*out = C.uint64_t(lc.Stream().Handle())
			return nil
		})
	})
}

//export tgo_order
func tgo_order(handle, in C.tg_handle, stream C.uint64_t) C.int32_t {
	return call(func() error {
		return onStream(handle, in, func(d *device, lc *exec.LaunchContext) error {
			next, err := interop.StreamFor(d.Device, uintptr(stream))
			if err != nil {
				return err
			}
			return order(lc.Stream(), next)
		})
	})
}

// order makes what is emitted on next from now on run after everything that was emitted on first.
func order(first, next backend.Stream) (err error) {
	if first.Handle() == next.Handle() {
		return nil
	}
	event, err := first.Device().NewEvent()
	if err != nil {
		return exec.Doing("order streams", err)
	}
	defer func() { err = errors.Join(err, event.Close()) }()
	if err := first.Record(event); err != nil {
		return exec.Doing("order streams", err)
	}
	return exec.Doing("order streams", next.Wait(event))
}

// run runs work with the context, under its guard.
func (l *launch) run(work func(ctx context.Context) error) error {
	if l.guard == nil {
		return work(l.ctx)
	}
	return l.guard.do(l.ctx, work)
}

// with adds to the options of a producer the stream of the context, so that the work of making it is there, and that of
// later calls without a context.
func (l *launch) with(options []generation.Option) ([]generation.Option, error) {
	if !l.hasStream {
		return options, nil
	}
	lc, err := exec.For(l.ctx, l.device.Device)
	if err != nil {
		return nil, err
	}
	return append(options, generation.WithStream(lc.Stream())), nil
}
