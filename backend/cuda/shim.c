//go:build cgo && linux

#define _GNU_SOURCE
#include "shim.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tgc_driver {
#define TG_FIELD(name, version, parameters) CUresult(*name) parameters;
  TG_FUNCTIONS(TG_FIELD)
  TG_OPTIONAL_FUNCTIONS(TG_FIELD)
#undef TG_FIELD
};

// CALL calls a driver function and jumps to done if it fails.
#define CALL(name, ...)                                                                                                \
  do {                                                                                                                 \
    CUresult code_ = driver->name(__VA_ARGS__);                                                                        \
    if (code_ != CUDA_SUCCESS) {                                                                                       \
      failure = (tgc_failure){#name, code_};                                                                            \
      goto done;                                                                                                       \
    }                                                                                                                  \
  } while (0)

// TRY jumps to done if a step fails.
#define TRY(step)                                                                                                      \
  do {                                                                                                                 \
    failure = (step);                                                                                                  \
    if (failure.call != NULL) goto done;                                                                               \
  } while (0)

typedef CUresult (*get_address)(const char *name, void **function, int version, uint64_t flags, int *status);

// lacks writes that a library has no function, and the version of the driver if it says it.
static void lacks(tgc_driver *driver, const char *function, int since, char *text, size_t size) {
  int version = 0;
  if (driver->cuDriverGetVersion == NULL || driver->cuDriverGetVersion(&version) != CUDA_SUCCESS) version = 0;
  snprintf(text, size, "it has no function %s of CUDA %d.%d", function, since / 1000, since % 1000 / 10);
  if (version == 0) return;
  size_t used = strlen(text);
  snprintf(text + used, size - used, ", the driver is of CUDA %d.%d", version / 1000, version % 1000 / 10);
}

tgc_driver *tgc_driver_load(const char *path, char *text, size_t size) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char *reason = dlerror();
    snprintf(text, size, "%s", reason != NULL ? reason : path);
    return NULL;
  }
  get_address get;
  *(void **)&get = dlsym(library, "cuGetProcAddress_v2");
  if (get == NULL) {
    snprintf(text, size, "it has no function cuGetProcAddress_v2: it is a driver older than 12.0, or of something else");
    return NULL;
  }
  tgc_driver *driver = calloc(1, sizeof *driver);
  if (driver == NULL) {
    snprintf(text, size, "out of host memory");
    return NULL;
  }
