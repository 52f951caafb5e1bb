package spawn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/coursetest"
)

// BenchmarkSpawn puts the agents of all of 4096 envs on lines of 60 points, three in each. "none" has a mask without an
// env.
func BenchmarkSpawn(b *testing.B) {
	const envs = 4096
	device, c := coursetest.OpenCPU(b), configs()["anywhere level"]
	spawner := newSpawner(b, device, winding(envs, 60, true).upload(b, device), c)
	a := newAgents(b, device, boxes(envs*c.Agents, false))
	none := coursetest.Upload(b, device, make([]int32, envs))
	require.NoError(b, spawner.Bind(a))
	for name, mask := range map[string]int{"all": 0, "none": 1} {
		b.Run(name, func(b *testing.B) {
			chosen := zero
			if mask == 1 {
				chosen = none
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := spawner.Spawn(b.Context(), chosen); err != nil {
					require.NoError(b, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(envs*c.Agents), "ns/agent")
		})
	}
}
