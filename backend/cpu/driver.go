// Package cpu is the backend that runs kernels on all cores: in machine code for eight lanes where the processor and
// the kernel have it, else in Go. Both give the same bits.
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
	"os"
	"runtime"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// name of the backend and of its only device.
const name = "cpu"

func init() { backend.Register(name, driver{}) }

// driver is the registration. Each Open creates a device with its own workers.
type driver struct{}

func (driver) Priority() int { return backend.PriorityCPU }

func (driver) Devices() ([]backend.Info, error) {
	lanes, err := chooseLanes(backend.Options{}, os.Getenv(functionsVariable), kernel.HasLanes())
	if err != nil {
		return nil, err
	}
	return []backend.Info{describe(runtime.GOMAXPROCS(0), lanes)}, nil
}

func (driver) Open(_ int, options backend.Options) (backend.Device, error) {
	return open(options, readSystemMemory)
}

// describe returns the Info of the machine's processor.
func describe(workers int, lanes bool) backend.Info {
	memory, _ := readSystemMemory()
	return backend.Info{
		Name:        name,
		Backend:     name,
		Description: processorName(),
		Driver:      runtime.Version(),
		Workers:     workers,
		Lanes:       lanesOf(lanes),
		MemoryBytes: memory.Total,
	}
}
