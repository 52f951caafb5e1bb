// The form in which the interpreter runs a kernel.
//
// A slot is 128 bytes of a warp's file: 32 lanes of 32 bits. A register of 64 bits takes two slots, one of 16 bits uses
// a slot's 32-bit lanes, and the first word of a predicate's slot has a bit for each lane. Constants, parameters and
// special registers have slots too, so that an instruction only ever reads slots.

#pragma once

#include "ptx.h"

namespace ptx {

const u32 kLanes = 32, kAll = 0xffffffff, kSlotBytes = 4 * kLanes, kMaxOperands = 5;

struct Warp;
struct Instruction;
typedef void (*Handler)(Warp &, const Instruction &, u32 lanes);

enum Flow : u8 { kNext, kBranch, kReturn, kBarrier };
enum Space : u8 { kGlobal, kShared, kLocal, kGeneric };
// What an instruction does with values of tentative loads; see ptx_speculation.cc.
enum Follow : u8 { kIgnores, kTentative, kUses, kDerives, kSelects, kConjoins, kDisjoins };

struct Instruction {
  Handler run = nullptr;
  Flow flow = kNext;
  bool negated = false; // the predicate
  bool uniform = false; // a branch that all lanes take, or none
  bool copies = false;  // it only moves values, so that lanes without a value may be moved too
  bool real = true;     // false: it is a comment, and no instruction of a device
  Follow follow = kIgnores;
  u8 read = 0; // the number of a tentative load
  u8 results = 0, sources = 0;
  u32 predicate = 0; // slot; 0: none
  u32 result[kMaxOperands] = {}, source[kMaxOperands] = {};
  u32 target = 0; // of a branch
  u32 join = 0;   // where the lanes meet again after a branch
  s64 offset = 0; // of an address
  u32 cache = 0;  // of an access to global memory: which region of the launch's cache to try first
  bool coherent = true; // false: a read through the cache that does not see writes of the same launch
  Space space = kGlobal; // of an access to a part of a word
  u8 bytes = 0;          // of each value of the same
  bool sign = false;     // of the same: a load extends the sign
  int line = 0;
  u32 statement = 0; // in the function's text
  u32 issue = 0, latency = 0; // half cycles; see ptx_cost.cc
  bool drains = false;        // it cannot overlap earlier instructions
};

// A variable in shared or local memory.
struct Placed {
  std::string name;
  u64 begin, end;
};

// A load whose value may have no effect.
struct Tentative {
  u32 at; // the instruction
  u64 address; // in shared memory
};

struct Kernel {
  std::string name;
  std::vector<Instruction> code; // the last one returns
  std::vector<std::string> texts;
  u32 max_threads = 0; // of a block
  // From first_fixed on, slots have special registers, parameters and, from first_constant on, constants.
  u32 slots = 0, first_fixed = 0, first_constant = 0;
  std::vector<u8> constants;      // the content of these slots
  u32 thread = 0, threads = 0, block = 0, blocks = 0; // slots of %tid.x, %ntid.x, %ctaid.x and %nctaid.x
  std::vector<std::pair<u32, u32>> parameters;        // slot and bytes
  std::vector<Placed> shared, local;
  u64 shared_bytes = 0, local_bytes = 0;
  u32 caches = 0;
  bool narrow = false; // it has an access to a part of a word
  std::vector<Tentative> tentative;
  std::vector<u32> followed; // for each slot, a number from 1 on if it may have a value of a tentative load; else 0
  u32 follows = 0;           // the number of these slots
};

struct Module {
  std::map<std::string, Kernel> kernels;
  std::vector<std::unique_ptr<u64[]>> data; // of module variables
  std::vector<Region> regions;             // of the same
  std::map<std::string, u64> addresses;    // of the same
  std::vector<std::shared_ptr<Shadow>> shadows;
};

// What is known of the accesses to a word of memory: the interval of the last write and of the last read, with the
// thread and flags of that access. An interval is the time between two barriers of a block. Its number is unique in the
// process and grows, so that intervals of one launch and of one block are ranges.
struct Shadow {
  u64 written, read; // interval << kInterval | flags | thread
};
// After an access to a part of a word, each byte has a shadow of its own, and both fields of the word's are kParts,
// which is later than all intervals.
const u64 kParts = ~u64(0);
const int kInterval = 16;
const u64 kThread = 0x3ff, kFlags = 0xfc00;
const u64 kMany = 0x8000;       // more than one thread, in the same interval
const u64 kManyBlocks = 0x4000; // more than one block, in the same launch
const u64 kAtomic = 0x2000;     // writes: all of them atomic, in the same interval
const u64 kPlain = 0x1000;      // atomic writes: a plain one was before them, in the same launch
const u64 kIncoherent = 0x2000; // reads: one of them not coherent, in the same launch

struct Execution;

struct Frame {
  u32 at, join, lanes;
};

struct Warp {
  u8 *file;     // slots
  u32 *defined; // for each slot, the lanes that have a value
  Execution *x;
  u32 first;    // thread
  u32 live;     // lanes that have not returned
  bool waits = false, done = false;
  u32 barrier = 0; // the instruction at which it waits
  std::vector<Frame> frames;
  u64 steps = 0;
  // Tentative loads.
  bool follows = false;            // a register may have the value of one
  std::vector<u64> origins;        // for each followed slot and lane; see ptx_speculation.cc
  std::vector<u32> unsettled;      // for each load, the lanes in which it has not counted as a read, in this interval
  std::map<u32, Mistake> failures; // of a lane, for an effect of the value
  // The estimate of latency, in half cycles.
  u64 now = 0, latest = 0;
  std::vector<u64> ready; // for each slot
};

template <typename T> inline T *lanes_of(Warp &w, u32 slot) {
  return reinterpret_cast<T *>(w.file + size_t(slot) * kSlotBytes);
}
inline u32 &predicate_of(Warp &w, u32 slot) { return *lanes_of<u32>(w, slot); }

// each calls f for every lane of a set.
template <typename F> inline void each(u32 lanes, F f) {
  if (lanes == kAll) {
#pragma GCC ivdep
    for (u32 l = 0; l < kLanes; l++) f(l);
    return;
  }
  for (; lanes; lanes &= lanes - 1) f(u32(__builtin_ctz(lanes)));
}

// A launch while it runs.
struct Execution {
  const Module &module;
  const Kernel &kernel;
  const Host &host;
  u32 grid, threads, block = 0;
  std::vector<u8> shared, local;
  std::vector<Shadow> shared_shadow, shared_parts; // of words, and of their bytes if the kernel is narrow
  std::vector<u8> shared_valid, local_valid; // for each word: a bit for each byte that a variable has
  std::vector<u8> local_defined; // for each byte of each thread
  std::vector<Region> cache;
  u64 launch_begin = 0, block_begin = 0, interval = 0; // shifted, as in Shadow
  Figures *figures;
  std::map<u64, bool> sectors; // of global memory that the block has used, for the estimate of latency
  bool missed = false;         // the instruction used a sector that was not there

