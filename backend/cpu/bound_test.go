package cpu

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// A launch skips the items beyond its bound, which it reads when it runs.
func TestBound(t *testing.T) {
	d := openTest(t, backend.Options{})
	const n = 100
	bound, x := alloc(t, d, 1), alloc(t, d, n)
	count := kernel.Def{ // ignores its bound, to show which items run
		Name: "cpu.bound", Bound: 1,
		Params: []kernel.Param{{Name: "bound", Type: kernel.Int32, Buffer: true, Access: kernel.Read},
			{Name: "x", Type: kernel.Int32, Buffer: true, Access: kernel.ReadWrite}},
		Go: func(first, last int32, args *kernel.Args) {
			for i := first; i < last; i++ {
				kernel.Slice[int32](args, 1)[i]++
			}
		},
	}
	launch := func(bound backend.View) {
		require.NoError(t, d.base.Launch(&count, backend.Launch{N: n, Buffers: []backend.View{bound, x}}))
	}
	g := record(t, d.base, func() { launch(bound) })
	for _, c := range []struct{ bound, want int32 }{{0, 0}, {1, 1}, {n - 1, n - 1}, {n, n}, {n + 1, n}, {-1, 0},
		{math.MinInt32, 0}, {math.MaxInt32, n}} {
		for _, run := range []func(){func() { launch(bound) }, func() { require.NoError(t, d.base.Replay(g)) }} {
			clear(ints(t, x))
			ints(t, bound)[0] = c.bound
			run()
			total := int32(0)
			for _, value := range ints(t, x) {
				total += value
			}
			require.Equal(t, c.want, total, "items that ran with the bound %d", c.bound)
		}
	}
	clear(ints(t, x))
	launch(backend.View{}) // no element, no bound: the kernel checks for itself
	require.Equal(t, int32(1), ints(t, x)[n-1])
}
