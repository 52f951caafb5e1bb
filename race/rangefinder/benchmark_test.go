package rangefinder_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/rangefinder"
)

// BenchmarkUpdate measures 64 beams of one agent in each of 4096 envs, on one worker: cars that look along a road of
// 280 m, 4.8 m wide, with a range of 30 m. "scan" is the visit to every segment of the tests, for the first 64 envs.
func BenchmarkUpdate(b *testing.B) {
	const envs = 4096
	for _, n := range []int{84, 840} {
		s := drive(rand.New(rand.NewPCG(1, 1)), envs, n)
		c := rangefinder.DefaultConfig()
		noisy, around := c, c
		noisy.Sigma = 0.01
		around.FieldOfView = 2 * math.Pi
		b.Run(fmt.Sprint(n, " points/scan"), func(b *testing.B) {
			for b.Loop() {
				for e := range 64 {
					for _, beam := range s.beams(c, e) {
						s.walls(beam, e, 30)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64/64, "ns/beam")
		})
		for _, of := range []struct {
			name string
			c    rangefinder.Config
		}{{"index", c}, {"around", around}, {"noise", noisy}} {
			b.Run(fmt.Sprint(n, " points/", of.name), func(b *testing.B) {
				device := coursetest.OpenCPU(b, backend.Workers(1))
				finder, err := rangefinder.New(device, s.source(b, device, false), of.c)
				require.NoError(b, err)
				defer func() { require.NoError(b, finder.Close()) }()
				require.NoError(b, finder.Bind(s.inputs(b, device)))
				b.ReportAllocs()
				for b.Loop() {
					require.NoError(b, finder.Update(b.Context()))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/envs/64, "ns/beam")
			})
		}
	}
}
