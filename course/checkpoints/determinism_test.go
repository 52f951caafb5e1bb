package checkpoints_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/internal/resample/resampletest"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// settings are those of the tests that compare bits. Some tracks have more checkpoints than there is room for.
var settings = checkpoints.Config{Spacing: 0.5, MaxCheckpoints: 12}

// write puts other lines into the arrays of a source.
func write(t *testing.T, to checkpoints.Source, lines [][]kernel.Vec3) {
	t.Helper()
	ctx, tracks := context.Background(), resampletest.TracksOf(lines)
	require.NoError(t, to.Outer.Write(ctx, tracks.Outer))
	require.NoError(t, to.Center.Write(ctx, tracks.Center))
	require.NoError(t, to.Inner.Write(ctx, tracks.Inner))
}

// checkRuns checks that a device places checkpoints with the bits of the rules in every way to run: eager, again, by
// mask, recorded and replayed.
func checkRuns(t *testing.T, device backend.Device) {
	t.Helper()
	ctx, lines := context.Background(), resampletest.Lines()
	want := bitsOf(referenceOf(lines, float32(settings.Spacing), settings.MaxCheckpoints))
	other := bitsOf(referenceOf(resampletest.Moved(lines), float32(settings.Spacing), settings.MaxCheckpoints))
	source := sourceOf(t, device, lines)
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	s, err := checkpoints.NewSampler(device, source, settings, checkpoints.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.Equal(t, want, bitsOf(read(t, s)), "construction")
	for range 3 { // the first call is eager, later ones may replay a graph
		_, err = s.Refresh(ctx)
		require.NoError(t, err)
		require.Equal(t, want, bitsOf(read(t, s)), "refresh")
	}
	write(t, source, resampletest.Moved(lines))
	values := make([]int32, len(lines))
	values[1], values[3], values[6] = 1, -7, 2
	mask := coursetest.Upload(t, device, values)
	mixed := append([]uint64(nil), want...)
	check := func(what string) {
		t.Helper()
		for e, v := range values {
			if v != 0 {
				mixed[e] = other[e]
			}
		}
		require.Equal(t, mixed, bitsOf(read(t, s)), what)
	}
	_, err = s.RefreshMasked(ctx, mask)
	require.NoError(t, err)
	check("refresh by mask")

	require.NoError(t, stream.BeginCapture())
	_, err = s.RefreshMasked(ctx, mask)
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	clear(values)
	require.NoError(t, mask.Write(ctx, values))
	require.NoError(t, stream.Replay(graph))
	check("replay with an empty mask")
	values[0], values[7] = 1, 1
	require.NoError(t, mask.Write(ctx, values))
	require.NoError(t, stream.Replay(graph))
	check("replay with another mask")
	_, err = s.Refresh(ctx)
	require.NoError(t, err)
	require.Equal(t, other, bitsOf(read(t, s)), "refresh of all")
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		checkRuns(t, coursetest.OpenCPU(t, backend.Workers(workers)))
	}
}

// The instrumented kernels find no wrong index and no race.
func TestTwinsFindNoMistake(t *testing.T) { checkRuns(t, coursetest.OpenCPU(t, backend.Debug(true))) }

// A stage of a generator places the checkpoints of the tracks that a regeneration makes, and no others.
func TestStageOfAGenerator(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	g, err := track.NewGenerator(device, tracktest.Config(track.Bezier, 4), track.WithStages(checkpoints.Stage(settings)))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	output := func() []uint64 {
		var set checkpoints.Set
		set.Envs, set.MaxCheckpoints = 4, settings.MaxCheckpoints
		for name, field := range map[string]*exec.Array[kernel.Vec3]{
			checkpoints.PositionOutput: &set.Position, checkpoints.LeftOutput: &set.Left,
			checkpoints.RightOutput: &set.Right, checkpoints.ForwardOutput: &set.Forward,
		} {
			*field, err = pipeline.ArrayOf[kernel.Vec3](g.Program(), name)
			require.NoError(t, err)
		}
		set.UpHalf, err = pipeline.ArrayOf[float32](g.Program(), checkpoints.UpHalfOutput)
		require.NoError(t, err)
		set.Count, err = pipeline.ArrayOf[int32](g.Program(), checkpoints.CountOutput)
		require.NoError(t, err)
		host, err := set.Read(ctx)
		require.NoError(t, err)
		return bitsOf(sampled{HostSet: host, truncated: make([]int32, 4), step: make([]float32, 4)})
	}
	sampler := newSampler(t, device, checkpoints.SourceOf(g.Track()), settings)
	placed := func() []uint64 {
		host := read(t, sampler)
		return bitsOf(sampled{HostSet: host.HostSet, truncated: make([]int32, 4), step: make([]float32, 4)})
	}
	before := output()
	require.Equal(t, placed(), before)
	mask := coursetest.Upload(t, device, []int32{0, 0, 1, 0})
	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	require.Equal(t, before, placed(), "the sampler has not been told")
	_, err = sampler.Refresh(ctx)
	require.NoError(t, err)
	after := placed()
	require.NotEqual(t, before[2], after[2])
	require.Equal(t, []uint64{before[0], before[1], after[2], before[3]}, output())
	require.Equal(t, after, output())

	_, err = track.NewGenerator(device, tracktest.Config(track.Bezier, 4),
		track.WithStages(checkpoints.Stage(checkpoints.Config{Spacing: 1})))
	require.ErrorContains(t, err, "max_checkpoints is 0: must be a whole number >= 3 and <= 65536")
}

// The stage passes every check of package exectest, behind stages that draw tracks from the seeds.
func TestStageKeepsTheContract(t *testing.T) {
	whole := pipeline.StageFunc("whole", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		stages, err := track.Stages(tracktest.Config(track.Bezier, b.Envs()))
		if err != nil {
			return nil, err
		}
		n, err := pipeline.Nested(b, pipeline.NestedOptions{Apart: true})
		if err != nil {
			return nil, err
		}
		for _, name := range []string{checkpoints.PositionOutput, checkpoints.LeftOutput, checkpoints.RightOutput,
			checkpoints.ForwardOutput} { // the outputs of the whole stage
			array, err := pipeline.Output[kernel.Vec3](b, name, settings.MaxCheckpoints)
			if err == nil {
				err = pipeline.Provide(n, name, array)
			}
			if err != nil {
				return nil, err
			}
		}
		program, err := n.Build(append(stages, checkpoints.Stage(settings))...)
		if err != nil {
			return nil, err
		}
		return program.Enqueue, nil
	})
	exectest.CheckStage(t, whole, exectest.Config{Devices: []backend.Device{coursetest.OpenCPU(t)}})
}

// Refreshes allocate nothing, but for the first with a mask.
func TestRefreshesAllocateNothing(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	s := newSampler(t, device, sourceOf(t, device, resampletest.Lines()), settings)
	mask := coursetest.Upload(t, device, make([]int32, s.Set().Envs))
	for name, refresh := range map[string]func() (*checkpoints.Set, error){
		"all":    func() (*checkpoints.Set, error) { return s.Refresh(ctx) },
		"masked": func() (*checkpoints.Set, error) { return s.RefreshMasked(ctx, mask) },
	} {
		require.Zero(t, testing.AllocsPerRun(20, func() {
			if _, err := refresh(); err != nil {
				t.Fatal(err)
			}
		}), name)
	}
}
