//go:build cgo && linux

package cuda

import (
	_ "embed"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// controlPTX is the module of the kernels that decide conditional nodes, compiled from control.cu.
//
//go:embed control.ptx
var controlPTX string

// controlEntries are its kernels: for an IF, for a WHILE, and for the end of the body of a WHILE.
var controlEntries = [3]string{"trackgen_set_if", "trackgen_begin_while", "trackgen_next_while"}

// countDef is its kernel that adds 1 to a word.
var countDef = &kernel.Def{Name: "backend/cuda.count", Group: true, Lanes: 1, Entry: "trackgen_count",
	Params: []kernel.Param{{Name: "word", Type: kernel.Int32, Buffer: true}}}

// support is whether captures can hold a kind of conditional, and why they cannot.
type support struct {
	works  bool
	reason string
}

// probeLimit is the longest time that the probe may take. It takes milliseconds; a driver that gets conditional nodes
// wrong can hang.
var probeLimit = 30 * time.Second

// probe loads the control kernels and tries conditionals and loops in captures (decision D9). An error means that the
// device does not work.
func (d *device) probe(s settings) error {
	switch {
	case !s.conditionals:
		d.without("turned off by " + conditionalsVariable)
		return nil
	case d.version < conditionalVersion:
		d.without("the driver is older than CUDA " + versionText(conditionalVersion))
		return nil
	}
	if err := d.loadControl(); err != nil {
		reason, err := absent(err)
		d.without(reason)
		return err
	}
	return d.bounded(d.tryAll)
}

// without sets that captures hold neither conditionals nor loops.
func (d *device) without(reason string) {
	d.ifs, d.loops = support{reason: reason}, support{reason: reason}
}

// bounded runs the trials. If they take too long, the driver hangs in a call that cannot be ended. Then the device is
// given up: it is closed if that call ever returns.
func (d *device) bounded(trials func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the thread, in which our context is current, ends with the goroutine
		done <- trials()
	}()
	timer := time.NewTimer(probeLimit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
	}
	d.abandoned = true
	go func() {
		_ = errors.Join(<-done, d.Close()) // nobody is left to receive the errors
	}()
	return &backend.UnavailableError{Name: d.info.Name, Reason: fmt.Sprintf(
		"the driver hangs in a graph with conditional nodes, for more than %v; %s=off does without them", probeLimit,
		conditionalsVariable)}
}

// tryAll makes the trials, and sets what captures can hold. Captures hold conditionals only if also those in the bodies
// of others work, and loops only if every mixture does: kernels and conditionals can be combined freely, so that
// nothing else could be promised. The trials end with the first one of conditionals that fails.
func (d *device) tryAll() (err error) {
	d.ifs, d.loops = support{works: true}, support{works: true} // for the graphs of the trials
	bench, err := newTrialBench(d)
	defer func() {
		d.discardLanes() // which are as deep as the trials, and deeper than most programs need
		err = errors.Join(err, bench.close())
	}()
	if err != nil {
		return err
	}
	for _, t := range trials {
		if t.loops && !d.loops.works {
			return nil
		}
		reason, err := bench.try(t)
		switch {
		case err != nil:
			return fmt.Errorf("trying conditional nodes, %s (%s=off does without): %w", t.name, conditionalsVariable, err)
		case reason != "" && t.loops:
			d.loops = support{reason: t.name + " does not work: " + reason}
		case reason != "":
			d.without(t.name + " does not work: " + reason)
			return nil
		}
	}
	return nil
}

// absent separates two kinds of errors. If the driver has no conditionals, it refuses the control kernels, the nodes or
// the captures of bodies; absent then returns the reason. Any other error means that the device does not work.
func absent(err error) (reason string, failure error) {
	var failed *Error
	if !errors.As(err, &failed) {
		return "", err
	}
	switch failed.Code {
	case codeInvalidValue, codeInvalidImage, codeInvalidPTX, codeInvalidSource, codeSymbolNotFound, codeObjectInitFailed,
		codeIllegalState, codeNotFound:
		return failed.Error(), nil
	}
	if failed.Is(backend.ErrUnsupported) || failed.Is(backend.ErrCapture) {
		return failed.Error(), nil
	}
	return "", err
}

// loadControl loads the control kernels. They are not kept in the cache: only the driver knows a function that they
// call.
func (d *device) loadControl() error {
	const op = "load the kernels of conditionals"
	if err := d.Usable(op); err != nil {
		return err
	}
	m, f := d.context.loadModule(controlPTX)
	if err := f.as(d.info.Name, op); err != nil {
		return err
	}
	d.own(m)
	var functions [3]functionHandle
	for i, entry := range controlEntries {
		var f failure
		functions[i], _, f = d.context.function(m, entry)
		if err := f.as(d.info.Name, op); err != nil {
			return err
		}
	}
	d.context.setControl(functions[0], functions[1], functions[2])
	count, f := d.find(m, countDef.Entry)
	d.functions.Store(countDef, count)
	return f.as(d.info.Name, op)
}
