package track

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/seeds"
)

// mixture returns a mixed batch of three generators; one generator has two components.
func mixture(envs int) Config {
	c := DefaultConfig()
	c.Generator, c.NumEnvs, c.Scale = Mixed, envs, 1.25
	c.Mix = []Component{
		c.NewComponent(2, Bezier), c.NewComponent(1, Polar), c.NewComponent(0.5, Hull), c.NewComponent(1, Polar),
	}
	style := &c.Mix[0].Bezier
	style.StyleSampling = true
	style.HandleLengthRange, style.ScaleRange = Range{Min: 0.2, Max: 0.6}, Range{Min: 0.8, Max: 1.5}
	c.Mix[1].Polar.Knots = 9
	c.Mix[3].Polar.Knots, c.Mix[3].Scale = 15, 0.9
	return c
}

// pureBatches returns a batch of each component of a mixed batch alone, with the same seeds.
func pureBatches(t *testing.T, device backend.Device, config Config, options ...Option) []*Batch {
	t.Helper()
	var pure []*Batch
	for _, single := range config.Components() {
		require.Nil(t, single.Mix)
		pure = append(pure, batchOf(t, device, single, options...))
	}
	return pure
}

// An env of a mixed batch has exactly the track that a batch of its component alone gives it.
func TestMixedEnvsAreThoseOfTheirComponents(t *testing.T) {
	device := openCPU(t)
	for _, candidates := range []int{1, 3} {
		config := mixture(60)
		config.Candidates, config.Road.HalfWidth, config.Relax.Sweeps = candidates, 0.13, 15
		pure := pureBatches(t, device, config, WithSeed(-9), WithEpoch(2))
		mixed := batchOf(t, device, config, WithSeed(-9), WithEpoch(2))
		count := make([]int, len(pure))
		for e, k := range mixed.Component {
			samePoints(t, pure[k], e, mixed, e)
			require.Equal(t, pure[k].Candidate[e], mixed.Candidate[e])
			require.Equal(t, chosen(config, seeds.EffectiveSeed(int32(e-9), 2)), k)
			count[k]++
		}
		for k, n := range count {
			assert.Positive(t, n, "component %d", k)
		}
	}
}

// chosen draws a component on the host: the first one whose cumulative share of the weights exceeds the draw.
func chosen(config Config, effective int32) int32 {
	u, _ := kernel.NewRand(effective*9241 + 47).Uniform()
	sum, total := 0.0, 0.0
	for _, component := range config.Mix {
		total += component.Weight
	}
	for k, component := range config.Mix {
		if sum += component.Weight; float64(u) < math.Round(sum/total*(1<<24))/(1<<24) {
			return int32(k)
		}
	}
	return int32(len(config.Mix) - 1)
}

// Over many envs, the shares of the components are those of their weights.
func TestSharesOfComponents(t *testing.T) {
	config := mixture(4096)
	config.Relax.Enabled, config.Spline.SamplesPerSegment = false, 2 // only the draw matters
	config.Output.MaxPoints, config.Output.LoopPoints = 100, 16
	batch := batchOf(t, openCPU(t), config)
	count := make([]float64, len(config.Mix))
	for _, k := range batch.Component {
		count[k]++
	}
	for k, component := range config.Mix {
		share := component.Weight / 4.5
		deviation := math.Sqrt(share * (1 - share) / 4096)
		assert.InDelta(t, share, count[k]/4096, 4*deviation, "component %d", k)
	}
}

