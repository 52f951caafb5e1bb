package layers_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/layers"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

func openCPU(t testing.TB, options ...backend.Option) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu", options...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

func tracksOf(t testing.TB, device backend.Device, envs int) *track.Batch {
	t.Helper()
	c := track.DefaultConfig()
	c.NumEnvs = envs
	generator, err := track.NewGenerator(device, c, track.WithSeed(7))
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	batch, err := generator.Track().Batch(t.Context())
	require.NoError(t, err)
	return batch
}

func gatesOf(t testing.TB, device backend.Device, envs int) *gate.Batch {
	t.Helper()
	c := gate.DefaultConfig()
	c.NumEnvs, c.Gate.Width, c.Gate.Radius = envs, 0.1, 0.03
	generator, err := gate.NewGenerator(device, c, gate.WithSeed(7))
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	batch, err := generator.Sequence().Batch(t.Context())
	require.NoError(t, err)
	return batch
}

// onRoad reports whether a point is between the borders of a track: inside of the outer one, and not of the inner one.
func onRoad(b *track.Batch, e int, x, y float64) bool {
	inside := func(ring []kernel.Vec3) (in bool) {
		for i, a := range ring {
			c := ring[(i+1)%len(ring)]
			if float64(a.Y) > y != (float64(c.Y) > y) &&
				x < float64(a.X)+(y-float64(a.Y))/float64(c.Y-a.Y)*float64(c.X-a.X) {
				in = !in
			}
		}
		return in
	}
	return inside(b.Points(b.Outer, e)) && !inside(b.Points(b.Inner, e))
}

// fromRing returns the distance of a point from a closed line.
func fromRing(ring []kernel.Vec3, x, y float64) float64 {
	best := math.Inf(1)
	for i, a := range ring {
		b := ring[(i+1)%len(ring)]
		dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
		t := 0.0
		if square := dx*dx + dy*dy; square > 0 {
			t = min(max(((x-float64(a.X))*dx+(y-float64(a.Y))*dy)/square, 0), 1)
		}
		best = min(best, math.Hypot(x-float64(a.X)-t*dx, y-float64(a.Y)-t*dy))
	}
	return best
}

// The answers are those of the tracks: checkpoints across the road, props on its border, a field that is positive on
// the road, cars that are out of bounds beside it, and contacts on a border.
func TestLayersOfTracks(t *testing.T) {
	device := openCPU(t)
	b := tracksOf(t, device, 6)
	c := layers.DefaultConfig()
	c.CheckpointSpacing, c.PropSpacing, c.Cars, c.FieldResolution = 0.4, 0.1, 40, 64
	c.Speed.MaxSpeed = 1.5
	out, err := layers.Tracks(t.Context(), device, b, c)
	require.NoError(t, err)
	require.Len(t, out, 6)
	hits, clear := 0, 0
	for e, l := range out {
		if b.Valid[e] == 0 {
			continue
		}
		require.InDelta(t, float64(b.Length[e])/0.4, len(l.Checkpoints), 1)
		for _, bar := range l.Checkpoints {
			require.Less(t, fromRing(b.Points(b.Inner, e), float64(bar.Left.X), float64(bar.Left.Y)), 1e-5)
			require.Less(t, fromRing(b.Points(b.Outer, e), float64(bar.Right.X), float64(bar.Right.Y)), 1e-5)
		}
		require.Greater(t, len(l.Props), 30)
		for _, prop := range l.Props {
			require.Less(t, fromRing(b.Points(b.Outer, e), float64(prop.Position.X), float64(prop.Position.Y)), 1e-5)
			require.False(t, prop.Segment)
		}
		require.Len(t, l.Speed, int(b.Count[e]))
		require.Equal(t, b.Points(b.Center, e), l.Line)
		for _, v := range l.Speed {
			require.True(t, v > 0 && v <= 1.5, "%v", v)
		}
		checkField(t, b, e, l.Field)
		require.Len(t, l.Cars, 40)
		for _, car := range l.Cars {
			if !onRoad(b, e, float64(car.Position.X), float64(car.Position.Y)) {
				require.True(t, car.Hit, "a car whose middle is beside the road")
			}
			if hits++; !car.Hit {
				hits--
				clear++
			}
			x, y := float64(car.Nearest.X), float64(car.Nearest.Y)
			require.Less(t, min(fromRing(b.Points(b.Outer, e), x, y), fromRing(b.Points(b.Inner, e), x, y)), 1e-5)
			require.InDelta(t, 1, math.Hypot(float64(car.Normal.X), float64(car.Normal.Y)), 1e-5)
			require.InDelta(t, 1, math.Hypot(float64(car.Heading.X), float64(car.Heading.Y)), 1e-5)
		}
	}
	require.Greater(t, hits, 20)
	require.Greater(t, clear, 20)
}

