package track_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// line makes a centreline of n points on a closed curve, at parameters from 0 to 2 pi.
func line(n int, at func(u float64) (x, y, right, left float64)) track.Circuit {
	var c track.Circuit
	for i := range n {
		x, y, right, left := at(2 * math.Pi * float64(i) / float64(n))
		c.X, c.Y, c.Right, c.Left = append(c.X, x), append(c.Y, y), append(c.Right, right), append(c.Left, left)
	}
	return c
}

// measure imports circuits and copies the result to host memory.
func measure(t require.TestingT, device device, options track.ImportOptions, circuits ...track.Circuit) *track.Batch {
	tracks, err := track.Import(context.Background(), device, options, circuits...)
	require.NoError(t, err)
	batch, err := tracks.Batch(context.Background())
	require.NoError(t, err)
	require.NoError(t, tracks.Close())
	return batch
}

// A circle of varying width: the borders lie where they should, on the side that the direction gives.
func TestMeasuredCircle(t *testing.T) {
	const radius, mean = 50.0, 5.0
	right := func(angle float64) float64 { return mean + 2*math.Sin(angle) }
	left := func(angle float64) float64 { return mean + math.Cos(3*angle) }
	for _, direction := range []float64{1, -1} {
		circle := line(200, func(u float64) (float64, float64, float64, float64) {
			return radius * math.Cos(u), direction * radius * math.Sin(u), right(u), left(u)
		})
		b := measure(t, open(t), track.ImportOptions{Height: 1.5}, circle)
		assert.Equal(t, "valid", b.Reason[0].String())
		assert.Equal(t, []int32{1}, b.Valid)
		assert.Equal(t, []int32{0}, b.Crossings)
		assert.Equal(t, []float32{float32(direction)}, b.Winding)
		assert.InEpsilon(t, 2*math.Pi*radius, b.Length[0], 1e-3)
		// The default spacing is 0.6 times the mean half width.
		assert.InDelta(t, 2*math.Pi*radius/(0.6*mean), b.Count[0], 1.1)
		assert.Equal(t, int(b.Count[0]), b.NMax, "as many as it needs")
		for i := range b.NMax {
			angle := 2 * math.Pi * float64(i) / float64(b.NMax)
			assert.InDelta(t, right(angle), b.WidthRight[i], 2e-3)
			assert.InDelta(t, left(angle), b.WidthLeft[i], 5e-3)
			outside, inside := float64(b.WidthRight[i]), float64(b.WidthLeft[i]) // counter-clockwise: left is inside
			if direction < 0 {
				outside, inside = inside, outside
			}
			assert.InDelta(t, radius+outside, math.Hypot(float64(b.Outer[i].X), float64(b.Outer[i].Y)), 2e-3)
			assert.InDelta(t, radius-inside, math.Hypot(float64(b.Inner[i].X), float64(b.Inner[i].Y)), 2e-3)
			assert.InDelta(t, float64(b.Length[0])*float64(i)/float64(b.NMax), b.Arclen[i], 2e-3)
			assert.Equal(t, float32(1.5), b.Center[i].Z)
			// The normal points left.
			side := b.Outer[i].Sub(b.Center[i]).Dot(b.Normal[i])
			assert.Equal(t, direction < 0, side > 0)
		}
	}
}

// An oval of two straights and two half circles, with known length and unevenly spaced points.
func TestMeasuredOval(t *testing.T) {
	const straight, radius = 300.0, 60.0
	var oval track.Circuit
	add := func(x, y float64) { oval.X, oval.Y = append(oval.X, x), append(oval.Y, y) }
	for i := range 20 {
		add(straight*float64(i)/20-straight/2, -radius)
	}
	for i := range 60 {
		angle := math.Pi * (float64(i)/60 - 0.5)
		add(straight/2+radius*math.Cos(angle), radius*math.Sin(angle))
	}
	for i := range 10 {
		add(straight/2-straight*float64(i)/10, radius)
	}
	for i := range 60 {
		angle := math.Pi * (float64(i)/60 + 0.5)
		add(-straight/2+radius*math.Cos(angle), radius*math.Sin(angle))
	}
	b := measure(t, open(t), track.ImportOptions{HalfWidth: 6, Spacing: 2}, oval)
	assert.Equal(t, "valid", b.Reason[0].String())
	assert.InEpsilon(t, 2*straight+2*math.Pi*radius, b.Length[0], 1e-4)
	assert.Equal(t, float32(1), b.Winding[0])
	for i := range int(b.Count[0]) {
		assert.Equal(t, [2]float32{6, 6}, [2]float32{b.WidthRight[i], b.WidthLeft[i]})
		next := (i + 1) % int(b.Count[0])
		assert.InDelta(t, float64(b.Length[0])/float64(b.Count[0]), b.Center[next].Sub(b.Center[i]).Len(), 0.02, "even")
	}
}

