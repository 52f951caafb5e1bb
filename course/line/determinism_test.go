package line_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
)

// rowsOf returns all numbers of each env.
func rowsOf(l *line.Batch) (rows [][]float32) {
	for e := range l.Envs {
		low, high := e*l.NMax, (e+1)*l.NMax
		row := slices.Concat(coursetest.Components(l.Center[low:high]), coursetest.Components(l.Tangent[low:high]),
			l.Arclen[low:high], []float32{l.Length[e], float32(l.Valid[e]), float32(l.Count[e])})
		rows = append(rows, row)
	}
	return rows
}

// checkRuns checks that a device draws lines with the bits of the rules in every way to run.
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
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	sampler, err := line.New(device, line.SourceOf(g.Sequence()), configOf(samples), line.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, sampler.Close()) }()
	read := func(l *line.Line) [][]float32 {
		batch, err := l.Read(ctx)
		require.NoError(t, err)
		return rowsOf(batch)
	}
	want := rowsOf(linesOf(first, samples))
	var clone *line.Line
	coursetest.CheckRefresh(t, coursetest.Refresh{
		Device: device, Stream: stream, Of: sampler, Rows: func() [][]float32 { return read(sampler.Line()) },
		Want: want,
		Change: func() [][]float32 {
			clone, err = sampler.Line().Clone(ctx)
			require.NoError(t, err)
			require.NoError(t, g.SetEpoch(ctx, 1))
			_, err = g.Generate(ctx)
			require.NoError(t, err)
			return rowsOf(linesOf(hostOf(), samples))
		},
	})
	for e, row := range read(clone) {
		coursetest.SameBits(t, "clone", want[e], row)
	}
	require.NoError(t, clone.Close())
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		device := coursetest.OpenCPU(t, backend.Workers(workers))
		for _, samples := range []int{2, 8} {
			checkRuns(t, device, samples)
		}
	}
}

// A stage of a generator draws the lines of the envs that a regeneration makes, and no others.
func TestStageOfAGenerator(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	g, err := gate.NewGenerator(device, hilly(4), gate.WithStages(line.Stage(line.DefaultConfig())))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	read := func() *line.Batch {
		var columns line.DeviceColumns
		l := &line.Batch{Envs: 4, NMax: g.Sequence().MaxGates * 8}
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
	for e, row := range rowsOf(read()) {
		from := want
		if e == 2 {
			from = other
		}
		coursetest.SameBits(t, "after a regeneration", rowsOf(from)[e], row)
	}
}

// The stage passes every check of package exectest, behind a stage that makes gates from the seeds.
func TestStageKeepsTheContract(t *testing.T) {
	gates := func(envs int) ([]exec.Stage, error) { return gate.Stages(hilly(envs)) }
	exectest.CheckStage(t, coursetest.Behind(gates, line.Stage(configOf(3))),
		exectest.Config{Devices: []backend.Device{coursetest.OpenCPU(t)}})
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
