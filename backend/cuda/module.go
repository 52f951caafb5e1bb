//go:build cgo && linux

package cuda

import (
	std "context"
	"fmt"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/internal/ptx"
	"github.com/trackgen-go/trackgen/kernel"
)

// function is a kernel on the device.
type function struct {
	handle          functionHandle
	takes           resources
	maxThreads      int32 // maximum threads of a block
	multiprocessors int32 // of the device
}

// Prepare loads a kernel, so that nothing has to be loaded during a capture.
func (d *device) Prepare(def *kernel.Def) error {
	_, err := d.function(def)
	return err
}

// Runnable implements recorder.Driver.
func (d *device) Runnable(def *kernel.Def) error { return d.Prepare(def) }

// function returns a kernel. It has the driver compile the kernel unless that has been done. The caller has entered the
// device.
func (d *device) function(def *kernel.Def) (*function, error) {
	if f, ok := d.functions.Load(def); ok {
		return f.(*function), nil
	}
	if err := d.hasCode(def); err != nil {
		return nil, err
	}
	c, err := d.wanted(sourceOf(def))
	if err != nil {
		return nil, err
	}
	defer d.unwanted(c)
	return d.use(std.Background(), def, c)
}

// use waits for the compilation of a kernel, and checks whether the device can run it.
func (d *device) use(ctx std.Context, def *kernel.Def, c *compilation) (*function, error) {
	f, err := d.await(ctx, c)
	if err != nil {
		return nil, err
	}
	if int32(def.Lanes) > f.maxThreads && def.Group || f.maxThreads < 1 {
		return nil, &backend.UnsupportedError{Device: d.info.Name, Op: "kernel " + def.Name,
			Reason: fmt.Sprintf("its groups have %d lanes, and the device can run %d threads of it together", def.Lanes,
				f.maxThreads)}
	}
	d.functions.Store(def, f)
	return f, nil
}

// hasCode returns an error for a kernel without code for this backend.
func (d *device) hasCode(def *kernel.Def) error {
	op := "kernel " + def.Name
	switch {
	case def.Module == nil || def.Entry == "":
		return &backend.UnsupportedError{Device: d.info.Name, Op: op, Reason: "it has no CUDA code"}
	case def.Group && def.Lanes < 1:
		return &backend.UnsupportedError{Device: d.info.Name, Op: op, Reason: "its groups have no lanes"}
	}
	return nil
}

// Load implements backend.Device. The driver compiles the kernels at the same time. If several fail, the error is that
// of the first one among them.
func (d *device) Load(defs ...*kernel.Def) error { return d.LoadContext(std.Background(), defs...) }

// LoadContext implements backend.ContextLoader.
func (d *device) LoadContext(ctx std.Context, defs ...*kernel.Def) error {
	if err := d.loadAll(ctx, defs); err != nil {
		return err
	}
	return d.Device.Load(defs...)
}

// loadAll has all kernels compiled that are not. It leaves what is wrong with the arguments or the device to the
// caller, and compiles nothing then.
func (d *device) loadAll(ctx std.Context, defs []*kernel.Def) error {
	if slices.ContainsFunc(defs, func(def *kernel.Def) bool { return def == nil || d.hasCode(def) != nil }) ||
		d.Enter("load") != nil {
		return nil
	}
	defer d.Leave()
	var missing []*kernel.Def
	var needed requests
	var failure error
	for _, def := range defs {
		if _, known := d.functions.Load(def); known {
			continue
		}
		c, err := d.wanted(sourceOf(def))
		if failure = err; err != nil {
			break
		}
		missing, needed = append(missing, def), append(needed, c)
	}
	for i := 0; i < len(missing) && failure == nil; i++ {
		_, failure = d.use(ctx, missing[i], needed[i])
	}
	needed.drop(d)
	if failure != nil {
		needed.settle(ctx, d) // so that a call that has failed leaves nothing running
	}
	return failure
}

// compile has the driver compile a kernel, or takes the image of an earlier compilation from the cache. keep, which may
// be nil, keeps the image; nobody has to wait for it.
func (d *device) compile(s source) (_ *function, keep func(), err error) {
	op := "load kernel " + s.entry + " of " + s.module.Name
	if err := d.Usable(op); err != nil {
		return nil, nil, err
	}
	code := ptx.Kernel(s.module.PTX, s.entry)
	m, keep := d.loadCached(code)
	if m == 0 {
		var f failure
		m, f = d.context.loadModule(code)
		if err := f.as(d.info.Name, op); err != nil {
			return nil, nil, err
		}
		d.cache.giveUp()
	}
	d.own(m)
	made, f := d.find(m, s.entry)
	return made, keep, f.as(d.info.Name, op)
}

// own adds a module to those that are unloaded when the device is closed.
func (d *device) own(m moduleHandle) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.loaded = append(d.loaded, m)
}

// find returns a kernel of a module, and tells the driver how much shared memory it is good for.
func (d *device) find(m moduleHandle, entry string) (*function, failure) {
	handle, takes, f := d.context.function(m, entry)
	if f.failed() {
		return nil, f
	}
	if percent, some := d.multiprocessor.carveout(takes); some {
		if f := d.context.carveout(handle, percent); f.failed() {
			return nil, f
		}
	}
	return &function{handle, takes, int32(takes.threads), int32(d.multiprocessors)}, f
}
