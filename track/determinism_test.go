package track_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/seeds"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

type device = backend.Device

// open opens a CPU device, which is closed at the end of the test; leaks are errors.
func open(t testing.TB, options ...backend.Option) device {
	t.Helper()
	opened, err := backend.Open("cpu", options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, opened.Close()) })
	return opened
}

// digest is a hash over the bits of every array of env e.
func digest(b *track.Batch, e int) uint64 {
	h := fnv.New64a()
	write := func(values ...float32) {
		for _, v := range values {
			h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
		}
	}
	for _, array := range [][]kernel.Vec3{b.Outer, b.Center, b.Inner, b.Tangent, b.Normal} {
		for _, v := range array[e*b.NMax : (e+1)*b.NMax] {
			write(v.X, v.Y, v.Z)
		}
	}
	write(b.Arclen[e*b.NMax : (e+1)*b.NMax]...)
	write(b.Length[e], b.Winding[e])
	for _, v := range []int32{b.Valid[e], int32(b.Reason[e]), b.Count[e], b.Seed[e], b.Epoch[e]} {
		h.Write(binary.LittleEndian.AppendUint32(nil, uint32(v)))
	}
	return h.Sum64()
}

func digests(b *track.Batch) []uint64 {
	all := make([]uint64, b.Envs)
	for e := range all {
		all[e] = digest(b, e)
	}
	return all
}

// configurations returns the configurations of the determinism tests: the default of each generator, and settings that
// take other paths.
func configurations() map[string]track.Config {
	configs := map[string]track.Config{
		"style": tracktest.Config(track.Bezier, 1, func(c *track.Config) {
			c.Bezier.StyleSampling = true
			c.Bezier.HandleLengthRange = track.Range{Min: 0.2, Max: 0.6}
			c.Bezier.ScaleRange = track.Range{Min: 0.8, Max: 1.5}
			c.Bezier.HandleLimitRange = track.Range{Min: 0.2, Max: 0.5}
		}),
		"large": tracktest.Config(track.Bezier, 1, func(c *track.Config) {
			c.Road.HalfWidth, c.Output.MaxPoints = 0.03, 700
		}),
		"slots": tracktest.Config(track.Bezier, 1, func(c *track.Config) { c.Relax.SeparationCacheSlots = 24 }),
		"dense": tracktest.Config(track.Bezier, 1, func(c *track.Config) { c.Relax.SeparationCacheSlots = 0 }),
		"every": tracktest.Config(track.Bezier, 1, func(c *track.Config) { c.Relax.SeparationSearchEvery = 1 }),
		"plain": tracktest.Config(track.Bezier, 1, func(c *track.Config) {
			c.Relax.Acceleration = "none"
			c.Relax.SmoothingPasses = 0
			c.Relax.SpacingSweeps = 0
		}),
		"unrelaxed": tracktest.Config(track.Bezier, 1, func(c *track.Config) { c.Relax.Enabled = false }),
		"borders": tracktest.Config(track.Bezier, 1, func(c *track.Config) {
			c.Validity.CheckBorders, c.Relax.Sweeps, c.Road.Height = true, 5, 2.5
		}),
		"walk": tracktest.Config(track.Bezier, 1, hills("random_walk"), func(c *track.Config) {
			c.Variation.RandomDirection, c.Variation.RandomMirror = true, true
			c.Validity.MaxGrade, c.Candidates = 0.3, 3
		}),
		"knots": tracktest.Config(track.Polar, 1, hills("uniform"), func(c *track.Config) {
			c.Elevation.ControlPoints, c.Output.MaxPoints = 400, 300
		}),
		"waves": tracktest.Config(track.Mixed, 1, hills("noise"), func(c *track.Config) {
			c.Mix = []track.Component{c.NewComponent(1, track.Polar), c.NewComponent(2, track.Bezier)}
		}),
		"short": tracktest.Config(track.Bezier, 1, func(c *track.Config) { c.Output.MaxPoints = 48 }),
		"mixture": tracktest.Config(track.Mixed, 1, func(c *track.Config) {
			c.Mix = []track.Component{c.NewComponent(1, track.Polar), c.NewComponent(2, track.Bezier)}
			c.Mix[1].Corners.MaxCount = 9
		}),
		"grown": tracktest.Config(track.Mixed, 1, func(c *track.Config) {
			c.Output.LoopPoints = 64
			c.Candidates = 2
			c.Mix = []track.Component{c.NewComponent(1, track.Repulsive), c.NewComponent(1, track.Bezier)}
			c.Mix[0].Repulsive.GrowthRate, c.Mix[0].Repulsive.Stages = 0.1, []int{16, 64}
		}),
		"drafts": tracktest.Config(track.Bezier, 1, func(c *track.Config) { c.Candidates, c.Relax.Sweeps = 3, 20 }),
		"ring": tracktest.Config(track.Voronoi, 1, func(c *track.Config) {
			c.Voronoi.Layout, c.Relax.Enabled = "ring", false
		}),
		"clustered": tracktest.Config(track.Voronoi, 1, func(c *track.Config) {
			c.Voronoi.Layout = "clustered"
			c.Voronoi.Sites = 70
			c.Relax.Enabled = false
		}),
		"clipped": tracktest.Config(track.Checkpoint, 1, func(c *track.Config) {
			c.Checkpoint.ClipCrossings = true
			c.Checkpoint.BestOf = 1
			c.Checkpoint.SteeringGain = 0.1
			c.Relax.Enabled = false
		}),
		"mixed": tracktest.Config(track.Voronoi, 1, func(c *track.Config) {
			c.Voronoi.Layout = "mixed"
			c.Voronoi.ControlPoints = 40
			c.Relax.Enabled = false
		}),
	}
	for _, name := range track.Generators() {
		configs[name] = tracktest.Small(tracktest.Config(name, 1))
	}
	return configs
}

