//go:build cgo && linux

package cuda

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/kernel"
)

// function is a kernel on the device.
type function struct {
	handle     functionHandle
	maxThreads int32 // maximum threads of a block
}

// Prepare loads the module of a kernel, so that nothing has to be loaded during a capture.
func (d *device) Prepare(def *kernel.Def) error {
	_, err := d.function(def)
	return err
}

// Runnable implements recorder.Driver.
func (d *device) Runnable(def *kernel.Def) error { return d.Prepare(def) }

// function returns a kernel. It loads the kernel's module if that is not loaded yet.
func (d *device) function(def *kernel.Def) (*function, error) {
	if f, ok := d.functions.Load(def); ok {
		return f.(*function), nil
	}
	op := "kernel " + def.Name
	switch {
	case def.Module == nil || def.Entry == "":
		return nil, &backend.UnsupportedError{Device: d.info.Name, Op: op, Reason: "it has no CUDA code"}
	case def.Group && def.Lanes < 1:
		return nil, &backend.UnsupportedError{Device: d.info.Name, Op: op, Reason: "its groups have no lanes"}
	}
	handle, err := d.module(def.Module)
	if err != nil {
		return nil, err
	}
	f, threads, failed := d.context.function(handle, def.Entry)
	if err := failed.as(d.info.Name, op); err != nil {
		return nil, err
	}
	if def.Group && def.Lanes > threads || threads < 1 {
		return nil, &backend.UnsupportedError{Device: d.info.Name, Op: op,
			Reason: fmt.Sprintf("its groups have %d lanes, and the device can run %d threads of it together", def.Lanes,
				threads)}
	}
	actual, _ := d.functions.LoadOrStore(def, &function{f, threads})
	return actual.(*function), nil
}

// module returns the handle of a module, loaded.
func (d *device) module(m *kernel.Module) (moduleHandle, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, ok := d.modules[m]; ok {
		return known, nil
	}
	if err := d.Usable("load " + m.Name); err != nil {
		return 0, err
	}
	handle, f := d.context.loadModule(m.PTX)
	if err := f.as(d.info.Name, "load "+m.Name); err != nil {
		return 0, err
	}
	d.modules[m] = handle
	d.loaded = append(d.loaded, handle)
	return handle, nil
}

// largestGrid is the maximum number of blocks of a launch.
const largestGrid = 1<<31 - 1

// defaultBlock is the number of threads of a block of a thread kernel.
const defaultBlock = 256

// shape returns the number of blocks of a launch and the number of threads of each. Kernels stride over the items, so
// that any number of blocks runs all items.
func shape(o *recorder.Operation, f *function) (grid, block uint32) {
	blocks, threads := int64(o.N), int64(o.Def.Lanes)
	if !o.Def.Group {
		threads = int64(o.Block)
		if threads == 0 {
			threads = defaultBlock
		}
		threads = min(threads, int64(f.maxThreads))
		blocks = (int64(o.N) + threads - 1) / threads
	}
	if o.MaxBlocks > 0 {
		blocks = min(blocks, int64(o.MaxBlocks))
	}
	return uint32(min(blocks, largestGrid)), uint32(threads)
}
