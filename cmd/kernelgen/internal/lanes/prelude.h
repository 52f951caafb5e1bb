// Eight items at a time: lane l of a vector belongs to item l of eight that follow each other. See package lanes.

#ifndef KG_W
#define KG_W 8
#endif
#if KG_W != 8
#error "the prelude is written for eight lanes"
#endif

#define KG static inline __attribute__((always_inline))
#define KG_MEMBER inline __attribute__((always_inline))
#define KG_LAMBDA __attribute__((always_inline))

typedef float vf __attribute__((ext_vector_type(KG_W)));
typedef int vi __attribute__((ext_vector_type(KG_W)));
typedef unsigned vu __attribute__((ext_vector_type(KG_W)));
typedef double vd __attribute__((ext_vector_type(KG_W)));
// In memory nothing is aligned to more than a word.
typedef float vfu __attribute__((ext_vector_type(KG_W), aligned(4)));
typedef int viu __attribute__((ext_vector_type(KG_W), aligned(4)));
typedef unsigned vuu __attribute__((ext_vector_type(KG_W), aligned(4)));

struct kg_args {
	struct {
		void *data;
		long len;
	} buffers[16];
	union {
		int i;
		unsigned u;
		float f;
	} scalars[29];
	void *work;
};

// A bool in memory takes a word, which is a mask: 0 or -1.
struct kg_bool {
	int mask;
	kg_bool() = default;
	KG_MEMBER kg_bool(bool b) : mask(-(int)b) {}
	KG_MEMBER operator bool() const { return mask != 0; }
};

// kg_vector gives the type of eight values of a type.
template <class T> struct kg_vector;
template <> struct kg_vector<float> { typedef vf type; };
template <> struct kg_vector<int> { typedef vi type; };
template <> struct kg_vector<unsigned> { typedef vu type; };
template <> struct kg_vector<kg_bool> { typedef vi type; };
template <class T> using kg_v = typename kg_vector<T>::type;

template <class T> struct kg_is_word { static constexpr bool value = false; };
template <> struct kg_is_word<vf> { static constexpr bool value = true; };
template <> struct kg_is_word<vi> { static constexpr bool value = true; };
template <> struct kg_is_word<vu> { static constexpr bool value = true; };

KG vi kg_iota() { return vi{0, 1, 2, 3, 4, 5, 6, 7}; }
KG vi kg_from(int first) { return first + kg_iota(); }
KG vi kg_mask(bool b) { return vi(-(int)b); }

// A mask is a vector of 0 and -1, whose sign bit decides.
KG unsigned kg_bitsof(vi m) {
#ifdef __AVX__
	return (unsigned)__builtin_ia32_movmskps256(m);
#else
	typedef bool vb __attribute__((ext_vector_type(KG_W)));
	vb b = __builtin_convertvector(m < 0, vb);
	unsigned char c;
	__builtin_memcpy(&c, &b, 1);
	return c;
#endif
}
KG bool kg_any(vi m) { return kg_bitsof(m) != 0; }
KG bool kg_all(vi m) { return kg_bitsof(m) == (1u << KG_W) - 1; }
// The lanes of the items from first on that are below end.
KG vi kg_below(int first, int end) {
	long rest = (long)end - first;
	return kg_iota() < (int)(rest < KG_W ? rest : KG_W);
}

// A selection goes by the bits: compilers that know the condition of a selection may take it for a minimum.
KG vi kg_sel(vi m, vi a, vi b) {
#ifdef __AVX__
	typedef float f8 __attribute__((vector_size(32)));
	return (vi)__builtin_ia32_blendvps256((f8)b, (f8)a, (f8)m);
#else
	return (m & a) | (~m & b);
#endif
}
KG vf kg_sel(vi m, vf a, vf b) { return (vf)kg_sel(m, (vi)a, (vi)b); }
KG vu kg_sel(vi m, vu a, vu b) { return (vu)kg_sel(m, (vi)a, (vi)b); }
template <class V> KG V kg_sel(vi m, V a, V b) {
	a.each([&](auto w, int o) KG_LAMBDA { return (decltype(w))kg_sel(m, (vi)w, ((const viu *)&b)[o]); });
	return a;
}
template <class T> KG kg_v<T> kg_splat(const T &a) {
	kg_v<T> r;
	r.each([&](auto w, int o) KG_LAMBDA { return (decltype(w))vi(((const int *)&a)[o]); });
	return r;
}

