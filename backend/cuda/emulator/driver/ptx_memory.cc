// Loads, stores and atomic operations.

#include "ptx_check.h"
#include "ptx_text.h"

#include <algorithm>
#include <cstring>

namespace ptx {

namespace {

#define INLINED __attribute__((always_inline))

// Reach returns the memory of an access of a lane, with all checks.
template <Space space, u32 bytes, Kind kind> struct Reach {
  Warp &w;
  const Instruction &i;
  Shortcut<space> shortcut;
  Reach(Warp &w, const Instruction &i) : w(w), i(i), shortcut(w, i) {}
  INLINE u8 *operator()(u32 lane, u64 address) {
    if (bytes == 4)
      if (u8 *memory = shortcut(address, w.first + lane, kind)) return memory;
    return checked(w, i, lane, space, address, bytes, kind);
  }
};

// same_address returns whether three or more lanes have one address.
inline bool same_address(const u64 *address, u32 lanes) {
  u32 rest = lanes & (lanes - 1);
  u64 first = address[__builtin_ctz(lanes)];
  if (!(rest & (rest - 1)) || address[31 - __builtin_clz(lanes)] != first) return false;
  for (; rest; rest &= rest - 1)
    if (address[__builtin_ctz(rest)] != first) return false;
  return true;
}

// load_once reads a word that all lanes read. Two lanes are checked, because more make no difference.
template <typename T, Space space> void load_once(Warp &w, const Instruction &i, u32 lanes, u64 address) {
  T *d = lanes_of<T>(w, i.result[0]);
  const u32 one = u32(__builtin_ctz(lanes)), other = u32(__builtin_ctz(lanes & (lanes - 1)));
  Reach<space, sizeof(T), kRead> reach(w, i);
  const u8 *memory = reach(one, address);
  reach(other, address);
  T value;
  memcpy(&value, memory, sizeof value);
  each(lanes, [=](u32 l) { d[l] = value; });
}

template <typename T, u32 count, Space space> void load(Warp &w, const Instruction &i, u32 lanes) {
  const u64 *address = lanes_of<u64>(w, i.source[0]);
  if (count == 1 && (space == kShared || space == kGlobal) && same_address(address, lanes))
    return load_once<T, space>(w, i, lanes, address[__builtin_ctz(lanes)] + i.offset);
  T *results[count];
  for (u32 k = 0; k < count; k++) results[k] = lanes_of<T>(w, i.result[k]);
  Reach<space, sizeof(T) * count, kRead> reach(w, i);
  each(lanes, [&](u32 l) INLINED {
    const u8 *memory = reach(l, address[l] + i.offset);
    T values[count]; // read before the first result is written, which may hold the address
    memcpy(values, memory, sizeof values);
    for (u32 k = 0; k < count; k++) results[k][l] = values[k];
  });
}

// A register may be wider than what is loaded into it, or stored of it.
template <typename T, typename R, Space space> void load_extended(Warp &w, const Instruction &i, u32 lanes) {
  const u64 *address = lanes_of<u64>(w, i.source[0]);
  R *d = lanes_of<R>(w, i.result[0]);
  Reach<space, sizeof(T), kRead> reach(w, i);
  each(lanes, [&](u32 l) INLINED {
    T value;
    memcpy(&value, reach(l, address[l] + i.offset), sizeof value);
    d[l] = R(value);
  });
}

// Halves of words are kept with a high half of zero.
template <typename T, Space space> void load_half(Warp &w, const Instruction &i, u32 lanes) {
  load_extended<T, u32, space>(w, i, lanes);
  u32 *d = lanes_of<u32>(w, i.result[0]);
  each(lanes, [=](u32 l) { d[l] &= 0xffff; });
}

template <typename T, u32 count, Space space> void store(Warp &w, const Instruction &i, u32 lanes) {
  const u64 *address = lanes_of<u64>(w, i.source[0]);
  const T *values[count];
  for (u32 k = 0; k < count; k++) values[k] = lanes_of<T>(w, i.source[1 + k]);
  Reach<space, sizeof(T) * count, kWrite> reach(w, i);
  each(lanes, [&](u32 l) INLINED {
    u8 *memory = reach(l, address[l] + i.offset);
    for (u32 k = 0; k < count; k++) memcpy(memory + k * sizeof(T), &values[k][l], sizeof(T));
  });
}

template <Space space> void store_low(Warp &w, const Instruction &i, u32 lanes) {
  const u64 *address = lanes_of<u64>(w, i.source[0]), *values = lanes_of<u64>(w, i.source[1]);
  Reach<space, 4, kWrite> reach(w, i);
  each(lanes, [&](u32 l) INLINED { memcpy(reach(l, address[l] + i.offset), &values[l], 4); });
}

u32 sum(u32 old, u32 a, u32) { return old + a; }
u32 conjunction(u32 old, u32 a, u32) { return old & a; }
u32 disjunction(u32 old, u32 a, u32) { return old | a; }
u32 difference(u32 old, u32 a, u32) { return old ^ a; }
u32 least(u32 old, u32 a, u32) { return std::min(old, a); }
u32 greatest(u32 old, u32 a, u32) { return std::max(old, a); }
u32 least_signed(u32 old, u32 a, u32) { return u32(std::min(s32(old), s32(a))); }
u32 greatest_signed(u32 old, u32 a, u32) { return u32(std::max(s32(old), s32(a))); }
u32 exchange(u32, u32 a, u32) { return a; }
u32 exchange_if_equal(u32 old, u32 a, u32 b) { return old == a ? b : old; }

template <u32 (*op)(u32, u32, u32), u32 operands, Space space> void atomic(Warp &w, const Instruction &i, u32 lanes) {
  const u64 *address = lanes_of<u64>(w, i.source[0]);
  u32 *d = lanes_of<u32>(w, i.result[0]);
  const u32 *a = lanes_of<u32>(w, i.source[1]), *b = lanes_of<u32>(w, i.source[operands]);
  Reach<space, 4, kAtomicWrite> reach(w, i);
  each(lanes, [&](u32 l) {
    u8 *memory = reach(l, address[l] + i.offset);
    u32 old, value;
    memcpy(&old, memory, 4);
    value = op(old, a[l], b[l]);
    memcpy(memory, &value, 4);
    d[l] = old;
  });
}

template <Space space> Handler load_of(u32 bytes, u32 count) {
  if (bytes == 4) return count == 1 ? load<u32, 1, space> : count == 2 ? load<u32, 2, space> : load<u32, 4, space>;
  return count == 1 ? load<u64, 1, space> : count == 2 ? load<u64, 2, space> : nullptr;
}
template <Space space> Handler store_of(u32 bytes, u32 count) {
  if (bytes == 4) return count == 1 ? store<u32, 1, space> : count == 2 ? store<u32, 2, space> : store<u32, 4, space>;
  return count == 1 ? store<u64, 1, space> : count == 2 ? store<u64, 2, space> : nullptr;
}
template <Space space> Handler atomic_of(const std::string &operation, u32 *operands) {
  *operands = 1;
  if (operation == "add.u32" || operation == "add.s32") return atomic<sum, 1, space>;
  if (operation == "and.b32") return atomic<conjunction, 1, space>;
  if (operation == "or.b32") return atomic<disjunction, 1, space>;
  if (operation == "xor.b32") return atomic<difference, 1, space>;
  if (operation == "min.u32") return atomic<least, 1, space>;
  if (operation == "max.u32") return atomic<greatest, 1, space>;
  if (operation == "min.s32") return atomic<least_signed, 1, space>;
  if (operation == "max.s32") return atomic<greatest_signed, 1, space>;
  if (operation == "exch.b32") return atomic<exchange, 1, space>;
  *operands = 2;
  return operation == "cas.b32" ? atomic<exchange_if_equal, 2, space> : nullptr;
}

Handler wide_of(const Access &a, bool sign) {
  if (a.kind == Access::kStore)
    return a.space == kGlobal ? store_low<kGlobal> : a.space == kShared ? store_low<kShared>
        : a.space == kLocal ? store_low<kLocal> : store_low<kGeneric>;
  switch (a.space) {
  case kGlobal: return sign ? load_extended<s32, s64, kGlobal> : load_extended<u32, u64, kGlobal>;
  case kShared: return sign ? load_extended<s32, s64, kShared> : load_extended<u32, u64, kShared>;
  case kLocal: return sign ? load_extended<s32, s64, kLocal> : load_extended<u32, u64, kLocal>;
  default: return sign ? load_extended<s32, s64, kGeneric> : load_extended<u32, u64, kGeneric>;
  }
}

// find_part stores the handlers of a load of less than a word.
template <typename T, typename W, typename D, Space space> void part_of(Access *a) {
  a->run = load_extended<T, W, space>, a->wide = load_extended<T, D, space>, a->half = load_half<T, space>;
}
template <Space space> void find_part(Access *a, const std::string &type) {
  if (type == ".u8" || type == ".b8") part_of<u8, u32, u64, space>(a);
  else if (type == ".s8") part_of<s8, s32, s64, space>(a);
  else if (type == ".u16" || type == ".b16") part_of<u16, u32, u64, space>(a);
  else part_of<s16, s32, s64, space>(a);
}

template <Space space> Handler handler_in(const Access &a, const std::string &operation, u32 *operands) {
  if (a.kind == Access::kAtomicOperation) return atomic_of<space>(operation, operands);
  return a.kind == Access::kLoad ? load_of<space>(a.bytes, a.count) : store_of<space>(a.bytes, a.count);
}

Handler handler_of(const Access &a, const std::string &operation, u32 *operands) {
  switch (a.space) {
  case kGlobal: return handler_in<kGlobal>(a, operation, operands);
  case kShared: return handler_in<kShared>(a, operation, operands);
  case kLocal: return a.kind == Access::kAtomicOperation ? nullptr : handler_in<kLocal>(a, operation, operands);
  default: return handler_in<kGeneric>(a, operation, operands);
  }
}

// take removes a prefix.
bool take(std::string *text, const std::string &prefix) {
  if (text->compare(0, prefix.size(), prefix) != 0) return false;
  text->erase(0, prefix.size());
  return true;
}

template <u64 window> void to_generic(Warp &w, const Instruction &i, u32 lanes) {
  u64 *d = lanes_of<u64>(w, i.result[0]);
  const u64 *a = lanes_of<u64>(w, i.source[0]);
  each(lanes, [=](u32 l) { d[l] = a[l] | window; });
}
template <u64 window> void from_generic(Warp &w, const Instruction &i, u32 lanes) {
  u64 *d = lanes_of<u64>(w, i.result[0]);
  const u64 *a = lanes_of<u64>(w, i.source[0]);
  each(lanes, [=](u32 l) { d[l] = a[l] & ~window; });
}

} // namespace

bool find_access(const std::string &opcode, Access *access) {
  std::string rest = opcode;
  if (take(&rest, "ld")) access->kind = Access::kLoad;
  else if (take(&rest, "st")) access->kind = Access::kStore;
  else if (take(&rest, "atom")) access->kind = Access::kAtomicOperation;
  else return false;
  access->space = take(&rest, ".global") ? kGlobal
      : take(&rest, ".shared") ? kShared
      : take(&rest, ".local") ? kLocal : kGeneric;
  access->coherent = true;
  if (access->kind == Access::kLoad && access->space == kGlobal && take(&rest, ".nc")) access->coherent = false;
  if (access->kind == Access::kAtomicOperation) {
    if (!take(&rest, ".")) return false;
    access->bytes = 4, access->count = 1;
    access->run = handler_of(*access, rest, &access->operands);
  } else {
    access->count = take(&rest, ".v2") ? 2 : take(&rest, ".v4") ? 4 : 1;
    access->bytes = rest == ".u32" || rest == ".s32" || rest == ".b32" || rest == ".f32" ? 4
        : rest == ".u64" || rest == ".s64" || rest == ".b64" ? 8 : 0;
    if (access->kind == Access::kLoad && access->space == kGlobal && access->count == 1 && bytes_of(rest) % 4) {
      access->bytes = bytes_of(rest);
      find_part<kGlobal>(access, rest);
      return true;
    }
    if (!access->bytes) return false;
    access->run = handler_of(*access, rest, &access->operands);
    if (access->count == 1 && access->bytes == 4 && rest != ".f32") access->wide = wide_of(*access, rest == ".s32");
  }
  return access->run != nullptr;
}

Handler find_window(const std::string &opcode) {
  if (opcode == "cvta.local.u64") return to_generic<kLocalWindow>;
  if (opcode == "cvta.to.local.u64") return from_generic<kLocalWindow>;
  if (opcode == "cvta.shared.u64") return to_generic<kSharedWindow>;
  if (opcode == "cvta.to.shared.u64") return from_generic<kSharedWindow>;
  return nullptr;
}

} // namespace ptx
