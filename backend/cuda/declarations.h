// The part of the CUDA driver interface that this package uses. It is declared here so that no toolkit is needed to
// build. Each function keeps the ABI version that shim.c asks for, whatever the version of the driver. The layouts of
// structures are checked below.

#ifndef TRACKGEN_CUDA_DECLARATIONS_H
#define TRACKGEN_CUDA_DECLARATIONS_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef uint64_t CUgraphConditionalHandle;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUlinkState_st *CUlinkState;

// Values of the driver's enumerations.
enum {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_STUB_LIBRARY = 34,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
  CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
  CUDA_ERROR_CAPTURED_EVENT = 907,
  CUDA_ERROR_UNKNOWN = 999,

  TG_CAPTURE_NONE = 0,
  TG_CAPTURE_ACTIVE = 1,
  TG_CAPTURE_INVALIDATED = 2,
  TG_CAPTURE_MODE_RELAXED = 2,
  TG_DEPENDENCIES_SET = 1,

  TG_NODE_CONDITIONAL = 13,
  TG_CONDITIONAL_IF = 0,
  TG_CONDITIONAL_WHILE = 1,
  TG_CONDITIONAL_ASSIGN_DEFAULT = 1,

  TG_HOST_ALLOC_PORTABLE = 1,
  TG_STREAM_NON_BLOCKING = 1,
  TG_EVENT_DISABLE_TIMING = 2,
  TG_USER_OBJECT_NO_DESTRUCTOR_SYNC = 1,
  TG_USER_OBJECT_MOVE = 1,
  TG_JIT_ERROR_LOG_BUFFER = 5,
  TG_JIT_ERROR_LOG_BUFFER_SIZE = 6,
  TG_LINK_PTX = 1,
  TG_DOT_VERBOSE = 1,

  TG_POINTER_CONTEXT = 1,
  TG_POINTER_MEMORY_TYPE = 2,
  TG_POINTER_IS_MANAGED = 8,
  TG_POINTER_DEVICE_ORDINAL = 9,
  TG_POINTER_RANGE_START_ADDR = 11,
  TG_POINTER_RANGE_SIZE = 12,
  TG_POINTER_MAPPED = 13,
  TG_MEMORY_HOST = 1,
  TG_MEMORY_DEVICE = 2,

  TG_ATTRIBUTE_MULTIPROCESSORS = 16,
  TG_ATTRIBUTE_THREADS = 39,
  TG_ATTRIBUTE_MAJOR = 75,
  TG_ATTRIBUTE_MINOR = 76,
  TG_ATTRIBUTE_SHARED = 81,
  TG_ATTRIBUTE_REGISTERS = 82,
  TG_ATTRIBUTE_BLOCKS = 106,
  TG_ATTRIBUTE_RESERVED_SHARED = 111,
  TG_FUNCTION_MAX_THREADS = 0,
  TG_FUNCTION_SHARED_BYTES = 1,
  TG_FUNCTION_LOCAL_BYTES = 3,
  TG_FUNCTION_REGISTERS = 4,
  TG_FUNCTION_CARVEOUT = 9,
  TG_GET_LEGACY_STREAM = 1,
};

// Parameters of a conditional node.
typedef struct {
  CUgraphConditionalHandle handle;
  int type;
  unsigned int size;
  CUgraph *bodies; // written by the driver
  CUcontext ctx;
} tgc_conditional_params;
_Static_assert(sizeof(tgc_conditional_params) == 32, "CUDA_CONDITIONAL_NODE_PARAMS");
_Static_assert(offsetof(tgc_conditional_params, bodies) == 16, "CUDA_CONDITIONAL_NODE_PARAMS.phGraph_out");

// Parameters of a node. This package only makes conditional nodes.
typedef struct {
  int type;
  int reserved0[3];
  union {
    long long words[29];
    tgc_conditional_params conditional;
  };
  long long reserved2;
} CUgraphNodeParams;
_Static_assert(sizeof(CUgraphNodeParams) == 256, "CUgraphNodeParams");
_Static_assert(offsetof(CUgraphNodeParams, conditional) == 16, "CUgraphNodeParams.conditional");
_Static_assert(offsetof(CUgraphNodeParams, reserved2) == 248, "CUgraphNodeParams.reserved2");

