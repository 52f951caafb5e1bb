// Decoding: from statements to instructions. Whatever is not known exactly is refused, with its line.

#include "ptx_code.h"
#include "ptx_text.h"

#include <cstring>
#include <set>

namespace ptx {

// find_window returns a conversion between generic addresses and those of local or shared memory, or null.
Handler find_window(const std::string &opcode);

namespace {

const u32 kMaxRegisters = 1 << 16;
const u64 kMaxShared = 48 << 10, kMaxLocal = 64 << 10; // bytes of a block, and of a thread
const char *const kSetConditional = "cudaGraphSetConditional";

// Registers of one declaration.
struct Registers {
  u32 slot, count; // count 0: one register without a number
  char width;      // P, H, W or D, as in signatures
};

class Decoder {
public:
  Decoder(const Text &text, const Function &f, const Module &m) : text(text), f(f), module(m) { k.name = f.name; }
  Kernel kernel();

private:
  const Text &text;
  const Function &f;
  const Module &module;
  Kernel k;
  std::set<std::string> names; // of variables and parameters
  std::map<std::string, Registers> registers;
  std::map<std::string, u64> addresses; // of variables
  std::map<std::string, u32> parameters; // to their index
  std::map<std::string, u32> labels;
  std::map<std::pair<char, u64>, u32> constants; // to their slots
  std::vector<std::vector<u64>> values;          // of the fixed slots; one value for all lanes