KG unsigned kg_bits(float x) { return __builtin_bit_cast(unsigned, x); }
KG float kg_float(unsigned x) { return __builtin_bit_cast(float, x); }
KG vu kg_bits(vf x) { return (vu)x; }
KG vf kg_float(vu x) { return (vf)x; }
KG float kg_sqrt(float x) { return __builtin_sqrtf(x); }
KG vf kg_sqrt(vf x) { return __builtin_elementwise_sqrt(x); }
KG vf kg_to_float(vi x) { return __builtin_convertvector(x, vf); }
KG vf kg_to_float(vu x) { return __builtin_convertvector(x, vf); }

// kernel.ToInt32: toward zero, saturating, 0 for a NaN.
KG int kg_to_int(float x) {
	if (x >= 2147483648.0f) {
		return 2147483647;
	}
	if (x < -2147483648.0f) {
		return -2147483647 - 1;
	}
	return x == x ? (int)x : 0;
}
KG vi kg_to_int(vf x) {
#ifdef __AVX__
	vi t = (vi)__builtin_ia32_cvttps2dq256(x); // what is out of range becomes the least number
#else
	vi small = (x >= -2147483648.0f) & (x < 2147483648.0f);
	vi t = kg_sel(small, __builtin_convertvector((vf)((vi)x & small), vi), vi(-2147483647 - 1));
#endif
	return kg_sel(x >= 2147483648.0f, vi(2147483647), t) & (x == x);
}

// The integers below 2^31 in size of eight doubles, toward zero; the least number for others.
KG vi kg_truncated(vd x) {
	typedef double d4 __attribute__((ext_vector_type(4)));
	d4 low = __builtin_shufflevector(x, x, 0, 1, 2, 3), high = __builtin_shufflevector(x, x, 4, 5, 6, 7);
#ifdef __AVX__
	typedef int i4 __attribute__((ext_vector_type(4)));
	i4 a = (i4)__builtin_ia32_cvttpd2dq256(low), b = (i4)__builtin_ia32_cvttpd2dq256(high);
	return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
	vi r;
	for (int l = 0; l < 4; l++) {
		r[l] = low[l] > -2147483649.0 && low[l] < 2147483648.0 ? (int)low[l] : -2147483647 - 1;
		r[4 + l] = high[l] > -2147483649.0 && high[l] < 2147483648.0 ? (int)high[l] : -2147483647 - 1;
	}
	return r;
#endif
}

// Quotients are exact in 64 bits: that of doubles is rounded, but never to the next integer. Lanes that are off may
// divide by zero. The least number divided by -1 is itself.
KG int kg_quo(int a, int b) { return b == -1 ? -a : a / b; }
KG int kg_rem(int a, int b) { return b == -1 ? 0 : a % b; }
KG unsigned kg_quo(unsigned a, unsigned b) { return a / b; }
KG unsigned kg_rem(unsigned a, unsigned b) { return a % b; }
KG vi kg_quo(vi a, vi b) { return kg_truncated(__builtin_convertvector(a, vd) / __builtin_convertvector(b, vd)); }
KG vi kg_rem(vi a, vi b) { return a - kg_quo(a, b) * b; }
KG vd kg_to_double(vu x) { return __builtin_convertvector((vi)(x ^ 0x80000000u), vd) + 2147483648.0; }
KG vu kg_quo(vu a, vu b) {
	vd q = kg_to_double(a) / kg_to_double(b);
	vi low = kg_truncated(q), high = kg_truncated(q - 2147483648.0);
	return (vu)kg_sel(low != -2147483647 - 1, low, high ^ low);
}
KG vu kg_rem(vu a, vu b) { return a - kg_quo(a, b) * b; }

