package speed_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/course/speed"
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

// checkRuns checks that a device computes profiles with the bits of the rules in every way to run.
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
		l := lines{center: batch.Center, arclen: batch.Arclen, length: batch.Length, count: batch.Count}
		return rowsOf(speedOf(l.withCurvature(t, device, 2), speed.DefaultConfig()), envs)
	}
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	planner, err := speed.New(device, speed.SourceOf(g.Track()), speed.DefaultConfig(), speed.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, planner.Close()) }()
	read := func(c *speed.Profile) [][]float32 {
		batch, err := c.Read(ctx)
		require.NoError(t, err)
		return rowsOf(batch.Speed, envs)
	}
	var clone *speed.Profile
	want := wanted()
	coursetest.CheckRefresh(t, coursetest.Refresh{
		Device: device, Stream: stream, Of: planner,
		Rows: func() [][]float32 { return read(planner.Profile()) },
		Want: want,
		Change: func() [][]float32 {
			clone, err = planner.Profile().Clone(ctx)
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
	device, c := coursetest.OpenCPU(t), speed.DefaultConfig()
	tracks := func(envs int) ([]exec.Stage, error) { return track.Stages(hilly(envs)) }
	exectest.CheckStage(t, coursetest.Behind(tracks, speed.Stage(c)), exectest.Config{Devices: []backend.Device{device}})

	courses := gate.DefaultConfig()
	courses.NumEnvs = 3
	g, err := gate.NewGenerator(device, courses, gate.WithStages(line.Stage(line.DefaultConfig()), speed.LineStage(c)))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	l := lines{center: outputOf[kernel.Vec3](t, g, line.CenterOutput), arclen: outputOf[float32](t, g, line.ArclenOutput),
		length: outputOf[float32](t, g, line.LengthOutput), count: outputOf[int32](t, g, line.CountOutput),
		curvature: outputOf[float32](t, g, speed.CurvatureOutput)}
	coursetest.SameBits(t, "speed", speedOf(l, c), outputOf[float32](t, g, speed.Output))
}

// outputOf reads an output of a generator.
func outputOf[T kernel.Element](t *testing.T, g *gate.Generator, name string) []T {
	t.Helper()
	array, err := pipeline.ArrayOf[T](g.Program(), name)
	require.NoError(t, err)
	return coursetest.Download(t, array)
}

// The schema has no mistake, and the outputs of the stages have the names of its columns.
func TestSchema(t *testing.T) {
	require.NoError(t, speed.Schema.Err())
	require.Equal(t, speed.Output, speed.Schema.Columns()[0].Name)
	require.Equal(t, speed.CurvatureOutput, speed.Schema.Columns()[1].Name)
}
