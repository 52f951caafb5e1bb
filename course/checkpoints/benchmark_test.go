package checkpoints_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/track"
)

// BenchmarkRefresh places the checkpoints of 1024 tracks: of all, and of one in 32 as after the end of episodes.
func BenchmarkRefresh(b *testing.B) {
	const envs = 1024
	device, config := coursetest.OpenCPU(b), track.DefaultConfig()
	config.NumEnvs = envs
	g, err := track.NewGenerator(device, config)
	require.NoError(b, err)
	defer func() { require.NoError(b, g.Close()) }()
	s := newSampler(b, device, checkpoints.SourceOf(g.Track()), checkpoints.Config{Spacing: 0.5})
	values := make([]int32, envs)
	for e := 0; e < envs; e += 32 {
		values[e] = 1
	}
	mask := coursetest.Upload(b, device, values)
	b.Run("all", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := s.Refresh(b.Context())
			require.NoError(b, err)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/envs, "ns/env")
	})
	b.Run("masked", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := s.RefreshMasked(b.Context(), mask)
			require.NoError(b, err)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(envs/32), "ns/env")
	})
}
