package collision_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
)

// trialOfDiscs makes a trial of a checker.
func trialOfDiscs(t *testing.T, device backend.Device, source collision.DiscSource, c collision.DiscConfig,
	seed uint64) trial {
	t.Helper()
	ctx := context.Background()
	r := rand.New(rand.NewPCG(seed, 1))
	var scenes []boxScene
	for range sceneSteps {
		scenes = append(scenes, drawBoxScene(r, sceneEnvs*sceneBoxes))
	}
	stream := streamOf(t, device)
	d, err := collision.NewDiscs(device, source, c, collision.WithStream(stream))
	require.NoError(t, err)
	inputs := boxInputsOf(t, device, scenes[0])
	require.NoError(t, d.Bind(inputs.boxes))
	return trial{
		stream: stream, write: func(step int) { inputs.write(scenes[step]) },
		query: func(ctx context.Context) error { _, err := d.Query(ctx); return err },
		reset: d.Reset, mask: coursetest.Upload(t, device, []int32{0, 1, 0, 7, 0}),
		read: func() []uint32 {
			h, err := d.Contacts().Read(ctx)
			require.NoError(t, err)
			return words(h.Hit, h.Disc, h.Depth, h.Nearest, h.FirstContact)
		},
		close: d.Close,
	}
}

func discTrial(t *testing.T, device backend.Device) trial {
	r := rand.New(rand.NewPCG(8, 1))
	source := collision.DiscSource{Discs: coursetest.Upload(t, device, drawn(r, sceneEnvs*9, drawPlace)),
		Count: coursetest.Upload(t, device, []int32{9, 4, 0, 100, -3})}
	return trialOfDiscs(t, device, source, collision.DiscConfig{Boxes: sceneBoxes, Radius: 0.1, Swept: true}, 11)
}

func postTrial(t *testing.T, device backend.Device) trial {
	r := rand.New(rand.NewPCG(9, 1))
	source := collision.DiscSource{Envs: sceneEnvs, Left: coursetest.Upload(t, device, drawn(r, sceneEnvs*7, drawPlace)),
		Right: coursetest.Upload(t, device, drawn(r, sceneEnvs*7, drawPlace))}
	return trialOfDiscs(t, device, source, collision.DiscConfig{Boxes: sceneBoxes, Radius: 0.2}, 12)
}

// rows reads an array of vectors of a golden file.
func vec3s(t testing.TB, values []float32) []kernel.Vec3 {
	t.Helper()
	list := make([]kernel.Vec3, len(values)/3)
	for i := range list {
		list[i] = kernel.V3(values[3*i], values[3*i+1], values[3*i+2])
	}
	return list
}

func quats(values []float32) []kernel.Quat {
	list := make([]kernel.Quat, len(values)/4)
	for i := range list {
		list[i] = kernel.Quat{X: values[4*i], Y: values[4*i+1], Z: values[4*i+2], W: values[4*i+3]}
	}
	return list
}

func vec2s(values []float32) []kernel.Vec2 {
	list := make([]kernel.Vec2, len(values)/2)
	for i := range list {
		list[i] = kernel.V2(values[2*i], values[2*i+1])
	}
	return list
}

