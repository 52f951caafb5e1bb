// Parsing: from characters to statements.

#include "ptx_text.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>

namespace ptx {

namespace {

const u64 kMaxBytes = 1 << 20; // of a variable
const u32 kMaxAlign = 256, kMaxRegisters = 1 << 16, kMaxThreads = 1024;

struct Token {
  std::string text; // empty at the end
  int line;
};

bool of_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.'; }

// arbitrary_in returns the register that a comment names as one of any value, or nothing.
std::string arbitrary_in(const std::string &comment) {
  const std::string mark = "// implicit-def: ";
  if (comment.compare(0, mark.size(), mark) != 0) return "";
  std::string name = comment.substr(mark.size());
  return name[0] == '%' && std::all_of(name.begin(), name.end(), of_word) ? name : "";
}

std::vector<Token> tokens_of(const std::string &text) {
  std::vector<Token> tokens;
  int line = 1;
  for (size_t i = 0; i < text.size();) {
    char c = text[i];
    if (c == '\n') line++;
    if (isspace((unsigned char)c)) {
      i++;
    } else if (c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      size_t end = std::min(text.find('\n', i), text.size());
      std::string name = arbitrary_in(text.substr(i, end - i));
      if (!name.empty())
        for (auto &t : {std::string(kArbitrary), name, std::string(";")}) tokens.push_back({t, line});
      i = end;
    } else if (c == '"') {
      size_t end = text.find('"', i + 1);
      if (end == std::string::npos) throw Refusal(line, "a string without an end");
      tokens.push_back({text.substr(i, end + 1 - i), line});
      i = end + 1;
    } else if (of_word(c)) {
      size_t end = i;
      while (end < text.size() && of_word(text[end])) end++;
      tokens.push_back({text.substr(i, end - i), line});
      i = end;
    } else if (std::string("(){}[],;:+-@!<>=").find(c) != std::string::npos) {
      tokens.push_back({std::string(1, c), line});
      i++;
    } else {
      throw Refusal(line, std::string("the character ") + c);
    }
  }
  tokens.push_back({"", line});
  return tokens;
}

class Parser {
public:
  explicit Parser(const std::string &text) : tokens(tokens_of(text)) {}
  Text module();

private:
  std::vector<Token> tokens;
  size_t at = 0;
  int scopes = 0;                                          // number of inner scopes so far, for the names in them
  std::vector<std::map<std::string, std::string>> renamed; // the variables of the open inner scopes

