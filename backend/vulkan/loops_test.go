//go:build cgo && (linux || darwin)

package vulkan

import (
	_ "embed"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernel/iterations"
)

//go:embed testdata/loops.spv
var loopsCode []byte

// lavapipe silently ends the loops of an invocation after 65535 iterations in total (Mesa 22.3). Kernels must stay
// below that, so the test checks that the limit is not lower, and logs it.
func TestLoopLimit(t *testing.T) {
	d := openTest(t, backend.Options{})
	loops := &kernel.Def{Name: "vulkan.loops", Shader: loopsCode, Params: affineDef.Params}
	x := alloc(t, d, 0)
	made := func(outer, inner uint32) int32 {
		write(t, d, x, 0)
		require.NoError(t, d.DefaultStream().Launch(loops, backend.Launch{N: 1, Buffers: []backend.View{x},
			Scalars: []uint32{outer, inner}}))
		return read(t, d, x)[0]
	}
	require.Equal(t, int32(65_000), made(1, 65_000))
	require.Equal(t, int32(60_000), made(200, 300))
	// The test that ends a loop counts: each outer iteration is one, and its inner loop one more than its iterations.
	require.Equal(t, int32(63_000), made(1000, 63))
	if n := made(1, 1_000_000); n < 1_000_000 {
		t.Logf("%s ends loops after %d iterations", d.info.Driver, n)
		require.Less(t, made(1000, 64), int32(64_000))
		require.NotZero(t, d.Caps().LoopIterations)
	}
}

// A launch whose loops the driver would end early is refused.
func TestLongLoopsAreRefused(t *testing.T) {
	d := openTest(t, backend.Options{})
	d.loops = loopsOfLavapipe
	loops := &kernel.Def{Name: "vulkan.loops", Shader: loopsCode, Params: affineDef.Params,
		Iterations: func(_ int32, args *kernel.Args) float64 {
			return iterations.Loop(float64(args.Scalars[0]), iterations.Loop(float64(args.Scalars[1]), 0))
		}}
	x := alloc(t, d, 0)
	launch := func(outer, inner uint32) error {
		return d.DefaultStream().Launch(loops,
			backend.Launch{N: 1, Buffers: []backend.View{x}, Scalars: []uint32{outer, inner}})
	}
	require.NoError(t, launch(1000, 63))
	require.ErrorIs(t, launch(1000, 64), backend.ErrUnsupported)
}
