package preview

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
)

// Frames of Config.Frame and GateConfig.Frame.
const (
	// Level is upright: x is the heading of the agent in plan view, z is up. It is that of cars.
	Level = "level"
	// Body is that of the body of the agent, with its full attitude. It is that of drones.
	Body = "body"
)

// Limits of settings.
const (
	maxAgents   = 1 << 20
	maxPlaces   = 4096
	maxDistance = 1e6
	maxScale    = 1e6
	maxWindow   = 1 << 20
)

// Config has the settings of a Preview. Make one with DefaultConfig and change fields of it.
type Config struct {
	// Agents is the number of agents in each env, A: a whole number >= 1 and <= 1048576, or 0 for 1.
	Agents int
	// Distances are those of the places from the agent, along the line: K = 1 to 4096 numbers of at most 1000000 in
	// magnitude, in track units. Those below 0 are behind. EvenDistances makes a list.
	Distances []float64
	// Channels names the values of each place, C of them, in the order of the last axis of the observations. Channels()
	// lists all.
	Channels []string
	// Frame is Level or Body; "" is Level.
	Frame string
	// LengthScale multiplies all lengths, CurvatureScale curvatures and SpeedScale speeds, to normalise them: numbers > 0
	// and <= 1000000, or 0 for 1.
	LengthScale, CurvatureScale, SpeedScale float64
	// CurvatureWindow is the window of the mean of a curvature that a refresh measures (C-85): a whole number >= 0 and
	// <= 1048576. It does not count where the source has a curvature.
	CurvatureWindow int
}

// DefaultConfig returns a configuration of 20 places, half a track unit apart, with the points of the centreline and
// of both borders in plan view, and the curvature.
func DefaultConfig() Config {
	return Config{Agents: 1, Distances: EvenDistances(20, 0.5), Channels: []string{CenterX, CenterY, LeftX, LeftY, RightX,
		RightY, Curvature}, Frame: Level, LengthScale: 1, CurvatureScale: 1, SpeedScale: 1, CurvatureWindow: 2}
}

// EvenDistances returns places distances: spacing, 2*spacing, and so on.
func EvenDistances(places int, spacing float64) []float64 {
	list := make([]float64, max(places, 0))
	for i := range list {
		list[i] = spacing * float64(i+1)
	}
	return list
}

// Validate checks every field. The error joins one *ConfigError for each mistake.
func (c Config) Validate() error {
	wrong := []error{checkAgents(c.Agents), checkDistances(c.Distances), checkChannels(c.Channels, channels),
		checkFrame(c.Frame), checkScale("length_scale", c.LengthScale), checkScale("curvature_scale", c.CurvatureScale),
		checkScale("speed_scale", c.SpeedScale)}
	if c.CurvatureWindow < 0 || c.CurvatureWindow > maxWindow {
		wrong = append(wrong, &ConfigError{Field: "curvature_window", Value: fmt.Sprint(c.CurvatureWindow),
			Allowed: fmt.Sprintf("a whole number >= 0 and <= %d", maxWindow)})
	}
	return errors.Join(wrong...)
}

// resolved returns the configuration with defaults in the place of zeros, and lists of its own.
func (c Config) resolved() Config {
	c.Agents = max(c.Agents, 1)
	c.Distances, c.Channels = slices.Clone(c.Distances), slices.Clone(c.Channels)
	if c.Frame == "" {
		c.Frame = Level
	}
	c.LengthScale, c.CurvatureScale, c.SpeedScale = orOne(c.LengthScale), orOne(c.CurvatureScale), orOne(c.SpeedScale)
	return c
}

// GateConfig has the settings of Gates. Make one with DefaultGateConfig and change fields of it.
type GateConfig struct {
	// Agents is the number of agents in each env, A: a whole number >= 1 and <= 1048576, or 0 for 1.
	Agents int
	// Gates is the number of gates that an agent sees, K: a whole number >= 1 and <= 4096. A course of fewer begins again.
	Gates int
	// Channels names the values of each gate, C of them, in the order of the last axis of the observations. GateChannels
	// lists all.
	Channels []string
	// Frame is Level or Body; "" is Level.
	Frame string
	// LengthScale multiplies all lengths, to normalise them: a number > 0 and <= 1000000, or 0 for 1.
	LengthScale float64
}

