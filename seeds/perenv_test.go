package seeds_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/seeds"
)

// Frozen values, computed from the formula by another program.
func TestUniformVectors(t *testing.T) { // docs/spec/pipeline.md, section 1
	device := openCPU(t)
	r := newPerEnv(t, device, 3, seeds.Options{Values: []int32{0, 7, -1}})
	out := newArray(t, device, repeat[float32](0, 12)...)
	do(t, device, func(lc *exec.LaunchContext) { r.Uniform(lc, out, 0, 1, seeds.Samples{Rows: 2, Columns: 2}) })
	assert.Equal(t, []float32{
		0.19039934873580933, 0.3686981797218323, 0.23230332136154175, 0.9395436644554138,
		0.5025464296340942, 0.6542201042175293, 0.8584161400794983, 0.2155124545097351,
		0.49829578399658203, 0.024372339248657227, 0.4597276449203491, 0.2202281355857849,
	}, read(t, out))
}

// An env's numbers depend on its seed and its own earlier draws, not on the shape, the other envs or the workers.
func TestDrawsAreOneSequencePerEnv(t *testing.T) {
	device := openCPU(t, backend.Workers(2))
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Int32().Draw(rt, "seed")
		sizes := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 4).Draw(rt, "sizes")
		total := 0
		for _, size := range sizes {
			total += size
		}
		reference := newPerEnv(t, device, 1, seeds.Options{Values: []int32{seed}})
		want := newArray(t, device, repeat[float32](0, total)...)
		do(t, device, func(lc *exec.LaunchContext) { reference.Uniform(lc, want, 0, 1, seeds.Samples{Columns: total}) })

		crowd := newPerEnv(t, device, 3, seeds.Options{Values: []int32{5, seed, 6}})
		var got []float32
		for i, size := range sizes {
			if i%2 == 0 { // this env alone
				part := newArray(t, device, repeat[float32](0, size)...)
				ids := newArray(t, device, int32(1))
				do(t, device, func(lc *exec.LaunchContext) { crowd.Uniform(lc, part, 0, 1, seeds.Samples{Rows: size, IDs: ids}) })
				got = append(got, read(t, part)...)
			} else { // all envs
				part := newArray(t, device, repeat[float32](0, 3*size)...)
				do(t, device, func(lc *exec.LaunchContext) { crowd.Uniform(lc, part, 0, 1, seeds.Samples{Rows: size}) })
				got = append(got, read(t, part)[size:2*size]...)
			}
		}
		require.Equal(rt, read(t, want), got)
	})
}

func TestDrawByIDs(t *testing.T) {
	device := openCPU(t)
	r := newPerEnv(t, device, 4, seeds.Options{})
	all := newArray(t, device, repeat[float32](0, 8)...)
	do(t, device, func(lc *exec.LaunchContext) { r.Uniform(lc, all, 0, 1, seeds.Samples{Rows: 2}) })
	want := read(t, all)

	do(t, device, r.Restart)
	out := newArray(t, device, repeat[float32](-9, 5)...)
	ids := newArray(t, device, int32(3), math.MinInt32, 1, 4, 3)
	do(t, device, func(lc *exec.LaunchContext) { r.Uniform(lc, out, 0, 1, seeds.Samples{IDs: ids}) })
	assert.Equal(t, []float32{want[6], -9, want[2], -9, want[6]}, read(t, out), "unknown ids leave their part unchanged")

	next := newArray(t, device, repeat[float32](0, 4)...)
	do(t, device, func(lc *exec.LaunchContext) { r.Uniform(lc, next, 0, 1, seeds.Samples{}) })
	got := read(t, next)
	assert.Equal(t, []float32{want[0], want[3]}, got[:2], "env 0 has not drawn, env 1 once")
	assert.NotContains(t, want, got[3], "env 3 was listed twice and advanced twice")
}

