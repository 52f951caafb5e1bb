//go:build cgo && linux

package cuda

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// kernelOn is a kernel on a device with a number of multiprocessors, of 2048 threads each.
func kernelOn(multiprocessors int32) *function {
	return &function{maxThreads: 1024, multiprocessors: multiprocessors, takes: resources{blocks: [4]int32{32, 32, 16, 8}}}
}

// A small launch gives all multiprocessors a block, if there are items for it; a large one has large blocks, and fills
// the device a few times.
func TestShapeOfThreadKernels(t *testing.T) {
	def := &kernel.Def{}
	for _, c := range []struct {
		multiprocessors int32
		n               int
		grid, block     uint32
	}{
		{132, 1, 1, 32}, {132, 32, 1, 32}, {132, 33, 2, 32}, {132, 512, 16, 32}, {132, 4096, 128, 32},
		{132, 131*64 + 1, 132, 64}, {132, 8192, 256, 32}, {132, 16384, 256, 64}, {132, 131*256 + 1, 132, 256},
		{132, 65536, 256, 256}, {132, 132 * 8 * 4 * 256, 4224, 256}, {132, 10_000_000, 4224, 256},
		{132, math.MaxInt32, 4224, 256},
		{1, 1, 1, 256}, {1, 257, 2, 256}, {1, 10_000_000, 32, 256}, {16, 4096, 16, 256}, {16, 4095, 16, 256},
		{16, 2048, 16, 128}, {16, 600, 19, 32},
		{0, 4096, 16, 256}, // the driver does not say it
	} {
		grid, block := shape(&recorder.Operation{Def: def, N: int32(c.n)}, kernelOn(c.multiprocessors))
		require.Equal(t, [2]uint32{c.grid, c.block}, [2]uint32{grid, block}, "%d multiprocessors, %d items",
			c.multiprocessors, c.n)
	}
	f := kernelOn(132)
	f.takes.blocks = [4]int32{} // a driver that does not say how many blocks run at once
	grid, block := shape(&recorder.Operation{Def: def, N: math.MaxInt32}, f)
	require.Equal(t, [2]uint32{1 << 23, 256}, [2]uint32{grid, block})
	f.maxThreads = 96 // of a kernel with many registers
	grid, block = shape(&recorder.Operation{Def: def, N: 1 << 20}, f)
	require.Equal(t, [2]uint32{1 << 14, 64}, [2]uint32{grid, block})
	f.maxThreads = 20
	grid, block = shape(&recorder.Operation{Def: def, N: 41}, f)
	require.Equal(t, [2]uint32{3, 20}, [2]uint32{grid, block})
}

// What a launch asks for is kept, and groups are blocks.
func TestShapeAsAskedFor(t *testing.T) {
	f := kernelOn(132)
	for _, c := range []struct {
		o           recorder.Operation
		grid, block uint32
	}{
		{recorder.Operation{Def: &kernel.Def{}, N: 1000, Block: 128}, 8, 128},
		{recorder.Operation{Def: &kernel.Def{}, N: 1000, Block: 2048}, 1, 1024},
		{recorder.Operation{Def: &kernel.Def{}, N: 1000, MaxBlocks: 3}, 3, 32},
		{recorder.Operation{Def: &kernel.Def{Group: true, Lanes: 64}, N: 1_000_000}, 1_000_000, 64},
		{recorder.Operation{Def: &kernel.Def{Group: true, Lanes: 64}, N: 1000, MaxBlocks: 7}, 7, 64},
	} {
		grid, block := shape(&c.o, f)
		require.Equal(t, [2]uint32{c.grid, c.block}, [2]uint32{grid, block})
	}
}

// No result depends on how many multiprocessors the device has: the PTX gives the bits of the CPU, eager and replayed.
func TestMultiprocessorsChangeNoResult(t *testing.T) {
	config := tracktest.Small(tracktest.Config(track.Polar, 67, func(c *track.Config) {
		c.Candidates, c.Road.HalfWidth = 3, 0.15
		c.Relax.Sweeps, c.Output.MaxPoints = 4, 48
	}))
	for _, multiprocessors := range []int{1, 16, 132} {
		t.Run(fmt.Sprint(multiprocessors), func(t *testing.T) {
			e := startInterpreter(t, 12080)
			e.SetAttribute(16, multiprocessors)
			cpu, err := backend.Open("cpu")
			require.NoError(t, err)
			defer func() { require.NoError(t, cpu.Close()) }()
			comparisons, err := parity.Compare(t.Context(), []backend.Device{cpu, openTest(t)}, config, 5,
				[]parity.Mode{parity.Eager, parity.Replay}, nil)
			require.NoError(t, err)
			require.Len(t, comparisons, 4)
			for _, c := range comparisons {
				require.Nil(t, c.First, "%s, %s: %v", c.Device, c.Mode, c.First)
			}
		})
	}
}
