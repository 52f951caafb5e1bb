package kernel_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
)

// exact returns the value of x without rounding.
func exact(x ...float32) *big.Float {
	sum := new(big.Float).SetPrec(1024)
	for _, v := range x {
		sum.Add(sum, new(big.Float).SetPrec(1024).SetFloat64(float64(v)))
	}
	return sum
}

// drawFloat draws a sign, an exponent in lo..hi and a mantissa that is often short, all zeros or all ones.
func drawFloat(t *rapid.T, name string, lo, hi int) float32 {
	exponent := rapid.IntRange(lo, hi).Draw(t, name+" exponent")
	mantissa := rapid.Uint32Range(0, 1<<23-1).Draw(t, name+" mantissa")
	kept := rapid.Uint32Range(0, 23).Draw(t, name+" bits")
	mantissa &= ^uint32(0) << (23 - kept)
	if rapid.Bool().Draw(t, name+" ones") {
		mantissa |= 1<<(23-kept) - 1
	}
	sign := rapid.Uint32Range(0, 1).Draw(t, name+" sign")
	return math.Float32frombits(sign<<31 | uint32(exponent+127)<<23 | mantissa)
}

// drawTwoFloat draws a normalised pair, with Lo sometimes zero and sometimes far below Hi.
func drawTwoFloat(t *rapid.T, name string, lo, hi int) kernel.TwoFloat {
	x := drawFloat(t, name, lo, hi)
	if rapid.IntRange(0, 9).Draw(t, name+" short") == 0 {
		return kernel.TwoFloat{Hi: x}
	}
	exponent := int(math.Float32bits(x)>>23&255) - 127
	return kernel.TwoSum(x, drawFloat(t, name+" low", exponent-50, exponent-24))
}

// requireBound fails if got is not a normalised pair within bound * u^2 of want, relatively, with u = 2^-24.
func requireBound(t *rapid.T, want *big.Float, got kernel.TwoFloat, bound float64) {
	if got.Hi+got.Lo != got.Hi {
		t.Fatalf("%v is not normalised", got)
	}
	difference := new(big.Float).SetPrec(1024).Sub(exact(got.Hi, got.Lo), want)
	limit := new(big.Float).SetPrec(1024).Mul(new(big.Float).Abs(want), big.NewFloat(bound*0x1p-48))
	if difference.Abs(difference).Cmp(limit) > 0 {
		relative := new(big.Float).Quo(difference, new(big.Float).Abs(want))
		r, _ := relative.Float64()
		t.Fatalf("%v is off by %.3f u^2, allowed are %v", got, r*0x1p48, bound)
	}
}

func TestErrorFreeTransformationsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawFloat(t, "a", -120, 100), drawFloat(t, "b", -120, 100)
		requireBound(t, exact(a, b), kernel.TwoSum(a, b), 0)
		if kernel.Abs(a) < kernel.Abs(b) {
			a, b = b, a
		}
		requireBound(t, exact(a, b), kernel.QuickTwoSum(a, b), 0)
	})
	rapid.Check(t, func(t *rapid.T) {
		a := drawFloat(t, "a", -126, 126)
		exponent := int(math.Float32bits(a)>>23&255) - 127
		b := drawFloat(t, "b", max(-126, -100-exponent), min(126, 125-exponent))
		requireBound(t, new(big.Float).SetPrec(1024).Mul(exact(a), exact(b)), kernel.TwoProd(a, b), 0)
	})
}

func TestTwoFloatErrorsAreWithinTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := drawTwoFloat(t, "x", -20, 20), drawTwoFloat(t, "y", -20, 20)
		f := drawFloat(t, "f", -20, 20)
		wide, other := exact(x.Hi, x.Lo), exact(y.Hi, y.Lo)
		number := func() *big.Float { return new(big.Float).SetPrec(1024) }
		requireBound(t, number().Add(wide, exact(f)), x.Add(f), 2)
		requireBound(t, number().Sub(wide, exact(f)), x.Sub(f), 2)
		requireBound(t, number().Add(wide, other), x.AddTwo(y), 3.01)
		requireBound(t, number().Sub(wide, other), x.SubTwo(y), 3.01)
		requireBound(t, number().Mul(wide, exact(f)), x.Mul(f), 3)
		requireBound(t, number().Mul(wide, other), x.MulTwo(y), 7)
		requireBound(t, number().Quo(wide, exact(f)), x.Div(f), 3)
		nearest, _ := wide.Float32()
		if x.Float32() != nearest {
			t.Fatalf("Float32 of %v is %v, want %v", x, x.Float32(), nearest)
		}
	})
}

// What the pair is for: an arc length of many small steps, where a float32 sum drifts.
func TestTwoFloatSumDoesNotDrift(t *testing.T) {
	const n = 1_000_000
	step := float32(0.1)
	var sum kernel.TwoFloat
	var plain float32
	for range n {
		sum = sum.Add(step)
		plain += step
	}
	want := float64(step) * n
	assert.Equal(t, float32(want), sum.Float32())
	assert.Greater(t, math.Abs(float64(plain)-want), 100.0)
}
