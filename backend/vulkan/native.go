//go:build cgo && (linux || darwin)

package vulkan

// #cgo CFLAGS: -std=gnu11 -O2 -fvisibility=hidden
// #cgo linux LDFLAGS: -ldl
// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"errors"
	"sync"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

// Only this file calls C. Handles are numbers, as in the specification.

// instanceHandle is an instance, which is never destroyed.
type instanceHandle struct{ c *C.tg_instance }

// physicalDevice is a device in the driver's list.
type physicalDevice struct{ c C.VkPhysicalDevice }

// deviceHandle is an open device and its single queue.
type deviceHandle struct{ c *C.tg_device }

type (
	bufferHandle         uint64
	memoryHandle         uint64
	timelineHandle       uint64
	cacheHandle          uint64
	poolHandle           uint64
	descriptorPoolHandle uint64
)

// commandsHandle is a command buffer.
type commandsHandle struct{ c C.VkCommandBuffer }

// description holds the properties of a physical device.
type description struct {
	properties  vk.PhysicalDeviceProperties
	limits      vk.PhysicalDeviceLimits
	types       []vk.MemoryType
	heaps       []vk.MemoryHeap
	deviceUUID  [16]byte
	driverUUID  [16]byte
	deviceName  string
	driverName  string
	driverInfo  string
	queueFamily uint32
	hasCompute  bool
	hasTimeline bool
	controls    floatControls
}

// loadLibrary opens the Vulkan loader, once.
var loadLibrary = sync.OnceValue(func() error {
	reason := C.tg_load()
	if reason == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(reason))
	return errors.New(C.GoString(reason))
})

// layerPresent reports whether the validation layer is installed.
func layerPresent() bool { return C.tg_layer_present() != 0 }

func createInstance(validation bool) (instanceHandle, vk.Result) {
	var flag C.int
	if validation {
		flag = 1
	}
	var instance instanceHandle
	result := C.tg_instance_create(flag, &instance.c)
	return instance, vk.Result(result)
}

// maxPhysicalDevices limits the number of listed devices.
const maxPhysicalDevices = 64

func (i instanceHandle) devices() ([]physicalDevice, vk.Result) {
	var list [maxPhysicalDevices]C.VkPhysicalDevice
	count := C.uint32_t(len(list))
	if result := C.tg_instance_devices(i.c, &list[0], &count); result != 0 {
		return nil, vk.Result(result)
	}
	devices := make([]physicalDevice, count)
	for k := range devices {
		devices[k].c = list[k]
	}
	return devices, vk.Success
}

func (i instanceHandle) describe(p physicalDevice) description {
	c := (*C.tg_description)(C.calloc(1, C.sizeof_tg_description))
	defer C.free(unsafe.Pointer(c))
	C.tg_describe(i.c, p.c, c)

	properties, limits, memory := &c.properties, &c.properties.limits, &c.memory
	d := description{
		properties: vk.PhysicalDeviceProperties{
			ApiVersion: uint32(properties.apiVersion), DriverVersion: uint32(properties.driverVersion),
			VendorID: uint32(properties.vendorID), DeviceID: uint32(properties.deviceID),
			DeviceType:        vk.PhysicalDeviceType(properties.deviceType),
			PipelineCacheUUID: *(*[16]byte)(unsafe.Pointer(&properties.pipelineCacheUUID)),
		},
		limits: vk.PhysicalDeviceLimits{
			MaxStorageBufferRange:               uint32(limits.maxStorageBufferRange),
			MaxPerStageDescriptorStorageBuffers: uint32(limits.maxPerStageDescriptorStorageBuffers),
			MaxComputeSharedMemorySize:          uint32(limits.maxComputeSharedMemorySize),
			MaxComputeWorkGroupInvocations:      uint32(limits.maxComputeWorkGroupInvocations),
			MaxComputeWorkGroupSize:             *(*[3]uint32)(unsafe.Pointer(&limits.maxComputeWorkGroupSize)),
			MinStorageBufferOffsetAlignment:     uint64(limits.minStorageBufferOffsetAlignment),
		},
		deviceUUID:  *(*[16]byte)(unsafe.Pointer(&c.device_uuid)),
		driverUUID:  *(*[16]byte)(unsafe.Pointer(&c.driver_uuid)),
		deviceName:  C.GoString(&properties.deviceName[0]),
		driverName:  C.GoString(&c.driver_name[0]),
		driverInfo:  C.GoString(&c.driver_info[0]),
		queueFamily: uint32(c.queue_family),
		hasCompute:  c.queue_family != C.UINT32_MAX,
		hasTimeline: c.timeline != 0,
		controls:    controlsOf(&c.controls),
	}
	for _, t := range memory.memoryTypes[:memory.memoryTypeCount] {
		d.types = append(d.types, vk.MemoryType{PropertyFlags: vk.MemoryPropertyFlagBits(t.propertyFlags),
			HeapIndex: uint32(t.heapIndex)})
	}
	for _, h := range memory.memoryHeaps[:memory.memoryHeapCount] {
		d.heaps = append(d.heaps, vk.MemoryHeap{Size: uint64(h.size), Flags: vk.MemoryHeapFlagBits(h.flags)})
	}
	return d
}

