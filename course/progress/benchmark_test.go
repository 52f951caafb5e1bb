package progress_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// BenchmarkUpdate follows the agents of 4096 envs around their checkpoints, at 40 steps per checkpoint.
func BenchmarkUpdate(b *testing.B) {
	const envs = 4096
	device := coursetest.OpenCPU(b)
	for _, checkpoints := range []int{12, 40} {
		list := make([][]gate, envs)
		for e := range list {
			list[e] = ring(checkpoints)
		}
		set := upload(b, device, setOf(checkpoints, list...))
		for _, agents := range []int{1, 4} {
			b.Run(fmt.Sprintf("%d checkpoints, %d agents", checkpoints, agents), func(b *testing.B) {
				tracker := newTracker(b, device, set, agents)
				steps := make([]exec.Array[kernel.Vec3], 60) // a tracker remembers the work of 64 arrays
				for step := range steps {
					values := make([]kernel.Vec3, envs*agents)
					for i := range values {
						angle := 2 * math.Pi * (float64(step)/float64(40*checkpoints) + float64(i)/97)
						values[i] = kernel.V3(float32(2*math.Cos(angle)), float32(2*math.Sin(angle)), 0)
					}
					steps[step] = coursetest.Upload(b, device, values)
				}
				ctx, step := b.Context(), 0
				b.ReportAllocs()
				for b.Loop() {
					if _, err := tracker.UpdateAt(ctx, steps[step%len(steps)]); err != nil {
						require.NoError(b, err)
					}
					step++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(envs*agents), "ns/agent")
			})
		}
	}
}