// The tests of a road use the width of each point on the side that matters.
func TestMeasuredReasons(t *testing.T) {
	circle := func(right, left float64) track.Circuit {
		return line(100, func(u float64) (float64, float64, float64, float64) {
			return 20 * math.Cos(u), 20 * math.Sin(u), right, left
		})
	}
	// A Cassini oval: two round lobes, joined by a neck in which two parts of the road are 20 apart.
	peanut := func(right, left float64) track.Circuit {
		const a2, b2 = 100 * 100, 100*100 + 10*10
		return line(400, func(u float64) (float64, float64, float64, float64) {
			sin, cos := math.Sincos(2 * u)
			r := math.Sqrt(a2*cos + math.Sqrt(b2*b2-a2*a2*sin*sin))
			return r * math.Cos(u), r * math.Sin(u), right, left
		})
	}
	eight := line(200, func(u float64) (float64, float64, float64, float64) {
		return 200 * math.Sin(u), 100 * math.Sin(2*u), 6, 6
	})
	laps := line(400, func(u float64) (float64, float64, float64, float64) {
		return 100 * math.Cos(2*u), (100 + 0.5*math.Cos(7*u)) * math.Sin(2*u), 5, 5
	})
	// Two laps through the same points: of a circle, and of a figure of eight, whose only crossing is a bridge.
	twice := func(c track.Circuit) track.Circuit {
		return track.Circuit{X: append(c.X, c.X...), Y: append(c.Y, c.Y...), Right: append(c.Right, c.Right...),
			Left: append(c.Left, c.Left...)}
	}
	for name, test := range map[string]struct {
		options track.ImportOptions
		circuit track.Circuit
		want    track.Reason
	}{
		"wide outside":          {options: track.ImportOptions{Spacing: 2}, circuit: circle(500, 5)},
		"as wide as the radius": {circuit: circle(5, 19.8)},
		"wider than the radius": {circuit: circle(5, 21),
			want: track.ReasonCurvature | track.ReasonSeparation},
		"a neck wide enough": {circuit: peanut(5, 9.8)},
		"a neck too narrow":  {circuit: peanut(5, 10.5), want: track.ReasonSeparation},
		"no room": {options: track.ImportOptions{MaxPoints: 20}, circuit: circle(5, 5),
			want: track.ReasonTruncated},
		"narrow": {circuit: circle(5, 1e-4), want: track.ReasonWidth},
		"bridge": {circuit: eight},
		"crossing, not allowed": {options: track.ImportOptions{NoCrossings: true}, circuit: eight,
			want: track.ReasonTurning | track.ReasonSeparation},
		"two laps of the same points": {circuit: twice(circle(5, 4)), want: track.ReasonSeparation},
		"two laps of other points": {options: track.ImportOptions{Spacing: 1.37}, circuit: twice(circle(5, 4)),
			want: track.ReasonSeparation},
		"two laps of a bridge": {circuit: twice(eight), want: track.ReasonSeparation},
		"two laps of a bridge, not on its points": {options: track.ImportOptions{Spacing: 3.07}, circuit: twice(eight),
			want: track.ReasonSeparation},
		"two laps, which cross flat": {circuit: laps, want: track.ReasonSeparation},
	} {
		t.Run(name, func(t *testing.T) {
			b := measure(t, open(t), test.options, test.circuit)
			assert.Equal(t, test.want.String(), b.Reason[0].String())
			assert.Equal(t, test.want == 0, b.Valid[0] == 1)
		})
	}
	assert.Equal(t, int32(1), measure(t, open(t), track.ImportOptions{}, eight).Crossings[0])
}

