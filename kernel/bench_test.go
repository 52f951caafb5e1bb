package kernel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/trackgen-go/trackgen/kernel"
)

// inputs returns 1024 numbers spread evenly over lo..hi.
func inputs(lo, hi float32) []float32 {
	random := rand.New(rand.NewPCG(1, 1))
	values := make([]float32, 1024)
	for i := range values {
		values[i] = lo + float32((hi-lo)*random.Float32())
	}
	return values
}

var sink float32

// benchmark reports the time of one call of f.
func benchmark(b *testing.B, lo, hi float32, f func(float32) float32) {
	values := inputs(lo, hi)
	var sum float32
	i := 0
	for b.Loop() {
		sum += f(values[i&1023])
		i++
	}
	sink = sum
}

func BenchmarkSin(b *testing.B) {
	b.Run("octant", func(b *testing.B) { benchmark(b, -0.78, 0.78, kernel.Sin) })
	b.Run("turn", func(b *testing.B) { benchmark(b, -7, 7, kernel.Sin) })
	b.Run("huge", func(b *testing.B) { benchmark(b, 1e10, 1e20, kernel.Sin) })
}

func BenchmarkCos(b *testing.B) { benchmark(b, -7, 7, kernel.Cos) }

func BenchmarkSincos(b *testing.B) {
	benchmark(b, -7, 7, func(x float32) float32 { s, c := kernel.Sincos(x); return s + c })
}

func BenchmarkAtan(b *testing.B) { benchmark(b, -4, 4, kernel.Atan) }

func BenchmarkAtan2(b *testing.B) {
	benchmark(b, -1, 1, func(x float32) float32 { return kernel.Atan2(x, 0.3-x) })
}

func BenchmarkExp(b *testing.B) { benchmark(b, -20, 20, kernel.Exp) }

func BenchmarkLog(b *testing.B) { benchmark(b, 0, 20, kernel.Log) }

func BenchmarkSqrt(b *testing.B) {
	benchmark(b, 0, 20, func(x float32) float32 { return kernel.Sqrt(x) })
}

func BenchmarkFloor(b *testing.B) {
	benchmark(b, -100, 100, func(x float32) float32 { return kernel.Floor(x) })
}

func BenchmarkToInt32(b *testing.B) {
	benchmark(b, -100, 100, func(x float32) float32 { return float32(kernel.ToInt32(x)) })
}

func BenchmarkClamp(b *testing.B) {
	benchmark(b, -2, 2, func(x float32) float32 { return kernel.Clamp(x, -1, 1) })
}

func BenchmarkTwoFloat(b *testing.B) {
	pair := kernel.TwoSum(1.1, 0x1.3p-26)
	b.Run("TwoSum", func(b *testing.B) {
		benchmark(b, -1, 1, func(x float32) float32 { return kernel.TwoSum(1, x).Lo })
	})
	b.Run("TwoProd", func(b *testing.B) {
		benchmark(b, -1, 1, func(x float32) float32 { return kernel.TwoProd(1.1, x).Lo })
	})
	b.Run("Add", func(b *testing.B) { benchmark(b, -1, 1, func(x float32) float32 { return pair.Add(x).Hi }) })
	b.Run("AddTwo", func(b *testing.B) {
		benchmark(b, -1, 1, func(x float32) float32 { return pair.AddTwo(kernel.TwoFloat{Hi: x}).Hi })
	})
	b.Run("Mul", func(b *testing.B) { benchmark(b, -1, 1, func(x float32) float32 { return pair.Mul(x).Hi }) })
	b.Run("MulTwo", func(b *testing.B) {
		benchmark(b, -1, 1, func(x float32) float32 { return pair.MulTwo(kernel.TwoFloat{Hi: x}).Hi })
	})
	b.Run("Div", func(b *testing.B) { benchmark(b, 1, 2, func(x float32) float32 { return pair.Div(x).Hi }) })
}

func BenchmarkHash(b *testing.B) {
	s := uint32(1)
	for b.Loop() {
		s = kernel.Hash(s)
	}
	sink = float32(s)
}

func BenchmarkRand(b *testing.B) {
	run := func(name string, draw func(kernel.Rand) (float32, kernel.Rand)) {
		b.Run(name, func(b *testing.B) {
			r := kernel.NewRand(1)
			var sum, x float32
			for b.Loop() {
				x, r = draw(r)
				sum += x
			}
			sink = sum
		})
	}
	run("Uniform", func(r kernel.Rand) (float32, kernel.Rand) { return r.Uniform() })
	run("Integer", func(r kernel.Rand) (float32, kernel.Rand) {
		k, r := r.Integer(0, 12)
		return float32(k), r
	})
	run("Normal", func(r kernel.Rand) (float32, kernel.Rand) { return r.Normal() })
}

func BenchmarkAtomicAdd(b *testing.B) {
	buffer := make([]int32, 1)
	for b.Loop() {
		kernel.AtomicAdd(buffer, 0, 1)
	}
}

func BenchmarkAtomicMax(b *testing.B) {
	buffer := make([]int32, 1)
	i := int32(0)
	for b.Loop() {
		kernel.AtomicMax(buffer, 0, i)
		i++
	}
}
