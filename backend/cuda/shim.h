// The steps that Go needs, one C function each. Every function that needs the context makes it current and then
// restores the caller's, so that any goroutine on any thread may call it. No function keeps a pointer to Go memory. The
// tgc_failure of a step that failed holds the driver function that failed and its result.

#ifndef TRACKGEN_CUDA_SHIM_H
#define TRACKGEN_CUDA_SHIM_H

#include "declarations.h"

// tgc_driver is one loaded libcuda. It is never unloaded.
typedef struct tgc_driver tgc_driver;

// tgc_failure is why a step failed: the driver function that failed, which is NULL on success, and its result.
typedef struct {
  const char *call;
  CUresult code;
} tgc_failure;

// TG_LOG_BYTES is the size of the buffer for messages of the driver's compiler.
enum { TG_LOG_BYTES = 8192 };

// tgc_driver_load opens the library at path. On failure it returns NULL and stores the reason in text.
tgc_driver *tgc_driver_load(const char *path, char *text, size_t size);
// tgc_driver_file returns the path of the file that the library was loaded from, NULL if that is not known.
const char *tgc_driver_file(tgc_driver *driver);
tgc_failure tgc_driver_start(tgc_driver *driver, int *version, int *devices);
const char *tgc_error_name(tgc_driver *driver, CUresult code);
const char *tgc_error_text(tgc_driver *driver, CUresult code);

typedef struct {
  char name[256];
  size_t bytes;
  int major, minor, multiprocessors;
  int threads, blocks, registers; // that a multiprocessor has at once
  int shared, reserved;           // bytes of shared memory of a multiprocessor, and what each block takes besides its own
} tgc_description;

tgc_failure tgc_describe(tgc_driver *driver, int index, tgc_description *out);

// tgc_attribute returns an attribute of a device, a CUdevice_attribute.
tgc_failure tgc_attribute(tgc_driver *driver, int index, int attribute, int *value);

// tgc_device is the primary context of a device, and a stream for the backend's own work.
typedef struct {
  tgc_driver *driver;
  CUdevice device;
  CUcontext context;
  CUstream house;
  CUfunction set_if, begin_while, next_while; // the control kernels, NULL without conditionals
} tgc_device;

tgc_failure tgc_device_open(tgc_driver *driver, int index, tgc_device *out);
tgc_failure tgc_device_close(tgc_device *device);

// tgc_allocate returns zeroed memory. If the device has too little memory left, available receives how much is left.
tgc_failure tgc_allocate(tgc_device *device, size_t bytes, CUdeviceptr *address, size_t *available);
tgc_failure tgc_allocate_host(tgc_device *device, size_t bytes, void **memory);
tgc_failure tgc_stream_create(tgc_device *device, CUstream *stream);
tgc_failure tgc_stream_sync(tgc_device *device, CUstream stream);
// tgc_stream_settle waits for the work of a stream. If somebody is capturing on the stream, it sets capturing to 1 and
// does not wait. A capture that begins during the call is not broken.
tgc_failure tgc_stream_settle(tgc_device *device, CUstream stream, int *capturing);
tgc_failure tgc_stream_owner(tgc_device *device, CUstream stream, int *same);
tgc_failure tgc_event_create(tgc_device *device, CUevent *event);
tgc_failure tgc_event_record(tgc_device *device, CUevent event, CUstream stream);
tgc_failure tgc_event_wait(tgc_device *device, CUevent event, CUstream stream);
tgc_failure tgc_event_sync(tgc_device *device, CUevent event);

// tgc_memory is what the driver reports about an address: type 0 means that it knows no memory there.
typedef struct {
  int type;         // TG_MEMORY_DEVICE or TG_MEMORY_HOST
  int managed;      // whether the driver moves the memory between the host and devices
  int mapped;       // whether memory is mapped at the address: a reserved range may have holes
  int ordinal;      // of the device for which it was allocated
  int device;       // the ordinal of this device
  int other;        // whether it belongs to a context other than that of this device; memory of a pool belongs to none
  CUdeviceptr from; // the first byte of its allocation, or of the range that was reserved for it
  size_t bytes;     // the size of that
} tgc_memory;

tgc_failure tgc_memory_at(tgc_device *device, CUdeviceptr address, tgc_memory *out);

// The kinds of handles, in the order in which they are disposed of. reached is whether the driver's function was
// called; if it was not, the disposal can be tried again.
enum { TG_DISPOSE_GRAPH_EXEC, TG_DISPOSE_GRAPH, TG_DISPOSE_EVENT, TG_DISPOSE_STREAM, TG_DISPOSE_MEMORY, TG_DISPOSE_HOST, TG_DISPOSE_MODULE };
tgc_failure tgc_dispose(tgc_device *device, int kind, uint64_t handle, int regardless, int *reached);

