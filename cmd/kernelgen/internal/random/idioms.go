package random

import (
	"regexp"
	"strings"
)

// idioms are expressions that a compiler likes to replace by shorter ones, which is right only where nothing rounds,
// wraps, saturates, is a NaN or has the sign of a zero. A and B are floats, I and J int32, U and V uint32, each of them
// a variable or an element. K is a shift count.
var idioms = map[typ][]string{
	signed: {
		"kernel.ToInt32(float32(I))", "int32(uint32(kernel.ToInt32(float32(U))))", "kernel.ToInt32(-float32(I))",
		"I - J + J", "I * J / (J&1023 + 1)", "I << K >> K", "int32(uint32(I) >> K << K)", "-(I - J)", "I*2/2", "I/2*2",
		"I%2 + I/2*2", "min(I, max(J, I))", "(I ^ -1) + 1", "I & -I", "(I >> 31) ^ I", "I*3 - I*2", "(I + 7) / 8 * 8",
		"kernel.ToInt32(A + 0.5)", "kernel.ToInt32(kernel.Floor(A))", "int32(bits(A))", "I % 4", "I / 4", "I / -4", "I % -8",
	},
	unsigned: {
		"bits(float32(I))", "bits(float32(U))", "uint32(kernel.ToInt32(float32(U)))", "bits(kernel.Float32FromBits(U))",
		"U - V + V", "U << K >> K", "U >> K << K", "U / 8 * 8", "U % 8", "U*2/2", "-(-U)", "U<<(V&31) | U>>(-V&31)",
		"bits(-A)", "bits(A) ^ 0x80000000", "(U ^ V) &^ V", "uint32(min(I, 0))", "uint32(-I)", "max(U, V) - min(U, V)",
	},
	float: {
		"float32(kernel.ToInt32(A))", "float32(uint32(kernel.ToInt32(A)))", "float32(-I)", "-float32(I)",
		"(A + B - B)", "(A - B + B)", "(A - A)", "(A / A)", "-(A - B)", "-(-A)", "float32(A*B) / (B)",
		"float32(A / B * B)", "kernel.Sqrt(float32(A * A))", "float32(kernel.Sqrt(A) * kernel.Sqrt(A))", "(A + A - A)",
		"float32(A*0.5) + float32(A*0.5)", "float32(A*B) + float32(A*B)", "float32(A*B) - float32(B*A)", "(A / 3)", "(A / 4)",
		"float32(A * 2)", "kernel.Abs(-A)", "-kernel.Abs(A)", "kernel.Min(A, B) + kernel.Max(A, B)", "kernel.Min(A, A)",
		"kernel.Max(kernel.Min(A, 1), -1)", "kernel.Clamp(A, B, A)", "(1 - A - 1)", "(1 / A)", "(A / (1 / B))", "(-A / B)",
		"(-A - B)", "float32(-A * -B)", "float32(A*B) - (-A)", "kernel.Floor(kernel.Floor(A))", "kernel.Floor(float32(I))",
		"(float32(I) + float32(J))", "(float32(U) - float32(U))", "float32(float32(I) * float32(J))",
		"kernel.Float32FromBits(bits(A) & 0x7fffffff)", "kernel.Float32FromBits(bits(A) ^ 0x80000000)",
		"float32((A + 1) * (A - 1))", "float32((A + B) * 2) - float32(A * 2)", "(A + (B - A))", "(A - (A - B))",
		"kernel.Float32FromBits(kernel.Float32Bits(A))", "kernel.Uniform(U)", "float32(kernel.ToInt32(float32(I)))",
	},
	boolean: {
		"!(A < B)", "!(A == B)", "(A < B == (B > A))", "(A < B || A >= B)", "(A != A)", "(A == A)", "(A - B < 0)",
		"(A - B == 0)", "(I - J < 0)", "(I + 1 > I)", "(U - 1 < U)", "(U - V > 0)", "(float32(I) == float32(J))",
		"(float32(U) < float32(V))", "(float32(I) >= 2147483648)", "(float32(I) < 16777217)", "(A < B && B < A)",
		"!(A <= B || A > B)", "(kernel.Abs(A) >= 0)", "(kernel.Sqrt(A) >= 0)", "(A*A >= 0)", "(A + 1 > A)", "(-A == A)",
		"(float32(kernel.ToInt32(A)) == A)", "(I/2*2 == I)", "(I&1 == I%2)", "(I*I >= 0)", "(kernel.Floor(A) <= A)",
		"(U>>31 == 1) == (int32(U) < 0)", "(bits(A) == bits(B))", "(kernel.IsFinite(A) && A-A == 0)", "(I == J || U == V)",
	},
}

// placeholders are what stands for an operand in idioms.
var placeholders = regexp.MustCompile(`\b[ABIJUVK]\b|\bbits\b`)

// idiom returns one of the expressions that compilers like to replace. The same letter is the same operand.
func (g *generator) idiom(t typ) string {
	known := map[string]string{}
	text := placeholders.ReplaceAllStringFunc(pick(g, idioms[t]), func(letter string) string {
		if text, ok := known[letter]; ok {
			return text
		}
		switch letter {
		case "A", "B":
			known[letter] = g.simple(float)
		case "I", "J":
			known[letter] = g.simple(signed)
		case "U", "V":
			known[letter] = g.simple(unsigned)
		case "K":
			known[letter] = g.shiftCount()
		default:
			known[letter] = g.support(letter)
		}
		return known[letter]
	})
	return "(" + text + ")"
}

// simple returns a variable or element, as an operand that needs no parentheses.
func (g *generator) simple(t typ) string {
	before := g.depth
	g.depth = max(g.depth, maxDepth)
	defer func() { g.depth = before }()
	text := g.atom(t)
	if strings.Contains(text, " ") && !strings.HasPrefix(text, "(") {
		return "(" + text + ")"
	}
	return text
}