  u32 add_slots(char width) {
    u32 slot = k.slots;
    k.slots += width == 'D' ? 2 : 1;
    return slot;
  }
  void declare(const Variable &v);
  void place(const Variable &v, std::vector<Placed> *list, u64 *bytes, u64 limit);
  void add_fixed();
  u32 constant(char width, u64 value);
  const Registers *find(const std::string &name, u32 *number) const;
  bool has(const std::string &name, char width) const; // a register
  u32 register_of(const Statement &s, const std::string &name, char width, bool written);
  u32 result(const Statement &s, const Operand &o, char width);
  u32 source(const Statement &s, const Operand &o, char width);
  void by_signature(const Statement &s, const Operation &op, Instruction *i);
  void memory(const Statement &s, const Access &a, Instruction *i);
  const Operation *find_conversion(const Statement &s) const;
  void parameter(const Statement &s, Instruction *i);
  void call(const Statement &s, Instruction *i);
  void flow(const Statement &s, Instruction *i);
  void arbitrary(const Statement &s, Instruction *i);
  void instruction(const Statement &s);
  void fill();
};

char width_of(const Variable &v) {
  if (v.type == ".pred") return 'P';
  u32 bytes = bytes_of(v.type);
  return bytes == 2 ? 'H' : bytes == 4 ? 'W' : bytes == 8 ? 'D' : 0;
}

void operands(const Statement &s, size_t count) {
  if (s.operands.size() != count)
    throw Refusal(s.line, s.opcode + " with " + std::to_string(s.operands.size()) + " operands instead of " +
        std::to_string(count));
}

void Decoder::place(const Variable &v, std::vector<Placed> *list, u64 *bytes, u64 limit) {
  const u64 gap = 16; // between variables, so that an index just outside one is not inside another
  u64 align = v.align < 4 ? 4 : v.align, twice = 2 * align;
  u64 begin = (*bytes + align - 1) / twice * twice + align; // aligned as declared, and by chance no better
  u64 used = v.bytes;
  for (auto &other : *list) used += other.end - other.begin;
  if (used > limit)
    throw Refusal(v.line, "more than " + std::to_string(limit) + " bytes of " + v.space + " memory");
  if (!v.data.empty()) throw Refusal(v.line, "an initial value in " + v.space + " memory");
  list->push_back({v.name, begin, begin + v.bytes});
  *bytes = begin + (v.bytes + 3) / 4 * 4 + gap;
  addresses[v.name] = begin;
}

void Decoder::declare(const Variable &v) {
  if (!names.insert(v.name).second) throw Refusal(v.line, "the name " + v.name + " a second time");
  if (v.space == ".shared") return place(v, &k.shared, &k.shared_bytes, kMaxShared);
  if (v.space == ".local") return place(v, &k.local, &k.local_bytes, kMaxLocal);
  char width = width_of(v);
  if ((v.space != ".reg" && v.space != ".param") || !width)
    throw Refusal(v.line, "a variable " + v.space + " " + v.type);
  u32 count = v.count ? v.count : 1;
  if (count > kMaxRegisters || k.slots > kMaxRegisters) throw Refusal(v.line, "too many registers");
  registers[v.name] = {k.slots, v.count, width};
  for (u32 n = 0; n < count; n++) add_slots(width);
}

u32 Decoder::constant(char width, u64 value) {
  if (width == 'H') value &= 0xffff;
  if (width == 'W') value &= 0xffffffff;
  if (width == 'P') value = value ? kAll : 0;
  auto [found, added] = constants.insert({{width, value}, 0});
  if (!added) return found->second;
  found->second = add_slots(width);
  values.push_back({value, width == 'D'});
  return found->second;
}

// find returns the declaration of a register, and its number, or null.
const Registers *Decoder::find(const std::string &name, u32 *number) const {
  size_t digits = name.find_last_not_of("0123456789") + 1;
  auto one = registers.find(name), many = registers.find(name.substr(0, digits));
  *number = 0;
  if (one != registers.end() && one->second.count == 0) return &one->second;
  if (many == registers.end() || digits == name.size() || name.size() - digits > 8) return nullptr;
  *number = u32(std::stoul(name.substr(digits)));
  return *number < many->second.count ? &many->second : nullptr;
}

bool Decoder::has(const std::string &name, char width) const {
  u32 number;
  const Registers *r = find(name, &number);
  return r && r->width == width;
}

u32 Decoder::register_of(const Statement &s, const std::string &name, char width, bool written) {
  u32 number;
  const Registers *r = find(name, &number);
  static const std::map<std::string, u32 Kernel::*> specials = {
      {"%tid.x", &Kernel::thread}, {"%ntid.x", &Kernel::threads}, {"%ctaid.x", &Kernel::block},
      {"%nctaid.x", &Kernel::blocks}};
  auto special = specials.find(name);
  if (!r && special != specials.end() && !written && width == 'W') return k.*special->second;
  if (!r) throw Refusal(s.line, s.opcode + " with the operand " + name);
  if (r->width != width) throw Refusal(s.line, s.opcode + " with the operand " + name + ", a register of another size");
  return r->slot + number * (width == 'D' ? 2 : 1);
}

u32 Decoder::result(const Statement &s, const Operand &o, char width) {
  if (o.kind != Operand::kName) throw Refusal(s.line, s.opcode + " without a register for its result");
  return register_of(s, o.name, width, true);
}

u32 Decoder::source(const Statement &s, const Operand &o, char width) {
  switch (o.kind) {
  case Operand::kInteger: return constant(width, o.value);
  case Operand::kFloat:
    if (width == 'W') return constant(width, o.value);
    break;
  case Operand::kName: {
    auto address = addresses.find(o.name);
    if (address == addresses.end()) return register_of(s, o.name, width, false);
    if (width == 'D') return constant(width, address->second);
    break;
  }
  default: break;
  }
  throw Refusal(s.line, s.opcode + " with an operand of another kind");
}

void Decoder::by_signature(const Statement &s, const Operation &op, Instruction *i) {
  const char *comma = strchr(op.signature, ',');
  i->run = op.run, i->copies = op.copies;
  i->results = u8(comma - op.signature), i->sources = u8(strlen(comma + 1));
  const std::string type = s.opcode.substr(s.opcode.rfind('.')); // of the sources
  std::vector<const Operand *> all;                             // without the braces of mov
  for (auto &o : s.operands) {
    if (o.kind != Operand::kList) all.push_back(&o);
    else if (s.opcode != "mov.b64" && s.opcode != "mov.b32") throw Refusal(s.line, s.opcode + " with a list");
    for (auto &inner : o.list) all.push_back(&inner);
  }
  if (all.size() != size_t(i->results) + i->sources)
    throw Refusal(s.line, s.opcode + " with another number of operands");
  for (u8 n = 0; n < i->results; n++) i->result[n] = result(s, *all[n], op.signature[n]);
  for (u8 n = 0; n < i->sources; n++) {
    const Operand &o = *all[i->results + n];
    if (o.kind == (type == ".f32" ? Operand::kInteger : Operand::kFloat) && type != ".b32")
      throw Refusal(s.line, s.opcode + " with a constant of another type");
    i->source[n] = source(s, o, comma[1 + n]);
  }
}

void Decoder::memory(const Statement &s, const Access &a, Instruction *i) {
  bool loads = a.kind == Access::kLoad, atomic = a.kind == Access::kAtomicOperation;
  operands(s, atomic ? 2 + a.operands : 2);
  const Operand &address = s.operands[loads || atomic ? 1 : 0];
  if (address.kind != Operand::kAddress) throw Refusal(s.line, s.opcode + " without an address");
  auto known = addresses.find(address.name);
  i->run = a.run;
  i->offset = s64(address.value);
  i->coherent = a.coherent;
  i->cache = k.caches;
  if (a.space == kGlobal || a.space == kGeneric) k.caches++;
  i->source[i->sources++] = address.name.empty() ? constant('D', 0)
      : known != addresses.end() ? constant('D', known->second) : register_of(s, address.name, 'D', false);
  char width = a.bytes == 8 ? 'D' : 'W';
  const Operand &value = s.operands[loads ? 0 : 1];
  std::vector<Operand> list = value.kind == Operand::kList ? value.list : std::vector<Operand>{value};
  if (a.wide && !list.empty() && has(list[0].name, 'D')) width = 'D', i->run = a.wide;
  if (a.half && !list.empty() && has(list[0].name, 'H')) width = 'H', i->run = a.half;
  i->space = a.space, i->bytes = u8(a.bytes), i->sign = a.sign;
  k.narrow |= a.bytes < 4;
  if (atomic) {
    i->result[i->results++] = result(s, s.operands[0], width);
    for (u32 n = 0; n < a.operands; n++) i->source[i->sources++] = source(s, s.operands[2 + n], width);
    return;
  }
  if (list.size() != a.count) throw Refusal(s.line, s.opcode + " with " + std::to_string(list.size()) + " values");
  for (auto &o : list) {
    if (loads) i->result[i->results++] = result(s, o, width);
    else i->source[i->sources++] = source(s, o, width);
  }
}

// find_conversion returns the conversion of an integer in a register that is wider than its type, or null.
const Operation *Decoder::find_conversion(const Statement &s) const {
  if (s.opcode.compare(0, 4, "cvt.") != 0 || s.operands.size() != 2) return nullptr;
  for (char width : {'H', 'W', 'D'})
    if (has(s.operands[1].name, width)) return find_arithmetic(s.opcode + " of " + width);
  return nullptr;
}

// parameter decodes ld.param, of a parameter of the kernel, and st.param, of one for a call.
void Decoder::parameter(const Statement &s, Instruction *i) {
  operands(s, 2);
  u32 bytes = bytes_of(s.opcode.substr(8));
  char width = bytes == 8 ? 'D' : 'W';
  if (bytes < 4) throw Refusal(s.line, s.opcode);
  const Operation *move = find_arithmetic(bytes == 8 ? "mov.b64" : "mov.b32");
  i->run = move->run, i->copies = true, i->results = i->sources = 1;
  bool loads = s.opcode[0] == 'l';
  const Operand &address = s.operands[loads ? 1 : 0], &value = s.operands[loads ? 0 : 1];
  if (address.kind != Operand::kAddress || address.value) throw Refusal(s.line, s.opcode + " of a part of a parameter");
  if (!loads) {
    i->result[0] = register_of(s, address.name, width, true);
    i->source[0] = source(s, value, width);
    return;
  }
  auto found = parameters.find(address.name);
  if (found == parameters.end() || k.parameters[found->second].second != bytes)
    throw Refusal(s.line, s.opcode + " of " + address.name + ", which is no parameter of " + std::to_string(bytes) +
        " bytes");
  i->result[0] = result(s, value, width);
  i->source[0] = k.parameters[found->second].first;
}

void Decoder::call(const Statement &s, Instruction *i) {
  if (s.operands.size() != 2 || s.operands[0].name != kSetConditional || s.operands[1].list.size() != 2)
    throw Refusal(s.line, "a call of another function than " + std::string(kSetConditional));
  i->run = set_conditional;
  i->sources = 2;
  i->source[0] = register_of(s, s.operands[1].list[0].name, 'D', false);
  i->source[1] = register_of(s, s.operands[1].list[1].name, 'W', false);
}

void Decoder::flow(const Statement &s, Instruction *i) {
  if (s.opcode == "ret" || s.opcode == "exit") {
    operands(s, 0);
    i->flow = kReturn;
  } else if (s.opcode == "bar.sync") {
    operands(s, 1);
    if (s.operands[0].kind != Operand::kInteger || s.operands[0].value != 0)
      throw Refusal(s.line, "a barrier other than 0");
    i->flow = kBarrier;
  } else {
    operands(s, 1);
    auto label = labels.find(s.operands[0].name);
    if (label == labels.end()) throw Refusal(s.line, "a branch to " + s.operands[0].name + ", which is no label");
    i->flow = kBranch;
    i->target = label->second;
    i->uniform = s.opcode == "bra.uni";
  }
}

// arbitrary decodes the comment by which LLVM says that a register may have any value: what it computes from it has no
// effect. So it gets a value that is different in each thread, and an effect would show in a result.
void Decoder::arbitrary(const Statement &s, Instruction *i) {
  operands(s, 1);
  u32 number;
  const Registers *r = find(s.operands[0].name, &number);
  if (!r) throw Refusal(s.line, s.opcode + " with the operand " + s.operands[0].name);
  i->run = arbitrary_value(r->width);
  i->real = false;
  i->results = 1;
  i->result[0] = result(s, s.operands[0], r->width);
}

void Decoder::instruction(const Statement &s) {
  Instruction i;
  i.line = s.line;
  i.negated = s.negated;
  if (!s.predicate.empty()) i.predicate = register_of(s, s.predicate, 'P', false);
  std::string opcode = s.opcode;
  if ((opcode == "mov.b64" || opcode == "mov.b32") && s.operands.size() == 2) {
    std::string type = opcode.substr(3);
    if (s.operands[0].kind == Operand::kList) opcode = "mov.split" + type;
    else if (s.operands[1].kind == Operand::kList) opcode = "mov.join" + type;
  }
  if (opcode == "cvta.to.global.u64" || opcode == "cvta.global.u64") opcode = "mov.b64"; // the same addresses
  Access access;
  if (s.opcode == "ret" || s.opcode == "exit" || s.opcode == "bar.sync" || s.opcode == "bra" || s.opcode == "bra.uni") {
    flow(s, &i);
  } else if (opcode == kArbitrary) {
    arbitrary(s, &i);
  } else if (opcode.compare(0, 9, "ld.param.") == 0 || opcode.compare(0, 9, "st.param.") == 0) {
    parameter(s, &i);
  } else if (opcode == "call.uni") {
    call(s, &i);
  } else if (const Operation *op = find_conversion(s)) {
    by_signature(s, *op, &i);
  } else if (const Operation *op = find_arithmetic(opcode)) {
    by_signature(s, *op, &i);
  } else if (Handler window = find_window(opcode)) {
    by_signature(s, {"D,D", window}, &i);
  } else if (find_access(opcode, &access)) {
    memory(s, access, &i);
  } else {
    throw Refusal(s.line, "the interpreter does not know the instruction " + s.opcode);
  }
  if (i.real) set_cost(&i, opcode);
  i.statement = u32(k.texts.size());
  k.texts.push_back(s.opcode);
  k.code.push_back(i);
}

void Decoder::add_fixed() {
  k.first_fixed = k.slots;
  for (u32 Kernel::*special : {&Kernel::thread, &Kernel::threads, &Kernel::block, &Kernel::blocks}) {
    k.*special = add_slots('W');
    values.push_back({0, 0});
  }
  for (auto &p : f.parameters) {
    char width = width_of(p);
    if (width != 'W' && width != 'D') throw Refusal(p.line, "the parameter " + p.name + " of type " + p.type);
    if (!names.insert(p.name).second) throw Refusal(p.line, "the name " + p.name + " a second time");
    parameters[p.name] = u32(k.parameters.size());
    k.parameters.push_back({add_slots(width), bytes_of(p.type)});
    values.push_back({0, width == 'D'});
  }
  k.first_constant = k.slots;
}

// fill writes the values of the fixed slots.
void Decoder::fill() {
  for (auto &v : values) {
    size_t size = v[1] ? 8 : 4;
    for (u32 l = 0; l < kLanes; l++) {
      auto *bytes = reinterpret_cast<const u8 *>(&v[0]);
      k.constants.insert(k.constants.end(), bytes, bytes + size);
    }
  }
}

Kernel Decoder::kernel() {
  k.max_threads = f.max_threads;
  k.slots = 1; // 0 is no slot
  for (auto &v : text.variables) {
    if (v.space == ".shared") declare(v);
    auto found = module.addresses.find(v.name);
    if (found != module.addresses.end()) addresses[v.name] = found->second;
  }
  for (auto &v : f.variables) declare(v);
  add_fixed();
  u32 count = 0;
  for (auto &s : f.statements) {
    if (s.label.empty()) count++;
    else if (!labels.insert({s.label, count}).second) throw Refusal(s.line, "the label " + s.label + " a second time");
  }
  for (auto &s : f.statements)
    if (s.label.empty()) instruction(s);
  Statement last;
  last.line = f.statements.empty() ? f.line : f.statements.back().line;
  last.opcode = "ret"; // for a label at the end
  instruction(last);
  fill();
  set_joins(&k);
  find_tentative(&k);
  return std::move(k);
}

void add_data(const Variable &v, Module *m) {
  if (m->addresses.count(v.name)) throw Refusal(v.line, "the name " + v.name + " a second time");
  auto memory = std::make_unique<u64[]>((v.bytes + 7) / 8 + 128);
  u64 begin = (u64(memory.get()) + 511) / 512 * 512 + (v.align < 4 ? 4 : v.align); // no better aligned, as in place
  memset(reinterpret_cast<void *>(begin), 0, v.bytes);
  if (!v.data.empty()) memcpy(reinterpret_cast<void *>(begin), v.data.data(), v.data.size());
  m->shadows.push_back(new_shadow(v.bytes));
  m->regions.push_back({begin, begin + v.bytes, m->shadows.back().get()});
  m->addresses[v.name] = begin;
  m->data.push_back(std::move(memory));
}

} // namespace

std::shared_ptr<const Module> load(const std::string &text) {
  Text parsed = parse(text);
  auto m = std::make_shared<Module>();
  for (auto &v : parsed.variables) {
    if (v.space == ".global") add_data(v, m.get());
    else if (v.space != ".shared") throw Refusal(v.line, "a variable " + v.space);
  }
  for (auto &f : parsed.functions) {
    if (!f.entry && (f.defined || f.name != kSetConditional)) throw Refusal(f.line, "the function " + f.name);
    if (f.entry && f.defined && !m->kernels.emplace(f.name, Decoder(parsed, f, *m).kernel()).second)
      throw Refusal(f.line, "the kernel " + f.name + " a second time");
  }
  return m;
}

} // namespace ptx
