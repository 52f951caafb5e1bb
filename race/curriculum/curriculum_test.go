package curriculum_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/curriculum"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/difficulty/filter"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

var (
	nan, inf = kernel.NaN(), float32(math.Inf(1))
	all      = exec.Array[int32]{}
)

// candidate is a track by its label, and whether it can be chosen.
type candidate struct {
	label  float64
	usable bool
	center []kernel.Vec3
}

// candidatesOf returns the candidates of each env at the epochs 1 to last, made by a generator of its own on the CPU.
func candidatesOf(t *testing.T, tracks track.Config, seed int32, last int, label string) (list [][]candidate) {
	t.Helper()
	device := coursetest.OpenCPU(t, backend.Workers(1))
	g, err := track.NewGenerator(device, tracks, track.WithSeed(seed))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	list = make([][]candidate, tracks.NumEnvs)
	for epoch := 1; epoch <= last; epoch++ {
		require.NoError(t, g.SetEpoch(t.Context(), int32(epoch)))
		_, err := g.Generate(t.Context())
		require.NoError(t, err)
		lines, err := raceline.New(device, raceline.SourceOf(g.Track()), raceline.DefaultConfig())
		require.NoError(t, err)
		a, err := difficulty.New(device, difficulty.SourceOf(g.Track(), lines.Line()), difficulty.DefaultConfig())
		require.NoError(t, err)
		labels, err := a.Labels().Read(t.Context())
		require.NoError(t, err)
		batch, err := g.Track().Batch(t.Context())
		require.NoError(t, err)
		for e := range list {
			values := filter.Values(labels, e)
			list[e] = append(list[e], candidate{values[label].(float64),
				batch.Valid[e] != 0 && !math.IsNaN(values["lap_time"].(float64)), batch.Points(batch.Center, e)})
		}
		require.NoError(t, a.Close())
		require.NoError(t, lines.Close())
	}
	return list
}

// choose is the rule of a choice (L-85, L-86) for an env at an epoch: the epoch that it chooses, its label and the
// tries.
func choose(list []candidate, epoch, tries int, target, tolerance float32) (chosen, tried int, label float32) {
	best, found := math.Inf(1), false
	chosen, label = epoch+1, nan
	for k := epoch; k < epoch+tries; k++ {
		tried++
		c := list[k] // of epoch k + 1
		if !c.usable {
			continue
		}
		v := float32(c.label)
		rank := float64(kernel.Abs(v - target))
		switch {
		case target != target:
			rank = 0
		case target == inf:
			rank = -c.label
		case target == -inf:
			rank = c.label
		}
		if !found || rank < best {
			found, best, chosen, label = true, rank, k+1, v
		}
		if target != target || target-target == 0 && rank <= float64(tolerance) {
			break
		}
	}
	return chosen, tried, label
}

// checkChoices checks choices of a device, eager and in a graph with the regeneration, against the rule.
func checkChoices(t *testing.T, device backend.Device, label string, envs, tries int, targets []float32) {
	t.Helper()
	const seed, tolerance = 5, 0.01
	ctx := t.Context()
	tracks := tracktest.Config(track.Bezier, envs)
	list := candidatesOf(t, tracks, seed, 3*tries, label)
	g, err := track.NewGenerator(device, tracks, track.WithSeed(seed))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	config := curriculum.DefaultConfig()
	config.Label, config.Tries, config.Tolerance = label, tries, tolerance
	c, err := curriculum.New(device, tracks, curriculum.SourceOf(g.Seeds()), config)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	target := coursetest.Upload(t, device, targets)
	mask := coursetest.Upload(t, device, make([]int32, envs))

	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	require.NoError(t, c.Choose(ctx, target, mask))
	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()

	epochs := make([]int, envs)
	wanted := make([]string, envs)
	before, err := g.Track().Batch(ctx)
	require.NoError(t, err)
	rounds := []func() error{ // all envs, every second one in the graph, none, all in the graph
		func() error {
			if err := c.Choose(ctx, target, all); err != nil {
				return err
			}
			_, err := g.Regenerate(ctx, all)
			return err
		},
		func() error { return stream.Replay(graph) },
		func() error { return stream.Replay(graph) },
		func() error { return stream.Replay(graph) },
	}
	for round, run := range rounds {
		masks := make([]int32, envs)
		for e := range masks {
			if round == 0 || round == 1 && e%2 == 1 || round == 3 && e%2 == 0 {
				masks[e] = 7
			}
		}
		require.NoError(t, mask.Write(ctx, masks))
		require.NoError(t, run())
		got, err := c.Choices().Read(ctx)
		require.NoError(t, err)
		state := coursetest.Download(t, g.Seeds().Epoch())
		batch, err := g.Track().Batch(ctx)
		require.NoError(t, err)
		for e := range envs {
			if masks[e] != 0 {
				chosen, tried, value := choose(list[e], epochs[e], tries, targets[e], tolerance)
				epochs[e], wanted[e] = chosen, fmt.Sprint(chosen, tried, value)
				require.Equal(t, fmt.Sprint(list[e][chosen-1].center), fmt.Sprint(batch.Points(batch.Center, e)))
			} else {
				require.Equal(t, fmt.Sprint(before.Points(before.Center, e)), fmt.Sprint(batch.Points(batch.Center, e)))
			}
			require.Equal(t, wanted[e], fmt.Sprint(got.Epoch[e], got.Tries[e], got.Label[e]), "round %d, env %d", round, e)
			require.EqualValues(t, epochs[e], state[e])
		}
		before = batch
	}
}