#define TG_RESOLVE(name, version, parameters)                                                                          \
  {                                                                                                                    \
    void *function = NULL;                                                                                             \
    int status = 0;                                                                                                    \
    CUresult code = get(#name, &function, version, TG_GET_LEGACY_STREAM, &status);                                     \
    if (code != CUDA_SUCCESS || function == NULL) {                                                                    \
      if (code == CUDA_ERROR_STUB_LIBRARY)                                                                             \
        snprintf(text, size, "it is a stub for linking, which has no driver (CUDA_ERROR_STUB_LIBRARY)");               \
      else                                                                                                             \
        lacks(driver, #name, version, text, size);                                                                     \
      free(driver);                                                                                                    \
      return NULL;                                                                                                     \
    }                                                                                                                  \
    *(void **)&driver->name = function;                                                                                \
  }
  TG_FUNCTIONS(TG_RESOLVE)
#undef TG_RESOLVE
#define TG_RESOLVE(name, version, parameters)                                                                          \
  {                                                                                                                    \
    void *function = NULL;                                                                                             \
    int status = 0;                                                                                                    \
    if (get(#name, &function, version, TG_GET_LEGACY_STREAM, &status) == CUDA_SUCCESS)                                 \
      *(void **)&driver->name = function;                                                                              \
  }
  TG_OPTIONAL_FUNCTIONS(TG_RESOLVE)
#undef TG_RESOLVE
  return driver;
}

const char *tgc_driver_file(tgc_driver *driver) {
  Dl_info about;
  void *function;
  memcpy(&function, &driver->cuInit, sizeof function);
  return dladdr(function, &about) != 0 ? about.dli_fname : NULL;
}

tgc_failure tgc_driver_start(tgc_driver *driver, int *version, int *devices) {
  tgc_failure failure = {0};
  CALL(cuInit, 0);
  CALL(cuDriverGetVersion, version);
  CALL(cuDeviceGetCount, devices);
done:
  return failure;
}

const char *tgc_error_name(tgc_driver *driver, CUresult code) {
  const char *text = NULL;
  return driver->cuGetErrorName(code, &text) == CUDA_SUCCESS ? text : NULL;
}

const char *tgc_error_text(tgc_driver *driver, CUresult code) {
  const char *text = NULL;
  return driver->cuGetErrorString(code, &text) == CUDA_SUCCESS ? text : NULL;
}

tgc_failure tgc_describe(tgc_driver *driver, int index, tgc_description *out) {
  tgc_failure failure = {0};
  CUdevice device;
  CALL(cuDeviceGet, &device, index);
  CALL(cuDeviceGetName, out->name, (int)sizeof out->name, device);
  out->name[sizeof out->name - 1] = 0;
  CALL(cuDeviceTotalMem, &out->bytes, device);
  CALL(cuDeviceGetAttribute, &out->major, TG_ATTRIBUTE_MAJOR, device);
  CALL(cuDeviceGetAttribute, &out->minor, TG_ATTRIBUTE_MINOR, device);
  CALL(cuDeviceGetAttribute, &out->multiprocessors, TG_ATTRIBUTE_MULTIPROCESSORS, device);
  CALL(cuDeviceGetAttribute, &out->threads, TG_ATTRIBUTE_THREADS, device);
  CALL(cuDeviceGetAttribute, &out->blocks, TG_ATTRIBUTE_BLOCKS, device);
  CALL(cuDeviceGetAttribute, &out->registers, TG_ATTRIBUTE_REGISTERS, device);
  CALL(cuDeviceGetAttribute, &out->shared, TG_ATTRIBUTE_SHARED, device);
  CALL(cuDeviceGetAttribute, &out->reserved, TG_ATTRIBUTE_RESERVED_SHARED, device);
done:
  return failure;
}

tgc_failure tgc_attribute(tgc_driver *driver, int index, int attribute, int *value) {
  tgc_failure failure = {0};
  CUdevice device;
  CALL(cuDeviceGet, &device, index);
  CALL(cuDeviceGetAttribute, value, attribute, device);
done:
  return failure;
}

// scope is the state of the calling thread that a step changes and restores.
typedef struct {
  CUcontext before; // the context of the caller
  int mode;         // the capture mode of the caller
  int relaxed;      // whether the mode was changed
} scope;

// enter makes the device's context current. If relax is not 0, it also sets the thread's capture mode to relaxed: the
// thread may then make calls that a capture in global mode on another thread forbids, and that would otherwise
// invalidate that capture.
static tgc_failure enter(tgc_device *device, scope *s, int relax) {
  tgc_driver *driver = device->driver;
  tgc_failure failure = {0};
  *s = (scope){0};
  CALL(cuCtxGetCurrent, &s->before);
  if (s->before != device->context) CALL(cuCtxSetCurrent, device->context);
  if (relax) {
    s->mode = TG_CAPTURE_MODE_RELAXED;
    CALL(cuThreadExchangeStreamCaptureMode, &s->mode);
    s->relaxed = 1;
  }
done:
  return failure;
}

// leave restores what enter changed, and keeps the first failure. A call that fails is tried once more, because a
// thread left in another state would cause failures for its owner later. If the thread had no context, or if its
// context is gone, the thread keeps the device's context: the primary context of a device stays current on threads when
// it is released for the last time.
static tgc_failure leave(tgc_device *device, scope *s, tgc_failure failure) {
  tgc_driver *driver = device->driver;
  if (s->relaxed) {
    CUresult code = driver->cuThreadExchangeStreamCaptureMode(&s->mode);
    if (code != CUDA_SUCCESS) {
      driver->cuThreadExchangeStreamCaptureMode(&s->mode);
      if (failure.call == NULL) failure = (tgc_failure){"cuThreadExchangeStreamCaptureMode", code};
    }
  }
  if (s->before != NULL && s->before != device->context) {
    CUresult code = driver->cuCtxSetCurrent(s->before);
    if (code != CUDA_SUCCESS && code != CUDA_ERROR_INVALID_CONTEXT && code != CUDA_ERROR_CONTEXT_IS_DESTROYED) {
      driver->cuCtxSetCurrent(s->before);
      if (failure.call == NULL) failure = (tgc_failure){"cuCtxSetCurrent", code};
    }
  }
  return failure;
}

#define RELAXED 1
#define PLAIN 0

// BEGIN and END enclose a step that needs the context.
#define BEGIN(relax)                                                                                                   \
  tgc_driver *driver = device->driver;                                                                                  \
  scope thread;                                                                                                        \
  tgc_failure failure = enter(device, &thread, relax);                                                                  \
  if (failure.call != NULL) goto done
#define END return leave(device, &thread, failure)

tgc_failure tgc_device_open(tgc_driver *driver, int index, tgc_device *out) {
  tgc_device device = {.driver = driver};
  tgc_failure failure = {0};
  scope thread = {0};
  CALL(cuDeviceGet, &device.device, index);
  CALL(cuDevicePrimaryCtxRetain, &device.context, device.device);
  failure = enter(&device, &thread, RELAXED);
  if (failure.call == NULL) {
    CUresult code = driver->cuStreamCreate(&device.house, TG_STREAM_NON_BLOCKING);
    if (code != CUDA_SUCCESS) failure = (tgc_failure){"cuStreamCreate", code};
  }
  failure = leave(&device, &thread, failure);
  if (failure.call != NULL) {
    if (device.house != NULL) driver->cuStreamDestroy(device.house);
    driver->cuDevicePrimaryCtxRelease(device.device);
    goto done;
  }
  *out = device;
done:
  return failure;
}

tgc_failure tgc_device_close(tgc_device *device) {
  tgc_driver *driver = device->driver;
  int reached;
  tgc_failure failure = tgc_dispose(device, TG_DISPOSE_STREAM, (uint64_t)(uintptr_t)device->house, 0, &reached);
  if (!reached) driver->cuStreamDestroy(device->house);
  CUresult code = driver->cuDevicePrimaryCtxRelease(device->device);
  if (code != CUDA_SUCCESS && failure.call == NULL) failure = (tgc_failure){"cuDevicePrimaryCtxRelease", code};
  return failure;
}

// tgc_dispose does not reach the driver's function if the thread cannot be prepared, unless regardless is set: in a lost
// context every call may fail, and no capture is left that this one could break.
tgc_failure tgc_dispose(tgc_device *device, int kind, uint64_t handle, int regardless, int *reached) {
  void *pointer = (void *)(uintptr_t)handle;
  tgc_driver *driver = device->driver;
  scope thread;
  tgc_failure failure = enter(device, &thread, RELAXED);
  *reached = failure.call == NULL || regardless;
  if (!*reached) goto done;
  switch (kind) {
  case TG_DISPOSE_GRAPH_EXEC: CALL(cuGraphExecDestroy, pointer); break;
  case TG_DISPOSE_GRAPH: CALL(cuGraphDestroy, pointer); break;
  case TG_DISPOSE_EVENT: CALL(cuEventDestroy, pointer); break;
  case TG_DISPOSE_STREAM: CALL(cuStreamDestroy, pointer); break;
  case TG_DISPOSE_MEMORY: CALL(cuMemFree, handle); break;
  case TG_DISPOSE_HOST: CALL(cuMemFreeHost, pointer); break;
  case TG_DISPOSE_MODULE: CALL(cuModuleUnload, pointer); break;
  }
done:
  END;
}

// undo disposes of what a step made before it failed.
static void undo(tgc_device *device, int kind, const void *handle) {
  int reached;
  if (handle != NULL) tgc_dispose(device, kind, (uint64_t)(uintptr_t)handle, 0, &reached);
}

tgc_failure tgc_allocate(tgc_device *device, size_t bytes, CUdeviceptr *address, size_t *available) {
  CUdeviceptr made = 0;
  size_t words = (bytes + 3) / 4;
  BEGIN(RELAXED);
  CUresult code = driver->cuMemAlloc(&made, words * 4);
  if (code != CUDA_SUCCESS) {
    size_t total;
    failure = (tgc_failure){"cuMemAlloc", code};
    if (driver->cuMemGetInfo(available, &total) != CUDA_SUCCESS) *available = 0;
    made = 0;
    goto done;
  }
  CALL(cuMemsetD32Async, made, 0, words, device->house);
  CALL(cuStreamSynchronize, device->house);
done:
  if (failure.call != NULL && made != 0) driver->cuStreamSynchronize(device->house); // the memset may be in flight
  failure = leave(device, &thread, failure);
  if (failure.call != NULL) undo(device, TG_DISPOSE_MEMORY, (void *)(uintptr_t)made);
  else *address = made;
  return failure;
}

tgc_failure tgc_allocate_host(tgc_device *device, size_t bytes, void **memory) {
  void *made = NULL;
  BEGIN(RELAXED);
  CALL(cuMemHostAlloc, &made, bytes, TG_HOST_ALLOC_PORTABLE);
  memset(made, 0, bytes);
done:
  failure = leave(device, &thread, failure);
  if (failure.call != NULL) undo(device, TG_DISPOSE_HOST, made);
  else *memory = made;
  return failure;
}

// tgc_memory_at asks for all attributes at once: unlike cuPointerGetAttribute, the call does not fail for an address that
// the driver does not know, and assigns null values.
tgc_failure tgc_memory_at(tgc_device *device, CUdeviceptr address, tgc_memory *out) {
  CUcontext context = NULL;
  uint64_t type = 0, managed = 0, mapped = 0; // the driver writes 1 to 4 bytes of each
  int ordinal = -1;
  CUdeviceptr from = 0;
  size_t bytes = 0;
  int attributes[] = {TG_POINTER_CONTEXT, TG_POINTER_MEMORY_TYPE, TG_POINTER_IS_MANAGED, TG_POINTER_DEVICE_ORDINAL,
      TG_POINTER_RANGE_START_ADDR, TG_POINTER_RANGE_SIZE, TG_POINTER_MAPPED};
  void *data[] = {&context, &type, &managed, &ordinal, &from, &bytes, &mapped};
  BEGIN(RELAXED);
  CALL(cuPointerGetAttributes, sizeof attributes / sizeof *attributes, attributes, data, address);
  *out = (tgc_memory){.type = (int)type, .managed = managed != 0, .mapped = mapped != 0, .ordinal = ordinal,
      .device = device->device, .other = context != NULL && context != device->context, .from = from, .bytes = bytes};
done:
  END;
}

tgc_failure tgc_stream_create(tgc_device *device, CUstream *stream) {
  CUstream made = NULL;
  BEGIN(RELAXED);
  CALL(cuStreamCreate, &made, TG_STREAM_NON_BLOCKING);
done:
  failure = leave(device, &thread, failure);
  if (failure.call != NULL) undo(device, TG_DISPOSE_STREAM, made);
  else *stream = made;
  return failure;
}

tgc_failure tgc_stream_sync(tgc_device *device, CUstream stream) {
  BEGIN(RELAXED);
  CALL(cuStreamSynchronize, stream);
done:
  END;
}

tgc_failure tgc_stream_owner(tgc_device *device, CUstream stream, int *same) {
  BEGIN(PLAIN);
  CUcontext context;
  CALL(cuStreamGetCtx, stream, &context);
  *same = context == device->context;
done:
  END;
}

// frontier is the state of a stream that is capturing: the graph, and the nodes that the next node will depend on. The
// lists belong to the driver and are valid until the next call with the stream.
typedef struct {
  int status;
  uint64_t id;
  CUgraph graph;
  const CUgraphNode *nodes;
  const CUgraphEdgeData *edges;
  size_t count;
} frontier;

static tgc_failure query(tgc_driver *driver, CUstream stream, frontier *at) {
  tgc_failure failure = {0};
  *at = (frontier){0};
  CALL(cuStreamGetCaptureInfo, stream, &at->status, &at->id, &at->graph, &at->nodes, &at->edges, &at->count);
done:
  return failure;
}

// idle sets capturing to whether somebody captures on a stream. The legacy stream has no answer while a blocking stream
// is being captured, which counts as capturing.
static tgc_failure idle(tgc_driver *driver, CUstream stream, int *capturing) {
  frontier at;
  tgc_failure failure = query(driver, stream, &at);
  *capturing = failure.call != NULL ? failure.code == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : at.status != TG_CAPTURE_NONE;
  return *capturing ? (tgc_failure){0} : failure;
}

// tgc_stream_settle waits for an event, not for the stream. If the owner of the stream begins a capture after the first
// query, waiting for the stream would break that capture, but recording an event in it is harmless. The second query
// shows whether the event was recorded in a capture.
tgc_failure tgc_stream_settle(tgc_device *device, CUstream stream, int *capturing) {
  CUevent event = NULL;
  *capturing = 0;
  BEGIN(RELAXED);
  TRY(idle(driver, stream, capturing));
  if (*capturing) goto done;
  CALL(cuEventCreate, &event, TG_EVENT_DISABLE_TIMING);
  CALL(cuEventRecord, event, stream);
  TRY(idle(driver, stream, capturing));
  if (*capturing) goto done;
  CUresult code = driver->cuEventSynchronize(event);
  if (code == CUDA_ERROR_CAPTURED_EVENT) *capturing = 1; // in a capture that has already ended
  else if (code != CUDA_SUCCESS) failure = (tgc_failure){"cuEventSynchronize", code};
done:
  if (event != NULL) {
    CUresult code_ = driver->cuEventDestroy(event);
    if (code_ != CUDA_SUCCESS && failure.call == NULL) failure = (tgc_failure){"cuEventDestroy", code_};
  }
  END;
}

tgc_failure tgc_event_create(tgc_device *device, CUevent *event) {
  CUevent made = NULL;
  BEGIN(RELAXED);
  CALL(cuEventCreate, &made, TG_EVENT_DISABLE_TIMING);
done:
  failure = leave(device, &thread, failure);
  if (failure.call != NULL) undo(device, TG_DISPOSE_EVENT, made);
  else *event = made;
  return failure;
}

tgc_failure tgc_event_record(tgc_device *device, CUevent event, CUstream stream) {
  BEGIN(PLAIN);
  CALL(cuEventRecord, event, stream);
done:
  END;
}

tgc_failure tgc_event_wait(tgc_device *device, CUevent event, CUstream stream) {
  BEGIN(PLAIN);
  CALL(cuStreamWaitEvent, stream, event, 0);
done:
  END;
}

tgc_failure tgc_event_sync(tgc_device *device, CUevent event) {
  BEGIN(RELAXED);
  CALL(cuEventSynchronize, event);
done:
  END;
}

tgc_failure tgc_module_load(tgc_device *device, const char *code, CUmodule *module, char *log) {
  int options[] = {TG_JIT_ERROR_LOG_BUFFER, TG_JIT_ERROR_LOG_BUFFER_SIZE};
  void *values[] = {log, (void *)(uintptr_t)TG_LOG_BYTES};
  CUmodule made = NULL;
  log[0] = 0;
  BEGIN(RELAXED);
  CALL(cuModuleLoadDataEx, &made, code, 2, options, values);
done:
  log[TG_LOG_BYTES - 1] = 0;
  failure = leave(device, &thread, failure);
  if (failure.call != NULL) undo(device, TG_DISPOSE_MODULE, made);
  else *module = made;
  return failure;
}

int tgc_links(tgc_device *device) {
  tgc_driver *driver = device->driver;
  return driver->cuLinkCreate != NULL && driver->cuLinkAddData != NULL && driver->cuLinkComplete != NULL &&
      driver->cuLinkDestroy != NULL;
}

tgc_failure tgc_link(tgc_device *device, const char *ptx, size_t bytes, void **image, size_t *image_bytes) {
  CUlinkState state = NULL;
  void *made = NULL, *copied = NULL; // made belongs to the state
  size_t size = 0;
  BEGIN(RELAXED);
  CALL(cuLinkCreate, 0, NULL, NULL, &state);
  CALL(cuLinkAddData, state, TG_LINK_PTX, (void *)ptx, bytes, NULL, 0, NULL, NULL);
  CALL(cuLinkComplete, state, &made, &size);
  copied = malloc(size);
  if (copied == NULL) {
    failure = (tgc_failure){"malloc", CUDA_ERROR_OUT_OF_MEMORY};
    goto done;
  }
  memcpy(copied, made, size);
done:
  if (state != NULL) {
    CUresult code = driver->cuLinkDestroy(state);
    if (code != CUDA_SUCCESS && failure.call == NULL) failure = (tgc_failure){"cuLinkDestroy", code};
  }
  failure = leave(device, &thread, failure);
  if (failure.call != NULL) {
    free(copied);
    return failure;
  }
  *image = copied;
  *image_bytes = size;
  return failure;
}

tgc_failure tgc_module_function(tgc_device *device, CUmodule module, const char *name, const int *sizes, tgc_function *out) {
  tgc_function f = {0};
  BEGIN(RELAXED);
  CALL(cuModuleGetFunction, &f.handle, module, name);
  if (driver->cuFuncLoad != NULL) CALL(cuFuncLoad, f.handle);
  CALL(cuFuncGetAttribute, &f.threads, TG_FUNCTION_MAX_THREADS, f.handle);
  CALL(cuFuncGetAttribute, &f.registers, TG_FUNCTION_REGISTERS, f.handle);
  CALL(cuFuncGetAttribute, &f.shared, TG_FUNCTION_SHARED_BYTES, f.handle);
  CALL(cuFuncGetAttribute, &f.local, TG_FUNCTION_LOCAL_BYTES, f.handle);
  if (driver->cuOccupancyMaxActiveBlocksPerMultiprocessor != NULL)
    for (int i = 0; i < TG_BLOCK_SIZES; i++) {
      int blocks = 0;
      if (sizes[i] <= f.threads &&
          driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f.handle, sizes[i], 0) == CUDA_SUCCESS)
        f.blocks[i] = blocks;
    }
  *out = f;
done:
  END;
}

// tgc_function_carveout ignores what the driver says: without the hint it makes a choice of its own.
tgc_failure tgc_function_carveout(tgc_device *device, CUfunction function, int percent) {
  BEGIN(PLAIN);
  if (driver->cuFuncSetAttribute != NULL) driver->cuFuncSetAttribute(function, TG_FUNCTION_CARVEOUT, percent);
done:
  END;
}

tgc_capture tgc_capture_info(tgc_device *device, CUstream stream) {
  frontier at = {0};
  BEGIN(PLAIN);
  failure = query(driver, stream, &at);
done:
  return (tgc_capture){leave(device, &thread, failure), at.status, at.id, at.graph};
}

// query_active is query for a stream that must be capturing. Somebody may have broken its capture meanwhile.
static tgc_failure query_active(tgc_driver *driver, CUstream stream, frontier *at) {
  tgc_failure failure = query(driver, stream, at);
  if (failure.call == NULL && at->status != TG_CAPTURE_ACTIVE)
    failure = (tgc_failure){"cuStreamGetCaptureInfo", CUDA_ERROR_STREAM_CAPTURE_INVALIDATED};
  return failure;
}

// The maximum number of parameters of a launch: n, 16 buffers with their lengths, and 30 scalars (package kernel).
enum { MAX_PARAMETERS = 63 };

// bind fills the array of addresses that the driver needs. The driver copies the words at these addresses before it
// returns.
static void bind(void **parameters, const uint64_t *words, uint32_t count) {
  for (uint32_t i = 0; i < count && i < MAX_PARAMETERS; i++) parameters[i] = (void *)(uintptr_t)&words[i];
}

// A launch of a control kernel, with one thread.
typedef struct {
  CUfunction function;
  uint64_t words[4];
  uint32_t count;
} control;

static tgc_failure launch_control(tgc_driver *driver, CUstream stream, const control *k) {
  tgc_failure failure = {0};
  void *parameters[4];
  bind(parameters, k->words, k->count);
  CALL(cuLaunchKernel, k->function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
done:
  return failure;
}

// end_capture ends a capture of our own. It also does so after a failure, which it returns. If ending fails, it is
// tried once more, because the stream must not stay in the capture. If the first attempt has ended the capture, the
// second one does nothing.
static tgc_failure end_capture(tgc_driver *driver, CUstream stream, CUgraph *graph, tgc_failure failure) {
  CUresult code = driver->cuStreamEndCapture(stream, graph);
  if (code != CUDA_SUCCESS) {
    driver->cuStreamEndCapture(stream, graph);
    if (failure.call == NULL) failure = (tgc_failure){"cuStreamEndCapture", code};
  }
  return failure;
}

static tgc_failure emit(tgc_device *device, CUstream stream, const CUstream *bodies, const tgc_command *commands, size_t first,
    size_t end, const uint64_t *words);

// record_body captures the body of the conditional commands[at] into its graph, on bodies[0]. The last command of the
// body of a loop is the kernel that decides whether there is another iteration.
static tgc_failure record_body(tgc_device *device, CUgraph body, CUgraphConditionalHandle handle, const CUstream *bodies,
    const tgc_command *commands, size_t at, const uint64_t *words) {
  tgc_driver *driver = device->driver;
  tgc_failure failure = {0};
  const tgc_command *c = &commands[at];
  CUgraph same;
  CALL(cuStreamBeginCaptureToGraph, bodies[0], body, NULL, NULL, 0, TG_CAPTURE_MODE_RELAXED);
  failure = emit(device, bodies[0], bodies + 1, commands, at + 1, c->end, words);
  if (failure.call == NULL && c->kind == TG_WHILE) {
    control next = {device->next_while, {handle, c->target, c->source}, 3};
    failure = launch_control(driver, bodies[0], &next);
  }
  failure = end_capture(driver, bodies[0], &same, failure);
done:
  return failure;
}

// insert adds the conditional commands[at] to the capture that a stream is recording into. Its node comes after
// everything that the stream has recorded, and before everything that it will record. The capture is not ended and its
// identity does not change. A failure leaves it active.
static tgc_failure insert(tgc_device *device, CUstream stream, const CUstream *bodies, const tgc_command *commands, size_t at,
    const uint64_t *words) {
  tgc_driver *driver = device->driver;
  tgc_failure failure = {0};
  const tgc_command *c = &commands[at];
  frontier now;
  CUgraphConditionalHandle handle;
  CUgraphNode node;
  TRY(query_active(driver, stream, &now));
  CALL(cuGraphConditionalHandleCreate, &handle, now.graph, device->context, 0, TG_CONDITIONAL_ASSIGN_DEFAULT);
  control decide = {device->set_if, {handle, c->target}, 2};
  if (c->kind == TG_WHILE) decide = (control){device->begin_while, {handle, c->target, c->source, c->pattern}, 4};
  TRY(launch_control(driver, stream, &decide));
  TRY(query_active(driver, stream, &now));
  CUgraphNodeParams p = {.type = TG_NODE_CONDITIONAL};
  p.conditional = (tgc_conditional_params){.handle = handle,
      .type = c->kind == TG_WHILE ? TG_CONDITIONAL_WHILE : TG_CONDITIONAL_IF, .size = 1, .ctx = device->context};
  CALL(cuGraphAddNode, &node, now.graph, now.nodes, now.edges, now.count, &p);
  CALL(cuStreamUpdateCaptureDependencies, stream, &node, NULL, 1, TG_DEPENDENCIES_SET);
  TRY(record_body(device, p.conditional.bodies[0], handle, bodies, commands, at, words));
done:
  return failure;
}

// emit emits the commands [first, end) on a stream in order. bodies has one stream for each depth of nested
// conditionals.
static tgc_failure emit(tgc_device *device, CUstream stream, const CUstream *bodies, const tgc_command *commands, size_t first,
    size_t end, const uint64_t *words) {
  tgc_driver *driver = device->driver;
  tgc_failure failure = {0};
  for (size_t i = first; i < end; i = commands[i].end) {
    const tgc_command *c = &commands[i];
    void *parameters[MAX_PARAMETERS];
    switch (c->kind) {
    case TG_LAUNCH:
      bind(parameters, words + c->first, c->parameters);
      CALL(cuLaunchKernel, (CUfunction)(uintptr_t)c->target, c->grid, 1, 1, c->block, 1, 1, 0, stream, parameters, NULL);
      break;
    case TG_COPY: CALL(cuMemcpyDtoDAsync, c->target, c->source, c->bytes, stream); break;
    case TG_FILL: CALL(cuMemsetD32Async, c->target, c->pattern, c->bytes / 4, stream); break;
    case TG_UPLOAD: CALL(cuMemcpyHtoDAsync, c->target, (const void *)(uintptr_t)c->source, c->bytes, stream); break;
    case TG_DOWNLOAD: CALL(cuMemcpyDtoHAsync, (void *)(uintptr_t)c->target, c->source, c->bytes, stream); break;
    case TG_IF:
    case TG_WHILE: TRY(insert(device, stream, bodies, commands, i, words)); break;
    }
  }
done:
  return failure;
}

tgc_failure tgc_emit(tgc_device *device, CUstream stream, const CUstream *bodies, const tgc_command *commands, size_t count,
    const uint64_t *words) {
  BEGIN(PLAIN);
  failure = emit(device, stream, bodies, commands, 0, count, words);
done:
  END;
}

// record captures commands with their dependencies on a stream of ours, and always ends the capture.
static tgc_failure record(tgc_device *device, CUstream stream, const CUstream *bodies, const tgc_command *commands, size_t count,
    const uint64_t *words, const uint32_t *dependencies, CUgraph *graph) {
  tgc_driver *driver = device->driver;
  tgc_failure failure = {0};
  CUgraphNode *last = calloc(count + 1, sizeof *last); // the last node of each command
  CUgraphNode *from = calloc(count + 1, sizeof *from); // the dependencies of one command
  CUgraphNode present = NULL;                          // the current dependency of the stream
  int capturing = 0;
  if (last == NULL || from == NULL) {
    failure = (tgc_failure){"calloc", CUDA_ERROR_OUT_OF_MEMORY};
    goto done;
  }
  CALL(cuStreamBeginCapture, stream, TG_CAPTURE_MODE_RELAXED);
  capturing = 1;
  for (size_t i = 0; i < count; i = commands[i].end) {
    const tgc_command *c = &commands[i];
    for (uint32_t k = 0; k < c->count; k++) from[k] = last[dependencies[c->from + k]];
    if (present != NULL ? c->count != 1 || from[0] != present : c->count != 0)
      CALL(cuStreamUpdateCaptureDependencies, stream, c->count > 0 ? from : NULL, NULL, c->count, TG_DEPENDENCIES_SET);
    TRY(emit(device, stream, bodies, commands, i, c->end, words));
    frontier now;
    TRY(query_active(driver, stream, &now));
    if (now.count != 1) { // each command must end in one node, on which later commands depend
      failure = (tgc_failure){"cuStreamGetCaptureInfo", CUDA_ERROR_UNKNOWN};
      goto done;
    }
    present = last[i] = now.nodes[0];
  }
done:
  if (capturing) failure = end_capture(driver, stream, graph, failure);
  free(last);
  free(from);
  return failure;
}

tgc_failure tgc_record(tgc_device *device, CUstream stream, const CUstream *bodies, const tgc_command *commands, size_t count,
    const uint64_t *words, const uint32_t *dependencies, CUgraph *graph_out, CUgraphExec *exec_out, int *result) {
  CUgraph graph = NULL;
  CUgraphExec exec = NULL;
  BEGIN(RELAXED);
  TRY(record(device, stream, bodies, commands, count, words, dependencies, &graph));
  tgc_instantiate_params p = {0};
  CUresult code = driver->cuGraphInstantiateWithParams(&exec, graph, &p);
  *result = p.result;
  if (code != CUDA_SUCCESS) {
    failure = (tgc_failure){"cuGraphInstantiateWithParams", code};
    exec = NULL;
    goto done;
  }
  CALL(cuGraphUpload, exec, stream);
  CALL(cuStreamSynchronize, stream);
done:
  failure = leave(device, &thread, failure);
  if (failure.call != NULL) {
    undo(device, TG_DISPOSE_GRAPH_EXEC, exec);
    undo(device, TG_DISPOSE_GRAPH, graph);
    return failure;
  }
  *graph_out = graph;
  *exec_out = exec;
  return failure;
}

tgc_failure tgc_replay(tgc_device *device, CUgraphExec exec, CUstream stream) {
  BEGIN(PLAIN);
  CALL(cuGraphLaunch, exec, stream);
done:
  END;
}

tgc_failure tgc_dot(tgc_device *device, CUgraph graph, const char *path) {
  BEGIN(PLAIN);
  CALL(cuGraphDebugDotPrint, graph, path, TG_DOT_VERBOSE);
done:
  END;
}

// ticket is the user data of a token's object in the driver, and later a link in the list of tokens that have come
// back.
typedef struct ticket {
  uint64_t token;
  struct ticket *next;
} ticket;

static pthread_mutex_t returned_lock = PTHREAD_MUTEX_INITIALIZER;
static ticket *returned;

// give_back is called by the driver, on one of its own threads, where calling driver functions is forbidden.
static void give_back(void *pointer) {
  ticket *t = pointer;
  pthread_mutex_lock(&returned_lock);
  t->next = returned;
  returned = t;
  pthread_mutex_unlock(&returned_lock);
}

tgc_failure tgc_keep(tgc_device *device, CUgraph graph, uint64_t token) {
  ticket *t = malloc(sizeof *t);
  CUuserObject object = NULL;
  if (t == NULL) return (tgc_failure){"malloc", CUDA_ERROR_OUT_OF_MEMORY};
  *t = (ticket){.token = token};
  BEGIN(PLAIN);
  CALL(cuUserObjectCreate, &object, t, give_back, 1, TG_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  t = NULL; // now owned by the object
  CUresult code = driver->cuGraphRetainUserObject(graph, object, 1, TG_USER_OBJECT_MOVE);
  if (code != CUDA_SUCCESS) {
    failure = (tgc_failure){"cuGraphRetainUserObject", code};
    driver->cuUserObjectRelease(object, 1);
  }
done:
  free(t);
  END;
}

size_t tgc_returned(uint64_t *tokens, size_t count) {
  size_t n = 0;
  pthread_mutex_lock(&returned_lock);
  while (n < count && returned != NULL) {
    ticket *t = returned;
    returned = t->next;
    tokens[n++] = t->token;
    free(t);
  }
  pthread_mutex_unlock(&returned_lock);
  return n;
}
