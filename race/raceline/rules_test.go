package raceline_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/raceline"
)

// circle is a road around a circle of n points with the same width to both sides, driven counter-clockwise.
func circle(n int, radius, width float64) (t tracks) {
	for i := range n {
		y, x := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		t.center = append(t.center, kernel.V3(float32(radius*x), float32(radius*y), 1))
		t.normal = append(t.normal, kernel.V3(float32(-x), float32(-y), 0))
		t.right, t.left = append(t.right, float32(width)), append(t.left, float32(width))
	}
	t.count = []int32{int32(n)}
	return t
}

// On a ring the line of least curvature is the outer circle, and the lap time is known.
func TestRing(t *testing.T) {
	device, c := coursetest.OpenCPU(t), raceline.DefaultConfig()
	c.CarWidth, c.Margin, c.LateralAcceleration, c.MaxSpeed = 0.3, 0.05, 4, 100
	lines := find(t, device, circle(90, 3, 0.4), c)
	radius := 3 + 0.4 - 0.3/2 - 0.05
	for i := range 90 {
		require.InDelta(t, -0.2, lines.Offset[i], 2e-4)
		require.InEpsilon(t, 1/radius, lines.Curvature[i], 2e-3)
		require.InEpsilon(t, math.Sqrt(4*radius), lines.Speed[i], 2e-3)
		require.EqualValues(t, 1, lines.Center[i].Z)
	}
	require.InEpsilon(t, 2*math.Pi*radius, lines.Length[0], 2e-3)
	require.InEpsilon(t, 2*math.Pi*radius/math.Sqrt(4*radius), lines.LapTime[0], 3e-3)

	c.MaxSpeed = 2
	require.InEpsilon(t, lines.Length[0]/2, find(t, device, circle(90, 3, 0.4), c).LapTime[0], 1e-5)
}

// Where the road is too narrow for the car, the line stays near the middle of the road.
func TestNarrowRoad(t *testing.T) {
	device, c := coursetest.OpenCPU(t), raceline.DefaultConfig()
	c.CarWidth = 1
	narrow := circle(60, 3, 0.4)
	for i := range narrow.right {
		narrow.right[i] = 0.2
	}
	lines := find(t, device, narrow, c)
	require.EqualValues(t, 1, lines.Valid[0])
	for i := range 60 {
		require.InDelta(t, 0.1, lines.Offset[i], 0.01*0.6+1e-6, "the middle is 0.1 to the left")
	}
}

// Speeds, arc lengths and lap times have the bits of the rules, on roads of all kinds. A car whose engine is weak, or
// whose tyres bend too much, is slower.
func TestSpeedHasTheBitsOfTheRules(t *testing.T) {
	device := coursetest.OpenCPU(t)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(3, 12).Draw(rt, "points")
		road := circle(n, rapid.Float64Range(0.1, 50).Draw(rt, "radius"), 0.05)
		for i := range road.center {
			road.center[i].X += rapid.Float32Range(-0.1, 0.1).Draw(rt, "x")
			road.center[i].Z = rapid.Float32Range(-1, 1).Draw(rt, "z")
		}
		setting := rapid.OneOf(rapid.Float64Range(0, 10), rapid.Just(0.0), rapid.Just(1e6))
		c := raceline.Config{LateralAcceleration: max(1e-3, setting.Draw(rt, "lateral")),
			Acceleration: setting.Draw(rt, "acceleration"), Braking: setting.Draw(rt, "braking"),
			MaxSpeed: max(1e-3, setting.Draw(rt, "max")), Power: setting.Draw(rt, "power"), Rounds: 1}
		b := find(t, device, road, c)
		speed, arclen, length, time := rulesOf(b, c)
		coursetest.SameBits(rt, "speed", speed, b.Speed)
		coursetest.SameBits(rt, "arc length", arclen, b.Arclen)
		coursetest.SameBits(rt, "length", []float32{length}, b.Length)
		coursetest.SameBits(rt, "lap time", []float32{time}, b.LapTime)
	})
}

