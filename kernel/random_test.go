package kernel_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
)

// The vectors were computed with arbitrary-precision integers from the definition; Hash(0) is the published one.
func TestHashVectors(t *testing.T) {
	for s, want := range map[uint32]uint32{
		0:          129708002,
		1:          0xa8beea3c,
		2:          0x7a7ecc88,
		1234:       0x6c7ab28b,
		0x7fffffff: 0xe99f49ce,
		0x80000000: 0x21c72646,
		0xdeadbeef: 0x67299972,
		0xffffffff: 0xe62a4902,
	} {
		assert.Equal(t, want, kernel.Hash(s), "Hash(%#x)", s)
	}
}

func TestStreamVectors(t *testing.T) {
	for _, c := range []struct {
		seed    int32
		uniform []float32
		integer []int32 // of -5..12
		normal  []float64
	}{
		{0, []float32{0x1.85f018p-3, 0x1.ff76dp-2, 0x1.1a649p-1, 0x1.b6ff98p-3}, []int32{3, 2, 6, -2, 2, 4},
			[]float64{-1.8213255, 0.2422859, -1.2546741}},
		{42, []float32{0x1.4c08ep-1, 0x1.dd5e76p-1, 0x1.58d1aap-1, 0x1.b566acp-1}, []int32{2, 12, 2, -5, 0, -4},
			[]float64{0.8478932, 0.5418739, 1.0904060}},
		{-1, []float32{0x1.fe414p-2, 0x1.b6ebb2p-1, 0x1.940b16p-1, 0x1.ab7ab8p-2}, []int32{10, 9, 8, 11, 8, 5},
			[]float64{0.7366282, -0.5976982, 1.3226387}},
	} {
		r := kernel.NewRand(c.seed)
		for i, want := range c.uniform {
			var got float32
			got, r = r.Uniform()
			assert.Equal(t, want, got, "seed %d, uniform draw %d", c.seed, i)
		}
		r = kernel.NewRand(c.seed)
		for i, want := range c.integer {
			var got int32
			got, r = r.Integer(-5, 13)
			assert.Equal(t, want, got, "seed %d, integer draw %d", c.seed, i)
		}
		r = kernel.NewRand(c.seed)
		for i, want := range c.normal {
			var got float32
			got, r = r.Normal()
			assert.InDelta(t, want, got, 1e-6, "seed %d, normal draw %d", c.seed, i)
		}
	}
}

func TestDrawsStayInTheirRanges(t *testing.T) {
	assert.Equal(t, float32(0), kernel.Uniform(0))
	assert.Equal(t, float32(1-0x1p-24), kernel.Uniform(math.MaxUint32))
	rapid.Check(t, func(t *rapid.T) {
		r := kernel.Rand{State: rapid.Uint32().Draw(t, "state")}
		lo, hi := rapid.Int32().Draw(t, "lo"), rapid.Int32().Draw(t, "hi")
		u, afterUniform := r.Uniform()
		k, afterInteger := r.Integer(lo, hi)
		z, afterNormal := r.Normal()
		assert.True(t, 0 <= u && u < 1, "uniform %v", u)
		if lo < hi {
			assert.True(t, lo <= k && k < hi, "integer %d of %d..%d", k, lo, hi)
		} else {
			assert.Equal(t, lo, k)
		}
		assert.Equal(t, afterUniform, afterInteger)
		_, second := afterUniform.Uniform()
		assert.Equal(t, second, afterNormal)
		assert.True(t, kernel.Abs(z) < 6, "normal %v", z)
	})
}

func TestNormalMoments(t *testing.T) {
	const n = 1 << 18
	r := kernel.NewRand(7)
	var sum, squares float64
	for range n {
		var z float32
		z, r = r.Normal()
		sum += float64(z)
		squares += float64(z) * float64(z)
	}
	assert.InDelta(t, 0, sum/n, 4/math.Sqrt(n))
	assert.InDelta(t, 1, squares/n, 4*math.Sqrt2/math.Sqrt(n))
}
