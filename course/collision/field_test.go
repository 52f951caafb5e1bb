package collision_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// goldenTracks uploads the tracks of a golden file.
func goldenTracks(t *testing.T, device backend.Device, reference *npz.Reader, prefix string) collision.BorderSource {
	t.Helper()
	line := func(name string) exec.Array[kernel.Vec3] {
		return coursetest.Upload(t, device, vec3s(t, golden.Array[float32](t, reference, prefix+name)))
	}
	return collision.BorderSource{Outer: line("outer"), Center: line("center"), Inner: line("inner"),
		Count: coursetest.Upload(t, device, golden.Array[int32](t, reference, prefix+"count"))}
}

func TestGoldenField(t *testing.T) {
	device, reference := coursetest.OpenCPU(t, backend.Workers(1)), golden.Open(t, "utilities_flat.npz")
	field, err := collision.NewField(device, goldenTracks(t, device, reference, "track/"),
		collision.FieldConfig{Resolution: 16, Padding: 0.3})
	require.NoError(t, err)
	defer func() { require.NoError(t, field.Close()) }()
	grid, err := field.Grid(context.Background())
	require.NoError(t, err)
	const of = "sdf16_pad03/"
	require.Equal(t, vec2s(golden.Array[float32](t, reference, of+"lo")), grid.Low)
	require.Equal(t, vec2s(golden.Array[float32](t, reference, of+"hi")), grid.High)
	require.Equal(t, words(golden.Array[float32](t, reference, of+"phi")), words(grid.Phi))
	var want []int8
	require.NoError(t, reference.Read(of+"boundary.npy", &want))
	require.Len(t, grid.Boundary, len(want))
	for i := range want {
		require.Equal(t, int32(want[i]), grid.Boundary[i], "cell %d", i)
	}
	require.Equal(t, grid.Phi[16*16:2*16*16], grid.Of(1))
	x, y := grid.Middle(0, 0, 15)
	require.InDelta(t, float64(grid.Low[0].X)+float64(grid.High[0].X-grid.Low[0].X)/32, x, 1e-6)
	require.InDelta(t, float64(grid.High[0].Y)-float64(grid.High[0].Y-grid.Low[0].Y)/32, y, 1e-6)
}

// Tracks of 0, 2 and 3 points.
func TestGoldenDegenerateField(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	reference := golden.Open(t, "degenerate.npz")
	field, err := collision.NewField(device, goldenTracks(t, device, reference, "input/"),
		collision.FieldConfig{Resolution: 16})
	require.NoError(t, err)
	defer func() { require.NoError(t, field.Close()) }()
	scene := boxScene{vec3s(t, golden.Array[float32](t, reference, "input/position")), make([]kernel.Quat, 8),
		make([]kernel.Vec2, 8)}
	for i := range scene.turn {
		scene.turn[i], scene.half[i] = kernel.Quat{W: 1}, kernel.V2(0.02, 0.02)
	}
	contacts, err := field.QueryBoxes(ctx, boxInputsOf(t, device, scene).boxes)
	require.NoError(t, err)
	got, err := contacts.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, golden.Array[int32](t, reference, "sdf/oob"), got.OutOfBounds)
	require.Equal(t, golden.Array[int32](t, reference, "sdf/boundary"), got.Boundary)
	close := func(name string, want, got []float32, tolerance float64) {
		require.Len(t, got, len(want))
		for i, w := range want {
			if kernel.IsNaN(w) {
				require.Equal(t, kernel.NaNBits, math.Float32bits(got[i]), "%s %d", name, i)
				continue
			}
			require.InDelta(t, w, got[i], tolerance, "%s %d", name, i)
		}
	}
	close("distance", golden.Array[float32](t, reference, "sdf/distance"), got.Distance, 5e-6)
	close("nearest", golden.Array[float32](t, reference, "sdf/nearest"), components(got.Nearest), 1e-5)
	close("normal", golden.Array[float32](t, reference, "sdf/normal"), components(got.Normal), 1e-4)
}

