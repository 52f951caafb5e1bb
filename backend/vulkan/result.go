//go:build cgo && (linux || darwin)

package vulkan

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

// resultError returns the error for a result of Vulkan, nil for success.
func resultError(device, doing string, result vk.Result) error {
	failed := func(cause error) error {
		return fmt.Errorf("%s: %w", device, &backend.OperationError{Op: doing, Err: cause})
	}
	switch result {
	case vk.Success:
		return nil
	case vk.ErrorDeviceLost:
		return failed(backend.ErrDeviceLost)
	case vk.ErrorOutOfDeviceMemory, vk.ErrorOutOfHostMemory:
		return failed(fmt.Errorf("the driver has no memory for it: %w", backend.ErrOutOfMemory))
	}
	return failed(fmt.Errorf("%w (VkResult %d)", vk.Error(result), int32(result)))
}