// A figure of eight that starts in its crossing has one, although rounding parts the two points there.
func TestMeasuredCrossingAtItsStart(t *testing.T) {
	millimetres := func(v float64) float64 { return math.Round(v*1000) / 1000 }
	for _, n := range []int{40, 41, 100, 101} {
		b := measure(t, open(t), track.ImportOptions{}, line(n, func(u float64) (float64, float64, float64, float64) {
			return millimetres(100 * math.Sin(u)), millimetres(60 * math.Sin(2*u)), 4, 4
		}))
		assert.Equal(t, int32(1), b.Crossings[0], n)
		assert.Equal(t, "valid", b.Reason[0].String(), n)
	}
}

// A circuit has the same bits alone, beside other circuits, and with its first point repeated at the beginning and at
// the end.
func TestMeasuredBatch(t *testing.T) {
	small := line(50, func(u float64) (float64, float64, float64, float64) {
		return 30 * math.Cos(u), 20 * math.Sin(u), 2,
			1
	})
	large := line(90, func(u float64) (float64, float64, float64, float64) {
		return 90 * math.Cos(u), -70 * math.Sin(u), 4,
			5
	})
	closed := track.Circuit{
		X:     append(append([]float64{small.X[0]}, small.X...), small.X[0]),
		Y:     append(append([]float64{small.Y[0]}, small.Y...), small.Y[0]),
		Right: append(append([]float64{2}, small.Right...), 2), Left: append(append([]float64{1}, small.Left...), 1),
	}
	together := measure(t, open(t), track.ImportOptions{MaxPoints: 200}, small, large, closed)
	assert.Equal(t, []int32{1, 1, 1}, together.Valid)
	for e, c := range []track.Circuit{small, large, small} {
		alone := measure(t, open(t), track.ImportOptions{MaxPoints: 200}, c)
		assert.Equal(t, digest(alone, 0), digest(together, e), "circuit %d", e)
		rows := func(b *track.Batch, e int) string {
			return fmt.Sprint(b.WidthRight[e*200:(e+1)*200], b.WidthLeft[e*200:(e+1)*200], b.Crossings[e])
		}
		assert.Equal(t, rows(alone, 0), rows(together, e))
	}
	assert.NotEqual(t, digest(together, 0), digest(together, 1))
	assert.True(t, math.IsNaN(float64(together.WidthRight[199])), "padding")
}

