package speed

import (
	"errors"

	"github.com/trackgen-go/trackgen/config"
)

const (
	maxNumber = 1e6

	// maxWindow is the largest window. All windows from half the number of points on mean the same.
	maxWindow = 1 << 20
)

// Config has the settings of a profile. Make one with DefaultConfig, whose numbers are those of a small race car in
// metres and seconds, and change fields of it. Lengths are in track units.
type Config struct {
	// LateralAcceleration: highest acceleration across the line, in length/time². Default: 5; a number > 0 and <= 1000000.
	LateralAcceleration float64
	// Acceleration: highest acceleration along the line, in length/time². Default: 3; a number >= 0 and <= 1000000.
	Acceleration float64
	// Braking: highest deceleration along the line, in length/time². Default: 5; a number >= 0 and <= 1000000.
	Braking float64
	// MaxSpeed: highest speed, in length/time. Default: 10; a number > 0 and <= 1000000.
	MaxSpeed float64
	// Window: points on each side of a point whose curvatures are averaged with its own; 0 averages nothing. Default: 2; a
	// whole number >= 0 and <= 1048576.
	Window int
}

// fields describes every field of Config.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Speed profile"}}, "", []config.Field[Config]{
	{Name: "lateral_acceleration", Default: 5.0, MinOpen: true, Max: maxNumber,
		Doc: "highest acceleration across the line, in length/time²"},
	{Name: "acceleration", Default: 3.0, Max: maxNumber, Doc: "highest acceleration along the line, in length/time²"},
	{Name: "braking", Default: 5.0, Max: maxNumber, Doc: "highest deceleration along the line, in length/time²"},
	{Name: "max_speed", Default: 10.0, MinOpen: true, Max: maxNumber, Doc: "highest speed, in length/time"},
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

// Validate checks every field against its range. The error joins one *ConfigError for each mistake, in the order of
// Fields.
func (c Config) Validate() error { return errors.Join(fields.Check(c)...) }
