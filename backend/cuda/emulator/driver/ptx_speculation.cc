// Loads whose value is not used. LLVM moves a load in front of the branch or the loop in which some lanes use its value,
// if the address is a constant inside a variable. In the other lanes the load is no read of the program: what they
// loaded may race or have no value, and that does not matter.
//
// So a load of shared memory from a constant address is tentative, unless its value is certainly used. The registers
// that may have such a value are followed, lane by lane. The load counts as a read, with all checks, when its value has
// an effect: it is stored, is an address, or decides a branch. A read that has not counted at the next barrier is
// checked there, because the barrier orders it before all accesses that follow. If it was a mistake, a later effect of
// its value reports it.

#include "ptx_check.h"

#include <cstring>
#include <set>

namespace ptx {

namespace {

const u32 kMaxReads = 63; // of a kernel, a bit for each
const u64 kFailed = u64(1) << kMaxReads;

// Registers tells which instructions read and write each slot.
struct Registers {
  std::vector<std::vector<u32>> readers, writers;
};

Registers registers_of(const Kernel &k) {
  Registers r;
  r.readers.resize(k.slots);
  r.writers.resize(k.slots);
  for (u32 a = 0; a < k.code.size(); a++) {
    const Instruction &i = k.code[a];
    if (i.predicate) r.readers[i.predicate].push_back(a);
    for (u8 n = 0; n < i.sources; n++) r.readers[i.source[n]].push_back(a);
    for (u8 n = 0; n < i.results; n++) r.writers[i.result[n]].push_back(a);
  }
  return r;
}

// The only instruction that writes a slot, if it writes all lanes that come to it; else null.
const Instruction *only_writer(const Kernel &k, const Registers &r, u32 slot) {
  if (r.writers[slot].size() != 1) return nullptr;
  const Instruction &i = k.code[r.writers[slot][0]];
  return i.predicate ? nullptr : &i;
}

bool starts(const std::string &text, const char *prefix) { return text.compare(0, strlen(prefix), prefix) == 0; }

// follow_of returns what an instruction does with the origins of its sources.
Follow follow_of(const Kernel &k, const Instruction &i) {
  const std::string &opcode = k.texts[i.statement];
  bool loads = starts(opcode, "ld.") && !starts(opcode, "ld.param.");
  if (!i.results || loads || starts(opcode, "atom.")) return kUses;
  if (starts(opcode, "selp.")) return kSelects;
  if (opcode == "and.pred") return kConjoins;
  if (opcode == "or.pred") return kDisjoins;
  return kDerives;
}

// constant_of returns whether a register of 64 bits has one value, which the text tells, and stores it.
bool constant_of(const Kernel &k, const Registers &r, u32 slot, int depth, u64 *value) {
  if (slot >= k.first_constant) {
    memcpy(value, &k.constants[size_t(slot - k.first_fixed) * kSlotBytes], sizeof *value);
    return true;
  }
  const Instruction *i = only_writer(k, r, slot);
  if (!i || !depth) return false;
  const std::string &opcode = k.texts[i->statement];
  if (opcode == "mov.u64" || opcode == "mov.b64")
    return i->results == 1 && i->sources == 1 && constant_of(k, r, i->source[0], depth - 1, value);
  u64 other;
  if ((opcode != "add.s64" && opcode != "add.u64") || !constant_of(k, r, i->source[0], depth - 1, value) ||
      !constant_of(k, r, i->source[1], depth - 1, &other))
    return false;
  *value += other;
  return true;
}

// from_constant returns whether an instruction loads from a constant address inside a shared variable, and stores the
// address.
bool from_constant(const Kernel &k, const Registers &r, const Instruction &i, u64 *address) {
  const int depth = 8; // of moves and sums
  if (!starts(k.texts[i.statement], "ld.shared.") || !constant_of(k, r, i.source[0], depth, address)) return false;
  *address += u64(i.offset);
  const u64 bytes = u64(i.bytes) * i.results;
  if (*address % bytes) return false;
  for (auto &v : k.shared)
    if (*address >= v.begin && *address < v.end && bytes <= v.end - *address) return true;
  return false;
}

// may_idle returns whether a load may be one that a compiler moved: whether its value has an effect on some of the ways
// from the load on, and on others none. A compiler keeps no load whose value nothing uses.
bool may_idle(const Kernel &k, const Registers &r, u32 load) {
  std::set<u32> effects, slots; // of the value for certain: no other one can be in these slots
  std::vector<u32> rest;
  bool used = false;
  auto add = [&](const Instruction &i) {
    for (u8 n = 0; n < i.results; n++) {
      used |= !r.readers[i.result[n]].empty();
      if (only_writer(k, r, i.result[n]) && slots.insert(i.result[n]).second) rest.push_back(i.result[n]);
    }
  };
  add(k.code[load]);
  if (!used) return false;
  while (!rest.empty()) {
    u32 slot = rest.back();
    rest.pop_back();
    for (u32 a : r.readers[slot]) {
      const Instruction &i = k.code[a];
      Follow follow = follow_of(k, i);
      if (i.predicate == slot || (!i.predicate && follow == kUses)) effects.insert(a);
      else if (!i.predicate && follow == kDerives) add(i);
    }
  }
  for (u32 a = k.code[load].join; a < k.code.size(); a = k.code[a].join)
    if (effects.count(a)) return false;
  return true;
}

// add_followed adds the registers that may have a value of the tentative loads.
void add_followed(Kernel *k, const Registers &r) {
  std::vector<u32> rest;
  k->followed.assign(k->slots, 0);
  auto add = [&](const Instruction &i) {
    for (u8 n = 0; n < i.results; n++) {
      u32 &place = k->followed[i.result[n]];
      if (place) continue;
      place = ++k->follows;
      rest.push_back(i.result[n]);
    }
  };
  for (auto &t : k->tentative) add(k->code[t.at]);
  while (!rest.empty()) {
    u32 slot = rest.back();
    rest.pop_back();
    for (u32 a : r.readers[slot])
      if (follow_of(*k, k->code[a]) != kUses) add(k->code[a]);
  }
}

} // namespace

void find_tentative(Kernel *k) {
  u64 address;
  Registers r;
  for (u32 a = 0; a < k->code.size() && k->tentative.size() < kMaxReads; a++) {
    Instruction &i = k->code[a];
    if (i.space != kShared || !i.results) continue;
    if (r.readers.empty()) r = registers_of(*k);
    if (!from_constant(*k, r, i, &address) || !may_idle(*k, r, a)) continue;
    i.read = u8(k->tentative.size());
    k->tentative.push_back({a, address});
  }
  if (k->tentative.empty()) return;
  add_followed(k, r);
  for (u32 slot = 0; slot < k->slots; slot++) {
    if (!k->followed[slot]) continue;
    for (u32 a : r.readers[slot]) k->code[a].follow = follow_of(*k, k->code[a]);
    for (u32 a : r.writers[slot]) k->code[a].follow = follow_of(*k, k->code[a]);
  }
  for (auto &t : k->tentative) k->code[t.at].follow = kTentative;
}

namespace {

// origins_of returns for each lane the tentative loads that the value of a register comes from, and kFailed for a
// mistake of an earlier interval. Other registers than the followed ones have none.
u64 *origins_of(Warp &w, u32 slot) { return &w.origins[size_t(w.x->kernel.followed[slot]) * kLanes]; }

// count_read makes all checks of a tentative load of a lane, and counts it as a read.
void count_read(Warp &w, u32 number, u32 lane) {
  const Tentative &t = w.x->kernel.tentative[number];
  note_shared_read(w, w.x->kernel.code[t.at], lane, t.address);
}

// count_later does the same, and keeps a mistake for an effect of the value.
void count_later(Warp &w, u32 number, u32 lane) {
  try {
    count_read(w, number, lane);
  } catch (const Mistake &mistake) {
    w.failures.insert_or_assign(lane, mistake);
    for (size_t n = lane; n < w.origins.size(); n += kLanes)
      if (w.origins[n] >> number & 1) w.origins[n] |= kFailed;
  }
}

// uses counts the reads that the value of a register comes from.
void uses(Warp &w, u32 slot, u32 lanes) {
  const u64 *origins = origins_of(w, slot);
  u64 all = 0;
  each(lanes, [&](u32 l) {
    if (origins[l] & kFailed) throw w.failures.at(l);
    all |= origins[l];
  });
  for (; all; all &= all - 1) {
    const u32 read = u32(__builtin_ctzll(all));
    u32 counted = 0;
    each(lanes & w.unsettled[read], [&](u32 l) { counted |= u32(origins[l] >> read & 1) << l; });
    w.unsettled[read] &= ~counted;
    for (int n = 0; counted && n < 2; n++, counted &= counted - 1) // more make no difference, as in load_once
      count_read(w, read, u32(__builtin_ctz(counted)));
  }
}

// derived returns the origins of the result of an instruction.
u64 derived(Warp &w, const Instruction &i, u32 lane) {
  auto origins = [&](u32 n) { return origins_of(w, i.source[n])[lane]; };
  auto holds = [&](u32 n) { return predicate_of(w, i.source[n]) >> lane & 1; };
  if (i.follow == kSelects) return origins(2) | origins(holds(2) ? 0 : 1);
  u64 all = 0;
  for (u8 n = 0; n < i.sources; n++) {
    // One operand may decide alone.
    bool decides = i.follow == kConjoins ? !holds(n) : i.follow == kDisjoins && holds(n);
    if (decides && !origins(n)) return 0;
    all |= origins(n);
  }
  return all;
}

void read(Warp &w, const Instruction &i, u32 lanes) {
  w.follows = true;
  w.unsettled[i.read] |= lanes;
  for (u8 n = 0; n < i.results; n++) each(lanes, [&](u32 l) { origins_of(w, i.result[n])[l] = u64(1) << i.read; });
  if (has_values(w, i, w.x->kernel.tentative[i.read].address)) return;
  w.unsettled[i.read] &= ~lanes;
  each(lanes, [&](u32 l) { count_later(w, i.read, l); });
}

} // namespace

void begin_following(Warp *w) {
  const Kernel &k = w->x->kernel;
  if (k.tentative.empty()) return;
  w->origins.assign(size_t(k.follows + 1) * kLanes, 0);
  w->unsettled.assign(k.tentative.size(), 0);
}

void follow(Warp &w, const Instruction &i, u32 active, u32 selected) {
  if (!w.follows && i.follow != kTentative) return;
  if (i.predicate) uses(w, i.predicate, active);
  if (i.follow == kTentative) return read(w, i, selected);
  if (i.follow == kUses)
    for (u8 n = 0; n < i.sources; n++) uses(w, i.source[n], selected);
  if (!i.results) return;
  each(selected, [&](u32 l) {
    const u64 origins = i.follow == kUses ? 0 : derived(w, i, l);
    for (u8 n = 0; n < i.results; n++) origins_of(w, i.result[n])[l] = origins;
  });
}

void settle(Warp &w) {
  if (!w.follows) return;
  const Kernel &k = w.x->kernel;
  for (u32 r = 0; r < k.tentative.size(); r++) {
    each(w.unsettled[r], [&](u32 l) { count_later(w, r, l); });
    w.unsettled[r] = 0;
  }
  for (u64 &origins : w.origins) origins &= kFailed;
  w.follows = !w.failures.empty();
}

} // namespace ptx
