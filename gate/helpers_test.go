package gate_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/gate"
)

func openCPU(t testing.TB, options ...backend.Option) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu", options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// configOf returns the default configuration with a generator, changed by the functions.
func configOf(generator string, envs int, changes ...func(*gate.Config)) gate.Config {
	c := gate.DefaultConfig()
	c.Generator, c.NumEnvs = generator, envs
	c.Gate.Width = 0.1
	for _, change := range changes {
		change(&c)
	}
	return c
}

// configurations returns the configurations of the tests that compare bits: each generator, and settings that take
// other paths.
func configurations() map[string]gate.Config {
	configs := map[string]gate.Config{
		"pairs":    configOf(gate.Bezier, 1, func(c *gate.Config) { c.Ordering = "random_pairs" }),
		"raw":      configOf(gate.Polar, 1, func(c *gate.Config) { c.Ordering = "raw" }),
		"together": configOf(gate.Hull, 1, func(c *gate.Config) { c.Scale, c.Gate.Radius = 0, 0.05 }),
		"packed":   configOf(gate.Voronoi, 1, func(c *gate.Config) { c.Gate.Radius, c.Gate.SeparationSweeps = 0.3, 20 }),
		"uniform": configOf(gate.Checkpoint, 1, func(c *gate.Config) {
			c.Elevation.Profile, c.Elevation.Max, c.Gate.Align = "uniform", 0.5, "full_tangent"
		}),
		"walk": configOf(gate.Voronoi, 1, func(c *gate.Config) {
			c.Elevation.Profile, c.Elevation.Max, c.Elevation.MaxStep = "random_walk", 0.5, 0.6
			c.Elevation.Base, c.Validity.MaxGrade = 0.2, 0.5
		}),
		"noise": configOf(gate.Bezier, 1, func(c *gate.Config) {
			c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = "noise", -0.4, 0.4
			c.Elevation.NoiseAmplitude, c.Gate.Align = 0.5, "full_tangent"
		}),
		"steep": configOf(gate.Bezier, 1, func(c *gate.Config) {
			c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = "uniform", -1e5, 1e5
			c.Gate.Align = "full_tangent"
		}),
		"limits": configOf(gate.Polar, 1, func(c *gate.Config) {
			c.Validity.MinDistance, c.Validity.MaxDistance = 0.2, 0.6
			c.Validity.MinTurn, c.Validity.MaxTurn = 0.05, 1.6
		}),
		"sizes": configOf(gate.Hull, 1, func(c *gate.Config) { c.Gate.SizeRange = gate.Range{Min: 0.5, Max: 3} }),
		"drafts": configOf(gate.Bezier, 1, func(c *gate.Config) {
			c.Gate.Width, c.Candidates = 0.25, 4
			c.Gate.SizeRange = gate.Range{Min: 0.5, Max: 1.5}
		}),
		"mixture": configOf(gate.Mixed, 1, func(c *gate.Config) {
			c.Mix = []gate.Component{c.NewComponent(1, gate.Polar), c.NewComponent(2, gate.Bezier),
				c.NewComponent(1, gate.Voronoi)}
			c.Mix[0].Ordering, c.Mix[1].Ordering, c.Mix[2].Scale = "raw", "random_pairs", 2
			c.Candidates = 2
		}),
	}
	configs["repulsive"] = quick(configOf(gate.Repulsive, 1, func(c *gate.Config) { c.Ordering = "raw" }))
	configs["repulsive mixture"] = quick(configOf(gate.Mixed, 1, func(c *gate.Config) {
		c.Mix = []gate.Component{c.NewComponent(1, gate.Bezier), c.NewComponent(1, gate.Repulsive)}
		c.Candidates, c.Gate.Width, c.Mix[1].Ordering = 2, 0.25, "random_pairs"
	}))
	for _, name := range []string{gate.Bezier, gate.Hull, gate.Polar, gate.Voronoi, gate.Checkpoint} {
		configs[name] = configOf(name, 1)
	}
	for _, layout := range []string{"ring", "clustered", "mixed"} {
		configs[layout] = configOf(gate.Voronoi, 1, func(c *gate.Config) { c.Voronoi.Layout = layout })
	}
	return configs
}

// quick lets the curves of repulsive grow in few iterations.
func quick(c gate.Config) gate.Config {
	set := func(r *gate.RepulsiveConfig) {
		r.MinGrowth, r.MaxGrowth, r.GrowthRate, r.SettleIterations, r.StallWindow, r.ResampleEvery = 1.2, 1.4, 0.2, 1, 2, 2
	}
	set(&c.Repulsive)
	for k := range c.Mix {
		set(&c.Mix[k].Repulsive)
	}
	return c
}

// names returns the names of configurations in alphabetical order.
func names(configs map[string]gate.Config) []string {
	var list []string
	for name := range configs {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// generate makes a batch.
func generate(t testing.TB, device backend.Device, c gate.Config, with ...gate.Option) *gate.Batch {
	t.Helper()
	g, err := gate.NewGenerator(device, c, with...)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	return batchOf(t, g)
}

// batchOf reads the courses of a generator.
func batchOf(t testing.TB, g *gate.Generator) *gate.Batch {
	t.Helper()
	batch, err := g.Sequence().Batch(t.Context())
	require.NoError(t, err)
	return batch
}

// bitsOf returns a hash of all bits of each env, except the seed and the epoch if they are left out.
func bitsOf(b *gate.Batch, leftOut ...string) []string {
	list := make([]string, b.Envs)
	for e := range list {
		h := fnv.New64a()
		for _, c := range gate.Schema.Host(&b.HostColumns) {
			if n := c.Stride(b.MaxGates); !slices.Contains(leftOut, c.Name) {
				h.Write(c.AppendWords(nil, e*n, (e+1)*n))
			}
		}
		list[e] = fmt.Sprintf("%#x", h.Sum64())
	}
	return list
}
