// A PTX module as its text says it, before anything is checked against the instruction set.

#pragma once

#include "ptx.h"

namespace ptx {

struct Operand {
  enum Kind { kName, kInteger, kFloat, kAddress, kList } kind = kName;
  std::string name;          // a register, variable, label or function; the base of an address, which may be empty
  u64 value = 0;             // of an integer; the bits of a float; the offset of an address
  std::vector<Operand> list; // {a, b} and (a, b)
};

// The opcode of a comment of LLVM, which says that a register may have any value. No instruction can have it.
const char *const kArbitrary = "implicit-def";

struct Statement {
  int line = 0;
  std::string label;     // of the next instruction; such a statement has nothing else
  std::string predicate; // register; empty: none
  bool negated = false;
  std::string opcode; // with its modifiers
  std::vector<Operand> operands;
};

// A variable of a module or function.
struct Variable {
  int line = 0;
  std::string space; // .shared, .local, .global, .param or .reg
  std::string type;  // such as .b32
  std::string name;
  u32 align = 1;
  u64 bytes = 0;
  u32 count = 0;       // of registers: 0 for one register, otherwise name0 to name(count-1)
  std::vector<u8> data; // initial value
};

struct Function {
  int line = 0;
  std::string name;
  bool entry = false, defined = false;
  u32 max_threads = 1024; // of a block
  std::vector<Variable> parameters, variables;
  std::vector<Statement> statements;
};

struct Text {
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

// parse throws a Refusal for a text with another structure than clang's.
Text parse(const std::string &text);

// bytes_of returns the size of a type such as ".b32", or 0 for a predicate or an unknown type.
u32 bytes_of(const std::string &type);

} // namespace ptx
