// Modules: the compiler, the linker, and what the driver says of kernels.

#include "emulator.h"

#include <cctype>
#include <cstdio>

// parse finds the kernels of a PTX text, with the sizes of their parameters.
static bool parse(const std::string &text, Module *m) {
  if (text.find(".version") == std::string::npos || text.find(".target") == std::string::npos) return false;
  for (size_t at = 0; (at = text.find(".entry", at)) != std::string::npos;) {
    at += 6;
    while (at < text.size() && isspace((unsigned char)text[at])) at++;
    size_t end = text.find_first_of(" (\n\t", at), open = text.find('(', at), close = text.find(')', at);
    if (end == std::string::npos || open == std::string::npos || close == std::string::npos) return false;
    auto f = std::make_unique<Function>();
    f->name = text.substr(at, end - at);
    std::string list = text.substr(open, close - open);
    for (size_t p = 0; (p = list.find(".param", p)) != std::string::npos; p += 6) {
      size_t type = list.find('.', p + 6);
      if (type == std::string::npos || type + 2 > list.size()) return false;
      f->sizes.push_back(list.compare(type + 2, 2, "64") == 0 ? 8 : 4);
    }
    m->functions[f->name] = std::move(f);
  }
  return true;
}

// identity is the FNV-1a hash of a text.
static u64 identity(const char *text) {
  u64 hash = 14695981039346656037ull;
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211ull;
  return hash;
}

// image_header is the first line of an image that cuLinkComplete makes of a text, whose first bytes are those of ELF.
static std::string image_header(const char *text) {
  return "\x7f" "ELF of the emulator for sm_" + std::to_string(emulator.attributes[75]) + std::to_string(emulator.attributes[76]) +
      ", " + std::to_string(identity(text)) + "\n";
}

// text_of finds the PTX of an image, which may be PTX itself. The driver runs images for the same GPU only.
static int text_of(const char *image, const char **text) {
  *text = image;
  if (*image != '\x7f') return 0;
  const char *end = strchr(image, '\n');
  if (!end) return kInvalidImage;
  *text = end + 1;
  std::string own = image_header(*text), given(image, end + 1 - image);
  if (given == own) return 0;
  size_t comma = given.find(','), own_comma = own.find(',');
  return comma != std::string::npos && given.substr(comma) == own.substr(own_comma) ? kNoBinary : kInvalidImage;
}

EXPORT int cuModuleLoadDataEx(Module **module, const void *image, unsigned count, int *options, void **values) {
  ENTER(kContext);
  if (emulator.version < 12030)
    if (int code = unsafe()) return code;
  auto m = std::make_unique<Module>();
  auto refuse = [&](const std::string &why) {
    for (unsigned i = 0; i + 1 < count; i++)
      if (options[i] == 5 && options[i + 1] == 6) snprintf((char *)values[i], (size_t)values[i + 1], "ptxas fatal: %s", why.c_str());
    return kInvalidPtx;
  };
  const char *text;
  if (int code = text_of((const char *)image, &text)) return code;
  if (!parse(text, m.get())) return refuse("no .version");
  std::shared_ptr<const ptx::Module> code;
  try {
    if (emulator.interpret) code = ptx::load(text);
  } catch (std::exception &why) {
    return refuse(why.what());
  }
  m->identity = identity(text);
  for (auto &[name, f] : m->functions) {
    f->code = code, f->identity = m->identity, f->context = current;
    emulator.functions.insert(f.get());
  }
  *module = m.get();
  emulator.modules.insert(m.release());
  return 0;
}

// The linker accepts one text, and no options. An image lives as long as its link.
EXPORT int cuLinkCreate(unsigned count, int *, void **, Link **link) {
  ENTER(kContext);
  if (count) return complain(kInvalidValue, "the emulator's linker knows no options");
  *link = new Link;
  emulator.links.insert(*link);
  return 0;
}
EXPORT int cuLinkAddData(Link *link, int type, void *data, size_t bytes, const char *, unsigned count, int *, void **) {
  ENTER(kContext);
  if (!emulator.links.count(link)) return kInvalidHandle;
  if (type != 1 || count || !link->text.empty()) return complain(kInvalidValue, "the emulator's linker takes one text of PTX");
  const char *text = (const char *)data;
  if (bytes == 0 || text[bytes - 1] || strlen(text) + 1 != bytes) return complain(kInvalidValue, "PTX that does not end with a byte 0");
  Module m;
  if (!parse(text, &m)) return kInvalidPtx;
  link->text = text;
  return 0;
}
EXPORT int cuLinkComplete(Link *link, void **image, size_t *bytes) {
  ENTER(kContext);
  if (!emulator.links.count(link)) return kInvalidHandle;
  if (link->text.empty()) return kInvalidValue;
  if (link->text.find(".extern .func") != std::string::npos) return kInvalidPtx; // nothing defines the function
  link->image = image_header(link->text.c_str()) + link->text;
  *image = link->image.data(), *bytes = link->image.size();
  return 0;
}
EXPORT int cuLinkDestroy(Link *link) {
  ENTER_RELEASE(kContext);
  if (!emulator.links.erase(link)) return kInvalidHandle;
  memset(link->image.data(), 0, link->image.size());
  delete link;
  return call.code;
}
EXPORT int cuModuleUnload(Module *m) {
  ENTER_RELEASE(kContext);
  if (int code = unsafe()) return code;
  if (!emulator.modules.erase(m)) return kInvalidHandle;
  drain_all();
  for (auto &[name, f] : m->functions) emulator.functions.erase(f.get());
  delete m;
  return call.code;
}
EXPORT int cuModuleGetFunction(Function **function, Module *m, const char *name) {
  ENTER(kContext);
  if (!emulator.modules.count(m)) return kInvalidHandle;
  auto found = m->functions.find(name);
  if (found == m->functions.end()) return kNotFound;
  Function *f = found->second.get();
  if (!f->code && f->name.rfind("trackgen_", 0) != 0) {
    auto code = emulator.host_code.find({m->identity, name});
    if (code == emulator.host_code.end()) return complain(kInvalidImage, std::string("no host code for ") + name);
    if (code->second.sizes != f->sizes) return complain(kInvalidPtx, std::string("other parameters on the host: ") + name);
    f->run = code->second.run;
  }
  *function = f;
  return 0;
}
EXPORT int cuFuncLoad(Function *f) {
  ENTER(kContext);
  return emulator.functions.count(f) ? 0 : kInvalidHandle;
}
unsigned max_threads(const Function *f) { return f->code ? ptx::max_threads(*f->code, f->name) : 1024; }
EXPORT int cuFuncGetAttribute(int *value, int attribute, Function *f) {
  ENTER(kContext);
  if (!emulator.functions.count(f)) return kInvalidHandle;
  switch (attribute) {
  case 0: *value = int(max_threads(f)); break;
  case 1: *value = emulator.shared; break;
  case 4: *value = emulator.registers; break;
  case 9: *value = f->carveout; break;
  default: *value = 0;
  }
  return 0;
}
EXPORT int cuFuncSetAttribute(Function *f, int attribute, int value) {
  ENTER(kContext);
  if (!emulator.functions.count(f)) return kInvalidHandle;
  if (attribute != 9 || value < -1 || value > 100) return complain(kInvalidValue, "an attribute of a kernel");
  f->carveout = value;
  return 0;
}
EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function *f, int threads, size_t) {
  ENTER(kContext);
  if (!emulator.functions.count(f)) return kInvalidHandle;
  if (threads < 1 || threads > 1024) return kInvalidValue;
  *blocks = emulator.attributes[39] / threads;
  return 0;
}
