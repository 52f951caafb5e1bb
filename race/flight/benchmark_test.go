package flight_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/flight"
)

// BenchmarkUpdate flies 4096 drones on lines of 288 points through 18 gates, on one worker.
func BenchmarkUpdate(b *testing.B) {
	const envs = 4096
	r := rand.New(rand.NewPCG(1, 2))
	var l lines
	var all drones
	for e := range envs {
		l.winding(288, 288, 16, r)
		all = append(all, placed(r, l, e))
	}
	device := coursetest.OpenCPU(b, backend.Workers(1))
	controller := newController(b, device, l, flight.DefaultConfig())
	require.NoError(b, controller.Bind(all.upload(b, device, true)))
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, controller.Update(b.Context()))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/envs, "ns/agent")
}
