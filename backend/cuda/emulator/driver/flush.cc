// Kernels on a device that flushes denormals: the processor's own flags stand for it.

#include "emulator.h"

#if defined(__SSE__)
#include <xmmintrin.h>

// What the processor does with denormals: zeros for denormal results (FTZ), for denormal inputs (DAZ), or both.
static const unsigned kinds[] = {0x8000, 0x0040, 0x8040};
static unsigned flags() { return _mm_getcsr(); }
static void set_flags(unsigned value) { _mm_setcsr(value); }
#else
static const unsigned kinds[] = {0};
static unsigned flags() { return 0; }
static void set_flags(unsigned) {}
#endif

enum { kKeep = 0, kFlush = 1, kCompare = 2 };
static int mode = kKeep;

// What the launches of a kernel showed in the mode kCompare.
struct Flushed {
  long launches = 0, words = 0; // words: the number that differed
};
static std::map<std::string, Flushed> seen;

static void run_with(unsigned added, Function *f, void **parameters) {
  unsigned before = flags();
  set_flags(before | added);
  f->run(parameters);
  set_flags(before);
}

static std::vector<std::vector<uint8_t>> contents(const std::vector<u64> &bases) {
  std::vector<std::vector<uint8_t>> copies;
  for (u64 base : bases)
    copies.emplace_back((uint8_t *)base, (uint8_t *)base + emulator.allocations.at(base).bytes);
  return copies;
}

static long differing(const std::vector<std::vector<uint8_t>> &a, const std::vector<std::vector<uint8_t>> &b) {
  long words = 0;
  for (size_t i = 0; i < a.size(); i++)
    for (size_t at = 0; at + 4 <= a[i].size(); at += 4) words += memcmp(&a[i][at], &b[i][at], 4) != 0;
  return words;
}

void run_host(Function *f, void **parameters, std::vector<u64> bases) {
  if (mode != kCompare) return run_with(mode == kFlush ? kinds[sizeof kinds / sizeof *kinds - 1] : 0, f, parameters);
  std::set<u64> once(bases.begin(), bases.end());
  bases.assign(once.begin(), once.end());
  auto before = contents(bases);
  std::vector<std::vector<std::vector<uint8_t>>> results;
  for (unsigned kind : kinds) {
    run_with(kind, f, parameters);
    results.push_back(contents(bases));
    for (size_t i = 0; i < bases.size(); i++) memcpy((void *)bases[i], before[i].data(), before[i].size());
  }
  f->run(parameters);
  auto kept = contents(bases);
  Flushed &s = seen[f->name];
  s.launches++;
  for (auto &result : results) s.words += differing(kept, result);
}

// emulator_flush makes kernels keep denormals (0), flush them (1), or keep them after runs that flush them, to compare
// the results (2). It forgets the comparisons so far. It returns whether this processor can flush.
EXPORT int emulator_flush(int wanted) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  mode = wanted;
  seen.clear();
  return kinds[0] != 0;
}

// emulator_flushed lists the kernels of the mode kCompare: name, launches, and words that differed.
EXPORT const char *emulator_flushed() {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  static std::string text;
  text.clear();
  for (auto &[name, s] : seen) text += name + " " + std::to_string(s.launches) + " " + std::to_string(s.words) + "\n";
  return text.c_str();
}