func TestWorkersDoNotChangeBits(t *testing.T) {
	for name, config := range configurations() {
		t.Run(name, func(t *testing.T) {
			config.NumEnvs = 37
			one := digests(generate(t, open(t, backend.Workers(1)), config))
			many := digests(generate(t, open(t, backend.Workers(7)), config))
			assert.Equal(t, one, many)
		})
	}
}

// The batch fills several groups of each kernel and a part of one; the envs that are compared lie in all of them.
func TestBatchSizeDoesNotChangeBits(t *testing.T) {
	const envs, step = 515, 7
	for _, name := range track.Generators() {
		t.Run(name, func(t *testing.T) {
			opened := open(t)
			large := generate(t, opened, tracktest.Small(tracktest.Config(name, envs)), track.WithSeed(-7))
			single, err := track.NewGenerator(opened, tracktest.Small(tracktest.Config(name, 1)), track.WithSeed(0))
			require.NoError(t, err)
			defer single.Close()
			for e := 0; e < large.Envs; e += step {
				require.NoError(t, single.SetSeeds(context.Background(), []int32{int32(e - 7)}))
				result, err := single.Generate(context.Background())
				require.NoError(t, err)
				batch, err := result.Batch(context.Background())
				require.NoError(t, err)
				require.Equal(t, digest(large, e), digest(batch, 0), "env %d", e)
			}
		})
	}
}

// The instrumented twins check every index and report every race, and give the same bits.
func TestDebugModeDoesNotChangeBits(t *testing.T) {
	for name, config := range configurations() {
		t.Run(name, func(t *testing.T) {
			config.NumEnvs = 3
			normal := digests(generate(t, open(t), config))
			for seed := range uint64(2) {
				assert.Equal(t, normal, digests(generate(t, open(t, backend.Debug(true), backend.DebugSeed(seed)), config)),
					"order %d", seed)
			}
		})
	}
}

