package flight

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
)

const (
	maxNumber = 1e6
	maxAgents = 1 << 20

	// channels is the number of actions of a drone: thrust and three rates.
	channels = 4
)

// Config has the settings of a controller. Make one with DefaultConfig, whose drone is that of package vehicle, and
// change fields of it. Lengths are in track units, which are metres for the parameters of the drone.
type Config struct {
	// Agents: agents in each env, A. Default: 1; a whole number >= 1 and <= 1048576.
	Agents int

	// LookaheadTime: time ahead over which the bend of the line counts, and at which the speed is wanted. Default: 0.15; a
	// number >= 0 and <= 1000000.
	LookaheadTime float64
	// MinLookahead: shortest way along the line to the place that counts. Default: 0.3; a number > 0 and <= 1000000.
	MinLookahead float64
	// Corridor: distance from the line at which half of the speed is wanted. Default: 1; a number > 0 and <= 1000000.
	Corridor float64
	// SpeedFactor: part of the speed of the profile that is wanted. Default: 1; a number > 0 and <= 1000000.
	SpeedFactor float64
	// MinSpeed: lowest speed on the line, with which a drone gets over points where a line turns around. Default: 1; a
	// number >= 0 and <= 1000000.
	MinSpeed float64

	// SpeedGain: acceleration along the line for each unit of speed that is missing, in 1/time. Default: 3; a number > 0
	// and <= 1000000.
	SpeedGain float64
	// MoveGain: acceleration against each unit of speed across the line, in 1/time. Default: 6.5; a number >= 0 and <=
	// 1000000.
	MoveGain float64
	// PlaceGain: acceleration to the line for each unit of distance from it, in 1/time². Default: 12; a number >= 0 and
	// <= 1000000.
	PlaceGain float64
	// AttitudeGain: rate for each radian between the thrust and the one wanted, in 1/time. Default: 12; a number >= 0
	// and <= 1000000.
	AttitudeGain float64
	// HeadingGain: rate about the z axis for each radian between the x axis and the line, in 1/time. Default: 3; a
	// number >= 0 and <= 1000000.
	HeadingGain float64

	// Acceleration: highest acceleration along the line for a speed that is too low, in length/time². Default: 10; a
	// number >= 0 and <= 1000000.
	Acceleration float64
	// Braking: highest deceleration along the line for a speed that is too high, in length/time². Default: 10; a number
	// >= 0 and <= 1000000.
	Braking float64
	// Correction: highest acceleration to the line for a distance from it, in length/time². Default: 10; a number >= 0
	// and <= 1000000.
	Correction float64
	// MaxTilt: largest angle between the thrust and the vertical, in radians. Default: 1.2; a number > 0 and <= 1.5.
	MaxTilt float64

	// Mass: mass of the drone in kg. Default: 0.752; a number > 0 and <= 1000000.
	Mass float64
	// ThrustMax: collective thrust that an action of 1 stands for, in N. Default: 49; a number > 0 and <= 1000000.
	ThrustMax float64
	// TiltRate: rate about the axes x and y that an action of 1 stands for, in rad/s. Default: 10; a number > 0 and <=
	// 1000000.
	TiltRate float64
	// TurnRate: rate about the z axis that an action of 1 stands for, in rad/s. Default: 4; a number > 0 and <= 1000000.
	TurnRate float64
	// DragSide: drag across the z axis, in N s/m. Default: 0.52; a number >= 0 and <= 1000000.
	DragSide float64
	// DragUp: drag along the z axis, in N s/m. Default: 1.01; a number >= 0 and <= 1000000.
	DragUp float64
}

// fields describes every field of Config.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Flight"}}, "", []config.Field[Config]{
	{Name: "agents", Default: 1, Min: 1, Max: maxAgents, Doc: "agents in each env, A"},

	{Name: "lookahead_time", Default: 0.15, Max: maxNumber,
		Doc: "time ahead over which the bend of the line counts, and at which the speed is wanted"},
	{Name: "min_lookahead", Unit: config.Length, Default: 0.3, MinOpen: true, Max: maxNumber,
		Doc: "shortest way along the line to the place that counts"},
	{Name: "corridor", Unit: config.Length, Default: 1.0, MinOpen: true, Max: maxNumber,
		Doc: "distance from the line at which half of the speed is wanted"},
	{Name: "speed_factor", Default: 1.0, MinOpen: true, Max: maxNumber,
		Doc: "part of the speed of the profile that is wanted"},
	{Name: "min_speed", Default: 1.0, Max: maxNumber,
		Doc: "lowest speed on the line, with which a drone gets over points where a line turns around"},

	{Name: "speed_gain", Default: 3.0, MinOpen: true, Max: maxNumber,
		Doc: "acceleration along the line for each unit of speed that is missing, in 1/time"},
	{Name: "move_gain", Default: 6.5, Max: maxNumber,
		Doc: "acceleration against each unit of speed across the line, in 1/time"},
	{Name: "place_gain", Default: 12.0, Max: maxNumber,
		Doc: "acceleration to the line for each unit of distance from it, in 1/time²"},
	{Name: "attitude_gain", Default: 12.0, Max: maxNumber,
		Doc: "rate for each radian between the thrust and the one wanted, in 1/time"},
	{Name: "heading_gain", Default: 3.0, Max: maxNumber,
		Doc: "rate about the z axis for each radian between the x axis and the line, in 1/time"},

	{Name: "acceleration", Default: 10.0, Max: maxNumber,
		Doc: "highest acceleration along the line for a speed that is too low, in length/time²"},
	{Name: "braking", Default: 10.0, Max: maxNumber,
		Doc: "highest deceleration along the line for a speed that is too high, in length/time²"},
	{Name: "correction", Default: 10.0, Max: maxNumber,
		Doc: "highest acceleration to the line for a distance from it, in length/time²"},
	{Name: "max_tilt", Default: 1.2, MinOpen: true, Max: 1.5,
		Doc: "largest angle between the thrust and the vertical, in radians"},

	{Name: "mass", Default: 0.752, MinOpen: true, Max: maxNumber, Doc: "mass of the drone in kg"},
	{Name: "thrust_max", Default: 49.0, MinOpen: true, Max: maxNumber,
		Doc: "collective thrust that an action of 1 stands for, in N"},
	{Name: "tilt_rate", Default: 10.0, MinOpen: true, Max: maxNumber,
		Doc: "rate about the axes x and y that an action of 1 stands for, in rad/s"},
	{Name: "turn_rate", Default: 4.0, MinOpen: true, Max: maxNumber,
		Doc: "rate about the z axis that an action of 1 stands for, in rad/s"},
	{Name: "drag_side", Default: 0.52, Max: maxNumber, Doc: "drag across the z axis, in N s/m"},
	{Name: "drag_up", Default: 1.01, Max: maxNumber, Doc: "drag along the z axis, in N s/m"},
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

// checkAgents refuses more agents than an array may have.
func (c Config) checkAgents(envs int) error {
	if int64(envs)*int64(c.Agents)*channels <= exec.MaxElements {
		return nil
	}
	return &ConfigError{Field: "agents", Value: fmt.Sprint(c.Agents),
		Allowed: fmt.Sprintf("one with at most %d agents in all %d envs", int64(exec.MaxElements)/channels, envs)}
}