  const std::string &peek() const { return tokens[at].text; }
  int line() const { return tokens[at].line; }
  std::string next() {
    if (tokens[at].text.empty()) throw Refusal(line(), "the text ends too early");
    return tokens[at++].text;
  }
  bool skip(const char *text) {
    if (peek() != text) return false;
    at++;
    return true;
  }
  void expect(const char *text) {
    if (!skip(text))
      throw Refusal(line(), std::string(text) + " expected, not " + (peek().empty() ? "the end" : peek()));
  }
  u64 number();
  u32 small(u32 limit, const char *what);
  bool is_number(size_t index) const {
    const std::string &t = tokens[index].text;
    return t == "-" || isdigit((unsigned char)t[0]);
  }
  std::string resolved(const std::string &name) const;
  Operand operand();
  Operand list(const char *end);
  Variable variable();
  void data(Variable *v);
  void function(bool entry, Text *text);
  void body(Function *f);
  void statement(Function *f);
};

u64 Parser::number() {
  bool negative = skip("-");
  int where = line();
  std::string text = next();
  char *end;
  errno = 0;
  u64 value = strtoull(text.c_str(), &end, 0);
  if (errno || (*end && std::string(end) != "U")) throw Refusal(where, "a number expected, not " + text);
  return negative ? -value : value;
}

// small parses a number from 1 to a limit.
u32 Parser::small(u32 limit, const char *what) {
  int where = line();
  u64 value = number();
  if (value < 1 || value > limit)
    throw Refusal(where, std::string(what) + " outside 1 to " + std::to_string(limit) + ": " + std::to_string(value));
  return u32(value);
}

std::string Parser::resolved(const std::string &name) const {
  for (auto scope = renamed.rbegin(); scope != renamed.rend(); ++scope) {
    auto found = scope->find(name);
    if (found != scope->end()) return found->second;
  }
  return name;
}

Operand Parser::list(const char *end) {
  Operand o;
  o.kind = Operand::kList;
  while (!skip(end)) {
    if (peek() == "{" || peek() == "(" || peek() == "[") throw Refusal(line(), "a list in a list");
    o.list.push_back(operand());
    if (peek() != end) expect(",");
  }
  return o;
}

Operand Parser::operand() {
  Operand o;
  if (skip("{")) return list("}");
  if (skip("(")) return list(")");
  if (skip("[")) {
    o.kind = Operand::kAddress;
    if (!is_number(at)) {
      o.name = resolved(next());
      if (skip("+")) o.value = number();
    } else {
      o.value = number();
    }
    expect("]");
    return o;
  }
  const std::string &t = peek();
  if (t.size() == 10 && t[0] == '0' && (t[1] == 'f' || t[1] == 'F') &&
      t.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string::npos) {
    o.kind = Operand::kFloat;
    o.value = strtoull(next().c_str() + 2, nullptr, 16);
  } else if (is_number(at)) {
    o.kind = Operand::kInteger;
    o.value = number();
  } else if (!t.empty() && of_word(t[0])) {
    o.name = resolved(next());
  } else {
    throw Refusal(line(), "an operand expected, not " + t);
  }
  return o;
}

void Parser::data(Variable *v) {
  expect("{");
  u32 element = bytes_of(v->type);
  while (!skip("}")) {
    u64 value = number();
    for (u32 i = 0; i < element; i++) v->data.push_back(u8(value >> (8 * i)));
    if (peek() != "}") expect(",");
  }
  if (v->data.size() > v->bytes) throw Refusal(v->line, "more data than " + v->name + " has room for");
  v->data.resize(v->bytes);
}

// variable parses a declaration without its end: the space, alignment, type, name, size and data.
Variable Parser::variable() {
  Variable v;
  v.line = line();
  v.space = next();
  while (peek() == ".align") {
    next();
    v.align = small(kMaxAlign, "an alignment");
    if (v.align & (v.align - 1)) throw Refusal(v.line, "an alignment that is no power of two");
  }
  v.type = next();
  u32 element = bytes_of(v.type);
  if (!element && v.type != ".pred") throw Refusal(v.line, "the type " + v.type);
  v.align = std::max(v.align, element);
  v.bytes = element;
  v.name = next();
  if (skip("<")) {
    v.count = small(kMaxRegisters, "a number of registers");
    expect(">");
  }
  if (peek() == "[" && (v.space == ".reg" || v.space == ".param"))
    throw Refusal(v.line, "an array " + v.space);
  if (skip("[")) {
    u64 count = number();
    if (count > kMaxBytes) throw Refusal(v.line, "more than " + std::to_string(kMaxBytes) + " bytes in a variable");
    v.bytes *= count;
    expect("]");
  }
  if (skip("=")) data(&v);
  return v;
}

void Parser::statement(Function *f) {
  Statement s;
  s.line = line();
  if (tokens[at + 1].text == ":" && peek()[0] != '@') {
    s.label = next();
    next();
    f->statements.push_back(s);
    return;
  }
  if (skip("@")) {
    s.negated = skip("!");
    s.predicate = resolved(next());
  }
  s.opcode = next();
  if (!isalpha((unsigned char)s.opcode[0])) throw Refusal(s.line, "an instruction expected, not " + s.opcode);
  while (!skip(";")) {
    s.operands.push_back(operand());
    if (peek() != ";") expect(",");
  }
  f->statements.push_back(s);
}

void Parser::body(Function *f) {
  for (size_t depth = 1; depth;) {
    if (peek().empty()) throw Refusal(line(), "a function without an end");
    if (skip("{")) {
      depth++;
      renamed.emplace_back();
    } else if (skip("}")) {
      depth--;
      if (depth) renamed.pop_back();
    } else if (peek() == ".pragma") { // advice on how to compile
      while (next() != ";") continue;
    } else if (peek()[0] == '.') {
      Variable v = variable();
      expect(";");
      if (depth > 1) {
        std::string name = v.name + "@" + std::to_string(++scopes);
        renamed.back()[v.name] = name;
        v.name = name;
      }
      f->variables.push_back(v);
    } else {
      statement(f);
    }
  }
}

void Parser::function(bool entry, Text *text) {
  Function f;
  f.line = line();
  f.entry = entry;
  f.name = next();
  expect("(");
  while (!skip(")")) {
    f.parameters.push_back(variable());
    if (peek() != ")") expect(",");
  }
  while (peek() == ".maxntid") {
    next();
    u64 threads = 1;
    for (int i = 0; i < 3; i++) {
      threads *= small(kMaxThreads, ".maxntid");
      if (i < 2) expect(",");
    }
    if (threads > kMaxThreads) throw Refusal(f.line, "more than " + std::to_string(kMaxThreads) + " threads");
    f.max_threads = u32(threads);
  }
  if (!skip(";")) {
    expect("{");
    f.defined = true;
    body(&f);
  }
  text->functions.push_back(f);
}

Text Parser::module() {
  Text text;
  bool version = false, target = false, wide = false;
  while (!peek().empty()) {
    int where = line();
    if (peek() == ".global" || peek() == ".shared" || peek() == ".const") {
      text.variables.push_back(variable());
      expect(";");
      continue;
    }
    std::string word = next();
    if (word == ".version") {
      version = true;
      next();
    } else if (word == ".target") {
      target = true;
      next();
    } else if (word == ".address_size") {
      if (number() != 64) throw Refusal(where, "addresses that do not have 64 bits");
      wide = true;
    } else if (word == ".entry" || word == ".func") {
      function(word == ".entry", &text);
    } else if (word != ".visible" && word != ".extern") {
      throw Refusal(where, "the directive " + word);
    }
  }
  if (!version || !target || !wide) throw Refusal(1, "a module without .version, .target and .address_size");
  return text;
}

} // namespace

u32 bytes_of(const std::string &type) {
  if (type == ".b8" || type == ".u8" || type == ".s8") return 1;
  if (type == ".b16" || type == ".u16" || type == ".s16") return 2;
  if (type == ".b32" || type == ".u32" || type == ".s32" || type == ".f32") return 4;
  if (type == ".b64" || type == ".u64" || type == ".s64") return 8;
  return 0;
}

Text parse(const std::string &text) { return Parser(text).module(); }

} // namespace ptx
