package track

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
)

// The dry run counts what a real device hands out, whatever the configuration: the buffers that a device has when it is
// closed under a generator.
func TestBytesAreWhatIsAllocated(t *testing.T) {
	register(t, "memory.mine", Spec{Stage: func(c Config) exec.Stage {
		return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
			a := newAllocator(b)
			output[kernel.Vec2](a, LoopOutput, c.NumPoints)
			perEnv[float32](a, 1000)
			table(a, make([]float32, 77))
			return func(*exec.LaunchContext) {}, a.err
		})
	}})
	for _, c := range []Config{{}, {Generator: Hull}, {Generator: Polar}, {Generator: Repulsive, NumPoints: 64},
		{Generator: Voronoi}, {Generator: Checkpoint, CheckpointBestOfK: 3}, {NMax: 500}, {RelaxSepCacheSlots: new(20)},
		{ValidityBorderCheck: true},
		{RelaxEnable: new(false), NumPoints: 300, MaxNumPoints: 40}, {Candidates: 4}, mixture(0),
		{Candidates: 2, Mix: mixture(0).Mix, NumPoints: 200}, {Generator: "memory.mine"}} {
		for _, envs := range []int{1, 7} {
			c.NumEnvs = envs
			demand, err := DryRun(c)
			require.NoError(t, err)
			assert.Equal(t, allocated(t, c), demand.Bytes, "%+v", c)
			assert.Equal(t, demand.Bytes, demand.FixedBytes+int64(envs)*demand.BytesPerEnv)
			perEnv, err := c.BytesPerEnv()
			require.NoError(t, err)
			assert.Equal(t, demand.BytesPerEnv, perEnv)
		}
	}
}

// allocated returns the bytes of the device memory that a generator holds on the CPU.
func allocated(t *testing.T, c Config) int64 {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	_, err = NewGenerator(device, c)
	require.NoError(t, err)
	var leak *backend.LeakError
	require.ErrorAs(t, device.Close(), &leak)
	total := int64(0)
	for _, l := range leak.Leaks {
		if l.Kind == "buffer" {
			total += l.Bytes
		}
	}
	return total
}

// A leak report names the line of the user that made a generator, not those of the library that allocate for it.
func TestLeaksNameTheCaller(t *testing.T) {
	device, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	_, err = NewGenerator(device, Config{NumEnvs: 1})
	require.NoError(t, err)
	var leak *backend.LeakError
	require.ErrorAs(t, device.Close(), &leak)
	require.Greater(t, len(leak.Leaks), 10)
	for _, l := range leak.Leaks {
		assert.Contains(t, l.Site, "memory_test.go:", l.Kind)
	}
}