// Given components override the draw. They can change on the device, for the masked envs alone, and between replays.
func TestGivenComponents(t *testing.T) {
	ctx := context.Background()
	device := openCPU(t)
	config := mixture(8)
	pure := pureBatches(t, device, config, WithSeed(30))
	g, err := NewGenerator(device, config, WithSeed(30), WithComponents([]int32{3, 2, 1, 0, -1, -1, 2, 2}))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	drawn := func(e int) int32 { return chosen(config, int32(30+e)) }
	check := func(want []int32) {
		t.Helper()
		batch, err := g.Track().Batch(ctx)
		require.NoError(t, err)
		require.Equal(t, want, batch.Component)
		for e, k := range want {
			samePoints(t, pure[k], e, batch, e)
		}
	}
	check([]int32{3, 2, 1, 0, drawn(4), drawn(5), 2, 2})

	require.NoError(t, g.GivenComponents().Write(ctx, []int32{0, 0, 0, 0, 0, 0, math.MinInt32, 4}))
	mask, err := exec.FromSlice(device, []int32{1, 0, 0, 1, 1, 0, 1, 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	_, err = g.Regenerate(ctx, mask, SameEpoch())
	require.NoError(t, err)
	check([]int32{0, 2, 1, 0, 0, drawn(5), drawn(6), drawn(7)})

	stream := device.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	_, err = g.Generate(ctx)
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	require.NoError(t, stream.Replay(graph))
	check([]int32{0, 0, 0, 0, 0, 0, drawn(6), drawn(7)})
	require.NoError(t, g.GivenComponents().Write(ctx, slices.Repeat([]int32{3}, 8)))
	require.NoError(t, stream.Replay(graph))
	check(slices.Repeat([]int32{3}, 8))
}

// BOUNDED components are skipped separately, inside rounds of candidates that are skipped inside a regeneration.
func TestMixedBatchInEveryMode(t *testing.T) {
	ctx := context.Background()
	registerCrossed(t, exec.Bounded)
	device := openCPU(t)
	config := scarce(Mixed)
	config.Mix = []Component{
		config.NewComponent(1, Bezier), config.NewComponent(1, "crossed"), config.NewComponent(1, "crossed"),
	}
	config.Mix[1].Scale = 1.2
	first, second := pureBatches(t, device, config, WithSeed(7)), pureBatches(t, device, config, WithSeed(7), WithEpoch(1))
	g, err := NewGenerator(device, config, WithSeed(7))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	values := make([]int32, config.NumEnvs)
	mask, err := exec.FromSlice(device, values)
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	stream := device.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	_, err = g.Generate(ctx)
	require.NoError(t, err)
	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	check := func() {
		t.Helper()
		batch, err := g.Track().Batch(ctx)
		require.NoError(t, err)
		for e, k := range batch.Component {
			want := first
			if values[e] != 0 {
				want = second
			}
			require.Equal(t, values[e], batch.Epoch[e])
			require.Equal(t, want[k].Candidate[e], batch.Candidate[e])
			samePoints(t, want[k], e, batch, e)
		}
	}
	check()
	for _, step := range []int{0, 24, 5, 1} {
		for e := range values {
			values[e] = 0
			if step > 0 && e%step == 0 {
				values[e] = 1
			}
		}
		require.NoError(t, mask.Write(ctx, values))
		require.NoError(t, g.SetEpoch(ctx, 0))
		require.NoError(t, stream.Replay(graph))
		check()
		require.NoError(t, g.SetEpoch(ctx, 0))
		_, err = g.Generate(ctx)
		require.NoError(t, err)
		_, err = g.Regenerate(ctx, mask)
		require.NoError(t, err)
		check()
	}
}

// A new component has the first loop of the configuration, and shares everything else with it.
func TestMixtureDefaults(t *testing.T) {
	config := mixture(3).Resolved()
	assert.Equal(t, Mixed, config.Generator)
	assert.Equal(t, config, config.Resolved())
	assert.NoError(t, config.Validate())
	pure := config.Components()
	require.Len(t, pure, 4)
	assert.Equal(t, []float64{2, 1, 0.5, 1}, []float64{config.Mix[0].Weight, config.Mix[1].Weight, config.Mix[2].Weight,
		config.Mix[3].Weight})
	assert.Equal(t, []float64{1.25, 1.25, 1.25, 0.9}, []float64{pure[0].Scale, pure[1].Scale, pure[2].Scale,
		pure[3].Scale})
	assert.Equal(t, 15, pure[3].Polar.Knots)
	assert.Equal(t, 3, pure[1].NumEnvs)
	assert.Nil(t, DefaultConfig().Components())
	for _, single := range pure {
		assert.NoError(t, single.Validate())
	}
}

// Components differ in the generator, in the settings of generators and in how roads vary, and share everything else.
func TestSharedFields(t *testing.T) {
	loop := []string{"spline", "corners", Bezier, Hull, Polar, Voronoi, Checkpoint, Repulsive, "variation"}
	for _, f := range Fields() {
		ofLoop := slices.Contains(loop, f.Group()) || f.Name == generatorField || f.Name == "scale"
		assert.Equal(t, !ofLoop, f.Shared(), f.Name)
	}
}

func TestWrongMixtures(t *testing.T) {
	one := func(generator string, change func(*FirstLoop)) Config {
		return configOf(Mixed, 1, func(c *Config) {
			c.Mix = []Component{c.NewComponent(1, Polar), {Weight: 1, FirstLoop: loopOf(generator, change)}}
		})
	}
	same := func(*FirstLoop) {}
	weights := func(w ...float64) Config {
		c := configOf(Mixed, 1)
		for _, weight := range w {
			c.Mix = append(c.Mix, Component{Weight: weight, FirstLoop: loopOf(Bezier)})
		}
		return c
	}
	for _, test := range []struct {
		config Config
		want   []string
	}{
		{configOf(Mixed, 1), []string{"mix is empty", "1 to 64 components"}},
		{configOf(Polar, 1, func(c *Config) { c.Mix = []Component{{Weight: 1, FirstLoop: loopOf(Bezier)}} }),
			[]string{`generator is "polar"`, "must be mixed, beside mix"}},
		{configOf(Mixed, 1, func(c *Config) {
			c.Mix = make([]Component, 65)
		}), []string{"mix is 65 components", "1 to 64"}},
		{one("spline", same), []string{`mix[1].generator is "spline"`, "one of bezier"}},
		{one(Mixed, same), []string{`mix[1].generator is "mixed"`, "one of bezier"}},
		{one(Bezier, func(l *FirstLoop) { l.Scale = 0 }), []string{"mix[1].scale is 0", "other than 0"}},
		{one(Bezier, func(l *FirstLoop) {
			l.Corners.MinCount = 14
		}), []string{"mix[1].corners.max_count is 13", "at least corners.min_count (14)"}},
		{one(Bezier, func(l *FirstLoop) {
			l.Bezier.HandleLengthRange = Range{Min: 0.1, Max: 0.2}
		}), []string{"mix[1].bezier.handle_length_range is [0.1, 0.2]", "unless bezier.style_sampling"}},
		{one(Bezier, func(l *FirstLoop) {
			l.Scale = 100
		}), []string{"output.max_points is 384", "bezier loops of scale 100"}},
		{weights(1, -1), []string{"mix[1].weight is -1", "> 0"}},
		{weights(1, 0), []string{"mix[1].weight is 0: must be a number > 0"}},
		{weights(math.NaN(), math.Inf(1)), []string{"mix[0].weight is NaN", "mix[1].weight is +Inf"}},
		{weights(1e6, 1e-3), []string{"mix[1].weight is 0.001", "16777216th"}},
		{configOf(Mixed, 1<<23, func(c *Config) {
			c.Mix = slices.Repeat([]Component{{Weight: 1, FirstLoop: loopOf(Bezier)}}, 64)
		}), []string{"num_envs is 8388608", "in one batch"}},
	} {
		err := test.config.Validate()
		if !assert.ErrorIs(t, err, ErrConfig, "%v", test.want) {
			continue
		}
		for _, part := range test.want {
			assert.ErrorContains(t, err, part)
		}
		_, err = NewGenerator(nil, test.config)
		assert.ErrorIs(t, err, ErrConfig, "before any device work")
	}
}

func TestMixtureRefuses(t *testing.T) {
	device := openCPU(t)
	for _, test := range []struct {
		values []int32
		config Config
		want   string
	}{
		{[]int32{0, 1}, mixture(3), "components length is 2: must be 3"},
		{[]int32{0, 1, 4}, mixture(3), "components[2] is 4: must be 0 to 3, or -1"},
		{[]int32{-2, 1, 0}, mixture(3), "components[0] is -2"},
		{[]int32{0}, DefaultConfig(), "the batch is not mixed"},
	} {
		_, err := NewGenerator(device, test.config, WithComponents(test.values))
		assert.ErrorIs(t, err, backend.ErrInvalid)
		assert.ErrorContains(t, err, test.want)
	}
	g, err := NewGenerator(device, DefaultConfig())
	require.NoError(t, err)
	assert.True(t, g.GivenComponents().IsZero())
	require.NoError(t, g.Close())

	registerCrossed(t, exec.Host)
	register(t, "old", Spec{Stage: legacyPolar, Kernels: centerline.Defs})
	register(t, "silent", Spec{Stage: func(Config) exec.Stage {
		return pipeline.StageFunc("loop", exec.Static, func(exec.Builder) (exec.Enqueue,
			error) {
			return func(*exec.LaunchContext) {}, nil
		})
	}})
	register(t, "short", Spec{Stage: func(Config) exec.Stage {
		return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
			_, err := pipeline.Output[kernel.Vec2](b, LoopOutput, 7)
			return func(*exec.LaunchContext) {}, err
		})
	}})
	for name, why := range map[string]string{
		"crossed": `mix[1].generator is "crossed": must be one whose stage neither works on the host`,
		"old":     "launches on the current stream",
		"silent":  `mix[1]: build stage "loop": output loop is missing`, "short": "mix[1]: ",
	} {
		_, err := NewGenerator(device, configOf(Mixed, 2, func(c *Config) {
			c.Mix = []Component{{Weight: 1, FirstLoop: loopOf(Bezier)}, {Weight: 1, FirstLoop: loopOf(name)}}
		}))
		assert.ErrorContains(t, err, why, name)
	}
}

