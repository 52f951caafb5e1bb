//go:build cgo && linux

package cuda

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

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

// module is a module of kernels, or one that is being loaded. handle and err are set once done is closed.
type module struct {
	done   chan struct{}
	handle moduleHandle
	err    error
}

// module returns the handle of a module, loaded. The driver compiles it once, also if several calls need it at the same
// time, and other calls of the device go on meanwhile: compiling takes seconds. A failure is not remembered.
func (d *device) module(m *kernel.Module) (moduleHandle, error) {
	d.mu.Lock()
	if known, ok := d.modules[m]; ok {
		d.mu.Unlock()
		<-known.done
		return known.handle, known.err
	}
	loading := &module{done: make(chan struct{})}
	d.modules[m] = loading
	d.mu.Unlock()
	loading.handle, loading.err = d.loadModule(m.PTX, "load "+m.Name)
	if loading.err != nil {
		d.mu.Lock()
		delete(d.modules, m)
		d.mu.Unlock()
	}
	close(loading.done)
	return loading.handle, loading.err
}

// loadModule has the driver compile a module, which stays loaded as long as the device exists.
func (d *device) loadModule(ptx, op string) (moduleHandle, error) {
	if err := d.Usable(op); err != nil {
		return 0, err
	}
	handle, f := d.context.loadModule(ptx)
	if err := f.as(d.info.Name, op); err != nil {
		return 0, err
	}
	d.mu.Lock()
	d.loaded = append(d.loaded, handle)
	d.mu.Unlock()
	return handle, nil
}

// Load implements backend.Device. The driver compiles the modules of the kernels at the same time. If several fail, the
// error is that of the first kernel among them.
func (d *device) Load(defs ...*kernel.Def) error {
	if err := d.loadModules(defs); err != nil {
		return err
	}
	return d.Device.Load(defs...)
}

// loadModules loads the modules of kernels that are not loaded yet, if there are several. It leaves everything else
// that can be wrong to the caller.
func (d *device) loadModules(defs []*kernel.Def) error {
	if slices.Contains(defs, nil) || d.Enter("load") != nil {
		return nil
	}
	defer d.Leave()
	modules := d.unloaded(defs)
	if len(modules) < 2 {
		return nil
	}
	failures := make([]error, len(modules))
	var group sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, m := range modules {
		limit <- struct{}{}
		group.Go(func() {
			runtime.LockOSThread() // and never unlocked: the thread, in which our context is current, ends with the goroutine
			_, failures[i] = d.module(m)
			<-limit
		})
	}
	group.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// unloaded returns the modules of kernels that nobody has begun to load.
func (d *device) unloaded(defs []*kernel.Def) (modules []*kernel.Module) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, def := range defs {
		if m := def.Module; m != nil && d.modules[m] == nil && !slices.Contains(modules, m) {
			modules = append(modules, m)
		}
	}
	return modules
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
