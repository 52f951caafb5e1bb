package exec

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
)

// LegacyProducer adapts a producer that knows no launch context: it takes a device and launches on its current stream
// (D15). The runner of a producer that contains one has RunnerOptions.Legacy set.
//
// While Generate runs, the current stream of the device is the stream of the call, so that its work is ordered with that
// of other stages, and the context that it receives has the launch context ambient. Because the current stream is
// one for the whole device, legacy producers run one at a time in a process (R78); other code that reads the current
// stream at that moment finds the call's. A legacy producer may call other producers, legacy ones too, with whatever
// context; on another goroutine that it waits for, with the context that it received.
type LegacyProducer struct {
	// Name labels the producer in messages.
	Name string
	// Generate does the work.
	Generate func(ctx context.Context, device backend.Device) error
}

// Enqueue returns what runs the producer. It refuses to be recorded into the capture of a stream that is not the current
// one with a *LegacyPluginStreamError (R53).
func (p LegacyProducer) Enqueue() Enqueue {
	return func(lc *LaunchContext) {
		const op = "legacy producer"
		if !lc.admit(op) {
			return
		}
		if p.Generate == nil {
			lc.Fail(&ArgError{Op: op + " " + p.Name, Arg: "Generate", Value: nil, Allowed: "a function"})
			return
		}
		if !lc.legacy {
			lc.Fail(&ArgError{Op: op + " " + p.Name, Arg: "RunnerOptions.Legacy", Value: false,
				Allowed: "true: a runner has to know that its producer contains a legacy one"})
			return
		}
		if err := p.run(lc, op+" "+p.Name); err != nil {
			lc.Fail(err)
		}
	}
}

// run does the work with the stream of lc as the current stream, under the lock of R78.
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
	ctx, end := hold(With(lc.ctx, lc))
	defer end()
	if err := p.Generate(ctx, lc.device); err != nil {
		return Doing(op, err)
	}
	return nil
}
