// Package facts has the types of what the checks of make test-gpu find out about a GPU. The tests that find it out
// write a Facts as JSON to the file that Variable names, and gpucheck puts the parts together.
package facts

import (
	"encoding/json"
	"fmt"
	"os"
)

// Variable is the environment variable that names the file of a test.
const Variable = "TRACKGEN_GPU_FACTS"

// Facts is what one test found out; the other parts are zero.
type Facts struct {
	Device  *Device  `json:"device,omitempty"`
	Opened  *Opened  `json:"opened,omitempty"`
	Trials  []Trial  `json:"trials,omitempty"`
	Modules []Module `json:"modules,omitempty"`
	Loading *Loading `json:"loading,omitempty"`
	Kernels []Kernel `json:"kernels,omitempty"`
	Nesting *Nesting `json:"nesting,omitempty"`
	Unused  *Unused  `json:"unused,omitempty"`
	Vulkan  []Vulkan `json:"vulkan,omitempty"`
}

// Write writes what a test found out to the file that Variable names, if it names one, and returns the text. A later
// call replaces the file.
func (f Facts) Write() (string, error) {
	data, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("writing the facts: %w", err)
	}
	if file := os.Getenv(Variable); file != "" {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			return "", fmt.Errorf("writing the facts: %w", err)
		}
	}
	return string(data), nil
}

// Device is what the driver says of the GPU.
type Device struct {
	Library         string `json:"library"`        // the driver's library that was loaded
	DriverVersion   int    `json:"driver_version"` // 12040 for CUDA 12.4
	KernelModule    string `json:"kernel_module"`  // version of the driver's kernel module, empty if unknown
	Capability      string `json:"compute_capability"`
	Multiprocessors int    `json:"multiprocessors"`
	MemoryBytes     int64  `json:"memory_bytes"`
	ClockMHz        int    `json:"clock_mhz"` // typical
	MemoryClockMHz  int    `json:"memory_clock_mhz"`
	BusBits         int    `json:"bus_bits"`
	L2Bytes         int    `json:"l2_bytes"`
	Threads         int    `json:"threads_per_multiprocessor"`
	SharedBytes     int    `json:"shared_bytes_per_multiprocessor"`
	Registers       int    `json:"registers_per_multiprocessor"`
	Watchdog        bool   `json:"watchdog"`     // kernels have a time limit
	ComputeMode     string `json:"compute_mode"` // default, prohibited or exclusive process
	MPS             bool   `json:"mps"`          // contexts are shared through the multi-process service
	ECC             bool   `json:"ecc"`
	Integrated      bool   `json:"integrated"`
	Preemption      bool   `json:"compute_preemption"`
}

// Opened is what opening the device took, with the probe of conditionals, and what it found.
type Opened struct {
	FirstMilliseconds  float64 `json:"first_ms"` // in a new process
	SecondMilliseconds float64 `json:"second_ms"`
	Conditionals       bool    `json:"conditionals"` // Caps.CaptureConditionals
	Loops              bool    `json:"loops"`        // Caps.WhileNodes
	Reason             string  `json:"reason"`       // why not
}

// Trial is one trial of the probe.
type Trial struct {
	Name         string  `json:"name"`
	Works        bool    `json:"works"`
	Reason       string  `json:"reason,omitempty"`
	Milliseconds float64 `json:"ms"`
}

// Module is what the driver's compiler took for the kernels of a package, at the same time.
type Module struct {
	Name         string  `json:"name"`
	Milliseconds float64 `json:"ms"`
}

// Loading is what it took for all kernels, and for the first tracks.
type Loading struct {
	AloneMilliseconds    float64 `json:"alone_ms"`    // one package after the other
	TogetherMilliseconds float64 `json:"together_ms"` // at the same time
	KeptMilliseconds     float64 `json:"kept_ms"`     // at the same time, by the driver's linker, with the images kept
	WarmMilliseconds     float64 `json:"warm_ms"`     // from those images

	// Opening the device and making the first 4096 bezier tracks, without images and with them.
	FirstColdMilliseconds float64 `json:"first_cold_ms"`
	FirstWarmMilliseconds float64 `json:"first_warm_ms"`
}

// Kernel is how a kernel fills a multiprocessor.
type Kernel struct {
	Name        string `json:"name"`
	Threads     int    `json:"threads"` // of a block
	Registers   int    `json:"registers"`
	SharedBytes int    `json:"shared_bytes"`
	LocalBytes  int    `json:"local_bytes"` // of a thread: registers that were spilled, and arrays
	Blocks      int    `json:"blocks"`      // that a multiprocessor runs at once
}

// Nesting is how deep conditionals can be nested.
type Nesting struct {
	Depth  int    `json:"depth"` // the greatest that works
	Limit  int    `json:"limit"` // that of this module
	Reason string `json:"reason,omitempty"`
}

// Unused is what instantiating a graph gives that holds a conditional handle which no node uses, as after a node that
// the driver has refused: the result of the call, and the result in its parameters.
type Unused struct {
	Code   int `json:"code"`   // a CUresult
	Result int `json:"result"` // a CUgraphInstantiateResult
}

// Vulkan is what a Vulkan device does with floats.
type Vulkan struct {
	Name       string   `json:"name"`
	Driver     string   `json:"driver"`
	Modes      []string `json:"modes"` // execution modes that modules declare, as the device offers them
	Exact      bool     `json:"exact"` // sums, products and comparisons are correctly rounded
	Denormals  bool     `json:"denormals"`
	Division   bool     `json:"division"` // as exact as the rest; else it is corrected
	SquareRoot bool     `json:"square_root"`
	Reason     string   `json:"reason,omitempty"` // why the device is refused
}
