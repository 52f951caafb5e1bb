// Package vk has the part of Vulkan's enumerations and properties that the backend uses, under the names that package
// vulkan-go gives them, against which a test compares them. Package vulkan-go itself is not used, because on macOS
// every program that imports it must be linked with MoltenVK.
package vk

import "fmt"

// Result is a VkResult.
type Result int32

// The results with which calls of the backend end.
const (
	Success                 Result = 0
	NotReady                Result = 1
	Timeout                 Result = 2
	EventSet                Result = 3
	EventReset              Result = 4
	Incomplete              Result = 5
	ErrorOutOfHostMemory    Result = -1
	ErrorOutOfDeviceMemory  Result = -2
	ErrorInitialization     Result = -3
	ErrorDeviceLost         Result = -4
	ErrorMemoryMapFailed    Result = -5
	ErrorLayerNotPresent    Result = -6
	ErrorExtensionMissing   Result = -7
	ErrorFeatureNotPresent  Result = -8
	ErrorIncompatibleDriver Result = -9
	ErrorTooManyObjects     Result = -10
	ErrorFormat             Result = -11
	ErrorFragmentedPool     Result = -12
	ErrorUnknown            Result = -13
	ErrorOutOfPoolMemory    Result = -1000069000
)

var texts = map[Result]string{
	NotReady:                "not ready",
	Timeout:                 "timeout",
	EventSet:                "event set",
	EventReset:              "event reset",
	Incomplete:              "incomplete",
	ErrorOutOfHostMemory:    "out of host memory",
	ErrorOutOfDeviceMemory:  "out of device memory",
	ErrorInitialization:     "initialization failed",
	ErrorDeviceLost:         "device lost",
	ErrorMemoryMapFailed:    "memory map failed",
	ErrorLayerNotPresent:    "layer not present",
	ErrorExtensionMissing:   "extension not present",
	ErrorFeatureNotPresent:  "feature not present",
	ErrorIncompatibleDriver: "incompatible driver",
	ErrorTooManyObjects:     "too many objects",
	ErrorFormat:             "format not supported",
	ErrorFragmentedPool:     "fragmented pool",
	ErrorUnknown:            "unknown error",
	ErrorOutOfPoolMemory:    "out of pool memory",
}

// failure is a result as an error.
type failure Result

func (f failure) Error() string {
	if text, known := texts[Result(f)]; known {
		return "vulkan error: " + text
	}
	return "vulkan error: unknown result"
}

// Error returns the error for a result, nil for success.
func Error(r Result) error {
	if r == Success {
		return nil
	}
	return failure(r)
}

// Version is a version of the interface.
type Version uint32

// String returns it as 1.2.3.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v>>22&0x7f, v>>12&0x3ff, v&0xfff) }

// PhysicalDeviceType is a VkPhysicalDeviceType.
type PhysicalDeviceType int32

// The types of devices.
const (
	PhysicalDeviceTypeOther PhysicalDeviceType = iota
	PhysicalDeviceTypeIntegratedGpu
	PhysicalDeviceTypeDiscreteGpu
	PhysicalDeviceTypeVirtualGpu
	PhysicalDeviceTypeCpu
)

// PhysicalDeviceProperties is a part of VkPhysicalDeviceProperties.
type PhysicalDeviceProperties struct {
	ApiVersion, DriverVersion uint32
	VendorID, DeviceID        uint32
	DeviceType                PhysicalDeviceType
	PipelineCacheUUID         [16]byte
}

// PhysicalDeviceLimits is a part of VkPhysicalDeviceLimits.
type PhysicalDeviceLimits struct {
	MaxStorageBufferRange               uint32
	MaxPerStageDescriptorStorageBuffers uint32
	MaxComputeSharedMemorySize          uint32
	MaxComputeWorkGroupInvocations      uint32
	MaxComputeWorkGroupSize             [3]uint32
	MinStorageBufferOffsetAlignment     uint64
}

// MemoryPropertyFlagBits is a set of properties of a memory type.
type MemoryPropertyFlagBits uint32

// The properties of memory types in Vulkan 1.0, without lazy allocation.
const (
	MemoryPropertyDeviceLocalBit MemoryPropertyFlagBits = 1 << iota
	MemoryPropertyHostVisibleBit
	MemoryPropertyHostCoherentBit
	MemoryPropertyHostCachedBit
)

// MemoryType is a VkMemoryType.
type MemoryType struct {
	PropertyFlags MemoryPropertyFlagBits
	HeapIndex     uint32
}

// MemoryHeapFlagBits is a set of properties of a memory heap.
type MemoryHeapFlagBits uint32

// MemoryHeapDeviceLocalBit marks memory of the device.
const MemoryHeapDeviceLocalBit MemoryHeapFlagBits = 1

// MemoryHeap is a VkMemoryHeap.
type MemoryHeap struct {
	Size  uint64 // in bytes
	Flags MemoryHeapFlagBits
}

// BufferUsageFlagBits is a set of uses of a buffer.
type BufferUsageFlagBits uint32

// The uses of the backend's buffers.
const (
	BufferUsageTransferSrcBit    BufferUsageFlagBits = 0x1
	BufferUsageTransferDstBit    BufferUsageFlagBits = 0x2
	BufferUsageStorageBufferBit  BufferUsageFlagBits = 0x20
	BufferUsageIndirectBufferBit BufferUsageFlagBits = 0x100
)

// CommandBufferUsageFlagBits says how a command buffer is used.
type CommandBufferUsageFlagBits uint32

// The uses of the backend's command buffers.
const (
	CommandBufferUsageOneTimeSubmitBit   CommandBufferUsageFlagBits = 0x1
	CommandBufferUsageSimultaneousUseBit CommandBufferUsageFlagBits = 0x4
)

// PipelineStageFlagBits is a set of stages in which commands run.
type PipelineStageFlagBits uint32

// The stages of the backend's commands.
const (
	PipelineStageDrawIndirectBit  PipelineStageFlagBits = 0x2
	PipelineStageComputeShaderBit PipelineStageFlagBits = 0x800
	PipelineStageTransferBit      PipelineStageFlagBits = 0x1000
	PipelineStageHostBit          PipelineStageFlagBits = 0x4000
)

// AccessFlagBits is a set of kinds of access to memory.
type AccessFlagBits uint32

// The accesses of the backend's commands.
const (
	AccessIndirectCommandReadBit AccessFlagBits = 0x1
	AccessShaderReadBit          AccessFlagBits = 0x20
	AccessShaderWriteBit         AccessFlagBits = 0x40
	AccessTransferReadBit        AccessFlagBits = 0x800
	AccessTransferWriteBit       AccessFlagBits = 0x1000
	AccessHostReadBit            AccessFlagBits = 0x2000
)
