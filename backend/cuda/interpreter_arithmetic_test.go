//go:build cgo && linux

package cuda

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// operands returns values of a width in bits: those at the edges of types, floats of all kinds, and random ones.
func operands(width int, r *rand.Rand) uint64 {
	edges := []uint64{0, 1, 2, 31, 32, 33, 63, 64, 65, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
		0xffffffff, 0xfffffffe, 1 << 32, math.MaxInt64, 1 << 63, math.MaxUint64}
	floats := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 1.5, 2.5, -2.5, 0.1, 3e9, -3e9, 5e9, 2147483648, 1e-40,
		-1e-40, math.SmallestNonzeroFloat32, math.MaxFloat32, 0x1p-126, 0x1.fffffep-127, float32(math.Inf(1)),
		float32(math.Inf(-1)), float32(math.NaN())}
	var value uint64
	switch r.IntN(3) {
	case 0:
		value = edges[r.IntN(len(edges))]
	case 1:
		value = uint64(math.Float32bits(floats[r.IntN(len(floats))]))
	default:
		value = r.Uint64() >> r.IntN(64)
	}
	if width < 64 {
		value &= 1<<width - 1
	}
	return value
}

// canonicalNaN is every NaN that PTX computes.
const canonicalNaN = 0x7fffffff

func float(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }

func fromFloat(x float32) uint64 {
	if x != x {
		return canonicalNaN
	}
	return uint64(math.Float32bits(x))
}

