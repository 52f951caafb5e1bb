package raceline_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
)

// A refresh of a batch, by the rounds of the optimisation.
func BenchmarkRefresh(b *testing.B) {
	device := coursetest.OpenCPU(b)
	c := track.DefaultConfig()
	c.NumEnvs = 256
	g, err := track.NewGenerator(device, c)
	require.NoError(b, err)
	defer func() { require.NoError(b, g.Close()) }()
	for _, rounds := range []int{1, 20} {
		b.Run(fmt.Sprintf("rounds=%d", rounds), func(b *testing.B) {
			config := raceline.DefaultConfig()
			config.Rounds = rounds
			optimiser, err := raceline.New(device, raceline.SourceOf(g.Track()), config)
			require.NoError(b, err)
			defer func() { require.NoError(b, optimiser.Close()) }()
			ctx := b.Context()
			for b.Loop() {
				require.NoError(b, optimiser.Refresh(ctx))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*c.NumEnvs), "ns/env")
		})
	}
}
