package checkpoints

import (
	"errors"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/course/internal/resample"
)

// Config has the settings of checkpoints on tracks.
type Config struct {
	// Spacing is the distance of successive checkpoints along the centreline, in track units: a number > 0 and <= 1000000.
	// A track gets the number of checkpoints that comes nearest to it, and at least 3.
	Spacing float64
	// MaxCheckpoints is the room for checkpoints of an env: a whole number >= 3 and <= 65536, or 0 for one and a half
	// times those of the longest valid track at construction. A track that needs more gets as many as there is room for,
	// farther apart.
	MaxCheckpoints int
}

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

// roomField is the name of Config.MaxCheckpoints in messages.
const roomField = "max_checkpoints"

// Validate checks every field against its range. The error joins one *ConfigError for each mistake.
func (c Config) Validate() error { return c.validate(false) }

// validate is Validate for a configuration that may have to say the room.
func (c Config) validate(needsRoom bool) error {
	return errors.Join(resample.CheckSpacing(c.Spacing), resample.CheckItems(roomField, c.MaxCheckpoints, needsRoom))
}
