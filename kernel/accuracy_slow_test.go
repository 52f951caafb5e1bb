//go:build slow

package kernel_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// worstOf runs search over [0, n) in one share for each processor and returns the worst error with its place.
func worstOf(n uint64, search func(lo, hi uint64) (float64, uint64)) (worst float64, where uint64) {
	shares := uint64(runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	var mutex sync.Mutex
	for i := range shares {
		wait.Go(func() {
			e, at := search(n*i/shares, n*(i+1)/shares)
			mutex.Lock()
			defer mutex.Unlock()
			if e > worst {
				worst, where = e, at
			}
		})
	}
	wait.Wait()
	return worst, where
}

// Every float32 there is.
func TestExhaustiveErrors(t *testing.T) {
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			worst, where := worstOf(1<<32, func(lo, hi uint64) (worst float64, where uint64) {
				for b := lo; b < hi; b++ {
					x := math.Float32frombits(uint32(b))
					if e := ulpError(f.kernel(x), f.reference(float64(x))); e > worst {
						worst, where = e, b
					}
				}
				return worst, where
			})
			t.Logf("worst error %.5f ulp at %#08x (%v)", worst, where, math.Float32frombits(uint32(where)))
			assert.LessOrEqual(t, worst, f.worst)
			assert.Greater(t, worst, f.worst-0.001, "the stated error is too pessimistic")
		})
	}
}

func TestExhaustiveSincos(t *testing.T) {
	differing, where := worstOf(1<<32, func(lo, hi uint64) (float64, uint64) {
		for b := lo; b < hi; b++ {
			if sincosDiffers(math.Float32frombits(uint32(b))) {
				return 1, b
			}
		}
		return 0, 0
	})
	assert.Zero(t, differing, "Sincos differs from Sin and Cos at %#08x", where)
}

// The points have all pairs of exponents and signs with random mantissas, and then ratios from 2^-16 to 1 in all
// directions, half of them near 1/2, where the argument of the polynomial is largest.
func TestAtan2Errors(t *testing.T) {
	pairs, where := worstOf(512*512, func(lo, hi uint64) (worst float64, where uint64) {
		random := rand.New(rand.NewPCG(lo, hi))
		for pair := lo; pair < hi; pair++ {
			for range 1000 {
				m := random.Uint64()
				y := math.Float32frombits(uint32(pair&511)<<23 | uint32(m)&0x7fffff)
				x := math.Float32frombits(uint32(pair>>9)<<23 | uint32(m>>32)&0x7fffff)
				if e := atan2Error(y, x); e > worst {
					worst, where = e, pair
				}
			}
		}
		return worst, where
	})
	ratioExponent := func(i uint64) float64 {
		if i&1 == 0 {
			return -16 * float64(i) / (1 << 20)
		}
		return -0.95 - 0.1*float64(i)/(1<<20)
	}
	near, at := worstOf(1<<20, func(lo, hi uint64) (worst float64, where uint64) {
		random := rand.New(rand.NewPCG(hi, lo))
		for i := lo; i < hi; i++ {
			ratio := math.Exp2(ratioExponent(i))
			for range 500 {
				x := math.Float32frombits(uint32(random.Uint64())&0x807fffff | 0x3f800000)
				y := float32(ratio * float64(x))
				if random.Uint64()&1 != 0 {
					x, y = y, x
				}
				if e := atan2Error(y, x); e > worst {
					worst, where = e, i
				}
			}
		}
		return worst, where
	})
	t.Logf("worst error %.5f ulp (exponents %#x), %.5f ulp (ratio 2^%.3f)", pairs, where, near, ratioExponent(at))
	assert.LessOrEqual(t, max(pairs, near), worstAtan2)
	assert.Greater(t, max(pairs, near), worstAtan2-0.04, "the stated error is too pessimistic")
}