// flushed is what .ftz makes of a float.
func flushed(bits uint64) uint64 {
	if bits&0x7f800000 == 0 {
		return bits & 0x80000000
	}
	return bits
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// minMax is min.f32, or max.f32 of the negated operands.
func minMax(a, b uint64, less func(x, y float32) bool, zeros func(a, b uint64) uint64) uint64 {
	x, y := float(a), float(b)
	switch {
	case x != x && y != y:
		return canonicalNaN
	case x != x:
		return b
	case y != y:
		return a
	case x == y:
		return zeros(a, b)
	case less(x, y):
		return a
	}
	return b
}

// signed returns the value of the low bits as a signed integer.
func signed(value uint64, width int) int64 { return int64(value<<(64-width)) >> (64 - width) }

// wanted returns the result of an instruction, from the manual of PTX and not from the interpreter. It reports false
// for operands for which the result is not defined.
type wanted func(a, b, c uint64) (uint64, bool)

func always(f func(a, b, c uint64) uint64) wanted {
	return func(a, b, c uint64) (uint64, bool) { return f(a, b, c), true }
}

// instruction is an instruction with a register of each width, as in ptx_arithmetic.cc: the result, then the sources.
type instruction struct {
	opcode, widths string
	want           wanted
}

func floatInstructions() []instruction {
	unary := func(f func(x float32) float32) wanted {
		return always(func(a, _, _ uint64) uint64 { return fromFloat(f(float(a))) })
	}
	binary := func(f func(x, y float32) float32) wanted {
		return always(func(a, b, _ uint64) uint64 { return fromFloat(f(float(a), float(b))) })
	}
	flushedBinary := func(f func(x, y float32) float32) wanted {
		return always(func(a, b, _ uint64) uint64 { return flushed(fromFloat(f(float(flushed(a)), float(flushed(b))))) })
	}
	add := func(x, y float32) float32 { return x + y }
	mul := func(x, y float32) float32 { return x * y }
	div := func(x, y float32) float32 { return x / y }
	root := func(x float32) float32 { return float32(math.Sqrt(float64(x))) }
	all := []instruction{
		{"add.rn.f32", "W,WW", binary(add)},
		{"sub.rn.f32", "W,WW", binary(func(x, y float32) float32 { return x - y })},
		{"mul.rn.f32", "W,WW", binary(mul)},
		{"div.rn.f32", "W,WW", binary(div)},
		{"rcp.rn.f32", "W,W", unary(func(x float32) float32 { return 1 / x })},
		{"sqrt.rn.f32", "W,W", unary(root)},
		{"add.rn.ftz.f32", "W,WW", flushedBinary(add)},
		{"mul.rn.ftz.f32", "W,WW", flushedBinary(mul)},
		{"div.rn.ftz.f32", "W,WW", flushedBinary(div)},
		{"abs.f32", "W,W", always(func(a, _, _ uint64) uint64 { return a &^ 0x80000000 })},
		{"neg.f32", "W,W", always(func(a, _, _ uint64) uint64 { return a ^ 0x80000000 })},
		{"min.f32", "W,WW", always(func(a, b, _ uint64) uint64 {
			return minMax(a, b, func(x, y float32) bool { return x < y }, func(a, b uint64) uint64 { return a | b })
		})},
		{"max.f32", "W,WW", always(func(a, b, _ uint64) uint64 {
			return minMax(a, b, func(x, y float32) bool { return x > y }, func(a, b uint64) uint64 { return a & b })
		})},
		{"cvt.rni.f32.f32", "W,W", unary(func(x float32) float32 { return float32(math.RoundToEven(float64(x))) })},
		{"cvt.rzi.f32.f32", "W,W", unary(func(x float32) float32 { return float32(math.Trunc(float64(x))) })},
		{"cvt.rmi.f32.f32", "W,W", unary(func(x float32) float32 { return float32(math.Floor(float64(x))) })},
		{"cvt.rpi.f32.f32", "W,W", unary(func(x float32) float32 { return float32(math.Ceil(float64(x))) })},
		{"fma.rn.f32", "W,WWW", always(func(a, b, c uint64) uint64 {
			return fromFloat(fused(float(a), float(b), float(c)))
		})},
	}
	for name, holds := range map[string]func(x, y float32) bool{
		"lt": func(x, y float32) bool { return x < y }, "le": func(x, y float32) bool { return x <= y },
		"gt": func(x, y float32) bool { return x > y }, "ge": func(x, y float32) bool { return x >= y },
		"eq": func(x, y float32) bool { return x == y }, "ne": func(x, y float32) bool { return x < y || x > y },
		"ltu": func(x, y float32) bool { return !(x >= y) }, "leu": func(x, y float32) bool { return !(x > y) },
		"gtu": func(x, y float32) bool { return !(x <= y) }, "geu": func(x, y float32) bool { return !(x < y) },
		"equ": func(x, y float32) bool { return !(x < y || x > y) }, "neu": func(x, y float32) bool { return x != y },
		"num": func(x, y float32) bool { return x == x && y == y },
		"nan": func(x, y float32) bool { return x != x || y != y },
	} {
		all = append(all, instruction{"setp." + name + ".f32", "P,WW", always(func(a, b, _ uint64) uint64 {
			return truth(holds(float(a), float(b)))
		})})
	}
	return all
}

// fused returns x*y+z, rounded once. The product is exact in float64; the sum is rounded to odd there, so that rounding
// it again to float32 is right (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
func fused(x, y, z float32) float32 {
	product := float64(x) * float64(y)
	sum := product + float64(z)
	if math.IsInf(sum, 0) || sum != sum {
		return float32(sum)
	}
	bb := sum - product
	low := (product - (sum - bb)) + (float64(z) - bb)
	if b := math.Float64bits(sum); low != 0 && b&1 == 0 {
		if (low > 0) == (sum > 0) {
			b++
		} else {
			b--
		}
		sum = math.Float64frombits(b)
	}
	return float32(sum)
}

// divided returns a quotient or a remainder, of integers of a width.
func divided(width int, isSigned, remainder bool) wanted {
	mask := uint64(math.MaxUint64) >> (64 - width)
	return func(a, b, _ uint64) (uint64, bool) {
		if b == 0 {
			return 0, false
		}
		q, r := a/b, a%b
		if isSigned {
			q, r = uint64(signed(a, width)/signed(b, width))&mask, uint64(signed(a, width)%signed(b, width))&mask
		}
		if remainder {
			return r, true
		}
		return q, true
	}
}

// integerInstructions returns the instructions for integers of a width, signed or not.
func integerInstructions(width int, isSigned bool) []instruction {
	letter, prefix := map[int]string{16: "H", 32: "W", 64: "D"}[width], "u"
	mask := uint64(math.MaxUint64) >> (64 - width)
	if isSigned {
		prefix = "s"
	}
	suffix := fmt.Sprintf(".%s%d", prefix, width)
	less := func(a, b uint64) bool {
		if isSigned {
			return signed(a, width) < signed(b, width)
		}
		return a < b
	}
	two, compare := letter+","+letter+letter, "P,"+letter+letter
	choose := func(first func(a, b uint64) bool) wanted {
		return always(func(a, b, _ uint64) uint64 {
			if first(a, b) {
				return a
			}
			return b
		})
	}
	holds := func(f func(a, b uint64) bool) wanted {
		return always(func(a, b, _ uint64) uint64 { return truth(f(a, b)) })
	}
	return []instruction{
		{"add" + suffix, two, always(func(a, b, _ uint64) uint64 { return (a + b) & mask })},
		{"sub" + suffix, two, always(func(a, b, _ uint64) uint64 { return (a - b) & mask })},
		{"mul.lo" + suffix, two, always(func(a, b, _ uint64) uint64 { return a * b & mask })},
		{"mad.lo" + suffix, two + letter, always(func(a, b, c uint64) uint64 { return (a*b + c) & mask })},
		{"div" + suffix, two, divided(width, isSigned, false)},
		{"rem" + suffix, two, divided(width, isSigned, true)},
		{"min" + suffix, two, choose(less)},
		{"max" + suffix, two, choose(func(a, b uint64) bool { return less(b, a) })},
		{"setp.lt" + suffix, compare, holds(less)},
		{"setp.le" + suffix, compare, holds(func(a, b uint64) bool { return !less(b, a) })},
		{"setp.gt" + suffix, compare, holds(func(a, b uint64) bool { return less(b, a) })},
		{"setp.ge" + suffix, compare, holds(func(a, b uint64) bool { return !less(a, b) })},
		{"setp.eq" + suffix, compare, holds(func(a, b uint64) bool { return a == b })},
		{"setp.ne" + suffix, compare, holds(func(a, b uint64) bool { return a != b })},
		{"shr" + suffix, letter + "," + letter + "W", always(func(a, n, _ uint64) uint64 {
			if isSigned {
				return uint64(signed(a, width)>>min(n, 63)) & mask
			}
			return a >> n
		})},
	}
}

// productInstructions returns products whose results have another width, and signs.
func productInstructions() []instruction {
	return []instruction{
		{"mul.hi.u32", "W,WW", always(func(a, b, _ uint64) uint64 { return a * b >> 32 })},
		{"mul.hi.u64", "D,DD", always(func(a, b, _ uint64) uint64 {
			high, _ := bits.Mul64(a, b)
			return high
		})},
		{"mul.hi.s64", "D,DD", always(func(a, b, _ uint64) uint64 {
			product := new(big.Int).Mul(big.NewInt(int64(a)), big.NewInt(int64(b)))
			return uint64(product.Rsh(product, 64).Int64())
		})},
		{"mul.hi.s32", "W,WW", always(func(a, b, _ uint64) uint64 {
			return uint64(signed(a, 32)*signed(b, 32)) >> 32
		})},
		{"mul.wide.u32", "D,WW", always(func(a, b, _ uint64) uint64 { return a * b })},
		{"mul.wide.s32", "D,WW", always(func(a, b, _ uint64) uint64 { return uint64(signed(a, 32) * signed(b, 32)) })},
		{"mul.hi.u16", "H,HH", always(func(a, b, _ uint64) uint64 { return a * b >> 16 })},
		{"mul.hi.s16", "H,HH", always(func(a, b, _ uint64) uint64 {
			return uint64(signed(a, 16)*signed(b, 16)) >> 16 & 0xffff
		})},
		{"mul.wide.u16", "W,HH", always(func(a, b, _ uint64) uint64 { return a * b })},
		{"mul.wide.s16", "W,HH", always(func(a, b, _ uint64) uint64 {
			return uint64(signed(a, 16)*signed(b, 16)) & 0xffffffff
		})},
		{"mad.wide.u16", "W,HHW", always(func(a, b, c uint64) uint64 { return (a*b + c) & 0xffffffff })},
		{"mad.wide.s16", "W,HHW", always(func(a, b, c uint64) uint64 {
			return (uint64(signed(a, 16)*signed(b, 16)) + c) & 0xffffffff
		})},
		{"mad.lo.s16", "H,HHH", always(func(a, b, c uint64) uint64 { return (a*b + c) & 0xffff })},
		{"abs.s16", "H,H", always(func(a, _, _ uint64) uint64 {
			return uint64(max(signed(a, 16), -signed(a, 16))) & 0xffff
		})},
		{"mad.wide.u32", "D,WWD", always(func(a, b, c uint64) uint64 { return a*b + c })},
		{"abs.s32", "W,W", always(func(a, _, _ uint64) uint64 {
			return uint64(max(signed(a, 32), -signed(a, 32))) & 0xffffffff
		})},
		{"neg.s32", "W,W", always(func(a, _, _ uint64) uint64 { return -a & 0xffffffff })},
	}
}

// bitInstructions returns the instructions for bits, selections and predicates that exist for one width.
func bitInstructions() []instruction {
	return []instruction{
		{"setp.eq.b16", "P,HH", always(func(a, b, _ uint64) uint64 { return truth(a == b) })},
		{"setp.ne.b16", "P,HH", always(func(a, b, _ uint64) uint64 { return truth(a != b) })},
		{"popc.b32", "W,W", always(func(a, _, _ uint64) uint64 { return uint64(bits.OnesCount64(a)) })},
		{"clz.b32", "W,W", always(func(a, _, _ uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a))) })},
		{"shf.l.wrap.b32", "W,WWW", always(func(a, b, n uint64) uint64 { return (b<<32 | a) << (n & 31) >> 32 })},
		{"shf.r.wrap.b32", "W,WWW", always(func(a, b, n uint64) uint64 { return (b<<32 | a) >> (n & 31) & 0xffffffff })},
		{"bfe.u32", "W,WWW", always(func(a, at, n uint64) uint64 {
			return a >> (at & 255) & (1<<min(n&255, 32) - 1)
		})},
		{"bfe.s32", "W,WWW", always(func(a, at, n uint64) uint64 { return signedField(a, at&255, n&255, 32) })},
		{"bfe.s64", "D,DWW", always(func(a, at, n uint64) uint64 { return signedField(a, at&255, n&255, 64) })},
		{"bfe.u64", "D,DWW", always(func(a, at, n uint64) uint64 { return a >> (at & 255) & (1<<(n&255) - 1) })},
		{"prmt.b32", "W,WWW", always(func(a, b, s uint64) (out uint64) {
			for k := range 4 {
				selector := s >> (4 * k)
				value := (b<<32 | a) >> (8 * (selector & 7)) & 255
				if selector&8 != 0 {
					value = 255 * (value >> 7)
				}
				out |= value << (8 * k)
			}
			return out
		})},
		{"selp.b32", "W,WWP", always(func(a, b, p uint64) uint64 { return p*a + (1-p)*b })},
		{"selp.b64", "D,DDP", always(func(a, b, p uint64) uint64 { return p*a + (1-p)*b })},
		{"and.pred", "P,PP", always(func(a, b, _ uint64) uint64 { return a & b })},
		{"or.pred", "P,PP", always(func(a, b, _ uint64) uint64 { return a | b })},
		{"xor.pred", "P,PP", always(func(a, b, _ uint64) uint64 { return a ^ b })},
		{"not.pred", "P,P", always(func(a, _, _ uint64) uint64 { return 1 - a })},
		{"mov.pred", "P,P", always(func(a, _, _ uint64) uint64 { return a })},
	}
}

