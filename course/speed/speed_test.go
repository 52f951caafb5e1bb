package speed_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
)

// carOf returns the configuration of a set of parameters of a file.
func carOf(t *testing.T, values []float32, window int) speed.Config {
	t.Helper()
	require.Len(t, values, 4)
	return speed.Config{LateralAcceleration: float64(values[0]), Acceleration: float64(values[1]),
		Braking: float64(values[2]), MaxSpeed: float64(values[3]), Window: window}
}

// TestGolden compares profiles with the output of the reference system, on its tracks.
func TestGolden(t *testing.T) {
	device, file := coursetest.OpenCPU(t), golden.Open(t, "utilities_flat.npz")
	flat := lines{center: coursetest.Vectors(golden.Array[float32](t, file, "track/center")),
		arclen: golden.Array[float32](t, file, "track/arclen"), length: golden.Array[float32](t, file, "track/length"),
		count: golden.Array[int32](t, file, "track/count")}
	parameters := func(of string) []float32 {
		return golden.Array[float32](t, file, "speed/"+of+"_params_alat_aaccel_abrake_vcap")
	}
	for name, c := range map[string]speed.Config{
		"a": carOf(t, parameters("a"), 2), "b": carOf(t, parameters("b"), 2), "c": carOf(t, parameters("c"), 2),
		"a_window5": carOf(t, parameters("a"), 5),
	} {
		coursetest.Close(t, name, golden.Array[float32](t, file, "speed/"+name), plan(t, device, flat, c).Speed, 2e-5)
	}
	car := carOf(t, parameters("a"), 2)
	file = golden.Open(t, "degenerate.npz")
	few := lines{center: coursetest.Vectors(golden.Array[float32](t, file, "input/center")),
		arclen: golden.Array[float32](t, file, "input/arclen"), length: golden.Array[float32](t, file, "input/length"),
		count: golden.Array[int32](t, file, "input/count")}
	coursetest.Close(t, "degenerate", golden.Array[float32](t, file, "speed/a"), plan(t, device, few, car).Speed, 2e-5)
}

// The bits are those of the rules, for lines and cars of all kinds, with the curvature of the line or a given one.
func TestSpeedHasTheBitsOfTheRules(t *testing.T) {
	device := coursetest.OpenCPU(t)
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.OneOf(rapid.Float32Range(-4, 4), rapid.Float32(), rapid.SampledFrom([]float32{0, 1, 1e-9, 1e30,
			float32(math.Inf(1)), float32(math.NaN())}))
		var l lines
		envs, most := rapid.IntRange(1, 3).Draw(rt, "envs"), rapid.IntRange(1, 9).Draw(rt, "N_max")
		for range envs {
			for range most {
				l.center = append(l.center, kernel.V3(number.Draw(rt, "x"), number.Draw(rt, "y"), number.Draw(rt, "z")))
				l.arclen = append(l.arclen, number.Draw(rt, "arclen"))
				l.curvature = append(l.curvature, number.Draw(rt, "curvature"))
			}
			l.length = append(l.length, number.Draw(rt, "length"))
			l.count = append(l.count, int32(rapid.IntRange(-1, most+2).Draw(rt, "count")))
		}
		setting := rapid.OneOf(rapid.Float64Range(0, 10), rapid.Just(0.0), rapid.Just(1e6))
		c := speed.Config{LateralAcceleration: max(1e-3, setting.Draw(rt, "lateral")),
			Acceleration: setting.Draw(rt, "acceleration"), Braking: setting.Draw(rt, "braking"),
			MaxSpeed: max(1e-3, setting.Draw(rt, "max")), Window: rapid.IntRange(0, 4).Draw(rt, "window")}
		given := plan(t, device, l, c)
		coursetest.SameBits(rt, "speed with a given curvature", speedOf(l, c), given.Speed)
		if given.Curvature != nil {
			rt.Fatalf("a profile with a given curvature has another one")
		}
		l.curvature = nil
		measured := l.withCurvature(t, device, c.Window)
		own := plan(t, device, l, c)
		coursetest.SameBits(rt, "curvature", measured.curvature, own.Curvature)
		coursetest.SameBits(rt, "speed", speedOf(measured, c), own.Speed)
	})
}

