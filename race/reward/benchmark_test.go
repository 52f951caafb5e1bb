package reward_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/reward"
)

// BenchmarkUpdate rewards the agents of 4096 envs, with all inputs.
func BenchmarkUpdate(b *testing.B) {
	const envs = 4096
	for _, agents := range []int{1, 4} {
		b.Run(fmt.Sprint(agents, " agents"), func(b *testing.B) {
			device, c := coursetest.OpenCPU(b), everything(agents, 2)
			c.Ends = reward.EndsConfig{StuckProgress: 1, StuckTime: 1e5, Env: reward.All} // nothing ends
			length := make([]float32, envs)
			for e := range length {
				length[e] = 250
			}
			judge := newJudge(b, device, c, length)
			var arrays []reward.Inputs
			list, _ := script(c, 16)
			for _, s := range list {
				s = repeated(s, envs*agents)
				for i := range s.s {
					s.s[i] = float32(len(arrays)) + float32(i%97)
				}
				arrays = append(arrays, upload(b, device, s))
			}
			ctx, step := b.Context(), 0
			b.ReportAllocs()
			for b.Loop() {
				if _, err := judge.UpdateAt(ctx, arrays[step%len(arrays)]); err != nil {
					require.NoError(b, err)
				}
				step++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(envs*agents), "ns/agent")
		})
	}
}
