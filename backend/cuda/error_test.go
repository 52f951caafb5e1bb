package cuda

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// results lists the results of CUDA 13.5 (CUresult in cuda.h), and the kind of error that each is, nil for those
// that mean a mistake of this package or of the caller.
var results = []struct {
	name string
	code int
	kind error
}{
	{"INVALID_VALUE", 1, nil},
	{"OUT_OF_MEMORY", 2, backend.ErrOutOfMemory},
	{"NOT_INITIALIZED", 3, backend.ErrUnavailable},
	{"DEINITIALIZED", 4, backend.ErrDeviceLost},
	{"PROFILER_DISABLED", 5, nil},
	{"PROFILER_NOT_INITIALIZED", 6, nil},
	{"PROFILER_ALREADY_STARTED", 7, nil},
	{"PROFILER_ALREADY_STOPPED", 8, nil},
	{"STUB_LIBRARY", 34, backend.ErrUnavailable},
	{"CALL_REQUIRES_NEWER_DRIVER", 36, backend.ErrUnavailable},
	{"DEVICE_UNAVAILABLE", 46, backend.ErrUnavailable},
	{"MULTICAST_RESOURCE_FULL", 47, nil},
	{"NO_DEVICE", 100, backend.ErrUnavailable},
	{"INVALID_DEVICE", 101, backend.ErrUnavailable},
	{"DEVICE_NOT_LICENSED", 102, backend.ErrUnavailable},
	{"INVALID_IMAGE", 200, nil},
	{"INVALID_CONTEXT", 201, backend.ErrDeviceLost},
	{"CONTEXT_ALREADY_CURRENT", 202, nil},
	{"MAP_FAILED", 205, nil},
	{"UNMAP_FAILED", 206, nil},
	{"ARRAY_IS_MAPPED", 207, nil},
	{"ALREADY_MAPPED", 208, nil},
	{"NO_BINARY_FOR_GPU", 209, backend.ErrUnsupported},
	{"ALREADY_ACQUIRED", 210, nil},
	{"NOT_MAPPED", 211, nil},
	{"NOT_MAPPED_AS_ARRAY", 212, nil},
	{"NOT_MAPPED_AS_POINTER", 213, nil},
	{"ECC_UNCORRECTABLE", 214, backend.ErrDeviceLost},
	{"UNSUPPORTED_LIMIT", 215, nil},
	{"CONTEXT_ALREADY_IN_USE", 216, nil},
	{"PEER_ACCESS_UNSUPPORTED", 217, nil},
	{"INVALID_PTX", 218, nil},
	{"INVALID_GRAPHICS_CONTEXT", 219, nil},
	{"NVLINK_UNCORRECTABLE", 220, backend.ErrDeviceLost},
	{"JIT_COMPILER_NOT_FOUND", 221, backend.ErrUnavailable},
	{"UNSUPPORTED_PTX_VERSION", 222, backend.ErrUnsupported},
	{"JIT_COMPILATION_DISABLED", 223, backend.ErrUnavailable},
	{"UNSUPPORTED_EXEC_AFFINITY", 224, nil},
	{"UNSUPPORTED_DEVSIDE_SYNC", 225, backend.ErrUnsupported},
	{"CONTAINED", 226, backend.ErrDeviceLost},
	{"INSUFFICIENT_LOADER_VERSION", 227, backend.ErrUnsupported},
	{"INVALID_SOURCE", 300, nil},
	{"FILE_NOT_FOUND", 301, nil},
	{"SHARED_OBJECT_SYMBOL_NOT_FOUND", 302, nil},
	{"SHARED_OBJECT_INIT_FAILED", 303, nil},
	{"OPERATING_SYSTEM", 304, nil},
	{"INVALID_HANDLE", 400, nil},
	{"ILLEGAL_STATE", 401, nil},
	{"LOSSY_QUERY", 402, nil},
	{"NOT_FOUND", 500, nil},
	{"NOT_READY", 600, nil},
	{"ILLEGAL_ADDRESS", 700, backend.ErrDeviceLost},
	{"LAUNCH_OUT_OF_RESOURCES", 701, nil},
	{"LAUNCH_TIMEOUT", 702, backend.ErrDeviceLost},
	{"LAUNCH_INCOMPATIBLE_TEXTURING", 703, nil},
	{"PEER_ACCESS_ALREADY_ENABLED", 704, nil},
	{"PEER_ACCESS_NOT_ENABLED", 705, nil},
	{"PRIMARY_CONTEXT_ACTIVE", 708, nil},
	{"CONTEXT_IS_DESTROYED", 709, backend.ErrDeviceLost},
	{"ASSERT", 710, backend.ErrDeviceLost},
	{"TOO_MANY_PEERS", 711, nil},
	{"HOST_MEMORY_ALREADY_REGISTERED", 712, nil},
	{"HOST_MEMORY_NOT_REGISTERED", 713, nil},
	{"HARDWARE_STACK_ERROR", 714, backend.ErrDeviceLost},
	{"ILLEGAL_INSTRUCTION", 715, backend.ErrDeviceLost},
	{"MISALIGNED_ADDRESS", 716, backend.ErrDeviceLost},
	{"INVALID_ADDRESS_SPACE", 717, backend.ErrDeviceLost},
	{"INVALID_PC", 718, backend.ErrDeviceLost},
	{"LAUNCH_FAILED", 719, backend.ErrDeviceLost},
	{"COOPERATIVE_LAUNCH_TOO_LARGE", 720, nil},
	{"TENSOR_MEMORY_LEAK", 721, backend.ErrDeviceLost},
	{"NOT_PERMITTED", 800, nil},
	{"NOT_SUPPORTED", 801, backend.ErrUnsupported},
	{"SYSTEM_NOT_READY", 802, backend.ErrUnavailable},
	{"SYSTEM_DRIVER_MISMATCH", 803, backend.ErrUnavailable},
	{"COMPAT_NOT_SUPPORTED_ON_DEVICE", 804, backend.ErrUnavailable},
	{"MPS_CONNECTION_FAILED", 805, backend.ErrUnavailable},
	{"MPS_RPC_FAILURE", 806, backend.ErrDeviceLost},
	{"MPS_SERVER_NOT_READY", 807, backend.ErrUnavailable},
	{"MPS_MAX_CLIENTS_REACHED", 808, backend.ErrUnavailable},
	{"MPS_MAX_CONNECTIONS_REACHED", 809, backend.ErrUnavailable},
	{"MPS_CLIENT_TERMINATED", 810, backend.ErrDeviceLost},
	{"CDP_NOT_SUPPORTED", 811, backend.ErrUnsupported},
	{"CDP_VERSION_MISMATCH", 812, backend.ErrUnsupported},
	{"STREAM_CAPTURE_UNSUPPORTED", 900, backend.ErrCapture},
	{"STREAM_CAPTURE_INVALIDATED", 901, backend.ErrCapture},
	{"STREAM_CAPTURE_MERGE", 902, backend.ErrCapture},
	{"STREAM_CAPTURE_UNMATCHED", 903, backend.ErrCapture},
	{"STREAM_CAPTURE_UNJOINED", 904, backend.ErrCapture},
	{"STREAM_CAPTURE_ISOLATION", 905, backend.ErrCapture},
	{"STREAM_CAPTURE_IMPLICIT", 906, backend.ErrCapture},
	{"CAPTURED_EVENT", 907, backend.ErrCapture},
	{"STREAM_CAPTURE_WRONG_THREAD", 908, backend.ErrCapture},
	{"TIMEOUT", 909, nil},
	{"GRAPH_EXEC_UPDATE_FAILURE", 910, nil},
	{"EXTERNAL_DEVICE", 911, backend.ErrDeviceLost},
	{"INVALID_CLUSTER_SIZE", 912, nil},
	{"FUNCTION_NOT_LOADED", 913, nil},
	{"INVALID_RESOURCE_TYPE", 914, nil},
	{"INVALID_RESOURCE_CONFIGURATION", 915, nil},
	{"KEY_ROTATION", 916, nil},
	{"STREAM_DETACHED", 917, nil},
	{"GRAPH_RECAPTURE_FAILURE", 918, nil},
	{"FABRIC_NOT_READY", 919, backend.ErrUnavailable},
	{"UNKNOWN", 999, nil},
}