// checkGoldenDiscs drives the boxes of a golden file through a checker. want is the prefix of the answers.
func checkGoldenDiscs(t *testing.T, file, want string, radius float64,
	sourceOf func(device backend.Device) collision.DiscSource) {
	ctx, device, reference := context.Background(), coursetest.OpenCPU(t, backend.Workers(1)), golden.Open(t, file)
	numbers := func(name string) []float32 { return golden.Array[float32](t, reference, name) }
	integers := func(name string) []int32 { return golden.Array[int32](t, reference, name) }
	position, turn := vec3s(t, numbers("input/box_position")), quats(numbers("input/orientation"))
	half := vec2s(numbers("input/half_extents"))
	hit, disc := integers(want+"/hit"), integers(want+"/disc")
	depth, nearest := numbers(want+"/depth"), vec2s(numbers(want+"/nearest"))
	n := len(half)
	d, err := collision.NewDiscs(device, sourceOf(device), collision.DiscConfig{Boxes: 2, Radius: radius})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	inputs := boxInputsOf(t, device, boxScene{position[:n], turn[:n], half})
	hits, unclear := 0, 0
	for k := range len(position) / n {
		low, high := k*n, (k+1)*n
		inputs.write(boxScene{position[low:high], turn[low:high], half})
		contacts, err := d.QueryBoxes(ctx, inputs.boxes)
		require.NoError(t, err)
		got, err := contacts.Read(ctx)
		require.NoError(t, err)
		require.Equal(t, hit[low:high], got.Hit, "step %d", k)
		require.Equal(t, disc[low:high], got.Disc, "step %d", k)
		require.Nil(t, got.FirstContact)
		for i := range n {
			hits += int(got.Hit[i])
			require.InDelta(t, depth[low+i], got.Depth[i], 2e-6, "step %d, box %d", k, i)
			w := nearest[low+i]
			switch {
			case kernel.IsNaN(w.X):
				require.True(t, kernel.IsNaN(got.Nearest[i].X) && kernel.IsNaN(got.Nearest[i].Y))
			case radius-float64(depth[low+i]) > 1e-3: // else class D
				require.InDelta(t, 0, w.Sub(got.Nearest[i]).Len(), 1e-5, "step %d, box %d", k, i)
			default:
				unclear++
			}
		}
	}
	t.Logf("%d contacts, %d of them with the middle of a disc in or near the box", hits, unclear)
	assert.Positive(t, hits)
}

func TestGoldenDiscs(t *testing.T) {
	reference := golden.Open(t, "discs.npz")
	discs := vec3s(t, golden.Array[float32](t, reference, "input/discs"))
	count := golden.Array[int32](t, reference, "input/disc_count")
	t.Run("counted", func(t *testing.T) {
		checkGoldenDiscs(t, "discs.npz", "counted", 0.05, func(device backend.Device) collision.DiscSource {
			return collision.DiscSource{Discs: coursetest.Upload(t, device, discs), Count: coursetest.Upload(t, device, count)}
		})
	})
	t.Run("padded", func(t *testing.T) {
		checkGoldenDiscs(t, "discs.npz", "padded", 0.05, func(device backend.Device) collision.DiscSource {
			return collision.DiscSource{Envs: len(count), Discs: coursetest.Upload(t, device, discs)}
		})
	})
	t.Run("posts", func(t *testing.T) {
		gates := golden.Open(t, "course_gates_posts.npz")
		left := vec3s(t, golden.Array[float32](t, gates, "gates/left"))
		right := vec3s(t, golden.Array[float32](t, gates, "gates/right"))
		checkGoldenDiscs(t, "course_gates_posts.npz", "contacts", 0.03, func(device backend.Device) collision.DiscSource {
			return collision.DiscSource{Envs: 8, Left: coursetest.Upload(t, device, left),
				Right: coursetest.Upload(t, device, right)}
		})
	})
}

// The posts of a checker follow the regeneration of the envs of a mask, and no others.
func TestPostsFollowGates(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	c := gate.DefaultConfig()
	c.NumEnvs, c.Gate.Width = 4, 0.2
	g, err := gate.NewGenerator(device, c, gate.WithStages(collision.PostsStage()))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	d, err := collision.NewDiscs(device, collision.PostsOf(g.Sequence()), collision.DiscConfig{Radius: 0.1})
	require.NoError(t, err)
	defer func() { require.NoError(t, d.Close()) }()
	stage, err := pipeline.ArrayOf[kernel.Vec3](g.Program(), collision.PostsOutput)
	require.NoError(t, err)
	read := func(a exec.Array[kernel.Vec3]) []uint32 {
		values, err := a.Read(ctx)
		require.NoError(t, err)
		var list []float32
		for _, v := range values {
			list = append(list, v.X, v.Y, v.Z)
		}
		return words(list)
	}
	first := read(d.Arrays().Discs)
	per := len(first) / 4
	require.Equal(t, first, read(stage), "the stage of a generator makes the same posts")
	mask := coursetest.Upload(t, device, []int32{0, 1, 0, 0})
	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	require.Equal(t, first, read(d.Arrays().Discs), "without a refresh the posts stay")
	other := coursetest.Upload(t, device, []int32{0, 0, 1, 0})
	require.NoError(t, d.RefreshMasked(ctx, other))
	require.Equal(t, first, read(d.Arrays().Discs))
	require.NoError(t, d.RefreshMasked(ctx, mask))
	now := read(d.Arrays().Discs)
	require.NotEqual(t, first[per:2*per], now[per:2*per])
	require.Equal(t, now, read(stage))
	_, err = g.Generate(ctx)
	require.NoError(t, err)
	require.NoError(t, d.Refresh(ctx))
	require.Equal(t, read(stage), read(d.Arrays().Discs))
}

