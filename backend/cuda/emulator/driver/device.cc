// The driver itself, devices, contexts, memory and launches.

#include "emulator.h"

#include <cstdio>

Emulator emulator;
thread_local Context *current;
thread_local int thread_mode = kGlobal;
thread_local bool in_destructor;
thread_local bool of_test;

Call::Call(const char *name, Need need) {
  if (in_destructor) {
    fprintf(stderr, "emulator: %s called by the destructor of a user object\n", name);
    code = kUnknown;
    return;
  }
  if (!of_test) wait_while_held(name);
  lock = std::unique_lock<std::recursive_mutex>(emulator.mutex);
  if (!of_test) {
    emulator.calls[name]++;
    emulator.total++;
    auto nth = emulator.fail_nth.find(name);
    if (nth != emulator.fail_nth.end() && nth->second.first-- == 0) {
      code = nth->second.second;
      injected = true;
      emulator.fail_nth.erase(nth);
    } else if (emulator.total == emulator.fail_at) {
      code = emulator.fail_code;
      injected = true;
    }
  }
  if (injected) {
    emulator.failed = name;
    return;
  }
  if (need == kContext) {
    if (!current || current->references == 0) code = kInvalidContext;
    else code = emulator.sticky;
  }
}

// references counts those of the contexts of all devices.
int references() {
  int sum = 0;
  for (Context &c : emulator.contexts) sum += c.references;
  return sum;
}
bool is_context(const Context *context) {
  for (Context &c : emulator.contexts)
    if (context == &c) return true;
  return false;
}
// count_devices reads how many devices there are from the environment.
int count_devices() {
  const char *text = getenv("TRACKGEN_EMULATED_DEVICES");
  char *end = nullptr;
  emulator.devices = text && *text ? int(strtol(text, &end, 10)) : 1;
  if (end && *end) emulator.devices = 0;
  if (emulator.devices >= 1 && emulator.devices <= kMostDevices) return 0;
  fprintf(stderr, "emulator: TRACKGEN_EMULATED_DEVICES is %s; allowed are 1 to %d\n", text, kMostDevices);
  emulator.devices = 0;
  return kInvalidValue;
}

int complain(int code, const std::string &what) {
  if (emulator.complaint.empty()) emulator.complaint = what;
  return code;
}

int unsafe() {
  if (thread_mode == kRelaxed) return 0;
  bool forbidden = false;
  for (auto &c : emulator.captures) {
    bool local = c->thread == std::this_thread::get_id() && c->mode != kRelaxed;
    bool other = thread_mode == kGlobal && c->mode == kGlobal;
    if (local || other) {
      invalidate(c.get());
      forbidden = true;
    }
  }
  return forbidden ? kUnsupported : 0;
}

