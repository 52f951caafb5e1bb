package race_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/track"
)

// BenchmarkStepOfPython is the step that python/bench/step.py measures from Python.
func BenchmarkStepOfPython(b *testing.B) {
	for _, envs := range []int{1, 4096} {
		b.Run(fmt.Sprint(envs), func(b *testing.B) {
			device, err := backend.Open("cpu")
			require.NoError(b, err)
			defer func() { require.NoError(b, device.Close()) }()
			c, tracks := race.DefaultConfig(), track.DefaultConfig()
			tracks.NumEnvs, tracks.Scale, tracks.Road.HalfWidth = envs, 10, 1
			c.Course.Tracks, c.Autoreset = &tracks, race.Never
			r, err := race.New(device, c, generation.WithSeed(1))
			require.NoError(b, err)
			defer func() { require.NoError(b, r.Close()) }()
			actions, err := exec.NewArray[float32](device, 2*envs)
			require.NoError(b, err)
			defer func() { require.NoError(b, actions.Close()) }()
			require.NoError(b, r.BindActions(actions))
			b.ReportAllocs()
			for b.Loop() {
				if err := r.Step(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