// rulesOf returns the speeds, arc lengths, length and lap time of the line of the only env, from its points and
// curvature (L-77 to L-79).
func rulesOf(b *raceline.Batch, c raceline.Config) (v, arclen []float32, length, time float32) {
	n := int(b.Count[0])
	lateral := float32(c.LateralAcceleration)
	var sum kernel.TwoFloat
	for i := range n {
		arclen = append(arclen, sum.Float32())
		sum = sum.Add(b.Center[(i+1)%n].Sub(b.Center[i]).Len())
		v = append(v, float32(c.MaxSpeed))
		if k := kernel.Abs(b.Curvature[i]); k > 1e-9 {
			v[i] = min(kernel.Sqrt(lateral/k), v[i])
		}
	}
	length = sum.Float32()
	step := func(i int) float32 {
		if i == n-1 {
			return length - arclen[i]
		}
		return arclen[i+1] - arclen[i]
	}
	limit := func(to, from int, rate, power, ds float32) {
		used, left := float32(v[from]*v[from]), float32(0)
		used = float32(float32(used*kernel.Abs(b.Curvature[from])) * (1 / lateral))
		if used < 1 {
			left = kernel.Sqrt(1 - float32(used*used))
		}
		rate = float32(rate * left)
		if power > 0 {
			rate = min(rate, power/v[from])
		}
		v[to] = min(v[to], kernel.Sqrt(float32(v[from]*v[from])+float32(float32(2*rate)*ds)))
	}
	for range 2 {
		for i := range n {
			limit((i+1)%n, i, float32(c.Acceleration), float32(c.Power), step(i))
		}
		for i := n - 1; i >= 0; i-- {
			limit(i, (i+1)%n, float32(c.Braking), 0, step(i))
		}
	}
	for i := range n { // of at most 64 points, each is a part of its own
		time += float32(2*step(i)) / (v[i] + v[(i+1)%n])
	}
	return v, arclen, length, time
}

// Roads that no generator makes give a line of finite numbers, or none: points in one place, NaN, infinite, far away,
// fewer than 3, more than there is room for, widths of all kinds.
func TestLinesAreFiniteOrAbsent(t *testing.T) {
	device := coursetest.OpenCPU(t)
	rapid.Check(t, func(rt *rapid.T) {
		strange := []float32{0, 1, 1e-9, 1e30, float32(math.Inf(1)), float32(math.NaN())}
		usual := rapid.Float32Range(-4, 4)
		number := rapid.OneOf(usual, usual, usual, rapid.Float32(), rapid.SampledFrom(strange))
		if rapid.Bool().Draw(rt, "finite") {
			number = usual
		}
		var road tracks
		envs, most := rapid.IntRange(1, 3).Draw(rt, "envs"), rapid.IntRange(1, 9).Draw(rt, "N_max")
		vector := func(name string) kernel.Vec3 {
			return kernel.V3(number.Draw(rt, name), number.Draw(rt, name), number.Draw(rt, name))
		}
		for range envs {
			for range most {
				road.center, road.normal = append(road.center, vector("center")), append(road.normal, vector("normal"))
				road.right = append(road.right, number.Draw(rt, "right"))
				road.left = append(road.left, number.Draw(rt, "left"))
			}
			road.count = append(road.count, int32(rapid.IntRange(-1, most+2).Draw(rt, "count")))
		}
		b := find(t, device, road, raceline.DefaultConfig())
		for e := range envs {
			checkFinite(rt, b, e, min(int(road.count[e]), most))
		}
	})
}

// checkFinite checks that an env has a line of n points with finite numbers, or no line.
func checkFinite(rt *rapid.T, b *raceline.Batch, e, n int) {
	want := 0
	if b.Valid[e] == 1 {
		want = n
	}
	timed := b.LapTime[e] == b.LapTime[e]
	if int(b.Count[e]) != want || want == 0 && (b.Length[e] != 0 || timed) || want > 0 && b.Length[e] < 1e30 && !timed {
		rt.Fatalf("env %d: valid %d, count %d of %d, length %v, lap time %v", e, b.Valid[e], b.Count[e], n, b.Length[e],
			b.LapTime[e])
	}
	for i := range b.NMax {
		at := e*b.NMax + i
		if finite := kernel.IsFinite(b.Center[at].X + b.Center[at].Y); finite != (i < int(b.Count[e])) {
			rt.Fatalf("env %d point %d: %v, of %d points", e, i, b.Center[at], b.Count[e])
		}
	}
}

