package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/kernel"
)

// checksum is FNV-1a over 32-bit words.
type checksum uint64

func newChecksum() checksum { return 14695981039346656037 }

func (c *checksum) add(values ...float32) {
	for _, x := range values {
		*c = (*c ^ checksum(math.Float32bits(x))) * 1099511628211
	}
}

// The results are the same bits on every processor and at every GOAMD64. A changed checksum is a changed result: any
// track may change.
func TestBitsAreTheSameEverywhere(t *testing.T) {
	want := map[string]checksum{
		"Sin":      0x6ab21d0cd58c8075,
		"Cos":      0x3c546c87f3198919,
		"Exp":      0x2c02131fa5c0534f,
		"Log":      0xbad18b37f15ac8d4,
		"Atan":     0x4c856b0d479be0f1,
		"Atan2":    0xfa39a19c4a6e33b5,
		"TwoFloat": 0xc846991ec853fed,
		"Vec":      0xb4bf625d51b8331f,
		"Rand":     0xa8be5b66e53aac7b,
	}
	for _, f := range functions {
		sum := newChecksum()
		for b := uint64(0); b < 1<<32; b += 65521 {
			sum.add(f.kernel(math.Float32frombits(uint32(b))))
		}
		random := rand.New(rand.NewPCG(3, 4))
		for range 50_000 {
			sum.add(f.kernel(20 * (random.Float32() - 0.5)))
		}
		assert.Equal(t, want[f.name], sum, "%s: %#x", f.name, uint64(sum))
	}

	random := rand.New(rand.NewPCG(5, 6))
	angles, pairs, vectors := newChecksum(), newChecksum(), newChecksum()
	for range 100_000 {
		y, x := random.Float32()-0.5, random.Float32()-0.5
		anyY, anyX := math.Float32frombits(random.Uint32()), math.Float32frombits(random.Uint32())
		angles.add(kernel.Atan2(y, x), kernel.Atan2(anyY, anyX))
		two := kernel.TwoSum(x, float32(0x1p-24*y))
		for _, r := range []kernel.TwoFloat{two.Add(y), two.AddTwo(two.Mul(y)), two.MulTwo(two), two.Div(y)} {
			pairs.add(r.Hi, r.Lo)
		}
		a, b := kernel.V3(x, y, two.Hi+1), kernel.V3(y, 1-x, x+y)
		c := a.Cross(b)
		vectors.add(a.Dot(b), a.Len(), c.X, c.Y, c.Z, kernel.V2(x, y).Cross(kernel.V2(b.Y, b.Z)), kernel.V2(x, y).Len())
	}
	assert.Equal(t, want["Atan2"], angles, "Atan2: %#x", uint64(angles))
	assert.Equal(t, want["TwoFloat"], pairs, "TwoFloat: %#x", uint64(pairs))
	assert.Equal(t, want["Vec"], vectors, "Vec: %#x", uint64(vectors))

	normals := newChecksum()
	r := kernel.NewRand(1)
	for range 100_000 {
		var u, z float32
		u, r = r.Uniform()
		z, r = r.Normal()
		normals.add(u, z)
	}
	assert.Equal(t, want["Rand"], normals, "Rand: %#x", uint64(normals))
}
