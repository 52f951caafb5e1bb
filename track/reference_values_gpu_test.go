//go:build cgo && linux

package track

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// Unusual values give the same tracks on GPUs as on the CPU.
func TestUnusualValuesOnGPUs(t *testing.T) { // R109
	want := map[string]uint64{}
	for name, c := range unusual() {
		want[name] = bitsOf(t, batchOf(t, openCPU(t), c))
	}
	load := func(t *testing.T, e *emulator.Emulator) {
		for _, area := range []string{"checkpoint", "repulsive", "spline", "voronoi"} {
			e.LoadKernels(t, "../kernels/"+area+"/kernel_generated.cu")
		}
	}
	onGPUsWith(t, load, func(t *testing.T, device backend.Device) {
		for name, c := range unusual() {
			assert.Equal(t, want[name], bitsOf(t, batchOf(t, device, c)), name)
		}
	})
}
