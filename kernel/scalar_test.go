package kernel_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/kernel"
)

func TestToInt32TruncatesAndSaturates(t *testing.T) {
	sampled(func(x float32) {
		want := int32(0)
		switch {
		case x != x:
		case float64(x) >= math.MaxInt32:
			want = math.MaxInt32
		case float64(x) <= math.MinInt32:
			want = math.MinInt32
		default:
			exact, _ := big.NewFloat(float64(x)).Int64()
			want = int32(exact)
		}
		if got := kernel.ToInt32(x); got != want {
			assert.Equal(t, want, got, "ToInt32(%v)", x)
		}
	})
}

func TestFloorIsThatOfMath(t *testing.T) {
	sampled(func(x float32) {
		want := math.Float32bits(float32(math.Floor(float64(x))))
		if got := math.Float32bits(kernel.Floor(x)); got != want && x == x {
			assert.Equal(t, want, got, "Floor(%v)", x)
		}
	})
	assert.True(t, kernel.IsNaN(kernel.Floor(kernel.NaN())))
}

// The exact root lies within half an ulp: the squares of the midpoints to the neighbours, exact in float64, enclose x.
func TestSqrtIsExactlyRounded(t *testing.T) {
	sampled(func(x float32) {
		r := kernel.Sqrt(x)
		switch {
		case x != x || x < 0:
			assert.True(t, r != r, "Sqrt(%v)", x)
		case x == 0 || math.IsInf(float64(x), 1):
			assert.Equal(t, math.Float32bits(x), math.Float32bits(r))
		default:
			below := (float64(r) + float64(math.Nextafter32(r, 0))) / 2
			above := (float64(r) + float64(math.Nextafter32(r, math.MaxFloat32))) / 2
			if below*below > float64(x) || above*above < float64(x) {
				assert.Fail(t, "wrong rounding", "Sqrt(%v) = %v", x, r)
			}
		}
	})
}

func TestSignsAndClasses(t *testing.T) {
	sampled(func(x float32) {
		b := math.Float32bits(x)
		wide := float64(x)
		if math.Float32bits(kernel.Abs(x)) != b&math.MaxInt32 ||
			kernel.IsNaN(x) != math.IsNaN(wide) ||
			kernel.IsFinite(x) != !(math.IsNaN(wide) || math.IsInf(wide, 0)) ||
			math.Float32bits(kernel.CopySign(x, -1)) != b|1<<31 ||
			math.Float32bits(kernel.CopySign(1, x)) != b&(1<<31)|0x3f800000 {
			assert.Fail(t, "wrong sign or class", "%#08x", b)
		}
	})
	assert.Equal(t, uint32(kernel.NaNBits), math.Float32bits(kernel.NaN()))
	assert.Equal(t, float32(math.Inf(1)), kernel.Inf())
}

func TestMinMaxClampWithNaNAndZeros(t *testing.T) {
	nan := kernel.NaN()
	negativeZero := float32(math.Copysign(0, -1))
	bits := math.Float32bits
	for _, c := range []struct {
		name      string
		got, want float32
	}{
		{"Min", kernel.Min(1, 2), 1},
		{"Min", kernel.Min(2, 1), 1},
		{"Min of a NaN and b", kernel.Min(nan, 1), 1},
		{"Min of a and NaN", kernel.Min(1, nan), nan},
		{"Min of zeros", kernel.Min(negativeZero, 0), 0},
		{"Max", kernel.Max(1, 2), 2},
		{"Max", kernel.Max(2, 1), 2},
		{"Max of a NaN and b", kernel.Max(nan, 1), 1},
		{"Max of a and NaN", kernel.Max(1, nan), nan},
		{"Max of zeros", kernel.Max(0, negativeZero), negativeZero},
		{"Clamp below", kernel.Clamp(-3, -1, 2), -1},
		{"Clamp above", kernel.Clamp(3, -1, 2), 2},
		{"Clamp inside", kernel.Clamp(0.5, -1, 2), 0.5},
		{"Clamp of a NaN", kernel.Clamp(nan, -1, 2), nan},
		{"Clamp of a zero", kernel.Clamp(negativeZero, 0, 1), negativeZero},
	} {
		assert.Equal(t, bits(c.want), bits(c.got), c.name)
	}
}
