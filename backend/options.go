package backend

import (
	"fmt"

	"github.com/trackgen-go/trackgen/kernel"
)

// Options are passed from Open to a driver. The zero value is the default; a driver ignores options that it does not
// use.
type Options struct {
	Workers     int    // CPU: number of goroutines that run kernels, 0 = GOMAXPROCS
	Scalar      bool   // CPU: run the Go functions of kernels, also where there is machine code for several lanes
	Debug       bool   // run instrumented twins, and record allocation sites for the leak report
	DebugSeed   uint64 // seed of the random order in which twins run items
	MemoryLimit int64  // limit of device and host memory in use, in bytes, 0 = what the machine has

	CacheDirectory string // CUDA: where compiled kernels are kept; empty or CacheOff: nowhere

	Warn func(Warning) // receives warnings about the device; nil is LogWarning

	Work func(def *kernel.Def, work kernel.Work) // receives the work of each launch in debug mode; may be nil
}

// Option changes one of the Options.
type Option func(*Options)

// MaxWorkers is the maximum of the Workers option.
const MaxWorkers = 1024

// Workers sets the number of goroutines on which the CPU backend runs kernels, including the calling goroutine: 1 to
// MaxWorkers, or 0 for GOMAXPROCS. It never changes a result.
func Workers(n int) Option { return func(o *Options) { o.Workers = n } }

// Scalar makes the CPU backend run the Go functions of kernels, also where a kernel has machine code that runs several
// items at a time, which is a few times as fast. It never changes a result. The environment variable TRACKGEN_CPU, go
// or lanes, overrides it.
func Scalar(on bool) Option { return func(o *Options) { o.Scalar = on } }

// Debug makes every launch run the instrumented twin of its kernel. The twin checks each index and each integer
// division and detects races between items; errors are returned as a *KernelError. The leak report then names
// allocation sites.
func Debug(on bool) Option { return func(o *Options) { o.Debug = on } }

// DebugSeed sets the seed of the random order in which twins run items. Equal seeds give equal orders for equal
// sequences of calls.
func DebugSeed(seed uint64) Option { return func(o *Options) { o.DebugSeed = seed } }

// Work makes a device in debug mode report the work of each launch, one launch at a time. hear must not use the device.
func Work(hear func(def *kernel.Def, work kernel.Work)) Option {
	return func(o *Options) { o.Work = hear }
}

// MemoryLimit limits the device and host memory in use, in bytes, including closed buffers whose memory is still in use
// (see Lifetime). 0 means what the machine has.
func MemoryLimit(bytes int64) Option { return func(o *Options) { o.MemoryLimit = bytes } }

// CacheOff is a CacheDirectory that turns the cache off.
const CacheOff = "off"

// CacheDirectory sets a directory in which the CUDA backend keeps compiled kernels for the next process. Empty, the
// default, and CacheOff mean that it keeps none: the driver has a cache of its own, and the code that can be kept may
// be slower (docs/design/cuda.md). The environment variable TRACKGEN_CUDA_CACHE comes before it. Other backends ignore
// it.
func CacheDirectory(directory string) Option {
	return func(o *Options) { o.CacheDirectory = directory }
}

// Warnings passes the warnings about the opened device to warn instead of LogWarning. Open issues them before it
// returns; no backend does.
func Warnings(warn func(Warning)) Option { return func(o *Options) { o.Warn = warn } }

// Issue passes a warning to Warn, or to LogWarning if that is nil.
func (o Options) Issue(w Warning) {
	if o.Warn == nil {
		LogWarning(w)
		return
	}
	o.Warn(w)
}

// OptionsOf applies options in order, for devices that are opened without a name. It returns an *ArgumentError for one
// that is not allowed.
func OptionsOf(options ...Option) (Options, error) {
	var o Options
	for i, option := range options {
		if option == nil {
			return o, &ArgumentError{"open", fmt.Sprintf("option %d", i), "nil", "an option of package backend"}
		}
		option(&o)
	}
	if o.Workers < 0 || o.Workers > MaxWorkers {
		return o, &ArgumentError{"open", "Workers", fmt.Sprint(o.Workers), fmt.Sprintf("0 (all cores) to %d", MaxWorkers)}
	}
	if o.MemoryLimit < 0 {
		return o, &ArgumentError{"open", "MemoryLimit", fmt.Sprint(o.MemoryLimit), "0 (what the machine has) or more bytes"}
	}
	return o, nil
}
