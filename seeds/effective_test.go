package seeds_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/seeds"
)

// R105, R106, D1: frozen values, computed from the formula by another program
func TestEffectiveSeedVectors(t *testing.T) {
	for _, v := range []struct{ seed, epoch, want int32 }{
		{0, 0, 0},
		{-5, 0, -5},
		{0, 1, 1542991246},
		{1, 1, 169491249},
		{0, 2, 1087172624},
		{1234, 1, 257105221},
		{1234, 2, 1397956273},
		{-1, 1, 463465045},
		{-1, -1, 440648983},
		{math.MaxInt32, math.MaxInt32, 42275102},
		{math.MinInt32, math.MinInt32, 25964545},
		{math.MinInt32, 1, 1026082649},
		{42, 1000000, 1561895978},
	} {
		assert.Equal(t, v.want, seeds.EffectiveSeed(v.seed, v.epoch), "seed %d, epoch %d", v.seed, v.epoch)
	}
}

func TestEffectiveSeedProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, epoch := rapid.Int32().Draw(t, "seed"), rapid.Int32().Draw(t, "epoch")
		effective := seeds.EffectiveSeed(seed, epoch)
		require.Equal(t, seed, seeds.EffectiveSeed(seed, 0), "R105: epoch 0 is the seed itself")
		require.Equal(t, effective, seeds.EffectiveSeed(effective, 0), "R110")
		if epoch != 0 {
			require.GreaterOrEqual(t, effective, int32(0), "R108")
		}
	})
}

func TestEffectiveSeedEqualsKernels(t *testing.T) { // R111
	device := openCPU(t)
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(rt, "envs")
		draw := func(label string) []int32 {
			return rapid.SliceOfN(rapid.OneOf(rapid.Int32(), rapid.SampledFrom([]int32{0, 0, 1, math.MaxInt32, math.MinInt32})),
				n, n).Draw(rt, label)
		}
		values, epochs, mask, before := draw("seeds"), draw("epochs"), draw("mask"), draw("before")
		s, err := seeds.New(device, n, seeds.Options{Values: values})
		require.NoError(rt, err)
		defer func() { require.NoError(rt, s.Close()) }()
		require.NoError(rt, s.Epoch().Write(t.Context(), epochs))

		out, masks := newArray(t, device, before...), newArray(t, device, mask...)
		lc, err := s.Context(t.Context(), nil)
		require.NoError(rt, err)
		s.EffectiveMasked(lc, out, masks)
		require.NoError(rt, lc.Err())
		got := read(t, out)
		for i := range n {
			want := before[i] // R109: the others stay unchanged
			if mask[i] != 0 {
				want = seeds.EffectiveSeed(values[i], epochs[i])
			}
			require.Equal(rt, want, got[i])
		}
		s.Effective(lc, out)
		require.NoError(rt, lc.Err())
		for i, v := range read(t, out) {
			require.Equal(rt, seeds.EffectiveSeed(values[i], epochs[i]), v)
		}
	})
}

func TestCandidateSeedVectors(t *testing.T) { // frozen values, computed from the formula by another program
	for _, v := range []struct{ effective, candidate, want int32 }{
		{0, 0, 0},
		{-5, 0, -5},
		{0, 1, 1400253332},
		{0, 2, 659807528},
		{1234, 1, 443175319},
		{1234, 3, 976916441},
		{-1, 63, 1842645549},
		{math.MaxInt32, 1, 14518656},
		{math.MinInt32, 2, 722768700},
	} {
		assert.Equal(t, v.want, seeds.CandidateSeed(v.effective, v.candidate), "%+v", v)
	}
}