// A Track of measured circuits is cloned with its widths, and works on its own stream.
func TestMeasuredClone(t *testing.T) {
	opened := open(t)
	stream, err := opened.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	lc, err := exec.For(context.Background(), opened, exec.OnStream(stream))
	require.NoError(t, err)
	ctx := exec.With(context.Background(), lc)
	c := line(60, func(u float64) (float64, float64, float64, float64) { return 30 * math.Cos(u), 30 * math.Sin(u), 3, 2 })
	tracks, err := track.Import(ctx, opened, track.ImportOptions{}, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	clone, err := tracks.Clone(ctx)
	require.NoError(t, err)
	defer func() { require.NoError(t, clone.Close()) }()
	want, err := tracks.Batch(ctx)
	require.NoError(t, err)
	got, err := clone.Batch(ctx)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Len(t, got.WidthLeft, got.NMax)

	require.NoError(t, stream.BeginCapture())
	_, err = track.Import(ctx, opened, track.ImportOptions{}, c)
	assert.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
}

// Relaxation makes room for the road of a circuit where there is none, and keeps its widths.
func TestMeasuredRelaxation(t *testing.T) {
	tight := line(80, func(u float64) (float64, float64, float64, float64) {
		return 100 * math.Cos(u), 8 * math.Sin(u), 5 + math.Cos(u), 6
	})
	assert.Zero(t, measure(t, open(t), track.ImportOptions{}, tight).Valid[0])
	relaxed := measure(t, open(t), track.ImportOptions{Relax: true}, tight)
	assert.Equal(t, "valid", relaxed.Reason[0].String())
	for i := range int(relaxed.Count[0]) {
		assert.InDelta(t, 5, relaxed.WidthRight[i], 1.001)
		assert.Equal(t, float32(6), relaxed.WidthLeft[i])
	}
}

// A valid generated track is a valid circuit of the same width, in either direction.
func TestGeneratedTracksCanBeMeasured(t *testing.T) {
	opened := open(t)
	for _, name := range track.Generators() {
		generated := generate(t, opened, tracktest.Small(tracktest.Config(name, 16)))
		var circuits []track.Circuit
		for e := range generated.Envs {
			if generated.Valid[e] == 0 {
				continue
			}
			var c track.Circuit
			for _, p := range generated.Points(generated.Center, e) {
				c.X, c.Y = append(c.X, float64(p.X)), append(c.Y, float64(p.Y))
			}
			circuits = append(circuits, c)
		}
		b := measure(t, opened, track.ImportOptions{HalfWidth: 0.1}, circuits...)
		assert.Equal(t, len(circuits), b.NumValid(), "%s: %v", name, b.Reason)
	}
}

func TestImportRefuses(t *testing.T) {
	opened := open(t)
	circle := func(scale float64) track.Circuit {
		return line(40, func(u float64) (float64, float64, float64, float64) {
			return scale * math.Cos(u), scale * math.Sin(u), 2, 2
		})
	}
	with := func(change func(c *track.Circuit)) track.Circuit {
		c := circle(50)
		c.Name = "Ring"
		change(&c)
		return c
	}
	for name, test := range map[string]struct {
		options track.ImportOptions
		circuit track.Circuit
		want    string
	}{
		"spacing": {options: track.ImportOptions{Spacing: math.NaN()}, circuit: circle(50),
			want: "spacing is NaN: must be a number > 0 and <= 1000000"},
		"negative": {options: track.ImportOptions{Spacing: -1}, circuit: circle(50),
			want: "spacing is -1: must be a number > 0"},
		"room": {options: track.ImportOptions{MaxPoints: 7}, circuit: circle(50),
			want: "max_points is 7: must be a whole number >= 8 and <= 65536"},
		"height":    {options: track.ImportOptions{Height: math.Inf(1)}, circuit: circle(50), want: "height is +Inf"},
		"no points": {circuit: track.Circuit{}, want: "circuits[0]: number of points is 0: must be 3 to 1048576"},
		"lengths": {circuit: with(func(c *track.Circuit) { c.Y = c.Y[1:] }),
			want: `circuit "Ring": length of Y is 39: must be that of X, 40`},
		"one side": {circuit: with(func(c *track.Circuit) { c.Left = nil }),
			want: "length of Right and Left is 40 and 0: must be that of X, 40, or 0 for both"},
		"no width": {circuit: with(func(c *track.Circuit) { c.Right, c.Left = nil, nil }),
			want: "half width is not given"},
		"not a number": {circuit: with(func(c *track.Circuit) { c.Y[3] = math.NaN() }),
			want: `Y[3] is NaN: must be a number from -100000000 to 100000000`},
		"far": {circuit: with(func(c *track.Circuit) { c.X[0] = -1e9 }), want: "X[0] is -1000000000"},
		"no width here": {circuit: with(func(c *track.Circuit) { c.Left[7] = 0 }),
			want: "Left[7] is 0: must be a number > 0"},
		"repeated": {circuit: track.Circuit{X: []float64{0, 0, 1, 1, 0}, Y: make([]float64, 5),
			Right: []float64{1, 1, 1, 1, 1}, Left: []float64{1, 1, 1, 1, 1}},
			want: "number of different points is 2: must be at least 3"},
		"coarse": {options: track.ImportOptions{Spacing: 80}, circuit: circle(50),
			want: "spacing is 80: must be at most 1/8 of the length of the circuit"},
		"long": {circuit: circle(1e6), want: "a larger spacing"},
		"map": {circuit: with(func(c *track.Circuit) { shift(c.X, 5.4e6) }),
			want: "spacing is 1.2: must be at least 500: a coordinate of 5400050 is a float32 with steps of 0.5"},
		"too fine": {options: track.ImportOptions{Spacing: 0.01}, circuit: circle(50),
			want: "spacing is 0.01: must be at least 0.0195"},
		"too many": {options: track.ImportOptions{Spacing: 0.28}, circuit: circle(3000),
			want: "at a spacing of 0.28, which makes 65536 points"},
		"invisible": {circuit: circle(1e-30), want: "spacing is 1.2: must be at most 1/8 of the length"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := track.Import(context.Background(), opened, test.options, test.circuit)
			require.ErrorContains(t, err, test.want)
			assert.NotErrorIs(t, err, backend.ErrClosed)
		})
	}
	_, err := track.Import(context.Background(), opened, track.ImportOptions{Spacing: -1})
	assert.ErrorIs(t, err, track.ErrConfig)
	_, err = track.Import(context.Background(), opened, track.ImportOptions{})
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = track.Import(context.Background(), nil, track.ImportOptions{}, circle(50))
	assert.ErrorIs(t, err, backend.ErrInvalid)
}

