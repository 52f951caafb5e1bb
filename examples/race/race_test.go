package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/required"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The final state has the same bits on every device of this machine and on an emulated CUDA device, although cars
// finish or crash, and go on with new tracks that the device has made.
func TestSameBits(t *testing.T) {
	want := uint64(0)
	check := func(t *testing.T, device trackgen.Device) {
		t.Helper()
		defer func() { require.NoError(t, device.Close()) }()
		r, err := drive(t.Context(), device, 64, 300)
		require.NoError(t, err)
		if want == 0 {
			want = r.hash
		}
		assert.Equal(t, fmt.Sprintf("%016x", want), fmt.Sprintf("%016x", r.hash))
		assert.Greater(t, r.crashes, 2)
		assert.Greater(t, r.laps, 5)
		assert.GreaterOrEqual(t, r.episodes, r.laps)
	}
	for _, driver := range backend.Devices() {
		for _, info := range driver.Devices {
			t.Run(info.Name, func(t *testing.T) {
				device, err := backend.Open(info.Name)
				require.NoError(t, err)
				check(t, device)
			})
		}
	}
	t.Run("emulated cuda", func(t *testing.T) { check(t, openEmulated(t)) })
}

// If a Vulkan driver is required, the test above has run on it.
func TestVulkanIsThere(t *testing.T) {
	if !required.On(required.Vulkan) {
		t.Skip(required.Vulkan + " is not 1")
	}
	device, err := backend.Open("vulkan:0")
	require.NoError(t, err)
	require.NoError(t, device.Close())
}
