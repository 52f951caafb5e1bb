//go:build cgo && linux

package vulkan

import (
	"fmt"

	vk "github.com/vulkan-go/vulkan"

	"github.com/trackgen-go/trackgen/backend"
)

// resultError makes an error of a result of Vulkan, nil of success.
func resultError(device, doing string, result vk.Result) error {
	switch result {
	case vk.Success:
		return nil
	case vk.ErrorDeviceLost:
		return fmt.Errorf("%s: %s: %w", device, doing, backend.ErrDeviceLost)
	case vk.ErrorOutOfDeviceMemory, vk.ErrorOutOfHostMemory:
		return fmt.Errorf("%s: %s: the driver has no memory for it: %w", device, doing, backend.ErrOutOfMemory)
	}
	return fmt.Errorf("%s: %s: %w (VkResult %d)", device, doing, vk.Error(result), int32(result))
}
