package curvature_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/curvature"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
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

// rowsOf returns the values of each env.
func rowsOf(values []float32, envs int) (rows [][]float32) {
	n := len(values) / envs
	for e := range envs {
		rows = append(rows, values[e*n:(e+1)*n])
	}
	return rows
}

// checkRuns checks that a device measures curvatures with the bits of the rules in every way to run.
func checkRuns(t *testing.T, device backend.Device) {
	t.Helper()
	const envs = 5
	ctx := t.Context()
	g, err := track.NewGenerator(device, hilly(envs))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	wanted := func() [][]float32 {
		batch, err := g.Track().Batch(ctx)
		require.NoError(t, err)
		return rowsOf(curvatureOf(lines{batch.Center, batch.Count}, 2), envs)
	}
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	estimator, err := curvature.New(device, curvature.SourceOf(g.Track()), curvature.DefaultConfig(),
		curvature.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, estimator.Close()) }()
	read := func(c *curvature.Curvature) [][]float32 {
		batch, err := c.Read(ctx)
		require.NoError(t, err)
		return rowsOf(batch.Curvature, envs)
	}
	var clone *curvature.Curvature
	want := wanted()
	coursetest.CheckRefresh(t, coursetest.Refresh{
		Device: device, Stream: stream, Of: estimator,
		Rows: func() [][]float32 { return read(estimator.Curvature()) },
		Want: want,
		Change: func() [][]float32 {
			clone, err = estimator.Curvature().Clone(ctx)
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

// The stages pass every check of package exectest, behind stages that make tracks or lines from the seeds, and work
// as stages of generators.
func TestStages(t *testing.T) {
	ctx, device := t.Context(), coursetest.OpenCPU(t)
	c := curvature.Config{Window: 3}
	tracks := func(envs int) ([]exec.Stage, error) { return track.Stages(hilly(envs)) }
	exectest.CheckStage(t, coursetest.Behind(tracks, curvature.Stage(c)),
		exectest.Config{Devices: []backend.Device{device}})

	courses := gate.DefaultConfig()
	courses.NumEnvs = 3
	g, err := gate.NewGenerator(device, courses, gate.WithStages(line.Stage(line.DefaultConfig()), curvature.LineStage(c)))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	center, err := pipeline.ArrayOf[kernel.Vec3](g.Program(), line.CenterOutput)
	require.NoError(t, err)
	count, err := pipeline.ArrayOf[int32](g.Program(), line.CountOutput)
	require.NoError(t, err)
	got, err := pipeline.ArrayOf[float32](g.Program(), curvature.Output)
	require.NoError(t, err)
	values, err := got.Read(ctx)
	require.NoError(t, err)
	want := curvatureOf(lines{coursetest.Download(t, center), coursetest.Download(t, count)}, 3)
	coursetest.SameBits(t, "lines", want, values)
}

// The schema has no mistake.
func TestSchema(t *testing.T) {
	require.NoError(t, curvature.Schema.Err())
	require.Equal(t, curvature.Output, curvature.Schema.Columns()[0].Name)
}
