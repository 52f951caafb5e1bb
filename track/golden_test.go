package track_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// agreement has the largest difference of every env from the output of the reference system, in ascending order.
type agreement []float64

func (a agreement) quantile(q float64) float64 { return a[int(q*float64(len(a)-1))] }

// compareGolden compares a batch with the arrays of a file whose names begin with prefix, whose rows have stride points
// of the given number of components. Counts, validity and the direction must be equal. The result is about the
// centreline.
func compareGolden(t *testing.T, reference *npz.Reader, prefix string, components int, batch *track.Batch) agreement {
	t.Helper()
	assert.Equal(t, golden.Array[int32](t, reference, prefix+"count"), batch.Count)
	assert.Equal(t, golden.Array[int32](t, reference, prefix+"valid"), batch.Valid)
	assert.Equal(t, golden.Array[float32](t, reference, prefix+"winding"), batch.Winding)
	center := golden.Array[float32](t, reference, prefix+"center")
	stride := len(center) / components / batch.Envs
	var differences agreement
	for e := range batch.Envs {
		largest := 0.0
		for i, p := range batch.Points(batch.Center, e) {
			at := components * (e*stride + i)
			largest = max(largest, math.Abs(float64(p.X-center[at])), math.Abs(float64(p.Y-center[at+1])))
			if components == 3 {
				assert.Equal(t, center[at+2], p.Z)
			}
		}
		differences = append(differences, largest)
	}
	for e, want := range golden.Array[float32](t, reference, prefix+"length") {
		// The length of a polyline changes by two times the move of each point at most, and by far less if they move
		// together.
		assert.InDelta(t, want, batch.Length[e], 1e-5+8*differences[e], "length of env %d", e)
	}
	slices.Sort(differences)
	return differences
}

// TestGolden compares the first envs of every generator with the output of the reference system.
func TestGolden(t *testing.T) { // docs/spec/pipeline.md, section 14
	reference := golden.Open(t, "trackgen_e3.npz")
	for _, name := range track.Generators() {
		if name == track.Repulsive {
			continue // the file has none
		}
		t.Run(name, func(t *testing.T) {
			batch := generate(t, open(t), tracktest.Config(name, 3), track.WithSeed(1234))
			differences := compareGolden(t, reference, "track/"+name+"/", 2, batch)
			assert.LessOrEqual(t, differences[0], 3e-6, "the env that agrees best")
			assert.LessOrEqual(t, differences[2], 5e-3, "the env that agrees least")
		})
	}
}

// TestGoldenBatches compares 64 envs with the output of the reference system, all arrays env by env. The contact solver
// amplifies rounding: in some envs the reference itself moves by up to 0.15 when one input changes by an ulp. So most
// envs must agree closely, and the others about.
func TestGoldenBatches(t *testing.T) { // docs/spec/pipeline.md, section 14
	for _, name := range []string{track.Bezier, track.Voronoi} {
		t.Run(name, func(t *testing.T) {
			reference := golden.Open(t, "tracks_"+name+"_0.npz")
			batch := generate(t, open(t), tracktest.Config(name, 64), track.WithSeed(0))
			differences := compareGolden(t, reference, "", 3, batch)
			t.Logf("centreline: median %.2g, 75 %% %.2g, 90 %% %.2g, largest %.2g", differences.quantile(0.5),
				differences.quantile(0.75), differences.quantile(0.9), differences.quantile(1))
			assert.LessOrEqual(t, differences.quantile(0.5), 5e-6, "median")
			assert.LessOrEqual(t, differences.quantile(0.75), 1e-4, "75 %")
			assert.LessOrEqual(t, differences.quantile(1), 0.15, "largest")
			compareRoads(t, reference, batch)
		})
	}
}

