package noop_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend/noop"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// A generation of every generator runs, and its launches and memory are counted.
func TestGenerations(t *testing.T) {
	for _, name := range track.Generators() {
		t.Run(name, func(t *testing.T) {
			d := open(t)
			generator, err := track.NewGenerator(d, tracktest.Config(name, 1000))
			require.NoError(t, err)
			for range 2 {
				_, err = generator.Generate(t.Context())
				require.NoError(t, err)
			}
			r, err := noop.Of(d)
			require.NoError(t, err)
			require.NotEmpty(t, r.Kernels)
			require.Positive(t, r.Replays, "the generator replays its own graph")
			require.Greater(t, r.Device.Peak, int64(1000*8))
			require.NoError(t, generator.Close())
			require.NoError(t, d.Close())
			r, err = noop.Of(d)
			require.NoError(t, err)
			require.Zero(t, r.Device.Open+r.Host.Open)
		})
	}
}
