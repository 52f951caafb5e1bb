package localise_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// BenchmarkLocate locates 4096 agents, which drive along 64 lines within a road, on one worker. "scan" is the visit to
// every segment of the tests. "index" resets all agents before each step, "cold" remembers them, "warm" has a window of
// 8 segments.
func BenchmarkLocate(b *testing.B) {
	const envs, agents, steps = 64, 64, 16
	for _, n := range []int{84, 840} {
		l := lines{}
		for e := range envs {
			l.center, l.count = append(l.center, winding(n, uint64(e))...), append(l.count, int32(n))
		}
		l = l.measured()
		paths := drives(l, agents, steps)
		b.Run(fmt.Sprint(n, " points/scan"), func(b *testing.B) {
			for k := 0; b.Loop(); k++ {
				newReference(l, agents, 0).locate(paths[k%steps])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/envs/agents, "ns/agent")
		})
		for name, window := range map[string]int{"index": 0, "cold": 0, "warm": 8} {
			b.Run(fmt.Sprint(n, " points/", name), func(b *testing.B) {
				locateAlong(b, l, paths, window, name == "index")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/envs/agents, "ns/agent")
			})
		}
	}
}

// drives returns the positions of agents that drive along lines, within a road, in each step.
func drives(l lines, agents, steps int) [][]kernel.Vec3 {
	r := rand.New(rand.NewPCG(1, 1))
	paths := make([][]kernel.Vec3, steps)
	for e := range l.count {
		for range agents {
			start, off := r.Float32()*float32(l.stride()), kernel.V3(0.1*r.Float32(), 0.1*r.Float32(), 0.05*r.Float32())
			for k := range paths {
				at := start + float32(k)*0.004*float32(l.stride())
				i := int(at)
				points := l.row(e)
				p, q := points[i%len(points)], points[(i+1)%len(points)]
				paths[k] = append(paths[k], p.Add(q.Sub(p).Scale(at-float32(i))).Add(off))
			}
		}
	}
	return paths
}

// locateAlong runs steps. The upload of the positions is not measured.
func locateAlong(b *testing.B, l lines, paths [][]kernel.Vec3, window int, reset bool) {
	b.Helper()
	device := coursetest.OpenCPU(b, backend.Workers(1))
	localiser := newLocaliser(b, device, l, len(paths[0])/len(l.count), window)
	position := coursetest.Upload(b, device, paths[0])
	mask := coursetest.Upload(b, device, ones(len(l.count)))
	require.NoError(b, localiser.Bind(position))
	b.ReportAllocs()
	b.ResetTimer()
	for k := range b.N {
		b.StopTimer()
		require.NoError(b, position.Write(b.Context(), paths[k%len(paths)]))
		if reset {
			require.NoError(b, localiser.Reset(b.Context(), mask))
		}
		b.StartTimer()
		require.NoError(b, localiser.Locate(b.Context()))
	}
}

func ones(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = 1
	}
	return list
}
