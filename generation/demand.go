package generation

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/noop"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/capture"
)

// Demand says what a generator of a configuration needs from a device.
type Demand struct {
	Envs        int
	Bytes       int64 // device memory: FixedBytes + Envs*BytesPerEnv
	BytesPerEnv int64 // device memory of each env
	FixedBytes  int64 // device memory that does not depend on the number of envs

	Kernels []KernelDemand // sorted by name
	// Nodes is the number of operations in the graph of a generation. Operations in the bodies of loops and
	// conditionals count once; HOST stages are not in the graph.
	Nodes int
}

// KernelDemand says what a generator needs from a device for one kernel.
type KernelDemand struct {
	Name string // import path of the package, a dot, and the function name
	// Launches is the number of launches in one generation if all conditionals hold and all loops run to their limits.
	// It is 0 for kernels that only Regenerate and SetEpoch launch.
	Launches int64
	Group    bool // whether it is a group kernel
	// MostItems is the number of threads of the largest launch, or of groups for a group kernel.
	MostItems int32
	// Iterations is an upper bound on the total iterations of all loops of one lane in a launch
	// (kernel.Def.Iterations). Compare it with Caps.LoopIterations of a device. It is 0 if the kernel states no bound.
	Iterations int64
}

// Launches returns the number of launches in a generation.
func (d Demand) Launches() int64 {
	total := int64(0)
	for _, k := range d.Kernels {
		total += k.Launches
	}
	return total
}

// Build makes a generation of a number of envs on a device, without running it.
type Build func(device backend.Device, envs int) (*Generation, error)

// DemandOf returns what a generation needs. It builds the generation and records it on a device that does nothing
// (package noop), so it works on every machine; HOST stages do not run.
func DemandOf(build Build, envs int) (Demand, error) {
	perEnv, fixed, err := Bytes(build)
	if err != nil {
		return Demand{}, err
	}
	demand := Demand{Envs: envs, BytesPerEnv: perEnv, FixedBytes: fixed, Bytes: fixed + int64(envs)*perEnv}
	err = onNoop(build, envs, func(g *Generation) error { return demand.record(g) })
	return demand, err
}

// Bytes returns the device memory of a generation: that of each env, and the fixed part. Every array has the same
// number of elements for each env, or one number for all envs, so two sizes tell the parts apart.
func Bytes(build Build) (perEnv, fixed int64, err error) {
	var sizes [2]int64
	for i := range sizes {
		err := onNoop(build, i+1, func(g *Generation) error {
			report, err := noop.Of(g.device)
			sizes[i] = report.Device.Open
			return err
		})
		if err != nil {
			return 0, 0, err
		}
	}
	perEnv = sizes[1] - sizes[0]
	return perEnv, sizes[0] - perEnv, nil
}

// onNoop builds a generation on a device that does nothing, and calls use with it.
func onNoop(build Build, envs int, use func(*Generation) error) (err error) {
	device, err := noop.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	g, err := build(device, envs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	return use(g)
}

// record adds the demand of a generation and of a regeneration.
func (d *Demand) record(g *Generation) (err error) {
	segments, err := g.program.Segments(exec.Array[int32]{})
	if err != nil {
		return err
	}
	before, err := noop.Of(g.device)
	if err != nil {
		return err
	}
	d.Nodes, err = recorded(g.device, func(lc *exec.LaunchContext) {
		for _, s := range segments {
			if s.Class != exec.Host {
				s.Body(lc)
			}
		}
	})
	if err != nil {
		return err
	}
	generated, err := noop.Of(g.device)
	if err != nil {
		return err
	}
	mask, err := exec.NewArray[int32](g.device, g.plan.Envs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, mask.Close()) }()
	if _, err = recorded(g.device, func(lc *exec.LaunchContext) { g.enqueueSelection(lc, mask, true) }); err != nil {
		return err
	}
	all, err := noop.Of(g.device)
	if err != nil {
		return err
	}
	launches := make(map[string]int64)
	for _, k := range generated.Kernels {
		launches[k.Name] += k.Launches
	}
	for _, k := range before.Kernels {
		launches[k.Name] -= k.Launches
	}
	for _, k := range all.Kernels {
		d.Kernels = append(d.Kernels, KernelDemand{Name: k.Name, Launches: launches[k.Name], Group: k.Group,
			MostItems: k.MostItems, Iterations: k.Iterations})
	}
	return nil
}

// recorded records work, replays it once and returns the number of nodes of its graph.
func recorded(device backend.Device, work exec.Enqueue) (nodes int, err error) {
	stream := device.DefaultStream()
	graph, err := capture.Of(stream, func() error {
		lc, err := exec.OnCurrentStream(device)
		if err != nil {
			return err
		}
		work(lc)
		return lc.Err()
	})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, graph.Close()) }()
	return graph.Nodes(), stream.Replay(graph)
}
