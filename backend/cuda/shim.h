// The steps that Go takes, one C function each. Every function that needs the context sets it and restores the caller's,
// so that any goroutine on any thread may call; none keeps a pointer to Go memory. On failure a tg_failure says which
// driver call failed and with what code.

#ifndef TRACKGEN_CUDA_SHIM_H
#define TRACKGEN_CUDA_SHIM_H

#include "declarations.h"

// tg_driver is one loaded libcuda. It is never unloaded.
typedef struct tg_driver tg_driver;

// tg_failure is why a step failed: the driver function, NULL on success, and its result.
typedef struct {
  const char *call;
  CUresult code;
} tg_failure;

// tg_log is where the compiler of the driver writes messages.
enum { TG_LOG_BYTES = 8192 };

// tg_driver_load opens the library at path. It returns NULL and the reason in text on failure.
tg_driver *tg_driver_load(const char *path, char *text, size_t size);
tg_failure tg_driver_start(tg_driver *driver, int *version, int *devices);
const char *tg_error_name(tg_driver *driver, CUresult code);
const char *tg_error_text(tg_driver *driver, CUresult code);

typedef struct {
  char name[256];
  size_t bytes;
  int major, minor, multiprocessors;
} tg_description;

tg_failure tg_describe(tg_driver *driver, int index, tg_description *out);

// tg_device is the primary context of a device, and a stream for the backend's own work.
typedef struct {
  tg_driver *driver;
  CUdevice device;
  CUcontext context;
  CUstream house;
  CUfunction set_if, begin_while, next_while; // the control kernels, NULL without conditionals
  int has_loader;    // cuFuncLoad
} tg_device;

tg_failure tg_device_open(tg_driver *driver, int index, tg_device *out);
tg_failure tg_device_close(tg_device *device);

// tg_allocate returns zeroed memory. available receives what the device has left if it has too little.
tg_failure tg_allocate(tg_device *device, size_t bytes, CUdeviceptr *address, size_t *available);
tg_failure tg_allocate_host(tg_device *device, size_t bytes, void **memory);
tg_failure tg_stream_create(tg_device *device, CUstream *stream);
tg_failure tg_stream_sync(tg_device *device, CUstream stream);
tg_failure tg_stream_owner(tg_device *device, CUstream stream, int *same);
tg_failure tg_event_create(tg_device *device, CUevent *event);
tg_failure tg_event_record(tg_device *device, CUevent event, CUstream stream);
tg_failure tg_event_wait(tg_device *device, CUevent event, CUstream stream);
tg_failure tg_event_sync(tg_device *device, CUevent event);

// What is disposed of, in this order. reached says whether the driver was asked to: if not, it can be tried again.
enum { TG_DISPOSE_GRAPH_EXEC, TG_DISPOSE_GRAPH, TG_DISPOSE_EVENT, TG_DISPOSE_STREAM, TG_DISPOSE_MEMORY, TG_DISPOSE_HOST, TG_DISPOSE_MODULE };
tg_failure tg_dispose(tg_device *device, int kind, uint64_t handle, int *reached);

tg_failure tg_module_load(tg_device *device, const char *ptx, CUmodule *module, char *log);
tg_failure tg_module_function(tg_device *device, CUmodule module, const char *name, CUfunction *function, int *max_threads);

// tg_capture is whose capture a stream is recording into, as the driver says.
typedef struct {
  tg_failure failure;
  int status;
  uint64_t id;
  CUgraph graph;
} tg_capture;

tg_capture tg_capture_info(tg_device *device, CUstream stream);

// Kinds of commands.
enum { TG_LAUNCH, TG_COPY, TG_FILL, TG_UPLOAD, TG_DOWNLOAD, TG_IF, TG_WHILE };

// tg_command is one operation with its arguments as numbers.
typedef struct {
  uint32_t kind;
  uint32_t end;        // TG_IF, TG_WHILE: the commands after this one and before end are the body
  uint32_t from;       // in a graph: dependencies [from, from+count) of the list of dependencies,
  uint32_t count;      // which are indices of commands
  uint32_t grid;       // TG_LAUNCH: blocks,
  uint32_t block;      // threads of each, and
  uint32_t first;      // parameters [first, first+parameters) of the list of words
  uint32_t parameters;
  uint64_t target;     // the function, the destination or the flag
  uint64_t source;     // of a copy; TG_WHILE: a word for the iterations that are left
  uint64_t bytes;      // of a copy or fill
  uint32_t pattern;    // TG_FILL; TG_WHILE: the most iterations
} tg_command;

// tg_emit emits commands on a stream in order. On a stream that is capturing, conditionals become nodes of the capture,
// which neither ends nor changes its id.
tg_failure tg_emit(tg_device *device, CUstream stream, const tg_command *commands, size_t count, const uint64_t *words);

// tg_build makes an executable graph of commands with their dependencies. result is what instantiation says.
tg_failure tg_build(tg_device *device, const tg_command *commands, size_t count, const uint64_t *words,
    const uint32_t *dependencies, CUgraph *graph, CUgraphExec *exec, int *result);
tg_failure tg_replay(tg_device *device, CUgraphExec exec, CUstream stream);
tg_failure tg_dot(tg_device *device, CUgraph graph, const char *path);

// tg_keep attaches a token to a graph that somebody else owns: once the graph, and all that was instantiated from it, is
// gone, tg_returned gives the token back.
tg_failure tg_keep(tg_device *device, CUgraph graph, uint64_t token);
// tg_returned takes at most count tokens that have come back and returns their number.
size_t tg_returned(uint64_t *tokens, size_t count);

#endif
