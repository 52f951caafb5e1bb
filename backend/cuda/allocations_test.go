//go:build cgo && linux && !race && !asan

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Eager launches and replays allocate nothing.
func TestAllocations(t *testing.T) {
	start(t, 12080, 1)
	d := openTest(t)
	x, s := view(t, d, 10), newStream(t, d)
	require.NoError(t, s.BeginCapture())
	require.NoError(t, increment(s, x))
	g, err := s.EndCapture()
	require.NoError(t, err)
	launch := launchOf(x)
	for what, run := range map[string]func() error{
		"launch": func() error { return s.Launch(incrementDef, launch) },
		"fill":   func() error { return s.Fill(x, 3) },
		"replay": func() error { return s.Replay(g) },
		"sync":   s.Sync,
	} {
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if err := run(); err != nil {
				t.Error(err)
			}
		}), what)
	}
	require.NoError(t, g.Close())
}