// signedField returns n bits of a value of a width, from bit at on. The bits beyond are the highest that is taken.
func signedField(a, at, n, width uint64) (out uint64) {
	if n == 0 {
		return 0
	}
	for k := range width {
		out |= (a >> min(width-1, at+min(k, n-1)) & 1) << k
	}
	return out
}

// widthInstructions returns the instructions for bits that exist for each width.
func widthInstructions() (all []instruction) {
	for letter, width := range map[string]int{"H": 16, "W": 32, "D": 64} {
		mask := uint64(math.MaxUint64) >> (64 - width)
		two := letter + "," + letter + letter
		suffix := fmt.Sprintf(".b%d", width)
		all = append(all,
			instruction{"and" + suffix, two, always(func(a, b, _ uint64) uint64 { return a & b })},
			instruction{"or" + suffix, two, always(func(a, b, _ uint64) uint64 { return a | b })},
			instruction{"xor" + suffix, two, always(func(a, b, _ uint64) uint64 { return a ^ b })},
			instruction{"not" + suffix, letter + "," + letter, always(func(a, _, _ uint64) uint64 { return ^a & mask })},
			instruction{"mov" + suffix, letter + "," + letter, always(func(a, _, _ uint64) uint64 { return a })},
			instruction{"shl" + suffix, letter + "," + letter + "W",
				always(func(a, n, _ uint64) uint64 { return a << n & mask })})
	}
	return all
}