KG int kg_shl(int a, unsigned n) { return (int)((unsigned)a << n); }
KG unsigned kg_shl(unsigned a, unsigned n) { return a << n; }
KG int kg_shr(int a, unsigned n) { return a >> n; }
KG unsigned kg_shr(unsigned a, unsigned n) { return a >> n; }
KG vi kg_shl(vi a, vi n) { return (vi)((vu)a << (vu)n); }
KG vu kg_shl(vu a, vi n) { return a << (vu)n; }
KG vi kg_shr(vi a, vi n) { return a >> n; }
KG vu kg_shr(vu a, vi n) { return a >> (vu)n; }

KG int kg_min(int a, int b) { return a < b ? a : b; }
KG int kg_max(int a, int b) { return a > b ? a : b; }
KG unsigned kg_min(unsigned a, unsigned b) { return a < b ? a : b; }
KG unsigned kg_max(unsigned a, unsigned b) { return a > b ? a : b; }
KG vi kg_min(vi a, vi b) { return __builtin_elementwise_min(a, b); }
KG vi kg_max(vi a, vi b) { return __builtin_elementwise_max(a, b); }
KG vu kg_min(vu a, vu b) { return __builtin_elementwise_min(a, b); }
KG vu kg_max(vu a, vu b) { return __builtin_elementwise_max(a, b); }

// The lanes of a vector in memory: to take one from there is one step, from a register two. The empty statement keeps
// compilers from taking them from the register.
struct kg_lanes {
	int at[KG_W];
};
KG kg_lanes kg_spill(vi v) {
	kg_lanes r;
	*(viu *)r.at = v;
	__asm__("" : "+m"(r));
	return r;
}

