package selection_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/selection"
)

// narrow lists the marked envs of a list, in its order, whatever the marks of other envs are.
func TestNarrow(t *testing.T) {
	device, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	const most = 700
	from, to, mask := newArray(t, device, most+1), newArray(t, device, most+1), newArray(t, device, most)
	rapid.Check(t, func(t *rapid.T) {
		envs := rapid.IntRange(0, most).Draw(t, "envs")
		marks, list := make([]int32, most), make([]int32, most+1)
		seed := uint32(rapid.Uint32().Draw(t, "content"))
		next := func() uint32 { seed = seed*747796405 + 2891336453; return seed >> 16 }
		for e := range marks {
			marks[e] = int32(next()%3) - 1
		}
		listed := 0
		for e := range most {
			if listed < envs && next()%2 == 0 {
				listed++
				list[listed] = int32(e)
			}
		}
		list[0] = int32(listed)
		var want []int32
		for _, env := range list[1 : listed+1] {
			if marks[env] != 0 {
				want = append(want, env)
			}
		}
		require.NoError(t, from.Write(t.Context(), list))
		require.NoError(t, mask.Write(t.Context(), marks))
		lc, err := exec.OnCurrentStream(device)
		require.NoError(t, err)
		selection.Narrow(lc, 1, from, mask, to)
		require.NoError(t, lc.Err())
		got, err := to.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, int32(len(want)), got[0])
		require.Equal(t, append([]int32{}, want...), append([]int32{}, got[1:1+len(want)]...))
	})
}

func newArray(t *testing.T, device backend.Device, n int) exec.Array[int32] {
	t.Helper()
	array, err := exec.NewArray[int32](device, n)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, array.Close()) })
	return array
}
