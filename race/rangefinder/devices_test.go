//go:build cgo && linux

package rangefinder_test

import (
	"testing"

	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/internal/coursetest"
)

// CUDA with an emulated driver and, where there is a driver, Vulkan give the bits of the rules in every way to run.
func TestDevicesGiveTheBitsOfTheRules(t *testing.T) {
	start := func(t *testing.T) coursetest.Emulator { return emulator.Start(t, 12080, 1) }
	coursetest.OnDevices(t, start, []string{"rangefinder", "selection", "polyline", "borders"}, checkDevice)
}
