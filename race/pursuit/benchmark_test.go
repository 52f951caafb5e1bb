package pursuit_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/pursuit"
)

// BenchmarkUpdate steers 4096 cars on lines of 300 points, on one worker.
func BenchmarkUpdate(b *testing.B) {
	const envs = 4096
	r := rand.New(rand.NewPCG(1, 2))
	var l lines
	var all cars
	for e := range envs {
		l.winding(300, 300, r)
		all = append(all, placed(r, l, e))
	}
	device := coursetest.OpenCPU(b, backend.Workers(1))
	controller := newController(b, device, l, pursuit.DefaultConfig())
	require.NoError(b, controller.Bind(all.upload(b, device)))
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, controller.Update(b.Context()))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/envs, "ns/agent")
}
