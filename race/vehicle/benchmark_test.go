package vehicle_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// BenchmarkStep moves 4096 vehicles that steer and drive in their own ways, on one worker.
func BenchmarkStep(b *testing.B) {
	const envs = 4096
	for _, model := range vehicle.Models() {
		for _, integrator := range []string{vehicle.RK4, vehicle.SemiImplicitEuler} {
			for _, substeps := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%s/%d", model, integrator, substeps), func(b *testing.B) {
					c := config(func(c *vehicle.Config) {
						c.NumEnvs, c.Model, c.Integrator, c.Substeps = envs, model, integrator, substeps
						c.StartSpeed = vehicle.Range{Min: 1, Max: 8}
					})
					device := coursetest.OpenCPU(b, backend.Workers(1))
					s := newSimulator(b, device, c)
					channels := vehicle.Channels(model)
					values := make([]float32, envs*channels)
					for i := range values {
						values[i] = float32(0.2 * math.Sin(float64(i)))
					}
					require.NoError(b, s.Bind(vehicle.Inputs{Actions: coursetest.Upload(b, device, values)}))
					b.ReportAllocs()
					for b.Loop() {
						if err := s.Step(b.Context()); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/envs, "ns/agent")
				})
			}
		}
	}
}