func TestPostsStageKeepsTheContract(t *testing.T) {
	const gates = 3
	stage := pipeline.StageFunc("whole", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		c := gate.DefaultConfig()
		c.NumEnvs = b.Envs()
		stages, err := gate.Stages(c)
		if err != nil {
			return nil, err
		}
		n, err := pipeline.Nested(b, pipeline.NestedOptions{Apart: true})
		if err != nil {
			return nil, err
		}
		posts, err := pipeline.Output[kernel.Vec3](b, collision.PostsOutput, 2*c.Output.MaxGates)
		if err == nil {
			err = pipeline.Provide(n, collision.PostsOutput, posts)
		}
		if err != nil {
			return nil, err
		}
		program, err := n.Build(append(stages, collision.PostsStage())...)
		if err != nil {
			return nil, err
		}
		return program.Enqueue, nil
	})
	exectest.CheckStage(t, stage, exectest.Config{Devices: []backend.Device{coursetest.OpenCPU(t, backend.Workers(1))}})
}

// discChecker makes a checker of two envs with one disc each.
func discChecker(t *testing.T, device backend.Device, c collision.DiscConfig) *collision.Discs {
	t.Helper()
	source := collision.DiscSource{Envs: 2, Discs: coursetest.Upload(t, device, make([]kernel.Vec3, 2))}
	d, err := collision.NewDiscs(device, source, c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// A clone keeps what a later query overwrites.
func TestCloneOfDiscContacts(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	d := discChecker(t, device, collision.DiscConfig{Radius: 1, Swept: true})
	before, err := d.Contacts().Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{-1, -1}, before.Disc)
	scene := boxScene{make([]kernel.Vec3, 2), []kernel.Quat{{W: 1}, {W: 1}}, make([]kernel.Vec2, 2)}
	inputs := boxInputsOf(t, device, scene)
	require.NoError(t, d.Bind(inputs.boxes))
	contacts, err := d.Query(ctx)
	require.NoError(t, err)
	clone, err := contacts.Clone(ctx)
	require.NoError(t, err)
	scene.position[1].X = 5
	inputs.write(scene)
	_, err = d.Query(ctx)
	require.NoError(t, err)
	kept, err := clone.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{1, 1}, kept.Hit)
	require.Equal(t, []float32{0, 0}, kept.FirstContact)
	now, err := d.Contacts().Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{1, 0}, now.Hit)
	require.Equal(t, []float32{0, 0}, now.FirstContact, "the box has left the disc")
	require.NoError(t, clone.Close())
}