// halfInstructions returns the instructions for integers of 16 bits.
func halfInstructions() (all []instruction) {
	const mask = 0xffff
	all = append(all,
		instruction{"add.s16", "H,HH", always(func(a, b, _ uint64) uint64 { return (a + b) & mask })},
		instruction{"sub.s16", "H,HH", always(func(a, b, _ uint64) uint64 { return (a - b) & mask })},
		instruction{"mul.lo.s16", "H,HH", always(func(a, b, _ uint64) uint64 { return a * b & mask })},
		instruction{"shr.u16", "H,HW", always(func(a, n, _ uint64) uint64 { return a >> n })},
		instruction{"neg.s16", "H,H", always(func(a, _, _ uint64) uint64 { return -a & mask })})
	for _, i := range append(integerInstructions(16, false), integerInstructions(16, true)...) {
		switch operation, _, _ := strings.Cut(i.opcode, "."); operation {
		case "div", "rem", "min", "max", "shr", "setp":
			all = append(all, i)
		}
	}
	return all
}

func conversions() []instruction {
	// round returns a float, rounded to an integer, as an integer of 32 bits.
	round := func(f func(float64) float64, low, high float64) wanted {
		return always(func(a, _, _ uint64) uint64 {
			x := float64(float(a))
			if x != x {
				return 0
			}
			return uint64(int64(max(low, min(high, f(x))))) & 0xffffffff
		})
	}
	all := []instruction{
		{"cvt.rn.f32.s32", "W,W", always(func(a, _, _ uint64) uint64 { return fromFloat(float32(int32(a))) })},
		{"cvt.rn.f32.u32", "W,W", always(func(a, _, _ uint64) uint64 { return fromFloat(float32(uint32(a))) })},
		{"cvt.rn.f32.s64", "W,D", always(func(a, _, _ uint64) uint64 { return fromFloat(float32(int64(a))) })},
		{"cvt.rn.f32.u64", "W,D", always(func(a, _, _ uint64) uint64 { return fromFloat(float32(a)) })},
		{"cvt.u32.u64", "W,D", always(func(a, _, _ uint64) uint64 { return a & 0xffffffff })},
		{"cvt.u64.u32", "D,W", always(func(a, _, _ uint64) uint64 { return a })},
		{"cvt.s64.s32", "D,W", always(func(a, _, _ uint64) uint64 { return uint64(signed(a, 32)) })},
		{"cvt.u64.u32", "D,D", always(func(a, _, _ uint64) uint64 { return a & 0xffffffff })},
		{"cvt.s64.s32", "D,D", always(func(a, _, _ uint64) uint64 { return uint64(signed(a, 32)) })},
		{"cvt.u32.u16", "W,H", always(func(a, _, _ uint64) uint64 { return a })},
		{"cvt.s32.s16", "W,H", always(func(a, _, _ uint64) uint64 { return uint64(signed(a, 16)) & 0xffffffff })},
		{"cvt.u16.u32", "H,W", always(func(a, _, _ uint64) uint64 { return a & 0xffff })},
		{"cvt.u16.u64", "H,D", always(func(a, _, _ uint64) uint64 { return a & 0xffff })},
	}
	for from, source := range map[int]string{16: "H", 32: "W", 64: "D"} {
		for _, sign := range []string{"u", "s"} {
			all = append(all,
				instruction{fmt.Sprintf("cvt.u8.%s%d", sign, from), "H," + source,
					always(func(a, _, _ uint64) uint64 { return a & 0xff })},
				instruction{fmt.Sprintf("cvt.s8.%s%d", sign, from), "H," + source,
					always(func(a, _, _ uint64) uint64 { return uint64(signed(a, 8)) & 0xffff })})
		}
	}
	for _, bits := range []int{8, 16} {
		all = append(all,
			instruction{fmt.Sprintf("cvt.rn.f32.u%d", bits), "W,H",
				always(func(a, _, _ uint64) uint64 { return fromFloat(float32(a & (1<<bits - 1))) })},
			instruction{fmt.Sprintf("cvt.rn.f32.s%d", bits), "W,H",
				always(func(a, _, _ uint64) uint64 { return fromFloat(float32(signed(a, bits))) })})
	}
	// A register may be wider than the type of what is converted.
	for result, to := range map[string]int{"H": 16, "W": 32, "D": 64} {
		for source, bits := range map[string]int{"H": 16, "W": 32, "D": 64} {
			for _, from := range []int{8, 16, 32} {
				if from > bits || from > to || source != "D" && from == 32 {
					continue
				}
				widths, mask := result+","+source, uint64(math.MaxUint64)>>(64-to)
				all = append(all,
					instruction{fmt.Sprintf("cvt.u%d.u%d", to, from), widths, always(func(a, _, _ uint64) uint64 {
						return a & (1<<from - 1)
					})},
					instruction{fmt.Sprintf("cvt.s%d.s%d", to, from), widths, always(func(a, _, _ uint64) uint64 {
						return uint64(signed(a, from)) & mask
					})})
			}
		}
	}
	for name, f := range map[string]func(float64) float64{
		"rni": math.RoundToEven, "rzi": math.Trunc, "rmi": math.Floor, "rpi": math.Ceil,
	} {
		all = append(all,
			instruction{"cvt." + name + ".s32.f32", "W,W", round(f, math.MinInt32, math.MaxInt32)},
			instruction{"cvt." + name + ".u32.f32", "W,W", round(f, 0, math.MaxUint32)})
	}
	return all
}

