package preview_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/preview"
)

// BenchmarkUpdate observes 20 places of 7 channels for one agent in each of 4096 envs, on one worker.
func BenchmarkUpdate(b *testing.B) {
	const envs = 4096
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{84, 840} {
		b.Run(fmt.Sprint(n, " points"), func(b *testing.B) {
			l := roads(r, envs, n, false)
			device := coursetest.OpenCPU(b, backend.Workers(1))
			ahead, err := preview.New(device, l.upload(b, device), preview.DefaultConfig())
			require.NoError(b, err)
			defer func() { require.NoError(b, ahead.Close()) }()
			position, orientation, s := make([]kernel.Vec3, envs), make([]kernel.Quat, envs), make([]float32, envs)
			for e := range envs {
				i := e*n + r.IntN(n)
				position[e], orientation[e], s[e] = l.center[i], anyTurn(r), l.arclen[i]
			}
			require.NoError(b, ahead.Bind(preview.Inputs{Position: coursetest.Upload(b, device, position),
				Orientation: coursetest.Upload(b, device, orientation), S: coursetest.Upload(b, device, s)}))
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, ahead.Update(b.Context()))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/envs, "ns/agent")
		})
	}
}