func TestSetSeedsRestartsStreams(t *testing.T) { // R117, D20
	device := openCPU(t)
	draw := func(r *seeds.PerEnv) []float32 {
		out := newArray(t, device, repeat[float32](0, r.Envs())...)
		do(t, device, func(lc *exec.LaunchContext) { r.Uniform(lc, out, 0, 1, seeds.Samples{}) })
		return read(t, out)
	}
	want := draw(newPerEnv(t, device, 3, seeds.Options{Values: []int32{40, 50, 60}}))
	r := newPerEnv(t, device, 3, seeds.Options{})
	draw(r)
	do(t, device, func(lc *exec.LaunchContext) { r.SetSeeds(lc, newArray(t, device, int32(40), 50, 60)) })
	assert.Equal(t, want, draw(r))

	bound := newArray(t, device, int32(0), 50, 0)
	r = newPerEnv(t, device, 3, seeds.Options{Bind: bound})
	do(t, device, func(lc *exec.LaunchContext) {
		r.SetSeedsIDs(lc, newArray(t, device, int32(0), 2, 2, 99), newArray(t, device, int32(40), 1, 60, 3))
	})
	assert.Equal(t, want, draw(r))
	assert.Equal(t, []int32{40, 50, 60}, read(t, bound), "R117: bound seeds are written in place")

	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { r.SetSeeds(lc, exec.Array[int32]{}) }), "values")
	requireArgError(t, emit(t, device, func(lc *exec.LaunchContext) { r.SetSeedsIDs(lc, bound, exec.Array[int32]{}) }),
		"values")
}

func TestStateBindsSeedsOfPerEnv(t *testing.T) { // R101
	device := openCPU(t)
	r := newPerEnv(t, device, 2, seeds.Options{})
	s := newState(t, device, 2, seeds.Options{Bind: r.Seed()})
	do(t, device, func(lc *exec.LaunchContext) { r.SetSeeds(lc, newArray(t, device, int32(8), 9)) })
	assert.Equal(t, []int32{8, 9}, read(t, s.Seed()))
}

func TestReplayDrawsAnew(t *testing.T) {
	device := openCPU(t)
	r := newPerEnv(t, device, 2, seeds.Options{})
	out := newArray(t, device, float32(0), 0)
	stream := device.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	do(t, device, func(lc *exec.LaunchContext) { r.Uniform(lc, out, 0, 1, seeds.Samples{}) })
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	require.NoError(t, stream.Replay(graph))
	first := read(t, out)
	require.NoError(t, stream.Replay(graph))
	assert.NotEqual(t, first, read(t, out))
}

// moments returns mean and variance.
func moments[T int32 | float32](values []T) (mean, variance float64) {
	for _, v := range values {
		mean += float64(v)
	}
	mean /= float64(len(values))
	for _, v := range values {
		variance += (float64(v) - mean) * (float64(v) - mean)
	}
	return mean, variance / float64(len(values))
}