// instructionBody is the body of a kernel that applies an instruction to three words of 64 bits of each thread and
// stores the result in a fourth.
func instructionBody(i instruction) string {
	var b strings.Builder
	b.WriteString("\tmul.wide.u32 %rd2, %r1, 32;\n\tadd.s64 %rd1, %rd1, %rd2;\n")
	result, sources, _ := strings.Cut(i.widths, ",")
	operands := []string{map[string]string{"P": "%p7", "H": "%rs7", "W": "%r7", "D": "%rd7"}[result]}
	for k, width := range sources {
		fmt.Fprintf(&b, "\tld.global.u64 %%rd%d, [%%rd1+%d];\n\tcvt.u32.u64 %%r%d, %%rd%d;\n", 10+k, 8*k, 10+k, 10+k)
		switch width {
		case 'P':
			fmt.Fprintf(&b, "\tsetp.ne.s32 %%p%d, %%r%d, 0;\n", 1+k, 10+k)
			operands = append(operands, fmt.Sprintf("%%p%d", 1+k))
		case 'H':
			fmt.Fprintf(&b, "\tcvt.u16.u32 %%rs%d, %%r%d;\n", 1+k, 10+k)
			operands = append(operands, fmt.Sprintf("%%rs%d", 1+k))
		case 'W':
			operands = append(operands, fmt.Sprintf("%%r%d", 10+k))
		default:
			operands = append(operands, fmt.Sprintf("%%rd%d", 10+k))
		}
	}
	fmt.Fprintf(&b, "\t%s %s;\n", i.opcode, strings.Join(operands, ", "))
	switch result {
	case "P":
		b.WriteString("\tselp.u32 %r7, 1, 0, %p7;\n\tcvt.u64.u32 %rd7, %r7;\n")
	case "H":
		b.WriteString("\tcvt.u32.u16 %r7, %rs7;\n\tcvt.u64.u32 %rd7, %r7;\n")
	case "W":
		b.WriteString("\tcvt.u64.u32 %rd7, %r7;\n")
	}
	b.WriteString("\tst.global.u64 [%rd1+24], %rd7;\n")
	return b.String()
}

