// Package cpu is the backend that runs kernels as the Go functions they are, on all cores.
//
// Importing it registers "cpu" with package backend:
//
//	import _ "github.com/trackgen-go/trackgen/backend/cpu"
//
// Streams are synchronous: when a call returns, its work has run. A capture records a list of operations, and a graph
// runs that list. Launches and replays neither allocate nor start goroutines. How the items of a launch are spread over
// the workers depends on time and load, and never changes a result, because no item of a launch may touch what another
// one writes.
package cpu

import (
	"runtime"

	"github.com/trackgen-go/trackgen/backend"
)

// name of the backend and of its only device.
const name = "cpu"

func init() { backend.Register(name, driver{}) }

// driver is the registration. Each Open makes a device of its own, with its own workers.
type driver struct{}

func (driver) Priority() int { return backend.PriorityCPU }

func (driver) Devices() ([]backend.Info, error) {
	return []backend.Info{describe(runtime.GOMAXPROCS(0))}, nil
}

func (driver) Open(_ int, options backend.Options) (backend.Device, error) {
	return open(options, readSystemMemory)
}

// describe returns the Info of the machine's processor.
func describe(workers int) backend.Info {
	memory, _ := readSystemMemory()
	return backend.Info{
		Name:        name,
		Backend:     name,
		Description: processorName(),
		Driver:      runtime.Version(),
		Workers:     workers,
		MemoryBytes: memory.Total,
	}
}
