package track

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
)

func TestBytesPerEnvIsWhatIsAllocated(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	for _, c := range []Config{
		DefaultConfig(), configOf(Hull, 1), configOf(Polar, 1),
		configOf(Repulsive, 1, func(c *Config) { c.Output.LoopPoints = 64 }),
		configOf(Voronoi, 1),
		configOf(Checkpoint, 1, func(c *Config) { c.Checkpoint.BestOf = 3 }),
		configOf(Bezier, 1, func(c *Config) { c.Output.MaxPoints = 500 }),
		configOf(Bezier, 1, func(c *Config) { c.Relax.SeparationCacheSlots = 20 }),
		configOf(Bezier, 1, func(c *Config) {
			c.Relax.Enabled = false
			c.Output.LoopPoints = 300
			c.Corners.MaxCount = 40
		}),
		configOf(Bezier, 1, func(c *Config) { c.Candidates = 4 }),
		mixture(0),
		configOf(Mixed, 1, func(c *Config) { c.Candidates, c.Mix, c.Output.LoopPoints = 2, mixture(0).Mix, 200 }),
	} {
		c.NumEnvs = 100
		g, err := NewGenerator(device, c)
		require.NoError(t, err)
		// The seeds and epochs belong to package seeds, which also keeps a few numbers of its own.
		allocated := g.program.Bytes() + g.track.memory.bytes + 2*sizeNumber*int64(c.NumEnvs)
		shared := int64(numCounters+2)*sizeNumber + sizeVec2 // the width, for all points
		if g.config.Relax.Enabled {
			shared += int64(g.config.Relax.Sweeps) * sizeNumber
		}
		if c.Generator == Repulsive {
			shared += wallPoints*sizeVec3 + int64(len(newRepulsiveSchedule(g.config).filter))*sizeNumber + 2*sizeNumber
		}
		shared += int64(2*len(c.Mix)) * sizeNumber // thresholds, and the lengths of lists
		if c.Candidates > 1 {
			shared += sizeNumber // the length of a list
		}
		assert.Equal(t, allocated-shared, c.BytesPerEnv()*int64(c.NumEnvs), "%+v", c)
		require.NoError(t, g.Close())
	}
}

// A leak report names the line of the user that made a generator, not those of the library that allocate for it.
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