// Every wrong argument is refused before any device work, with its name, its value and what is allowed.
func TestMisuse(t *testing.T) {
	ctx, device, c := t.Context(), coursetest.OpenCPU(t), raceline.DefaultConfig()
	require.NoError(t, c.Validate())
	for want, change := range map[string]func(*raceline.Config){
		"car_width is -1: must be a number >= 0 and <= 1000000": func(c *raceline.Config) { c.CarWidth = -1 },
		"margin is NaN: must be a number >= 0 and <= 1000000":   func(c *raceline.Config) { c.Margin = math.NaN() },
		"lateral_acceleration is 0: must be a number > 0": func(c *raceline.Config) {
			c.LateralAcceleration = 0
		},
		"braking is -0.5: must be a number >= 0":          func(c *raceline.Config) { c.Braking = -0.5 },
		"max_speed is +Inf: must be a number > 0":         func(c *raceline.Config) { c.MaxSpeed = math.Inf(1) },
		"power is -1: must be a number >= 0":              func(c *raceline.Config) { c.Power = -1 },
		"rounds is 0: must be a whole number >= 1":        func(c *raceline.Config) { c.Rounds = 0 },
		"rounds is 101: must be a whole number >= 1":      func(c *raceline.Config) { c.Rounds = 101 },
		"acceleration is -3: must be a number >= 0 and <": func(c *raceline.Config) { c.Acceleration = -3 },
	} {
		c := raceline.DefaultConfig()
		change(&c)
		_, err := raceline.New(device, raceline.Source{}, c)
		require.ErrorContains(t, err, "raceline: new: "+want)
		require.ErrorIs(t, err, raceline.ErrConfig)
	}
	source := circle(8, 3, 0.2).upload(t, device)
	_, err := raceline.New(nil, source, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = raceline.New(device, raceline.SourceOf(nil), c)
	require.ErrorContains(t, err, "raceline: new: source is without arrays")
	for _, option := range []raceline.Option{nil, generation.WithSeed(1), generation.WithStages(raceline.Stage(c))} {
		_, err = raceline.New(device, source, c, option)
		require.ErrorContains(t, err, "option")
	}
	short := coursetest.Upload(t, device, make([]float32, 7))
	for want, change := range map[string]func(*raceline.Source){
		"center length is 0": func(s *raceline.Source) { s.Center = exec.Array[kernel.Vec3]{} },
		"normal":             func(s *raceline.Source) { s.Normal = exec.Array[kernel.Vec3]{} },
		"width_right":        func(s *raceline.Source) { s.WidthRight = short },
		"width_left":         func(s *raceline.Source) { s.WidthLeft = short },
		"center length is 8: must be a multiple of 3": func(s *raceline.Source) {
			s.Count = coursetest.Upload(t, device, make([]int32, 3))
		},
	} {
		wrong := source
		change(&wrong)
		_, err = raceline.New(device, wrong, c)
		require.ErrorContains(t, err, "raceline: new: "+want)
	}
	optimiser, err := raceline.New(device, source, c)
	require.NoError(t, err)
	require.ErrorContains(t, optimiser.RefreshMasked(ctx, coursetest.Upload(t, device, make([]int32, 9))), "mask")
	require.NoError(t, optimiser.Close())
	require.NoError(t, optimiser.Close())
	require.ErrorIs(t, optimiser.Refresh(ctx), backend.ErrClosed)
	require.ErrorIs(t, optimiser.RefreshMasked(ctx, source.Count), backend.ErrClosed)
	var none *raceline.Optimiser
	require.NoError(t, none.Close())
	require.ErrorContains(t, none.Refresh(ctx), "raceline: refresh: receiver is <nil>")
	_, err = none.Line().Read(ctx)
	require.ErrorContains(t, err, "the Line of an Optimiser")
	_, err = none.Line().Clone(ctx)
	require.ErrorContains(t, err, "the Line of an Optimiser")
}