// split lists the envs of each component in the order of the active list.
func TestSplit(t *testing.T) {
	device, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	const most, components = 400, 5
	active, component, lists := scratch(t, device, most+1), scratch(t, device, most),
		scratch(t, device, components*(most+1))
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint32().Draw(t, "content")
		skip := rapid.Uint32Range(1, 9).Draw(t, "skip")
		next := func() uint32 { seed = kernel.Hash(seed); return seed >> 8 }
		of, list := make([]int32, most), []int32{0}
		want := make([][]int32, components)
		for e := range int32(most) {
			of[e] = int32(next() % components)
			if next()%skip == 0 {
				list = append(list, e)
				want[of[e]] = append(want[of[e]], e)
			}
		}
		list[0] = int32(len(list) - 1)
		require.NoError(t, active.Write(t.Context(), append(list, make([]int32, most+1-len(list))...)))
		require.NoError(t, component.Write(t.Context(), of))
		lc, err := exec.OnCurrentStream(device)
		require.NoError(t, err)
		selection.Split(lc, components, most+1, active, component, lists)
		require.NoError(t, lc.Err())
		got, err := lists.Read(t.Context())
		require.NoError(t, err)
		for k, envs := range want {
			row := got[k*(most+1):]
			require.Equal(t, int32(len(envs)), row[0])
			require.Equal(t, append([]int32{}, envs...), append([]int32{}, row[1:1+len(envs)]...))
		}
	})
}

func scratch(t *testing.T, device backend.Device, n int) exec.Array[int32] {
	t.Helper()
	array, err := exec.NewArray[int32](device, n)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, array.Close()) })
	return array
}
