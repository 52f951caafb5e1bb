//go:build cgo && linux

package parity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// passCheckpoints places checkpoints on hilly tracks.
func passCheckpoints(t *testing.T, device backend.Device) {
	t.Helper()
	tracks, err := track.NewGenerator(device, tracktest.Small(tracktest.Config(track.Hull, 3, hills)))
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	sampler, err := checkpoints.NewSampler(device, checkpoints.SourceOf(tracks.Track()), checkpoints.Config{Spacing: 0.3})
	require.NoError(t, err)
	require.NoError(t, device.CurrentStream().Sync())
	require.NoError(t, sampler.Close())
}
