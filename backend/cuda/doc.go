// Package cuda is the backend that runs kernels on NVIDIA GPUs through the CUDA driver interface.
//
// Importing it registers "cuda" with package backend:
//
//	import _ "github.com/trackgen-go/trackgen/backend/cuda"
//
// The devices are "cuda:0", "cuda:1" and so on, in the driver's order. The library libcuda.so.1, which comes with the
// GPU's driver, is loaded when devices are listed or opened. Nothing else of CUDA is needed, neither at build time nor
// at run time. The backend needs driver 12.3, and 12.4 for conditionals, and a GPU of compute capability 7.0. Without
// cgo, or without a library that works, the backend is unavailable and says why, with everything that was tried.
//
// A device uses the primary context, which it shares with everything else in the process that uses the runtime
// interface, such as PyTorch. AdoptStream wraps a stream of such a library. What is emitted on that stream while the
// library captures it becomes part of the library's graph. See docs/design/cuda.md.
//
// Environment variables:
//
//	TRACKGEN_LIBCUDA            the library to load, instead of libcuda.so.1 in the usual places
//	TRACKGEN_CUDA_CACHE         directory for compiled kernels, or "off", the default. The driver has a cache of its own,
//	                            and the code that can be kept may be slower: see docs/design/cuda.md
//	TRACKGEN_CUDA_CONDITIONALS  "off": use no conditional nodes, even if the driver has them, and do not try them
package cuda

// name of the backend.
const name = "cuda"
