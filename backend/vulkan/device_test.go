//go:build cgo && linux

package vulkan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

func TestSmoke(t *testing.T) {
	d := openTest(t, backend.Options{})
	x, flag := alloc(t, d, 1, 2, 3, 4), alloc(t, d, 0)
	affine(t, d.base, x, 3, 1)
	require.Equal(t, []int32{4, 7, 10, 13}, read(t, d, x))
	s := newStream(t, d)
	g := recordGraph(t, s, func() {
		affine(t, s, x, 1, 1)
		when(t, s, flag, func(inner backend.Stream) { affine(t, inner, x, 10, 0) })
	})
	require.NoError(t, s.Replay(g))
	require.NoError(t, s.Sync())
	require.Equal(t, []int32{5, 8, 11, 14}, read(t, d, x))
	write(t, d, flag, 1)
	require.NoError(t, s.Replay(g))
	require.NoError(t, s.Sync())
	require.Equal(t, []int32{60, 90, 120, 150}, read(t, d, x))
	when(t, s, flag, func(inner backend.Stream) { affine(t, inner, x, 1, 1) })
	require.NoError(t, s.Sync())
	require.Equal(t, []int32{61, 91, 121, 151}, read(t, d, x))
}
