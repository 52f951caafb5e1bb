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
float kg_hidden(const float x) {
	return uintBitsToFloat(floatBitsToUint(x) | floatBitsToUint(kg_zero));
}
`},
	{name: "kg_min", text: `// The smaller number. SwiftShader takes a variable that a loop changes by min, max or sqrt of constants and of itself
// alone for a constant. It does not where a value is selected.
int kg_min(const int a, const int b) {
	return a < b ? a : b;
}
uint kg_min(const uint a, const uint b) {
	return a < b ? a : b;
}
`},
	{name: "kg_max", text: `// The greater number. See kg_min.
int kg_max(const int a, const int b) {
	return a > b ? a : b;
}
uint kg_max(const uint a, const uint b) {
	return a > b ? a : b;
}
`},
	{name: "kg_from_uint", text: `// The float next to x. SwiftShader converts numbers above 2^31 in two parts of which it rounds one, so that it
// rounds twice; here both parts are exact.
float kg_from_uint(const uint x) {
	return float(x >> 16) * 65536.0 + float(x & 0xffffu);
}
`},
	{name: "kg_is_nan", text: `bool kg_is_nan(const float x) {
	return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u;
}
`},
	{name: "kg_to_int", uses: []string{"kg_is_nan"}, text: `// kernel.ToInt32: toward zero, saturating, 0 for a NaN. A driver that knew where the integer came from would give