// controlsOf returns the properties that the modules of this package need.
func controlsOf(c *C.VkPhysicalDeviceFloatControlsProperties) floatControls {
	set := func(has16, has32, has64 C.VkBool32) widths {
		return widths(boolean(has16 != 0))*width16 | widths(boolean(has32 != 0))*width32 | widths(boolean(has64 != 0))*width64
	}
	return floatControls{
		denormals: set(c.shaderDenormPreserveFloat16, c.shaderDenormPreserveFloat32, c.shaderDenormPreserveFloat64),
		rounding:  set(c.shaderRoundingModeRTEFloat16, c.shaderRoundingModeRTEFloat32, c.shaderRoundingModeRTEFloat64),
		zeros: set(c.shaderSignedZeroInfNanPreserveFloat16, c.shaderSignedZeroInfNanPreserveFloat32,
			c.shaderSignedZeroInfNanPreserveFloat64),
		denormalsTogether: c.denormBehaviorIndependence == C.VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE,
		roundingTogether:  c.roundingModeIndependence == C.VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_NONE,
	}
}

func (i instanceHandle) open(p physicalDevice, family uint32) (deviceHandle, vk.Result) {
	var d deviceHandle
	result := C.tg_device_create(i.c, p.c, C.uint32_t(family), &d.c)
	return d, vk.Result(result)
}

func (d deviceHandle) destroy() { C.tg_device_destroy(d.c) }

func (d deviceHandle) wait() vk.Result { return vk.Result(C.tg_device_wait(d.c)) }

// createBuffer creates a buffer without memory. It returns the size and the alignment of the memory that the buffer
// needs, and a bit set of the suitable memory types.
func (d deviceHandle) createBuffer(bytes int64,
	usage vk.BufferUsageFlagBits) (buffer bufferHandle, needs int64, types uint32, result vk.Result) {
	var handle C.VkBuffer
	var requirements C.VkMemoryRequirements
	result = vk.Result(C.tg_buffer_create(d.c, C.uint64_t(bytes), C.uint32_t(usage), &handle, &requirements))
	return bufferHandle(handle), int64(requirements.size), uint32(requirements.memoryTypeBits), result
}

// bind allocates memory of a type for a buffer, and maps it if mapped is true.
func (d deviceHandle) bind(buffer bufferHandle, bytes int64, memoryType uint32,
	mapped bool) (memoryHandle, unsafe.Pointer, vk.Result) {
	var memory C.VkDeviceMemory
	var address unsafe.Pointer
	var receiver *unsafe.Pointer
	if mapped {
		receiver = &address
	}
	result := C.tg_buffer_bind(d.c, C.VkBuffer(buffer), C.uint64_t(bytes), C.uint32_t(memoryType), &memory, receiver)
	return memoryHandle(memory), address, vk.Result(result)
}

