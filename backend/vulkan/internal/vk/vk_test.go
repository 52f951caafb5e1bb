//go:build cgo && linux

package vk

import (
	"testing"

	"github.com/stretchr/testify/require"
	official "github.com/vulkan-go/vulkan"
)

// The numbers are those of package vulkan-go, which is generated from the specification.
func TestNumbers(t *testing.T) {
	for own, other := range map[any]any{
		PhysicalDeviceTypeOther: official.PhysicalDeviceTypeOther, PhysicalDeviceTypeCpu: official.PhysicalDeviceTypeCpu,
		PhysicalDeviceTypeIntegratedGpu: official.PhysicalDeviceTypeIntegratedGpu,
		PhysicalDeviceTypeDiscreteGpu:   official.PhysicalDeviceTypeDiscreteGpu,
		PhysicalDeviceTypeVirtualGpu:    official.PhysicalDeviceTypeVirtualGpu,

		MemoryPropertyDeviceLocalBit:  official.MemoryPropertyDeviceLocalBit,
		MemoryPropertyHostVisibleBit:  official.MemoryPropertyHostVisibleBit,
		MemoryPropertyHostCoherentBit: official.MemoryPropertyHostCoherentBit,
		MemoryPropertyHostCachedBit:   official.MemoryPropertyHostCachedBit,
		MemoryHeapDeviceLocalBit:      official.MemoryHeapDeviceLocalBit,

		BufferUsageTransferSrcBit:    official.BufferUsageTransferSrcBit,
		BufferUsageTransferDstBit:    official.BufferUsageTransferDstBit,
		BufferUsageStorageBufferBit:  official.BufferUsageStorageBufferBit,
		BufferUsageIndirectBufferBit: official.BufferUsageIndirectBufferBit,

		CommandBufferUsageOneTimeSubmitBit:   official.CommandBufferUsageOneTimeSubmitBit,
		CommandBufferUsageSimultaneousUseBit: official.CommandBufferUsageSimultaneousUseBit,

		PipelineStageDrawIndirectBit:  official.PipelineStageDrawIndirectBit,
		PipelineStageComputeShaderBit: official.PipelineStageComputeShaderBit,
		PipelineStageTransferBit:      official.PipelineStageTransferBit,
		PipelineStageHostBit:          official.PipelineStageHostBit,

		AccessIndirectCommandReadBit: official.AccessIndirectCommandReadBit,
		AccessShaderReadBit:          official.AccessShaderReadBit,
		AccessShaderWriteBit:         official.AccessShaderWriteBit,
		AccessTransferReadBit:        official.AccessTransferReadBit,
		AccessTransferWriteBit:       official.AccessTransferWriteBit,
		AccessHostReadBit:            official.AccessHostReadBit,
	} {
		require.EqualValues(t, other, own, "%T", own)
	}
	require.NoError(t, Error(Success))
	for _, r := range []official.Result{official.NotReady, official.Timeout, official.EventSet, official.EventReset,
		official.Incomplete, official.ErrorOutOfHostMemory, official.ErrorOutOfDeviceMemory,
		official.ErrorInitializationFailed, official.ErrorDeviceLost, official.ErrorMemoryMapFailed,
		official.ErrorLayerNotPresent, official.ErrorExtensionNotPresent, official.ErrorFeatureNotPresent,
		official.ErrorIncompatibleDriver, official.ErrorTooManyObjects, official.ErrorFormatNotSupported,
		official.ErrorFragmentedPool, official.ErrorOutOfPoolMemory} {
		require.ErrorContains(t, Error(Result(r)), "vulkan error: ")
		require.NotContains(t, Error(Result(r)).Error(), "unknown", "result %d", r)
	}
	require.EqualError(t, Error(ErrorDeviceLost), official.Error(official.ErrorDeviceLost).Error())
	require.EqualError(t, Error(12345), "vulkan error: unknown result")
	require.Equal(t, official.Version(official.MakeVersion(1, 3, 230)).String(), Version(1<<22|3<<12|230).String())
}
