//go:build cgo && linux

package track

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// Circuits with heights and banking have the same bits on every device.
func TestCircuitsWithHeightsOnGPUs(t *testing.T) {
	var c Circuit
	for i := range 90 {
		u := 2 * math.Pi * float64(i) / 90
		c.X, c.Y = append(c.X, 60*math.Cos(u)+10*math.Cos(2*u)), append(c.Y, 45*math.Sin(u))
		c.Z = append(c.Z, 4*math.Sin(3*u)+math.Sin(20*u)/10)
	}
	optionsOf := []ImportOptions{
		{HalfWidth: 4}, {HalfWidth: 4, HeightSmoothing: 20, MaxGrade: 0.1}, {HalfWidth: 4, Relax: true, BankFactor: 5},
	}
	imported := func(t *testing.T, device backend.Device) (batches []*Batch) {
		for _, options := range optionsOf {
			tracks, err := Import(context.Background(), device, options, c)
			require.NoError(t, err)
			batch, err := tracks.Batch(context.Background())
			require.NoError(t, err)
			require.NoError(t, tracks.Close())
			batches = append(batches, batch)
		}
		return batches
	}
	want := imported(t, openCPU(t))
	require.Equal(t, []Reason{0, ReasonGrade, 0}, []Reason{want[0].Reason[0], want[1].Reason[0], want[2].Reason[0]})
	load := func(t *testing.T, e *emulator.Emulator) { e.LoadKernels(t, "../kernels/measured/kernel_generated.cu") }
	onGPUsWith(t, load, func(t *testing.T, device backend.Device) {
		assert.Equal(t, want, imported(t, device))
	})
}
