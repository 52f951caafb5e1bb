package gate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// hillyTracks makes tracks with hills, some of which are not valid.
func hillyTracks(t testing.TB, device backend.Device, envs int, with ...track.Option) *track.Generator {
	t.Helper()
	c := track.DefaultConfig()
	c.NumEnvs, c.Relax.Sweeps = envs, 15
	c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = "noise", -0.2, 0.3
	c.Elevation.NoiseAmplitude = 0.4
	g, err := track.NewGenerator(device, c, with...)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// alongConfig returns a configuration of gates along tracks.
func alongConfig(spacing float64, changes ...func(*gate.Config)) gate.Config {
	c := gate.DefaultConfig()
	c.Along.Spacing, c.Gate.Align = spacing, "full_tangent"
	for _, change := range changes {
		change(&c)
	}
	return c
}

// along makes gate courses.
func along(t testing.TB, device backend.Device, tracks *track.Track, c gate.Config) *gate.Batch {
	t.Helper()
	a, err := gate.NewAlong(device, tracks, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	batch, err := a.Sequence().Batch(t.Context())
	require.NoError(t, err)
	return batch
}

// distanceAlong returns the place along the closed line of env e nearest to p: its arc length, its distance, and its
// height.
func distanceAlong(b *track.Batch, e int, p kernel.Vec3) (arc, distance float64) {
	line := b.Points(b.Center, e)
	distance = math.Inf(1)
	for k, from := range line {
		way := line[(k+1)%len(line)].Sub(from)
		u := min(max(float64(p.Sub(from).Dot(way))/max(float64(way.Dot(way)), 1e-12), 0), 1)
		if d := float64(from.Add(way.Scale(float32(u))).Sub(p).Len()); d < distance {
			next := b.Length[e]
			if k+1 < len(line) {
				next = b.Arclen[e*b.NMax+k+1]
			}
			start := float64(b.Arclen[e*b.NMax+k])
			distance, arc = d, start+u*(float64(next)-start)
		}
	}
	return arc, distance
}

// Gates stand on the line of their track, at its height and at equal arc length, as wide as the road.
func TestGatesAlongTracks(t *testing.T) {
	const spacing = 0.4
	device := openCPU(t)
	g := hillyTracks(t, device, 40, track.WithSeed(5))
	tracks, err := g.Track().Batch(t.Context())
	require.NoError(t, err)
	b := along(t, device, g.Track(), alongConfig(spacing))
	require.NoError(t, b.CheckNumbers())
	require.Equal(t, tracks.Seed, b.Seed)
	seen := 0
	for e := range b.Envs {
		length := float64(tracks.Length[e])
		require.InDelta(t, length/spacing, float64(b.Count[e]), 0.5001)
		require.Equal(t, tracks.Valid[e] == 0, b.Reason[e]&gate.ReasonTrack != 0, "env %d", e)
		for k, p := range b.Gates(b.Position, e) {
			arc, distance := distanceAlong(tracks, e, p)
			require.Less(t, distance, 1e-6, "env %d, gate %d", e, k)
			if want := float64(k) * length / float64(b.Count[e]); math.Abs(arc-want) > 1e-4 && k > 0 {
				require.Failf(t, "not at equal arc length", "env %d, gate %d: %g, must be %g", e, k, arc, want)
			}
			require.InDelta(t, 0.1, b.HalfSize[e*b.MaxGates+k], 1e-6, "half the width of the road")
			seen++
		}
	}
	assert.Greater(t, seen, 300)
	assert.Positive(t, b.NumValid())
	assert.Less(t, tracks.NumValid(), b.Envs, "some tracks are not valid")
}

// The width of a gate is gate.width, or a fraction of the road's, and the draw of sizes applies to both.
func TestWidthsAlongTracks(t *testing.T) {
	device := openCPU(t)
	g := hillyTracks(t, device, 4)
	half := func(change func(*gate.Config)) float32 {
		return along(t, device, g.Track(), alongConfig(0.4, change)).HalfSize[0]
	}
	assert.InDelta(t, 0.025, half(func(c *gate.Config) { c.Along.RoadFraction = 0.25 }), 1e-6)
	assert.Zero(t, half(func(c *gate.Config) { c.Along.RoadFraction = 0 }))
	assert.InDelta(t, 0.2, half(func(c *gate.Config) { c.Gate.Width = 0.4 }), 1e-6)
	assert.InDelta(t, 0.3, half(func(c *gate.Config) {
		c.Gate.Width, c.Gate.SizeRange = 0.4, gate.Range{Min: 1.5, Max: 1.5}
	}), 1e-6)
	b := along(t, device, g.Track(), alongConfig(0.4, func(c *gate.Config) {
		c.Gate.SizeRange = gate.Range{Min: 0.5, Max: 2}
	}))
	assert.NotEqual(t, b.HalfSize[0], b.HalfSize[b.MaxGates], "each env draws its own factor")

	batch, err := g.Track().Batch(t.Context())
	require.NoError(t, err)
	batch.WidthRight = nil // a file of another program
	tracks, err := track.Upload(t.Context(), device, batch)
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	assert.Zero(t, along(t, device, tracks, alongConfig(0.4)).HalfSize[0], "the width of the road is not known")
}

// Each way for a course to be invalid has a reason, and no gate is cut silently.
func TestReasonsAlongTracks(t *testing.T) {
	device := openCPU(t)
	g := hillyTracks(t, device, 30)
	valid := func(change func(*gate.Config)) *gate.Batch {
		return along(t, device, g.Track(), alongConfig(0.4, change))
	}
	all := func(b *gate.Batch, reason gate.Reason) {
		t.Helper()
		for e := range b.Envs {
			require.NotZero(t, b.Reason[e]&reason, "env %d: %s", e, b.Reason[e])
		}
	}
	many := valid(func(c *gate.Config) { c.Output.MaxGates = 5 })
	all(many, gate.ReasonTooMany)
	assert.Equal(t, slices.Repeat([]int32{5}, 30), many.Count)
	all(valid(func(c *gate.Config) { c.Along.Spacing = 2 }), gate.ReasonTooFew)
	all(valid(func(c *gate.Config) { c.Along.Spacing = 1e6 }), gate.ReasonTooFew)
	all(valid(func(c *gate.Config) { c.Along.Spacing = 1e-30 }), gate.ReasonTooMany)
	all(valid(func(c *gate.Config) { c.Gate.Radius = 0.5 }), gate.ReasonSeparation)
	all(valid(func(c *gate.Config) { c.Validity.MaxGrade = 1e-3 }), gate.ReasonGrade)
	all(valid(func(c *gate.Config) { c.Validity.MaxTurn = 0.01 }), gate.ReasonTurn)
	all(valid(func(c *gate.Config) { c.Validity.MinTurn = 3 }), gate.ReasonTurn)
	all(valid(func(c *gate.Config) { c.Validity.MaxDistance = 0.3 }), gate.ReasonDistance)
	all(valid(func(c *gate.Config) { c.Validity.MinDistance = 0.5 }), gate.ReasonDistance)

	lenient := valid(func(c *gate.Config) { c.Along.AnyTrack, c.Gate.Radius, c.Along.RoadFraction = true, 0, 0.1 })
	strict := valid(func(c *gate.Config) { c.Gate.Radius, c.Along.RoadFraction = 0, 0.1 })
	assert.Greater(t, lenient.NumValid(), strict.NumValid())
	for e := range lenient.Envs {
		assert.Equal(t, lenient.Reason[e], strict.Reason[e]&^gate.ReasonTrack)
	}
}

// Tracks of a file may have any values: no course with a NaN is valid, and nothing panics.
func TestHostileTracks(t *testing.T) {
	device := openCPU(t, backend.Debug(true))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, change := range map[string]func(b *track.Batch){
		"length NaN":       func(b *track.Batch) { b.Length[0] = nan },
		"length infinite":  func(b *track.Batch) { b.Length[0] = inf },
		"length negative":  func(b *track.Batch) { b.Length[0] = -3 },
		"length huge":      func(b *track.Batch) { b.Length[0] = math.MaxFloat32 },
		"count too large":  func(b *track.Batch) { b.Count[0] = math.MaxInt32 },
		"count negative":   func(b *track.Batch) { b.Count[0] = math.MinInt32 },
		"count 0":          func(b *track.Batch) { b.Count[0] = 0 },
		"one point":        func(b *track.Batch) { b.Count[0] = 1 },
		"points NaN":       func(b *track.Batch) { b.Center[0] = kernel.V3(nan, 0, 0) },
		"height infinite":  func(b *track.Batch) { b.Center[0].Z = inf },
		"arclen NaN":       func(b *track.Batch) { b.Arclen[0], b.Arclen[40] = nan, nan },
		"arclen backwards": func(b *track.Batch) { slices.Reverse(b.Arclen[:b.Count[0]]) },
		"width NaN":        func(b *track.Batch) { b.WidthLeft[0] = nan },
		"width negative":   func(b *track.Batch) { b.WidthRight[0] = -1 },
		"all in one place": func(b *track.Batch) { clear(b.Center) },
		"valid is 7":       func(b *track.Batch) { b.Valid[0] = 7 },
	} {
		t.Run(name, func(t *testing.T) {
			batch, err := hillyTracks(t, device, 2).Track().Batch(t.Context())
			require.NoError(t, err)
			change(batch)
			tracks, err := track.Upload(t.Context(), device, batch)
			require.NoError(t, err)
			defer func() { require.NoError(t, tracks.Close()) }()
			for _, spacing := range []float64{0.4, 1e-3} {
				b := along(t, device, tracks, alongConfig(spacing, func(c *gate.Config) {
					c.Along.AnyTrack, c.Gate.Radius, c.Output.MaxGates = name != "valid is 7", 0, 40
				}))
				require.NoError(t, b.CheckNumbers())
				if name != "arclen backwards" {
					require.Zero(t, b.Valid[0], "%s", b.Reason[0])
				}
			}
		})
	}
}

func TestNewAlongRefuses(t *testing.T) {
	device, other := openCPU(t), openCPU(t)
	tracks := hillyTracks(t, device, 3).Track()
	for want, change := range map[string]func(c *gate.Config){
		"along.spacing is 0: must be a number > 0 and <= 1000000":  func(c *gate.Config) { c.Along.Spacing = 0 },
		"along.spacing is -1: must be a number > 0 and <= 1000000": func(c *gate.Config) { c.Along.Spacing = -1 },
		"along.spacing is NaN: must be a number > 0 and <= 1000000": func(c *gate.Config) {
			c.Along.Spacing = math.NaN()
		},
		"along.road_fraction is -1: must be a number >= 0 and <= 10":      func(c *gate.Config) { c.Along.RoadFraction = -1 },
		"output.max_gates is 513: must be a whole number >= 2 and <= 512": func(c *gate.Config) { c.Output.MaxGates = 513 },
		"output.max_gates is 3: must be at least validity.min_gates (4)":  func(c *gate.Config) { c.Output.MaxGates = 3 },
		"candidates is 2: must be 1 along tracks, which have their own candidates": func(c *gate.Config) {
			c.Candidates = 2
		},
		`generator is "bezier": must be mixed, beside mix`: func(c *gate.Config) {
			c.Mix = []gate.Component{c.NewComponent(1, gate.Bezier)}
		},
	} {
		_, err := gate.NewAlong(device, tracks, alongConfig(0.4, change))
		assert.EqualError(t, err, want)
		assert.ErrorIs(t, err, gate.ErrConfig)
	}
	config := alongConfig(0.4)
	for name, try := range map[string]func() (*gate.Along, error){
		"no device":    func() (*gate.Along, error) { return gate.NewAlong(nil, tracks, config) },
		"no tracks":    func() (*gate.Along, error) { return gate.NewAlong(device, nil, config) },
		"empty tracks": func() (*gate.Along, error) { return gate.NewAlong(device, &track.Track{}, config) },
		"seeds":        func() (*gate.Along, error) { return gate.NewAlong(device, tracks, config, gate.WithSeed(3)) },
		"epoch":        func() (*gate.Along, error) { return gate.NewAlong(device, tracks, config, gate.WithEpoch(3)) },
		"nil option":   func() (*gate.Along, error) { return gate.NewAlong(device, tracks, config, nil) },
		"not made": func() (*gate.Along, error) {
			a := new(gate.Along)
			_, err := a.Generate(t.Context())
			return a, err
		},
	} {
		_, err := try()
		assert.ErrorIs(t, err, backend.ErrInvalid, name)
	}
	_, err := gate.NewAlong(other, tracks, config)
	assert.EqualError(t, err, `gate: new gates along tracks: tracks.Center belongs to another opening of device "cpu"`)
	config.Generator = gate.AlongTracks
	_, err = gate.NewGenerator(device, config)
	assert.ErrorContains(t, err, `generator is "along": must be one of`)
}

// The courses of a batch do not depend on its size, nor on the number of workers.
func TestAlongDoesNotDependOnTheBatch(t *testing.T) {
	one, many := openCPU(t, backend.Workers(1)), openCPU(t, backend.Workers(7))
	config := alongConfig(0.4, func(c *gate.Config) { c.Gate.SizeRange = gate.Range{Min: 0.5, Max: 1} })
	want := bitsOf(along(t, one, hillyTracks(t, one, 67, track.WithSeed(-7)).Track(), config))
	assert.Equal(t, want, bitsOf(along(t, many, hillyTracks(t, many, 67, track.WithSeed(-7)).Track(), config)))
	for e := 0; e < 67; e += 11 {
		alone := along(t, one, hillyTracks(t, one, 1, track.WithSeed(int32(e-7))).Track(), config)
		assert.Equal(t, want[e:e+1], bitsOf(alone), "env %d", e)
	}
}

// checkAlongRuns checks that courses follow the tracks of a generator in every way to run: eager, replayed, masked, and
// recorded together with the tracks.
func checkAlongRuns(t *testing.T, device backend.Device) {
	t.Helper()
	const envs = 7
	ctx := t.Context()
	cpu, config := openCPU(t), alongConfig(0.4, func(c *gate.Config) { c.Gate.SizeRange = gate.Range{Min: 0.5, Max: 1} })
	want := bitsOf(along(t, cpu, hillyTracks(t, cpu, envs).Track(), config))
	later := bitsOf(along(t, cpu, hillyTracks(t, cpu, envs, track.WithEpoch(1)).Track(), config))
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	tracks := hillyTracks(t, device, envs, track.WithStream(stream))
	a, err := gate.NewAlong(device, tracks.Track(), config, gate.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	is := func() []string {
		batch, err := a.Sequence().Batch(ctx)
		require.NoError(t, err)
		return bitsOf(batch)
	}
	require.Equal(t, want, is())
	flags := []int32{0, 1, 0, 0, 5, 0, 1}
	mask, err := exec.FromSlice(device, flags)
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	mixed := slices.Clone(want)
	for e, f := range flags {
		if f != 0 {
			mixed[e] = later[e]
		}
	}
	for range 3 { // the first ones are eager, later ones may replay a graph
		_, err = tracks.Regenerate(ctx, mask)
		require.NoError(t, err)
		_, err = a.Regenerate(ctx, mask)
		require.NoError(t, err)
		require.Equal(t, mixed, is(), "masked")
		require.NoError(t, tracks.SetEpoch(ctx, 1))
		_, err = tracks.Generate(ctx)
		require.NoError(t, err)
		require.Equal(t, mixed, is(), "not before the call")
		_, err = a.Generate(ctx)
		require.NoError(t, err)
		require.Equal(t, later, is(), "all")
		require.NoError(t, tracks.SetEpoch(ctx, 0))
		_, err = tracks.Generate(ctx)
		require.NoError(t, err)
		_, err = a.Generate(ctx)
		require.NoError(t, err)
	}
	require.NoError(t, stream.BeginCapture())
	_, err = tracks.Regenerate(ctx, mask)
	require.NoError(t, err)
	_, err = a.Regenerate(ctx, mask)
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	require.Equal(t, want, is(), "recording runs nothing")
	require.NoError(t, stream.Replay(graph))
	require.Equal(t, mixed, is(), "replay of a recorded regeneration")
}

func TestAlongRunsAreEqual(t *testing.T) {
	checkAlongRuns(t, openCPU(t))
	checkUploadedTracks(t, openCPU(t))
}

// checkUploadedTracks checks that gates along the tracks of a file have the bits of the CPU on a device: eager,
// replayed and masked.
func checkUploadedTracks(t *testing.T, device backend.Device) {
	t.Helper()
	const envs = 9
	ctx := t.Context()
	cpu, config := openCPU(t), alongConfig(0.4)
	batch, err := hillyTracks(t, cpu, envs).Track().Batch(ctx)
	require.NoError(t, err)
	higher := slices.Clone(batch.Center)
	for i := range higher {
		higher[i].Z *= 2
	}
	var want, later []string
	for _, bits := range []*[]string{&want, &later} {
		tracks, err := track.Upload(ctx, cpu, batch)
		require.NoError(t, err)
		*bits = bitsOf(along(t, cpu, tracks, config))
		require.NoError(t, tracks.Close())
		batch.Center, higher = higher, batch.Center
	}
	tracks, err := track.Upload(ctx, device, batch)
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	a, err := gate.NewAlong(device, tracks, config, gate.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	check := func(want []string, when string) {
		t.Helper()
		b, err := a.Sequence().Batch(ctx)
		require.NoError(t, err)
		require.Equal(t, want, bitsOf(b), when)
	}
	check(want, "first")
	mask, err := exec.FromSlice(device, []int32{1, 0, 0, 0, 1, 0, 0, 0, 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	mixed := slices.Clone(want)
	for _, e := range []int{0, 4, 8} {
		mixed[e] = later[e]
	}
	for range 3 {
		require.NoError(t, tracks.Center.Write(ctx, higher))
		_, err = a.Regenerate(ctx, mask)
		require.NoError(t, err)
		check(mixed, "masked")
		_, err = a.Generate(ctx)
		require.NoError(t, err)
		check(later, "all")
		require.NoError(t, tracks.Center.Write(ctx, batch.Center))
		_, err = a.Generate(ctx)
		require.NoError(t, err)
		check(want, "as before")
	}
}

// Closed tracks are an error, and so is a call inside of a capture that would have to wait.
func TestAlongMisuse(t *testing.T) {
	device := openCPU(t)
	batch, err := hillyTracks(t, device, 3).Track().Batch(t.Context())
	require.NoError(t, err)
	tracks, err := track.Upload(t.Context(), device, batch)
	require.NoError(t, err)
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	a, err := gate.NewAlong(device, tracks, alongConfig(0.4), gate.WithStream(stream))
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()

	require.NoError(t, stream.BeginCapture())
	_, err = gate.NewAlong(device, tracks, alongConfig(0.4), gate.WithStream(stream))
	assert.ErrorIs(t, err, exec.ErrCapture)
	_, err = a.Sequence().Batch(t.Context())
	assert.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())

	mask, err := exec.NewArray[int32](device, 2)
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	_, err = a.Regenerate(t.Context(), mask)
	assert.ErrorIs(t, err, backend.ErrInvalid, "a mask of another length")

	require.NoError(t, tracks.Close())
	_, err = a.Generate(t.Context())
	assert.ErrorIs(t, err, backend.ErrClosed)
	require.NoError(t, a.Close())
	_, err = a.Generate(t.Context())
	assert.ErrorIs(t, err, backend.ErrClosed)
}

func TestAlongAllocatesNothing(t *testing.T) {
	device := openCPU(t)
	a, err := gate.NewAlong(device, hillyTracks(t, device, 32).Track(), alongConfig(0.4))
	require.NoError(t, err)
	defer func() { require.NoError(t, a.Close()) }()
	mask, err := exec.FromSlice(device, append([]int32{1}, make([]int32, 31)...))
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	ctx := t.Context()
	assert.Zero(t, testing.AllocsPerRun(5, func() {
		if _, err := a.Generate(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Regenerate(ctx, mask); err != nil {
			t.Fatal(err)
		}
	}))
}