// compareRoads compares the arrays of the road, given that of the centreline.
func compareRoads(t *testing.T, reference *npz.Reader, batch *track.Batch) {
	t.Helper()
	center := golden.Array[float32](t, reference, "center")
	stride := len(center) / 3 / batch.Envs
	arclen := golden.Array[float32](t, reference, "arclen")
	moves := make([]float64, batch.Envs)
	for e := range batch.Envs {
		for i, p := range batch.Points(batch.Center, e) {
			at := 3 * (e*stride + i)
			moves[e] = max(moves[e], math.Hypot(float64(p.X-center[at]), float64(p.Y-center[at+1])))
		}
	}
	for name, got := range map[string][]kernel.Vec3{"outer": batch.Outer, "inner": batch.Inner,
		"tangent": batch.Tangent, "normal": batch.Normal} {
		want := golden.Array[float32](t, reference, name)
		for e := range batch.Envs {
			most := 0.0
			for i, v := range batch.Points(got, e) {
				at := 3 * (e*stride + i)
				most = max(most, math.Hypot(float64(v.X-want[at]), float64(v.Y-want[at+1])),
					math.Abs(float64(v.Z-want[at+2])))
			}
			// A direction comes from points 0.12 apart.
			assert.LessOrEqual(t, most, 2e-6+2*moves[e]/0.11, "%s of env %d", name, e)
		}
	}
	for e := range batch.Envs {
		for i := range int(batch.Count[e]) {
			// Neighbours move together, so an arc length changes by less than twice as much as the points.
			assert.InDelta(t, arclen[e*stride+i], batch.Arclen[e*batch.NMax+i], 1e-5+2*moves[e],
				"arc length of env %d, point %d", e, i)
		}
	}
}

// TestGoldenSeeds compares tracks of seeds that were given one by one: negative ones, the ends of int32, one that
// comes twice.
func TestGoldenSeeds(t *testing.T) {
	reference := golden.Open(t, "seeds_bezier.npz")
	seeds := golden.Array[int32](t, reference, "seed")
	batch := generate(t, open(t), tracktest.Config(track.Bezier, len(seeds)), track.WithSeeds(seeds))
	differences := compareGolden(t, reference, "", 3, batch)
	t.Logf("centreline: median %.2g, largest %.2g", differences.quantile(0.5), differences.quantile(1))
	assert.LessOrEqual(t, differences.quantile(0.5), 5e-6, "median")
	assert.LessOrEqual(t, differences.quantile(1), 0.15, "largest")
}

// TestGoldenRepulsive compares repulsive tracks. Growing amplifies rounding, so the tracks are alike and not equal. In
// the reference a track depends on the others of its batch; this one ended between iterations 200 and 225, and the
// lengths are those of such a horizon. The default one makes them a little shorter (docs/spec/differences.md#horizon).
func TestGoldenRepulsive(t *testing.T) {
	reference := golden.Open(t, "tracks_repulsive_0.npz")
	for horizon, within := range map[int]float64{0: 0.01, 208: 0.004} {
		config := tracktest.Config(track.Repulsive, 16, func(c *track.Config) { c.Repulsive.Horizon = horizon })
		batch := generate(t, open(t), config, track.WithSeed(0))
		assert.Equal(t, golden.Array[float32](t, reference, "winding"), batch.Winding)
		assert.Equal(t, golden.Array[int32](t, reference, "valid"), batch.Valid)
		var ratios []float64
		for e, want := range golden.Array[float32](t, reference, "length") {
			ratios = append(ratios, float64(batch.Length[e]/want))
		}
		t.Logf("horizon %d: lengths, as parts of the reference's: %.3f", horizon, ratios)
		slices.Sort(ratios)
		assert.InDelta(t, 1, (ratios[7]+ratios[8])/2, within, "median with horizon %d", horizon)
		assert.InDelta(t, 1, ratios[0], 0.03)
		assert.InDelta(t, 1, ratios[15], 0.03)
	}
}

// generate makes a batch and copies it to host memory.
func generate(t testing.TB, device device, config track.Config, options ...track.Option) *track.Batch {
	t.Helper()
	generator, err := track.NewGenerator(device, config, options...)
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	result, err := generator.Generate(context.Background())
	require.NoError(t, err)
	batch, err := result.Batch(context.Background())
	require.NoError(t, err)
	return batch
}