// Loads of one word a lane, and of two. All lanes read.
KG vf kg_words_at(const float *p, const kg_lanes &t) {
	return vf{p[t.at[0]], p[t.at[1]], p[t.at[2]], p[t.at[3]], p[t.at[4]], p[t.at[5]], p[t.at[6]], p[t.at[7]]};
}
KG vf kg_words(const float *p, vi at) { return kg_words_at(p, kg_spill(at)); }
struct kg_pair {
	vf x, y;
};
KG kg_pair kg_apart(vf a, vf b) {
	return kg_pair{__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14),
		__builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)};
}
KG kg_pair kg_words2(const float *p, vi at) {
	typedef float f2 __attribute__((ext_vector_type(2)));
	typedef float f2u __attribute__((ext_vector_type(2), aligned(4)));
	typedef float f4 __attribute__((ext_vector_type(4)));
	typedef float f8 __attribute__((ext_vector_type(8)));
	kg_lanes t = kg_spill(at);
	f2 l0 = *(const f2u *)(p + t.at[0]), l1 = *(const f2u *)(p + t.at[1]), l2 = *(const f2u *)(p + t.at[2]),
	   l3 = *(const f2u *)(p + t.at[3]), l4 = *(const f2u *)(p + t.at[4]), l5 = *(const f2u *)(p + t.at[5]),
	   l6 = *(const f2u *)(p + t.at[6]), l7 = *(const f2u *)(p + t.at[7]);
	// Lanes 0 1 4 5 and 2 3 6 7: the shuffles stay within 128 bits.
	f4 a = __builtin_shufflevector(l0, l1, 0, 1, 2, 3), b = __builtin_shufflevector(l4, l5, 0, 1, 2, 3);
	f4 c = __builtin_shufflevector(l2, l3, 0, 1, 2, 3), d = __builtin_shufflevector(l6, l7, 0, 1, 2, 3);
	f8 low = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
	f8 high = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
	return kg_pair{__builtin_shufflevector(low, high, 0, 2, 8, 10, 4, 6, 12, 14),
		__builtin_shufflevector(low, high, 1, 3, 9, 11, 5, 7, 13, 15)};
}
struct kg_quad {
	vf x, y, z, w;
};
// Of lanes 0 and 4, 1 and 5, 2 and 6, and 3 and 7, four words each.
KG kg_quad kg_turned(vf a, vf b, vf c, vf d) {
	vf e = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
	vf f = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
	vf g = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
	vf h = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
	return kg_quad{__builtin_shufflevector(e, g, 0, 1, 8, 9, 4, 5, 12, 13),
		__builtin_shufflevector(e, g, 2, 3, 10, 11, 6, 7, 14, 15), __builtin_shufflevector(f, h, 0, 1, 8, 9, 4, 5, 12, 13),
		__builtin_shufflevector(f, h, 2, 3, 10, 11, 6, 7, 14, 15)};
}
KG kg_quad kg_words4(const float *p, vi at) {
	typedef float f4 __attribute__((ext_vector_type(4)));
	typedef float f4u __attribute__((ext_vector_type(4), aligned(4)));
	kg_lanes t = kg_spill(at);
	f4 l0 = *(const f4u *)(p + t.at[0]), l1 = *(const f4u *)(p + t.at[1]), l2 = *(const f4u *)(p + t.at[2]),
	   l3 = *(const f4u *)(p + t.at[3]), l4 = *(const f4u *)(p + t.at[4]), l5 = *(const f4u *)(p + t.at[5]),
	   l6 = *(const f4u *)(p + t.at[6]), l7 = *(const f4u *)(p + t.at[7]);
	return kg_turned(__builtin_shufflevector(l0, l4, 0, 1, 2, 3, 4, 5, 6, 7),
		__builtin_shufflevector(l1, l5, 0, 1, 2, 3, 4, 5, 6, 7), __builtin_shufflevector(l2, l6, 0, 1, 2, 3, 4, 5, 6, 7),
		__builtin_shufflevector(l3, l7, 0, 1, 2, 3, 4, 5, 6, 7));
}
// Eight elements of four words, and of three, that follow each other.
KG kg_quad kg_row4(const float *p) {
	vf a = *(const vfu *)p, b = *(const vfu *)(p + 8), c = *(const vfu *)(p + 16), d = *(const vfu *)(p + 24);
	return kg_turned(__builtin_shufflevector(a, c, 0, 1, 2, 3, 8, 9, 10, 11),
		__builtin_shufflevector(a, c, 4, 5, 6, 7, 12, 13, 14, 15), __builtin_shufflevector(b, d, 0, 1, 2, 3, 8, 9, 10, 11),
		__builtin_shufflevector(b, d, 4, 5, 6, 7, 12, 13, 14, 15));
}
KG void kg_put_row4(float *p, kg_quad v) {
	vf e = __builtin_shufflevector(v.x, v.y, 0, 8, 1, 9, 4, 12, 5, 13);
	vf f = __builtin_shufflevector(v.x, v.y, 2, 10, 3, 11, 6, 14, 7, 15);
	vf g = __builtin_shufflevector(v.z, v.w, 0, 8, 1, 9, 4, 12, 5, 13);
	vf h = __builtin_shufflevector(v.z, v.w, 2, 10, 3, 11, 6, 14, 7, 15);
	vf a = __builtin_shufflevector(e, g, 0, 1, 8, 9, 4, 5, 12, 13), b = __builtin_shufflevector(e, g, 2, 3, 10, 11, 6, 7, 14, 15);
	vf c = __builtin_shufflevector(f, h, 0, 1, 8, 9, 4, 5, 12, 13), d = __builtin_shufflevector(f, h, 2, 3, 10, 11, 6, 7, 14, 15);
	*(vfu *)p = __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
	*(vfu *)(p + 8) = __builtin_shufflevector(c, d, 0, 1, 2, 3, 8, 9, 10, 11);
	*(vfu *)(p + 16) = __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
	*(vfu *)(p + 24) = __builtin_shufflevector(c, d, 4, 5, 6, 7, 12, 13, 14, 15);
}
struct kg_triple {
	vf x, y, z;
};
KG kg_triple kg_row3(const float *p) {
	vf a = *(const vfu *)p, b = *(const vfu *)(p + 8), c = *(const vfu *)(p + 16);
	vf x = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, -1, -1);
	vf y = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, -1, -1, -1);
	vf z = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, -1, -1, -1);
	return kg_triple{__builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 5, 10, 13),
		__builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 8, 11, 14), __builtin_shufflevector(z, c, 0, 1, 2, 3, 4, 9, 12, 15)};
}
KG void kg_put_row3(float *p, kg_triple v) {
	vf a = __builtin_shufflevector(v.x, v.y, 0, 8, -1, 1, 9, -1, 2, 10);
	vf b = __builtin_shufflevector(v.x, v.y, -1, 3, 11, -1, 4, 12, -1, 5);
	vf c = __builtin_shufflevector(v.x, v.y, 13, -1, 6, 14, -1, 7, 15, -1);
	*(vfu *)p = __builtin_shufflevector(a, v.z, 0, 1, 8, 3, 4, 9, 6, 7);
	*(vfu *)(p + 8) = __builtin_shufflevector(b, v.z, 10, 1, 2, 11, 4, 5, 12, 7);
	*(vfu *)(p + 16) = __builtin_shufflevector(c, v.z, 0, 13, 2, 3, 14, 5, 6, 15);
}

