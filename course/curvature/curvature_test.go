package curvature_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/curvature"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
)

// TestGolden compares curvatures with the output of the reference system, on its tracks.
func TestGolden(t *testing.T) {
	device := coursetest.OpenCPU(t)
	file := golden.Open(t, "utilities_flat.npz")
	flat := lines{coursetest.Vectors(golden.Array[float32](t, file, "track/center")),
		golden.Array[int32](t, file, "track/count")}
	// Without a mean, the last bit of a coordinate is an ulp over the square of a chord.
	for window, tolerance := range map[int]float64{0: 2e-4, 2: 5e-5, 5: 5e-5, 200: 5e-5} {
		name := fmt.Sprintf("curvature/window%d", window)
		coursetest.Close(t, name, golden.Array[float32](t, file, name), measure(t, device, flat, window), tolerance)
	}
	file = golden.Open(t, "degenerate.npz")
	few := lines{coursetest.Vectors(golden.Array[float32](t, file, "input/center")),
		golden.Array[int32](t, file, "input/count")}
	want := golden.Array[float32](t, file, "curvature/window2")
	coursetest.Close(t, "degenerate", want, measure(t, device, few, 2), 5e-5)
}

// The bits are those of the rules, for windows of all sizes, and for lines that no generator makes: points in one
// place, NaN, infinite, fewer than 3, more than there is room for.
func TestCurvatureHasTheBitsOfTheRules(t *testing.T) {
	device := coursetest.OpenCPU(t)
	rapid.Check(t, func(rt *rapid.T) {
		coordinate := rapid.OneOf(rapid.Float32Range(-4, 4), rapid.Float32(), rapid.SampledFrom([]float32{0, 1, 1e30,
			float32(math.Inf(1)), float32(math.NaN())}))
		var l lines
		envs, most := rapid.IntRange(1, 3).Draw(rt, "envs"), rapid.IntRange(1, 9).Draw(rt, "N_max")
		for range envs {
			for range most {
				l.points = append(l.points, kernel.V3(coordinate.Draw(rt, "x"), coordinate.Draw(rt, "y"), coordinate.Draw(rt, "z")))
			}
			l.count = append(l.count, int32(rapid.IntRange(-1, most+2).Draw(rt, "count")))
		}
		window := rapid.OneOf(rapid.IntRange(0, 12), rapid.Just(1<<20)).Draw(rt, "window")
		coursetest.SameBits(rt, "curvature", curvatureOf(l, window), measure(t, device, l, window))
	})
}

// A circle has the curvature 1/r, with the sign of the direction.
func TestCircle(t *testing.T) {
	device := coursetest.OpenCPU(t)
	for _, direction := range []float64{1, -1} {
		var l lines
		for i := range 100 {
			angle := direction * 2 * math.Pi * float64(i) / 100
			l.points = append(l.points, kernel.V3(float32(4*math.Cos(angle)), float32(4*math.Sin(angle)), 1))
		}
		l.count = []int32{100}
		for _, k := range measure(t, device, l, 2) {
			require.InDelta(t, direction/4, k, 1e-3)
		}
	}
}

// Every wrong argument is refused before any device work, with its name, its value and what is allowed.
func TestMisuse(t *testing.T) {
	ctx, device, c := t.Context(), coursetest.OpenCPU(t), curvature.DefaultConfig()
	for window, value := range map[int]string{-1: "-1", 1<<20 + 1: "1048577"} {
		_, err := curvature.New(device, curvature.Source{}, curvature.Config{Window: window})
		require.EqualError(t, err, "curvature: new: window is "+value+": must be a whole number >= 0 and <= 1048576")
		require.ErrorIs(t, err, curvature.ErrConfig)
	}
	source := lines{make([]kernel.Vec3, 8), []int32{4, 4}}.upload(t, device)
	_, err := curvature.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	for _, none := range []curvature.Source{curvature.SourceOf(nil), curvature.SourceOfLine(nil)} {
		_, err = curvature.New(device, none, c)
		require.ErrorContains(t, err, "curvature: new: source is without arrays")
	}
	for _, option := range []curvature.Option{nil, generation.WithSeed(1), generation.WithStages(curvature.Stage(c))} {
		_, err = curvature.New(device, source, c, option)
		require.ErrorContains(t, err, "option")
	}
	wrong := source
	wrong.Center, err = source.Center.Slice(0, 7)
	require.NoError(t, err)
	_, err = curvature.New(device, wrong, c)
	require.ErrorContains(t, err, "center length is 7: must be a multiple of 2")
	wrong.Center = exec.Array[kernel.Vec3]{}
	_, err = curvature.New(device, wrong, c)
	require.ErrorContains(t, err, "center length is 0")

	estimator, err := curvature.New(device, source, c)
	require.NoError(t, err)
	require.ErrorContains(t, estimator.RefreshMasked(ctx, coursetest.Upload(t, device, make([]int32, 9))), "mask")
	require.NoError(t, estimator.Close())
	require.NoError(t, estimator.Close())
	require.ErrorIs(t, estimator.Refresh(ctx), backend.ErrClosed)
	require.ErrorIs(t, estimator.RefreshMasked(ctx, source.Count), backend.ErrClosed)
	var none *curvature.Estimator
	require.NoError(t, none.Close())
	require.ErrorContains(t, none.Refresh(ctx), "curvature: refresh: receiver is <nil>")
	_, err = none.Curvature().Read(ctx)
	require.ErrorContains(t, err, "the Curvature of an Estimator")
	_, err = none.Curvature().Clone(ctx)
	require.ErrorContains(t, err, "the Curvature of an Estimator")
	_, err = (&curvature.Curvature{}).Read(ctx)
	require.ErrorContains(t, err, "receiver is <nil>")
}