func shift(values []float64, by float64) {
	for i := range values {
		values[i] += by
	}
}

// For any points, the result is an error or a track of finite numbers, which has at least one reason if it is not
// valid.
func TestMeasuredAnything(t *testing.T) {
	opened := open(t, backend.Debug(!raceEnabled)) // instrumented kernels are too slow with the race detector
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 40).Draw(t, "points")
		extent := math.Pow(10, rapid.Float64Range(-3, 4).Draw(t, "extent"))
		coordinate := rapid.Custom(func(t *rapid.T) float64 {
			return extent * float64(rapid.IntRange(-20, 20).Draw(t, "coordinate"))
		})
		width := rapid.Float64Range(1e-3, 30)
		var c track.Circuit
		for range n {
			c.X, c.Y = append(c.X, coordinate.Draw(t, "x")), append(c.Y, coordinate.Draw(t, "y"))
			c.Right, c.Left = append(c.Right, width.Draw(t, "right")), append(c.Left, width.Draw(t, "left"))
		}
		options := track.ImportOptions{MaxPoints: rapid.IntRange(8, 200).Draw(t, "room"),
			Relax: rapid.Bool().Draw(t, "relax"), NoCrossings: rapid.Bool().Draw(t, "flat")}
		tracks, err := track.Import(context.Background(), opened, options, c)
		if err != nil {
			require.ErrorIs(t, err, backend.ErrInvalid)
			return
		}
		b, err := tracks.Batch(context.Background())
		require.NoError(t, err)
		require.NoError(t, tracks.Close())
		require.Equal(t, b.Reason[0] == 0, b.Valid[0] == 1)
		for i, p := range b.Points(b.Center, 0) {
			if !options.Relax {
				require.False(t, math.IsNaN(float64(p.X-p.X+p.Y-p.Y)), "point %d", i)
			}
		}
	})
}

// The bits are the same for every value of GOAMD64 and on every architecture; the test holds the bits of one build.
func TestMeasuredFrozenBits(t *testing.T) {
	c := track.Circuit{
		X:     []float64{0, 40, 80, 120, 140, 120, 90, 60, 30, -10, -20},
		Y:     []float64{0, -6, 3, 0, 30, 62, 50, 54, 70, 60, 25},
		Right: []float64{4, 4.25, 5, 6, 6.5, 5, 4, 4, 4.5, 5, 5},
		Left:  []float64{5, 5, 5.5, 6, 5, 4, 3.75, 4, 4, 4.5, 5},
	}
	relaxed := measure(t, open(t), track.ImportOptions{Relax: true}, c)
	measured := measure(t, open(t), track.ImportOptions{}, c)
	assert.Equal(t, []int32{1, 1}, append(measured.Valid, relaxed.Valid...))
	assert.Equal(t, "0x260b9f066b8e9cdf", fmt.Sprintf("%#x", digest(measured, 0)))
	assert.Equal(t, "0xb745dbde4a70cf0c", fmt.Sprintf("%#x", digest(relaxed, 0)))
}

// A context that has ended makes no track.
func TestMeasuredCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := track.Import(ctx, open(t), track.ImportOptions{HalfWidth: 2},
		line(40, func(u float64) (float64, float64, float64, float64) {
			return 50 * math.Cos(u), 50 * math.Sin(u), 2, 2
		}))
	assert.ErrorIs(t, err, context.Canceled)
}
