package localise

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
)

const (
	maxWindow = 1 << 20 // all windows from half the number of points on mean the same
	maxAgents = 1 << 20
)

// Config has the settings of a localiser. Make one with DefaultConfig and change fields of it.
type Config struct {
	// Agents: agents in each env, A. Default: 1; a whole number >= 1 and <= 1048576.
	Agents int
	// WarmWindow: segments on each side of the last one that are searched, and no others; 0 searches the whole line.
	// Default: 0; a whole number >= 0 and <= 1048576.
	WarmWindow int
}

// fields describes every field of Config.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Localisation"}}, "", []config.Field[Config]{
	{Name: "agents", Default: 1, Min: 1, Max: maxAgents, Doc: "agents in each env, A"},
	{Name: "warm_window", Default: 0, Min: 0, Max: maxWindow,
		Doc: "segments on each side of the last one that are searched, and no others; 0 searches the whole line"},
})

// Field describes a field of a Config: see package config.
type Field = config.Field[Config]

// Fields lists the fields in the order of the documentation.
func Fields() []Field { return fields.Fields() }

// DefaultConfig returns the configuration with every field at its default.
func DefaultConfig() Config { return fields.Default() }

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

// Validate checks every field against its range. The error joins one *ConfigError for each mistake, in the order of
// Fields. Agents may be 0, for 1.
func (c Config) Validate() error { return errors.Join(fields.Check(c.resolved())...) }

// resolved returns the configuration with 1 in the place of 0 agents.
func (c Config) resolved() Config {
	if c.Agents == 0 {
		c.Agents = 1
	}
	return c
}

// columnsOfFloats is the number of columns that share the longest array of a localiser.
const columnsOfFloats = 3

// checkAgents refuses more agents than an array may have.
func (c Config) checkAgents(envs int) error {
	if int64(envs)*int64(c.Agents)*columnsOfFloats <= exec.MaxElements {
		return nil
	}
	return &ConfigError{Field: "agents", Value: fmt.Sprint(c.Agents),
		Allowed: fmt.Sprintf("one with at most %d agents in all %d envs", int64(exec.MaxElements)/columnsOfFloats, envs)}
}
