//go:build cgo && (linux || darwin)

package vulkan

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
	"github.com/trackgen-go/trackgen/kernel"
)

// device is an open device with its queue and its memory.
//
// Locks are taken in this order: life, those of the recorder, an executable, queue.sending, zeros, queue.mu, pipelines,
// a heap.
type device struct {
	recorder.Device
	recorder.Defaults

	handle   deviceHandle
	family   uint32
	info     backend.Info
	settings settings
	exact    finding
	modes    []executionMode // of every module

	maxRange   int64   // maximum size of a binding in bytes
	maxBuffer  int64   // maximum size of a buffer in bytes
	alignment  int64   // of bindings, at most granule
	maxSize    uint32  // maximum number of threads per workgroup
	maxBuffers int     // maximum number of bindings
	maxShared  int64   // shared memory of a workgroup in bytes
	maxWork    float64 // estimate of the work of a submission that is not divided further; 0 for no limit
	loops      int64   // limit of the total loop iterations of an invocation, 0 if there is none

	memory     *heap
	hostMemory *heap
	budget     budget
	nothing    binding // bound for an empty view
	reserved   *allocation
	queue      queue
	zeros      zeros
	pipelines  pipelines
	store      store // files with compiled pipelines and findings

	life sync.RWMutex // calls hold it for reading, Close for writing
	lost atomic.Bool
}

// requirements returns why a physical device cannot be used, nil if it can.
func requirements(name string, d *description) error {
	var reason string
	switch {
	case !d.hasTimeline:
		reason = "it lacks Vulkan 1.2 with timeline semaphores"
	case !d.hasCompute:
		reason = "it has no compute queue"
	case int64(d.limits.MinStorageBufferOffsetAlignment) > granule:
		reason = fmt.Sprintf("it binds buffers at multiples of %d bytes; at most %d is supported",
			d.limits.MinStorageBufferOffsetAlignment, granule)
	default:
		return nil
	}
	return &backend.UnsupportedError{Device: name, Op: "open", Reason: reason}
}

