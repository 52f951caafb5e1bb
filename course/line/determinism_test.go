package line_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/internal/coursetest"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
)

// lineOf reads the lines of a sampler.
func lineOf(t *testing.T, s *line.Sampler) *line.Lines {
	t.Helper()
	lines, err := s.Line().Read(t.Context())
	require.NoError(t, err)
	return lines
}

// mixed returns the lines of other where pick is not 0, else those of l.
func mixed(l, other *line.Lines, pick []int32) *line.Lines {
	m := &line.Lines{Envs: l.Envs, NMax: l.NMax}
	for e, p := range pick {
		from := l
		if p != 0 {
			from = other
		}
		low, high := e*l.NMax, (e+1)*l.NMax
		m.Center, m.Tangent = append(m.Center, from.Center[low:high]...), append(m.Tangent, from.Tangent[low:high]...)
		m.Arclen, m.Length = append(m.Arclen, from.Arclen[low:high]...), append(m.Length, from.Length[e])
		m.Valid, m.Count = append(m.Valid, from.Valid[e]), append(m.Count, from.Count[e])
	}
	return m
}

// checkRuns checks that a device draws lines with the bits of the rules in every way to run: eager, again, by mask,
// recorded and replayed.
func checkRuns(t *testing.T, device backend.Device, samples int) {
	t.Helper()
	const envs = 5
	ctx := t.Context()
	g, err := gate.NewGenerator(device, hilly(envs))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	hostOf := func() courses {
		batch, err := g.Sequence().Batch(ctx)
		require.NoError(t, err)
		return coursesOf(batch)
	}
	first := hostOf()
	first.valid[3] = 0
	require.NoError(t, g.Sequence().Valid.Write(ctx, first.valid))
	want := linesOf(first, samples)
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	sampler, err := line.New(device, line.SourceOf(g.Sequence()), configOf(samples), line.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, sampler.Close()) }()
	before := courses{make([]kernel.Vec3, len(first.gates)), make([]int32, envs), make([]int32, envs)}
	requireSame(t, linesOf(before, samples), lineOf(t, sampler)) // construction draws nothing
	for range 3 {                                                // the first call is eager, later ones may replay a graph
		require.NoError(t, sampler.Refresh(ctx))
		requireSame(t, want, lineOf(t, sampler))
	}
	clone, err := sampler.Line().Clone(ctx)
	require.NoError(t, err)
	defer func() { require.NoError(t, clone.Close()) }()

	require.NoError(t, g.SetEpoch(ctx, 1))
	_, err = g.Generate(ctx)
	require.NoError(t, err)
	other := linesOf(hostOf(), samples)
	mask := coursetest.Upload(t, device, []int32{0, 1, 0, 7, 0})
	require.NoError(t, sampler.RefreshMasked(ctx, mask))
	requireSame(t, mixed(want, other, []int32{0, 1, 0, 1, 0}), lineOf(t, sampler))
	copied, err := clone.Read(ctx)
	require.NoError(t, err)
	requireSame(t, want, copied)

	require.NoError(t, stream.BeginCapture())
	require.NoError(t, sampler.RefreshMasked(ctx, mask))
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	require.NoError(t, mask.Write(ctx, make([]int32, envs)))
	require.NoError(t, stream.Replay(graph))
	requireSame(t, mixed(want, other, []int32{0, 1, 0, 1, 0}), lineOf(t, sampler))
	require.NoError(t, mask.Write(ctx, []int32{1, 0, 1, 0, 0}))
	require.NoError(t, stream.Replay(graph))
	requireSame(t, mixed(want, other, []int32{1, 1, 1, 1, 0}), lineOf(t, sampler))
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		device := openCPU(t, backend.Workers(workers))
		for _, samples := range []int{2, 8} {
			checkRuns(t, device, samples)
		}
	}
}

// A stage of a generator draws the lines of the envs that a regeneration makes, and no others.
func TestStageOfAGenerator(t *testing.T) {
	ctx, device := t.Context(), openCPU(t)
	g, err := gate.NewGenerator(device, hilly(4), gate.WithStages(line.Stage(line.DefaultConfig())))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	read := func() *line.Lines {
		var columns line.DeviceColumns
		l := &line.Lines{Envs: 4, NMax: g.Sequence().MaxGates * 8}
		var failed [6]error
		columns.Center, failed[0] = pipeline.ArrayOf[kernel.Vec3](g.Program(), line.CenterOutput)
		columns.Tangent, failed[1] = pipeline.ArrayOf[kernel.Vec3](g.Program(), line.TangentOutput)
		columns.Arclen, failed[2] = pipeline.ArrayOf[float32](g.Program(), line.ArclenOutput)
		columns.Length, failed[3] = pipeline.ArrayOf[float32](g.Program(), line.LengthOutput)
		columns.Valid, failed[4] = pipeline.ArrayOf[int32](g.Program(), line.ValidOutput)
		columns.Count, failed[5] = pipeline.ArrayOf[int32](g.Program(), line.CountOutput)
		require.NoError(t, errors.Join(failed[:]...))
		host := line.Schema.Host(&l.HostColumns)
		for i, c := range line.Schema.Device(&columns) {
			require.NoError(t, c.Read(ctx, host[i]), "%s", c.Name)
		}
		return l
	}
	batch, err := g.Sequence().Batch(ctx)
	require.NoError(t, err)
	want := linesOf(coursesOf(batch), 8)
	requireSame(t, want, read())
	mask := coursetest.Upload(t, device, []int32{0, 0, 1, 0})
	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	batch, err = g.Sequence().Batch(ctx)
	require.NoError(t, err)
	other := linesOf(coursesOf(batch), 8)
	require.NotEqual(t, want.Length[2], other.Length[2])
	requireSame(t, mixed(want, other, []int32{0, 0, 1, 0}), read())
}

// The stage passes every check of package exectest, behind a stage that makes gates from the seeds.
func TestStageKeepsTheContract(t *testing.T) {
	gates := func(envs int) ([]exec.Stage, error) { return gate.Stages(hilly(envs)) }
	exectest.CheckStage(t, coursetest.Behind(gates, line.Stage(configOf(3))),
		exectest.Config{Devices: []backend.Device{openCPU(t)}})
}

// The schema has no mistake, and the outputs of the stage have the names of its columns.
func TestSchema(t *testing.T) {
	require.NoError(t, line.Schema.Err())
	var names []string
	for _, c := range line.Schema.Columns() {
		names = append(names, c.Name)
	}
	require.Equal(t, []string{line.CenterOutput, line.TangentOutput, line.ArclenOutput, line.LengthOutput,
		line.ValidOutput, line.CountOutput}, names)
}
