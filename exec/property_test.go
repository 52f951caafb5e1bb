package exec_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// A launch is accepted if and only if no two of its arrays share an element that one of them writes.
func TestOverlapRule(t *testing.T) {
	device := openCPU(t)
	const size = 8
	arrays := []exec.Array[int32]{newArray(t, device, make([]int32, size)...), newArray(t, device, make([]int32, size)...)}
	rapid.Check(t, func(rt *rapid.T) {
		def := kernel.Def{Name: "test.overlap", Go: func(_, _ int32, _ *kernel.Args) {}}
		readers, writers := map[[2]int]int{}, map[[2]int]int{} // by array and element
		lc := launchContext(t, device)
		var bound []exec.Array[int32]
		for i := range rapid.IntRange(1, 5).Draw(rt, "buffers") {
			which := rapid.IntRange(0, 1).Draw(rt, "array")
			low := rapid.IntRange(0, size).Draw(rt, "low")
			high := rapid.IntRange(low, size).Draw(rt, "high")
			access := rapid.SampledFrom([]kernel.Access{0, kernel.Read, kernel.Write, kernel.ReadWrite}).Draw(rt, "access")
			def.Params = append(def.Params, kernel.Param{Name: fmt.Sprint("b", i), Type: kernel.Int32, Buffer: true,
				Access: access})
			part, err := arrays[which].Slice(low, high)
			require.NoError(rt, err)
			bound = append(bound, part)
			for e := low; e < high; e++ {
				if access&kernel.Write != 0 {
					writers[[2]int{which, e}]++
				} else {
					readers[[2]int{which, e}]++
				}
			}
		}
		legal := true
		for element, n := range writers {
			legal = legal && n == 1 && readers[element] == 0
		}
		l := lc.Prepare(&def, 1)
		for _, a := range bound {
			exec.Bind(l, a)
		}
		l.Launch()
		require.Equal(rt, legal, lc.Err() == nil, "%v", lc.Err())
	})
}

// In every mode the device runs the body once per call (R64), and the host emits the body only if there is no graph to
// replay.
func TestRunnerModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		gpu := rapid.Bool().Draw(rt, "gpu")
		device := openDouble(rt)
		device.caps.OwnGraphs = gpu
		limit := rapid.IntRange(1, 3).Draw(rt, "limit")
		runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true, MaxKeyedGraphs: limit,
			Warn: func(exec.Warning) {}})
		require.NoError(rt, err)
		counter, err := exec.NewArray[int32](device, 1)
		require.NoError(rt, err)
		emitted := 0
		body := func(lc *exec.LaunchContext) {
			emitted++
			count(lc, counter)
		}
		var wantRan int32
		wantEmitted, prepared, graphs, keyed := 0, false, map[any]bool{}, 0

		rt.Repeat(map[string]func(*rapid.T){
			"prepare": func(rt *rapid.T) {
				require.NoError(rt, runner.Prepare(t.Context(), body))
				prepared = true
				wantRan, wantEmitted = wantRan+1, wantEmitted+1
			},
			"record": func(rt *rapid.T) {
				stream := device.DefaultStream()
				require.NoError(rt, stream.BeginCapture())
				_, err := runner.Run(t.Context(), body, exec.RunOptions{Key: 1})
				require.NoError(rt, err)
				graph, err := stream.EndCapture()
				require.NoError(rt, err)
				require.NoError(rt, stream.Replay(graph))
				require.NoError(rt, graph.Close())
				wantRan, wantEmitted = wantRan+1, wantEmitted+1
			},
			"run": func(rt *rapid.T) {
				options := exec.RunOptions{
					Policy: rapid.SampledFrom([]exec.Policy{exec.Auto, exec.Auto, exec.Eager}).Draw(rt, "policy"),
					Sync:   rapid.Bool().Draw(rt, "sync"),
					Key:    rapid.SampledFrom([]any{nil, 1, 2, "k", struct{ a, b int }{1, 2}}).Draw(rt, "key"),
				}
				_, err := runner.Run(t.Context(), body, options)
				graph := gpu && options.Policy == exec.Auto
				full := options.Key != nil && !graphs[options.Key] && keyed >= limit
				if graph && options.Key != nil && !full && !prepared {
					require.ErrorIs(rt, err, exec.ErrNotPrepared)
					return
				}
				require.NoError(rt, err)
				wantRan++
				switch {
				case !graph || full:
					wantEmitted++
				case !graphs[options.Key]:
					wantEmitted++
					if !prepared { // C12
						prepared = true
						wantRan, wantEmitted = wantRan+1, wantEmitted+1
					}
					graphs[options.Key] = true
					if options.Key != nil {
						keyed++
					}
				}
			},
			"": func(rt *rapid.T) {
				values, err := counter.Read(t.Context())
				require.NoError(rt, err)
				require.Equal(rt, []int32{wantRan}, values)
				require.Equal(rt, wantEmitted, emitted)
				require.Equal(rt, prepared, runner.Prepared())
				require.Len(rt, runner.GraphKeys(), len(graphs))
				for _, key := range runner.GraphKeys() {
					require.True(rt, graphs[key])
					require.NotNil(rt, runner.GraphFor(key))
				}
			},
		})
		require.NoError(rt, runner.Close())
		require.NoError(rt, counter.Close())
		require.NoError(rt, device.Close())
	})
}
