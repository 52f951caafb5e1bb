package track_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npz"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/golden"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/elevation"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
)

// goldenHills is the base seed of the tracks with hills of the reference system.
const goldenHills = 1234

// hillsOfReference turns a configuration of the reference system, as JSON, into one of this package.
func hillsOfReference(t *testing.T, text string, envs int) track.Config {
	t.Helper()
	c := track.DefaultConfig()
	c.NumEnvs = envs
	golden.Configure(t, &c, text, track.FieldOfReference, track.FieldNamed)
	return c
}

// TestGoldenElevation compares tracks with hills with the output of the reference system.
func TestGoldenElevation(t *testing.T) { // docs/spec/course.md, C-10 to C-15
	reference := golden.Open(t, "elevation_bezier.npz")
	device := open(t)
	cases := 0
	for _, key := range reference.Keys() {
		if prefix, isConfig := strings.CutSuffix(key, "config.npy"); isConfig {
			cases++
			t.Run(strings.TrimSuffix(prefix, "/"), func(t *testing.T) { compareHills(t, device, reference, prefix) })
		}
	}
	assert.Equal(t, 8, cases)
}

// compareHills compares one case. The relaxation moves a few lines, so each value may differ by what the move of the
// line explains.
func compareHills(t *testing.T, device backend.Device, reference *npz.Reader, prefix string) {
	var text string
	require.NoError(t, reference.Read(prefix+"config.npy", &text))
	count := golden.Array[int32](t, reference, prefix+"count")
	config := hillsOfReference(t, text, len(count))
	generator, err := track.NewGenerator(device, config, track.WithSeed(goldenHills))
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	batch, err := generator.Track().Batch(t.Context())
	require.NoError(t, err)
	require.NoError(t, batch.CheckNumbers())
	assert.Equal(t, count, batch.Count)
	assert.Equal(t, golden.Array[int32](t, reference, prefix+"valid"), batch.Valid)

	center := golden.Array[float32](t, reference, prefix+"center")
	stride := len(center) / 3 / batch.Envs
	knots := knotsOf(t, generator, reference, prefix)
	moves := make([]float64, batch.Envs)
	for e := range moves {
		for i, p := range batch.Points(batch.Center, e) {
			at := 3 * (e*stride + i)
			moves[e] = max(moves[e], math.Hypot(float64(p.X-center[at]), float64(p.Y-center[at+1])))
		}
	}
	assert.LessOrEqual(t, medianOf(moves), 1e-5, "the lines in plan view")
	steepest := golden.Array[float32](t, reference, prefix+"max_abs_grade")
	length := golden.Array[float32](t, reference, prefix+"length")
	arclen := golden.Array[float32](t, reference, prefix+"arclen")
	lines := map[string][]kernel.Vec3{"outer": batch.Outer, "center": batch.Center, "inner": batch.Inner}
	for e, move := range moves {
		slope := 1 + float64(steepest[e])
		for k, pair := range knots[e] {
			assert.InDelta(t, pair[0], pair[1], 1e-6+4*move*slope, "knot %d of env %d", k, e)
		}
		for name, line := range lines {
			want := golden.Array[float32](t, reference, prefix+name)
			for i, p := range batch.Points(line, e) {
				assert.InDelta(t, want[3*(e*stride+i)+2], p.Z, 2e-5+2*move*slope, "z of %s, env %d, point %d", name, e, i)
			}
		}
		tangent := golden.Array[float32](t, reference, prefix+"tangent")
		for i, v := range batch.Points(batch.Tangent, e) {
			at := 3 * (e*stride + i)
			for axis, got := range []float32{v.X, v.Y, v.Z} {
				assert.InDelta(t, tangent[at+axis], got, 5e-5+4*move*slope/0.11, "tangent of env %d, point %d", e, i)
			}
			assert.InDelta(t, arclen[e*stride+i], batch.Arclen[e*batch.NMax+i], 2e-5+4*move*slope, "arclen of env %d", e)
		}
		assert.InDelta(t, length[e], batch.Length[e], 2e-5+8*move*slope, "length of env %d", e)
	}
}

