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
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// A dry run counts the memory that a real device allocates, which is the size of the buffers that are open when a
// device is closed before its generator.
func TestBytesAreWhatIsAllocated(t *testing.T) {
	register(t, "memory.mine", Spec{Stage: func(c Config) exec.Stage {
		return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
			a := allocate.New(b)
			allocate.Output[kernel.Vec2](a, LoopOutput, c.Output.LoopPoints)
			allocate.PerEnv[float32](a, 1000)
			allocate.Staged(a, make([]float32, 77))
			return func(*exec.LaunchContext) {}, a.Err
		})
	}})
	for _, c := range []Config{
		DefaultConfig(), configOf(Hull, 1), configOf(Polar, 1), configOf(Voronoi, 1),
		configOf(Repulsive, 1, func(c *Config) { c.Output.LoopPoints = 64 }),
		configOf(Checkpoint, 1, func(c *Config) { c.Checkpoint.BestOf = 3 }),
		configOf(Bezier, 1, func(c *Config) { c.Output.MaxPoints = 500 }),
		configOf(Bezier, 1, func(c *Config) { c.Relax.SeparationCacheSlots = 20 }),
		configOf(Bezier, 1, func(c *Config) { c.Validity.CheckBorders = true }),
		configOf(Bezier, 1, func(c *Config) {
			c.Relax.Enabled, c.Output.LoopPoints, c.Corners.MaxCount = false, 300, 40
		}),
		configOf(Bezier, 1, func(c *Config) { c.Candidates = 4 }), mixture(1),
		configOf(Mixed, 1, func(c *Config) { c.Candidates, c.Mix, c.Output.LoopPoints = 2, mixture(1).Mix, 200 }),
		configOf("memory.mine", 1),
	} {
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

// allocated returns the device memory, in bytes, that a generator allocates on the CPU.
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

// A leak report names the line of user code that made a generator, not the lines of the library that allocate for it.
func TestLeaksNameTheCaller(t *testing.T) {
	device, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	_, err = NewGenerator(device, configOf(Bezier, 1))
	require.NoError(t, err)
	var leak *backend.LeakError
	require.ErrorAs(t, device.Close(), &leak)
	require.Greater(t, len(leak.Leaks), 10)
	for _, l := range leak.Leaks {
		assert.Contains(t, l.Site, "memory_test.go:", l.Kind)
	}
}