func TestReplayEqualsEager(t *testing.T) {
	ctx := context.Background()
	for _, name := range track.Generators() {
		t.Run(name, func(t *testing.T) {
			opened := open(t)
			config := tracktest.Small(tracktest.Config(name, 16))
			want := digests(generate(t, opened, config, track.WithSeed(100)))

			stream, err := opened.NewStream()
			require.NoError(t, err)
			defer func() { require.NoError(t, stream.Close()) }()
			generator, err := track.NewGenerator(opened, config, track.WithSeed(5), track.WithStream(stream))
			require.NoError(t, err)
			defer func() { require.NoError(t, generator.Close()) }()
			require.NoError(t, stream.BeginCapture())
			_, err = generator.Generate(ctx)
			require.NoError(t, err)
			graph, err := stream.EndCapture()
			require.NoError(t, err)
			defer func() { require.NoError(t, graph.Close()) }()

			values := make([]int32, config.NumEnvs)
			for e := range values {
				values[e] = int32(100 + e)
			}
			require.NoError(t, generator.SetSeeds(ctx, values))
			before, err := generator.Track().Batch(ctx)
			require.NoError(t, err)
			assert.NotEqual(t, want, digests(before), "recording must not run the work")
			for range 2 {
				require.NoError(t, stream.Replay(graph))
				batch, err := generator.Track().Batch(ctx)
				require.NoError(t, err)
				assert.Equal(t, want, digests(batch))
			}
		})
	}
}

// R110: a seed and an epoch together give one effective seed.
func TestEpochIsAnEffectiveSeed(t *testing.T) {
	opened := open(t)
	config := tracktest.Config(track.Bezier, 8)
	later := generate(t, opened, config, track.WithSeed(3), track.WithEpoch(9))
	values := make([]int32, config.NumEnvs)
	for e := range values {
		values[e] = seeds.EffectiveSeed(int32(3+e), 9)
	}
	direct := generate(t, opened, config, track.WithSeeds(values))
	assert.Equal(t, bits(later.Center), bits(direct.Center))
	assert.Equal(t, slices.Repeat([]int32{9}, 8), later.Epoch)
	assert.Equal(t, values, direct.Seed)
}

func bits(points []kernel.Vec3) []uint32 {
	out := make([]uint32, 0, 3*len(points))
	for _, p := range points {
		out = append(out, math.Float32bits(p.X), math.Float32bits(p.Y), math.Float32bits(p.Z))
	}
	return out
}

// The bits are the same for every value of GOAMD64 and on every architecture; the test holds the bits of one build.
func TestFrozenBits(t *testing.T) {
	for name, want := range map[string]uint64{
		track.Bezier:     0x5f61511440d19bee,
		track.Hull:       0xf2063f0494c5a189,
		track.Polar:      0x9a88fe9ad1e518e4,
		track.Voronoi:    0xbbd08d684f16c49d,
		track.Checkpoint: 0xf62cd90c2313e31f,
		track.Repulsive:  0x2ec6c1b1ac99e13c,
	} {
		batch := generate(t, open(t), tracktest.Small(tracktest.Config(name, 64)))
		h := fnv.New64a()
		for _, d := range digests(batch) {
			h.Write(binary.LittleEndian.AppendUint64(nil, d))
		}
		assert.Equal(t, fmt.Sprintf("%#x", want), fmt.Sprintf("%#x", h.Sum64()), "%s on %s", name, runtime.GOARCH)
	}
}

func TestGenerateAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	ctx := context.Background()
	configs := []track.Config{
		tracktest.Config(track.Bezier, 1, func(c *track.Config) { c.Candidates, c.Relax.Sweeps = 3, 20 }),
		tracktest.Config(track.Mixed, 1, func(c *track.Config) {
			c.Mix = []track.Component{c.NewComponent(1, track.Bezier), c.NewComponent(1, track.Polar)}
		}),
	}
	for _, name := range track.Generators() {
		configs = append(configs, tracktest.Small(tracktest.Config(name, 1)))
	}
	for _, config := range configs {
		config.NumEnvs = 32
		generator, err := track.NewGenerator(open(t), config)
		require.NoError(t, err)
		defer generator.Close()
		allocations := testing.AllocsPerRun(10, func() {
			if _, err := generator.Generate(ctx); err != nil {
				t.Fatal(err)
			}
		})
		assert.Zero(t, allocations, "%+v", config)
	}
}
