// Instructions without memory. Floating point is exactly what PTX defines: rounded to the nearest even number, with
// subnormal numbers, and a NaN that is computed has the bits 0x7fffffff. What PTX does not define exactly, such as
// .approx and an add that may be fused, is not in the table.

#include "ptx_code.h"

#include <cmath>
#include <cstring>
#include <unordered_map>

namespace ptx {

namespace {

float of_bits(u32 bits) { return __builtin_bit_cast(float, bits); }
const u32 kNaN = 0x7fffffff;

inline float canonical(float x) { return x == x ? x : of_bits(kNaN); }

template <typename D, typename A, D (*op)(A)> void unary(Warp &w, const Instruction &i, u32 lanes) {
  D *d = lanes_of<D>(w, i.result[0]);
  const A *a = lanes_of<A>(w, i.source[0]);
  each(lanes, [=](u32 l) { d[l] = op(a[l]); });
}
template <typename D, typename A, typename B, D (*op)(A, B)> void binary(Warp &w, const Instruction &i, u32 lanes) {
  D *d = lanes_of<D>(w, i.result[0]);
  const A *a = lanes_of<A>(w, i.source[0]);
  const B *b = lanes_of<B>(w, i.source[1]);
  each(lanes, [=](u32 l) { d[l] = op(a[l], b[l]); });
}
template <typename D, typename A, typename B, typename C, D (*op)(A, B, C)>
void ternary(Warp &w, const Instruction &i, u32 lanes) {
  D *d = lanes_of<D>(w, i.result[0]);
  const A *a = lanes_of<A>(w, i.source[0]);
  const B *b = lanes_of<B>(w, i.source[1]);
  const C *c = lanes_of<C>(w, i.source[2]);
  each(lanes, [=](u32 l) { d[l] = op(a[l], b[l], c[l]); });
}
template <typename T, T (*op)(T, T, T, T)> void quaternary(Warp &w, const Instruction &i, u32 lanes) {
  T *d = lanes_of<T>(w, i.result[0]);
  const T *a = lanes_of<T>(w, i.source[0]), *b = lanes_of<T>(w, i.source[1]);
  const T *c = lanes_of<T>(w, i.source[2]), *e = lanes_of<T>(w, i.source[3]);
  each(lanes, [=](u32 l) { d[l] = op(a[l], b[l], c[l], e[l]); });
}
template <typename T, T (*op)(T)> constexpr Handler unary_of = unary<T, T, op>;
template <typename T, T (*op)(T, T)> constexpr Handler binary_of = binary<T, T, T, op>;
template <typename T, T (*op)(T, T, T)> constexpr Handler ternary_of = ternary<T, T, T, T, op>;

float add_f(float a, float b) { return canonical(a + b); }
float sub_f(float a, float b) { return canonical(a - b); }
float mul_f(float a, float b) { return canonical(a * b); }
float div_f(float a, float b) { return canonical(a / b); }
float fma_f(float a, float b, float c) { return canonical(std::fma(a, b, c)); }
float sqrt_f(float a) { return canonical(std::sqrt(a)); }
float rcp_f(float a) { return canonical(1.0f / a); }
// With .ftz, subnormal operands and results are zeros of their sign.
inline float flush(float x) {
  u32 bits = __builtin_bit_cast(u32, x);
  return bits & 0x7f800000 ? x : of_bits(bits & 0x80000000);
}
template <float (*op)(float, float)> float flushed(float a, float b) { return flush(op(flush(a), flush(b))); }
template <float (*op)(float)> float flushed(float a) { return flush(op(flush(a))); }
float flushed_fma(float a, float b, float c) { return flush(fma_f(flush(a), flush(b), flush(c))); }

u32 abs_f(u32 a) { return a & 0x7fffffff; }
u32 neg_f(u32 a) { return a ^ 0x80000000; }
// A single NaN is ignored, and -0 is less than +0.
u32 min_f(u32 a, u32 b) {
  float x = of_bits(a), y = of_bits(b);
  if (x != x) return y != y ? kNaN : b;
  if (y != y) return a;
  return x == y ? a | b : x < y ? a : b;
}
u32 max_f(u32 a, u32 b) {
  float x = of_bits(a), y = of_bits(b);
  if (x != x) return y != y ? kNaN : b;
  if (y != y) return a;
  return x == y ? a & b : x > y ? a : b;
}

template <typename T> T add(T a, T b) { return a + b; }
template <typename T> T sub(T a, T b) { return a - b; }
template <typename T> T mul(T a, T b) { return a * b; }
template <typename T> T mad(T a, T b, T c) { return a * b + c; }
template <typename T> T least(T a, T b) { return a < b ? a : b; }
template <typename T> T greatest(T a, T b) { return a > b ? a : b; }
template <typename T> T absolute(T a) { return a < 0 ? -a : a; }
template <typename T> T negative(T a) { return -a; }
template <typename T> T both(T a, T b) { return a & b; }
template <typename T> T either(T a, T b) { return a | b; }
template <typename T> T differ(T a, T b) { return a ^ b; }
template <typename T> T invert(T a) { return ~a; }
template <typename D, typename T> D wide(T a, T b) { return D(a) * D(b); }
template <typename D, typename T> T high(T a, T b) { return T((D(a) * D(b)) >> (8 * sizeof(T))); }
template <typename D, typename T> D wide_mad(T a, T b, D c) { return D(a) * D(b) + c; }

// A 16-bit value is kept in the low half of a lane, and its high half is zero.
template <u32 (*op)(u32, u32)> u32 half(u32 a, u32 b) { return op(a, b) & 0xffff; }
u32 high_half(u32 a, u32 b) { return a * b >> 16; }
u32 high_half_signed(u32 a, u32 b) { return u32(s16(a) * s16(b)) >> 16; }
u32 wide_half(u32 a, u32 b) { return a * b; }
u32 wide_half_signed(u32 a, u32 b) { return u32(s16(a) * s16(b)); }
u32 mad_half(u32 a, u32 b, u32 c) { return (a * b + c) & 0xffff; }
u32 mad_wide_half(u32 a, u32 b, u32 c) { return a * b + c; }
u32 mad_wide_half_signed(u32 a, u32 b, u32 c) { return u32(s16(a) * s16(b)) + c; }
u32 absolute_half(u32 a) { return u32(s16(a) < 0 ? -s16(a) : s16(a)) & 0xffff; }
u32 invert_half(u32 a) { return ~a & 0xffff; }
u32 negative_half(u32 a) { return -a & 0xffff; }
template <s32 (*op)(s32, s32)> u32 signed_half(u32 a, u32 b) { return u32(op(s16(a), s16(b))) & 0xffff; }
template <bool (*op)(s32, s32)> bool signed_halves(u32 a, u32 b) { return op(s16(a), s16(b)); }
u32 shift_half_left(u32 a, u32 n) { return n > 15 ? 0 : (a << n) & 0xffff; }
u32 shift_half_right(u32 a, u32 n) { return u32(s16(a) >> (n > 15 ? 15 : n)) & 0xffff; }

// A shift by the width or more gives 0, or the sign.
template <typename T> T shift_left(T a, u32 n) { return n >= 8 * sizeof(T) ? 0 : a << n; }
template <typename T> T shift_right(T a, u32 n) {
  const u32 width = 8 * sizeof(T);
  return n >= width ? (a < 0 ? T(-1) : T(0)) : a >> n;
}
u32 funnel_left_wrap(u32 a, u32 b, u32 n) { return n & 31 ? b << (n & 31) | a >> (32 - (n & 31)) : b; }
u32 funnel_right_wrap(u32 a, u32 b, u32 n) { return n & 31 ? b << (32 - (n & 31)) | a >> (n & 31) : a; }
template <typename U> U extract(U a, u32 position, u32 length) {
  const u32 last = 8 * sizeof(U) - 1;
  position &= 255, length &= 255;
  U x = position > last ? 0 : a >> position;
  return length > last ? x : x & ((U(1) << length) - 1);
}
// Bits beyond the value, and a length of 0, are those of PTX: the sign, which is that of the highest bit taken, and 0.
template <typename U> U extract_signed(U a, u32 position, u32 length) {
  const u32 last = 8 * sizeof(U) - 1;
  position &= 255, length &= 255;
  if (length == 0) return 0;
  u32 highest = position + length - 1;
  U sign = a >> (highest > last ? last : highest) & 1 ? ~U(0) : 0;
  u32 left = position > last ? 0 : last + 1 - position, known = length < left ? length : left;
  U x = extract(a, position, length);
  return known > last ? x : x | (sign << known);
}
u32 insert(u32 a, u32 b, u32 position, u32 length) {
  position &= 255, length &= 255;
  if (position > 31) return b;
  u32 mask = (length > 31 ? 0xffffffff : (1u << length) - 1) << position;
  return (b & ~mask) | (a << position & mask);
}
u32 count_ones(u32 a) { return u32(__builtin_popcount(a)); }
u32 count_zeros(u32 a) { return a ? u32(__builtin_clz(a)) : 32; }

// The sources of a permutation: the low four bytes are of a, the others of b.
u32 permute(u32 a, u32 b, u32 selector) {
  u64 bytes = u64(b) << 32 | a;
  u32 out = 0;
  for (int k = 0; k < 4; k++) {
    u32 s = selector >> (4 * k) & 15;
    u32 byte = u32(bytes >> (8 * (s & 7))) & 255;
    if (s & 8) byte = byte & 128 ? 255 : 0;
    out |= byte << (8 * k);
  }
  return out;
}

// A division by zero is no mistake: PTX gives it an unspecified value, and compilers rely on that. Of
//   if (hi <= lo) return lo; return s % (hi - lo) + lo;
// in a loop, clang computes the remainder once before the loop, whatever the condition, and chooses later. So it gives
// a value that no kernel can expect. That a kernel uses no such value, its instrumented twin checks. T is the type of
// the operands, L that of the lanes.
template <typename T, bool remainder, typename L = T> void divide(Warp &w, const Instruction &i, u32 lanes) {
  L *d = lanes_of<L>(w, i.result[0]);
  const L *first = lanes_of<L>(w, i.source[0]), *second = lanes_of<L>(w, i.source[1]);
  each(lanes, [=](u32 l) {
    const T a = T(first[l]), b = T(second[l]);
    T result;
    if (b == 0) result = T(~a);
    else if (T(-1) < 0 && b == T(-1)) result = remainder ? 0 : T(-a); // the processor traps for the least number
    else result = remainder ? T(a % b) : T(a / b);
    d[l] = sizeof(L) > sizeof(T) ? L(result) & 0xffff : L(result);
  });
}

// Comparisons.
template <typename T> bool lt(T a, T b) { return a < b; }
template <typename T> bool le(T a, T b) { return a <= b; }
template <typename T> bool gt(T a, T b) { return a > b; }
template <typename T> bool ge(T a, T b) { return a >= b; }
template <typename T> bool eq(T a, T b) { return a == b; }
template <typename T> bool ne(T a, T b) { return a != b; }
bool unordered(float a, float b) { return a != a || b != b; }
bool ordered(float a, float b) { return a == a && b == b; }
bool ne_f(float a, float b) { return a < b || a > b; }
bool ltu(float a, float b) { return !(a >= b); }
bool leu(float a, float b) { return !(a > b); }
bool gtu(float a, float b) { return !(a <= b); }
bool geu(float a, float b) { return !(a < b); }
bool equ(float a, float b) { return !ne_f(a, b); }
bool neu(float a, float b) { return !(a == b); }

template <typename T, bool (*op)(T, T)> void compare(Warp &w, const Instruction &i, u32 lanes) {
  const T *a = lanes_of<T>(w, i.source[0]), *b = lanes_of<T>(w, i.source[1]);
  u32 set = 0;
  if (lanes == kAll) {
    alignas(16) u8 flags[kLanes];
    for (u32 l = 0; l < kLanes; l++) flags[l] = op(a[l], b[l]);
    for (u32 group = 0; group < kLanes; group += 8) {
      u64 eight;
      memcpy(&eight, flags + group, 8);
      set |= u32(eight * 0x0102040810204080 >> 56) << group; // gathers the low bits of eight bytes
    }
  } else {
    each(lanes, [&](u32 l) { set |= u32(op(a[l], b[l])) << l; });
  }
  u32 &d = predicate_of(w, i.result[0]);
  d = (d & ~lanes) | set;
}

template <u32 (*op)(u32, u32)> void predicates(Warp &w, const Instruction &i, u32 lanes) {
  u32 &d = predicate_of(w, i.result[0]);
  d = (d & ~lanes) | (op(predicate_of(w, i.source[0]), predicate_of(w, i.source[1])) & lanes);
}
void not_predicate(Warp &w, const Instruction &i, u32 lanes) {
  u32 &d = predicate_of(w, i.result[0]);
  d = (d & ~lanes) | (~predicate_of(w, i.source[0]) & lanes);
}

// Copies also copy whether a lane has a value.
void copy_defined(Warp &w, u32 result, u32 source, u32 lanes) {
  w.defined[result] = (w.defined[result] & ~lanes) | (w.defined[source] & lanes);
}
template <typename T> void move(Warp &w, const Instruction &i, u32 lanes) {
  T *d = lanes_of<T>(w, i.result[0]);
  const T *a = lanes_of<T>(w, i.source[0]);
  each(lanes, [=](u32 l) { d[l] = a[l]; });
  copy_defined(w, i.result[0], i.source[0], lanes);
}
void move_predicate(Warp &w, const Instruction &i, u32 lanes) {
  u32 &d = predicate_of(w, i.result[0]);
  d = (d & ~lanes) | (predicate_of(w, i.source[0]) & lanes);
  copy_defined(w, i.result[0], i.source[0], lanes);
}
void split(Warp &w, const Instruction &i, u32 lanes) {
  u32 *low = lanes_of<u32>(w, i.result[0]), *high = lanes_of<u32>(w, i.result[1]);
  const u64 *a = lanes_of<u64>(w, i.source[0]);
  each(lanes, [=](u32 l) {
    u64 value = a[l];
    low[l] = u32(value);
    high[l] = u32(value >> 32);
  });
  copy_defined(w, i.result[0], i.source[0], lanes);
  copy_defined(w, i.result[1], i.source[0], lanes);
}
void join(Warp &w, const Instruction &i, u32 lanes) {
  u64 *d = lanes_of<u64>(w, i.result[0]);
  const u32 *low = lanes_of<u32>(w, i.source[0]), *high = lanes_of<u32>(w, i.source[1]);
  each(lanes, [=](u32 l) { d[l] = u64(high[l]) << 32 | low[l]; });
  u32 known = w.defined[i.source[0]] & w.defined[i.source[1]];
  w.defined[i.result[0]] = (w.defined[i.result[0]] & ~lanes) | (known & lanes);
}
void split_halves(Warp &w, const Instruction &i, u32 lanes) {
  u32 *low = lanes_of<u32>(w, i.result[0]), *high = lanes_of<u32>(w, i.result[1]);
  const u32 *a = lanes_of<u32>(w, i.source[0]);
  each(lanes, [=](u32 l) {
    u32 value = a[l];
    low[l] = value & 0xffff;
    high[l] = value >> 16;
  });
  copy_defined(w, i.result[0], i.source[0], lanes);
  copy_defined(w, i.result[1], i.source[0], lanes);
}
void join_halves(Warp &w, const Instruction &i, u32 lanes) {
  u32 *d = lanes_of<u32>(w, i.result[0]);
  const u32 *low = lanes_of<u32>(w, i.source[0]), *high = lanes_of<u32>(w, i.source[1]);
  each(lanes, [=](u32 l) { d[l] = high[l] << 16 | low[l]; });
  u32 known = w.defined[i.source[0]] & w.defined[i.source[1]];
  w.defined[i.result[0]] = (w.defined[i.result[0]] & ~lanes) | (known & lanes);
}
template <typename T> void choose(Warp &w, const Instruction &i, u32 lanes) {
  u32 p = predicate_of(w, i.source[2]);
  if (u32 missing = lanes & ~w.defined[i.source[2]])
    fail(w, i, u32(__builtin_ctz(missing)), kLaunchFailed, "a register without a value read");
  T *d = lanes_of<T>(w, i.result[0]);
  const T *a = lanes_of<T>(w, i.source[0]), *b = lanes_of<T>(w, i.source[1]);
  each(lanes, [=](u32 l) { d[l] = p >> l & 1 ? a[l] : b[l]; });
  u32 known = (w.defined[i.source[0]] & p) | (w.defined[i.source[1]] & ~p);
  w.defined[i.result[0]] = (w.defined[i.result[0]] & ~lanes) | (known & lanes);
}

// The bits of a thread's arbitrary value.
u64 arbitrary_bits(const Warp &w, u32 lane) { return (w.first + lane + 1) * 0x9e3779b97f4a7c15u; }
template <typename T> void arbitrary(Warp &w, const Instruction &i, u32 lanes) {
  T *d = lanes_of<T>(w, i.result[0]);
  each(lanes, [&](u32 l) { d[l] = T(arbitrary_bits(w, l)); });
}
void arbitrary_predicate(Warp &w, const Instruction &i, u32 lanes) {
  u32 &d = predicate_of(w, i.result[0]);
  each(lanes, [&](u32 l) { d = (d & ~(1u << l)) | u32(arbitrary_bits(w, l) & 1) << l; });
}
void arbitrary_half(Warp &w, const Instruction &i, u32 lanes) {
  u32 *d = lanes_of<u32>(w, i.result[0]);
  each(lanes, [&](u32 l) { d[l] = arbitrary_bits(w, l) & 0xffff; });
}

// Conversions.
template <typename D, typename A> D convert(A a) { return D(a); }
template <typename D, typename A, typename Low> D narrow(A a) { return D(Low(a)); }
template <typename D, typename A, typename Low, u64 mask> D low_bits(A a) { return D(s64(Low(a))) & D(mask); }
// A float that is too large, or a NaN, converts to the nearest integer, or to 0.
s32 to_signed(float x) {
  if (x >= 2147483648.0f) return 2147483647;
  if (x < -2147483648.0f) return -2147483647 - 1;
  return x == x ? s32(x) : 0;
}
u32 to_unsigned(float x) {
  if (x >= 4294967296.0f) return 0xffffffff;
  return x > 0 ? u32(x) : 0;
}
float nearest(float x) { return canonical(std::nearbyint(x)); }
float toward_zero(float x) { return canonical(std::trunc(x)); }
float down(float x) { return canonical(std::floor(x)); }
float up(float x) { return canonical(std::ceil(x)); }
template <s32 (*to)(float), float (*round)(float)> s32 rounded(float x) { return to(round(x)); }
template <u32 (*to)(float), float (*round)(float)> u32 rounded(float x) { return to(round(x)); }

typedef std::unordered_map<std::string, Operation> Table;

// for_integers adds the operations that exist for a type of 32 or 64 bits.
template <typename T, typename U> void for_integers(Table *t, const std::string &type, const char *unary_signature,
    const char *binary_signature, const char *ternary_signature, const char *compare_signature) {
  Table &table = *t;
  table["add." + type] = {binary_signature, binary_of<U, add<U>>};
  table["sub." + type] = {binary_signature, binary_of<U, sub<U>>};
  table["mul.lo." + type] = {binary_signature, binary_of<U, mul<U>>};
  table["mad.lo." + type] = {ternary_signature, ternary_of<U, mad<U>>};
  table["div." + type] = {binary_signature, divide<T, false>};
  table["rem." + type] = {binary_signature, divide<T, true>};
  table["min." + type] = {binary_signature, binary_of<T, least<T>>};
  table["max." + type] = {binary_signature, binary_of<T, greatest<T>>};
  table["setp.lt." + type] = {compare_signature, compare<T, lt<T>>};
  table["setp.le." + type] = {compare_signature, compare<T, le<T>>};
  table["setp.gt." + type] = {compare_signature, compare<T, gt<T>>};
  table["setp.ge." + type] = {compare_signature, compare<T, ge<T>>};
  table["setp.eq." + type] = {compare_signature, compare<T, eq<T>>};
  table["setp.ne." + type] = {compare_signature, compare<T, ne<T>>};
  if (T(-1) < 0) {
    table["abs." + type] = {unary_signature, unary_of<T, absolute<T>>};
    table["neg." + type] = {unary_signature, unary_of<U, negative<U>>};
  }
}

template <typename T> void for_bits(Table *t, const std::string &width, const char *binary_signature,
    const char *unary_signature, const char *shift_signature, const char *compare_signature) {
  Table &table = *t;
  table["and.b" + width] = {binary_signature, binary_of<T, both<T>>};
  table["or.b" + width] = {binary_signature, binary_of<T, either<T>>};
  table["xor.b" + width] = {binary_signature, binary_of<T, differ<T>>};
  table["not.b" + width] = {unary_signature, unary_of<T, invert<T>>};
  table["shl.b" + width] = {shift_signature, binary<T, T, u32, shift_left<T>>};
  table["setp.eq.b" + width] = {compare_signature, compare<T, eq<T>>};
  table["setp.ne.b" + width] = {compare_signature, compare<T, ne<T>>};
}

// add_integers adds the operations for integers of 32 and 64 bits.
void add_integers(Table *t) {
  for_integers<s32, u32>(t, "s32", "W,W", "W,WW", "W,WWW", "P,WW");
  for_integers<u32, u32>(t, "u32", "W,W", "W,WW", "W,WWW", "P,WW");
  for_integers<s64, u64>(t, "s64", "D,D", "D,DD", "D,DDD", "P,DD");
  for_integers<u64, u64>(t, "u64", "D,D", "D,DD", "D,DDD", "P,DD");
  for_bits<u32>(t, "32", "W,WW", "W,W", "W,WW", "P,WW");
  for_bits<u64>(t, "64", "D,DD", "D,D", "D,DW", "P,DD");
  Table &table = *t;
  table["shr.u32"] = {"W,WW", binary<u32, u32, u32, shift_right<u32>>};
  table["shr.b32"] = table["shr.u32"];
  table["shr.s32"] = {"W,WW", binary<s32, s32, u32, shift_right<s32>>};
  table["shr.u64"] = {"D,DW", binary<u64, u64, u32, shift_right<u64>>};
  table["shr.b64"] = table["shr.u64"];
  table["shr.s64"] = {"D,DW", binary<s64, s64, u32, shift_right<s64>>};
  table["mul.hi.s32"] = {"W,WW", binary_of<s32, high<s64, s32>>};
  table["mul.hi.u32"] = {"W,WW", binary_of<u32, high<u64, u32>>};
  table["mul.hi.s64"] = {"D,DD", binary_of<s64, high<__int128, s64>>};
  table["mul.hi.u64"] = {"D,DD", binary_of<u64, high<unsigned __int128, u64>>};
  table["mul.wide.s32"] = {"D,WW", binary<s64, s32, s32, wide<s64, s32>>};
  table["mul.wide.u32"] = {"D,WW", binary<u64, u32, u32, wide<u64, u32>>};
  table["mad.wide.s32"] = {"D,WWD", ternary<s64, s32, s32, s64, wide_mad<s64, s32>>};
  table["mad.wide.u32"] = {"D,WWD", ternary<u64, u32, u32, u64, wide_mad<u64, u32>>};
  table["shf.l.wrap.b32"] = {"W,WWW", ternary_of<u32, funnel_left_wrap>};
  table["shf.r.wrap.b32"] = {"W,WWW", ternary_of<u32, funnel_right_wrap>};
  table["bfe.s32"] = {"W,WWW", ternary_of<u32, extract_signed<u32>>};
  table["bfe.u32"] = {"W,WWW", ternary_of<u32, extract<u32>>};
  table["bfe.s64"] = {"D,DWW", ternary<u64, u64, u32, u32, extract_signed<u64>>};
  table["bfe.u64"] = {"D,DWW", ternary<u64, u64, u32, u32, extract<u64>>};
  table["bfi.b32"] = {"W,WWWW", quaternary<u32, insert>};
  table["prmt.b32"] = {"W,WWW", ternary_of<u32, permute>};
  table["popc.b32"] = {"W,W", unary_of<u32, count_ones>};
  table["clz.b32"] = {"W,W", unary_of<u32, count_zeros>};
}

// add_halves adds the operations for values of 16 bits.
void add_halves(Table *t) {
  Table &table = *t;
  for (const char *type : {"s16", "u16"}) {
    table[std::string("add.") + type] = {"H,HH", binary_of<u32, half<add<u32>>>};
    table[std::string("sub.") + type] = {"H,HH", binary_of<u32, half<sub<u32>>>};
    table[std::string("mul.lo.") + type] = {"H,HH", binary_of<u32, half<mul<u32>>>};
    table[std::string("mad.lo.") + type] = {"H,HHH", ternary_of<u32, mad_half>};
    table[std::string("setp.eq.") + type] = {"P,HH", compare<u32, eq<u32>>};
    table[std::string("setp.ne.") + type] = {"P,HH", compare<u32, ne<u32>>};
  }
  table["setp.eq.b16"] = {"P,HH", compare<u32, eq<u32>>};
  table["setp.ne.b16"] = {"P,HH", compare<u32, ne<u32>>};
  table["mul.hi.u16"] = {"H,HH", binary_of<u32, high_half>};
  table["mul.hi.s16"] = {"H,HH", binary_of<u32, high_half_signed>};
  table["mul.wide.u16"] = {"W,HH", binary_of<u32, wide_half>};
  table["mul.wide.s16"] = {"W,HH", binary_of<u32, wide_half_signed>};
  table["mad.wide.u16"] = {"W,HHW", ternary_of<u32, mad_wide_half>};
  table["mad.wide.s16"] = {"W,HHW", ternary_of<u32, mad_wide_half_signed>};
  table["abs.s16"] = {"H,H", unary_of<u32, absolute_half>};
  table["and.b16"] = {"H,HH", binary_of<u32, both<u32>>};
  table["or.b16"] = {"H,HH", binary_of<u32, either<u32>>};
  table["xor.b16"] = {"H,HH", binary_of<u32, differ<u32>>};
  table["not.b16"] = {"H,H", unary_of<u32, invert_half>};
  table["neg.s16"] = {"H,H", unary_of<u32, negative_half>};
  table["div.u16"] = {"H,HH", divide<u16, false, u32>};
  table["rem.u16"] = {"H,HH", divide<u16, true, u32>};
  table["div.s16"] = {"H,HH", divide<s16, false, u32>};
  table["rem.s16"] = {"H,HH", divide<s16, true, u32>};
  table["min.u16"] = {"H,HH", binary_of<u32, least<u32>>};
  table["max.u16"] = {"H,HH", binary_of<u32, greatest<u32>>};
  table["min.s16"] = {"H,HH", binary_of<u32, signed_half<least<s32>>>};
  table["max.s16"] = {"H,HH", binary_of<u32, signed_half<greatest<s32>>>};
  table["setp.lt.s16"] = {"P,HH", compare<u32, signed_halves<lt<s32>>>};
  table["setp.le.s16"] = {"P,HH", compare<u32, signed_halves<le<s32>>>};
  table["setp.gt.s16"] = {"P,HH", compare<u32, signed_halves<gt<s32>>>};
  table["setp.ge.s16"] = {"P,HH", compare<u32, signed_halves<ge<s32>>>};
  table["shl.b16"] = {"H,HW", binary<u32, u32, u32, shift_half_left>};
  table["shr.s16"] = {"H,HW", binary<u32, u32, u32, shift_half_right>};
  table["shr.u16"] = {"H,HW", binary<u32, u32, u32, shift_right<u32>>};
  table["setp.lt.u16"] = {"P,HH", compare<u32, lt<u32>>};
  table["setp.gt.u16"] = {"P,HH", compare<u32, gt<u32>>};
  table["setp.le.u16"] = {"P,HH", compare<u32, le<u32>>};
  table["setp.ge.u16"] = {"P,HH", compare<u32, ge<u32>>};
}

void add_floats(Table *t) {
  Table &table = *t;
  table["add.rn.f32"] = {"W,WW", binary_of<float, add_f>};
  table["sub.rn.f32"] = {"W,WW", binary_of<float, sub_f>};
  table["mul.rn.f32"] = {"W,WW", binary_of<float, mul_f>};
  table["div.rn.f32"] = {"W,WW", binary_of<float, div_f>};
  table["fma.rn.f32"] = {"W,WWW", ternary_of<float, fma_f>};
  table["sqrt.rn.f32"] = {"W,W", unary_of<float, sqrt_f>};
  table["rcp.rn.f32"] = {"W,W", unary_of<float, rcp_f>};
  table["add.rn.ftz.f32"] = {"W,WW", binary_of<float, flushed<add_f>>};
  table["sub.rn.ftz.f32"] = {"W,WW", binary_of<float, flushed<sub_f>>};
  table["mul.rn.ftz.f32"] = {"W,WW", binary_of<float, flushed<mul_f>>};
  table["div.rn.ftz.f32"] = {"W,WW", binary_of<float, flushed<div_f>>};
  table["fma.rn.ftz.f32"] = {"W,WWW", ternary_of<float, flushed_fma>};
  table["sqrt.rn.ftz.f32"] = {"W,W", unary_of<float, flushed<sqrt_f>>};
  table["rcp.rn.ftz.f32"] = {"W,W", unary_of<float, flushed<rcp_f>>};
  table["abs.f32"] = {"W,W", unary_of<u32, abs_f>};
  table["neg.f32"] = {"W,W", unary_of<u32, neg_f>};
  table["min.f32"] = {"W,WW", binary_of<u32, min_f>};
  table["max.f32"] = {"W,WW", binary_of<u32, max_f>};
  const std::pair<const char *, Handler> comparisons[] = {
      {"lt", compare<float, lt<float>>}, {"le", compare<float, le<float>>},
      {"gt", compare<float, gt<float>>}, {"ge", compare<float, ge<float>>}, {"eq", compare<float, eq<float>>},
      {"ne", compare<float, ne_f>}, {"ltu", compare<float, ltu>}, {"leu", compare<float, leu>},
      {"gtu", compare<float, gtu>}, {"geu", compare<float, geu>}, {"equ", compare<float, equ>},
      {"neu", compare<float, neu>},
      {"num", compare<float, ordered>}, {"nan", compare<float, unordered>}};
  for (auto &[name, handler] : comparisons) table[std::string("setp.") + name + ".f32"] = {"P,WW", handler};
}

// add_extensions adds conversions of the low bits of a register, which may be wider than their type, to a type of D, of
// which a register has the bits of mask. The signatures are those for registers of 16, 32 and 64 bits.
template <typename D, u64 mask> void add_extensions(Table *t, const std::string &to, const char *half, const char *word,
    const char *wide) {
  auto add = [t, &to](const std::string &from, const char *signature, Handler run) {
    (*t)["cvt." + to + "." + from + " of " + signature[2]] = {signature, run};
  };
  for (const char *signature : {half, word}) {
    add("u8", signature, unary<D, u32, low_bits<D, u32, u8, mask>>);
    add("s8", signature, unary<D, u32, low_bits<D, u32, s8, mask>>);
    add("u16", signature, unary<D, u32, low_bits<D, u32, u16, mask>>);
    add("s16", signature, unary<D, u32, low_bits<D, u32, s16, mask>>);
  }
  add("u8", wide, unary<D, u64, low_bits<D, u64, u8, mask>>);
  add("s8", wide, unary<D, u64, low_bits<D, u64, s8, mask>>);
  add("u16", wide, unary<D, u64, low_bits<D, u64, u16, mask>>);
  add("s16", wide, unary<D, u64, low_bits<D, u64, s16, mask>>);
  add("u32", wide, unary<D, u64, low_bits<D, u64, u32, mask>>);
  add("s32", wide, unary<D, u64, low_bits<D, u64, s32, mask>>);
}

// add_bytes adds conversions of integers to bytes, in registers of 16 bits.
template <typename A> void add_bytes(Table *t, const std::string &from, const char *signature) {
  for (const char *sign : {"u", "s"}) {
    (*t)["cvt.u8." + (sign + from)] = {signature, unary<u32, A, low_bits<u32, A, u8, 0xffff>>};
    (*t)["cvt.s8." + (sign + from)] = {signature, unary<u32, A, low_bits<u32, A, s8, 0xffff>>};
  }
}

void add_conversions(Table *t) {
  Table &table = *t;
  table["cvt.rn.f32.s8"] = {"W,H", unary<float, u32, narrow<float, u32, s8>>};
  table["cvt.rn.f32.u8"] = {"W,H", unary<float, u32, narrow<float, u32, u8>>};
  table["cvt.rn.f32.s16"] = {"W,H", unary<float, u32, narrow<float, u32, s16>>};
  table["cvt.rn.f32.u16"] = {"W,H", unary<float, u32, narrow<float, u32, u16>>};
  table["cvt.rn.f32.s32"] = {"W,W", unary<float, s32, convert<float, s32>>};
  table["cvt.rn.f32.u32"] = {"W,W", unary<float, u32, convert<float, u32>>};
  table["cvt.rn.f32.s64"] = {"W,D", unary<float, s64, convert<float, s64>>};
  table["cvt.rn.f32.u64"] = {"W,D", unary<float, u64, convert<float, u64>>};
  table["cvt.rzi.s32.f32"] = {"W,W", unary<s32, float, to_signed>};
  table["cvt.rni.s32.f32"] = {"W,W", unary<s32, float, rounded<to_signed, nearest>>};
  table["cvt.rmi.s32.f32"] = {"W,W", unary<s32, float, rounded<to_signed, down>>};
  table["cvt.rpi.s32.f32"] = {"W,W", unary<s32, float, rounded<to_signed, up>>};
  table["cvt.rzi.u32.f32"] = {"W,W", unary<u32, float, to_unsigned>};
  table["cvt.rni.u32.f32"] = {"W,W", unary<u32, float, rounded<to_unsigned, nearest>>};
  table["cvt.rmi.u32.f32"] = {"W,W", unary<u32, float, rounded<to_unsigned, down>>};
  table["cvt.rpi.u32.f32"] = {"W,W", unary<u32, float, rounded<to_unsigned, up>>};
  table["cvt.rni.f32.f32"] = {"W,W", unary_of<float, nearest>};
  table["cvt.rzi.f32.f32"] = {"W,W", unary_of<float, toward_zero>};
  table["cvt.rmi.f32.f32"] = {"W,W", unary_of<float, down>};
  table["cvt.rpi.f32.f32"] = {"W,W", unary_of<float, up>};
  for (const char *to : {"u32", "s32"})
    for (const char *from : {"u64", "s64"})
      table[std::string("cvt.") + to + "." + from] = {"W,D", unary<u32, u64, convert<u32, u64>>};
  for (const char *to : {"u64", "s64"}) {
    table[std::string("cvt.") + to + ".u32"] = {"D,W", unary<u64, u32, convert<u64, u32>>};
    table[std::string("cvt.") + to + ".s32"] = {"D,W", unary<s64, s32, convert<s64, s32>>};
    table[std::string("cvt.") + to + ".u16"] = {"D,H", unary<u64, u32, narrow<u64, u32, u16>>};
    table[std::string("cvt.") + to + ".s16"] = {"D,H", unary<s64, u32, narrow<s64, u32, s16>>};
  }
  for (const char *to : {"u32", "s32"}) {
    table[std::string("cvt.") + to + ".u16"] = {"W,H", unary<u32, u32, narrow<u32, u32, u16>>};
    table[std::string("cvt.") + to + ".s16"] = {"W,H", unary<s32, u32, narrow<s32, u32, s16>>};
  }
  for (const char *type : {"u", "s"}) {
    add_extensions<u32, 0xffff>(t, std::string(type) + "16", "H,H", "H,W", "H,D");
    add_extensions<u32, 0xffffffff>(t, std::string(type) + "32", "W,H", "W,W", "W,D");
    add_extensions<u64, ~u64(0)>(t, std::string(type) + "64", "D,H", "D,W", "D,D");
  }
  add_bytes<u32>(t, "16", "H,H");
  add_bytes<u32>(t, "32", "H,W");
  add_bytes<u64>(t, "64", "H,D");
  for (const char *to : {"u16", "s16"}) {
    for (const char *from : {"u32", "s32"})
      table[std::string("cvt.") + to + "." + from] = {"H,W", unary<u32, u32, narrow<u32, u32, u16>>};
    for (const char *from : {"u64", "s64"})
      table[std::string("cvt.") + to + "." + from] = {"H,D", unary<u32, u64, narrow<u32, u64, u16>>};
  }
}

void add_copies(Table *t) {
  Table &table = *t;
  for (const char *type : {"b16", "u16", "s16"}) {
    table[std::string("mov.") + type] = {"H,H", move<u32>, true};
    table[std::string("selp.") + type] = {"H,HHP", choose<u32>, true};
  }
  for (const char *type : {"b32", "u32", "s32", "f32"}) {
    table[std::string("mov.") + type] = {"W,W", move<u32>, true};
    table[std::string("selp.") + type] = {"W,WWP", choose<u32>, true};
  }
  for (const char *type : {"b64", "u64", "s64"}) {
    table[std::string("mov.") + type] = {"D,D", move<u64>, true};
    table[std::string("selp.") + type] = {"D,DDP", choose<u64>, true};
  }
  table["mov.pred"] = {"P,P", move_predicate, true};
  table["mov.split.b64"] = {"WW,D", split, true}; // mov.b64 {a, b}, c
  table["mov.join.b64"] = {"D,WW", join, true};   // mov.b64 a, {b, c}
  table["mov.split.b32"] = {"HH,W", split_halves, true};
  table["mov.join.b32"] = {"W,HH", join_halves, true};
  table["and.pred"] = {"P,PP", predicates<both<u32>>};
  table["or.pred"] = {"P,PP", predicates<either<u32>>};
  table["xor.pred"] = {"P,PP", predicates<differ<u32>>};
  table["not.pred"] = {"P,P", not_predicate};
}

Table make_table() {
  Table table;
  add_integers(&table);
  add_halves(&table);
  add_floats(&table);
  add_conversions(&table);
  add_copies(&table);
  return table;
}

} // namespace

Handler arbitrary_value(char width) {
  return width == 'P' ? arbitrary_predicate : width == 'H' ? arbitrary_half : width == 'W' ? arbitrary<u32>
                                                                                          : arbitrary<u64>;
}

const Operation *find_arithmetic(const std::string &opcode) {
  static const Table table = make_table();
  auto found = table.find(opcode);
  return found == table.end() ? nullptr : &found->second;
}

} // namespace ptx
