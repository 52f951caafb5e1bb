/* The CUDA driver, as a library such as PyTorch uses it: loaded at run time. The version of each function is the one in which
 * the driver introduced its signature. */
#ifndef DRIVER_H
#define DRIVER_H

#include <dlfcn.h>

#include "check.h"

typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef uint64_t CUdeviceptr;

typedef struct {
  uint64_t flags;
  CUstream upload;
  CUgraphNode error;
  int result;
} instantiate_params;

enum { GLOBAL, THREAD_LOCAL, RELAXED, NON_BLOCKING = 1, NO_TIMING = 2, CAPTURE_ACTIVE = 1, NODE_CONDITIONAL = 13 };

/* X(name, version, parameters) */
#define FUNCTIONS(X)                                                                                                   \
  X(cuInit, 2000, (unsigned flags))                                                                                    \
  X(cuDriverGetVersion, 2020, (int *version))                                                                          \
  X(cuDevicePrimaryCtxRetain, 7000, (CUcontext * context, int device))                                                 \
  X(cuDevicePrimaryCtxRelease, 11000, (int device))                                                                    \
  X(cuCtxSetCurrent, 4000, (CUcontext context))                                                                        \
  X(cuMemAlloc, 3020, (CUdeviceptr * address, size_t bytes))                                                           \
  X(cuMemFree, 3020, (CUdeviceptr address))                                                                            \
  X(cuMemHostAlloc, 2020, (void **memory, size_t bytes, unsigned flags))                                               \
  X(cuMemFreeHost, 2000, (void *memory))                                                                               \
  X(cuMemcpyHtoDAsync, 3020, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))                        \
  X(cuMemcpyDtoHAsync, 3020, (void *to, CUdeviceptr from, size_t bytes, CUstream stream))                              \
  X(cuMemcpyDtoDAsync, 3020, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))                        \
  X(cuMemsetD32Async, 3020, (CUdeviceptr to, unsigned value, size_t count, CUstream stream))                           \
  X(cuStreamCreate, 2000, (CUstream * stream, unsigned flags))                                                         \
  X(cuStreamDestroy, 4000, (CUstream stream))                                                                          \
  X(cuStreamSynchronize, 2000, (CUstream stream))                                                                      \
  X(cuStreamWaitEvent, 3020, (CUstream stream, CUevent event, unsigned flags))                                         \
  X(cuStreamBeginCapture, 10010, (CUstream stream, int mode))                                                          \
  X(cuStreamIsCapturing, 10000, (CUstream stream, int *status))                                                        \
  X(cuStreamEndCapture, 10000, (CUstream stream, CUgraph * graph))                                                     \
  X(cuThreadExchangeStreamCaptureMode, 10010, (int *mode))                                                             \
  X(cuEventCreate, 2000, (CUevent * event, unsigned flags))                                                            \
  X(cuEventDestroy, 4000, (CUevent event))                                                                             \
  X(cuEventRecord, 2000, (CUevent event, CUstream stream))                                                             \
  X(cuGraphGetNodes, 10000, (CUgraph graph, CUgraphNode * nodes, size_t *count))                                       \
  X(cuGraphNodeGetType, 10000, (CUgraphNode node, int *type))                                                          \
  X(cuGraphInstantiateWithParams, 12000, (CUgraphExec * exec, CUgraph graph, instantiate_params *parameters))          \
  X(cuGraphLaunch, 10000, (CUgraphExec exec, CUstream stream))                                                         \
  X(cuGraphExecDestroy, 10000, (CUgraphExec exec))                                                                     \
  X(cuGraphDestroy, 10000, (CUgraph graph))

#define DECLARE(name, version, parameters) static int(*name) parameters;
FUNCTIONS(DECLARE)
#undef DECLARE

/* CU says that a call of the driver succeeds. */
#define CU(call) driver_call(__FILE__, __LINE__, #call, call)

static inline void driver_call(const char *file, int line, const char *call, int code) {
  if (code != 0) {
    printf("%s:%d: %s gives %d\n", file, line, call, code);
    exit(1);
  }
}

/* load loads the driver that the library uses too, and returns it. */
static inline void *load(void) {
  const char *path = getenv("TRACKGEN_LIBCUDA");
  void *driver = dlopen(path != NULL ? path : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *function = NULL;
  int (*find)(const char *, void **, int, uint64_t, int *), status = 0;
  if (driver == NULL) {
    printf("%s\n", dlerror());
    exit(1);
  }
  *(void **)&find = dlsym(driver, "cuGetProcAddress_v2");
#define FIND(name, version, parameters)                                                                                \
  CU(find(#name, &function, version, 1, &status));                                                                     \
  *(void **)&name = function;
  FUNCTIONS(FIND)
#undef FIND
  return driver;
}

/* emulate starts an emulated driver of a version; seed decides in which order nodes and queued work run. It does nothing with
 * the driver of a GPU. */
static inline void emulate(void *driver, int version, uint64_t seed) {
  void (*start)(int, uint64_t, int, int);
  const char *(*add)(const char *), *reason;
  char *list = getenv("TRACKGEN_EMULATOR_KERNELS");
  *(void **)&start = dlsym(driver, "emulator_start");
  *(void **)&add = dlsym(driver, "emulator_kernels");
  if (start == NULL) {
    return;
  }
  start(version, seed, 0, 0);
  for (char *path = strtok(list, ":"); path != NULL; path = strtok(NULL, ":")) {
    reason = add(path);
    if (reason != NULL) {
      printf("%s: %s\n", path, reason);
      exit(1);
    }
  }
}

/* clean says that nothing is alive in an emulated driver, and that it has seen no mistakes. */
static inline void clean(void *driver) {
  const char *(*text)(void);
  const char *names[] = {"emulator_complaint", "emulator_live"};
  for (int i = 0; i < 2; i++) {
    *(void **)&text = dlsym(driver, names[i]);
    if (text != NULL && text()[0] != 0) {
      printf("%s: %s\n", names[i], text());
      mistakes++;
    }
  }
}

#endif
