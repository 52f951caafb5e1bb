package gate

import (
	"fmt"
	"sort"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/generation"
)

// Demand says what a generator of a configuration needs from a device.
type Demand = generation.Demand

// DryRun returns what a generator of a configuration needs from a device. It builds the stages and records a generation
// on a device that does nothing (package noop), so it works for every configuration on every machine.
//
// It returns a *ConfigError (ErrConfig) for each wrong field of config, or the error of a stage that cannot be built.
func DryRun(config Config) (Demand, error) {
	if err := config.Validate(); err != nil {
		return Demand{}, err
	}
	demand, err := generation.DemandOf(config.build, config.NumEnvs)
	return demand, during("dry run", err)
}

// BytesPerEnv returns the device memory that a generator of this configuration needs for each env, including its
// Sequence. It is the number of DryRun and does not depend on NumEnvs.
func (c Config) BytesPerEnv() (int64, error) {
	c.NumEnvs = 1
	if err := c.Validate(); err != nil {
		return 0, err
	}
	perEnv, _, err := generation.Bytes(c.build)
	return perEnv, during("bytes per env", err)
}

// CheckDevice reports whether a device can run a configuration, without running anything. It returns nil, a
// *ConfigError for each wrong field, or a *generation.LoopsError. If gates are moved apart in more sweeps than the
// device can run, a *ConfigError wraps the *generation.LoopsError.
func (c Config) CheckDevice(device backend.Device) error {
	if device == nil {
		return &backend.ArgumentError{Op: prefix + "check device", Argument: "device", Value: nil,
			Allowed: "an open backend.Device"}
	}
	if err := c.Validate(); err != nil {
		return err
	}
	return c.checkLoops(device)
}

// checkLoops is CheckDevice for a valid configuration.
func (c Config) checkLoops(device backend.Device) error {
	loops, err := generation.CheckLoops(device, c.build, c.NumEnvs)
	if err != nil || loops == nil {
		return err
	}
	return c.blame(loops)
}

// blame returns a *ConfigError that names the largest number of sweeps that the device can run, or loops itself if the
// sweeps are not the cause.
func (c Config) blame(loops *generation.LoopsError) error {
	is := c.Gate.SeparationSweeps
	fits := func(sweeps int) bool {
		c.Gate.SeparationSweeps = sweeps
		longest, err := generation.LongestLoops(c.build, c.NumEnvs)
		return err == nil && longest.Iterations <= loops.Limit
	}
	if !fits(0) {
		return loops
	}
	most := sort.Search(is, func(sweeps int) bool { return !fits(sweeps + 1) })
	return &ConfigError{Field: "gate.separation_sweeps", Value: fmt.Sprint(is), Err: loops,
		Allowed: fmt.Sprintf("at most %d on the device %s", most, loops.Device)}
}

// build makes the generation of a valid configuration without running it.
func (c Config) build(device backend.Device, envs int) (*generation.Generation, error) {
	c.NumEnvs = envs
	g := &Generator{config: c}
	if err := g.build(device, generation.Options{}); err != nil {
		return nil, err
	}
	return g.generation, nil
}
