package race

import (
	"errors"
	"slices"
	"strings"

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
	return errors.Join(wrong, c.checkParts(s.Gates != nil, envsOfSource(s)))
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

// envsOfSource returns the number of envs of a batch of the caller.
func envsOfSource(s course.Source) int {
	if s.Gates != nil {
		return s.Gates.Envs
	}
	return s.Tracks.Envs
}

// checkParts checks all but the course.
func (c Config) checkParts(ofGates bool, envs int) error {
	envs = max(envs, 1)
	of := c.filled(envs)
	wrong := []error{of.Vehicle.Validate(), of.Spawn.ValidateFor(envs), of.Reward.ValidateFor(envs), of.Speed.Validate()}
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
	wrong = append(wrong, c.checkObserve())
	follow, _ := fields.Named("follow")
	wrong = append(wrong, follow.Check(c), of.Raceline.Validate())
	if c.Follow == Racing && (ofGates || c.Vehicle.Model == vehicle.Drone) {
		wrong = append(wrong, &ConfigError{Field: "follow", Value: Racing,
			Allowed: Centre + " for gates and drones: a racing line is one of cars on roads"})
	}
	if of.Preview != nil {
		wrong = append(wrong, of.Preview.ValidateFor(envs))
		if ofGates {
			wrong = append(wrong, of.Preview.CheckLines())
		}
	}
	if of.Rangefinder != nil {
		wrong = append(wrong, of.Rangefinder.ValidateFor(envs))
	}
	if of.Gates != nil {
		wrong = append(wrong, of.Gates.ValidateFor(envs))
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
	c.Observe.Motion = slices.Clone(c.Observe.Motion)
	c.Observe.Distances, c.Observe.Channels = slices.Clone(c.Observe.Distances), slices.Clone(c.Observe.Channels)
	if c.Preview == nil && (c.Observe.Places > 0 || len(c.Observe.Distances) > 0) {
		ahead := c.Observe.ahead(c.Vehicle.Model)
		c.Preview = &ahead
	}
	if c.Gates == nil && c.Observe.Gates > 0 {
		next := preview.DefaultGateConfig()
		next.Gates, next.LengthScale, c.Gates = c.Observe.Gates, c.Observe.LengthScale, &next
	}
	if c.Rangefinder == nil && c.Observe.Beams > 0 {
		beams := rangefinder.DefaultConfig()
		beams.Beams, beams.Range, c.Rangefinder = c.Observe.Beams, c.Observe.Range, &beams
	}
	return c
}

// ahead returns what agents of a model see of the way ahead.
func (c ObserveConfig) ahead(model string) preview.Config {
	ahead := preview.DefaultConfig()
	ahead.Distances = c.Distances
	if len(c.Distances) == 0 {
		ahead.Distances = preview.EvenDistances(c.Places, c.Spacing)
	}
	ahead.LengthScale, ahead.CurvatureScale, ahead.SpeedScale = c.LengthScale, c.CurvatureScale, c.SpeedScale
	switch {
	case len(c.Channels) > 0:
		ahead.Channels = c.Channels
	case model == vehicle.Drone:
		ahead.Channels = []string{preview.CenterX, preview.CenterY, preview.CenterZ, preview.Speed}
	}
	return ahead
}

// checkObserve refuses observations that do not fit each other or the vehicles.
func (c Config) checkObserve() error {
	var wrong []error
	o := c.Observe
	if c.Preview == nil && o.Places > 0 && len(o.Distances) > 0 {
		wrong = append(wrong, &ConfigError{Field: "observe.distances", Value: config.Text(o.Distances),
			Allowed: "[] with observe.places: one of them says where the places are"})
	}
	if c.Preview == nil && len(o.Channels) > 0 && o.Places == 0 && len(o.Distances) == 0 {
		wrong = append(wrong, &ConfigError{Field: "observe.channels", Value: config.Text(o.Channels),
			Allowed: "[] without observe.places and observe.distances: there is no place to see"})
	}
	allowed := MotionChannels(c.Vehicle.Model)
	for _, name := range o.Motion {
		if slices.Contains(allMotionChannels(), name) && !slices.Contains(allowed, name) {
			wrong = append(wrong, &ConfigError{Field: "observe.motion", Value: config.Text(o.Motion),
				Allowed: "for the model " + c.Vehicle.Model + " of " + strings.Join(allowed, ", ")})
			break
		}
	}
	of := c.observed()
	if o.Vector && len(o.Motion) == 0 && of.Preview == nil && of.Gates == nil && of.Rangefinder == nil {
		wrong = append(wrong, &ConfigError{Field: "observe.vector", Value: "true", Allowed: "false without observations"})
	}
	return errors.Join(wrong...)
}
