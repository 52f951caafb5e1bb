package heightfield_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/track"
)

// BenchmarkBake bakes 64 tracks of about 384 points. "all segments" is the search of the tests, on one core.
func BenchmarkBake(b *testing.B) {
	const envs = 64
	device := openCPU(b)
	tracks := hilly(envs)
	tracks.Road.HalfWidth = 0.025
	tracks.Output.Spacing = 0.015
	tracks.Output.MaxPoints = 1024
	g, err := track.NewGenerator(device, tracks)
	require.NoError(b, err)
	defer func() { require.NoError(b, g.Close()) }()
	batch, err := g.Track().Batch(context.Background())
	require.NoError(b, err)
	points := 0
	for _, n := range batch.Count {
		points += int(n)
	}
	for _, c := range []heightfield.Config{configOf(64, heightfield.Nearest), configOf(64, heightfield.Smooth)} {
		b.Run(c.Blend.Mode, func(b *testing.B) {
			baker, err := heightfield.NewBaker(device, heightfield.SourceOf(g.Track()), c)
			require.NoError(b, err)
			defer func() { require.NoError(b, baker.Close()) }()
			b.ReportAllocs()
			for b.Loop() {
				_, err := baker.Bake(context.Background())
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/envs, "µs/env")
			b.ReportMetric(float64(points)/envs, "points/env")
		})
	}
	b.Run("all segments", func(b *testing.B) {
		for b.Loop() {
			referenceOf(batch, configOf(64, heightfield.Nearest))
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/envs, "µs/env")
	})
}