// Every instruction of the interpreter has the result that the manual gives, in warps with all lanes and with some.
func TestInterpretedInstructions(t *testing.T) {
	startInterpreter(t, 12080)
	d := openTest(t)
	all := slices.Concat(floatInstructions(), productInstructions(), bitInstructions(), widthInstructions(),
		halfInstructions(), conversions())
	for _, width := range []int{32, 64} {
		all = append(append(all, integerInstructions(width, false)...), integerInstructions(width, true)...)
	}
	r := rand.New(rand.NewPCG(1, 2))
	rounds := 12
	if addressSanitizer {
		rounds = 1 // each launch takes long
	}
	for _, i := range all {
		for _, lanes := range []string{"", "\tand.b32 %r8, %r1, 5;\n\tsetp.ne.s32 %p6, %r8, 1;\n\t@!%p6 ret;\n"} {
			ptx, _ := handText(lanes + instructionBody(i))
			_, sources, _ := strings.Cut(i.widths, ",")
			for range rounds {
				words := make([]uint32, 8*handLanes)
				want := make([]uint64, handLanes)
				for lane := range handLanes {
					var values [3]uint64
					for defined := false; !defined; want[lane], defined = i.want(values[0], values[1], values[2]) {
						for k, letter := range sources {
							values[k] = operands(map[rune]int{'P': 1, 'H': 16, 'W': 32, 'D': 64}[letter], r)
						}
					}
					for k, value := range values {
						words[8*lane+2*k], words[8*lane+2*k+1] = uint32(value), uint32(value>>32)
					}
				}
				got, err := runHand(d, ptx, 1, words)
				require.NoError(t, err, i.opcode)
				for lane := range handLanes {
					if lanes != "" && lane&5 == 1 {
						continue
					}
					require.Equal(t, want[lane], uint64(got[8*lane+7])<<32|uint64(got[8*lane+6]), "%s of %#x", i.opcode,
						words[8*lane:8*lane+6])
				}
			}
		}
	}
}

