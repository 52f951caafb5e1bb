// An interpreter of PTX, the assembly language in which the backend gives its kernels to the driver. It runs the warps
// of a block in lockstep, and ends a launch at its first mistake: an access that is out of bounds or misaligned, a read
// of a register or shared word that has no value, a barrier in divergent flow, or a race between threads.
//
// ptx_text.cc parses a module, ptx_decode.cc makes instructions of it, ptx_flow.cc finds where divergent lanes meet
// again, ptx_speculation.cc tells loads whose value is not used from reads, ptx_execute.cc runs a launch, and
// ptx_cost.cc counts and estimates. ptx_arithmetic.cc and ptx_memory.cc hold the instructions themselves.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptx {

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

// What a launch may use of the driver.
struct Shadow;
struct Region {
  u64 begin = 0, end = 0;   // of the addresses
  Shadow *shadow = nullptr; // of each word of four bytes
};
struct Host {
  std::function<bool(u64 address, Region *)> find;            // the live memory at an address
  std::function<bool(u64 handle, u32 value)> set_conditional; // false if the handle is not valid here
};

// What a driver may report for a mistake.
enum { kOutOfBounds = 700, kEndless = 702, kMisaligned = 716, kLaunchFailed = 719 };

// Mistake ends a launch.
struct Mistake : std::runtime_error {
  int code;
  Mistake(int code, const std::string &text) : std::runtime_error(text), code(code) {}
};

// Refusal is why a module is not loaded. Its text names the line.
struct Refusal : std::runtime_error {
  Refusal(int line, const std::string &text) : std::runtime_error("line " + std::to_string(line) + ": " + text) {}
};

// Figures of the launches of a kernel. An instruction counts once for each warp that runs it.
struct Figures {
  u64 launches = 0, blocks = 0;
  u64 instructions = 0;
  u64 lanes = 0;  // that took part in the instructions
  u64 alone = 0;  // instructions with one lane
  u64 cycles = 0; // estimated latency, the sum over blocks
};

struct Module;

// load parses a module. It throws a Refusal if the text has anything that the interpreter does not know exactly.
std::shared_ptr<const Module> load(const std::string &text);

// max_threads returns the maximum number of threads of a block of a kernel: 0 if the module does not
// define it.
u32 max_threads(const Module &module, const std::string &kernel);

// run executes a launch. It throws a Mistake. figures may be null.
void run(const Module &module, const std::string &kernel, u32 grid, u32 block,
    const std::vector<std::vector<u8>> &parameters, const Host &host, Figures *figures);

// max_steps is the number of instructions after which a warp is taken for one that never ends.
extern u64 max_steps;

// new_shadow returns a Shadow for each word of memory of the given size.
std::shared_ptr<Shadow> new_shadow(size_t bytes);

} // namespace ptx
