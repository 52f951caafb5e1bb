package raceline_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// hilly is a configuration of tracks with heights.
func hilly(envs int) track.Config {
	return tracktest.Config(track.Bezier, envs, func(c *track.Config) {
		c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = "random_walk", -0.3, 0.3
		c.Elevation.MaxStep = 0.4
	})
}

// settings is a configuration of lines in which nothing has no effect.
func settings() raceline.Config {
	return raceline.Config{CarWidth: 0.04, Margin: 0.01, LateralAcceleration: 4, Acceleration: 2, Braking: 3, MaxSpeed: 3,
		Power: 4, Rounds: 12}
}

// rowsOf returns all numbers of each env.
func rowsOf(b *raceline.Batch) (rows [][]float32) {
	for e := range b.Envs {
		points := func(values []float32) []float32 { return values[e*b.NMax : (e+1)*b.NMax] }
		row := []float32{b.Length[e], b.LapTime[e], float32(b.Valid[e]), float32(b.Count[e])}
		for _, v := range [][]kernel.Vec3{b.Center, b.Tangent} {
			row = append(row, coursetest.Components(v[e*b.NMax:(e+1)*b.NMax])...)
		}
		for _, v := range [][]float32{b.Offset, b.Curvature, b.Arclen, b.Speed} {
			row = append(row, points(v)...)
		}
		rows = append(rows, row)
	}
	return rows
}

// checkRuns checks that a device finds lines with the bits of one CPU worker in every way to run.
func checkRuns(t *testing.T, device backend.Device) {
	t.Helper()
	const envs = 5
	ctx, one := t.Context(), coursetest.OpenCPU(t, backend.Workers(1))
	g, err := track.NewGenerator(device, hilly(envs))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	wanted := func() [][]float32 {
		batch, err := g.Track().Batch(ctx)
		require.NoError(t, err)
		return rowsOf(find(t, one, tracksOf(batch), settings()))
	}
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	optimiser, err := raceline.New(device, raceline.SourceOf(g.Track()), settings(), raceline.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, optimiser.Close()) }()
	read := func(l *raceline.Line) [][]float32 {
		batch, err := l.Read(ctx)
		require.NoError(t, err)
		return rowsOf(batch)
	}
	var clone *raceline.Line
	want := wanted()
	coursetest.CheckRefresh(t, coursetest.Refresh{
		Device: device, Stream: stream, Of: optimiser,
		Rows: func() [][]float32 { return read(optimiser.Line()) },
		Want: want,
		Change: func() [][]float32 {
			clone, err = optimiser.Line().Clone(ctx)
			require.NoError(t, err)
			require.NoError(t, g.SetEpoch(ctx, 1))
			_, err = g.Generate(ctx)
			require.NoError(t, err)
			return wanted()
		},
	})
	for e, row := range read(clone) {
		coursetest.SameBits(t, "clone", want[e], row)
	}
	require.NoError(t, clone.Close())
}

func TestRunsAreEqual(t *testing.T) {
	for _, workers := range []int{1, 3} {
		checkRuns(t, coursetest.OpenCPU(t, backend.Workers(workers)))
	}
}

// The stage passes every check of package exectest, behind stages that make tracks from the seeds, and works as a stage
// of a generator.
func TestStages(t *testing.T) {
	device, c := coursetest.OpenCPU(t), settings()
	tracks := func(envs int) ([]exec.Stage, error) { return track.Stages(hilly(envs)) }
	exectest.CheckStage(t, coursetest.Behind(tracks, raceline.Stage(c)),
		exectest.Config{Devices: []backend.Device{device}})

	g, err := track.NewGenerator(device, hilly(3), track.WithStages(raceline.Stage(c)))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	batch, err := g.Track().Batch(t.Context())
	require.NoError(t, err)
	times, err := pipeline.ArrayOf[float32](g.Program(), raceline.LapTimeOutput)
	require.NoError(t, err)
	coursetest.SameBits(t, "lap time", find(t, device, tracksOf(batch), c).LapTime, coursetest.Download(t, times))
}

// A refresh on an eager device allocates nothing.
func TestRefreshAllocatesNothing(t *testing.T) {
	device := coursetest.OpenCPU(t, backend.Workers(1))
	g, err := track.NewGenerator(device, hilly(2))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	optimiser, err := raceline.New(device, raceline.SourceOf(g.Track()), settings())
	require.NoError(t, err)
	defer func() { require.NoError(t, optimiser.Close()) }()
	ctx, mask := t.Context(), coursetest.Upload(t, device, []int32{0, 1})
	require.NoError(t, optimiser.RefreshMasked(ctx, mask))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if optimiser.Refresh(ctx) != nil || optimiser.RefreshMasked(ctx, mask) != nil {
			t.Fail()
		}
	}))
}

// The schema has no mistake, and the outputs of the stage have the names of its columns.
func TestSchema(t *testing.T) {
	require.NoError(t, raceline.Schema.Err())
	var names []string
	for _, c := range raceline.Schema.Columns() {
		names = append(names, c.Name)
	}
	require.Equal(t, []string{raceline.CenterOutput, raceline.TangentOutput, raceline.OffsetOutput,
		raceline.CurvatureOutput, raceline.ArclenOutput, raceline.SpeedOutput, raceline.LengthOutput,
		raceline.LapTimeOutput, raceline.ValidOutput, raceline.CountOutput}, names)
}
