package line_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
)

// TestGolden compares lines with the output of the reference system, from its gates.
func TestGolden(t *testing.T) {
	file := golden.Open(t, "course_gates_posts.npz")
	gates := courses{coursetest.Vectors(golden.Array[float32](t, file, "gates/position")),
		golden.Array[int32](t, file, "gates/count"), golden.Array[int32](t, file, "gates/valid")}
	got := draw(t, coursetest.OpenCPU(t), gates, 8)
	// The file has the points of the longest line alone.
	rows := func(values []float32, perPoint int) (list []float32) {
		stored := perPoint * len(golden.Array[float32](t, file, "line/arclen")) / got.Envs
		for e := range got.Envs {
			list = append(list, values[e*got.NMax*perPoint:][:stored]...)
		}
		return list
	}
	coursetest.Close(t, "center", golden.Array[float32](t, file, "line/center"),
		rows(coursetest.Components(got.Center), 3), 1e-5)
	coursetest.Close(t, "tangent", golden.Array[float32](t, file, "line/tangent"),
		rows(coursetest.Components(got.Tangent), 3), 2e-5)
	coursetest.Close(t, "arclen", golden.Array[float32](t, file, "line/arclen"), rows(got.Arclen, 1), 1e-5)
	coursetest.Close(t, "length", golden.Array[float32](t, file, "line/length"), got.Length, 1e-5)
	assert.Equal(t, golden.Array[int32](t, file, "line/count"), got.Count)
	assert.Equal(t, golden.Array[int32](t, file, "line/valid"), got.Valid)
}

// The bits are those of the rules, for generated courses and for gates that no generator makes: in one place, NaN,
// infinite, fewer than 3, more than there is room for.
func TestLinesHaveTheBitsOfTheRules(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for _, generator := range []string{gate.Bezier, gate.Voronoi} {
		c := hilly(5)
		c.Generator = generator
		g, err := gate.NewGenerator(device, c)
		require.NoError(t, err)
		batch, err := g.Sequence().Batch(t.Context())
		require.NoError(t, err)
		require.NoError(t, g.Close())
		batch.Valid[2] = 0
		for _, samples := range []int{2, 8, 13} {
			requireSame(t, linesOf(coursesOf(batch), samples), draw(t, device, coursesOf(batch), samples))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		coordinate := rapid.OneOf(rapid.Float32Range(-4, 4), rapid.Float32(), rapid.SampledFrom([]float32{0, 1, 1e30,
			float32(math.Inf(1)), float32(math.NaN())}))
		var c courses
		envs, most := rapid.IntRange(1, 3).Draw(rt, "envs"), rapid.IntRange(1, 6).Draw(rt, "G_max")
		for range envs {
			for range most {
				c.gates = append(c.gates, kernel.V3(coordinate.Draw(rt, "x"), coordinate.Draw(rt, "y"), coordinate.Draw(rt, "z")))
			}
			c.count = append(c.count, int32(rapid.IntRange(-1, most+2).Draw(rt, "count")))
			c.valid = append(c.valid, int32(rapid.IntRange(-1, 2).Draw(rt, "valid")))
		}
		samples := rapid.IntRange(2, 5).Draw(rt, "samples")
		requireSame(rt, linesOf(c, samples), draw(t, device, c, samples))
	})
}

// Every wrong argument is refused before any device work, with its name, its value and what is allowed.
func TestMisuse(t *testing.T) {
	device, c := coursetest.OpenCPU(t), line.DefaultConfig()
	for samples, want := range map[int]string{
		1:    "line: new: samples_per_gate is 1: must be a whole number >= 2 and <= 1024",
		1025: "line: new: samples_per_gate is 1025: must be a whole number >= 2 and <= 1024",
	} {
		_, err := line.New(device, line.Source{}, configOf(samples))
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, line.ErrConfig)
	}
	source := courses{make([]kernel.Vec3, 8), []int32{4, 4}, []int32{1, 1}}.upload(t, device)
	_, err := line.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = line.New(device, line.SourceOf(nil), c)
	require.ErrorContains(t, err, "line: new: source is without arrays")
	for _, option := range []line.Option{nil, generation.WithSeed(1), generation.WithStages(line.Stage(c))} {
		_, err = line.New(device, source, c, option)
		require.ErrorContains(t, err, "option")
	}
	wrong := source
	wrong.Position, err = source.Position.Slice(0, 7)
	require.NoError(t, err)
	_, err = line.New(device, wrong, c)
	require.ErrorContains(t, err, "position length is 7: must be a multiple of 2")
	wrong = source
	wrong.Valid = exec.Array[int32]{}
	_, err = line.New(device, wrong, c)
	require.ErrorContains(t, err, "valid")
	wrong.Position, wrong.Valid = exec.Array[kernel.Vec3]{}, source.Valid
	_, err = line.New(device, wrong, c)
	require.ErrorContains(t, err, "position length is 0")
}

// Calls of a sampler that no constructor has made, that is closed, or in a capture are refused.
func TestMisusedSampler(t *testing.T) {
	ctx, device, c := context.Background(), coursetest.OpenCPU(t), line.DefaultConfig()
	source := courses{make([]kernel.Vec3, 8), []int32{4, 4}, []int32{1, 1}}.upload(t, device)
	sampler, err := line.New(device, source, c)
	require.NoError(t, err)
	for name, call := range map[string]func(*line.Sampler) error{
		"refresh":        func(s *line.Sampler) error { return s.Refresh(ctx) },
		"refresh masked": func(s *line.Sampler) error { return s.RefreshMasked(ctx, source.Valid) },
	} {
		require.ErrorContains(t, call(nil), "line: "+name+": receiver is <nil>")
		require.ErrorContains(t, call(&line.Sampler{}), "line: "+name+": receiver is <nil>")
		closed, err := line.New(device, source, c)
		require.NoError(t, err)
		require.NoError(t, closed.Close())
		require.NoError(t, closed.Close())
		require.ErrorIs(t, call(closed), backend.ErrClosed)
	}
	var none *line.Sampler
	require.NoError(t, none.Close())
	_, err = none.Line().Read(ctx)
	require.ErrorContains(t, err, "the Line of a Sampler")
	_, err = none.Line().Clone(ctx)
	require.ErrorContains(t, err, "the Line of a Sampler")
	require.ErrorContains(t, sampler.RefreshMasked(ctx, coursetest.Upload(t, device, make([]int32, 9))), "mask")
	require.NoError(t, sampler.Close())
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = line.New(device, source, c)
	require.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
}
