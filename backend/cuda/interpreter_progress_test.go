//go:build cgo && linux

package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// everyProgressKernel follows cars past the checkpoints of hilly tracks.
func everyProgressKernel(t testing.TB, d backend.Device) {
	tracks, err := track.NewGenerator(d, tracktest.Small(tracktest.Config(track.Hull, 3, func(c *track.Config) {
		c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max, c.Elevation.MaxStep = "random_walk", -0.5, 0.5, 0.3
	})))
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	sampler, err := checkpoints.NewSampler(d, checkpoints.SourceOf(tracks.Track()), checkpoints.Config{Spacing: 0.3})
	require.NoError(t, err)
	defer func() { require.NoError(t, sampler.Close()) }()
}
