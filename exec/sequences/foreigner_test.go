//go:build cgo && linux

package sequences

import (
	"errors"
	"fmt"
	"testing"

	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// foreigner is a library in the same process that uses the driver directly, on the test's thread.
type foreigner struct {
	emulator *emulator.Emulator
	cell     emulator.Cell
	streams  map[string]uint64
	events   map[string]uint64
	graphs   map[string]uint64
	runnable map[string]uint64
}

func newForeigner(tb testing.TB, e *emulator.Emulator) (*foreigner, error) {
	f := &foreigner{emulator: e, cell: emulator.NewCell(tb), streams: map[string]uint64{}, events: map[string]uint64{},
		graphs: map[string]uint64{}, runnable: map[string]uint64{}}
	err := f.call("cuDevicePrimaryCtxRetain", f.cell.Address(0), 0)
	return f, errors.Join(err, f.call("cuCtxSetCurrent", f.cell.Word(0)))
}

func (f *foreigner) call(name string, arguments ...uint64) error {
	if code := f.emulator.Call(name, arguments...); code != 0 {
		return fmt.Errorf("%s gives %d", name, code)
	}
	return nil
}

// stream returns a stream, which it creates on first use.
func (f *foreigner) stream(name string) uint64 {
	if f.streams[name] == 0 && f.call("cuStreamCreate", f.cell.Address(0), 1) == nil {
		f.streams[name] = f.cell.Word(0)
	}
	return f.streams[name]
}

func (f *foreigner) event(name string) uint64 {
	if f.events[name] == 0 && f.call("cuEventCreate", f.cell.Address(0), 2) == nil {
		f.events[name] = f.cell.Word(0)
	}
	return f.events[name]
}

func (f *foreigner) perform(c *call) error {
	if c.op == "foreign.destroy" {
		return f.destroy(c.arg(0))
	}
	s := f.stream(c.arg(0))
	switch c.op {
	case "foreign.begin":
		return f.call("cuStreamBeginCapture", s, map[string]uint64{"global": 0, "thread": 1, "relaxed": 2}[c.option("mode")])
	case "foreign.end":
		if err := f.call("cuStreamEndCapture", s, f.cell.Address(0)); err != nil {
			return err
		}
		f.graphs[c.arg(1)] = f.cell.Word(0)
		for i := 4; i < 8; i++ {
			f.cell.Set(i, 0)
		}
		err := f.call("cuGraphInstantiateWithParams", f.cell.Address(0), f.graphs[c.arg(1)], f.cell.Address(4))
		f.runnable[c.arg(1)] = f.cell.Word(0)
		return err
	case "foreign.record":
		return f.call("cuEventRecord", f.event(c.arg(1)), s)
	case "foreign.wait":
		return f.call("cuStreamWaitEvent", s, f.event(c.arg(1)), 0)
	}
	return f.call("cuGraphLaunch", f.runnable[c.arg(1)], s)
}

// destroy destroys the graph of that name, if there is one.
func (f *foreigner) destroy(name string) error {
	if f.graphs[name] == 0 {
		return nil
	}
	err := errors.Join(f.call("cuGraphDestroy", f.graphs[name]), f.call("cuGraphExecDestroy", f.runnable[name]))
	delete(f.graphs, name)
	delete(f.runnable, name)
	return err
}

// reset ends everything that a program has left open.
func (f *foreigner) reset() (err error) {
	for _, s := range f.streams {
		if f.emulator.Call("cuStreamEndCapture", s, f.cell.Address(0)) == 0 {
			err = errors.Join(err, f.call("cuGraphDestroy", f.cell.Word(0)))
		}
	}
	for name := range f.graphs {
		err = errors.Join(err, f.destroy(name))
	}
	for name, e := range f.events {
		err = errors.Join(err, f.call("cuEventDestroy", e))
		delete(f.events, name)
	}
	return err
}

// close destroys the streams, whose wrappers are already closed, and the driver's context.
func (f *foreigner) close() (err error) {
	for name, s := range f.streams {
		err = errors.Join(err, f.call("cuStreamDestroy", s))
		delete(f.streams, name)
	}
	return errors.Join(err, f.call("cuCtxSetCurrent", 0), f.call("cuDevicePrimaryCtxRelease", 0))
}
