// The table of functions, and the functions by which tests control the emulator.

#include "emulator.h"

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

// Function names with the version of their signature. Asking for another version is a mistake: a real driver could
// return a function with another signature.
static const struct {
  const char *name;
  int version;
} table[] = {
    {"cuInit", 2000}, {"cuDriverGetVersion", 2020}, {"cuGetErrorName", 6000}, {"cuGetErrorString", 6000},
    {"cuDeviceGet", 2000}, {"cuDeviceGetCount", 2000}, {"cuDeviceGetName", 2000}, {"cuDeviceGetAttribute", 2000},
    {"cuDeviceTotalMem", 3020}, {"cuDevicePrimaryCtxRetain", 7000}, {"cuDevicePrimaryCtxRelease", 11000},
    {"cuCtxGetCurrent", 4000}, {"cuCtxSetCurrent", 4000}, {"cuCtxSynchronize", 2000}, {"cuMemGetInfo", 3020},
    {"cuMemAlloc", 3020}, {"cuMemFree", 3020}, {"cuMemHostAlloc", 2020}, {"cuMemFreeHost", 2000},
    {"cuMemAllocManaged", 6000}, {"cuMemAllocAsync", 11020}, {"cuMemFreeAsync", 11020}, {"cuPointerGetAttributes", 7000},
    {"cuMemcpyHtoDAsync", 3020}, {"cuMemcpyDtoHAsync", 3020}, {"cuMemcpyDtoDAsync", 3020}, {"cuMemsetD32Async", 3020},
    {"cuStreamCreate", 2000}, {"cuStreamDestroy", 4000}, {"cuStreamSynchronize", 2000}, {"cuStreamWaitEvent", 3020},
    {"cuStreamGetCtx", 9020}, {"cuStreamBeginCapture", 10010}, {"cuStreamBeginCaptureToGraph", 12030},
    {"cuStreamEndCapture", 10000}, {"cuStreamIsCapturing", 10000}, {"cuStreamGetCaptureInfo", 12030},
    {"cuStreamUpdateCaptureDependencies", 12030}, {"cuThreadExchangeStreamCaptureMode", 10010},
    {"cuEventCreate", 2000}, {"cuEventDestroy", 4000}, {"cuEventRecord", 2000}, {"cuEventQuery", 2000},
    {"cuEventSynchronize", 2000}, {"cuModuleLoadDataEx", 2010}, {"cuModuleUnload", 2000}, {"cuModuleGetFunction", 2000},
    {"cuLinkCreate", 6050}, {"cuLinkAddData", 6050}, {"cuLinkComplete", 5050}, {"cuLinkDestroy", 5050},
    {"cuFuncLoad", 12040}, {"cuFuncGetAttribute", 2020}, {"cuFuncSetAttribute", 9000}, {"cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050}, {"cuLaunchKernel", 4000}, {"cuGraphCreate", 10000},
    {"cuGraphDestroy", 10000}, {"cuGraphAddNode", 12030}, {"cuGraphConditionalHandleCreate", 12030},
    {"cuGraphInstantiateWithParams", 12000}, {"cuGraphExecDestroy", 10000}, {"cuGraphUpload", 11010},
    {"cuGraphLaunch", 10000}, {"cuGraphDebugDotPrint", 11030}, {"cuGraphGetNodes", 10000}, {"cuGraphNodeGetType", 10000}, {"cuUserObjectCreate", 11030},
    {"cuUserObjectRelease", 11030}, {"cuGraphRetainUserObject", 11030},
};

EXPORT int cuGetProcAddress_v2(const char *name, void **function, int version, u64 flags, int *status) {
  *function = nullptr;
  *status = 1;
  if (flags != 1) return kInvalidValue;
  for (auto &row : table) {
    if (std::string(row.name) != name) continue;
    if (version != row.version) {
      fprintf(stderr, "emulator: %s asked for with ABI version %d, its signature is of %d\n", name, version, row.version);
      return kNotFound;
    }
    if (row.version > emulator.version) {
      *status = 2;
      return kNotFound;
    }
    Dl_info self;
    dladdr((void *)&cuGetProcAddress_v2, &self);
    void *library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    *function = dlsym(library, name);
    dlclose(library);
    *status = 0;
    return *function ? 0 : kNotFound;
  }
  return kNotFound;
}

// emulator_start sets up the emulator for a test. interpret is whether modules are interpreted, and measure whether
// their launches are counted.
EXPORT void emulator_start(int version, u64 seed, int interpret, int measure) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  emulator.started = true;
  emulator.version = version;
  emulator.random.seed(seed);
  emulator.interpret = interpret;
  emulator.measure = measure;
  count_devices();
}

