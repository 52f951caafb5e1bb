// Package vulkan is the backend that runs kernels as Vulkan compute shaders on a GPU of any vendor.
//
// Importing it registers "vulkan" with package backend:
//
//	import _ "github.com/trackgen-go/trackgen/backend/vulkan"
//
// The devices are "vulkan:0", "vulkan:1" and so on, discrete GPUs first and drivers that compute on the CPU last. The
// loader is loaded when devices are listed or opened: libvulkan.so.1, on macOS libvulkan.dylib or MoltenVK. Without the
// library or a driver, the backend is unavailable and says why. The build needs cgo but no Vulkan headers; without cgo
// the backend is unavailable too. A device needs Vulkan 1.2 and timeline semaphores. Nothing has run on macOS yet.
//
// A device is opened if its float32 arithmetic is exact, which a probe finds out. One that replaces denormals by zero
// and is exact apart from that is opened by name only: see backend.Caps.Denormals and backend.DenormalsWarning.
//
// Work on a stream is recorded into command buffers and submitted in batches. A graph is a command buffer recorded
// once. Conditionals are dispatches whose workgroup counts a small kernel can set to zero. They work on eager streams
// too (decision D3), and a nested conditional requires both flags (decision D4). See docs/design/vulkan.md.
//
// Launch hints: Block is rounded to a power of two and applies only to thread kernels; MaxBlocks has no effect. The
// option Debug makes the leak report name allocation sites; instrumented twins run on the CPU backend only.
//
// Environment variables:
//
//	TRACKGEN_VULKAN_CACHE       directory for compiled pipelines and findings of the float probe, or "off"; default: the
//	                            directory trackgen/vulkan in the user's cache directory
//	TRACKGEN_VULKAN_CORRECTED   "1": correct divisions and square roots in integers even where the device's own are
//	                            exact; slower, same results
//	TRACKGEN_VULKAN_INEXACT     "1": open a device whose float arithmetic is not exact, if it is named; its Caps say so
//	TRACKGEN_VULKAN_SUBMISSION  the most work of one submission in millions of loop iterations of a lane, or "off".
//	                            Drivers end submissions that take seconds, and with them the device. Default: 16000 for
//	                            discrete GPUs, 2000 for others, "off" for drivers that compute on the CPU. Changes no
//	                            result
//	TRACKGEN_VULKAN_VALIDATION  "1": run under the Khronos validation layer with synchronisation validation
package vulkan

// name of the backend.
const name = "vulkan"
