//go:build cgo

package main_test

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	execution "github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/track"
)

// A step of a race from Go and from C. The difference is what the C library adds.
func BenchmarkStep(b *testing.B) {
	program := compile(b, "testdata/steps.c", "-std=gnu11", "-O2")
	for _, envs := range []int{1, 4096} {
		b.Run(fmt.Sprintf("go/envs=%d", envs), func(b *testing.B) { stepInGo(b, envs) })
		b.Run(fmt.Sprintf("c/envs=%d", envs), func(b *testing.B) {
			output, err := exec.Command(program, fmt.Sprint(envs), fmt.Sprint(b.N)).Output()
			require.NoError(b, err)
			each, err := strconv.ParseFloat(strings.TrimSpace(string(output)), 64)
			require.NoError(b, err)
			b.ReportMetric(each, "ns/op")
		})
	}
}

// stepInGo makes the steps that testdata/steps.c makes.
func stepInGo(b *testing.B, envs int) {
	device, err := backend.Open("cpu")
	require.NoError(b, err)
	defer device.Close()
	tracks, config := track.DefaultConfig(), race.DefaultConfig()
	tracks.NumEnvs, tracks.Scale, tracks.Road.HalfWidth = envs, 10, 1
	config.Course.Tracks, config.Reward.Ends.StuckTime, config.Autoreset = &tracks, 0, race.Restart
	r, err := race.New(device, config)
	require.NoError(b, err)
	defer r.Close()
	actions, err := execution.NewArray[float32](device, 2*envs)
	require.NoError(b, err)
	for range 2 {
		require.NoError(b, r.StepActions(b.Context(), actions))
	}
	for b.Loop() {
		if err := r.StepActions(b.Context(), actions); err != nil {
			b.Fatal(err)
		}
	}
}