// A kernel in the list of its host library.
struct HostKernel {
  const char *name;
  void (*run)(void **parameters);
  const size_t *sizes;
  size_t count;
  unsigned long long identity;
};

// emulator_kernels registers the kernels of a host library. It returns null, or the reason of a failure.
EXPORT const char *emulator_kernels(const char *path) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
  auto *kernels = (const HostKernel *)dlsym(library, "host_kernels");
  if (!kernels) return "there is no host_kernels";
  for (; kernels->name; kernels++) {
    Function f;
    f.name = kernels->name;
    f.run = kernels->run;
    f.sizes.assign(kernels->sizes, kernels->sizes + kernels->count);
    emulator.host_code[{kernels->identity, f.name}] = f;
  }
  return nullptr;
}

// start_program sets up the emulator for a program other than a test, by its environment: TRACKGEN_EMULATE chooses how
// kernels run, and TRACKGEN_EMULATOR_KERNELS has the libraries of host kernels. A test calls emulator_start and
// emulator_kernels instead. It returns the result of cuInit.
int start_program() {
  if (emulator.started) return 0;
  const char *paths = getenv("TRACKGEN_EMULATOR_KERNELS"), *how = getenv("TRACKGEN_EMULATE");
  std::string mode = how ? how : "";
  if (mode != "" && mode != "host" && mode != "ptx") {
    fprintf(stderr, "emulator: TRACKGEN_EMULATE is %s; allowed are host and ptx\n", how);
    return kInvalidValue;
  }
  emulator.interpret = mode == "ptx";
  if (int code = count_devices()) return code;
  for (std::string rest = paths ? paths : ""; !rest.empty();) {
    size_t end = rest.find(':');
    std::string path = rest.substr(0, end);
    rest = end == std::string::npos ? "" : rest.substr(end + 1);
    if (const char *reason = emulator_kernels(path.c_str())) fprintf(stderr, "emulator: kernels of %s: %s\n", path.c_str(), reason);
  }
  return 0;
}

// emulator_call makes a call for the test itself, or for another user of the driver in the process. The call is not
// counted and never made to fail.
EXPORT int emulator_call(int (*function)(u64, u64, u64, u64, u64, u64, u64), const u64 *a) {
  of_test = true;
  int code = function(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
  of_test = false;
  return code;
}
// emulator_fail_nth makes a call of a function fail, after count calls of that function.
EXPORT void emulator_fail_nth(const char *name, long count, int code) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  emulator.fail_nth[name] = {count, code};
  emulator.failed.clear();
}
// emulator_fail_at makes a call fail, after count calls of any function.
EXPORT void emulator_fail_at(long count, int code) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  emulator.fail_at = count < 0 ? 0 : emulator.total + 1 + count;
  emulator.fail_code = code;
  emulator.failed.clear();
}
// The function whose calls wait, and how many do.
static std::mutex hold_mutex;
static std::condition_variable hold_changed;
static std::string hold;
static long waiting;