// The distributions are tested on a fixed sample, so that the test cannot fail by chance.
func TestDistributions(t *testing.T) {
	device := openCPU(t)
	const envs, per = 64, 1000
	r := newPerEnv(t, device, envs, seeds.Options{Base: 1})
	floats, ints := newArray(t, device, repeat[float32](0, envs*per)...),
		newArray(t, device, repeat[int32](0, envs*per)...)
	samples := seeds.Samples{Rows: per}
	// near requires the moments within 5 standard errors; that of the variance assumes the given kurtosis.
	near := func(t *testing.T, mean, variance, wantMean, wantVariance, kurtosis float64) {
		t.Helper()
		n := float64(envs * per)
		assert.InDelta(t, wantMean, mean, 5*math.Sqrt(wantVariance/n))
		assert.InDelta(t, wantVariance, variance, 5*wantVariance*math.Sqrt((kurtosis-1)/n))
	}

	t.Run("uniform", func(t *testing.T) {
		do(t, device, func(lc *exec.LaunchContext) { r.Uniform(lc, floats, -2, 4, samples) })
		values := read(t, floats)
		for _, v := range values {
			require.True(t, v >= -2 && v < 4)
		}
		mean, variance := moments(values)
		near(t, mean, variance, 1, 3, 1.8)
	})
	t.Run("integer", func(t *testing.T) {
		do(t, device, func(lc *exec.LaunchContext) { r.Integer(lc, ints, -3, 4, samples) })
		counts := map[int32]int{}
		for _, v := range read(t, ints) {
			counts[v]++
		}
		require.Len(t, counts, 7)
		for v := int32(-3); v < 4; v++ {
			assert.InDelta(t, envs*per/7, counts[v], 500, "%d", v)
		}
	})
	t.Run("integer over the whole range", func(t *testing.T) {
		do(t, device, func(lc *exec.LaunchContext) { r.Integer(lc, ints, math.MinInt32, math.MaxInt32, samples) })
		mean, variance := moments(read(t, ints))
		near(t, mean, variance, -0.5, math.Pow(2, 64)/12, 1.8)
	})
	t.Run("sign", func(t *testing.T) {
		do(t, device, r.Restart)
		do(t, device, func(lc *exec.LaunchContext) { r.SignInt(lc, ints, samples) })
		do(t, device, r.Restart)
		do(t, device, func(lc *exec.LaunchContext) { r.SignFloat(lc, floats, samples) })
		signs := read(t, floats)
		for i, v := range read(t, ints) {
			require.True(t, v == 1 || v == -1)
			require.Equal(t, float32(v), signs[i])
		}
		mean, _ := moments(signs)
		assert.InDelta(t, 0, mean, 5/math.Sqrt(envs*per))
	})
	t.Run("normal", func(t *testing.T) {
		do(t, device, func(lc *exec.LaunchContext) { r.Normal(lc, floats, 10, 2, samples) })
		mean, variance := moments(read(t, floats))
		near(t, mean, variance, 10, 4, 3)
		do(t, device, func(lc *exec.LaunchContext) { r.Normal(lc, floats, 10, 0, samples) })
		assert.Equal(t, repeat[float32](10, envs*per), read(t, floats))
	})
	for _, lambda := range []float32{0.125, 1, 9.9, 10, 30, 1000, seeds.MaxPoissonMean} {
		t.Run("poisson", func(t *testing.T) {
			do(t, device, func(lc *exec.LaunchContext) { r.Poisson(lc, ints, lambda, samples) })
			values := read(t, ints)
			zeros := 0
			for _, v := range values {
				require.GreaterOrEqual(t, v, int32(0))
				if v == 0 {
					zeros++
				}
			}
			l := float64(lambda)
			mean, variance := moments(values)
			near(t, mean, variance, l, l, 3+1/l)
			p := math.Exp(-l)
			assert.InDelta(t, p, float64(zeros)/(envs*per), 5*math.Sqrt(p/(envs*per))+1e-9)
		})
	}
	t.Run("poisson of mean 0", func(t *testing.T) {
		do(t, device, func(lc *exec.LaunchContext) { r.Poisson(lc, ints, 0, samples) })
		assert.Equal(t, make([]int32, envs*per), read(t, ints))
	})
	t.Run("quaternion", func(t *testing.T) {
		quats := newArray(t, device, repeat(kernel.Quat{}, envs*per)...)
		do(t, device, func(lc *exec.LaunchContext) { r.Quaternion(lc, quats, samples) })
		var upright []float32 // z component of the rotated z axis: uniform in [-1, 1] for uniform rotations
		for _, q := range read(t, quats) {
			norm := float64(q.X)*float64(q.X) + float64(q.Y)*float64(q.Y) + float64(q.Z)*float64(q.Z) + float64(q.W)*float64(q.W)
			require.InDelta(t, 1, norm, 1e-6)
			upright = append(upright, 1-2*(q.X*q.X+q.Y*q.Y))
		}
		mean, variance := moments(upright)
		near(t, mean, variance, 0, 1.0/3, 1.8)
	})
}

// The probability of each value, for means on both sides of the one at which Poisson changes its algorithm.
func TestPoissonProbabilities(t *testing.T) {
	device := openCPU(t)
	const envs, per = 64, 2000
	r := newPerEnv(t, device, envs, seeds.Options{Base: 77})
	out := newArray(t, device, repeat[int32](0, envs*per)...)
	for _, lambda := range []float32{3, 9.5, 10.5, 25} {
		do(t, device, func(lc *exec.LaunchContext) { r.Poisson(lc, out, lambda, seeds.Samples{Rows: per}) })
		counts := map[int32]float64{}
		for _, v := range read(t, out) {
			counts[v]++
		}
		const n = envs * per
		p := math.Exp(-float64(lambda))
		for k := int32(0); k < 60; k++ {
			assert.InDelta(t, n*p, counts[k], 5*math.Sqrt(n*p)+1, "lambda %v, k %d", lambda, k)
			p *= float64(lambda) / float64(k+1)
		}
	}
}