// Choices are those of the rule with any number of workers, by a number and by a count.
func TestChoosesByTheRule(t *testing.T) {
	for _, workers := range []int{1, 3} {
		device := coursetest.OpenCPU(t, backend.Workers(workers))
		checkChoices(t, device, "time_per_length", 7, 6, []float32{0.45, nan, inf, -inf, 0.6, 0.5, math.MaxFloat32})
		checkChoices(t, device, "corners", 4, 5, []float32{4, 2.5, -inf, -1e30})
	}
}

// The tracks of a curriculum are nearer to the targets than those without it, in each label.
func TestNearerThanWithout(t *testing.T) {
	const envs, label = 64, "lap_time"
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	tracks := tracktest.Config(track.Bezier, envs)
	g, err := track.NewGenerator(device, tracks)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	config := curriculum.DefaultConfig()
	config.Label = label
	c, err := curriculum.New(device, tracks, curriculum.SourceOf(g.Seeds()), config)
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	targets := make([]float32, envs)
	for e := range targets {
		targets[e] = 2 + float32(e)/envs
	}
	target := coursetest.Upload(t, device, targets)
	require.NoError(t, c.Choose(ctx, target, all))
	got, err := c.Choices().Read(ctx)
	require.NoError(t, err)
	with, without, n := 0.0, 0.0, 0.0
	for e, list := range candidatesOf(t, tracks, 0, 1, label) {
		if list[0].usable {
			with += math.Abs(float64(got.Label[e] - targets[e]))
			without += math.Abs(list[0].label - float64(targets[e]))
			n++
		}
	}
	require.Greater(t, n, 50.0)
	require.Less(t, with, without/3, "%v and %v on average", with/n, without/n)
	clone, err := c.Choices().Clone(ctx)
	require.NoError(t, err)
	copied, err := clone.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(got), fmt.Sprint(copied))
	require.NoError(t, clone.Close())
}

// A course makes the chosen tracks, and so does anything that regenerates by seeds and epochs.
func TestTracksOfACourse(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	tracks := tracktest.Config(track.Bezier, 4)
	settings := course.DefaultConfig()
	settings.Tracks, settings.Checkpoints.Spacing = &tracks, 0.5
	follower, err := course.New(device, settings, course.WithSeed(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, follower.Close()) }()
	c, err := curriculum.New(device, tracks, curriculum.SourceOf(follower.Seeds()), curriculum.DefaultConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	target := coursetest.Upload(t, device, []float32{0.5, nan, 0.4, 0.6})
	mask := coursetest.Upload(t, device, []int32{1, 0, 0, 1})
	require.NoError(t, c.Choose(ctx, target, mask))
	require.NoError(t, follower.Regenerate(ctx, mask))
	chosen, err := c.Choices().Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{chosen.Epoch[0], 0, 0, chosen.Epoch[3]}, coursetest.Download(t, follower.Seeds().Epoch()))
	lines, err := raceline.New(device, raceline.SourceOf(follower.Source().Tracks), raceline.DefaultConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, lines.Close()) }()
	a, err := difficulty.New(device, difficulty.SourceOf(follower.Source().Tracks, lines.Line()),
		difficulty.DefaultConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	labels, err := a.Labels().Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []float32{chosen.Label[0], chosen.Label[3]},
		[]float32{labels.TimePerLength[0], labels.TimePerLength[3]})
}

