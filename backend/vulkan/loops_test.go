//go:build cgo && linux

package vulkan

import (
	_ "embed"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
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
	if n := made(1, 1_000_000); n < 1_000_000 {
		t.Logf("%s ends loops after %d iterations", d.info.Driver, n)
	}
}
