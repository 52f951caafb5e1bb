package track

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

// DryRun returns what a generator of a configuration needs from a device. It builds the stages and records a generation
// on a device that does nothing (package noop), so it works for every configuration on every machine. Stages of
// registered generators are built too; HOST stages do not run.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, or the error of a stage that cannot be built.
func DryRun(config Config) (Demand, error) {
	if err := config.Validate(); err != nil {
		return Demand{}, err
	}
	demand, err := config.Resolved().dryRun()
	return demand, during("dry run", err)
}

// BytesPerEnv returns the device memory that a generator of this configuration needs for each env, including its Track.
// It is the number of DryRun and does not depend on NumEnvs.
func (c Config) BytesPerEnv() (int64, error) {
	c.NumEnvs = 1
	if err := c.Validate(); err != nil {
		return 0, err
	}
	perEnv, _, err := c.Resolved().bytes()
	return perEnv, during("bytes per env", err)
}

// dryRun is DryRun for a valid and resolved configuration.
func (c Config) dryRun() (Demand, error) {
	perEnv, fixed, err := c.bytes()
	if err != nil {
		return Demand{}, err
	}
	demand := Demand{Envs: c.NumEnvs, BytesPerEnv: perEnv, FixedBytes: fixed, Bytes: fixed + int64(c.NumEnvs)*perEnv}
	err = c.onNoop(func(g *Generator) error { return demand.record(g) })
	return demand, err
}

// bytes returns the device memory of a generator: that of each env, and the fixed part. Every array has the same number
// of elements for each env, or one number for all envs, so two sizes tell the parts apart.
func (c Config) bytes() (perEnv, fixed int64, err error) {
	var sizes [2]int64
	for i := range sizes {
		c.NumEnvs = i + 1
		err := c.onNoop(func(g *Generator) error {
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

// onNoop builds a generator on a device that does nothing, and calls use with it.
func (c Config) onNoop(use func(*Generator) error) (err error) {
	device, err := noop.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	stages, err := c.stages()
	if err != nil {
		return err
	}
	g := &Generator{device: device, config: c}
	defer func() { err = errors.Join(err, g.Close()) }()
	if err := g.build(options{}, stages); err != nil {
		return err
	}
	return use(g)
}

// record adds the demand of a generation and of a regeneration.
func (d *Demand) record(g *Generator) (err error) {
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
	mask, err := exec.NewArray[int32](g.device, g.config.NumEnvs)
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
