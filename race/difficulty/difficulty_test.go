package difficulty_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// line is a racing line of one env in host memory, with a road of the same width everywhere.
type line struct {
	curvature, speed []float32
	step, width      float32 // between points; of the road
	lapTime          float32
}

func (l line) upload(tb testing.TB, device backend.Device) difficulty.Source {
	tb.Helper()
	n := len(l.curvature)
	arclen, side := make([]float32, n), make([]float32, n)
	for i := range arclen {
		arclen[i], side[i] = float32(i)*l.step, l.width/2
	}
	length := float32(n) * l.step
	up := func(v ...float32) exec.Array[float32] { return coursetest.Upload(tb, device, v) }
	return difficulty.Source{Curvature: up(l.curvature...), Arclen: up(arclen...), Speed: up(l.speed...),
		Length: up(length), LapTime: up(l.lapTime),
		Count: coursetest.Upload(tb, device, []int32{int32(n)}), TrackLength: up(2 * length),
		WidthRight: up(side...), WidthLeft: up(side...)}
}

// label returns the labels of a source.
func label(tb testing.TB, device backend.Device, s difficulty.Source, c difficulty.Config) *difficulty.Batch {
	tb.Helper()
	a, err := difficulty.New(device, s, c)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, a.Close()) }()
	batch, err := a.Labels().Read(tb.Context())
	require.NoError(tb, err)
	return batch
}

// Corners of all classes, also one around the seam and two that follow each other in opposite directions; a bend that
// is too short to be one; a hairpin; the longest straight goes around the seam in the second line.
func TestCorners(t *testing.T) {
	device, c := coursetest.OpenCPU(t), difficulty.DefaultConfig()
	c.SlowRadius, c.MediumRadius, c.FastRadius, c.CarWidth = 2, 5, 20, 0.5
	points := func(parts ...[2]float32) (l line) { // curvature, number of points
		for _, p := range parts {
			for range int(p[1]) {
				l.curvature, l.speed = append(l.curvature, p[0]), append(l.speed, 3+p[0])
			}
		}
		l.step, l.width, l.lapTime = 0.5, 1, 8
		return l
	}
	l := points([2]float32{0.25, 2}, [2]float32{0, 10}, [2]float32{1, 7}, [2]float32{-0.1, 9}, [2]float32{0.01, 30},
		[2]float32{0.06, 2}, [2]float32{-0.01, 3}, [2]float32{-0.3, 20}, [2]float32{0, 4}, [2]float32{0.25, 3})
	b := label(t, device, l.upload(t, device), c)
	counts := []int32{b.Corners[0], b.SlowCorners[0], b.MediumCorners[0], b.FastCorners[0], b.Hairpins[0]}
	require.Equal(t, []int32{4, 1, 2, 1, 2}, counts)
	require.InDelta(t, 15, b.LongestStraight[0], 1e-5)
	require.InDelta(t, 0.25, b.WidthMargin[0], 1e-6)
	require.InDelta(t, 90, b.Length[0], 1e-4)
	require.InDelta(t, 45.0/8, b.MeanSpeed[0], 1e-5)
	require.InDelta(t, 8.0/90, b.TimePerLength[0], 1e-6)
	require.InDelta(t, 2.7, b.MinSpeed[0], 1e-6)
	require.EqualValues(t, 1, b.MaxCurvature[0])
	require.EqualValues(t, 8, b.LapTime[0])

	b = label(t, device, points([2]float32{0, 5}, [2]float32{1, 4}, [2]float32{0, 9}).upload(t, device), c)
	require.InDelta(t, 7, b.LongestStraight[0], 1e-5)
	require.EqualValues(t, 1, b.Corners[0])
	b = label(t, device, points([2]float32{0.25, 50}).upload(t, device), c)
	require.Equal(t, []int32{1, 1, 0}, []int32{b.Corners[0], b.Hairpins[0], b.FastCorners[0]}, "a circle is one corner")
	require.Zero(t, b.LongestStraight[0])
	b = label(t, device, points([2]float32{0, 5}, [2]float32{0.1, 60}).upload(t, device), c)
	require.Equal(t, []int32{1, 1, 0}, []int32{b.Corners[0], b.FastCorners[0], b.Hairpins[0]}, "too fast for a hairpin")
	b = label(t, device, points([2]float32{0, 2}).upload(t, device), c)
	require.True(t, math.IsNaN(float64(b.LapTime[0])), "2 points are no line")
	require.Zero(t, b.Corners[0])
}

// rowsOf returns all numbers of each env.
func rowsOf(b *difficulty.Batch) (rows [][]float32) {
	for e := range b.Envs {
		row := []float32{b.LapTime[e], b.TimePerLength[e], b.MeanSpeed[e], b.MinSpeed[e], b.LongestStraight[e],
			b.WidthMargin[e], b.Length[e], b.MaxCurvature[e]}
		for _, v := range [][]int32{b.Corners, b.SlowCorners, b.MediumCorners, b.FastCorners, b.Hairpins} {
			row = append(row, float32(v[e]))
		}
		rows = append(rows, row)
	}
	return rows
}