typedef struct {
  unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;
_Static_assert(sizeof(CUgraphEdgeData) == 8, "CUgraphEdgeData");

typedef struct {
  uint64_t flags;
  CUstream uploadStream;
  CUgraphNode errorNode;
  int result;
} tgc_instantiate_params;
_Static_assert(sizeof(tgc_instantiate_params) == 32, "CUDA_GRAPH_INSTANTIATE_PARAMS");
_Static_assert(offsetof(tgc_instantiate_params, result) == 24, "CUDA_GRAPH_INSTANTIATE_PARAMS.result_out");

// Every driver function that is called, as X(name, ABI version, parameters). The version is the one in which the driver
// introduced this signature. Asking for a newer version could return a function with other parameters.
#define TG_FUNCTIONS(X)                                                                                                \
  X(cuInit, 2000, (unsigned int flags))                                                                                \
  X(cuDriverGetVersion, 2020, (int *version))                                                                          \
  X(cuGetErrorName, 6000, (CUresult code, const char **text))                                                          \
  X(cuGetErrorString, 6000, (CUresult code, const char **text))                                                        \
  X(cuDeviceGet, 2000, (CUdevice * device, int index))                                                                 \
  X(cuDeviceGetCount, 2000, (int *count))                                                                              \
  X(cuDeviceGetName, 2000, (char *text, int size, CUdevice device))                                                    \
  X(cuDeviceGetAttribute, 2000, (int *value, int attribute, CUdevice device))                                          \
  X(cuDeviceTotalMem, 3020, (size_t *bytes, CUdevice device))                                                          \
  X(cuDevicePrimaryCtxRetain, 7000, (CUcontext * context, CUdevice device))                                            \
  X(cuDevicePrimaryCtxRelease, 11000, (CUdevice device))                                                               \
  X(cuCtxGetCurrent, 4000, (CUcontext * context))                                                                      \
  X(cuCtxSetCurrent, 4000, (CUcontext context))                                                                        \
  X(cuMemGetInfo, 3020, (size_t * available, size_t * total))                                                          \
  X(cuMemAlloc, 3020, (CUdeviceptr * address, size_t bytes))                                                           \
  X(cuMemFree, 3020, (CUdeviceptr address))                                                                            \
  X(cuMemHostAlloc, 2020, (void **memory, size_t bytes, unsigned int flags))                                           \
  X(cuMemFreeHost, 2000, (void *memory))                                                                               \
  X(cuPointerGetAttributes, 7000, (unsigned int count, int *attributes, void **data, CUdeviceptr address))             \
  X(cuMemcpyHtoDAsync, 3020, (CUdeviceptr dst, const void *src, size_t bytes, CUstream stream))                        \
  X(cuMemcpyDtoHAsync, 3020, (void *dst, CUdeviceptr src, size_t bytes, CUstream stream))                              \
  X(cuMemcpyDtoDAsync, 3020, (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream))                        \
  X(cuMemsetD32Async, 3020, (CUdeviceptr dst, unsigned int value, size_t count, CUstream stream))                      \
  X(cuStreamCreate, 2000, (CUstream * stream, unsigned int flags))                                                     \
  X(cuStreamDestroy, 4000, (CUstream stream))                                                                          \
  X(cuStreamSynchronize, 2000, (CUstream stream))                                                                      \
  X(cuStreamWaitEvent, 3020, (CUstream stream, CUevent event, unsigned int flags))                                     \
  X(cuStreamGetCtx, 9020, (CUstream stream, CUcontext * context))                                                      \
  X(cuStreamBeginCapture, 10010, (CUstream stream, int mode))                                                          \
  X(cuStreamBeginCaptureToGraph, 12030,                                                                                \
      (CUstream stream, CUgraph graph, const CUgraphNode *from, const CUgraphEdgeData *edges, size_t count, int mode)) \
  X(cuStreamEndCapture, 10000, (CUstream stream, CUgraph * graph))                                                     \
  X(cuStreamGetCaptureInfo, 12030,                                                                                     \
      (CUstream stream, int *status, uint64_t *id, CUgraph *graph, const CUgraphNode **nodes,                          \
          const CUgraphEdgeData **edges, size_t *count))                                                               \
  X(cuStreamUpdateCaptureDependencies, 12030,                                                                          \
      (CUstream stream, CUgraphNode * nodes, const CUgraphEdgeData *edges, size_t count, unsigned int flags))          \
  X(cuThreadExchangeStreamCaptureMode, 10010, (int *mode))                                                             \
  X(cuEventCreate, 2000, (CUevent * event, unsigned int flags))                                                        \
  X(cuEventDestroy, 4000, (CUevent event))                                                                             \
  X(cuEventRecord, 2000, (CUevent event, CUstream stream))                                                             \
  X(cuEventSynchronize, 2000, (CUevent event))                                                                         \
  X(cuModuleLoadDataEx, 2010, (CUmodule * module, const void *image, unsigned int count, int *options, void **values)) \
  X(cuModuleUnload, 2000, (CUmodule module))                                                                           \
  X(cuModuleGetFunction, 2000, (CUfunction * function, CUmodule module, const char *name))                             \
  X(cuFuncGetAttribute, 2020, (int *value, int attribute, CUfunction function))                                        \
  X(cuLaunchKernel, 4000,                                                                                              \
      (CUfunction function, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx, unsigned int by,       \
          unsigned int bz, unsigned int shared, CUstream stream, void **parameters, void **extra))                     \
  X(cuGraphDestroy, 10000, (CUgraph graph))                                                                            \
  X(cuGraphAddNode, 12030,                                                                                             \
      (CUgraphNode * node, CUgraph graph, const CUgraphNode *from, const CUgraphEdgeData *edges, size_t count,         \
          CUgraphNodeParams *parameters))                                                                              \
  X(cuGraphConditionalHandleCreate, 12030,                                                                             \
      (CUgraphConditionalHandle * handle, CUgraph graph, CUcontext context, unsigned int initial, unsigned int flags)) \
  X(cuGraphInstantiateWithParams, 12000, (CUgraphExec * exec, CUgraph graph, tgc_instantiate_params * parameters))      \
  X(cuGraphExecDestroy, 10000, (CUgraphExec exec))                                                                     \
  X(cuGraphUpload, 11010, (CUgraphExec exec, CUstream stream))                                                         \
  X(cuGraphLaunch, 10000, (CUgraphExec exec, CUstream stream))                                                         \
  X(cuGraphDebugDotPrint, 11030, (CUgraph graph, const char *path, unsigned int flags))                                \
  X(cuUserObjectCreate, 11030,                                                                                         \
      (CUuserObject * object, void *pointer, void (*destroy)(void *), unsigned int references, unsigned int flags))    \
  X(cuUserObjectRelease, 11030, (CUuserObject object, unsigned int count))                                             \
  X(cuGraphRetainUserObject, 11030, (CUgraph graph, CUuserObject object, unsigned int count, unsigned int flags))

// Functions that a driver may lack.
#define TG_OPTIONAL_FUNCTIONS(X)                                                                                       \
  X(cuFuncLoad, 12040, (CUfunction function))                                                                          \
  X(cuFuncSetAttribute, 9000, (CUfunction function, int attribute, int value))                                         \
  X(cuLinkCreate, 6050, (unsigned int count, int *options, void **values, CUlinkState *state))                         \
  X(cuLinkAddData, 6050,                                                                                               \
      (CUlinkState state, int type, void *data, size_t bytes, const char *name, unsigned int count, int *options,      \
          void **values))                                                                                              \
  X(cuLinkComplete, 5050, (CUlinkState state, void **image, size_t *bytes))                                            \
  X(cuLinkDestroy, 5050, (CUlinkState state))                                                                          \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050, (int *blocks, CUfunction function, int threads, size_t shared))

#endif