void wait_while_held(const char *name) {
  std::unique_lock<std::mutex> lock(hold_mutex);
  if (hold != name) return;
  waiting++;
  hold_changed.wait(lock, [&] { return hold != name; });
  waiting--;
}
// emulator_hold makes all calls of a function wait, as if it were slow, and lets those of another function go on.
EXPORT void emulator_hold(const char *name) {
  std::lock_guard<std::mutex> lock(hold_mutex);
  hold = name;
  hold_changed.notify_all();
}
EXPORT long emulator_waiting() {
  std::lock_guard<std::mutex> lock(hold_mutex);
  return waiting;
}
// emulator_break makes the driver get some kinds of nodes wrong.
EXPORT void emulator_break(int what, int how) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  emulator.broken = what;
  emulator.failure = how;
}
// emulator_attribute sets what cuDeviceGetAttribute returns for an attribute.
EXPORT void emulator_attribute(int attribute, int value) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  emulator.attributes[attribute] = value;
}
static char text[4096];
static const char *told(const std::string &s) {
  snprintf(text, sizeof text, "%s", s.c_str());
  return text;
}
// emulator_failed returns the function whose call was made to fail.
EXPORT const char *emulator_failed() {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  return told(emulator.failed);
}
// emulator_complaint returns and clears the first mistake that a driver would not report.
EXPORT const char *emulator_complaint() {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  told(emulator.complaint);
  emulator.complaint.clear();
  return text;
}
EXPORT long emulator_calls(const char *name) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  if (!*name) return emulator.total;
  auto found = emulator.calls.find(name);
  return found == emulator.calls.end() ? 0 : found->second;
}
// emulator_all_calls lists the functions that were called, one a line, with the number of calls.
EXPORT const char *emulator_all_calls() {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  std::string all;
  for (auto &[name, count] : emulator.calls) all += name + " " + std::to_string(count) + "\n";
  return told(all);
}
// emulator_live lists what is alive. It returns an empty string if nothing is.
EXPORT const char *emulator_live() {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  std::string all;
  auto add = [&](const char *what, size_t n) {
    if (n) all += (all.empty() ? "" : ", ") + std::to_string(n) + " " + what;
  };
  add("allocations", emulator.allocations.size());
  add("streams", emulator.streams.size());
  add("events", emulator.events.size());
  add("modules", emulator.modules.size());
  add("links", emulator.links.size());
  add("graphs", emulator.graphs.size());
  add("executables", emulator.executables.size());
  add("user objects", emulator.objects.size());
  add("captures", emulator.captures.size());
  add("context references", references());
  return told(all);
}
// emulator_figures lists the figures of interpreted launches, one kernel a line: the identity of its module, its name,
// and the members of ptx::Figures.
EXPORT const char *emulator_figures() {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  static std::string all;
  all.clear();
  for (auto &[key, f] : emulator.figures) {
    all += std::to_string(key.first) + " " + key.second;
    for (u64 n : {f.launches, f.blocks, f.instructions, f.lanes, f.alone, f.cycles}) all += " " + std::to_string(n);
    all += "\n";
  }
  return all.c_str();
}
// emulator_carveout returns the part of a multiprocessor's memory that a kernel has asked for as shared memory, in
// percent, or -1.
EXPORT int emulator_carveout(const char *name) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  for (Function *f : emulator.functions)
    if (f->name == name) return f->carveout;
  return -1;
}
// emulator_resources sets what kernels loaded from now on take: registers of a thread, and bytes of shared memory.
EXPORT void emulator_resources(int registers, int shared) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  emulator.registers = registers, emulator.shared = shared;
}
EXPORT int emulator_sticky() {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  return emulator.sticky;
}
// emulator_mode returns the capture mode of the calling thread, and emulator_current whether a context is current
// there.
EXPORT int emulator_mode() { return thread_mode; }
EXPORT int emulator_current() { return current != nullptr; }
// emulator_stale_context makes a context current that belongs to another device and has been released for the last
// time.
EXPORT int emulator_stale_context() {
  static Context stale;
  current = &stale;
  return 0;
}
// emulator_limit_steps sets how many instructions an interpreted warp may run.
EXPORT void emulator_limit_steps(u64 limit) {
  std::lock_guard<std::recursive_mutex> lock(emulator.mutex);
  ptx::max_steps = limit;
}
