//go:build cgo && linux

package track

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// After a generator is closed, a graph of the caller still makes its tracks, as if it were open. Closing the graph
// releases the memory.
func TestGraphOutlivesGenerator(t *testing.T) { // R166
	ctx := context.Background()
	config := configOf(Polar, 3)
	want := batchOf(t, openCPU(t), config, WithEpoch(2)).Center
	run := func(t *testing.T, device backend.Device) {
		g, err := NewGenerator(device, config)
		require.NoError(t, err)
		mask, err := exec.FromSlice(device, []int32{1, 1, 1})
		require.NoError(t, err)
		centers, err := exec.NewArray[kernel.Vec3](device, len(want))
		require.NoError(t, err)
		defer func() { require.NoError(t, centers.Close()) }()
		stream := device.DefaultStream()
		require.NoError(t, stream.BeginCapture())
		lc, err := exec.For(ctx, device, exec.OnStream(stream))
		require.NoError(t, err)
		_, err = g.Regenerate(exec.With(ctx, lc), mask)
		require.NoError(t, err)
		exec.Copy(lc, centers, g.Track().Center)
		require.NoError(t, lc.Err())
		graph, err := stream.EndCapture()
		require.NoError(t, err)
		require.NoError(t, g.Close())
		require.NoError(t, mask.Close())
		again, err := NewGenerator(device, config, WithSeed(77)) // gets the memory of the first one if it was released
		require.NoError(t, err)
		defer func() { require.NoError(t, again.Close()) }()
		require.NoError(t, stream.Replay(graph))
		require.NoError(t, stream.Replay(graph))
		got, err := centers.Read(ctx)
		require.NoError(t, err)
		assert.Equal(t, bitsOfVectors(want), bitsOfVectors(got))
		require.NoError(t, graph.Close())
	}
	t.Run("cpu", func(t *testing.T) { run(t, openCPU(t)) })
	onGPUs(t, run)
}

func bitsOfVectors(vectors []kernel.Vec3) (bits [][3]uint32) {
	for _, v := range vectors {
		bits = append(bits, vec3Bits(v))
	}
	return bits
}

// A closed mask is refused on every device, even if the graph of its key has been captured.
func TestRegenerateWithAClosedMask(t *testing.T) { // R166
	ctx := context.Background()
	run := func(t *testing.T, device backend.Device) {
		g, err := NewGenerator(device, configOf(Polar, 3))
		require.NoError(t, err)
		defer func() { require.NoError(t, g.Close()) }()
		mask, err := exec.FromSlice(device, []int32{1, 0, 1})
		require.NoError(t, err)
		for range 2 {
			_, err = g.Regenerate(ctx, mask)
			require.NoError(t, err)
		}
		require.NoError(t, mask.Close())
		_, err = g.Regenerate(ctx, mask)
		require.ErrorIs(t, err, exec.ErrClosed)
		batch, err := g.Track().Batch(ctx)
		require.NoError(t, err)
		assert.Equal(t, []int32{2, 0, 2}, batch.Epoch, "the refused call does nothing")
	}
	t.Run("cpu", func(t *testing.T) { run(t, openCPU(t)) })
	onGPUs(t, run)
}