// the float back for it, with a sign of zero that the integer does not have.
int kg_to_int(const float x) {
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
	{name: "kg_quo", text: `// The quotient toward zero; MinInt32 / -1 wraps. No division is by -1, also
// none whose result is not used: Mesa's compiler ends the process where it computes MinInt32 / -1 of constants.
int kg_quo(int a, int b) {
	if (b == -1) {
		a = -a;
		b = 1;
	}
	return a / b;
}
`},
	{name: "kg_rem", uses: []string{"kg_quo"}, text: `// The remainder with the sign of a.
int kg_rem(const int a, const int b) {
	return a - kg_quo(a, b) * b;
}
`},
	{name: "kg_round", text: `// Rounds a positive number to the nearest float32, ties to even. It is
// mantissa * 2^(exponent - 152) with mantissa in [2^25, 2^26), whose last bit stands for all that follows it.
float kg_round(const uint sign, const int exponent, uint mantissa) {
	if (exponent >= 255) {
		return uintBitsToFloat(sign | 0x7f800000u);
	}
	uint bits = 0u;
	if (exponent > 0) {
		bits = uint(exponent - 1) << 23; // the leading bit of the mantissa adds one
	} else {
		int shift = exponent < -26 ? 27 : 1 - exponent;
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
	{name: "kg_mantissa", text: `// The mantissa in [2^23, 2^24) and the exponent of a positive number.
uint kg_mantissa(const uint bits, out int exponent) {
	exponent = int(bits >> 23);
	if (exponent == 0) {
		int shift = 23 - findMSB(bits);
		exponent = 1 - shift;
		return bits << shift;
	}
	return (bits & 0x7fffffu) | 0x800000u;
}
`},
	{name: "kg_rest", text: `// The rest a*2^23 - x*y in 64 bits: the lower word, and high.
int kg_rest(const uint a, const uint x, const uint y, out int high) {
	uint carry;
	uint product;
	umulExtended(x, y, carry, product);
	uint low = a << 23;
	high = int((a >> 9) - carry - (low < product ? 1u : 0u));
	return int(low - product);
}
`},
	{name: "kg_correct", uses: []string{"kg_rest"},
		text: `// Moves x by at most 3 to the nearest quotient of a*2^23 and b, or with root to its nearest root, neither of which
// is ever halfway between two integers. Returns whether it is that.
bool kg_correct(const uint a, const uint b, const bool root, inout int x, out int rest) {
	int high;
	rest = kg_rest(a, uint(x), root ? uint(x) : b, high);
	bool fits = high == rest >> 31;
	int most = int(b >> 1);
	for (int i = 0; i < 3; i++) {
		most = root ? x : most;
		int change = rest > most ? 1 : (rest < (root ? 1 : 0) - most ? -1 : 0);
		rest -= change * (root ? 2 * x + change : int(b));
		x += change;
	}
	most = root ? x : most;
	return fits && rest <= most && rest >= (root ? 1 : 0) - most;
}
`},
	{name: "kg_nearest", uses: []string{"kg_correct"},
		text: `layout(constant_id = 3) const int kg_seed_error = 0; // tests add it

// The nearest quotient or root as above, which is in [2^23, 2^24), from the device's own result in [1, 2). If that is
// nearly right, it is corrected, else the quotient or root is found bit by bit.
int kg_nearest(const uint a, const uint b, const bool root, const float seed, out int rest) {
	int x = floatBitsToInt(seed) - 0x3f000000 + kg_seed_error;
	if (!kg_correct(a, b, root, x, rest)) {
		x = 0x800000;
		for (int bit = 0x400000; bit != 0; bit >>= 1) {
			int high;
			int trial = x + bit;
			rest = kg_rest(a, uint(trial), root ? uint(trial) : b, high);
			x = high >= 0 ? trial : x;
		}
		kg_correct(a, b, root, x, rest);
	}
	return x;
}
`},
	{name: "kg_divide", uses: []string{"kg_round", "kg_mantissa", "kg_nearest"},
		text: `// Exactly rounded division in integers, which begins with the device's own.
float kg_divide(const float x, const float y) {
	uint a = floatBitsToUint(x);
	uint b = floatBitsToUint(y);
	uint sign = (a ^ b) & 0x80000000u;
	a &= 0x7fffffffu;
	b &= 0x7fffffffu;
	uint larger = a > b ? a : b;
	if (larger >= 0x7f800000u || a == 0u || b == 0u) {
		if (larger > 0x7f800000u || a == b) {
			return uintBitsToFloat(0x7fc00000u);
		}
		return uintBitsToFloat(a == 0x7f800000u || b == 0u ? sign | 0x7f800000u : sign);
	}
	int exponentA;
	int exponentB;
	a = kg_mantissa(a, exponentA);
	b = kg_mantissa(b, exponentB);
	int exponent = exponentA - exponentB + 127;
	if (a < b) {
		a <<= 1;
		exponent--;
	}
	int rest;
	int quotient = kg_nearest(a, b, false, float(a) / float(b), rest);
	return kg_round(sign, exponent, uint(4 * quotient + (rest > 0 ? 1 : 0) - (rest < 0 ? 1 : 0)));
}
`},
	{name: "kg_div", uses: []string{"kg_divide"}, text: `layout(constant_id = 1) const bool kg_native_division = true;

float kg_div(const float x, const float y) {
	if (kg_native_division) {
		return x / y;
	}
	return kg_divide(x, y);
}
`},
	{name: "kg_root", uses: []string{"kg_mantissa", "kg_nearest"},
		text: `// Exactly rounded square root in integers, which begins with the device's own.
float kg_root(const float x) {
	uint a = floatBitsToUint(x);
	if ((a & 0x7fffffffu) == 0u || a == 0x7f800000u) {
		return x;
	}
	if (a > 0x7f800000u) {
		return uintBitsToFloat(0x7fc00000u);
	}
	int exponent;
	a = kg_mantissa(a, exponent);
	exponent -= 127;
	if ((exponent & 1) != 0) {
		a <<= 1;
		exponent--;
	}
	// x is a * 2^(exponent - 23) with an even exponent.
	int rest;
	int root = kg_nearest(a, 0u, true, sqrt(float(a) * 1.1920928955078125e-7), rest);
	return uintBitsToFloat(uint(root) + uint(((exponent >> 1) + 126) << 23));
}
`},
	{name: "kg_sqrt", uses: []string{"kg_hidden", "kg_root"}, text: `layout(constant_id = 2) const bool kg_native_sqrt = true;

// A number that the compiler knew would go wrong here as in kg_min.
float kg_sqrt(const float x) {
	if (kg_native_sqrt) {
		return sqrt(kg_hidden(x));
	}
	return kg_root(x);
}
`},
}