// knotsOf returns the heights of the knots of each env: those of the reference system and those of a generator. The
// other profiles than uniform and random_walk have none.
func knotsOf(t *testing.T, generator *track.Generator, reference *npz.Reader, prefix string) [][][2]float32 {
	t.Helper()
	config := generator.Config()
	pairs := make([][][2]float32, config.NumEnvs)
	if config.Elevation.Profile != "uniform" && config.Elevation.Profile != "random_walk" {
		return pairs
	}
	array, err := pipeline.ArrayOf[float32](generator.Program(), "knots")
	require.NoError(t, err)
	got, err := array.Read(t.Context())
	require.NoError(t, err)
	want := golden.Array[float32](t, reference, prefix+"knot_z")
	require.Len(t, got, len(want))
	for i := range want {
		e := i / config.Elevation.ControlPoints
		pairs[e] = append(pairs[e], [2]float32{want[i], got[i]})
	}
	return pairs
}

func medianOf(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// TestGoldenHeights puts the lines of the reference system into the formulas, so that the relaxation has no effect: the
// knots agree within 1e-6 and the heights within 2e-5.
func TestGoldenHeights(t *testing.T) { // docs/spec/course.md, C-10 and C-12
	reference := golden.Open(t, "elevation_bezier.npz")
	compared := 0
	for _, key := range reference.Keys() {
		prefix, isConfig := strings.CutSuffix(key, "config.npy")
		if !isConfig {
			continue
		}
		var text string
		require.NoError(t, reference.Read(key, &text))
		count := golden.Array[int32](t, reference, prefix+"count")
		center := golden.Array[float32](t, reference, prefix+"center")
		c := hillsOfReference(t, text, len(count))
		var knots []float32
		if slices.Contains(reference.Keys(), prefix+"knot_z.npy") {
			knots = golden.Array[float32](t, reference, prefix+"knot_z")
		}
		for e := range c.NumEnvs {
			row := center[len(center)/c.NumEnvs*e:]
			z, knot := heightsOn(c, int32(goldenHills+e), row, int(count[e]))
			if n := c.Elevation.ControlPoints; knots != nil {
				for k := range knot {
					require.InDelta(t, knots[e*n+k], knot[k], 1e-6, "%sknot %d of env %d", prefix, k, e)
				}
			}
			for i := range z {
				require.InDelta(t, row[3*i+2], z[i], 2e-5, "%senv %d, point %d", prefix, e, i)
				compared++
			}
		}
	}
	assert.Greater(t, compared, 8*16*40)
}

// heightsOn returns the heights of the first n points of a row, and of the knots, by the formulas of the kernels.
func heightsOn(c track.Config, seed int32, row []float32, n int) (z, knot []float32) {
	profile := int32(slices.Index([]string{"flat", "uniform", "random_walk", "noise"}, c.Elevation.Profile))
	low, high, level := float32(c.Elevation.Min), float32(c.Elevation.Max), float32(c.Road.Height)
	amplitude, harmonics := float32(c.Elevation.NoiseAmplitude), int32(c.Elevation.NoiseHarmonics)
	arc, around := planArcs(row, n)
	z = make([]float32, n)
	if profile == elevation.Flat || profile == elevation.Noise {
		for i := range z {
			z[i] = elevation.Height(seed, profile, int32(i), int32(n), 0, arc, around, nil, level, low, high, amplitude,
				harmonics)
		}
		return z, nil
	}
	knots := int32(c.Elevation.ControlPoints)
	knotArc, walk, knot := make([]float32, knots), make([]float32, knots), make([]float32, knots)
	for k := range knotArc {
		knotArc[k] = float32(float32(k)*around) / float32(knots)
	}
	elevation.Walk(seed, knots, 0, knotArc, float32(c.Elevation.MaxStep), walk)
	for k := range knot {
		knot[k] = elevation.Height(seed, profile, int32(k), knots, 0, knotArc, around, walk, level, low, high, amplitude,
			harmonics)
	}
	for i, at := range arc {
		z[i] = elevation.HeightBetween(knots, 0, knot, at, around)
	}
	return z, knot
}

// planArcs returns the arc length before each of the first n points of a row, and the length around, in plan view.
func planArcs(row []float32, n int) (arc []float32, around float32) {
	sum := 0.0
	for i := range n {
		arc = append(arc, float32(sum))
		j := (i + 1) % n
		sum += math.Hypot(float64(row[3*j]-row[3*i]), float64(row[3*j+1]-row[3*i+1]))
	}
	return arc, float32(sum)
}