func components(vectors []kernel.Vec2) (list []float32) {
	for _, v := range vectors {
		list = append(list, v.X, v.Y)
	}
	return list
}

// tracksOn generates tracks.
func tracksOn(t testing.TB, device backend.Device, envs int) *track.Generator {
	t.Helper()
	g, err := track.NewGenerator(device, tracktest.Config(track.Bezier, envs))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// fieldTrial bakes in the steps of the test too, because the capture holds a baking of the envs of a mask.
func fieldTrial(t *testing.T, device backend.Device) trial {
	ctx := context.Background()
	g := tracksOn(t, device, sceneEnvs)
	r := rand.New(rand.NewPCG(14, 1))
	var scenes []boxScene
	for range sceneSteps {
		s := drawBoxScene(r, sceneEnvs*sceneBoxes)
		scenes = append(scenes, s)
	}
	stream := streamOf(t, device)
	f, err := collision.NewField(device, collision.BordersOf(g.Track()),
		collision.FieldConfig{Boxes: sceneBoxes, Resolution: 20}, collision.WithStream(stream))
	require.NoError(t, err)
	inputs := boxInputsOf(t, device, scenes[0])
	require.NoError(t, f.Bind(inputs.boxes))
	return trial{
		stream: stream, write: func(step int) {
			inputs.write(scenes[step])
			require.NoError(t, g.SetEpoch(ctx, int32(step)))
			_, err := g.Generate(ctx)
			require.NoError(t, err)
			require.NoError(t, device.CurrentStream().Sync())
		},
		query: func(ctx context.Context) error { _, err := f.Query(ctx); return err },
		reset: f.RefreshMasked, mask: coursetest.Upload(t, device, []int32{0, 1, 0, 7, 0}),
		read: func() []uint32 {
			grid, err := f.Grid(ctx)
			require.NoError(t, err)
			h, err := f.Contacts().Read(ctx)
			require.NoError(t, err)
			return words(h.OutOfBounds, h.Boundary, h.Distance, h.Nearest, h.Normal, grid.Phi, grid.Boundary, grid.Low,
				grid.High)
		},
		close: f.Close,
	}
}

// The field follows the regeneration of the envs of a mask, and of no others, and so does the stage of a generator.
func TestFieldFollowsTracks(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	config := collision.FieldConfig{Resolution: 16}
	g, err := track.NewGenerator(device, tracktest.Config(track.Bezier, 4),
		track.WithStages(collision.FieldStage(config)))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	f, err := collision.NewField(device, collision.BordersOf(g.Track()), config)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	staged := func() []float32 {
		phi, err := pipeline.ArrayOf[float32](g.Program(), collision.PhiOutput)
		require.NoError(t, err)
		values, err := phi.Read(ctx)
		require.NoError(t, err)
		return values
	}
	phi := func() []float32 {
		grid, err := f.Grid(ctx)
		require.NoError(t, err)
		return grid.Phi
	}
	first := phi()
	require.Equal(t, first, staged())
	mask := coursetest.Upload(t, device, []int32{0, 1, 0, 0})
	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	require.Equal(t, first, phi(), "without a refresh the field stays")
	require.NoError(t, f.RefreshMasked(ctx, coursetest.Upload(t, device, []int32{1, 0, 1, 0})))
	require.Equal(t, first, phi())
	require.NoError(t, f.RefreshMasked(ctx, mask))
	require.Equal(t, staged(), phi())
	require.Equal(t, first[:16*16], phi()[:16*16])
	require.NotEqual(t, first[16*16:2*16*16], phi()[16*16:2*16*16])
	_, err = g.Generate(ctx)
	require.NoError(t, err)
	require.NoError(t, f.Refresh(ctx))
	require.Equal(t, staged(), phi())
	assert.Zero(t, testing.AllocsPerRun(3, func() { require.NoError(t, f.Refresh(ctx)) }))
}

func TestFieldStageKeepsTheContract(t *testing.T) {
	const side = 8
	stage := pipeline.StageFunc("whole", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		stages, err := track.Stages(tracktest.Config(track.Bezier, b.Envs()))
		if err != nil {
			return nil, err
		}
		n, err := pipeline.Nested(b, pipeline.NestedOptions{Apart: true})
		if err != nil {
			return nil, err
		}
		phi, err := pipeline.Output[float32](b, collision.PhiOutput, side*side)
		if err == nil {
			err = pipeline.Provide(n, collision.PhiOutput, phi)
		}
		if err != nil {
			return nil, err
		}
		program, err := n.Build(append(stages, collision.FieldStage(collision.FieldConfig{Resolution: side}))...)
		if err != nil {
			return nil, err
		}
		return program.Enqueue, nil
	})
	exectest.CheckStage(t, stage, exectest.Config{Devices: []backend.Device{coursetest.OpenCPU(t, backend.Workers(1))}})
}