// Every result of the driver has the kind of error that callers must tell apart, and no other one.
func TestKindsOfErrors(t *testing.T) {
	kinds := []error{backend.ErrUnavailable, backend.ErrOutOfMemory, backend.ErrDeviceLost, backend.ErrUnsupported,
		backend.ErrClosed, backend.ErrInvalid, backend.ErrCapture, backend.ErrKernel, backend.ErrLeak}
	for _, r := range results {
		err := fmt.Errorf("open: %w", &Error{Device: "cuda:0", Op: "open the device", Call: "cuDevicePrimaryCtxRetain",
			Code: r.code, Name: "CUDA_ERROR_" + r.name})
		for _, kind := range kinds {
			require.Equal(t, errors.Is(r.kind, kind), errors.Is(err, kind), "%s (%d): %v", r.name, r.code, kind)
		}
		require.Equal(t, errors.Is(r.kind, backend.ErrDeviceLost), lost(r.code), r.name)
	}
	require.NoError(t, kindOf(0))
}

// An error that means that the GPU cannot be used says what usually causes it.
func TestAdvice(t *testing.T) {
	for code, text := range advice {
		require.ErrorIs(t, &Error{Code: code}, backend.ErrUnavailable, "%d", code)
		require.ErrorContains(t, &Error{Call: "cuInit", Code: code}, text)
	}
}
