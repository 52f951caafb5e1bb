package curvature

import (
	"errors"

	"github.com/trackgen-go/trackgen/config"
)

// maxWindow is the largest window. All windows from half the number of points on mean the same.
const maxWindow = 1 << 20

// Config has the settings of an estimate. Make one with DefaultConfig and change fields of it.
type Config struct {
	// Window: points on each side of a point whose curvatures are averaged with its own; 0 averages nothing. Default: 2; a
	// whole number >= 0 and <= 1048576.
	Window int
}

// fields describes every field of Config.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Curvature"}}, "", []config.Field[Config]{
	{Name: "window", Default: 2, Min: 0, Max: maxWindow,
		Doc: "points on each side of a point whose curvatures are averaged with its own; 0 averages nothing"},
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

// Validate checks every field against its range. The error joins one *ConfigError for each mistake.
func (c Config) Validate() error { return errors.Join(fields.Check(c)...) }