// On a circle the lateral acceleration is the limit everywhere; a car that cannot speed up keeps its slowest speed.
func TestCars(t *testing.T) {
	device := coursetest.OpenCPU(t)
	var l lines
	for i := range 100 {
		angle := 2 * math.Pi * float64(i) / 100
		l.center = append(l.center, kernel.V3(float32(4*math.Cos(angle)), float32(math.Sin(angle)), 1))
		if i > 0 {
			l.arclen = append(l.arclen, l.arclen[i-1]+l.center[i].Sub(l.center[i-1]).Len())
		} else {
			l.arclen = append(l.arclen, 0)
		}
	}
	l.length = []float32{l.arclen[99] + l.center[0].Sub(l.center[99]).Len()}
	l.count = []int32{100}
	car := speed.Config{LateralAcceleration: 4, Acceleration: 1e6, Braking: 1e6, MaxSpeed: 100, Window: 0}
	free := plan(t, device, l, car).Speed
	require.InDelta(t, 1, free[0], 1e-2, "the ellipse has the radius 1/4 at its end")
	require.InDelta(t, 8, free[25], 1e-1, "and 16 at its flat side")
	car.MaxSpeed = 5
	require.EqualValues(t, 5, plan(t, device, l, car).Speed[25])
	car.Acceleration = 0
	for _, v := range plan(t, device, l, car).Speed {
		require.InDelta(t, 1, v, 2e-2)
	}
}

// Every wrong argument is refused before any device work, with its name, its value and what is allowed.
func TestMisuse(t *testing.T) {
	ctx, device, c := t.Context(), coursetest.OpenCPU(t), speed.DefaultConfig()
	require.NoError(t, c.Validate())
	for want, change := range map[string]func(*speed.Config){
		"lateral_acceleration is 0: must be a number > 0 and <= 1000000": func(c *speed.Config) { c.LateralAcceleration = 0 },
		"lateral_acceleration is NaN: must be a number > 0 and <= 1000000": func(c *speed.Config) {
			c.LateralAcceleration = math.NaN()
		},
		"acceleration is -1: must be a number >= 0 and <= 1000000": func(c *speed.Config) { c.Acceleration = -1 },
		"braking is -0.5: must be a number >= 0 and <= 1000000":    func(c *speed.Config) { c.Braking = -0.5 },
		"max_speed is +Inf: must be a number > 0 and <= 1000000":   func(c *speed.Config) { c.MaxSpeed = math.Inf(1) },
		"window is -1: must be a whole number >= 0 and <= 1048576": func(c *speed.Config) { c.Window = -1 },
		"max_speed is 1e-60: must be":                              func(c *speed.Config) { c.MaxSpeed = 1e-60 },
	} {
		c := speed.DefaultConfig()
		change(&c)
		_, err := speed.New(device, speed.Source{}, c)
		require.ErrorContains(t, err, "speed: new: "+want)
		require.ErrorIs(t, err, speed.ErrConfig)
	}
	source := lines{center: make([]kernel.Vec3, 8), arclen: make([]float32, 8), length: make([]float32, 2),
		count: []int32{4, 4}}.upload(t, device)
	_, err := speed.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	for _, none := range []speed.Source{speed.SourceOf(nil), speed.SourceOfLine(nil)} {
		_, err = speed.New(device, none, c)
		require.ErrorContains(t, err, "speed: new: source is without arrays")
	}
	for _, option := range []speed.Option{nil, generation.WithSeed(1), generation.WithStages(speed.Stage(c))} {
		_, err = speed.New(device, source, c, option)
		require.ErrorContains(t, err, "option")
	}
	short := coursetest.Upload(t, device, make([]float32, 7))
	for want, change := range map[string]func(*speed.Source){
		"arclen length is 7: must be a multiple of 2": func(s *speed.Source) { s.Arclen = short },
		"arclen length is 0":                          func(s *speed.Source) { s.Arclen = exec.Array[float32]{} },
		"center":                                      func(s *speed.Source) { s.Center = exec.Array[kernel.Vec3]{} },
		"curvature":                                   func(s *speed.Source) { s.Curvature = short },
		"length":                                      func(s *speed.Source) { s.Length = short },
	} {
		wrong := source
		change(&wrong)
		_, err = speed.New(device, wrong, c)
		require.ErrorContains(t, err, "speed: new: "+want)
	}
	planner, err := speed.New(device, source, c)
	require.NoError(t, err)
	require.ErrorContains(t, planner.RefreshMasked(ctx, coursetest.Upload(t, device, make([]int32, 9))), "mask")
	require.NoError(t, planner.Close())
	require.NoError(t, planner.Close())
	require.ErrorIs(t, planner.Refresh(ctx), backend.ErrClosed)
	require.ErrorIs(t, planner.RefreshMasked(ctx, source.Count), backend.ErrClosed)
	var none *speed.Planner
	require.NoError(t, none.Close())
	require.ErrorContains(t, none.Refresh(ctx), "speed: refresh: receiver is <nil>")
	_, err = none.Profile().Read(ctx)
	require.ErrorContains(t, err, "the Profile of a Planner")
	_, err = none.Profile().Clone(ctx)
	require.ErrorContains(t, err, "the Profile of a Planner")
}
