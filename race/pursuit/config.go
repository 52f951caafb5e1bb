package pursuit

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
)

const (
	maxNumber = 1e6
	maxAgents = 1 << 20

	// channels is the number of actions of a car: steering and drive.
	channels = 2
)

// Config has the settings of a controller. Make one with DefaultConfig, whose car is a small race car of the F1TENTH
// class in metres, and change fields of it. Lengths are in track units.
type Config struct {
	// Agents: agents in each env, A. Default: 1; a whole number >= 1 and <= 1048576.
	Agents int

	// LookaheadTime: time in which the car would reach the target; its way is the lookahead. Default: 0.25; a number >= 0
	// and <= 1000000.
	LookaheadTime float64
	// MinLookahead: shortest way along the line to the target. Default: 0.6; a number > 0 and <= 1000000.
	MinLookahead float64
	// MaxLookahead: longest way along the line to the target. Default: 3; a number > 0 and <= 1000000.
	MaxLookahead float64

	// PreviewTime: time ahead at which the speed of the profile is wanted. Default: 0.1; a number >= 0 and <= 1000000.
	PreviewTime float64
	// SpeedFactor: part of the speed of the profile that is wanted. Default: 1; a number > 0 and <= 1000000.
	SpeedFactor float64
	// Gain: acceleration for each unit of speed that is missing, in 1/time. Default: 5; a number > 0 and <= 1000000.
	Gain float64
	// LateralAcceleration: acceleration across the car that the arc to the target may need, in length/time²; 0 leaves the
	// speed to the profile. Default: 0; a number >= 0 and <= 1000000.
	LateralAcceleration float64

	// Wheelbase: distance of the axles. Default: 0.3302; a number > 0 and <= 1000000.
	Wheelbase float64
	// RearAxle: distance from the rear axle to the position of the car, which is in front of it. Default: 0.17145; a
	// number >= 0 and <= 1000000.
	RearAxle float64
	// MaxSteering: angle of steering that an action of 1 stands for, in radians. Default: 0.4189; a number > 0 and <= 1.5.
	MaxSteering float64
	// Acceleration: acceleration that an action of 1 stands for, in length/time². Default: 9.51; a number > 0 and <=
	// 1000000.
	Acceleration float64
	// Braking: deceleration that an action of -1 stands for, in length/time². Default: 9.51; a number > 0 and <= 1000000.
	Braking float64
}

// fields describes every field of Config. The car is that of package vehicle.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Pure pursuit"}}, "", []config.Field[Config]{
	{Name: "agents", Default: 1, Min: 1, Max: maxAgents, Doc: "agents in each env, A"},

	{Name: "lookahead_time", Default: 0.25, Max: maxNumber,
		Doc: "time in which the car would reach the target; its way is the lookahead"},
	{Name: "min_lookahead", Unit: config.Length, Default: 0.6, MinOpen: true, Max: maxNumber,
		Doc: "shortest way along the line to the target"},
	{Name: "max_lookahead", Unit: config.Length, Default: 3.0, MinOpen: true, Max: maxNumber,
		Doc: "longest way along the line to the target"},

	{Name: "preview_time", Default: 0.1, Max: maxNumber, Doc: "time ahead at which the speed of the profile is wanted"},
	{Name: "speed_factor", Default: 1.0, MinOpen: true, Max: maxNumber,
		Doc: "part of the speed of the profile that is wanted"},
	{Name: "gain", Default: 5.0, MinOpen: true, Max: maxNumber,
		Doc: "acceleration for each unit of speed that is missing, in 1/time"},
	{Name: "lateral_acceleration", Default: 0.0, Max: maxNumber,
		Doc: "acceleration across the car that the arc to the target may need, in length/time²; 0 leaves the speed to " +
			"the profile"},

	{Name: "wheelbase", Unit: config.Length, Default: 0.3302, MinOpen: true, Max: maxNumber,
		Doc: "distance of the axles"},
	{Name: "rear_axle", Unit: config.Length, Default: 0.17145, Max: maxNumber,
		Doc: "distance from the rear axle to the position of the car, which is in front of it"},
	{Name: "max_steering", Default: 0.4189, MinOpen: true, Max: 1.5,
		Doc: "angle of steering that an action of 1 stands for, in radians"},
	{Name: "acceleration", Default: 9.51, MinOpen: true, Max: maxNumber,
		Doc: "acceleration that an action of 1 stands for, in length/time²"},
	{Name: "braking", Default: 9.51, MinOpen: true, Max: maxNumber,
		Doc: "deceleration that an action of -1 stands for, in length/time²"},
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

// Validate checks every field against its range, and the lookaheads against each other. The error joins one
// *ConfigError for each mistake, in the order of Fields. Agents may be 0, for 1.
func (c Config) Validate() error {
	c = c.resolved()
	wrong := fields.Check(c)
	if len(wrong) == 0 && c.MaxLookahead < c.MinLookahead {
		wrong = append(wrong, &ConfigError{Field: "max_lookahead", Value: config.Shortest(c.MaxLookahead),
			Allowed: "at least min_lookahead, " + config.Shortest(c.MinLookahead)})
	}
	return errors.Join(wrong...)
}

// resolved returns the configuration with 1 in the place of 0 agents.
func (c Config) resolved() Config {
	if c.Agents == 0 {
		c.Agents = 1
	}
	return c
}

// checkAgents refuses more agents than an array may have.
func (c Config) checkAgents(envs int) error {
	if int64(envs)*int64(c.Agents)*channels <= exec.MaxElements {
		return nil
	}
	return &ConfigError{Field: "agents", Value: fmt.Sprint(c.Agents),
		Allowed: fmt.Sprintf("one with at most %d agents in all %d envs", int64(exec.MaxElements)/channels, envs)}
}
