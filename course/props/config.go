package props

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/course/internal/resample"
)

// Values of Config.Boundary: the line along which props stand.
const (
	Outer  = "outer"
	Inner  = "inner"
	Center = "center"
)

// Values of Config.Mode.
const (
	// Points places a prop at each place, in the direction of the line there.
	Points = "points"
	// Segments places a prop from each place to the next, such as a piece of a barrier.
	Segments = "segments"
)

// Config has the settings of props. Make one with DefaultConfig and change fields of it.
type Config struct {
	// Spacing is the distance of successive props along the line, in track units: a number > 0 and <= 1000000. A line gets
	// the number of props that comes nearest to it, and at least 3. There is no default.
	Spacing float64
	// Boundary is the line along which the props stand: Outer, which is the default, Inner or Center.
	Boundary string
	// Mode is Points, which is the default, or Segments.
	Mode string
	// MaxProps is the room for props of an env: a whole number >= 3 and <= 65536, or 0, which is the default, for one and
	// a half times those of the longest line of a valid track at construction. A line that needs more gets as many as
	// there is room for, farther apart.
	MaxProps int
}

// DefaultConfig returns the configuration with every field but Spacing at its default.
func DefaultConfig() Config { return Config{Boundary: Outer, Mode: Points} }

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

// roomField is the name of Config.MaxProps in messages.
const roomField = "max_props"

// Validate checks every field against its range. The error joins one *ConfigError for each mistake.
func (c Config) Validate() error { return c.validate(false) }

// validate is Validate for a configuration that may have to say the room.
func (c Config) validate(needsRoom bool) error {
	return errors.Join(resample.CheckSpacing(c.Spacing), oneOf("boundary", c.Boundary, Outer, Inner, Center),
		oneOf("mode", c.Mode, Points, Segments), resample.CheckItems(roomField, c.MaxProps, needsRoom))
}

// oneOf returns a *ConfigError unless the value of a field is one of the choices.
func oneOf(field, value string, choices ...string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return &ConfigError{Field: field, Value: fmt.Sprintf("%q", value), Allowed: "one of " + strings.Join(choices, ", ")}
}