// checkField checks the signs and the sizes of distances that are farther from 0 than a cell is large.
func checkField(t *testing.T, b *track.Batch, e int, f *export.DistanceField) {
	t.Helper()
	cell := math.Hypot(float64(f.High.X-f.Low.X), float64(f.High.Y-f.Low.Y)) / float64(f.Resolution)
	for j := range f.Resolution {
		for i := range f.Resolution {
			x := float64(f.Low.X) + (float64(i)+0.5)/float64(f.Resolution)*float64(f.High.X-f.Low.X)
			y := float64(f.Low.Y) + (float64(j)+0.5)/float64(f.Resolution)*float64(f.High.Y-f.Low.Y)
			d := float64(f.Distance[j*f.Resolution+i])
			want := min(fromRing(b.Points(b.Outer, e), x, y), fromRing(b.Points(b.Inner, e), x, y))
			require.InDelta(t, want, math.Abs(d), 1e-5)
			if want > cell {
				require.Equal(t, onRoad(b, e, x, y), d > 0)
			}
		}
	}
}

func TestLayersOfGates(t *testing.T) {
	device := openCPU(t)
	b := gatesOf(t, device, 4)
	c := layers.DefaultConfig()
	c.Cars, c.PostRadius = 40, 0.02
	out, err := layers.Gates(t.Context(), device, b, c)
	require.NoError(t, err)
	hits := 0
	for e, l := range out {
		require.Len(t, l.Posts, 2*int(b.Count[e]))
		require.Equal(t, export.PostDisc{Center: b.Left[e*b.MaxGates], Radius: 0.02}, l.Posts[0])
		require.Equal(t, b.Right[e*b.MaxGates], l.Posts[1].Center)
		if b.Valid[e] != 0 {
			require.Len(t, l.Line, 8*int(b.Count[e]))
			require.Len(t, l.Speed, len(l.Line))
			require.Equal(t, b.Position[e*b.MaxGates+1], l.Line[8])
		}
		for _, car := range l.Cars {
			touched := false // by a disc, seen from the car
			for _, post := range l.Posts {
				x, y := float64(post.Center.X-car.Position.X), float64(post.Center.Y-car.Position.Y)
				hx, hy := float64(car.Heading.X), float64(car.Heading.Y)
				ahead, aside := math.Abs(x*hx+y*hy)-float64(car.HalfExtents.X), math.Abs(x*hy-y*hx)-float64(car.HalfExtents.Y)
				touched = touched || math.Hypot(max(ahead, 0), max(aside, 0)) <= 0.02
			}
			require.Equal(t, touched, car.Hit)
			require.Equal(t, car.Hit, car.Nearest.X == car.Nearest.X)
			if car.Hit {
				hits++
			}
		}
	}
	require.Greater(t, hits, 10)
}

// What is not asked for is absent, and the cars of an env depend on the seed and on its number alone.
func TestSomeLayers(t *testing.T) {
	device := openCPU(t)
	b := tracksOf(t, device, 4)
	c := layers.DefaultConfig()
	c.Layers = []layers.Layer{layers.Cars}
	all, err := layers.Tracks(t.Context(), device, b, c)
	require.NoError(t, err)
	require.Nil(t, all[0].Field)
	require.Empty(t, all[0].Checkpoints)
	require.Empty(t, all[0].Props)
	require.Empty(t, all[0].Line)
	require.True(t, kernel.IsNaN(all[0].Cars[0].Nearest.X))
	require.NotEqual(t, fmt.Sprint(all[0].Cars), fmt.Sprint(all[1].Cars))

	part := new(track.Batch)
	require.NoError(t, part.Append(b, 3, 1))
	c.Numbers = []int{3, 1}
	some, err := layers.Tracks(t.Context(), device, part, c)
	require.NoError(t, err)
	require.Equal(t, fmt.Sprint(all[3].Cars), fmt.Sprint(some[0].Cars))
	require.Equal(t, fmt.Sprint(all[1].Cars), fmt.Sprint(some[1].Cars))
	c.Seed++
	other, err := layers.Tracks(t.Context(), device, part, c)
	require.NoError(t, err)
	require.NotEqual(t, fmt.Sprint(some), fmt.Sprint(other))

	c.Layers = []layers.Layer{layers.Posts}
	c.Seed, c.Numbers = 0, nil
	gates, err := layers.Gates(t.Context(), device, gatesOf(t, device, 2), c)
	require.NoError(t, err)
	require.NotEmpty(t, gates[0].Posts)
	require.Empty(t, gates[0].Cars)
	require.Empty(t, gates[0].Line)
}

// Every number of workers gives the same picture.
func TestSameLayersWithAnyWorkers(t *testing.T) {
	pictures := map[string]bool{}
	for _, workers := range []int{1, 3} {
		device := openCPU(t, backend.Workers(workers))
		b := tracksOf(t, device, 3)
		out, err := layers.Tracks(t.Context(), device, b, layers.DefaultConfig())
		require.NoError(t, err)
		var svg bytes.Buffer
		require.NoError(t, export.WriteSVG(&svg, b, export.Picture{Layers: out}))
		pictures[svg.String()] = true
	}
	require.Len(t, pictures, 1)
}