// destroyBuffer destroys a buffer and its memory, which may be 0.
func (d deviceHandle) destroyBuffer(buffer bufferHandle, memory memoryHandle) {
	C.tg_buffer_destroy(d.c, C.VkBuffer(buffer), C.VkDeviceMemory(memory))
}

func (d deviceHandle) createTimeline() (timelineHandle, vk.Result) {
	var handle C.VkSemaphore
	result := C.tg_timeline_create(d.c, &handle)
	return timelineHandle(handle), vk.Result(result)
}

// timelineValue returns the current value, 0 if the driver cannot tell; the next call that can fail then returns the
// error.
func (d deviceHandle) timelineValue(t timelineHandle) uint64 {
	return uint64(C.tg_timeline_value(d.c, C.VkSemaphore(t)))
}

func (d deviceHandle) waitTimeline(t timelineHandle, value uint64) vk.Result {
	return vk.Result(C.tg_timeline_wait(d.c, C.VkSemaphore(t), C.uint64_t(value)))
}

func (d deviceHandle) destroyTimeline(t timelineHandle) { C.tg_timeline_destroy(d.c, C.VkSemaphore(t)) }

func (d deviceHandle) createCache(data []byte) (cacheHandle, vk.Result) {
	var handle C.VkPipelineCache
	result := C.tg_cache_create(d.c, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data)), &handle)
	return cacheHandle(handle), vk.Result(result)
}

// cacheData returns the content of a pipeline cache, nil if the driver does not provide it.
func (d deviceHandle) cacheData(cache cacheHandle) []byte {
	var size C.size_t
	if C.tg_cache_data(d.c, C.VkPipelineCache(cache), nil, &size) != 0 || size == 0 {
		return nil
	}
	data := make([]byte, size)
	if C.tg_cache_data(d.c, C.VkPipelineCache(cache), unsafe.Pointer(&data[0]), &size) != 0 {
		return nil
	}
	return data[:size]
}

func (d deviceHandle) destroyCache(cache cacheHandle) {
	C.tg_cache_destroy(d.c, C.VkPipelineCache(cache))
}

// pipelineHandle is a compute pipeline and its layouts.
type pipelineHandle struct{ c *C.tg_pipeline }

func (d deviceHandle) createPipeline(cache cacheHandle, code []byte, buffers, words int, size uint32, division,
	root bool, seedError int32) (pipelineHandle, vk.Result) {
	p := pipelineHandle{(*C.tg_pipeline)(C.calloc(1, C.sizeof_tg_pipeline))}
	result := C.tg_pipeline_create(d.c, C.VkPipelineCache(cache), unsafe.Pointer(unsafe.SliceData(code)),
		C.size_t(len(code)),
		C.uint32_t(buffers), C.uint32_t(words), C.uint32_t(size), boolean(division), boolean(root),
		C.int32_t(seedError), p.c)
	if result != 0 {
		C.free(unsafe.Pointer(p.c))
		p.c = nil
	}
	return p, vk.Result(result)
}

func boolean(b bool) C.uint32_t {
	if b {
		return 1
	}
	return 0
}

func (d deviceHandle) destroyPipeline(p pipelineHandle) {
	C.tg_pipeline_destroy(d.c, p.c)
	C.free(unsafe.Pointer(p.c))
}

func (d deviceHandle) createCommands(family uint32) (poolHandle, commandsHandle, vk.Result) {
	var pool C.VkCommandPool
	var commands commandsHandle
	result := C.tg_commands_create(d.c, C.uint32_t(family), &pool, &commands.c)
	return poolHandle(pool), commands, vk.Result(result)
}

// addCommands makes another command buffer in a pool, with which it is destroyed.
func (d deviceHandle) addCommands(pool poolHandle) (commandsHandle, vk.Result) {
	var commands commandsHandle
	result := C.tg_commands_add(d.c, C.VkCommandPool(pool), &commands.c)
	return commands, vk.Result(result)
}

func (d deviceHandle) begin(commands commandsHandle, usage vk.CommandBufferUsageFlagBits) vk.Result {
	return vk.Result(C.tg_commands_begin(d.c, commands.c, C.uint32_t(usage)))
}