func TestDrawsRefuse(t *testing.T) {
	device, other := openCPU(t), openCPU(t)
	r := newPerEnv(t, device, 2, seeds.Options{})
	floats, ints := newArray(t, device, float32(5), 5), newArray(t, device, int32(5), 5)
	quats := newArray(t, device, kernel.Quat{})
	elsewhere := newArray(t, other, float32(5), 5)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	uniform := func(low, high float32) exec.Enqueue {
		return func(lc *exec.LaunchContext) { r.Uniform(lc, floats, low, high, seeds.Samples{}) }
	}
	shaped := func(samples seeds.Samples) exec.Enqueue {
		return func(lc *exec.LaunchContext) { r.Uniform(lc, floats, 0, 1, samples) }
	}
	tests := []struct {
		name string
		arg  string
		emit exec.Enqueue
	}{
		{"reversed range", "range", uniform(1, 0)},
		{"not a number", "range", uniform(nan, 1)},
		{"infinite", "range", uniform(0, inf)},
		{"difference overflows", "range", uniform(-math.MaxFloat32, math.MaxFloat32)},
		{"empty integer range", "range", func(lc *exec.LaunchContext) { r.Integer(lc, ints, 3, 3, seeds.Samples{}) }},
		{"mean", "mean", func(lc *exec.LaunchContext) { r.Normal(lc, floats, inf, 1, seeds.Samples{}) }},
		{"negative deviation", "deviation", func(lc *exec.LaunchContext) { r.Normal(lc, floats, 0, -1, seeds.Samples{}) }},
		{"deviation", "deviation", func(lc *exec.LaunchContext) { r.Normal(lc, floats, 0, nan, seeds.Samples{}) }},
		{"negative poisson mean", "mean", func(lc *exec.LaunchContext) { r.Poisson(lc, ints, -1, seeds.Samples{}) }},
		{"poisson mean", "mean", func(lc *exec.LaunchContext) { r.Poisson(lc, ints, nan, seeds.Samples{}) }},
		{"large poisson mean", "mean",
			func(lc *exec.LaunchContext) { r.Poisson(lc, ints, seeds.MaxPoissonMean+1, seeds.Samples{}) }},
		{"negative rows", "Rows", shaped(seeds.Samples{Rows: -1})},
		{"huge columns", "Columns", shaped(seeds.Samples{Columns: math.MaxInt})},
		{"too many samples", "number of samples", shaped(seeds.Samples{Rows: math.MaxInt32, Columns: 1})},
		{"product overflows", "number of samples", shaped(seeds.Samples{Rows: math.MaxInt32, Columns: math.MaxInt32})},
		{"product overflows for no env", "number of samples",
			shaped(seeds.Samples{Rows: math.MaxInt32, Columns: 2, IDs: newArray[int32](t, device)})},
		{"output too short", "out length", shaped(seeds.Samples{Rows: 2})},
		{"zero output", "out", func(lc *exec.LaunchContext) { r.SignFloat(lc, exec.Array[float32]{}, seeds.Samples{}) }},
		{"quaternion output", "out length", func(lc *exec.LaunchContext) { r.Quaternion(lc, quats, seeds.Samples{}) }},
		{"ids are the output", "out", func(lc *exec.LaunchContext) { r.SignInt(lc, ints, seeds.Samples{IDs: ints}) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			requireArgError(t, emit(t, device, test.emit), test.arg)
		})
	}
	require.ErrorIs(t, emit(t, device, func(lc *exec.LaunchContext) { r.SignFloat(lc, elsewhere, seeds.Samples{}) }),
		exec.ErrDeviceMismatch)
	require.ErrorIs(t, emit(t, device, func(lc *exec.LaunchContext) {
		r.SignFloat(lc, floats, seeds.Samples{IDs: newArray(t, other, int32(0), 1)})
	}), exec.ErrDeviceMismatch)
	r.Uniform(nil, floats, 0, 1, seeds.Samples{})
	assert.Equal(t, []float32{5, 5}, read(t, floats))
	assert.Equal(t, []int32{5, 5}, read(t, ints))
}

func BenchmarkUniform(b *testing.B) {
	device := openCPU(b)
	r := newPerEnv(b, device, 4096, seeds.Options{})
	out := newArray(b, device, repeat[float32](0, 4096*16)...)
	lc, err := r.Context(b.Context(), nil)
	require.NoError(b, err)
	b.SetBytes(4096 * 16 * 4)
	b.ReportAllocs()
	for b.Loop() {
		r.Uniform(lc, out, 0, 1, seeds.Samples{Rows: 16})
	}
	require.NoError(b, lc.Err())
}