func TestFieldRefuses(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	source := collision.BordersOf(tracksOn(t, device, 2).Track())
	for want, c := range map[string]collision.FieldConfig{
		"resolution is 7: must be a whole number >= 8 and <= 4096, or 0 for 128":         {Resolution: 7},
		"resolution is 5000: must be a whole number >= 8 and <= 4096, or 0 for 128":      {Resolution: 5000},
		"padding is -1: must be a number > 0 and <= 1000000, or 0 for the default":       {Padding: -1},
		"padding is NaN: must be a number > 0 and <= 1000000, or 0 for the default":      {Padding: math.NaN()},
		"boxes is -2: must be a whole number >= 1 and <= 65536, or 0 for 1\nresolution ": {Boxes: -2, Resolution: 1},
	} {
		_, err := collision.NewField(device, source, c)
		require.ErrorContains(t, err, want)
		isConfig(t, err)
	}
	_, err := collision.NewField(device, collision.BordersOf(nil), collision.FieldConfig{})
	require.ErrorContains(t, err, "source is without arrays")
	many := source
	many.Count = coursetest.Upload(t, device, make([]int32, 200))
	many.Outer = coursetest.Upload(t, device, make([]kernel.Vec3, 200))
	many.Center, many.Inner = many.Outer, many.Outer
	_, err = collision.NewField(device, many, collision.FieldConfig{Resolution: 4096})
	require.ErrorContains(t, err, "resolution is 4096: must be one with at most 2147483647 cells in all 200 envs")
	for _, damage := range []func(s *collision.BorderSource){
		func(s *collision.BorderSource) { s.Outer, _ = s.Outer.Slice(0, 5) },
		func(s *collision.BorderSource) { s.Center = exec.Array[kernel.Vec3]{} },
		func(s *collision.BorderSource) { s.Inner, _ = s.Inner.Slice(0, 4) },
	} {
		short := source
		damage(&short)
		_, err = collision.NewField(device, short, collision.FieldConfig{})
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
	var none *collision.Field
	for _, checker := range []*collision.Field{none, {}} {
		_, err = checker.Query(ctx)
		require.ErrorIs(t, err, backend.ErrInvalid)
		_, err = checker.Grid(ctx)
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.ErrorIs(t, checker.Refresh(ctx), backend.ErrInvalid)
		require.Zero(t, checker.Arrays())
		require.NoError(t, checker.Close())
	}
	f, err := collision.NewField(device, source, collision.FieldConfig{})
	require.NoError(t, err)
	require.Equal(t, collision.FieldConfig{Boxes: 1, Resolution: 128}, f.Config())
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = f.Grid(ctx)
	require.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
	require.NoError(t, f.Close())
	_, err = f.Grid(ctx)
	require.ErrorIs(t, err, backend.ErrClosed)
}
