// Checks of accesses to memory that the shortcuts in ptx_check.h do not decide.

#include "ptx_check.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ptx {

std::shared_ptr<Shadow> new_shadow(size_t bytes) {
  // For each word and for each byte. The pages of those that are never used take no memory.
  auto *shadow = static_cast<Shadow *>(calloc(5 * ((bytes + 3) / 4 + 1), sizeof(Shadow)));
  if (!shadow) throw std::bad_alloc();
  return std::shared_ptr<Shadow>(shadow, free);
}

namespace {

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
    if (p.address >= v.begin && p.address < v.end)
      return v.name + " in " + space + ", byte " + text_of(p.address - v.begin);
  return std::string(space) + ", byte " + text_of(p.address);
}

[[noreturn]] void race(const Warp &w, const Place &p, const char *what, u64 other, bool other_block) {
  std::string by = other & kMany ? "several threads" : "thread " + text_of(other & kThread);
  if (other_block) by += " of another block";
  fail(w, p.i, p.lane, kLaunchFailed, std::string("a race: ") + what + " by " + by + ", " + name_of(w, p));
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
    fail(w, p.i, p.lane, kLaunchFailed, "a read past the cache of what the launch has written, " + name_of(w, p));
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
    fail(w, p.i, p.lane, kLaunchFailed, "a write of what the launch has read past the cache, " + name_of(w, p));
  // Atomic writes do not race with each other. A plain write before them is ordered in its own block alone.
  bool both = atomic && s->written & kAtomic && (s->written >= x.block_begin || !(s->written & kPlain));
  if (!both) conflicts(w, p, s->written, s->written & kManyBlocks, thread, "a write of what was written");
  if (!atomic) {
    s->written = x.interval | thread;
    return;
  }
  u64 flags = kAtomic;
  if (s->written >= begin) {
    flags |= s->written & (kManyBlocks | kPlain);
    if (!(s->written & kAtomic)) flags |= kPlain;
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

[[noreturn]] void without_value(const Warp &w, const Place &p, const char *what) {
  fail(w, p.i, p.lane, kLaunchFailed, std::string("a read of a ") + what + " without a value, " + name_of(w, p));
}

[[noreturn]] void outside(const Warp &w, const Place &p, u32 bytes, Kind kind) {
  fail(w, p.i, p.lane, kOutOfBounds, std::string(kind == kRead ? "a read" : "a write") + " of " + text_of(bytes) +
      " bytes out of bounds, " + name_of(w, p));
}

// words calls f for each word of an access, and with how many of its bytes are used.
template <typename F> inline void words(u64 address, u32 bytes, F f) {
  if (bytes < 4) return f(address, bytes);
  for (u32 k = 0; k < bytes; k += 4) f(address + k, 4u);
}

// has_value returns whether a word of shared memory, or one of the bytes of it that are used, has a value. A struct
// with padding may be written by field and copied by word, so some bytes of a word need no value.
bool has_value(const Warp &w, const Place &p, u32 bytes, const Shadow *word, const Shadow *parts) {
  const u64 begin = w.x->block_begin;
  if (word->written != kParts) return word->written >= begin;
  for (u64 a = p.address; a < p.address + bytes; a++)
    if (parts[a % 4].written >= begin) return true;
  return false;
}

// note_word notes an access to a word or to bytes of it. parts are the shadows of its bytes.
void note_word(const Warp &w, const Place &p, u32 bytes, Shadow *word, Shadow *parts, Kind kind) {
  const u32 thread = w.first + p.lane;
  const bool valued = p.space == kShared && kind != kWrite; // other memory has a value from the start
  if (valued && !has_value(w, p, bytes, word, parts)) without_value(w, p, bytes == 1 ? "byte" : "word");
  if (bytes == 4 && word->written != kParts) return note(w, p, word, thread, kind);
  if (word->written != kParts) {
    for (u32 k = 0; k < 4; k++) parts[k] = *word;
    word->written = word->read = kParts;
  }
  for (u64 a = p.address; a < p.address + bytes; a++)
    note(w, {p.i, p.lane, p.space, a}, &parts[a % 4], thread, kind);
}

// parts_in_shared returns the shadows of the bytes of a word of shared memory.
Shadow *parts_in_shared(Execution &x, u64 address) {
  return x.shared_parts.empty() ? nullptr : &x.shared_parts[address / 4 * 4];
}

u8 *in_shared(Warp &w, const Place &p, u32 bytes, Kind kind) {
  Execution &x = *w.x;
  if (p.address > x.shared.size() || bytes > x.shared.size() - p.address) outside(w, p, bytes, kind);
  if (p.i.follow == kTentative) return &x.shared[p.address]; // in a variable; other checks may follow
  words(p.address, bytes, [&](u64 a, u32 used) {
    u32 wanted = ((1u << used) - 1) << a % 4;
    if ((x.shared_valid[a / 4] & wanted) != wanted) outside(w, p, bytes, kind);
    note_word(w, {p.i, p.lane, kShared, a}, used, &x.shared_shadow[a / 4], parts_in_shared(x, a), kind);
  });
  return &x.shared[p.address];
}

u8 *in_local(Warp &w, const Place &p, u32 bytes, Kind kind) {
  Execution &x = *w.x;
  u64 size = x.kernel.local_bytes, thread = w.first + p.lane;
  if (p.address > size || bytes > size - p.address) outside(w, p, bytes, kind);
  u8 *defined = x.local_defined.data() + thread * size + p.address, *memory = x.local.data() + thread * size + p.address;
  words(p.address, bytes, [&](u64 a, u32 used) {
    if (!x.local_valid[a / 4]) outside(w, p, bytes, kind);
    u8 *of = defined + (a - p.address);
    if (kind == kRead && used == 1 && !*of) {
      // Compilers copy a struct byte by byte, with its padding. Such a byte has a value here that few results have by
      // chance, so that a use of it shows.
      memory[a - p.address] = 0xa5;
    } else if (kind != kWrite) {
      if (!memchr(of, 1, used)) without_value(w, {p.i, p.lane, kLocal, a}, "word");
    } else {
      memset(of, 1, used);
    }
  });
  return memory;
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
  words(p.address, bytes, [&](u64 a, u32 used) {
    u64 word = (a - r.begin) / 4;
    note_word(w, {p.i, p.lane, kGlobal, a}, used, r.shadow + word, parts_of(r) + word * 4, kind);
  });
  if (x.figures) {
    bool &present = x.sectors[p.address / 32];
    if (!present && kind == kRead) x.missed = true;
    present = true;
  }
  return reinterpret_cast<u8 *>(p.address);
}

} // namespace

void note_shared_read(Warp &w, const Instruction &i, u32 lane, u64 address) {
  words(address, u32(i.bytes) * i.results, [&](u64 a, u32 used) {
    note_word(w, {i, lane, kShared, a}, used, &w.x->shared_shadow[a / 4], parts_in_shared(*w.x, a), kRead);
  });
}

bool has_values(Warp &w, const Instruction &i, u64 address) {
  bool all = true;
  words(address, u32(i.bytes) * i.results, [&](u64 a, u32 used) {
    all &= has_value(w, {i, 0, kShared, a}, used, &w.x->shared_shadow[a / 4], parts_in_shared(*w.x, a));
  });
  return all;
}

u8 *checked(Warp &w, const Instruction &i, u32 lane, Space space, u64 address, u32 bytes, Kind kind) {
  Place p{i, lane, space, address};
  if (space == kGeneric) {
    p.space = address & kLocalWindow ? kLocal : address & kSharedWindow ? kShared : kGlobal;
    p.address &= ~(kLocalWindow | kSharedWindow);
  }
  if (address % bytes)
    fail(w, i, lane, kMisaligned, "an access of " + text_of(bytes) + " bytes that is misaligned, " + name_of(w, p));
  if (p.space == kShared) return in_shared(w, p, bytes, kind);
  if (p.space == kLocal) return in_local(w, p, bytes, kind);
  return in_global(w, p, bytes, kind);
}

} // namespace ptx