template <class T> constexpr int kg_size = (int)(sizeof(T) / 4);

// The value of type T at the word of each lane.
template <class T> KG kg_v<T> kg_take(const void *memory, vi at) {
	const float *p = (const float *)memory;
	if constexpr (kg_is_word<kg_v<T>>::value) {
		return (kg_v<T>)kg_words(p, at);
	} else {
		kg_v<T> r;
		if constexpr (kg_size<T> == 2) {
			kg_pair w = kg_words2(p, at);
			r.each([&](auto f, int o) KG_LAMBDA { return (decltype(f))(o == 0 ? w.x : w.y); });
		} else if constexpr (kg_size<T> == 4) {
			kg_quad w = kg_words4(p, at);
			r.each([&](auto f, int o) KG_LAMBDA { return (decltype(f))(o == 0 ? w.x : o == 1 ? w.y : o == 2 ? w.z : w.w); });
		} else {
			r.each([&](auto f, int o) KG_LAMBDA { return (decltype(f))kg_words(p + o, at); });
		}
		return r;
	}
}

// Gathers by words, and by elements. Lanes that are off read word 0, which is there if any lane is on.
template <class T> KG kg_v<T> kg_gather_words(const void *p, vi at, vi m) { return kg_take<T>(p, at & m); }
template <class T> KG kg_v<T> kg_gather(const T *p, vi index, vi m) {
	return kg_take<T>(p, kg_size<T> == 1 ? index & m : (index & m) * kg_size<T>);
}

