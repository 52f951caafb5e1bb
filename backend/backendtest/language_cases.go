package backendtest

import (
	"math/rand/v2"

	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/kernel"
)

// languageCases test what kernels are written in: the functions of package kernel on every kind of float, and the
// statements and scopes of the kernel language.
var languageCases = []testCase{
	{"language/functions", func(c *check) {
		n := int32(20_000)
		x, _ := c.floatPairs(int(n))
		for k := 10_000; k < 20_000; k++ {
			x[k] = float32(k-15_000) * 0.037 // the magnitude of typical angles, exponents and logarithms
		}
		buffers := [][]byte{bytesOf(x)}
		for range 10 {
			buffers = append(buffers, zeroBytes(n))
		}
		c.compare(launch{def: &kernels.FunctionsDef, n: n, buffers: buffers})
	}},
	{"language/functions of two", func(c *check) {
		n := int32(20_000)
		x, y := c.floatPairs(int(n))
		buffers := [][]byte{bytesOf(x), bytesOf(y)}
		for range 5 {
			buffers = append(buffers, zeroBytes(n))
		}
		for range 4 {
			buffers = append(buffers, zeroBytes(2*n))
		}
		c.compare(launch{def: &kernels.BinaryDef, n: n, buffers: buffers})
	}},
	{"language/zeros that compilers know", func(c *check) {
		n := int32(20_000)
		x, y := c.floatPairs(int(n))
		minusZero := kernel.Float32FromBits(0x80000000)
		copy(x, []float32{minusZero, 0, 1, minusZero, kernel.Inf()})
		copy(y, []float32{5, -5, kernel.Inf(), 3, 1})
		c.compare(launch{def: &kernels.KnownZerosDef, n: n, buffers: [][]byte{bytesOf(x), bytesOf(y), zeroBytes(13 * n)}})
	}},
	{"language/pairs of conversions", func(c *check) {
		n := int32(20_000)
		x, _ := intPairs(int(n))
		f, _ := c.floatPairs(int(n))
		copy(f, []float32{-0.5, 0.5, -0x1.fffffep-1, 0x1.fffffep30, -0x1.fffffep30, 0x1p31, -0x1p31, -0x1.000002p31})
		c.compare(launch{def: &kernels.ConversionsDef, n: n, buffers: [][]byte{bytesOf(x), bytesOf(f), zeroBytes(6 * n),
			zeroBytes(4 * n), zeroBytes(6 * n)}})
	}},
	{"language/vectors", func(c *check) {
		const n = 3000
		x, y := c.floatPairs(3 * n)
		a, b := valuesOf[kernel.Vec3](bytesOf(x)), valuesOf[kernel.Vec3](bytesOf(y))
		c.compare(launch{def: &kernels.VectorsDef, n: n,
			buffers: [][]byte{bytesOf(a), bytesOf(b), zeroBytes(3 * n), zeroBytes(3 * n), zeroBytes(4 * n), zeroBytes(2 * n)}})
	}},
	{"language/draws", func(c *check) {
		n := int32(5000)
		seeds, _ := intPairs(int(n))
		c.compare(launch{def: &kernels.DrawsDef, n: n,
			buffers: [][]byte{bytesOf(seeds), zeroBytes(n), zeroBytes(n), zeroBytes(n), zeroBytes(n)}})
	}},
	{"language/statements", func(c *check) {
		n := int32(20_000)
		x, _ := intPairs(int(n))
		for k := range 5000 {
			x[k] = int32(k) - 2500
		}
		c.compare(launch{def: &kernels.StatementsDef, n: n, buffers: [][]byte{bytesOf(x), zeroBytes(n), zeroBytes(n)}})
	}},
	{"language/group scope", func(c *check) {
		r := rand.New(rand.NewPCG(11, 11))
		const groups = 60
		for _, size := range []int32{1, 2, 95, 96, 97, 200} {
			limits, values := make([]int32, groups), make([]int32, groups*size)
			for i := range limits {
				limits[i] = int32(r.IntN(20_000)) - 100
			}
			for i := range values {
				values[i] = int32(r.Uint32())
			}
			c.compare(launch{def: &kernels.UniformDef, n: groups, scalars: []uint32{uint32(size)},
				buffers: [][]byte{bytesOf(limits), bytesOf(values), zeroBytes(groups * size), zeroBytes(2 * groups)}})
		}
	}},
}
