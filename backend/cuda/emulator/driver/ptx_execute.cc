// Running a launch: blocks one after the other, and in a block each warp until its next barrier.

#include "ptx_code.h"

#include <cstring>

namespace ptx {

u64 max_steps = u64(1) << 28;

// intervals counts the intervals of the process (see Shadow). Runs never overlap, because the driver has one lock.
static u64 intervals = 0;

void fail(const Warp &w, const Instruction &i, u32 lane, int code, const std::string &what) {
  const Execution &x = *w.x;
  std::string where = x.kernel.name + ", line " + std::to_string(i.line) + " of its PTX (" +
      x.kernel.texts[i.statement] + "), block " + std::to_string(x.block) + ", thread " +
      std::to_string(w.first + lane);
  throw Mistake(code, where + ": " + what);
}

void set_conditional(Warp &w, const Instruction &i, u32 lanes) {
  const u64 *handle = lanes_of<u64>(w, i.source[0]);
  const u32 *value = lanes_of<u32>(w, i.source[1]);
  each(lanes, [&](u32 l) {
    if (!w.x->host.set_conditional(handle[l], value[l]))
      fail(w, i, l, kOutOfBounds, "a conditional set outside its graph");
  });
}

namespace {

u32 first(u32 lanes) { return u32(__builtin_ctz(lanes)); }

void begin_interval(Execution *x) { x->interval = ++intervals << kInterval; }

// selected returns the lanes for which the predicate of an instruction holds.
inline u32 selected(Warp &w, const Instruction &i, u32 lanes) {
  if (!i.predicate) return lanes;
  if (u32 missing = lanes & ~w.defined[i.predicate])
    fail(w, i, first(missing), kLaunchFailed, "a predicate without a value read");
  u32 set = predicate_of(w, i.predicate);
  return lanes & (i.negated ? ~set : set);
}

inline void step(Warp &w, const Instruction &i, u32 lanes) {
  if (!i.copies)
    for (u8 n = 0; n < i.sources; n++)
      if (u32 missing = lanes & ~w.defined[i.source[n]])
        fail(w, i, first(missing), kLaunchFailed, "a register without a value read");
  i.run(w, i, lanes);
  if (!i.copies)
    for (u8 n = 0; n < i.results; n++) w.defined[i.result[n]] |= lanes;
}

// diverge continues with the lanes that branch. The others, and then all together from the join on, follow.
void diverge(Warp &w, const Instruction &i, const Frame &f, u32 lanes) {
  if (i.uniform) fail(w, i, first(lanes), kLaunchFailed, "a uniform branch that some lanes take and others do not");
  if (i.join == f.join) w.frames.pop_back(); // the frame below goes on there
  else w.frames.back() = {i.join, f.join, f.lanes};
  w.frames.push_back({f.at + 1, i.join, f.lanes & ~lanes});
  w.frames.push_back({i.target, i.join, lanes});
}

void return_from(Warp &w, u32 lanes) {
  w.live &= ~lanes;
  for (auto &f : w.frames) f.lanes &= ~lanes;
}

// wait_at stops a warp at a barrier, which all its threads must have reached.
void wait_at(Warp &w, const Instruction &i, const Frame &f, u32 lanes, u32 all) {
  if (lanes != all) {
    u32 missing = first(all & ~lanes);
    fail(w, i, first(lanes ? lanes : all), kLaunchFailed, "a barrier in divergent flow, which thread " +
        std::to_string(w.first + missing) +
        (w.live >> missing & 1 ? " does not reach with it" : " cannot reach, because it has returned"));
  }
  w.frames.back().at = f.at + 1;
  w.waits = true;
  w.barrier = f.at;
}

[[noreturn]] void endless(const Warp &w, const Instruction &i, u32 lanes) {
  fail(w, i, first(lanes), kEndless, "more than " + std::to_string(max_steps) + " instructions: a loop without an end");
}

u32 all_lanes(const Execution &x, const Warp &w) {
  u32 count = x.threads - w.first;
  return count >= kLanes ? kAll : (1u << count) - 1;
}

// advance runs a warp until its next barrier or its end.
template <bool measured> void advance(Warp &w) {
  const Instruction *code = w.x->kernel.code.data();
  while (!w.frames.empty()) {
    Frame &top = w.frames.back();
    Frame f = top;
    const Instruction *i = nullptr;
    u32 lanes = 0;
    for (;; f.at++) {
      if (f.at == f.join || !f.lanes) break;
      i = &code[f.at];
      if (++w.steps > max_steps) endless(w, *i, f.lanes);
      lanes = selected(w, *i, f.lanes);
      if (i->follow) follow(w, *i, f.lanes, lanes);
      if (i->flow == kNext) {
        if (lanes) step(w, *i, lanes);
        if (measured && i->real) count(w, *i, f.lanes, lanes);
        continue;
      }
      if (measured) count(w, *i, f.lanes, lanes);
      if (i->flow != kBranch || (lanes && lanes != f.lanes)) break;
      if (lanes) f.at = i->target - 1;
    }
    if (f.at == f.join || !f.lanes) {
      w.frames.pop_back();
    } else if (i->flow == kBranch) {
      diverge(w, *i, f, lanes);
    } else if (i->flow == kReturn) {
      top.at = f.at + 1;
      return_from(w, lanes);
    } else {
      return wait_at(w, *i, f, lanes, all_lanes(*w.x, w));
    }
  }
  w.done = true;
}

// meet ends an interval: every warp of the block must wait at the same barrier. It returns false if all have ended.
bool meet(Execution *x, std::vector<Warp> &warps) {
  Warp *waiting = nullptr, *other = nullptr;
  for (auto &w : warps)
    if (w.waits) waiting = &w;
  if (!waiting) return false;
  for (auto &w : warps)
    if (!w.waits || w.barrier != waiting->barrier) other = &w;
  if (other) {
    std::string does = other->waits
        ? "waits at another barrier, on line " + std::to_string(x->kernel.code[other->barrier].line)
        : "does not come, because it has returned";
    fail(*waiting, x->kernel.code[waiting->barrier], 0, kLaunchFailed,
        "a barrier in divergent flow, where the warp of thread " + std::to_string(other->first) + " " + does);
  }
  for (auto &w : warps) {
    w.waits = false;
    settle(w);
  }
  if (x->figures) align(warps);
  begin_interval(x);
  return true;
}

// Memory of the warps of a block.
struct Files {
  std::vector<u8> slots; // aligned by begin
  std::vector<u32> defined;
  u8 *begin = nullptr;
};

void begin_warp(Execution *x, Files *files, Warp *w, u32 index) {
  const Kernel &k = x->kernel;
  *w = Warp();
  w->x = x;
  w->file = files->begin + size_t(index) * k.slots * kSlotBytes;
  w->defined = files->defined.data() + size_t(index) * k.slots;
  w->first = index * kLanes;
  w->live = all_lanes(*x, *w);
  w->frames.push_back({0, u32(k.code.size()), w->live});
  memset(w->defined, 0, k.first_fixed * sizeof(u32));
  for (u32 l = 0; l < kLanes; l++) {
    lanes_of<u32>(*w, k.thread)[l] = w->first + l;
    lanes_of<u32>(*w, k.block)[l] = x->block;
  }
  if (x->figures) w->ready.assign(k.slots, 0);
  begin_following(w);
}

void run_block(Execution *x, Files *files, std::vector<Warp> &warps) {
  begin_interval(x);
  x->block_begin = x->interval;
  std::fill(x->local_defined.begin(), x->local_defined.end(), 0);
  for (u32 n = 0; n < warps.size(); n++) begin_warp(x, files, &warps[n], n);
  do {
    for (auto &w : warps) {
      if (w.done) continue;
      if (x->figures) advance<true>(w);
      else advance<false>(w);
    }
  } while (meet(x, warps));
  if (x->figures) end_block(*x, warps);
}

// words_of returns for each word of memory a bit for each byte that a variable has.
std::vector<u8> words_of(const std::vector<Placed> &variables, u64 bytes) {
  std::vector<u8> words(bytes / 4 + 1);
  for (auto &v : variables)
    for (u64 a = v.begin; a < v.end; a++) words[a / 4] |= u8(1 << a % 4);
  return words;
}

// prepare allocates what the blocks of a launch use one after the other, and fills the fixed slots of all warps.
void prepare(Execution *x, Files *files, u32 warps, const std::vector<std::vector<u8>> &parameters) {
  const Kernel &k = x->kernel;
  files->slots.resize(size_t(warps) * k.slots * kSlotBytes + kSlotBytes);
  files->begin = files->slots.data() + (kSlotBytes - reinterpret_cast<uintptr_t>(files->slots.data()) % kSlotBytes);
  files->defined.assign(size_t(warps) * k.slots, kAll);
  for (u32 n = 0; n < warps; n++) {
    Warp w = Warp();
    w.file = files->begin + size_t(n) * k.slots * kSlotBytes;
    memcpy(lanes_of<u8>(w, k.first_fixed), k.constants.data(), k.constants.size());
    for (u32 l = 0; l < kLanes; l++) {
      lanes_of<u32>(w, k.threads)[l] = x->threads;
      lanes_of<u32>(w, k.blocks)[l] = x->grid;
      for (size_t p = 0; p < parameters.size(); p++) {
        auto [slot, bytes] = k.parameters[p];
        memcpy(lanes_of<u8>(w, slot) + l * bytes, parameters[p].data(), bytes);
      }
    }
  }
  x->shared.assign(k.shared_bytes, 0xcd);
  x->shared_shadow.assign(k.shared_bytes / 4 + 1, Shadow());
  x->shared_valid = words_of(k.shared, k.shared_bytes);
  x->local_valid = words_of(k.local, k.local_bytes);
  x->shared_parts.assign(k.narrow ? x->shared_shadow.size() * 4 : 0, Shadow());
  x->local.assign(k.local_bytes * x->threads, 0xcd);
  x->local_defined.assign(k.local_bytes * x->threads, 0);
  x->cache.assign(k.caches, Region());
}

} // namespace

u32 max_threads(const Module &module, const std::string &kernel) {
  auto found = module.kernels.find(kernel);
  return found == module.kernels.end() ? 0 : found->second.max_threads;
}

void run(const Module &module, const std::string &kernel, u32 grid, u32 block,
    const std::vector<std::vector<u8>> &parameters, const Host &host, Figures *figures) {
  auto found = module.kernels.find(kernel);
  if (found == module.kernels.end()) throw Mistake(kLaunchFailed, kernel + " is not in its module");
  const Kernel &k = found->second;
  if (parameters.size() != k.parameters.size())
    throw Mistake(kLaunchFailed, kernel + " launched with another number of parameters");
  for (size_t p = 0; p < parameters.size(); p++)
    if (parameters[p].size() != k.parameters[p].second)
      throw Mistake(kLaunchFailed, kernel + " launched with parameters of other sizes");
  Execution x(module, k, host, grid, block, figures);
  Files files;
  std::vector<Warp> warps((block + kLanes - 1) / kLanes);
  prepare(&x, &files, u32(warps.size()), parameters);
  x.launch_begin = (intervals + 1) << kInterval;
  for (; x.block < grid; x.block++) run_block(&x, &files, warps);
  if (figures) figures->launches++;
}

} // namespace ptx
