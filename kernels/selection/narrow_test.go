package selection_test

import (
	"slices"
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
		selection.Narrow(lc, selection.Groups(most), from, mask, to)
		require.NoError(t, lc.Err())
		got, err := to.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, int32(len(want)), got[0])
		require.Equal(t, append([]int32{}, want...), append([]int32{}, got[1:1+len(want)]...))
	})
}

// Several groups list the same as one would, whatever the number of envs: all of them, none, or some, with the ends of
// the envs of a group among them. What lies behind a list stays as it is.
func TestGroupsListTogether(t *testing.T) {
	device, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	const most = 5 * 16384
	mask, active := newArray(t, device, most), newArray(t, device, most+1)
	from, to := newArray(t, device, most+1), newArray(t, device, most+1)
	for _, envs := range []int32{0, 1, 127, 4095, 4096, 4097, 8191, 16385, 65536, 65537, 70001, most} {
		for _, every := range []int32{1, 3, 4096, most + 1} {
			marks, list := make([]int32, most), []int32{0}
			for e := range int32(most) {
				if e%every == every-1 {
					marks[e] = -e - 1
					if e < envs {
						list[0]++
						list = append(list, e)
					}
				}
			}
			want := slices.Clone(list)
			for int32(len(list)) < envs/2 { // envs that are not marked, after those that are
				list[0]++
				list = append(list, most-1)
			}
			if every != 1 {
				marks[most-1] = 0
				want = slices.DeleteFunc(want, func(e int32) bool { return e == most-1 })
				want[0] = int32(len(want) - 1)
				list[0] = int32(len(list) - 1)
			}
			unused := slices.Repeat([]int32{-7}, most+1)
			require.NoError(t, mask.Write(t.Context(), marks))
			require.NoError(t, active.Write(t.Context(), unused))
			require.NoError(t, to.Write(t.Context(), unused))
			require.NoError(t, from.Write(t.Context(), append(slices.Clone(list), unused[len(list):]...)))
			lc, err := exec.OnCurrentStream(device)
			require.NoError(t, err)
			selection.Compact(lc, selection.Groups(int(envs)), envs, mask, active)
			selection.Narrow(lc, selection.Groups(most), from, mask, to)
			require.NoError(t, lc.Err())
			for _, array := range []exec.Array[int32]{active, to} {
				got, err := array.Read(t.Context())
				require.NoError(t, err)
				if !slices.Equal(got, append(slices.Clone(want), unused[len(want):]...)) {
					require.Fail(t, "another list", "of %d envs, every %d: %d envs instead of %d", envs, every, got[0], want[0])
				}
			}
		}
	}
}

func TestGroups(t *testing.T) {
	for envs, want := range map[int]int{0: 1, 1: 1, 4096: 1, 4097: 2, 61440: 15, 65536: 16, 65537: 16, 1 << 30: 16} {
		require.Equal(t, want, selection.Groups(envs), "%d envs", envs)
	}
}

func newArray(t *testing.T, device backend.Device, n int) exec.Array[int32] {
	t.Helper()
	array, err := exec.NewArray[int32](device, n)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, array.Close()) })
	return array
}