// tgc_module_load loads PTX or an image that tgc_link has made, which ends with a byte 0.
tgc_failure tgc_module_load(tgc_device *device, const char *code, CUmodule *module, char *log);
// tgc_link compiles PTX of a number of bytes, of which the last is 0, to an image. The caller frees it.
tgc_failure tgc_link(tgc_device *device, const char *ptx, size_t bytes, void **image, size_t *image_bytes);
// tgc_links returns whether the driver has the functions for tgc_link.
int tgc_links(tgc_device *device);

// TG_BLOCK_SIZES is the number of sizes of blocks that tgc_module_function asks about.
enum { TG_BLOCK_SIZES = 4 };

// tgc_function is a kernel with what it takes of a multiprocessor.
typedef struct {
  CUfunction handle;
  int threads;                  // maximum number of a block
  int registers, shared, local; // of a thread, of a block, of a thread, the last two in bytes
  int blocks[TG_BLOCK_SIZES];   // that a multiprocessor runs at once, for each size of blocks; 0 if the driver does not say
} tgc_function;

// tgc_module_function returns a kernel of a module. sizes are numbers of threads of a block.
tgc_failure tgc_module_function(tgc_device *device, CUmodule module, const char *name, const int *sizes, tgc_function *out);
// tgc_function_carveout asks for a part of a multiprocessor's memory, in percent of the largest, as shared memory. The
// driver may give another part.
tgc_failure tgc_function_carveout(tgc_device *device, CUfunction function, int percent);

// tgc_capture describes the capture that a stream is recording into, as the driver reports it.
typedef struct {
  tgc_failure failure;
  int status;
  uint64_t id;
  CUgraph graph;
} tgc_capture;

tgc_capture tgc_capture_info(tgc_device *device, CUstream stream);

// Kinds of commands.
enum { TG_LAUNCH, TG_COPY, TG_FILL, TG_UPLOAD, TG_DOWNLOAD, TG_IF, TG_WHILE };

// tgc_command is one operation with its arguments as numbers.
typedef struct {
  uint32_t kind;
  uint32_t end;        // index of the next command; those in between are the body of TG_IF or TG_WHILE
  uint32_t from;       // outside bodies: this command depends on the commands whose indices are
  uint32_t count;      // elements [from, from+count) of the list of dependencies
  uint32_t grid;       // TG_LAUNCH: number of blocks,
  uint32_t block;      // threads of each block, and
  uint32_t first;      // parameters [first, first+parameters) of the list of words
  uint32_t parameters;
  uint64_t target;     // the function, the destination or the flag
  uint64_t source;     // of a copy; TG_WHILE: address of the iteration counter
  uint64_t bytes;      // of a copy or fill
  uint32_t pattern;    // TG_FILL; TG_WHILE: maximum number of iterations
} tgc_command;

// tgc_emit emits commands on a stream in order. On a stream that is capturing, conditionals become nodes of the
// capture; the capture is not ended and its identity does not change. bodies has one stream for each depth of nested
// conditionals, on which their bodies are captured. Nobody else may use these streams during the call. All captures on
// them have ended when it returns.
tgc_failure tgc_emit(tgc_device *device, CUstream stream, const CUstream *bodies, const tgc_command *commands, size_t count,
    const uint64_t *words);

// tgc_record makes an executable graph of commands with their dependencies, by capturing them on a stream. Nobody else
// may use that stream during the call. result is the result of the instantiation.
tgc_failure tgc_record(tgc_device *device, CUstream stream, const CUstream *bodies, const tgc_command *commands, size_t count,
    const uint64_t *words, const uint32_t *dependencies, CUgraph *graph, CUgraphExec *exec, int *result);
tgc_failure tgc_replay(tgc_device *device, CUgraphExec exec, CUstream stream);
tgc_failure tgc_dot(tgc_device *device, CUgraph graph, const char *path);

// tgc_keep attaches a token to a graph that somebody else owns. Once the graph and everything that was instantiated
// from it are gone, tgc_returned returns the token.
tgc_failure tgc_keep(tgc_device *device, CUgraph graph, uint64_t token);
// tgc_returned removes at most count tokens from the list of those that have come back, stores them in tokens and
// returns their number.
size_t tgc_returned(uint64_t *tokens, size_t count);

#endif
