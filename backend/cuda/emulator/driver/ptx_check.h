// Checks of accesses to memory: bounds, alignment, values and races.

#pragma once

#include "ptx_code.h"

namespace ptx {

// Generic addresses of local and of shared memory have these bits. Addresses of global memory are addresses of the
// host, which have neither.
const u64 kLocalWindow = u64(1) << 62, kSharedWindow = u64(1) << 61;

enum Kind { kRead, kWrite, kAtomicWrite };

// checked makes all checks of an access of a lane, and returns the memory.
u8 *checked(Warp &w, const Instruction &i, u32 lane, Space space, u64 address, u32 bytes, Kind kind);

// note_shared_read makes the checks of a tentative load of a lane, except for bounds, and notes the read.
void note_shared_read(Warp &w, const Instruction &i, u32 lane, u64 address);
// has_values returns whether the words of a tentative load have values.
bool has_values(Warp &w, const Instruction &i, u64 address);

const u8 kWhole = 15; // all bytes of a word

// parts_of returns the shadows of the bytes of a region, which are behind those of its words.
inline Shadow *parts_of(const Region &r) { return r.shadow + (r.end - r.begin + 3) / 4 + 1; }

#define INLINE inline __attribute__((always_inline))

// Shortcut decides the usual accesses to words of 32 bits, which take most of the interpreter's time: those to words on
// which there can be no race, because nothing else happened to them. It returns null for all others.
template <Space space> struct Shortcut {
  Shortcut(Warp &, const Instruction &) {}
  INLINE u8 *operator()(u64, u32, Kind) { return nullptr; }
};

INLINE void read_again(Shadow *s, u64 interval, u32 thread) {
  if (s->read < interval) s->read = interval | thread;
  else if ((s->read & kThread) != thread) s->read |= kMany;
}

template <> struct Shortcut<kShared> {
  u8 *const memory;
  Shadow *const shadow;
  const u8 *const valid;
  const u64 bytes, block_begin, interval;
  Shortcut(Warp &w, const Instruction &i)
      : memory(w.x->shared.data()), shadow(w.x->shared_shadow.data()), valid(w.x->shared_valid.data()),
        bytes(i.follow == kTentative ? 0 : w.x->shared.size()), block_begin(w.x->block_begin),
        interval(w.x->interval) {}
  INLINE u8 *operator()(u64 address, u32 thread, Kind kind) {
    if (address >= bytes || address % 4) return nullptr;
    Shadow *s = shadow + address / 4;
    if (kind == kRead) {
      if (s->written < block_begin || s->written >= interval) return nullptr;
      read_again(s, interval, thread);
    } else {
      if (s->written >= interval || s->read >= interval) return nullptr;
      if (valid[address / 4] != kWhole || kind != kWrite) return nullptr;
      s->written = interval | thread;
    }
    return memory + address;
  }
};

template <> struct Shortcut<kGlobal> {
  const Region &region;
  const u64 launch_begin, interval;
  const bool possible;
  Shortcut(Warp &w, const Instruction &i)
      : region(w.x->cache[i.cache]), launch_begin(w.x->launch_begin), interval(w.x->interval),
        possible(i.coherent && !w.x->figures) {}
  INLINE u8 *operator()(u64 address, u32 thread, Kind kind) {
    if (kind != kRead || !possible || address % 4) return nullptr;
    if (address < region.begin || address >= region.end || region.end - address < 4) return nullptr;
    Shadow *s = region.shadow + (address - region.begin) / 4;
    if (s->written >= launch_begin || (s->read >= launch_begin && s->read < interval)) return nullptr;
    read_again(s, interval, thread);
    return reinterpret_cast<u8 *>(address);
  }
};

} // namespace ptx