// A division by zero is not defined, and no mistake: all bits of the dividend are inverted.
func TestInterpretedDivisionByZero(t *testing.T) {
	startInterpreter(t, 12080)
	d := openTest(t)
	for letter, width := range map[string]int{"H": 16, "W": 32, "D": 64} {
		for _, operation := range []string{"div.u", "div.s", "rem.u", "rem.s"} {
			i := instruction{opcode: fmt.Sprintf("%s%d", operation, width), widths: letter + "," + letter + letter}
			ptx, _ := handText(instructionBody(i))
			words := make([]uint32, 8*handLanes)
			words[0], words[1] = 0x81828384, 0x85868788
			got, err := runHand(d, ptx, 1, words)
			require.NoError(t, err, i.opcode)
			want := ^uint64(0x8586878881828384) & (math.MaxUint64 >> (64 - width))
			require.Equal(t, want, uint64(got[7])<<32|uint64(got[6]), i.opcode)
		}
	}
}

// Loads and stores of 8 and 16 bits, with registers of each size, in each space.
func TestInterpretedPartsOfWords(t *testing.T) {
	startInterpreter(t, 12080)
	d := openTest(t)
	const value = 0x8182838485868788
	for _, space := range []struct{ name, address string }{
		{".global", ""}, {".shared", "\tmov.u64 %rd1, s;\n"}, {".local", "\tmov.u64 %rd1, depot;\n"},
		{"", "\tmov.u64 %rd1, s;\n\tcvta.shared.u64 %rd1, %rd1;\n"},
	} {
		for _, width := range []int{8, 16} {
			for _, sign := range []string{"u", "s", "b"} {
				for register, bits := range map[string]int{"%rs": 16, "%r": 32, "%rd": 64} {
					ptx, _ := handText(partsOfWords(space.name, space.address, fmt.Sprintf("%s%d", sign, width), register))
					words := make([]uint32, 4)
					words[2], words[3] = uint32(value&math.MaxUint32), value>>32
					got, err := runHand(d, ptx, 1, words)
					name := fmt.Sprintf("%s%d in %s, %s", sign, width, space.name, register)
					require.NoError(t, err, name)
					want := uint64(value & (1<<width - 1))
					if sign == "s" {
						want = uint64(signed(want, width)) & (math.MaxUint64 >> (64 - bits))
					}
					require.Equal(t, want, uint64(got[1])<<32|uint64(got[0]), name)
				}
			}
		}
	}
}

// partsOfWords is the body of a kernel whose first thread stores a value of a type twice, with a vector, from one
// register, and loads the second one into another register, from the third and fourth word into the first and second.
func partsOfWords(space, address, kind, register string) string {
	back := map[string]string{
		"%rs": "\tcvt.u32.u16 %r5, %rs4;\n\tcvt.u64.u32 %rd9, %r5;\n",
		"%r":  "\tcvt.u64.u32 %rd9, %r4;\n", "%rd": "\tmov.b64 %rd9, %rd4;\n",
	}[register]
	return "\tsetp.ne.s32 %p1, %r1, 0;\n\t@%p1 ret;\n\tmov.u64 %rd8, %rd1;\n" + address +
		"\tld.global.u64 %rd3, [%rd8+8];\n\tcvt.u32.u64 %r3, %rd3;\n\tcvt.u16.u32 %rs3, %r3;\n" +
		fmt.Sprintf("\tst%s.v2.%s [%%rd1], {%s3, %s3};\n", space, kind, register, register) +
		fmt.Sprintf("\tld%s.v2.%s {%s5, %s4}, [%%rd1];\n", space, kind, register, register) +
		back + "\tst.global.u64 [%rd8], %rd9;\n"
}