// Consecutive elements in memory where eight can be read, on or off: the arrays of a group have room at both ends.
template <class T> KG kg_v<T> kg_load(const T *p) {
	const float *q = (const float *)p;
	if constexpr (kg_is_word<kg_v<T>>::value) {
		return (kg_v<T>)(vf) * (const vfu *)q;
	} else if constexpr (kg_size<T> == 2) {
		kg_v<T> r;
		kg_pair w = kg_apart(*(const vfu *)q, *(const vfu *)(q + KG_W));
		r.each([&](auto f, int o) KG_LAMBDA { return (decltype(f))(o == 0 ? w.x : w.y); });
		return r;
	} else if constexpr (kg_size<T> == 3) {
		kg_v<T> r;
		kg_triple w = kg_row3(q);
		r.each([&](auto f, int o) KG_LAMBDA { return (decltype(f))(o == 0 ? w.x : o == 1 ? w.y : w.z); });
		return r;
	} else if constexpr (kg_size<T> == 4) {
		kg_v<T> r;
		kg_quad w = kg_row4(q);
		r.each([&](auto f, int o) KG_LAMBDA { return (decltype(f))(o == 0 ? w.x : o == 1 ? w.y : o == 2 ? w.z : w.w); });
		return r;
	} else {
		return kg_take<T>(q, kg_iota() * kg_size<T>);
	}
}
// Consecutive elements of a buffer: nothing is read beyond the lanes that are on.
template <class T> KG kg_v<T> kg_load_buffer(const T *p, int first, vi m) {
#ifdef __AVX2__
	typedef float f8 __attribute__((vector_size(32)));
	typedef int i8 __attribute__((vector_size(32)));
	const f8 *q = (const f8 *)(p + (long)first);
	if constexpr (kg_is_word<kg_v<T>>::value) {
		return (kg_v<T>)(vf)__builtin_ia32_maskloadps256(q, (i8)m);
	} else if constexpr (kg_size<T> == 2) {
		kg_v<T> r;
		vi low = __builtin_shufflevector(m, m, 0, 0, 1, 1, 2, 2, 3, 3), high = __builtin_shufflevector(m, m, 4, 4, 5, 5, 6, 6, 7, 7);
		kg_pair w = kg_apart((vf)__builtin_ia32_maskloadps256(q, (i8)low), (vf)__builtin_ia32_maskloadps256(q + 1, (i8)high));
		r.each([&](auto f, int o) KG_LAMBDA { return (decltype(f))(o == 0 ? w.x : w.y); });
		return r;
	}
#endif
	if (kg_all(m)) {
		return kg_load(p + (long)first);
	}
	return kg_gather(p, kg_from(first), m);
}
// An index near that of the item: where the lanes turn out to be consecutive, they are loaded at once.
KG vi kg_line(vi index) { return index - kg_iota(); }
template <class T> KG kg_v<T> kg_near(const T *p, vi index, vi m) {
	vi line = kg_line(index);
	int first = line[0];
	if (kg_all((line == first) | ~m)) {
		return kg_load(p + (long)first);
	}
	return kg_gather(p, index, m);
}
template <class T> KG kg_v<T> kg_near_buffer(const T *p, vi index, vi m) {
	vi line = kg_line(index);
	int first = line[0];
	if (kg_all((line == first) | ~m)) {
		return kg_load_buffer(p, first, m);
	}
	return kg_gather(p, index, m);
}

