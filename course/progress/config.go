package progress

import (
	"fmt"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/progress"
)

// maxAgents is the maximum number of agents of an env, because each is compared with each.
const maxAgents = 1024

// Config has the settings of a Tracker.
type Config struct {
	// Agents is the number A of agents in each env: a whole number >= 1 and <= 1024, or 0 for 1.
	Agents int
}

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

// Validate checks every field against its range.
func (c Config) Validate() error {
	if c.Agents >= 0 && c.Agents <= maxAgents {
		return nil
	}
	return &ConfigError{Field: "agents", Value: fmt.Sprint(c.Agents),
		Allowed: fmt.Sprintf("a whole number >= 1 and <= %d, or 0 for 1", maxAgents)}
}

// agents returns the number of agents in each env.
func (c Config) agents() int { return max(1, c.Agents) }

// checkEnvs refuses more agents than an array may have columns for.
func (c Config) checkEnvs(envs int) error {
	most := exec.MaxElements / progress.Integers / envs
	if c.agents() <= most {
		return nil
	}
	return &ConfigError{Field: "agents", Value: fmt.Sprint(c.agents()),
		Allowed: fmt.Sprintf("<= %d with %d envs", most, envs)}
}
