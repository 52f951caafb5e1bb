package track

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/generation"
)

// Demand says what a generator of a configuration needs from a device.
type Demand = generation.Demand

// KernelDemand says what a generator needs from a device for one kernel.
type KernelDemand = generation.KernelDemand

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
	perEnv, _, err := generation.Bytes(c.Resolved().build)
	return perEnv, during("bytes per env", err)
}

// dryRun is DryRun for a valid and resolved configuration.
func (c Config) dryRun() (Demand, error) { return generation.DemandOf(c.build, c.NumEnvs) }

// build makes the generation of a valid and resolved configuration without running it.
func (c Config) build(device backend.Device, envs int) (*generation.Generation, error) {
	c.NumEnvs = envs
	g := &Generator{config: c}
	if err := g.build(device, generation.Options{}); err != nil {
		return nil, err
	}
	return g.generation, nil
}