// open opens a physical device.
func open(instance instanceHandle, physical physicalDevice, index int, options backend.Options,
	s settings) (*device, error) {
	what := instance.describe(physical)
	info := describe(index, &what)
	if err := requirements(info.Name, &what); err != nil {
		return nil, err
	}
	controls := what.controls
	if s.controls != nil {
		controls = *s.controls
	}
	handle, result := instance.open(physical, what.queueFamily)
	if result != vk.Success {
		return nil, resultError(info.Name, "open", result)
	}
	d := &device{
		handle:     handle,
		family:     what.queueFamily,
		info:       info,
		settings:   s,
		exact:      finding{Exact: true, Denormals: true, Division: true, SquareRoot: true},
		modes:      controls.modes(),
		maxRange:   int64(what.limits.MaxStorageBufferRange),
		alignment:  max(int64(what.limits.MinStorageBufferOffsetAlignment), s.alignment, 4),
		maxSize:    min(what.limits.MaxComputeWorkGroupInvocations, what.limits.MaxComputeWorkGroupSize[0]),
		maxBuffers: int(min(what.limits.MaxPerStageDescriptorStorageBuffers, kernel.MaxBuffers)),
		maxShared:  int64(what.limits.MaxComputeSharedMemorySize),
		memory:     newDeviceHeap(handle, info.Name, &what),
		hostMemory: newHostHeap(handle, info.Name, &what),
		budget:     budget{limit: options.MemoryLimit},
		store:      newStore(s.cache, &what, controls),
	}
	switch {
	case s.work > 0:
		d.maxWork = s.work
	case s.work == 0:
		d.maxWork = workOf(&what)
	}
	if s.shared > 0 {
		d.maxShared = min(d.maxShared, s.shared)
	}
	d.maxBuffer = min(d.maxRange, d.memory.limit)
	if what.driverName == "llvmpipe" {
		d.loops = loopsOfLavapipe
	}
	d.queue.device, d.zeros.device, d.pipelines.device = d, d, d
	d.pipelines.compiled = make(map[pipelineKey]*pipeline)
	err := d.Start(d, d, recorder.LimitsVulkan, options.Debug)
	if err == nil {
		err = d.start()
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// start creates what every device needs and determines how exact its float arithmetic is.
func (d *device) start() error {
	var result vk.Result
	if d.queue.timeline, result = d.handle.createTimeline(); result != vk.Success {
		return d.failed("make a semaphore", result)
	}
	if d.pipelines.cache, result = d.handle.createCache(d.store.pipelines()); result != vk.Success {
		if d.pipelines.cache, result = d.handle.createCache(nil); result != vk.Success {
			return d.failed("make a pipeline cache", result)
		}
	}
	var err error
	if d.reserved, err = d.memory.alloc(granule); err != nil {
		return err
	}
	d.nothing = binding{block: d.reserved.block, offset: d.reserved.offset, bytes: d.reserved.bytes,
		access: kernel.ReadWrite}
	found := d.settings.finding
	if found == nil {
		probed, err := d.probe()
		if err != nil {
			return fmt.Errorf("probe of float arithmetic: %w", err)
		}
		found = &probed
	}
	d.exact = *found
	if !found.Exact && !d.settings.inexact {
		return &backend.UnsupportedError{Device: d.info.Name, Op: "exact float32 arithmetic", Reason: found.Example +
			"; results would differ from those of other devices (" + inexactVariable + "=1 opens it anyway)"}
	}
	if d.settings.corrected {
		d.exact.Division, d.exact.SquareRoot = false, false
	}
	return nil
}

// describe returns the Info of a physical device.
func describe(index int, d *description) backend.Info {
	memory := int64(0)
	for _, h := range d.heaps {
		if h.Flags&vk.MemoryHeapDeviceLocalBit != 0 {
			memory += int64(h.Size)
		}
	}
	driver := fmt.Sprintf("Vulkan %s", vk.Version(d.properties.ApiVersion))
	if d.driverName != "" {
		driver = fmt.Sprintf("%s, %s", strings.TrimSpace(d.driverName+" "+d.driverInfo), driver)
	}
	return backend.Info{
		Name:        fmt.Sprintf("%s:%d", name, index),
		Backend:     name,
		Description: d.deviceName + kindOf(d),
		Driver:      driver,
		MemoryBytes: memory,
		Software:    d.properties.DeviceType == vk.PhysicalDeviceTypeCpu,
	}
}

// kindOf returns the type of a device for its description. Info.Software marks those that compute on the CPU.
func kindOf(d *description) string {
	switch d.properties.DeviceType {
	case vk.PhysicalDeviceTypeDiscreteGpu:
		return " (discrete)"
	case vk.PhysicalDeviceTypeIntegratedGpu:
		return " (integrated)"
	case vk.PhysicalDeviceTypeVirtualGpu:
		return " (virtual)"
	default:
		return ""
	}
}

func (d *device) Info() backend.Info { return d.info }

// loopsOfLavapipe is the limit of Mesa's software driver (measured, see docs/design/vulkan.md; TestLoopLimit checks
// it).
const loopsOfLavapipe = 65535

// Caps says that everything is recorded before it runs, including conditionals on eager streams (decision D3).
func (d *device) Caps() backend.Caps {
	return backend.Caps{
		LoopIterations:      d.loops,
		Capture:             true,
		OwnGraphs:           true,
		CaptureConditionals: true,
		EagerConditionals:   true,
		ExactFloat:          d.exact.Exact,
		Denormals:           d.exact.Denormals,
		GraphRetain:         true,
		MaxBufferBytes:      d.maxBuffer,
		MaxItems:            math.MaxInt32,
	}
}

var _ recorder.Guard = (*device)(nil)

// Enter implements recorder.Guard.
func (d *device) Enter(op string) error {
	if !d.Hold() {
		return &backend.ClosedError{Op: op, What: "device"}
	}
	if d.lost.Load() {
		d.Leave()
		return resultError(d.info.Name, op, vk.ErrorDeviceLost)
	}
	return nil
}

// Hold implements recorder.Guard.
func (d *device) Hold() bool {
	d.life.RLock()
	if d.Closed() {
		d.life.RUnlock()
		return false
	}
	return true
}

// Leave implements recorder.Guard.
func (d *device) Leave() { d.life.RUnlock() }

// failed returns the error for a result, and records if the device is lost.
func (d *device) failed(doing string, result vk.Result) error {
	if result == vk.ErrorDeviceLost {
		d.lost.Store(true)
	}
	return resultError(d.info.Name, doing, result)
}

// AdoptStream is not supported: Vulkan has no stream objects.
func (d *device) AdoptStream(uintptr) (backend.Stream, error) {
	return nil, &backend.UnsupportedError{Device: d.info.Name, Op: "adopt stream", Reason: "Vulkan has no stream objects"}
}

// Prepare compiles a kernel for the default workgroup size.
func (d *device) Prepare(def *kernel.Def) error {
	_, err := d.kernelPipeline(def, 0)
	return err
}

// Close waits for submitted work and releases what is still open.
func (d *device) Close() error {
	d.life.Lock()
	defer d.life.Unlock()
	if d.Closed() {
		return nil
	}
	const op = "close the device"
	_ = d.failed(op, d.handle.wait()) // a lost device runs nothing
	_, err := d.Shut()
	if d.lost.Load() {
		err = errors.Join(err, resultError(d.info.Name, op, vk.ErrorDeviceLost))
	}
	d.zeros.close()
	d.queue.close()
	if d.pipelines.cache != 0 { // 0 if start failed
		d.store.savePipelines(d.handle.cacheData(d.pipelines.cache))
	}
	d.pipelines.close()
	if d.reserved != nil {
		d.reserved.Release()
	}
	d.memory.close()
	d.hostMemory.close()
	d.handle.destroy()
	return err
}
