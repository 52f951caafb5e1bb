package backendtest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/kernel"
)

// stampDef and incrementDef are for cases that need any kernel.
var (
	stampDef     = &kernels.StampDef
	incrementDef = &kernels.IncrementDef
	chainDef     = &kernels.ChainDef
	tallyDef     = &kernels.TallyDef
)

// zeroBytes returns the bytes of n 32-bit zeros.
func zeroBytes(n int32) []byte { return make([]byte, 4*int(n)) }

var launchCases = []testCase{
	{"launch/item counts", func(c *check) {
		for _, n := range counts {
			c.compare(launch{def: stampDef, n: n, buffers: [][]byte{zeroBytes(n)}, scalars: []uint32{100}})
		}
	}},
	{"launch/each item once", func(c *check) {
		for _, n := range counts {
			c.compare(launch{def: incrementDef, n: n, buffers: [][]byte{zeroBytes(n)}})
		}
	}},
	{"launch/fewer items than elements", func(c *check) {
		c.compare(launch{def: stampDef, n: 100, buffers: [][]byte{zeroBytes(1000)}, scalars: []uint32{7}})
	}},
	{"launch/hints change nothing", func(c *check) {
		for _, block := range []int32{0, 1, 32, 64, 256, 1024} {
			for _, maxBlocks := range []int32{0, 1, 2, 7} {
				c.compare(launch{def: incrementDef, n: 5000, buffers: [][]byte{zeroBytes(5000)}, block: block,
					maxBlocks: maxBlocks})
				c.compare(groupTotal(37, 200, block, maxBlocks))
			}
		}
	}},
	{"launch/addition", func(c *check) {
		x, y := c.floatPairs(5000)
		c.compare(launch{def: &kernels.AddDef, n: 5000, buffers: [][]byte{bytesOf(x), bytesOf(y), zeroBytes(5000)}})
	}},
	{"launch/float arithmetic", func(c *check) {
		n := int32(20_000)
		x, y := c.floatPairs(int(n))
		for _, scale := range []uint32{0x3f800001, 0x80000000, 0x00000003, 0x7f7fffff, 0xbeaaaaab, 0x7f800000} {
			if !c.device.Caps().Denormals && !farFromDenormals(scale) {
				continue
			}
			c.compare(launch{def: &kernels.ArithmeticDef, n: n, scalars: []uint32{scale},
				buffers: [][]byte{bytesOf(x), bytesOf(y), zeroBytes(n), zeroBytes(n), zeroBytes(n), zeroBytes(n)}})
		}
	}},
	{"launch/no contraction", func(c *check) {
		// (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 if the product is exact, and 0 if it is rounded first.
		one := float32(1 + 1.0/4096)
		x := []float32{one, ordinaryFloats(1)[0]}
		y := []float32{-(1 + 1.0/2048), 3}
		c.compare(launch{def: &kernels.ArithmeticDef, n: 2, scalars: []uint32{math.Float32bits(one)},
			buffers: [][]byte{bytesOf(x), bytesOf(y), zeroBytes(2), zeroBytes(2), zeroBytes(2), zeroBytes(2)}})
	}},
	{"launch/float comparisons", func(c *check) {
		x, y := c.floatPairs(5000)
		c.compare(launch{def: &kernels.CompareDef, n: 5000, buffers: [][]byte{bytesOf(x), bytesOf(y), zeroBytes(5000)}})
	}},
	{"launch/float bits survive", func(c *check) {
		n := len(hardFloats)
		from, to := c.array(bytesOf(hardFloats)), c.zeros(n)
		s := c.device.DefaultStream()
		c.ok(s.Launch(&kernels.MoveDef, backend.Launch{N: int32(n), Buffers: views([]array{from, to})}), "launch")
		got := valuesOf[uint32](c.read(to))
		for i, want := range hardFloats {
			c.that(got[i] == want, "the bits %#08x arrive as %#08x", want, got[i])
		}
	}},
	{"launch/packed vectors", func(c *check) {
		for _, n := range []int32{0, 1, 2, 3, 5, 64, 1001} {
			values := valuesOf[kernel.Vec3](bytesOf(ordinaryFloats(3 * int(n))))
			c.compare(launch{def: &kernels.Scale3Def, n: n, scalars: []uint32{math.Float32bits(1.0 / 3)},
				buffers: [][]byte{bytesOf(values), make([]byte, 12*n)}})
		}
	}},
	{"launch/integer arithmetic", func(c *check) {
		n := int32(20_000)
		x, y := intPairs(int(n))
		c.compare(launch{def: &kernels.IntegersDef, n: n,
			buffers: [][]byte{bytesOf(x), bytesOf(y), zeroBytes(n), zeroBytes(n), zeroBytes(n), zeroBytes(n), zeroBytes(n)}})
	}},
	{"launch/conversions", func(c *check) {
		n := int32(10_000)
		x, _ := c.floatPairs(int(n))
		y, _ := intPairs(int(n))
		c.compare(launch{def: &kernels.ConvertDef, n: n, buffers: [][]byte{bytesOf(x), bytesOf(y),
			zeroBytes(n), zeroBytes(n)}})
	}},
	{"launch/all parameter types", func(c *check) {
		const n = 777
		floats := func(k int) []byte { return bytesOf(ordinaryFloats(k * n)) }
		ints, _ := intPairs(n)
		c.compare(launch{def: &kernels.MixtureDef, n: n,
			scalars: []uint32{0xfffffff5, 0x9e3779b9, math.Float32bits(0.1)},
			buffers: [][]byte{floats(2), floats(4), floats(3), bytesOf(ints), bytesOf(ints), floats(1),
				zeroBytes(n), zeroBytes(n), zeroBytes(n), zeroBytes(2 * n), zeroBytes(3 * n), zeroBytes(4 * n)}})
	}},
	{"launch/group reduction", func(c *check) {
		for _, groups := range []int32{0, 1, 2, 63, 64, 65, 1000} {
			for _, size := range []int32{1, 31, 64, 255, 256} {
				c.compare(groupTotal(groups, size, 0, 0))
			}
		}
	}},
	{"launch/group phases", func(c *check) {
		const groups, stride = 70, 300
		r := rand.New(rand.NewPCG(3, 3))
		sizes := make([]int32, groups)
		for i := range sizes {
			sizes[i] = int32(r.IntN(stride + 1))
		}
		copy(sizes, []int32{0, 1, 2, 127, 128, 129, 300})
		for _, sweeps := range []uint32{0, 1, 2, 50} {
			c.compare(launch{def: &kernels.SmoothDef, n: groups, scalars: []uint32{sweeps, stride},
				buffers: [][]byte{bytesOf(sizes), bytesOf(ordinaryFloats(groups * stride)), zeroBytes(groups * stride)}})
		}
	}},
	{"launch/shared memory is zero", func(c *check) {
		c.compare(launch{def: &kernels.FreshDef, n: 500, buffers: [][]byte{zeroBytes(1000)}})
	}},
	{"launch/atomics", func(c *check) {
		for _, n := range []int32{0, 1, 33, 10_000, 300_000} {
			c.compare(launch{def: &kernels.TallyDef, n: n, buffers: [][]byte{bytesOf([]int32{-5, -1, 0})}})
		}
	}},
	{"launch/bound in memory", func(c *check) {
		const n, size = 300, 40
		for _, bound := range []int32{0, 1, 63, 64, 65, n, n + 1, -1, math.MinInt32, math.MaxInt32} {
			bounds := bytesOf([]int32{bound, 5})
			c.compare(launch{def: &kernels.FirstDef, n: n, buffers: [][]byte{bounds, zeroBytes(n)}})
			c.compare(launch{def: &kernels.FirstRowsDef, n: n, scalars: []uint32{size},
				buffers: [][]byte{bounds, zeroBytes(n * size)}})
		}
	}},
	{"launch/arguments are copied", func(c *check) {
		s, a, b := c.device.DefaultStream(), c.zeros(64), c.zeros(64)
		buffers, scalars := []backend.View{a.view}, []uint32{5}
		c.ok(s.Launch(stampDef, backend.Launch{N: 64, Buffers: buffers, Scalars: scalars}), "launch")
		buffers[0], scalars[0] = b.view, 9
		c.ok(s.Sync(), "sync")
		c.that(c.ints(a)[1] == 8 && c.ints(b)[1] == 0, "a launch sees arguments that change after the call")
	}},
	{"launch/no elements", func(c *check) {
		s, a := c.device.DefaultStream(), c.flag(3)
		for _, v := range []backend.View{{}, a.slice(0, 0), a.slice(4, 0)} {
			c.ok(s.Launch(stampDef, backend.Launch{N: 0, Buffers: []backend.View{v}, Scalars: []uint32{1}}),
				"launch over nothing")
		}
		c.ok(s.Sync(), "sync")
	}},
	{"launch/misuse", func(c *check) {
		s, a := c.device.DefaultStream(), c.zeros(16)
		one := []backend.View{a.view}
		scalar := []uint32{1}
		refused := func(doing string, def *kernel.Def, l backend.Launch) {
			c.refused(s.Launch(def, l), doing, backend.ErrInvalid)
		}
		refused("launch no kernel", nil, backend.Launch{})
		refused("launch without buffers", stampDef, backend.Launch{N: 1, Scalars: scalar})
		refused("launch without scalars", stampDef, backend.Launch{N: 1, Buffers: one})
		refused("launch with too many buffers", stampDef, backend.Launch{N: 1, Buffers: slices.Repeat(one, 17),
			Scalars: scalar})
		refused("launch with too many scalars", stampDef, backend.Launch{N: 1, Buffers: one, Scalars: make([]uint32, 31)})
		refused("launch with N < 0", stampDef, backend.Launch{N: -1, Buffers: one, Scalars: scalar})
		refused("launch with Block < 0", stampDef, backend.Launch{N: 1, Block: -1, Buffers: one, Scalars: scalar})
		refused("launch with MaxBlocks < 0", stampDef, backend.Launch{N: 1, MaxBlocks: math.MinInt32, Buffers: one,
			Scalars: scalar})
		refused("launch with no buffer", stampDef, backend.Launch{N: 1, Buffers: []backend.View{{Bytes: 4}}, Scalars: scalar})
		refused("launch with half an element", &kernels.Scale3Def,
			backend.Launch{N: 1, Buffers: []backend.View{a.slice(0, 16), a.slice(16, 24)}, Scalars: scalar})
		refused("launch with an odd offset", stampDef, backend.Launch{N: 1, Scalars: scalar,
			Buffers: []backend.View{{Buffer: a.view.Buffer, Offset: 2, Bytes: 4}}})
		c.refused(s.Launch(&kernel.Def{Name: "backendtest.empty"}, backend.Launch{}), "launch a kernel without code",
			backend.ErrUnsupported)
		c.ok(s.Sync(), "sync")
		for i, value := range c.ints(a) {
			c.that(value == 0, "a refused launch has changed element %d", i)
		}
	}},
}

// groupTotal is a launch that adds size values in each group.
func groupTotal(groups, size, block, maxBlocks int32) launch {
	return launch{def: &kernels.TotalDef, n: groups, scalars: []uint32{uint32(size)}, block: block, maxBlocks: maxBlocks,
		buffers: [][]byte{bytesOf(ordinaryFloats(int(groups * size))), zeroBytes(groups)}}
}
