package glsl

// preludeFunction is a function that shaders may use, with those that it uses in turn.
type preludeFunction struct {
	name string
	uses []string
	text string
}

// prelude returns the texts of the functions used, each after those it uses.
func prelude(uses map[string]bool) []string {
	needed := map[string]bool{}
	for name := range uses {
		needed[name] = true
	}
	for i := len(functions) - 1; i >= 0; i-- {
		if needed[functions[i].name] {
			for _, used := range functions[i].uses {
				needed[used] = true
			}
		}
	}
	var texts []string
	for _, f := range functions {
		if needed[f.name] {
			texts = append(texts, f.text)
		}
	}
	return texts
}

var functions = []preludeFunction{
	{name: "kg_hidden", text: `// x, which compilers cannot compute with. They would take back an exclusive "or" that is done twice.
float kg_hidden(float x) {
	return uintBitsToFloat(floatBitsToUint(x) | floatBitsToUint(kg_zero));
}
`},
	{name: "kg_from_uint", text: `// The float next to x. SwiftShader converts numbers above 2^31 in two parts of which it rounds one, so that it
// rounds twice; here both parts are exact.
float kg_from_uint(uint x) {
	return float(x >> 16) * 65536.0 + float(x & 0xffffu);
}
`},
	{name: "kg_is_nan", text: `bool kg_is_nan(float x) {
	return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u;
}
`},
	{name: "kg_to_int", uses: []string{"kg_is_nan"}, text: `// kernel.ToInt32: toward zero, saturating, 0 for a NaN. A driver that knew where the integer came from would give
// the float back for it, with a sign of zero that the integer does not have.
int kg_to_int(float x) {
	if (kg_is_nan(x)) {
		return 0;
	}
	if (x >= 2147483648.0) {
		return 2147483647;
	}
	if (x < -2147483648.0) {
		return -2147483647 - 1;
	}
	return int(x) | floatBitsToInt(kg_zero);
}
`},
	{name: "kg_quo", text: `// The quotient toward zero; MinInt32 / -1 wraps.
int kg_quo(int a, int b) {
	if (b == -1) {
		return -a;
	}
	return a / b;
}
`},
	{name: "kg_rem", uses: []string{"kg_quo"}, text: `// The remainder with the sign of a.
int kg_rem(int a, int b) {
	return a - kg_quo(a, b) * b;
}
`},
	{name: "kg_round", text: `// Rounds a positive number to the nearest float32, ties to even. It is
// mantissa * 2^(exponent - 152) with mantissa in [2^25, 2^26), whose last bit stands for all that follows it.
float kg_round(uint sign, int exponent, uint mantissa) {
	if (exponent >= 255) {
		return uintBitsToFloat(sign | 0x7f800000u);
	}
	uint bits = 0u;
	if (exponent > 0) {
		bits = uint(exponent - 1) << 23; // the leading bit of the mantissa adds one
	} else {
		int shift = min(1 - exponent, 27);
		uint lost = mantissa & ((1u << shift) - 1u);
		mantissa = (mantissa >> shift) | (lost != 0u ? 1u : 0u);
	}
	bits += mantissa >> 2;
	uint rest = mantissa & 3u;
	if (rest > 2u || (rest == 2u && (bits & 1u) != 0u)) {
		bits++;
	}
	return uintBitsToFloat(sign | bits);
}
`},
	{name: "kg_divide", uses: []string{"kg_round"}, text: `// Exactly rounded division in integers, bit by bit.
float kg_divide(float x, float y) {
	uint a = floatBitsToUint(x);
	uint b = floatBitsToUint(y);
	uint sign = (a ^ b) & 0x80000000u;
	a &= 0x7fffffffu;
	b &= 0x7fffffffu;
	if (a > 0x7f800000u || b > 0x7f800000u || (a == b && (a == 0u || a == 0x7f800000u))) {
		return uintBitsToFloat(0x7fc00000u);
	}
	if (a == 0x7f800000u || b == 0u) {
		return uintBitsToFloat(sign | 0x7f800000u);
	}
	if (b == 0x7f800000u || a == 0u) {
		return uintBitsToFloat(sign);
	}
	int exponentA = int(a >> 23);
	int exponentB = int(b >> 23);
	a &= 0x7fffffu;
	b &= 0x7fffffu;
	if (exponentA == 0) {
		int shift = 23 - findMSB(a);
		a <<= shift;
		exponentA = 1 - shift;
	} else {
		a |= 0x800000u;
	}
	if (exponentB == 0) {
		int shift = 23 - findMSB(b);
		b <<= shift;
		exponentB = 1 - shift;
	} else {
		b |= 0x800000u;
	}
	int exponent = exponentA - exponentB + 127;
	if (a < b) {
		a <<= 1;
		exponent--;
	}
	uint quotient = 0u;
	for (int bit = 0; bit < 26; bit++) {
		quotient <<= 1;
		if (a >= b) {
			a -= b;
			quotient |= 1u;
		}
		a <<= 1;
	}
	return kg_round(sign, exponent, quotient | (a != 0u ? 1u : 0u));
}
`},
	{name: "kg_div", uses: []string{"kg_divide"}, text: `layout(constant_id = 1) const bool kg_native_division = true;

float kg_div(float x, float y) {
	if (kg_native_division) {
		return x / y;
	}
	return kg_divide(x, y);
}
`},
	{name: "kg_root", text: `// Exactly rounded square root in integers, one bit at a time.
float kg_root(float x) {
	uint a = floatBitsToUint(x);
	if ((a & 0x7fffffffu) == 0u || a == 0x7f800000u) {
		return x;
	}
	if (a > 0x7f800000u) {
		return uintBitsToFloat(0x7fc00000u);
	}
	int exponent = int(a >> 23);
	a &= 0x7fffffu;
	if (exponent == 0) {
		int shift = 23 - findMSB(a);
		a <<= shift;
		exponent = 1 - shift;
	} else {
		a |= 0x800000u;
	}
	exponent -= 127;
	if ((exponent & 1) != 0) {
		a <<= 1;
		exponent--;
	}
	// x is a * 2^(exponent - 23) with an even exponent; the root of a gets 25 bits.
	uint root = 0u;
	uint sum = 0u;
	a <<= 1;
	for (uint bit = 0x1000000u; bit != 0u; bit >>= 1) {
		uint trial = sum + bit;
		if (trial <= a) {
			sum = trial + bit;
			a -= trial;
			root += bit;
		}
		a <<= 1;
	}
	root += root & 1u; // the rest is not zero where the last bit is set
	return uintBitsToFloat((root >> 1) + uint(((exponent >> 1) + 126) << 23));
}
`},
	{name: "kg_sqrt", uses: []string{"kg_root"}, text: `layout(constant_id = 2) const bool kg_native_sqrt = true;

float kg_sqrt(float x) {
	if (kg_native_sqrt) {
		return sqrt(x);
	}
	return kg_root(x);
}
`},
}
