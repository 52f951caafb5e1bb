package race

import (
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/rangefinder"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

// Validate checks every field against its range and the parts against one another. The error joins one *ConfigError
// for each mistake.
func (c Config) Validate() error {
	if err := c.checkMade(); err != nil {
		return err
	}
	return errors.Join(c.Course.Validate(), c.checkParts(c.Course.Gates != nil, envsOf(c.Course)))
}

// validateOver checks a configuration for Over, as far as its course does not.
func (c Config) validateOver(s course.Source) error {
	if err := c.checkMade(); err != nil {
		return err
	}
	var wrong error
	if c.Autoreset == Regenerate {
		wrong = &ConfigError{Field: "autoreset", Value: Regenerate,
			Allowed: Restart + " or " + Never + ": tracks of the caller are not generated"}
	}
	return errors.Join(wrong, c.checkParts(s.Gates != nil, 1))
}

// checkMade refuses a configuration that did not begin with the defaults.
func (c Config) checkMade() error {
	if c.Autoreset != "" || c.Vehicle.Model != "" {
		return nil
	}
	return &ConfigError{Field: "the configuration", Value: "without its defaults",
		Allowed: "one that began as DefaultConfig()"}
}

// envsOf returns the number of envs of a configuration with a generator.
func envsOf(c course.Config) int {
	switch {
	case c.Gates != nil:
		return c.Gates.NumEnvs
	case c.Tracks != nil:
		return c.Tracks.NumEnvs
	}
	return 1
}

// checkParts checks all but the course.
func (c Config) checkParts(ofGates bool, envs int) error {
	of := c.filled(max(envs, 1))
	wrong := []error{of.Vehicle.Validate(), of.Spawn.Validate(), of.Reward.Validate(), of.Speed.Validate()}
	autoreset, _ := fields.Named("autoreset")
	wrong = append(wrong, autoreset.Check(c))
	if c.Course.Boxes != 0 && c.Course.Boxes != c.Course.Agents {
		f, _ := fields.Named("boxes")
		wrong = append(wrong, &ConfigError{Field: "boxes", Value: f.Text(c), Allowed: "0: each vehicle has one box"})
	}
	if !ofGates && !c.Course.Localize.Enabled {
		wrong = append(wrong, &ConfigError{Field: "localize.enabled", Value: "false",
			Allowed: "true: rewards and observations go by the place along the line"})
	}
	if c.Bridges && (ofGates || c.Course.Localize.WarmWindow == 0) {
		wrong = append(wrong, &ConfigError{Field: "bridges", Value: "true",
			Allowed: "false for gates, and without localize.warm_window, with which agents stay on their road"})
	}
	for _, f := range observeFields {
		f, _ := fields.Named(f.Name)
		wrong = append(wrong, f.Check(c))
	}
	follow, _ := fields.Named("follow")
	wrong = append(wrong, follow.Check(c), of.Raceline.Validate())
	if c.Follow == Racing && (ofGates || c.Vehicle.Model == vehicle.Drone) {
		wrong = append(wrong, &ConfigError{Field: "follow", Value: Racing,
			Allowed: Centre + " for gates and drones: a racing line is one of cars on roads"})
	}
	if of.Preview != nil {
		wrong = append(wrong, of.Preview.Validate())
	}
	if of.Rangefinder != nil {
		wrong = append(wrong, of.Rangefinder.Validate())
	}
	if of.Gates != nil {
		wrong = append(wrong, of.Gates.Validate())
		if !ofGates {
			wrong = append(wrong, &ConfigError{Field: "gates", Value: "set", Allowed: "nil for tracks, which have no gates"})
		}
	}
	return errors.Join(wrong...)
}

// filled returns the configuration with what the parts have in common, and with parts of its own.
func (c Config) filled(envs int) Config {
	agents := c.Course.Agents
	c.Vehicle.NumEnvs, c.Vehicle.Agents, c.Vehicle.Seed = envs, agents, 0
	c.Spawn.Agents, c.Spawn.Seed, c.Spawn.Speed = agents, 0, spawn.Range{}
	c.Reward.Agents, c.Reward.TimeStep = agents, c.Vehicle.TimeStep
	c.Reward.Channels = vehicle.Channels(c.Vehicle.Model)
	c.Raceline.CarWidth, c.Raceline.MaxSpeed = c.Vehicle.Car.Width.Max, c.Speed.MaxSpeed
	c.Raceline.LateralAcceleration = c.Speed.LateralAcceleration
	c.Raceline.Acceleration, c.Raceline.Braking = c.Speed.Acceleration, c.Speed.Braking
	c = c.observed()
	if c.Preview != nil {
		of := *c.Preview
		of.Agents, of.Distances, of.Channels = agents, slices.Clone(of.Distances), slices.Clone(of.Channels)
		c.Preview = &of
	}
	if c.Rangefinder != nil {
		of := *c.Rangefinder
		of.Agents, of.Seed = agents, 0
		c.Rangefinder = &of
	}
	if c.Gates != nil {
		of := *c.Gates
		of.Agents, of.Channels = agents, slices.Clone(of.Channels)
		c.Gates = &of
	}
	return c
}

// observed returns the configuration with the observations of Observe, where there are no others.
func (c Config) observed() Config {
	if c.Preview == nil && c.Observe.Places > 0 {
		ahead := preview.DefaultConfig()
		ahead.Distances = preview.EvenDistances(c.Observe.Places, c.Observe.Spacing)
		if c.Vehicle.Model == vehicle.Drone {
			ahead.Channels = []string{preview.CenterX, preview.CenterY, preview.CenterZ, preview.Speed}
		}
		c.Preview = &ahead
	}
	if c.Gates == nil && c.Observe.Gates > 0 {
		next := preview.DefaultGateConfig()
		next.Gates, c.Gates = c.Observe.Gates, &next
	}
	if c.Rangefinder == nil && c.Observe.Beams > 0 {
		beams := rangefinder.DefaultConfig()
		beams.Beams, beams.Range, c.Rangefinder = c.Observe.Beams, c.Observe.Range, &beams
	}
	return c
}