func TestConfigErrors(t *testing.T) {
	device := openCPU(t)
	b, g := tracksOf(t, device, 2), gatesOf(t, device, 2)
	const length = "a number > 0 and <= 1000000, or 0 for the default"
	for _, wrong := range []struct {
		want   string
		change func(c *layers.Config)
	}{
		{`layers is "field ": must be some of `, func(c *layers.Config) { c.Layers = []layers.Layer{"field "} }},
		{"checkpoint_spacing is -1: must be " + length, func(c *layers.Config) { c.CheckpointSpacing = -1 }},
		{"prop_spacing is NaN: must be " + length, func(c *layers.Config) { c.PropSpacing = math.NaN() }},
		{"post_radius is 1e+07: must be " + length, func(c *layers.Config) { c.PostRadius = 1e7 }},
		{`prop_mode is "dots": must be points or segments`, func(c *layers.Config) { c.PropMode = "dots" }},
		{"field_resolution is 7: must be a whole number >= 8 and <= 1024", func(c *layers.Config) { c.FieldResolution = 7 }},
		{"cars is 0: must be a whole number >= 1 and <= 1024", func(c *layers.Config) { c.Cars = 0 }},
		{"ground_resolution is 7: must be a whole number >= 8 and <= 1024", func(c *layers.Config) {
			c.GroundResolution = 7
		}},
		{"frame_thickness is -1: must be " + length, func(c *layers.Config) { c.FrameThickness = -1 }},
		{"frame_depth is +Inf: must be " + length, func(c *layers.Config) { c.FrameDepth = math.Inf(1) }},
		{"ball_radius is NaN: must be " + length, func(c *layers.Config) { c.BallRadius = math.NaN() }},
		{"max_checkpoints is 2: must be a whole number >= 3 and <= 65536", func(c *layers.Config) { c.MaxCheckpoints = 2 }},
		{"samples_per_gate is 1: must be a whole number >= 2 and <= 1024", func(c *layers.Config) { c.SamplesPerGate = 1 }},
		{`collision is "none": must be segments or sdf`, func(c *layers.Config) { c.Collision = "none" }},
		{"numbers is 1 of them: must be 2, one for each env", func(c *layers.Config) { c.Numbers = []int{1} }},
		{"max_speed is 0: must be", func(c *layers.Config) { c.Speed.MaxSpeed = 0 }},
	} {
		c := layers.DefaultConfig()
		wrong.change(&c)
		_, err := layers.Tracks(t.Context(), device, b, c)
		assert.ErrorContains(t, err, wrong.want)
		assert.ErrorIs(t, err, config.ErrConfig)
		_, err = layers.Gates(t.Context(), device, g, c)
		assert.ErrorContains(t, err, wrong.want)
	}
	c := layers.DefaultConfig()
	c.Layers = []layers.Layer{layers.Posts}
	_, err := layers.Tracks(t.Context(), device, b, c)
	assert.ErrorIs(t, err, config.ErrConfig, "tracks have no posts")
	c.Layers = []layers.Layer{layers.Checkpoints}
	c.CheckpointSpacing = 1e-5
	_, err = layers.Tracks(t.Context(), device, b, c)
	assert.ErrorContains(t, err, "checkpoint_spacing is 1e-05: must be large enough for at most 65536 items")

	c = layers.DefaultConfig()
	_, err = layers.Tracks(t.Context(), device, nil, c)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = layers.Gates(t.Context(), device, nil, c)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = layers.Tracks(t.Context(), nil, b, c)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = layers.Tracks(ended, device, b, c)
	assert.ErrorIs(t, err, context.Canceled)
}

// Tracks and courses without points, with few of them, or with numbers that are not finite have pictures, too.
func TestLayersOfWhatIsNotValid(t *testing.T) {
	device := openCPU(t)
	b := tracksOf(t, device, 4)
	b.Count[0], b.Valid[0] = 0, 0
	b.Count[1], b.Valid[1] = 2, 0
	for i := range b.NMax {
		b.Center[2*b.NMax+i].X, b.Outer[2*b.NMax+i].Y = kernel.NaN(), float32(math.Inf(1))
	}
	b.Valid[2] = 0
	out, err := layers.Tracks(t.Context(), device, b, layers.DefaultConfig())
	require.NoError(t, err)
	var svg bytes.Buffer
	require.NoError(t, export.WriteSVG(&svg, b, export.Picture{Layers: out}))

	g := gatesOf(t, device, 4)
	g.Count[0], g.Valid[0] = 0, 0
	g.Count[1], g.Valid[1] = 1, 0
	g.Position[2*g.MaxGates].X, g.Left[2*g.MaxGates].Y, g.HalfSize[2*g.MaxGates] = kernel.NaN(), kernel.NaN(), kernel.NaN()
	g.Valid[2] = 0
	out, err = layers.Gates(t.Context(), device, g, layers.DefaultConfig())
	require.NoError(t, err)
	require.NoError(t, export.WriteGatesSVG(&svg, g, export.Picture{Layers: out}))
	for e := range g.Envs {
		g.Valid[e] = 0
	}
	_, err = layers.Gates(t.Context(), device, g, layers.DefaultConfig())
	require.ErrorContains(t, err, "post_radius is 0: must be a number > 0, because no course is valid")
}
