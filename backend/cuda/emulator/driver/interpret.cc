// Launches by the interpreter of PTX.

#include "emulator.h"

// memory_at finds the device memory that holds an address.
static bool memory_at(u64 address, ptx::Region *r) {
  auto next = emulator.allocations.upper_bound(address);
  if (next == emulator.allocations.begin()) return false;
  auto &[base, a] = *std::prev(next);
  if (a.host || address - base >= a.bytes) return false;
  if (!a.shadow) a.shadow = ptx::new_shadow(a.bytes);
  *r = {base, base + a.bytes, a.shadow.get()};
  return true;
}

static bool set_conditional(u64 handle, uint32_t value) {
  auto h = emulator.handles.find(handle);
  if (!emulator.in_graph || h == emulator.handles.end()) return false;
  h->second.value = value;
  return true;
}

int interpret(Function *f, unsigned grid, unsigned block, const std::vector<std::vector<uint8_t>> &parameters) {
  if (emulator.sticky) return emulator.sticky;
  static const ptx::Host host{memory_at, set_conditional};
  ptx::Figures *figures = emulator.measure ? &emulator.figures[{f->identity, f->name}] : nullptr;
  try {
    ptx::run(*f->code, f->name, grid, block, parameters, host, figures);
  } catch (ptx::Mistake &mistake) {
    emulator.told = mistake.what();
    emulator.sticky = complain(mistake.code, mistake.what());
  }
  return emulator.sticky;
}