  Execution(const Module &m, const Kernel &k, const Host &h, u32 grid, u32 threads, Figures *figures)
      : module(m), kernel(k), host(h), grid(grid), threads(threads), figures(figures) {}
};

// fail ends the launch with a mistake of an instruction.
[[noreturn]] void fail(const Warp &w, const Instruction &i, u32 lane, int code, const std::string &what);

// Operations are described by a signature: for the results, a comma and the sources, P for a predicate, H, W and D for
// 16, 32 and 64 bits.
struct Operation {
  const char *signature;
  Handler run;
  bool copies = false;
};
// arbitrary_value returns what gives a register of a width, as in signatures, a value that is different in each thread.
Handler arbitrary_value(char width);
// find_arithmetic returns an operation without memory, by its opcode with all modifiers, or null.
const Operation *find_arithmetic(const std::string &opcode);

// An access to memory.
struct Access {
  enum Kind { kLoad, kStore, kAtomicOperation } kind;
  Space space;
  u32 bytes = 0; // of each value
  u32 count = 1; // of values
  bool coherent = true;
  u32 operands = 0; // of an atomic operation, besides the address
  Handler run = nullptr;
  Handler wide = nullptr; // the same with a register of 64 bits for a smaller value; null: there is none
  Handler half = nullptr; // the same with a register of 16 bits
  bool sign = false;
};
// find_access returns whether an opcode is an access, and stores it.
bool find_access(const std::string &opcode, Access *access);

// set_joins finds where the lanes meet again after each branch.
void set_joins(Kernel *k);

// find_tentative finds the loads whose value may have no effect, and the instructions that follow their values.
void find_tentative(Kernel *k);
// begin_following prepares a warp at the start of a block.
void begin_following(Warp *w);
// follow does an instruction's part, before it runs. active are the lanes that came to it, and selected those for which
// its predicate holds.
void follow(Warp &w, const Instruction &i, u32 active, u32 selected);
// settle checks the reads that have not counted, at the end of an interval.
void settle(Warp &w);

// set_cost stores the estimated cost of an instruction.
void set_cost(Instruction *i, const std::string &opcode);
// count adds an instruction to the figures of the launch. active are the lanes that came to it, and selected those for
// which its predicate holds.
void count(Warp &w, const Instruction &i, u32 active, u32 selected);
// align lets the warps of a block go on together, after a barrier.
void align(std::vector<Warp> &warps);
// end_block adds the latency of a block to the figures.
void end_block(Execution &x, const std::vector<Warp> &warps);

// Calls of cudaGraphSetConditional.
void set_conditional(Warp &w, const Instruction &i, u32 lanes);

} // namespace ptx
