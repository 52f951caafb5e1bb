// Loads, stores and atomic operations, with the checks of their addresses, of the values in shared and local memory,
// and of races.

#include "ptx_code.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace ptx {

// Generic addresses of local memory have this bit. Addresses of global memory are addresses of the host, which do not.
static const u64 kLocalWindow = u64(1) << 62;

std::shared_ptr<Shadow> new_shadow(size_t bytes) {
  auto *shadow = static_cast<Shadow *>(calloc((bytes + 3) / 4 + 1, sizeof(Shadow)));
  if (!shadow) throw std::bad_alloc();
  return std::shared_ptr<Shadow>(shadow, free);
}

namespace {

enum Kind { kRead, kWrite, kAtomicWrite };

std::string text_of(u64 n) { return std::to_string(n); }

// A word that an instruction uses, for what a mistake says.
struct Place {
  const Instruction &i;
  u32 lane;
  Space space;
  u64 address;
};

std::string name_of(const Warp &w, const Place &p) {
  if (p.space == kGlobal) {
    char text[40];
    snprintf(text, sizeof text, "global memory at 0x%llx", (unsigned long long)p.address);
    return text;
  }
  auto &variables = p.space == kShared ? w.x->kernel.shared : w.x->kernel.local;
  const char *space = p.space == kShared ? "shared memory" : "local memory";
  for (auto &v : variables)
    if (p.address >= v.begin && p.address < v.end) return v.name + " in " + space + ", byte " + text_of(p.address - v.begin);
  return std::string(space) + ", byte " + text_of(p.address);
}

[[noreturn]] void race(const Warp &w, const Place &p, const char *what, u64 other, bool other_block) {
  std::string by = other & kMany ? "several threads" : "thread " + text_of(other & kThread);
  if (other_block) by += " of another block";
  fail(w, p.i, p.lane, 719, std::string("a race: ") + what + " by " + by + ", " + name_of(w, p));
}

bool same_interval(u64 a, u64 b) { return (a ^ b) >> kInterval == 0; }

// begin_of returns the first interval whose accesses matter for a space: shared memory is new in each block.
inline u64 begin_of(const Execution &x, Space space) { return space == kShared ? x.block_begin : x.launch_begin; }

// conflicts ends the launch if an earlier access, which is known as seen, is of another thread and nothing orders it
// before the access of this thread.
inline void conflicts(const Warp &w, const Place &p, u64 seen, u64 many_blocks, u32 thread, const char *what) {
  const Execution &x = *w.x;
  if (seen < begin_of(x, p.space)) return;
  if (seen < x.block_begin || many_blocks) race(w, p, what, seen, true);
  if (same_interval(seen, x.interval) && ((seen & kThread) != thread || seen & kMany)) race(w, p, what, seen, false);
}

void note_read(const Warp &w, const Place &p, Shadow *s, u32 thread, bool coherent) {
  const Execution &x = *w.x;
  conflicts(w, p, s->written, s->written & kManyBlocks, thread, "a read of what was written");
  const u64 begin = begin_of(x, p.space);
  if (!coherent && s->written >= begin)
    fail(w, p.i, p.lane, 719, "a read past the cache of what the launch has written, " + name_of(w, p));
  if (same_interval(s->read, x.interval)) {
    if ((s->read & kThread) != thread) s->read |= kMany;
  } else {
    u64 flags = 0;
    if (s->read >= begin) flags = s->read & (kManyBlocks | kIncoherent);
    if (s->read >= begin && s->read < x.block_begin) flags |= kManyBlocks;
    s->read = x.interval | flags | thread;
  }
  if (!coherent) s->read |= kIncoherent;
}

void note_write(const Warp &w, const Place &p, Shadow *s, u32 thread, bool atomic) {
  const Execution &x = *w.x;
  conflicts(w, p, s->read, s->read & kManyBlocks, thread, "a write of what was read");
  const u64 begin = begin_of(x, p.space);
  if (s->read >= begin && s->read & kIncoherent)
    fail(w, p.i, p.lane, 719, "a write of what the launch has read past the cache, " + name_of(w, p));
  bool both = atomic && s->written & kAtomic;
  if (!both) conflicts(w, p, s->written, s->written & kManyBlocks, thread, "a write of what was written");
  if (!atomic) {
    s->written = x.interval | thread;
    return;
  }
  u64 flags = kAtomic;
  if (s->written >= begin) {
    flags |= s->written & kManyBlocks;
    if (s->written < x.block_begin) flags |= kManyBlocks;
    if (same_interval(s->written, x.interval)) {
      if (!(s->written & kAtomic)) flags &= ~kAtomic; // another atomic write is a race with the write before this one
      if ((s->written & kThread) != thread) flags |= kMany;
      flags |= s->written & kMany;
    }
  }
  s->written = x.interval | flags | thread;
}

void note(const Warp &w, const Place &p, Shadow *s, u32 thread, Kind kind) {
  if (kind == kRead) note_read(w, p, s, thread, p.i.coherent);
  else note_write(w, p, s, thread, kind == kAtomicWrite);
}

[[noreturn]] void outside(const Warp &w, const Place &p, u32 bytes, Kind kind) {
  fail(w, p.i, p.lane, 700, std::string(kind == kRead ? "a read" : "a write") + " of " + text_of(bytes) +
      " bytes out of bounds, " + name_of(w, p));
}

// words calls f for each word of an access.
template <typename F> inline void words(u64 address, u32 bytes, F f) {
  for (u32 k = 0; k < bytes; k += 4) f(address + k);
}

u8 *in_shared(Warp &w, const Place &p, u32 bytes, Kind kind) {
  Execution &x = *w.x;
  u32 thread = w.first + p.lane;
  if (p.address > x.shared.size() || bytes > x.shared.size() - p.address) outside(w, p, bytes, kind);
  words(p.address, bytes, [&](u64 a) {
    Place word{p.i, p.lane, kShared, a};
    Shadow &s = x.shared_shadow[a / 4];
    if (!x.shared_valid[a / 4]) outside(w, p, bytes, kind);
    if (kind != kWrite && s.written < x.block_begin) fail(w, p.i, p.lane, 719, "a read of a word without a value, " + name_of(w, word));
    if (kind == kRead && same_interval(s.read, x.interval) && !same_interval(s.written, x.interval)) {
      if ((s.read & kThread) != thread) s.read |= kMany; // the most frequent case of note_read
      return;
    }
    note(w, word, &s, thread, kind);
  });
  return x.shared.data() + p.address;
}

u8 *in_local(Warp &w, const Place &p, u32 bytes, Kind kind) {
  Execution &x = *w.x;
  u64 size = x.kernel.local_bytes, thread = w.first + p.lane;
  if (p.address > size || bytes > size - p.address) outside(w, p, bytes, kind);
  words(p.address, bytes, [&](u64 a) {
    u8 &defined = x.local_defined[(thread * size + a) / 4];
    if (kind != kWrite && !defined) fail(w, p.i, p.lane, 719, "a read of a word without a value, " + name_of(w, {p.i, p.lane, kLocal, a}));
    defined = 1;
  });
  return x.local.data() + thread * size + p.address;
}

void find_region(Warp &w, const Place &p, u32 bytes, Kind kind, Region *r) {
  Execution &x = *w.x;
  for (auto &own : x.module.regions)
    if (p.address >= own.begin && p.address < own.end) {
      *r = own;
      return;
    }
  if (!x.host.find(p.address, r)) outside(w, p, bytes, kind);
}

u8 *in_global(Warp &w, const Place &p, u32 bytes, Kind kind) {
  Execution &x = *w.x;
  Region &r = x.cache[p.i.cache];
  if (p.address < r.begin || p.address >= r.end) find_region(w, p, bytes, kind, &r);
  if (bytes > r.end - p.address) outside(w, p, bytes, kind);
  if (kind != kRead && r.constant) fail(w, p.i, p.lane, 700, "a write of a constant, " + name_of(w, p));
  words(p.address, bytes, [&](u64 a) {
    note(w, {p.i, p.lane, kGlobal, a}, &r.shadow[(a - r.begin) / 4], w.first + p.lane, kind);
  });
  if (x.figures) {
    bool &present = x.sectors[p.address / 32];
    if (!present && kind == kRead) x.missed = true;
    present = true;
  }
  return reinterpret_cast<u8 *>(p.address);
}

// reach checks an access of one lane and returns the memory.
template <Space space> inline u8 *reach(Warp &w, const Instruction &i, u32 lane, u64 address, u32 bytes, Kind kind) {
  Place p{i, lane, space, address};
  if (space == kGeneric) {
    p.space = address & kLocalWindow ? kLocal : kGlobal;
    if (p.space == kLocal) p.address &= ~kLocalWindow;
  }
  if (address % bytes) fail(w, i, lane, 716, "an access of " + text_of(bytes) + " bytes that is misaligned, " + name_of(w, p));
  if (p.space == kShared) return in_shared(w, p, bytes, kind);
  if (p.space == kLocal) return in_local(w, p, bytes, kind);
  return in_global(w, p, bytes, kind);
}

template <typename T, u32 count, Space space> void load(Warp &w, const Instruction &i, u32 lanes) {
  const u64 *address = lanes_of<u64>(w, i.source[0]);
  T *results[count];
  for (u32 k = 0; k < count; k++) results[k] = lanes_of<T>(w, i.result[k]);
  each(lanes, [&](u32 l) {
    const u8 *memory = reach<space>(w, i, l, address[l] + i.offset, sizeof(T) * count, kRead);
    T values[count]; // read before the first result is written, which may hold the address
    memcpy(values, memory, sizeof values);
    for (u32 k = 0; k < count; k++) results[k][l] = values[k];
  });
}

// A register may be wider than what is loaded into it, or stored of it.
template <typename T, typename R, Space space> void load_extended(Warp &w, const Instruction &i, u32 lanes) {
  const u64 *address = lanes_of<u64>(w, i.source[0]);
  R *d = lanes_of<R>(w, i.result[0]);
  each(lanes, [&](u32 l) {
    T value;
    memcpy(&value, reach<space>(w, i, l, address[l] + i.offset, sizeof value, kRead), sizeof value);
    d[l] = R(value);
  });
}

template <typename T, u32 count, Space space> void store(Warp &w, const Instruction &i, u32 lanes) {
  const u64 *address = lanes_of<u64>(w, i.source[0]);
  const T *values[count];
  for (u32 k = 0; k < count; k++) values[k] = lanes_of<T>(w, i.source[1 + k]);
  each(lanes, [&](u32 l) {
    u8 *memory = reach<space>(w, i, l, address[l] + i.offset, sizeof(T) * count, kWrite);
    for (u32 k = 0; k < count; k++) memcpy(memory + k * sizeof(T), &values[k][l], sizeof(T));
  });
}

template <Space space> void store_low(Warp &w, const Instruction &i, u32 lanes) {
  const u64 *address = lanes_of<u64>(w, i.source[0]), *values = lanes_of<u64>(w, i.source[1]);
  each(lanes, [&](u32 l) { memcpy(reach<space>(w, i, l, address[l] + i.offset, 4, kWrite), &values[l], 4); });
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
  each(lanes, [&](u32 l) {
    u8 *memory = reach<space>(w, i, l, address[l] + i.offset, 4, kAtomicWrite);
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

Handler handler_of(const Access &a, const std::string &operation, u32 *operands) {
  switch (a.space) {
  case kGlobal:
    return a.kind == Access::kLoad ? load_of<kGlobal>(a.bytes, a.count) : a.kind == Access::kStore ? store_of<kGlobal>(a.bytes, a.count)
                                                                                      : atomic_of<kGlobal>(operation, operands);
  case kShared:
    return a.kind == Access::kLoad ? load_of<kShared>(a.bytes, a.count) : a.kind == Access::kStore ? store_of<kShared>(a.bytes, a.count)
                                                                                      : atomic_of<kShared>(operation, operands);
  case kLocal:
    return a.kind == Access::kLoad ? load_of<kLocal>(a.bytes, a.count) : a.kind == Access::kStore ? store_of<kLocal>(a.bytes, a.count)
                                                                                     : nullptr;
  default:
    return a.kind == Access::kLoad ? load_of<kGeneric>(a.bytes, a.count) : a.kind == Access::kStore ? store_of<kGeneric>(a.bytes, a.count)
                                                                                       : atomic_of<kGeneric>(operation, operands);
  }
}

// take removes a prefix.
bool take(std::string *text, const std::string &prefix) {
  if (text->compare(0, prefix.size(), prefix) != 0) return false;
  text->erase(0, prefix.size());
  return true;
}

void to_local_window(Warp &w, const Instruction &i, u32 lanes) {
  u64 *d = lanes_of<u64>(w, i.result[0]);
  const u64 *a = lanes_of<u64>(w, i.source[0]);
  each(lanes, [=](u32 l) { d[l] = a[l] | kLocalWindow; });
}
void from_local_window(Warp &w, const Instruction &i, u32 lanes) {
  u64 *d = lanes_of<u64>(w, i.result[0]);
  const u64 *a = lanes_of<u64>(w, i.source[0]);
  each(lanes, [=](u32 l) { d[l] = a[l] & ~kLocalWindow; });
}

} // namespace

bool find_access(const std::string &opcode, Access *access) {
  std::string rest = opcode;
  if (take(&rest, "ld")) access->kind = Access::kLoad;
  else if (take(&rest, "st")) access->kind = Access::kStore;
  else if (take(&rest, "atom")) access->kind = Access::kAtomicOperation;
  else return false;
  access->space = take(&rest, ".global") ? kGlobal : take(&rest, ".shared") ? kShared : take(&rest, ".local") ? kLocal : kGeneric;
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
    if (!access->bytes) return false;
    access->run = handler_of(*access, rest, &access->operands);
    if (access->count == 1 && access->bytes == 4 && rest != ".f32") access->wide = wide_of(*access, rest == ".s32");
  }
  return access->run != nullptr;
}

Handler find_window(const std::string &opcode) {
  if (opcode == "cvta.local.u64") return to_local_window;
  if (opcode == "cvta.to.local.u64") return from_local_window;
  return nullptr;
}

} // namespace ptx