EXPORT int cuInit(unsigned flags) {
  ENTER(kNothing);
  static const int code = start_program();
  return code ? code : flags ? kInvalidValue : 0;
}
EXPORT int cuDriverGetVersion(int *version) {
  ENTER(kNothing);
  *version = emulator.version;
  return 0;
}
EXPORT int cuGetErrorName(int code, const char **text) {
  static const std::map<int, const char *> names = {{1, "CUDA_ERROR_INVALID_VALUE"}, {2, "CUDA_ERROR_OUT_OF_MEMORY"},
      {201, "CUDA_ERROR_INVALID_CONTEXT"}, {218, "CUDA_ERROR_INVALID_PTX"}, {400, "CUDA_ERROR_INVALID_HANDLE"},
      {401, "CUDA_ERROR_ILLEGAL_STATE"}, {500, "CUDA_ERROR_NOT_FOUND"}, {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {801, "CUDA_ERROR_NOT_SUPPORTED"}, {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
      {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"}, {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED"},
      {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT"}, {999, "CUDA_ERROR_UNKNOWN"}};
  auto found = names.find(code);
  *text = found == names.end() ? nullptr : found->second;
  return *text ? 0 : kInvalidValue;
}
EXPORT int cuGetErrorString(int code, const char **text) {
  *text = code != 0 && code == emulator.sticky && !emulator.told.empty() ? emulator.told.c_str()
      : code == 700 ? "an illegal memory access was encountered" : nullptr;
  return *text ? 0 : kInvalidValue;
}
EXPORT int cuDeviceGet(int *device, int index) {
  ENTER(kNothing);
  *device = index;
  return index >= 0 && index < emulator.devices ? 0 : 101;
}
EXPORT int cuDeviceGetCount(int *count) {
  ENTER(kNothing);
  *count = emulator.devices;
  return 0;
}
EXPORT int cuDeviceGetName(char *text, int size, int) {
  ENTER(kNothing);
  snprintf(text, size, "Emulated GPU");
  return 0;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int) {
  ENTER(kNothing);
  auto known = emulator.attributes.find(attribute);
  *value = known == emulator.attributes.end() ? 0 : known->second;
  return 0;
}
EXPORT int cuDeviceTotalMem(size_t *bytes, int) {
  ENTER(kNothing);
  *bytes = emulator.device_bytes;
  return 0;
}
EXPORT int cuDevicePrimaryCtxRetain(Context **context, int device) {
  ENTER(kNothing);
  if (device < 0 || device >= emulator.devices) return 101;
  *context = &emulator.contexts[device];
  (*context)->references++;
  (*context)->ordinal = device;
  return 0;
}
EXPORT int cuDevicePrimaryCtxRelease(int device) {
  ENTER_RELEASE(kNothing);
  if (device < 0 || device >= emulator.devices || emulator.contexts[device].references == 0) return kInvalidContext;
  if (--emulator.contexts[device].references == 0 && references() == 0 && emulator.sticky) { // everything in a lost context goes with it
    emulator.sticky = 0;
    for (Stream *s : emulator.streams) delete s;
    for (Stream *s : emulator.detached) delete s;
    for (Module *m : emulator.modules) delete m;
    for (Link *link : emulator.links) delete link;
    for (Event *e : emulator.events) delete e;
    emulator.streams.clear(), emulator.detached.clear(), emulator.modules.clear(), emulator.links.clear(), emulator.events.clear(), emulator.functions.clear();
    emulator.allocations.clear();
    emulator.device_used = emulator.host_used = 0;
  }
  return call.code;
}
EXPORT int cuCtxGetCurrent(Context **context) {
  ENTER(kNothing);
  *context = current;
  return 0;
}
EXPORT int cuCtxSetCurrent(Context *context) {
  ENTER(kNothing);
  if (context && (!is_context(context) || context->references == 0)) return kInvalidContext;
  current = context;
  return 0;
}
EXPORT int cuCtxSynchronize() {
  ENTER(kContext);
  if (int code = unsafe()) return code;
  drain_all();
  return emulator.sticky;
}

static const size_t margin = 64;
static const uint8_t margin_byte = 0xc5, fresh_byte = 0xdb;

static int allocate(u64 *address, size_t bytes, bool host) {
  if (bytes == 0) return kInvalidValue;
  size_t &used = host ? emulator.host_used : emulator.device_used;
  size_t limit = host ? emulator.host_bytes : emulator.device_bytes;
  if (bytes > limit - used) return kOutOfMemory;
  Allocation a{bytes, std::unique_ptr<uint8_t[]>(new uint8_t[bytes + 2 * margin + 256]), host, nullptr};
  a.ordinal = current->ordinal;
  u64 base = (u64(a.raw.get()) + margin + 255) / 256 * 256;
  memset((void *)(base - margin), margin_byte, margin);
  memset((void *)base, fresh_byte, bytes);
  memset((void *)(base + bytes), margin_byte, margin);
  emulator.allocations.emplace(base, std::move(a));
  used += bytes;
  *address = base;
  return 0;
}

void check_margins(u64 address) {
  auto a = emulator.allocations.find(address);
  auto *before = (const uint8_t *)(address - margin), *after = (const uint8_t *)(address + a->second.bytes);
  for (size_t i = 0; i < margin; i++)
    if (before[i] != margin_byte || after[i] != margin_byte) {
      emulator.sticky = complain(kIllegalAddress, "a write outside an allocation");
      return;
    }
}

EXPORT int cuMemAllocManaged(u64 *address, size_t bytes, unsigned flags) {
  ENTER(kContext);
  if (int code = unsafe()) return code;
  if (flags != 1 && flags != 2) return kInvalidValue; // attached to all streams, or to the host
  int code = allocate(address, bytes, false);
  if (!code) emulator.allocations.at(*address).managed = true;
  return code;
}
// cuMemAllocAsync makes the memory at once: work that uses it too early is not noticed. A real driver adds a node to the
// graph of a stream that is capturing.
EXPORT int cuMemAllocAsync(u64 *address, size_t bytes, void *handle) {
  ENTER(kContext);
  bool recording;
  if (int code = usable_stream(stream_of(handle), &recording)) return code;
  if (recording) return complain(kNotSupported, "the emulator has no nodes that allocate");
  int code = allocate(address, bytes, false);
  if (!code) emulator.allocations.at(*address).pool = true;
  return code;
}

static int give_back(u64 address, bool host) {
  auto a = emulator.allocations.find(address);
  if (a == emulator.allocations.end() || a->second.host != host) return kInvalidValue;
  check_margins(address); // does not wait for work that still uses the memory, so that such mistakes show
  (host ? emulator.host_used : emulator.device_used) -= a->second.bytes;
  memset((void *)address, 0xdd, a->second.bytes);
  emulator.allocations.erase(a);
  return 0;
}

bool range(u64 address, u64 bytes, bool host) {
  auto next = emulator.allocations.upper_bound(address);
  if (next == emulator.allocations.begin()) return false;
  auto &[base, a] = *std::prev(next);
  return a.host == host && address - base <= a.bytes && bytes <= a.bytes - (address - base);
}

// allocation_at returns the allocation that an address is in, and its beginning: null and 0 if it is in none.
static const Allocation *allocation_at(u64 address, u64 *base) {
  *base = 0;
  auto next = emulator.allocations.upper_bound(address);
  if (next == emulator.allocations.begin()) return nullptr;
  auto &[from, found] = *std::prev(next);
  if (address - from >= found.bytes) return nullptr;
  *base = from;
  return &found;
}

// cuPointerGetAttributes does not fail for an address without memory: all attributes are then null.
EXPORT int cuPointerGetAttributes(unsigned count, const int *attributes, void **data, u64 address) {
  ENTER(kContext);
  u64 base;
  const Allocation *a = allocation_at(address, &base);
  static Context stranger;
  for (unsigned i = 0; i < count; i++) {
    switch (attributes[i]) {
    case 1: *(Context **)data[i] = !a || a->pool ? nullptr : a->other ? &stranger : &emulator.contexts[a->ordinal]; break;
    case 2: *(unsigned *)data[i] = !a ? 0 : a->host ? 1 : 2; break;
    case 8: *(bool *)data[i] = a && a->managed; break;
    case 9: *(int *)data[i] = a ? a->ordinal : -2; break;
    case 11: *(u64 *)data[i] = base; break;
    case 12: *(size_t *)data[i] = a ? a->bytes : 0; break;
    case 13: *(bool *)data[i] = a && address - base < a->mapped; break;
    default: return complain(kInvalidValue, "an attribute of a pointer that the emulator does not know");
    }
  }
  return 0;
}
// emulator_pointer sets an attribute of the memory that begins at an address, as if it had been made otherwise: 1 whether
// it belongs to another context, 9 the ordinal of its device, 13 how many bytes are mapped from its beginning.
EXPORT void emulator_pointer(u64 address, int attribute, u64 value) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  Allocation &a = emulator.allocations.at(address);
  switch (attribute) {
  case 1: a.other = value; break;
  case 9: a.ordinal = int(value); break;
  case 13: a.mapped = value; break;
  }
}

EXPORT int cuMemGetInfo(size_t *available, size_t *total) {
  ENTER(kContext);
  *total = emulator.device_bytes;
  *available = emulator.device_bytes - emulator.device_used;
  return 0;
}
EXPORT int cuMemAlloc(u64 *address, size_t bytes) {
  ENTER(kContext);
  if (int code = unsafe()) return code;
  return allocate(address, bytes, false);
}
EXPORT int cuMemFree(u64 address) {
  ENTER_RELEASE(kContext);
  if (int code = unsafe()) return code;
  int code = give_back(address, false);
  return call.code ? call.code : code;
}
EXPORT int cuMemFreeAsync(u64 address, void *handle) {
  ENTER_RELEASE(kContext);
  Stream *s = stream_of(handle);
  bool recording;
  if (int code = usable_stream(s, &recording)) return code;
  if (recording || !emulator.allocations.count(address)) return kInvalidValue; // no memory of this graph
  place(s, [=] { give_back(address, false); });
  return call.code;
}
EXPORT int cuMemHostAlloc(void **memory, size_t bytes, unsigned) {
  ENTER(kContext);
  if (int code = unsafe()) return code;
  return allocate((u64 *)memory, bytes, true);
}
EXPORT int cuMemFreeHost(void *memory) {
  ENTER_RELEASE(kContext);
  if (int code = unsafe()) return code;
  int code = give_back(u64(memory), true);
  return call.code ? call.code : code;
}

int run_copy(u64 target, u64 source, u64 bytes) {
  bool from = range(source, bytes, false) || range(source, bytes, true);
  bool to = range(target, bytes, false) || range(target, bytes, true);
  if (!from || !to) return emulator.sticky = complain(kIllegalAddress, "a copy outside live memory");
  memcpy((void *)target, (void *)source, bytes);
  return 0;
}
int run_fill(u64 target, uint32_t pattern, u64 count) {
  if (!range(target, count * 4, false)) return emulator.sticky = complain(kIllegalAddress, "a memset outside live memory");
  for (u64 i = 0; i < count; i++) ((uint32_t *)target)[i] = pattern;
  return 0;
}

// of_another returns whether an address is in the memory of another device.
static bool of_another(u64 address) {
  u64 base;
  const Allocation *a = allocation_at(address, &base);
  return a && !a->host && !a->other && a->ordinal != current->ordinal;
}

static int copy(u64 target, bool target_host, u64 source, bool source_host, size_t bytes, void *handle) {
  Stream *s = stream_of(handle);
  bool recording;
  if (int code = usable_stream(s, &recording)) return code;
  if (of_another(target) || of_another(source)) return complain(kInvalidValue, "a copy of the memory of another device");
  if (!range(target, bytes, target_host) || !range(source, bytes, source_host))
    return complain(kInvalidValue, "a copy outside live memory, or from pageable memory");
  if (recording) {
    Node *n = append(s, kMemcpy);
    n->target = target, n->source = source, n->bytes = bytes;
  } else {
    place(s, [=] { run_copy(target, source, bytes); });
  }
  return 0;
}
EXPORT int cuMemcpyHtoDAsync(u64 target, const void *source, size_t bytes, void *stream) {
  ENTER(kContext);
  return copy(target, false, u64(source), true, bytes, stream);
}
EXPORT int cuMemcpyDtoHAsync(void *target, u64 source, size_t bytes, void *stream) {
  ENTER(kContext);
  return copy(u64(target), true, source, false, bytes, stream);
}
EXPORT int cuMemcpyDtoDAsync(u64 target, u64 source, size_t bytes, void *stream) {
  ENTER(kContext);
  return copy(target, false, source, false, bytes, stream);
}
EXPORT int cuMemsetD32Async(u64 target, unsigned pattern, size_t count, void *handle) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  bool recording;
  if (int code = usable_stream(s, &recording)) return code;
  if (!range(target, count * 4, false) || target % 4) return complain(kInvalidValue, "a memset outside live memory");
  if (recording) {
    Node *n = append(s, kMemset);
    n->target = target, n->pattern = pattern, n->bytes = count;
  } else {
    place(s, [=] { run_fill(target, pattern, count); });
  }
  return 0;
}

// run_control runs a kernel of control.cu.
static int run_control(Function *f, const std::vector<std::vector<uint8_t>> &parameters) {
  if (f->name == "trackgen_count") {
    u64 word = field<u64>(parameters[1].data(), 0);
    if (!range(word, 4, false)) return emulator.sticky = complain(kIllegalAddress, "a count outside live memory");
    ++*(int *)word;
    return 0;
  }
  auto h = emulator.handles.find(field<u64>(parameters[0].data(), 0));
  u64 flag = field<u64>(parameters[1].data(), 0), left = parameters.size() > 2 ? field<u64>(parameters[2].data(), 0) : flag;
  if (!emulator.in_graph || h == emulator.handles.end() || !range(flag, 4, false) || !range(left, 4, false))
    return emulator.sticky = complain(kIllegalAddress, "a conditional set outside its graph, or by words outside live memory");
  unsigned value = *(int *)flag != 0;
  if (f->name == "trackgen_begin_while") *(int *)left = field<int>(parameters[3].data(), 0);
  if (f->name == "trackgen_next_while") value = --*(int *)left > 0 && value;
  h->second.value = value;
  return 0;
}

int run_kernel(Function *f, unsigned grid, unsigned block, std::vector<std::vector<uint8_t>> &parameters) {
  if (f->code) return interpret(f, grid, block, parameters);
  if (!f->run) return run_control(f, parameters);
  std::vector<void *> pointers;
  std::vector<u64> bases;
  for (auto &p : parameters) {
    pointers.push_back(p.data());
    if (p.size() != 8) continue;
    u64 address = field<u64>(p.data(), 0);
    if (address == 0) continue;
    if (!range(address, 0, false)) return emulator.sticky = complain(kIllegalAddress, f->name + " has a pointer outside live memory");
    bases.push_back(std::prev(emulator.allocations.upper_bound(address))->first);
  }
  run_host(f, pointers.data(), bases);
  for (u64 base : bases) check_margins(base);
  return emulator.sticky;
}

EXPORT int cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned, void *handle, void **parameters, void **extra) {
  ENTER(kContext);
  Stream *s = stream_of(handle);
  bool recording;
  if (!emulator.functions.count(f) || f->context != current) return kInvalidHandle;
  if (int code = usable_stream(s, &recording)) return code;
  if (gx < 1 || gx > 0x7fffffff || gy != 1 || gz != 1 || bx < 1 || bx > max_threads(f) || by != 1 || bz != 1 || extra) return kInvalidValue;
  std::vector<std::vector<uint8_t>> copied;
  for (size_t i = 0; i < f->sizes.size(); i++)
    copied.emplace_back((uint8_t *)parameters[i], (uint8_t *)parameters[i] + f->sizes[i]);
  if (recording) {
    Node *n = append(s, kKernel);
    n->function = f, n->grid = gx, n->block = bx, n->parameters = copied;
  } else {
    place(s, [f, gx, bx, copied]() mutable { run_kernel(f, gx, bx, copied); });
  }
  return 0;
}
