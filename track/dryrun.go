package track

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/noop"
	"github.com/trackgen-go/trackgen/exec"
)

// Demand is what a generator of a configuration asks of a device.
type Demand struct {
	Envs        int
	Bytes       int64 // of device memory: FixedBytes + Envs*BytesPerEnv
	BytesPerEnv int64 // each further env takes so much more
	FixedBytes  int64 // whatever the number of envs

	Kernels []KernelDemand // by name
	// Nodes is how many operations the graph of a generation has, those of bodies once. HOST stages are not in it.
	Nodes int
}

// KernelDemand is what a generator asks of one kernel.
type KernelDemand struct {
	Name string // import path of the package, a dot, and the function name
	// Launches counts those of one generation, as if all its conditionals held and its loops ran to their limits. It is
	// 0 of kernels that only Regenerate and SetEpoch launch.
	Launches int64
	Group    bool // a group kernel
	// MostItems is the threads, or groups of a group kernel, of the largest launch.
	MostItems int32
	// Iterations bounds the iterations that all loops of one lane make together in a launch (kernel.Def.Iterations), to
	// be compared with Caps.LoopIterations of a device; 0 if the kernel states no bound.
	Iterations int64
}

// Launches returns the number of launches of a generation.
func (d Demand) Launches() int64 {
	total := int64(0)
	for _, k := range d.Kernels {
		total += k.Launches
	}
	return total
}

// DryRun returns what a generator of a configuration asks of a device. It builds the stages, and records a generation
// of them, on a device that does nothing (package noop), so it works for every configuration on every machine. Stages
// of Register are built as well; HOST stages do not run.
//
// It returns a *ConfigError (ErrConfig) for each field of config that is wrong, or an error of a stage that cannot be
// built.
func DryRun(config Config) (Demand, error) {
	if err := config.Validate(); err != nil {
		return Demand{}, err
	}
	demand, err := config.Resolved().dryRun()
	return demand, during("dry run", err)
}

// BytesPerEnv returns the device memory that a generator of this configuration takes for each env, its Track included:
// that of DryRun, whatever NumEnvs is.
func (c Config) BytesPerEnv() (int64, error) {
	c.NumEnvs = 1
	if err := c.Validate(); err != nil {
		return 0, err
	}
	perEnv, _, err := c.Resolved().bytes()
	return perEnv, during("bytes per env", err)
}

// dryRun is DryRun of a valid configuration that has its defaults.
func (c Config) dryRun() (Demand, error) {
	perEnv, fixed, err := c.bytes()
	if err != nil {
		return Demand{}, err
	}
	demand := Demand{Envs: c.NumEnvs, BytesPerEnv: perEnv, FixedBytes: fixed, Bytes: fixed + int64(c.NumEnvs)*perEnv}
	err = c.onNoop(func(g *Generator) error { return demand.record(g) })
	return demand, err
}

// bytes returns the device memory of each env, and what is left of that of a generator. Two sizes tell them apart:
// every array has the same number of elements for each env, or for all of them.
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

// onNoop builds a generator on a device that does nothing, and hands it to use.
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

// record notes what a generation asks for, and a regeneration.
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

// recorded records work, replays it once and returns the nodes of its graph.
func recorded(device backend.Device, work exec.Enqueue) (nodes int, err error) {
	stream := device.DefaultStream()
	if err := stream.BeginCapture(); err != nil {
		return 0, err
	}
	lc, err := exec.OnCurrentStream(device)
	if err == nil {
		work(lc)
		err = lc.Err()
	}
	graph, endErr := stream.EndCapture()
	if err := errors.Join(err, endErr); err != nil {
		if graph != nil {
			err = errors.Join(err, graph.Close())
		}
		return 0, err
	}
	defer func() { err = errors.Join(err, graph.Close()) }()
	return graph.Nodes(), stream.Replay(graph)
}
