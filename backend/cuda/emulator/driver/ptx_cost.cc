// Figures of a launch, and an estimate of the latency of a block if it had a multiprocessor to itself. The costs are
// rough figures for recent GPUs. The estimate serves to compare versions of a kernel, not to predict times.

#include "ptx_code.h"

#include <algorithm>

namespace ptx {

namespace {

// In half cycles.
const u32 kMissed = 540, kDiverges = 20, kOverlap = 30;

struct Cost {
  const char *prefix; // of the opcode
  u32 issue, latency;
  bool drains;
};

// The first prefix that matches counts. Moves and conversions of addresses disappear in the assembler.
const Cost costs[] = {
    {"mov.", 0, 0, false}, {"cvta.", 0, 0, false}, {"ld.param", 0, 0, false}, {"st.param", 0, 0, false},
    {"cvt.rn.f32", 2, 28, false}, {"cvt.rni", 2, 28, false}, {"cvt.rzi", 2, 28, false}, {"cvt.rmi", 2, 28, false},
    {"cvt.rpi", 2, 28, false}, {"cvt.", 0, 0, false}, {"add.s64", 0, 0, false}, {"add.u64", 0, 0, false},
    {"shl.b64", 0, 0, false}, {"mul.wide", 2, 10, false}, {"div.rn.f32", 26, 150, true}, {"sqrt.rn", 22, 120, true},
    {"rcp.rn", 16, 100, true}, {"div.", 48, 220, true}, {"rem.", 48, 220, true}, {"ld.shared", 2, 58, false},
    {"ld.", 2, 80, false}, {"atom.", 2, 80, false}, {"bra", 2, 16, true}, {"bar.", 2, 40, true}, {"ret", 2, 2, true},
    {"and.pred", 1, 9, false}, {"or.pred", 1, 9, false}, {"xor.pred", 1, 9, false},
    {"not.pred", 1, 9, false}, {"", 2, 9, false},
};

} // namespace

void set_cost(Instruction *i, const std::string &opcode) {
  const Cost *c = costs;
  while (opcode.compare(0, std::string(c->prefix).size(), c->prefix) != 0) c++;
  i->issue = c->issue, i->latency = c->latency, i->drains = c->drains;
  if (i->flow == kBranch && i->predicate) i->issue = 3, i->latency = 24;
}

// Between two instructions that drain, instructions issue in order, and their results are ready when their sources are,
// plus the latency: the assembler orders them so that few have to wait.
void count(Warp &w, const Instruction &i, u32 active, u32 selected) {
  Figures &f = *w.x->figures;
  const u32 busy = i.flow == kNext ? selected : active;
  f.instructions++;
  f.lanes += u32(__builtin_popcount(busy));
  f.alone += __builtin_popcount(busy) == 1;
  if (i.drains) {
    w.now = std::max(w.now, w.latest);
    w.latest = 0;
  }
  u64 start = w.now;
  if (i.predicate) start = std::max(start, w.ready[i.predicate]);
  for (u8 n = 0; n < i.sources; n++) start = std::max(start, w.ready[i.source[n]]);
  u64 issue = i.issue ? std::max(i.issue, 2u) : 0;
  u64 latency = std::max(issue, u64(w.x->missed ? kMissed : i.latency));
  w.x->missed = false;
  for (u8 n = 0; n < i.results; n++) w.ready[i.result[n]] = start + latency;
  if (i.flow == kBranch) {
    w.now = start + issue + i.latency - 2;
    if (selected && selected != active) w.now += kDiverges;
  } else if (i.flow != kNext) {
    w.now = start + i.latency;
  } else if (i.drains) {
    w.now = start + std::max(issue, latency > kOverlap ? latency - kOverlap : 0);
  } else if (issue) {
    w.now += issue;
    w.latest = std::max(w.latest, start + issue);
  }
}

void align(std::vector<Warp> &warps) {
  u64 last = 0;
  for (auto &w : warps) last = std::max(last, w.now);
  for (auto &w : warps) w.now = last;
}

void end_block(Execution &x, const std::vector<Warp> &warps) {
  u64 last = 0;
  for (auto &w : warps) last = std::max(last, w.now);
  x.figures->blocks++;
  x.figures->cycles += last / 2;
  x.sectors.clear();
}

} // namespace ptx
