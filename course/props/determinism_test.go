package props_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/internal/resample/resampletest"
	"github.com/trackgen-go/trackgen/course/props"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// write puts other lines into the arrays of a source.
func write(t *testing.T, to props.Source, lines [][]kernel.Vec3) {
	t.Helper()
	ctx, tracks := context.Background(), resampletest.TracksOf(lines)
	require.NoError(t, to.Outer.Write(ctx, tracks.Outer))
	require.NoError(t, to.Center.Write(ctx, tracks.Center))
	require.NoError(t, to.Inner.Write(ctx, tracks.Inner))
}

// checkRuns checks that a device places props with the bits of the rules in every way to run: eager, again, by
// mask, recorded and replayed.
func checkRuns(t *testing.T, device backend.Device, settings props.Config) {
	t.Helper()
	ctx, lines := context.Background(), resampletest.Lines()
	want := bitsOf(referenceOf(lines, settings))
	other := bitsOf(referenceOf(resampletest.Moved(lines), settings))
	source := sourceOf(t, device, lines)
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	s, err := props.NewSampler(device, source, settings, props.WithStream(stream))
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
		for _, c := range configs() {
			checkRuns(t, coursetest.OpenCPU(t, backend.Workers(workers)), c)
		}
	}
}

// The instrumented kernels find no wrong index and no race.
func TestTwinsFindNoMistake(t *testing.T) {
	checkRuns(t, coursetest.OpenCPU(t, backend.Debug(true)), configs()[1])
}

// A stage of a generator places the props of the tracks that a regeneration makes, and no others.
func TestStageOfAGenerator(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	settings := configs()[3]
	g, err := track.NewGenerator(device, tracktest.Config(track.Bezier, 4), track.WithStages(props.Stage(settings)))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	position, err := pipeline.ArrayOf[kernel.Vec3](g.Program(), props.PositionOutput)
	require.NoError(t, err)
	sampler := newSampler(t, device, props.SourceOf(g.Track()), settings)
	mask := coursetest.Upload(t, device, []int32{0, 0, 1, 0})
	before := read(t, sampler)
	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	require.Equal(t, bitsOf(before), bitsOf(read(t, sampler)), "the sampler has not been told")
	_, err = sampler.Refresh(ctx)
	require.NoError(t, err)
	after := read(t, sampler)
	require.NotEqual(t, bitsOf(before)[2], bitsOf(after)[2])
	values, err := position.Read(ctx)
	require.NoError(t, err)
	got := *after
	got.Position = values
	require.Equal(t, bitsOf(after), bitsOf(&got))
	settings.MaxProps = 0
	_, err = track.NewGenerator(device, tracktest.Config(track.Bezier, 4), track.WithStages(props.Stage(settings)))
	require.ErrorContains(t, err, "max_props is 0: must be a whole number >= 3 and <= 65536")
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
		position, err := pipeline.Output[kernel.Vec3](b, props.PositionOutput, 12) // an output of the whole stage
		if err == nil {
			err = pipeline.Provide(n, props.PositionOutput, position)
		}
		if err != nil {
			return nil, err
		}
		program, err := n.Build(append(stages, props.Stage(configs()[1]))...)
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
	s := newSampler(t, device, sourceOf(t, device, resampletest.Lines()), configs()[1])
	mask := coursetest.Upload(t, device, make([]int32, s.Props().Envs))
	for name, refresh := range map[string]func() (*props.Props, error){
		"all":    func() (*props.Props, error) { return s.Refresh(ctx) },
		"masked": func() (*props.Props, error) { return s.RefreshMasked(ctx, mask) },
	} {
		require.Zero(t, testing.AllocsPerRun(20, func() {
			if _, err := refresh(); err != nil {
				t.Fatal(err)
			}
		}), name)
	}
}
