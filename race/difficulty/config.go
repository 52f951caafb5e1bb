package difficulty

import (
	"errors"
	"math"

	"github.com/trackgen-go/trackgen/config"
)

const maxNumber = 1e6

// Config has the settings of labels. Make one with DefaultConfig and change fields of it. Radii are those of the racing
// line, in mean widths of the road, so that they fit tracks of every size.
type Config struct {
	// CarWidth: width of the car, in track units. Default: 0; a number >= 0 and <= 1000000.
	CarWidth float64
	// SlowRadius: largest radius of a slow corner, in widths of the road. Default: 2.5; a number > 0 and <= 1000000.
	SlowRadius float64
	// MediumRadius: largest radius of a medium corner, in widths of the road. Default: 8; a number > 0 and <= 1000000.
	MediumRadius float64
	// FastRadius: largest radius of a fast corner, in widths of the road; what is wider is a straight. Default: 25; a
	// number > 0 and <= 1000000.
	FastRadius float64
	// LeastTurn: angle by which a corner turns at least, in radians. Default: 0.2; a number >= 0 and <= 1000000.
	LeastTurn float64
	// HairpinTurn: angle by which a hairpin turns at least, in radians. Default: 2.4; a number >= 0 and <= 1000000.
	HairpinTurn float64
}

// fields describes every field of Config.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Difficulty"}}, "", []config.Field[Config]{
	{Name: "car_width", Default: 0.0, Max: maxNumber, Doc: "width of the car, in track units"},
	{Name: "slow_radius", Default: 2.5, MinOpen: true, Max: maxNumber,
		Doc: "largest radius of a slow corner, in widths of the road"},
	{Name: "medium_radius", Default: 8.0, MinOpen: true, Max: maxNumber,
		Doc: "largest radius of a medium corner, in widths of the road"},
	{Name: "fast_radius", Default: 25.0, MinOpen: true, Max: maxNumber,
		Doc: "largest radius of a fast corner, in widths of the road; what is wider is a straight"},
	{Name: "least_turn", Default: 0.2, Max: maxNumber, Doc: "angle by which a corner turns at least, in radians"},
	{Name: "hairpin_turn", Default: 2.4, Max: maxNumber, Doc: "angle by which a hairpin turns at least, in radians"},
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

// Validate checks every field against its range, and that the radii ascend. The error joins one *ConfigError for each
// mistake.
func (c Config) Validate() error {
	failed := fields.Check(c)
	ascend := func(field string, value, least float64, name string) {
		if value < least {
			failed = append(failed, &ConfigError{Field: field, Value: number(value),
				Allowed: "at least " + number(least) + ", the " + name})
		}
	}
	if len(failed) == 0 {
		ascend("medium_radius", c.MediumRadius, c.SlowRadius, "slow_radius")
		ascend("fast_radius", c.FastRadius, math.Max(c.MediumRadius, c.SlowRadius), "medium_radius")
	}
	return errors.Join(failed...)
}