// What is stored is in memory first, so that a lane of it is found by its number.
template <class T> struct kg_stored {
	float word[kg_size<T>][KG_W];
	KG_MEMBER kg_stored(kg_v<T> v) {
		if constexpr (kg_is_word<kg_v<T>>::value) {
			*(vfu *)word[0] = (vf)v;
		} else {
			v.each([&](auto f, int o) KG_LAMBDA { *(vfu *)word[o] = (vf)f; return f; });
		}
	}
	KG_MEMBER void put(void *to, long at, int lane) const {
		for (int o = 0; o < kg_size<T>; o++) {
			((float *)to)[at + o] = word[o][lane];
		}
	}
};
// Scatters by words, and by elements, in the order of the lanes.
template <class T> KG void kg_scatter_words(void *p, vi at, kg_v<T> v, vi m) {
	kg_lanes t = kg_spill(at);
	kg_stored<T> s(v);
	for (unsigned rest = kg_bitsof(m); rest != 0; rest &= rest - 1) {
		int l = __builtin_ctz(rest);
		s.put(p, t.at[l], l);
	}
}
template <class T> KG void kg_scatter(T *p, vi index, kg_v<T> v, vi m) {
	kg_lanes t = kg_spill(index);
	kg_stored<T> s(v);
	for (unsigned rest = kg_bitsof(m); rest != 0; rest &= rest - 1) {
		int l = __builtin_ctz(rest);
		s.put(p, (long)t.at[l] * kg_size<T>, l);
	}
}
// One place for all lanes: what the last lane that is on has remains.
template <class T> KG void kg_store_last(T *p, kg_v<T> v, vi m) {
	kg_stored<T>(v).put(p, 0, 31 - __builtin_clz(kg_bitsof(m)));
}
template <class T> KG void kg_store_all(T *p, kg_v<T> v) {
	float *q = (float *)p;
	if constexpr (kg_is_word<kg_v<T>>::value) {
		*(vfu *)q = (vf)v;
	} else if constexpr (kg_size<T> == 2) {
		vf a = {}, b = {};
		v.each([&](auto f, int o) KG_LAMBDA { (o == 0 ? a : b) = (vf)f; return f; });
		*(vfu *)q = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
		*(vfu *)(q + KG_W) = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
	} else if constexpr (kg_size<T> == 3) {
		kg_triple w = {};
		v.each([&](auto f, int o) KG_LAMBDA { (o == 0 ? w.x : o == 1 ? w.y : w.z) = (vf)f; return f; });
		kg_put_row3(q, w);
	} else if constexpr (kg_size<T> == 4) {
		kg_quad w = {};
		v.each([&](auto f, int o) KG_LAMBDA { (o == 0 ? w.x : o == 1 ? w.y : o == 2 ? w.z : w.w) = (vf)f; return f; });
		kg_put_row4(q, w);
	} else {
		kg_stored<T> s(v);
#pragma unroll
		for (int l = 0; l < KG_W; l++) {
			s.put(p, l * kg_size<T>, l);
		}
	}
}
// Consecutive elements of an array of the group. Others are written back as they are, which no other thread sees.
template <class T> KG void kg_store(T *p, kg_v<T> v, vi m) {
	if (kg_size<T> > 1 && kg_all(m)) {
		kg_store_all(p, v);
	} else {
		kg_store_all(p, kg_sel(m, v, kg_load(p)));
	}
}
// Consecutive elements of a buffer: others may belong to another thread.
template <class T> KG void kg_store_buffer(T *p, int first, kg_v<T> v, vi m) {
	if (kg_all(m)) {
		kg_store_all(p + (long)first, v);
		return;
	}
	kg_stored<T> s(v);
	for (unsigned rest = kg_bitsof(m); rest != 0; rest &= rest - 1) {
		int l = __builtin_ctz(rest);
		s.put(p + (long)first, (long)l * kg_size<T>, l);
	}
}

// Arrays of a group whose elements are split: word o of element i is p[o * plane + i].
template <class T> KG T kg_get_split(const int *p, long plane, int index) {
	T r;
#pragma unroll
	for (int o = 0; o < kg_size<T>; o++) {
		((int *)&r)[o] = p[o * plane + index];
	}
	return r;
}
template <class T> KG void kg_put_split(int *p, long plane, int index, T v) {
#pragma unroll
	for (int o = 0; o < kg_size<T>; o++) {
		p[o * plane + index] = ((const int *)&v)[o];
	}
}
template <class T> KG kg_v<T> kg_load_split(const int *p, long plane, int index) {
	kg_v<T> r;
	r.each([&](auto f, int o) KG_LAMBDA { return (decltype(f))(vf) * (const vfu *)(p + o * plane + index); });
	return r;
}
template <class T> KG kg_v<T> kg_near_split(const int *p, long plane, vi index, vi m) {
	vi line = kg_line(index);
	int first = line[0];
	if (kg_all((line == first) | ~m)) {
		return kg_load_split<T>(p, plane, first);
	}
	kg_v<T> r;
	kg_lanes at = kg_spill(index & m);
	r.each([&](auto f, int o) KG_LAMBDA { return (decltype(f))kg_words_at((const float *)(p + o * plane), at); });
	return r;
}
template <class T> KG void kg_store_split(int *p, long plane, int index, kg_v<T> v, vi m) {
	v.each([&](auto f, int o) KG_LAMBDA {
		vfu *q = (vfu *)(p + o * plane + index);
		*q = kg_sel(m, (vf)f, (vf)*q);
		return f;
	});
}
template <class T> KG void kg_scatter_split(int *p, long plane, vi index, kg_v<T> v, vi m) {
	v.each([&](auto f, int o) KG_LAMBDA {
		kg_scatter<float>((float *)(p + o * plane), index, (vf)f, m);
		return f;
	});
}

