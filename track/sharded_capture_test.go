package track_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// A capture holds the work of one device: that of the others would run now and not be recorded.
func TestShardsAtOnceInACapture(t *testing.T) {
	devices := []backend.Device{open(t), open(t)}
	generator, err := track.NewShardedGenerator(devices, tracktest.Config(track.Bezier, 4))
	require.NoError(t, err)
	stream, err := devices[1].NewStream()
	require.NoError(t, err)
	lc, err := exec.For(t.Context(), devices[1], exec.OnStream(stream))
	require.NoError(t, err)
	require.NoError(t, stream.BeginCapture())
	require.ErrorIs(t, generator.Generate(exec.With(t.Context(), lc)), exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
	require.NoError(t, stream.Close())
	require.NoError(t, generator.Generate(t.Context()))
	require.NoError(t, generator.Close())
}