// DefaultGateConfig returns a configuration of 3 gates, with their middles, directions and half sizes in the frame of
// the body.
func DefaultGateConfig() GateConfig {
	return GateConfig{Agents: 1, Gates: 3, Channels: []string{GateX, GateY, GateZ, ForwardX, ForwardY, ForwardZ, HalfSize},
		Frame: Body, LengthScale: 1}
}

// Validate checks every field. The error joins one *ConfigError for each mistake.
func (c GateConfig) Validate() error {
	wrong := []error{checkAgents(c.Agents), checkChannels(c.Channels, gateChannels), checkFrame(c.Frame),
		checkScale("length_scale", c.LengthScale)}
	if c.Gates < 1 || c.Gates > maxPlaces {
		wrong = append(wrong, &ConfigError{Field: "gates", Value: fmt.Sprint(c.Gates),
			Allowed: fmt.Sprintf("a whole number >= 1 and <= %d", maxPlaces)})
	}
	return errors.Join(wrong...)
}

// resolved returns the configuration with defaults in the place of zeros, and a list of its own.
func (c GateConfig) resolved() GateConfig {
	c.Agents, c.Channels = max(c.Agents, 1), slices.Clone(c.Channels)
	if c.Frame == "" {
		c.Frame = Level
	}
	c.LengthScale = orOne(c.LengthScale)
	return c
}

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

func checkAgents(n int) error {
	if n >= 0 && n <= maxAgents {
		return nil
	}
	return &ConfigError{Field: "agents", Value: fmt.Sprint(n),
		Allowed: fmt.Sprintf("a whole number >= 1 and <= %d, or 0 for 1", maxAgents)}
}

func checkDistances(list []float64) error {
	if len(list) == 0 || len(list) > maxPlaces {
		return &ConfigError{Field: "distances", Value: fmt.Sprintf("of %d places", len(list)),
			Allowed: fmt.Sprintf("a list of 1 to %d numbers", maxPlaces)}
	}
	for i, d := range list {
		if !(math.Abs(d) <= maxDistance) {
			return &ConfigError{Field: fmt.Sprintf("distances[%d]", i), Value: config.Text(d),
				Allowed: fmt.Sprintf("a number >= %d and <= %d", -int(maxDistance), int(maxDistance))}
		}
	}
	return nil
}

func checkFrame(frame string) error {
	switch frame {
	case "", Level, Body:
		return nil
	}
	return &ConfigError{Field: "frame", Value: fmt.Sprintf("%q", frame), Allowed: "one of " + Level + ", " + Body}
}

func checkScale(field string, scale float64) error {
	if scale == 0 || scale >= math.SmallestNonzeroFloat32 && scale <= maxScale {
		return nil
	}
	return &ConfigError{Field: field, Value: config.Text(scale),
		Allowed: fmt.Sprintf("a number > 0 and <= %d, or 0 for 1", int(maxScale))}
}

func orOne(scale float64) float64 {
	if scale == 0 {
		return 1
	}
	return scale
}

// CheckLines refuses channels that lines without borders do not have, such as those through gates.
func (c Config) CheckLines() error {
	for _, name := range c.Channels {
		if slices.Contains(borderChannels, name) {
			return &ConfigError{Field: "channels", Value: fmt.Sprint(c.Channels),
				Allowed: "those of a line without borders: not " + name}
		}
	}
	return nil
}

// ValidateFor is Validate, and refuses observations of more elements than an array may have with a number of envs >= 1.
func (c Config) ValidateFor(envs int) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return checkRoom("agents", envs, max(c.Agents, 1), len(c.Distances), len(c.Channels))
}

// ValidateFor is Validate, and refuses observations of more elements than an array may have with a number of envs >= 1.
func (c GateConfig) ValidateFor(envs int) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return checkRoom("agents", envs, max(c.Agents, 1), c.Gates, len(c.Channels))
}

// checkRoom refuses observations of more elements than an array may have.
func checkRoom(field string, envs, agents, places, values int) error {
	perAgent := int64(places) * int64(values)
	if int64(envs)*int64(agents)*perAgent <= exec.MaxElements {
		return nil
	}
	return &ConfigError{Field: field, Value: fmt.Sprint(agents),
		Allowed: fmt.Sprintf("at most %d agents in all %d envs, for %d places of %d channels",
			exec.MaxElements/perAgent, envs, places, values)}
}