// Loads of less than a word extend it to the width of the register, which for 16 bits drops the rest.
func TestInterpretedLoadsOfPartsOfWords(t *testing.T) {
	startInterpreter(t, 12080)
	d := openTest(t)
	const word = 0x91a2b3c4
	for _, load := range []struct {
		opcode, register string
		offset           int
		want             uint32
	}{
		{"ld.global.u8", "%r3", 0, 0xc4}, {"ld.global.u8", "%r3", 3, 0x91}, {"ld.global.s8", "%r3", 1, 0xffffffb3},
		{"ld.global.u16", "%r3", 2, 0x91a2}, {"ld.global.s16", "%r3", 2, 0xffff91a2}, {"ld.global.b16", "%rs3", 0, 0xb3c4},
		{"ld.global.u8", "%rs3", 2, 0xa2}, {"ld.global.s8", "%rs3", 2, 0xffa2}, {"ld.global.s8", "%rd3", 0, 0xffffffc4},
		{"ld.global.nc.u8", "%rs3", 1, 0xb3},
	} {
		t.Run(load.opcode+" "+load.register, func(t *testing.T) {
			body := fmt.Sprintf("\t%s %s, [%%rd1+%d];\n", load.opcode, load.register, load.offset)
			switch load.register {
			case "%rs3":
				body += "\tcvt.u32.u16 %r3, %rs3;\n"
			case "%rd3":
				body += "\tcvt.u32.u64 %r3, %rd3;\n"
			}
			body += "\tmul.wide.u32 %rd2, %r1, 4;\n\tadd.s64 %rd2, %rd2, %rd1;\n\tst.global.u32 [%rd2+4], %r3;"
			ptx, _ := handText(body)
			got, err := runHand(d, ptx, 1, append([]uint32{word}, make([]uint32, handLanes)...))
			require.NoError(t, err)
			for lane, value := range got[1:] {
				require.Equal(t, load.want, value, "lane %d", lane)
			}
		})
	}
}

// Registers that LLVM says may have any value have another one in each thread, whatever their width.
func TestInterpretedArbitraryValues(t *testing.T) {
	startInterpreter(t, 12080)
	d := openTest(t)
	const store = "\tmul.wide.u32 %rd2, %r1, 4;\n\tadd.s64 %rd2, %rd2, %rd1;\n\tst.global.u32 [%rd2], %r3;"
	for name, body := range map[string]string{
		"%rd6": "\tand.b64 %rd4, %rd6, 0xffffff00;\n\tcvt.u32.u64 %r3, %rd4;\n",
		"%r5":  "\tadd.s32 %r3, %r5, 1;\n",
		"%rs5": "\tcvt.u32.u16 %r3, %rs5;\n",
		"%p5":  "\tselp.u32 %r3, 1, 2, %p5;\n",
	} {
		ptx, _ := handText("\t\t// implicit-def: " + name + "\n" + body + store)
		got, err := runHand(d, ptx, 1, make([]uint32, handLanes))
		require.NoError(t, err, name)
		different := map[uint32]bool{}
		for _, value := range got {
			different[value] = true
		}
		if name == "%p5" {
			require.Len(t, different, 2, name)
		} else {
			require.Greater(t, len(different), handLanes/2, name)
		}
	}
}

// bfi has four sources. The manual takes the position and the length from the low eight bits.
func TestInterpretedBitFieldInsert(t *testing.T) {
	startInterpreter(t, 12080)
	d := openTest(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, length := range []uint64{0, 1, 5, 31, 32, 40, 257} {
		i := instruction{opcode: "bfi.b32", widths: "W,WWW"}
		body := strings.Replace(instructionBody(i), ", %r12;", fmt.Sprintf(", %%r12, %d;", length), 1)
		ptx, _ := handText(body)
		words := make([]uint32, 8*handLanes)
		for k := range words {
			words[k] = uint32(operands(32, r))
		}
		got, err := runHand(d, ptx, 1, words)
		require.NoError(t, err)
		for lane := range handLanes {
			a, b, position := uint64(words[8*lane]), uint64(words[8*lane+2]), uint64(words[8*lane+4])&255
			want := b
			for k := position; k < min(32, position+length&255); k++ {
				want = want&^(1<<k) | (a >> (k - position) & 1 << k)
			}
			require.Equal(t, uint32(want), got[8*lane+6], "%#x into %#x at %d, %d bits", a, b, position, length)
		}
	}
}