// Every wrong argument is refused before any device work, with its name, its value and what is allowed.
func TestDiscsRefuse(t *testing.T) {
	device := coursetest.OpenCPU(t, backend.Workers(1))
	other := coursetest.OpenCPU(t, backend.Workers(1))
	four := coursetest.Upload(t, device, make([]kernel.Vec3, 4))
	counts := coursetest.Upload(t, device, make([]int32, 3))
	fine := collision.DiscConfig{Radius: 1}
	for want, config := range map[string]collision.DiscConfig{
		"radius is 0: must be a number > 0 and <= 1000000":                      {},
		"radius is -1: must be a number > 0 and <= 1000000":                     {Radius: -1},
		"radius is NaN: must be a number > 0 and <= 1000000":                    {Radius: float64(kernel.NaN())},
		"radius is 1e-60: must be a number > 0 and <= 1000000":                  {Radius: 1e-60},
		"boxes is -1: must be a whole number >= 1 and <= 65536, or 0 for 1":     {Boxes: -1, Radius: 1},
		"boxes is 100000: must be a whole number >= 1 and <= 65536, or 0 for 1": {Boxes: 100_000, Radius: 1},
	} {
		_, err := collision.NewDiscs(device, collision.DiscSource{Envs: 2, Discs: four}, config)
		require.ErrorContains(t, err, "collision: new discs: "+want)
		isConfig(t, err)
	}
	for want, source := range map[string]collision.DiscSource{
		"envs is 0: must be 1 or more, or 0 with a count": {Discs: four},
		"discs length is 4: must be a multiple of 3":      {Envs: 3, Discs: four},
		"discs length is 0: must be a multiple of 3":      {Envs: 3},
		"count":                                  {Envs: 2, Discs: four, Count: counts},
		"source is discs and posts":              {Envs: 2, Discs: four, Left: four, Right: four},
		"left length is 0":                       {Envs: 2, Right: four},
		"right":                                  {Envs: 2, Left: four},
		"left length is 4: must be a multiple":   {Envs: 3, Left: four, Right: four},
		"envs is 0: must be 1 or more, or 0 wit": collision.PostsOf(nil),
	} {
		_, err := collision.NewDiscs(device, source, fine)
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
	_, err := collision.NewDiscs(other, collision.DiscSource{Envs: 2, Discs: four}, fine)
	require.ErrorIs(t, err, exec.ErrDeviceMismatch)
	_, err = collision.NewDiscs(nil, collision.DiscSource{Envs: 2, Discs: four}, fine)
	require.ErrorIs(t, err, backend.ErrInvalid)
}

// Calls with wrong arrays, and of a checker that no constructor has made or that is closed, are refused.
func TestMisusedDiscs(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	counts := coursetest.Upload(t, device, make([]int32, 3))
	d := discChecker(t, device, collision.DiscConfig{Radius: 1, Swept: true})
	_, err := d.Query(ctx)
	require.ErrorContains(t, err, "inputs is none")
	inputs := boxInputsOf(t, device, drawBoxScene(rand.New(rand.NewPCG(1, 1)), 2))
	short := inputs.boxes
	short.HalfExtents, err = short.HalfExtents.Slice(0, 1)
	require.NoError(t, err)
	require.ErrorContains(t, d.Bind(short), "half_extents")
	_, err = d.QueryBoxes(ctx, collision.Boxes{})
	require.ErrorContains(t, err, "position")
	require.NoError(t, d.Bind(inputs.boxes))
	_, err = d.QueryBoxes(ctx, inputs.boxes)
	require.ErrorContains(t, err, "inputs is of the call and of Bind")
	require.ErrorContains(t, d.Reset(ctx, counts), "mask")
	require.ErrorContains(t, d.RefreshMasked(ctx, counts), "mask")

	var none *collision.Discs
	for _, checker := range []*collision.Discs{none, {}} {
		_, err = checker.Query(ctx)
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.ErrorIs(t, checker.Bind(inputs.boxes), backend.ErrInvalid)
		require.ErrorIs(t, checker.Reset(ctx, counts), backend.ErrInvalid)
		require.ErrorIs(t, checker.Refresh(ctx), backend.ErrInvalid)
		_, err = checker.Contacts().Clone(ctx)
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.Zero(t, checker.Arrays())
		require.NoError(t, checker.Close())
	}
	require.NoError(t, d.Close())
	_, err = d.Query(ctx)
	require.ErrorIs(t, err, backend.ErrClosed)
	require.ErrorIs(t, d.Refresh(ctx), backend.ErrClosed)
}

// isConfig requires an error that names a wrong field of a configuration.
func isConfig(t *testing.T, err error) {
	t.Helper()
	var wrong *config.Error
	require.ErrorAs(t, err, &wrong)
}

// The schemas have no mistake.
func TestSchemasOfObstacles(t *testing.T) {
	require.NoError(t, collision.DiscSchema.Err())
	require.NoError(t, collision.FrameSchema.Err())
	require.NoError(t, collision.AgentSchema.Err())
}
