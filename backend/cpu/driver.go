// Package cpu is the backend that runs the Go functions of kernels on all cores.
//
// Importing it registers "cpu" with package backend:
//
//	import _ "github.com/trackgen-go/trackgen/backend/cpu"
//
// Streams are synchronous: when a call returns, its work has run. A capture records a list of operations, and a graph
// runs that list. Launches and replays neither allocate nor start goroutines. The distribution of the items over the
// workers depends on time and load but never changes a result, because no item may touch what another item of the
// launch writes.
package cpu

import (
	"runtime"

	"github.com/trackgen-go/trackgen/backend"
)

// name of the backend and of its only device.
const name = "cpu"

func init() { backend.Register(name, driver{}) }

// driver is the registration. Each Open creates a device with its own workers.
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
