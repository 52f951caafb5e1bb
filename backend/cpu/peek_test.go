package cpu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

var _ backend.Peeker = (*recorder.Polling)(nil)

func TestPeek(t *testing.T) { // R34
	d := openTest(t, backend.Options{})
	v := alloc(t, d, 2)
	flag := backend.View{Buffer: v.Buffer, Offset: 4, Bytes: 4}
	ints(t, v)[1] = -7
	value, err := d.base.Peek(flag)
	require.NoError(t, err)
	require.Equal(t, int32(-7), value)
	require.Zero(t, testing.AllocsPerRun(20, func() { _, _ = d.base.Peek(flag) }))

	_, err = d.base.Peek(v)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = d.base.Peek(backend.View{})
	require.ErrorIs(t, err, backend.ErrInvalid)
	record(t, d.base, func() {
		_, err := d.base.Peek(flag)
		require.ErrorIs(t, err, backend.ErrCapture)
	})
	closed := alloc(t, d, 1)
	require.NoError(t, closed.Buffer.Close())
	_, err = d.base.Peek(closed)
	require.ErrorIs(t, err, backend.ErrClosed)
}

// The graph counts the iterations of a loop anew in each replay (decision D12).
func TestRepeatCounts(t *testing.T) {
	d := openTest(t, backend.Options{})
	flag, x := alloc(t, d, 1), alloc(t, d, 1)
	ints(t, flag)[0] = 1
	g := record(t, d.base, func() {
		require.NoError(t, d.base.Repeat(flag, 3, func(inner backend.Stream) error {
			return inner.Launch(quick, launchOf(x))
		}))
	})
	require.Equal(t, 2, g.Nodes())
	require.NoError(t, d.base.Replay(g))
	require.NoError(t, d.base.Replay(g))
	require.Equal(t, int32(6), ints(t, x)[0])
}