// Choices allocate nothing, and pass the guards of package exectest.
func TestHotMethodsAllocateNothing(t *testing.T) {
	ctx, device := context.Background(), exectest.Instrument(coursetest.OpenCPU(t, backend.Workers(1)))
	tracks := tracktest.Config(track.Bezier, 3)
	g, err := track.NewGenerator(device, tracks)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	c, err := curriculum.New(device, tracks, curriculum.SourceOf(g.Seeds()), curriculum.DefaultConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	target, mask := coursetest.Upload(t, device, make([]float32, 3)), coursetest.Upload(t, device, []int32{0, 1, 1})
	guard := exectest.HotPath(device, exectest.Options{})
	require.NoError(t, guard.Do(ctx, func(ctx context.Context) error { return c.Choose(ctx, target, mask) }))
	require.NoError(t, guard.Err())

	plain := coursetest.OpenCPU(t, backend.Workers(1))
	own, err := track.NewGenerator(plain, tracks)
	require.NoError(t, err)
	defer func() { require.NoError(t, own.Close()) }()
	other, err := curriculum.New(plain, tracks, curriculum.SourceOf(own.Seeds()), curriculum.DefaultConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	to, of := coursetest.Upload(t, plain, make([]float32, 3)), coursetest.Upload(t, plain, []int32{0, 1, 1})
	require.NoError(t, other.Choose(ctx, to, of))
	require.Zero(t, testing.AllocsPerRun(5, func() {
		if err := other.Choose(ctx, to, of); err != nil {
			t.Fatal(err)
		}
	}))
}

// Every wrong argument is refused before any device work, with its name, its value and what is allowed.
func TestMisuse(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	tracks := tracktest.Config(track.Bezier, 2)
	source := curriculum.Source{Seed: coursetest.Upload(t, device, []int32{1, 2}),
		Epoch: coursetest.Upload(t, device, []int32{0, 0})}
	for want, change := range map[string]func(*curriculum.Config){
		`label is "speed": must be one of lap_time`:              func(c *curriculum.Config) { c.Label = "speed" },
		"tries is 0: must be a whole number >= 1 and <= 64":      func(c *curriculum.Config) { c.Tries = 0 },
		"tolerance is NaN: must be a number >= 0 and <= 1000000": func(c *curriculum.Config) { c.Tolerance = math.NaN() },
		"max_speed is 0: must be a number > 0":                   func(c *curriculum.Config) { c.Car.MaxSpeed = 0 },
		"slow_radius is 0: must be a number > 0":                 func(c *curriculum.Config) { c.Labels.SlowRadius = 0 },
	} {
		config := curriculum.DefaultConfig()
		change(&config)
		_, err := curriculum.New(device, tracks, source, config)
		require.ErrorContains(t, err, "curriculum: new: "+want)
		require.ErrorIs(t, err, curriculum.ErrConfig)
	}
	config := curriculum.DefaultConfig()
	wrong := tracks
	wrong.NumEnvs = -1
	_, err := curriculum.New(device, wrong, source, config)
	require.ErrorContains(t, err, "num_envs is -1")
	_, err = curriculum.New(nil, tracks, source, config)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = curriculum.New(device, tracks, curriculum.SourceOf(nil), config)
	require.ErrorContains(t, err, "curriculum: new: seed")
	_, err = curriculum.New(device, tracks, source, config, generation.WithSeed(1))
	require.ErrorContains(t, err, "option")
	c, err := curriculum.New(device, tracks, source, config)
	require.NoError(t, err)
	require.Equal(t, config, c.Config())
	short, target := coursetest.Upload(t, device, []float32{1}), coursetest.Upload(t, device, []float32{1, 2})
	require.ErrorContains(t, c.Choose(ctx, short, all), "curriculum: choose: target")
	require.ErrorContains(t, c.Choose(ctx, exec.Array[float32]{}, all), "curriculum: choose: target")
	require.ErrorContains(t, c.Choose(ctx, target, coursetest.Upload(t, device, []int32{1})), "mask")
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	require.ErrorIs(t, c.Choose(ctx, target, all), backend.ErrClosed)
	var none *curriculum.Curriculum
	require.NoError(t, none.Close())
	require.ErrorIs(t, none.Choose(ctx, target, all), backend.ErrInvalid)
	_, err = none.Choices().Read(ctx)
	require.ErrorIs(t, err, backend.ErrInvalid)
	require.Equal(t, curriculum.Config{}, none.Config())
}

// The schema has no mistake, and targets may be numbers of every label.
func TestSchema(t *testing.T) {
	require.NoError(t, curriculum.Schema.Err())
	require.Equal(t, filter.Names(), curriculum.Fields()[0].Choices)
}
