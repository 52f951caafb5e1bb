package backend

import (
	"fmt"

	"github.com/trackgen-go/trackgen/kernel"
)

// Options is what Open passes to a driver. The zero value is the default; a driver ignores what does not concern it.
type Options struct {
	Workers     int    // CPU: goroutines that run kernels at once, 0 = GOMAXPROCS
	Debug       bool   // run instrumented twins, keep allocation sites for the leak report
	DebugSeed   uint64 // seed of the random order in which twins run
	MemoryLimit int64  // most bytes of device and host memory at once, 0 = what the machine has

	Work func(def *kernel.Def, work kernel.Work) // hears of each launch in debug mode, nil = nobody
}

// Option changes one of the Options.
type Option func(*Options)

// MaxWorkers bounds the Workers option.
const MaxWorkers = 1024

// Workers sets how many goroutines of the CPU backend run kernels at once, the calling goroutine included: 1 to
// MaxWorkers, or 0 for GOMAXPROCS. It never changes a result.
func Workers(n int) Option { return func(o *Options) { o.Workers = n } }

// Debug makes every launch run the instrumented twin of its kernel, which checks each index, each integer division and
// every race between items, and returns what it finds as a *KernelError. The leak report then names allocation sites.
func Debug(on bool) Option { return func(o *Options) { o.Debug = on } }

// DebugSeed sets the seed of the random order in which twins run items. Equal seeds give equal orders for equal
// sequences of calls.
func DebugSeed(seed uint64) Option { return func(o *Options) { o.DebugSeed = seed } }

// Work makes a device in debug mode tell what each launch did, one launch after the other; hear must not use the device.
func Work(hear func(def *kernel.Def, work kernel.Work)) Option {
	return func(o *Options) { o.Work = hear }
}

// MemoryLimit bounds the bytes of device and host buffers at once, those included that are closed and whose memory is
// still in use (see Lifetime); 0 means what the machine has.
func MemoryLimit(bytes int64) Option { return func(o *Options) { o.MemoryLimit = bytes } }

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
