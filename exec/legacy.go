package exec

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
)

// LegacyProducer adapts a producer that does not know launch contexts: it takes a device and launches on the device's
// current stream (D15). The runner of a producer that contains one must have RunnerOptions.Legacy set.
//
// While Generate runs, the device's current stream is the stream of the call, so that the work is ordered with that of
// other stages. Generate receives a context in which the launch context is ambient. A device has a single current
// stream, so legacy producers run one at a time in a process (R78), and other code that reads the current stream
// meanwhile gets that of the call. A legacy producer may call other producers, including legacy ones, with any context.
// If it waits for another goroutine that calls a producer, that goroutine must use the context that Generate received.
type LegacyProducer struct {
	// Name labels the producer in messages.
	Name string
	// Generate does the work.
	Generate func(ctx context.Context, device backend.Device) error
}

// Enqueue returns the function that runs the producer. It records a *LegacyPluginStreamError if the stream is being
// captured but is not the current stream (R53).
func (p LegacyProducer) Enqueue() Enqueue {
	return func(lc *LaunchContext) {
		const op = "legacy producer"
		if !lc.accepts(op) {
			return
		}
		if p.Generate == nil {
			lc.Fail(&backend.ArgumentError{Op: op + " " + p.Name, Argument: "Generate", Value: nil, Allowed: "a function"})
			return
		}
		if !lc.legacy {
			lc.Fail(&backend.ArgumentError{Op: op + " " + p.Name, Argument: "RunnerOptions.Legacy", Value: false,
				Allowed: "true: a runner must know that its producer contains a legacy one"})
			return
		}
		if err := p.run(lc, op+" "+p.Name); err != nil {
			lc.Fail(err)
		}
	}
}

// run calls Generate with lc's stream as the current stream, under the lock of R78.
func (p LegacyProducer) run(lc *LaunchContext, op string) (err error) {
	lock := legacyCalls.lockOf(lc.ctx)
	if err := lock.acquire(lc.ctx, op, label(p.Name)); err != nil {
		return err
	}
	defer lock.release()
	if current := lc.device.CurrentStream(); current != lc.stream {
		if lc.stream.Capture() != backend.CaptureNone && !lc.library {
			return &LegacyPluginStreamError{Name: p.Name}
		}
		if err := lc.device.SetCurrentStream(lc.stream); err != nil {
			return Doing(op, err)
		}
		defer func() {
			if restored := lc.device.SetCurrentStream(current); restored != nil {
				err = errors.Join(err, Doing(op, restored))
			}
		}()
	}
	ctx, end := markCallTree(With(lc.ctx, lc))
	defer end()
	if err := p.Generate(ctx, lc.device); err != nil {
		return Doing(op, err)
	}
	return nil
}