// The arrays of an item are interleaved: word w of lane l is word w*KG_W+l.
template <class T> KG kg_v<T> kg_gather_own(const void *p, vi at, vi m) {
	kg_v<T> r;
	vi lane = (at & m) * KG_W + kg_iota();
	if constexpr (kg_is_word<kg_v<T>>::value) {
		return (kg_v<T>)kg_words((const float *)p, lane);
	} else {
		r.each([&](auto f, int o) KG_LAMBDA { return (decltype(f))kg_words((const float *)p + o * KG_W, lane); });
		return r;
	}
}
template <class T> KG void kg_scatter_own(void *p, vi at, kg_v<T> v, vi m) {
	kg_lanes t = kg_spill(at);
	kg_stored<T> s(v);
	for (unsigned rest = kg_bitsof(m); rest != 0; rest &= rest - 1) {
		int l = __builtin_ctz(rest);
		for (int o = 0; o < kg_size<T>; o++) {
			((float *)p)[((long)t.at[l] + o) * KG_W + l] = s.word[o][l];
		}
	}
}

// Clears words of memory. The empty statement keeps compilers from calling memset.
KG void kg_clear(void *memory, long words) {
	int *p = (int *)memory;
	long i = 0;
	for (; i + KG_W <= words; i += KG_W) {
		*(viu *)(p + i) = vi(0);
		__asm__ volatile("" ::: "memory");
	}
	for (; i < words; i++) {
		p[i] = 0;
		__asm__ volatile("" ::: "memory");
	}
}

// Atomics return nothing, so their order does not show.
KG void kg_atomic_add(int *p, int value) { __atomic_fetch_add((unsigned *)p, (unsigned)value, __ATOMIC_RELAXED); }
KG void kg_atomic_or(int *p, int value) { __atomic_fetch_or(p, value, __ATOMIC_RELAXED); }
KG void kg_atomic_max(int *p, int value) {
	int old = __atomic_load_n(p, __ATOMIC_RELAXED);
	while (old < value &&
		!__atomic_compare_exchange_n(p, &old, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
	}
}
KG void kg_atomic_add(int *p, int index, int value, vi m) { kg_atomic_add(p + (long)index, value * __builtin_popcount(kg_bitsof(m))); }
KG void kg_atomic_add(int *p, int index, vi value, vi m) { kg_atomic_add(p + (long)index, __builtin_reduce_add(value & m)); }
KG void kg_atomic_or(int *p, int index, int value, vi) { kg_atomic_or(p + (long)index, value); }
KG void kg_atomic_or(int *p, int index, vi value, vi m) { kg_atomic_or(p + (long)index, __builtin_reduce_or(value & m)); }
KG void kg_atomic_max(int *p, int index, int value, vi) { kg_atomic_max(p + (long)index, value); }
KG void kg_atomic_max(int *p, int index, vi value, vi m) {
	kg_atomic_max(p + (long)index, __builtin_reduce_max(kg_sel(m, value, vi(-2147483647 - 1))));
}
#define KG_ATOMIC(name) \
	KG void name(int *p, vi index, vi value, vi m) { \
		kg_lanes at = kg_spill(index), what = kg_spill(value); \
		for (unsigned rest = kg_bitsof(m); rest != 0; rest &= rest - 1) { \
			int l = __builtin_ctz(rest); \
			name(p + (long)at.at[l], what.at[l]); \
		} \
	}
KG_ATOMIC(kg_atomic_add)
KG_ATOMIC(kg_atomic_or)
KG_ATOMIC(kg_atomic_max)
