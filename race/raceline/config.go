package raceline

import (
	"errors"

	"github.com/trackgen-go/trackgen/config"
)

const (
	maxNumber = 1e6

	// maxRounds bounds the work. After some 30 rounds a line no longer changes.
	maxRounds = 100
)

// Config has the settings of racing lines. Make one with DefaultConfig, whose car is a point with the limits of a small
// race car in metres and seconds, and change fields of it. Lengths are in track units.
type Config struct {
	// CarWidth: width of the car, which stays within the borders. Default: 0; a number >= 0 and <= 1000000.
	CarWidth float64
	// Margin: what stays free between the car and a border. Default: 0; a number >= 0 and <= 1000000.
	Margin float64
	// LateralAcceleration: highest acceleration across the line, in length/time². Default: 5; a number > 0 and <= 1000000.
	LateralAcceleration float64
	// Acceleration: highest acceleration along a straight, in length/time². Default: 3; a number >= 0 and <= 1000000.
	Acceleration float64
	// Braking: highest deceleration along a straight, in length/time². Default: 5; a number >= 0 and <= 1000000.
	Braking float64
	// MaxSpeed: highest speed, in length/time. Default: 10; a number > 0 and <= 1000000.
	MaxSpeed float64
	// Power: power of the engine by the mass of the car, in length²/time³; 0 is no limit. Default: 0; a number >= 0 and <=
	// 1000000.
	Power float64
	// Rounds: steps of the optimisation. Default: 20; a whole number >= 1 and <= 100.
	Rounds int
}

// fields describes every field of Config.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Racing line"}}, "", []config.Field[Config]{
	{Name: "car_width", Default: 0.0, Max: maxNumber, Doc: "width of the car, which stays within the borders"},
	{Name: "margin", Default: 0.0, Max: maxNumber, Doc: "what stays free between the car and a border"},
	{Name: "lateral_acceleration", Default: 5.0, MinOpen: true, Max: maxNumber,
		Doc: "highest acceleration across the line, in length/time²"},
	{Name: "acceleration", Default: 3.0, Max: maxNumber,
		Doc: "highest acceleration along a straight, in length/time²"},
	{Name: "braking", Default: 5.0, Max: maxNumber, Doc: "highest deceleration along a straight, in length/time²"},
	{Name: "max_speed", Default: 10.0, MinOpen: true, Max: maxNumber, Doc: "highest speed, in length/time"},
	{Name: "power", Default: 0.0, Max: maxNumber,
		Doc: "power of the engine by the mass of the car, in length²/time³; 0 is no limit"},
	{Name: "rounds", Default: 20, Min: 1, Max: maxRounds, Doc: "steps of the optimisation"},
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

// clearance returns what stays free between the line and a border.
func (c Config) clearance() float32 { return float32(c.CarWidth/2 + c.Margin) }
