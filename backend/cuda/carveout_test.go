//go:build cgo && linux

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Multiprocessors of several compute capabilities, as the CUDA C++ Programming Guide lists them.
var (
	turing = multiprocessor{threads: 1024, blocks: 16, registers: 65536, shared: 64 << 10}
	ampere = multiprocessor{threads: 1536, blocks: 16, registers: 65536, shared: 100 << 10, reserved: 1 << 10} // sm_86
	hopper = multiprocessor{threads: 2048, blocks: 32, registers: 65536, shared: 228 << 10, reserved: 1 << 10}
)

// The carve-out holds the blocks that threads and registers allow, and no more.
func TestCarveout(t *testing.T) {
	relax := resources{threads: 128, registers: 64, shared: 26880}
	small := resources{threads: 128, registers: 64, shared: 9216}
	for _, c := range []struct {
		m       multiprocessor
		r       resources
		percent int
	}{
		{turing, relax, 100}, // 8 blocks would be 210 KB
		{ampere, relax, 100}, // likewise
		{hopper, relax, 96},  // 8 blocks by registers, of 27.25 KB
		{hopper, small, 36},  // 8 blocks by registers
		{ampere, small, 80},  // 8 blocks by registers
		{turing, small, 100}, // 8 blocks of 9 KB: 72 KB
		{hopper, resources{threads: 64, registers: 32, shared: 512}, 22},      // 32 blocks of 1.5 KB
		{hopper, resources{threads: 33, registers: 40, shared: 512}, 16},      // 24 blocks: a warp has 1280 registers
		{ampere, resources{threads: 32, registers: 255, shared: 100}, 9},      // 8 warps, of which each has 8192 registers
		{ampere, resources{threads: 1024, registers: 128, shared: 40000}, 41}, // at least one
		{multiprocessor{threads: 1024, shared: 1 << 16}, resources{threads: 128, registers: 32, shared: 1024}, 13},
	} {
		percent, some := c.m.carveout(c.r)
		require.True(t, some)
		require.Equal(t, c.percent, percent, "%+v of %+v", c.r, c.m)
	}
	for _, c := range []struct {
		m multiprocessor
		r resources
	}{{hopper, resources{threads: 128, registers: 64}}, {hopper, resources{shared: 100}},
		{multiprocessor{}, relax}, {multiprocessor{threads: 2048}, relax}, {multiprocessor{shared: 1 << 16}, relax}} {
		_, some := c.m.carveout(c.r)
		require.False(t, some)
	}
}

// The driver gets the hint when a kernel is loaded. If it refuses the hint, the kernel works all the same.
func TestDriverGetsCarveout(t *testing.T) {
	e := start(t, 12080, 1)
	for attribute, value := range map[int]int{39: 1536, 81: 100 << 10, 82: 65536, 106: 16, 111: 1 << 10} {
		e.SetAttribute(attribute, value)
	}
	d := openTest(t)
	require.Equal(t, ampere, d.multiprocessor)
	e.SetResources(24, 4096)
	require.NoError(t, d.Load(incrementDef))
	require.Equal(t, 5, e.Carveout(incrementDef.Entry), "one block of 1024 threads, which is the emulator's maximum")
	e.SetResources(24, 0)
	again := openTest(t)
	require.NoError(t, again.Load(incrementDef))
	refused := openTest(t)
	e.SetResources(24, 4096)
	e.FailNext("cuFuncSetAttribute", codeNotSupported)
	x := view(t, refused, 1)
	require.NoError(t, increment(refused.DefaultStream(), x))
	require.Equal(t, "cuFuncSetAttribute", e.Failed())
	require.Equal(t, int32(1), get(t, refused, x))
}