func (d deviceHandle) end(commands commandsHandle) vk.Result {
	return vk.Result(C.tg_commands_end(d.c, commands.c))
}

func (d deviceHandle) resetPool(pool poolHandle) vk.Result {
	return vk.Result(C.tg_commands_reset(d.c, C.VkCommandPool(pool)))
}

func (d deviceHandle) destroyPool(pool poolHandle) { C.tg_commands_destroy(d.c, C.VkCommandPool(pool)) }

func (d deviceHandle) createDescriptorPool(sets, descriptors int) (descriptorPoolHandle, vk.Result) {
	var pool C.VkDescriptorPool
	result := C.tg_descriptors_create(d.c, C.uint32_t(sets), C.uint32_t(descriptors), &pool)
	return descriptorPoolHandle(pool), vk.Result(result)
}

func (d deviceHandle) resetDescriptorPool(pool descriptorPoolHandle) vk.Result {
	return vk.Result(C.tg_descriptors_reset(d.c, C.VkDescriptorPool(pool)))
}

func (d deviceHandle) destroyDescriptorPool(pool descriptorPoolHandle) {
	C.tg_descriptors_destroy(d.c, C.VkDescriptorPool(pool))
}

// descriptor is a range of a buffer bound to a shader, in the layout of VkDescriptorBufferInfo.
type descriptor struct {
	buffer bufferHandle
	offset uint64
	bytes  uint64
}

// dispatch records a dispatch of x times y workgroups. If indirect is not 0, the counts come from that buffer at
// offset.
func (d deviceHandle) dispatch(commands commandsHandle, p pipelineHandle, pool descriptorPoolHandle,
	bindings []descriptor,
	words []uint32, x, y uint32, indirect bufferHandle, offset int64) vk.Result {
	return vk.Result(C.tg_dispatch(d.c, commands.c, p.c, C.VkDescriptorPool(pool),
		(*C.VkDescriptorBufferInfo)(unsafe.Pointer(unsafe.SliceData(bindings))),
		(*C.uint32_t)(unsafe.Pointer(unsafe.SliceData(words))),
		C.uint32_t(x), C.uint32_t(y), C.VkBuffer(indirect), C.uint64_t(offset)))
}

func (d deviceHandle) copy(commands commandsHandle, from bufferHandle, fromOffset int64, to bufferHandle,
	toOffset, bytes int64) {
	C.tg_copy(d.c, commands.c, C.VkBuffer(from), C.uint64_t(fromOffset), C.VkBuffer(to), C.uint64_t(toOffset),
		C.uint64_t(bytes))
}

func (d deviceHandle) fill(commands commandsHandle, to bufferHandle, offset, bytes int64, pattern uint32) {
	C.tg_fill(d.c, commands.c, C.VkBuffer(to), C.uint64_t(offset), C.uint64_t(bytes), C.uint32_t(pattern))
}

func (d deviceHandle) barrier(commands commandsHandle, from, to vk.PipelineStageFlagBits, written,
	used vk.AccessFlagBits) {
	C.tg_barrier(d.c, commands.c, C.uint32_t(from), C.uint32_t(to), C.uint32_t(written), C.uint32_t(used))
}

// submit submits commands that wait for the timeline value wait, unless it is 0, and then signal the value signal.
func (d deviceHandle) submit(commands commandsHandle, t timelineHandle, wait, signal uint64) vk.Result {
	return vk.Result(C.tg_submit(d.c, commands.c, C.VkSemaphore(t), C.uint64_t(wait), C.uint64_t(signal)))
}

// ValidationMessages returns the messages of the validation layer since the last call, from all devices. There are none
// unless TRACKGEN_VULKAN_VALIDATION is set.
func ValidationMessages() []string {
	var messages []string
	for {
		text := C.tg_message()
		if text == nil {
			return messages
		}
		messages = append(messages, C.GoString(text))
		C.free(unsafe.Pointer(text))
	}
}