// checkRuns checks that a device labels tracks with the bits of one CPU worker in every way to run.
func checkRuns(t *testing.T, device backend.Device) {
	t.Helper()
	const envs = 5
	ctx, one := t.Context(), coursetest.OpenCPU(t, backend.Workers(1))
	c := tracktest.Config(track.Bezier, envs)
	g, err := track.NewGenerator(device, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	lines, err := raceline.New(device, raceline.SourceOf(g.Track()), raceline.DefaultConfig())
	require.NoError(t, err)
	defer func() { require.NoError(t, lines.Close()) }()
	source := difficulty.SourceOf(g.Track(), lines.Line())
	wanted := func() [][]float32 {
		numbers := func(a exec.Array[float32]) exec.Array[float32] {
			return coursetest.Upload(t, one, coursetest.Download(t, a))
		}
		return rowsOf(label(t, one, difficulty.Source{
			Curvature: numbers(source.Curvature), Arclen: numbers(source.Arclen), Speed: numbers(source.Speed),
			Length: numbers(source.Length), LapTime: numbers(source.LapTime),
			Count:       coursetest.Upload(t, one, coursetest.Download(t, source.Count)),
			TrackLength: numbers(source.TrackLength), WidthRight: numbers(source.WidthRight),
			WidthLeft: numbers(source.WidthLeft),
		}, difficulty.DefaultConfig()))
	}
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	a, err := difficulty.New(device, source, difficulty.DefaultConfig(), difficulty.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	read := func(l *difficulty.Labels) [][]float32 {
		batch, err := l.Read(ctx)
		require.NoError(t, err)
		return rowsOf(batch)
	}
	var clone *difficulty.Labels
	want := wanted()
	coursetest.CheckRefresh(t, coursetest.Refresh{
		Device: device, Stream: stream, Of: a,
		Rows: func() [][]float32 { return read(a.Labels()) },
		Want: want,
		Change: func() [][]float32 {
			clone, err = a.Labels().Clone(ctx)
			require.NoError(t, err)
			require.NoError(t, g.SetEpoch(ctx, 1))
			_, err = g.Generate(ctx)
			require.NoError(t, err)
			require.NoError(t, lines.Refresh(ctx))
			require.NoError(t, device.CurrentStream().Sync())
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

// Every wrong argument is refused before any device work, with its name, its value and what is allowed.
func TestMisuse(t *testing.T) {
	ctx, device, c := t.Context(), coursetest.OpenCPU(t), difficulty.DefaultConfig()
	for want, change := range map[string]func(*difficulty.Config){
		"car_width is -1: must be a number >= 0 and <= 1000000": func(c *difficulty.Config) { c.CarWidth = -1 },
		"slow_radius is 0: must be a number > 0":                func(c *difficulty.Config) { c.SlowRadius = 0 },
		"medium_radius is 1: must be at least 2.5, the slow_radius": func(c *difficulty.Config) {
			c.MediumRadius = 1
		},
		"fast_radius is 7: must be at least 8, the medium_radius": func(c *difficulty.Config) { c.FastRadius = 7 },
		"least_turn is NaN": func(c *difficulty.Config) { c.LeastTurn = math.NaN() },
	} {
		c := difficulty.DefaultConfig()
		change(&c)
		_, err := difficulty.New(device, difficulty.Source{}, c)
		require.ErrorContains(t, err, "difficulty: new: "+want)
		require.ErrorIs(t, err, difficulty.ErrConfig)
	}
	source := line{curvature: make([]float32, 8), speed: make([]float32, 8), step: 1, width: 1}.upload(t, device)
	_, err := difficulty.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = difficulty.New(device, difficulty.SourceOf(nil, nil), c)
	require.ErrorContains(t, err, "difficulty: new: source is without arrays")
	_, err = difficulty.New(device, source, c, generation.WithSeed(1))
	require.ErrorContains(t, err, "option")
	short := coursetest.Upload(t, device, make([]float32, 7))
	for want, change := range map[string]func(*difficulty.Source){
		"curvature length is 0": func(s *difficulty.Source) { s.Curvature = exec.Array[float32]{} },
		"arclen":                func(s *difficulty.Source) { s.Arclen = short },
		"lap_time":              func(s *difficulty.Source) { s.LapTime = short },
		"width_left":            func(s *difficulty.Source) { s.WidthLeft = short },
		"track_length":          func(s *difficulty.Source) { s.TrackLength = exec.Array[float32]{} },
	} {
		wrong := source
		change(&wrong)
		_, err = difficulty.New(device, wrong, c)
		require.ErrorContains(t, err, "difficulty: new: "+want)
	}
	a, err := difficulty.New(device, source, c)
	require.NoError(t, err)
	floats, integers := a.Labels().Packed()
	require.Equal(t, []int{8, 5}, []int{floats.Len(), integers.Len()})
	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
	require.ErrorIs(t, a.Refresh(ctx), backend.ErrClosed)
	var none *difficulty.Assessor
	require.NoError(t, none.Close())
	_, err = none.Labels().Read(ctx)
	require.ErrorContains(t, err, "the Labels of an Assessor")
	_, err = none.Labels().Clone(ctx)
	require.ErrorContains(t, err, "the Labels of an Assessor")
}

// The schema has no mistake.
func TestSchema(t *testing.T) { require.NoError(t, difficulty.Schema.Err()) }
