package reward

import (
	"errors"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/reward"
)

// Config has the settings of a judge. Make one with DefaultConfig and change fields of it.
type Config struct {
	// Agents: agents in each env, A. Default: 1; a whole number >= 1 and <= 1024.
	Agents int
	// Channels: numbers of an action, C; 0 if actions do not count. Default: 0; a whole number >= 0 and <= 64.
	Channels int
	// TimeStep: seconds between two updates. Default: 0.02; a number > 0 and <= 60.
	TimeStep float64
	// BackwardSpeed: speed along the line, in track units per second, above which an agent that moves against it goes the
	// wrong way. Default: 0.05; a number >= 0 and <= 1000000.
	BackwardSpeed float64
	// NearDistance: distance from a border below which an agent is near it. Default: 0; a number >= 0 and <= 1000000.
	NearDistance float64
	// Walls: whether the borders are walls, so that an agent that leaves the road collides. Default: false; true or false.
	Walls bool

	Weights WeightsConfig
	Ends    EndsConfig
}

// WeightsConfig has the weights of the terms of a reward. The terms are not negative but for progress, so what is to be
// avoided has a negative weight. A term whose weight is 0 is computed all the same, if its inputs are bound.
type WeightsConfig struct {
	// Progress: per track unit of progress along the line. Default: 1; a number >= -1000000 and <= 1000000.
	Progress float64
	// Passed: per checkpoint passed. Default: 0; a number >= -1000000 and <= 1000000.
	Passed float64
	// Lap: per complete lap. Default: 0; a number >= -1000000 and <= 1000000.
	Lap float64
	// WrongWay: per second against the line. Default: 0; a number >= -1000000 and <= 1000000.
	WrongWay float64
	// OffRoad: per second off the road. Default: 0; a number >= -1000000 and <= 1000000.
	OffRoad float64
	// Collision: per contact that begins. Default: 0; a number >= -1000000 and <= 1000000.
	Collision float64
	// Smoothness: per squared change of the actions in a step. Default: 0; a number >= -1000000 and <= 1000000.
	Smoothness float64
	// Lateral: per track unit beside the line, for a second. Default: 0; a number >= -1000000 and <= 1000000.
	Lateral float64
	// Travel: per track unit that the agent moves in space. Default: 0; a number >= -1000000 and <= 1000000.
	Travel float64
	// NearBorder: per track unit by which the agent is nearer to a border than near_distance, for a second. Default: 0; a
	// number >= -1000000 and <= 1000000.
	NearBorder float64
	// Failure: per episode that ends off the road, the wrong way, stuck or by a collision. Default: 0; a number >=
	// -1000000 and <= 1000000.
	Failure float64
}

// EndsConfig has the limits that end an episode.
type EndsConfig struct {
	// OffRoad: whether an episode ends off the road. Default: false; true or false.
	OffRoad bool
	// OffRoadTime: seconds in a row off the road after which it ends. Default: 0: at once; a number > 0 and <= 1000000, or
	// 0 for the default.
	OffRoadTime float64
	// WrongWayTime: seconds in a row against the line after which an episode ends. Default: 0: never; a number > 0 and <=
	// 1000000, or 0 for the default.
	WrongWayTime float64
	// StuckTime: seconds without the progress of stuck_progress after which an episode ends. Default: 0: never; a number >
	// 0 and <= 1000000, or 0 for the default.
	StuckTime float64
	// StuckProgress: progress along the line that an agent must make within stuck_time. Default: 0.1; a number > 0 and <=
	// 1000000.
	StuckProgress float64
	// Collision: whether a contact ends an episode. Default: false; true or false.
	Collision bool
	// Laps: laps that end an episode. Default: 0: never; a whole number > 0 and <= 1000000, or 0 for the default.
	Laps int
	// MaxSteps: steps after which an episode is cut off. Default: 0: never; a whole number > 0 and <= 2000000000, or 0 for
	// the default.
	MaxSteps int
	// MaxTime: seconds after which an episode is cut off. Default: 0: never; a number > 0 and <= 1000000, or 0 for the
	// default.
	MaxTime float64
	// Env: whether an env is done when all of its agents have ended, or with the first of them. Default: all; one of all,
	// any.
	Env string
	// Paused: whether an env is done while all of its agents are paused, such as one without a track. Default: false; true
	// or false.
	Paused bool
}

// Values of Ends.Env.
const (
	All = "all"
	Any = "any"
)

// Limits of Config.
const (
	maxAgents   = 1024
	maxChannels = 64
	maxNumber   = 1e6
	maxSteps    = 2e9
)

var groups = []config.Group{
	{Name: "", Title: "Steps"},
	{Name: "weights", Title: "Weights"},
	{Name: "ends", Title: "Ends of episodes"},
}

// fields describes every field of Config.
var fields = config.NewTable(groups, "", []config.Field[Config]{
	{Name: "agents", Default: 1, Min: 1, Max: maxAgents, Doc: "agents in each env, A"},
	{Name: "channels", Default: 0, Max: maxChannels, Doc: "numbers of an action, C; 0 if actions do not count"},
	{Name: "time_step", Default: 0.02, MinOpen: true, Max: 60, Doc: "seconds between two updates"},
	{Name: "backward_speed", Default: 0.05, Max: maxNumber, Unit: config.Length,
		Doc: "speed along the line, in track units per second, above which an agent that moves against it goes the wrong " +
			"way"},
	{Name: "near_distance", Default: 0.0, Max: maxNumber, Unit: config.Length,
		Doc: "distance from a border below which an agent is near it"},
	{Name: "walls", Default: false, Doc: "whether the borders are walls, so that an agent that leaves the road collides"},

	weight("progress", 1, "per track unit of progress along the line"),
	weight("passed", 0, "per checkpoint passed"),
	weight("lap", 0, "per complete lap"),
	weight("wrong_way", 0, "per second against the line"),
	weight("off_road", 0, "per second off the road"),
	weight("collision", 0, "per contact that begins"),
	weight("smoothness", 0, "per squared change of the actions in a step"),
	weight("lateral", 0, "per track unit beside the line, for a second"),
	weight("travel", 0, "per track unit that the agent moves in space"),
	weight("near_border", 0, "per track unit by which the agent is nearer to a border than near_distance, for a second"),
	weight("failure", 0, "per episode that ends off the road, the wrong way, stuck or by a collision"),

	{Name: "ends.off_road", Default: false, Doc: "whether an episode ends off the road"},
	{Name: "ends.off_road_time", Derived: "at once", MinOpen: true, Max: maxNumber,
		Doc: "seconds in a row off the road after which it ends"},
	{Name: "ends.wrong_way_time", Derived: "never", MinOpen: true, Max: maxNumber,
		Doc: "seconds in a row against the line after which an episode ends"},
	{Name: "ends.stuck_time", Derived: "never", MinOpen: true, Max: maxNumber,
		Doc: "seconds without the progress of stuck_progress after which an episode ends"},
	{Name: "ends.stuck_progress", Default: 0.1, MinOpen: true, Max: maxNumber, Unit: config.Length,
		Doc: "progress along the line that an agent must make within stuck_time"},
	{Name: "ends.collision", Default: false, Doc: "whether a contact ends an episode"},
	{Name: "ends.laps", Derived: "never", MinOpen: true, Max: maxNumber, Doc: "laps that end an episode"},
	{Name: "ends.max_steps", Derived: "never", MinOpen: true, Max: maxSteps,
		Doc: "steps after which an episode is cut off"},
	{Name: "ends.max_time", Derived: "never", MinOpen: true, Max: maxNumber,
		Doc: "seconds after which an episode is cut off"},
	{Name: "ends.env", Default: All, Choices: []string{All, Any},
		Doc: "whether an env is done when all of its agents have ended, or with the first of them"},
	{Name: "ends.paused", Default: false,
		Doc: "whether an env is done while all of its agents are paused, such as one without a track"},
})

// weight returns the field of a weight.
func weight(name string, standard float64, doc string) config.Field[Config] {
	return config.Field[Config]{Name: "weights." + name, Default: standard, Min: -maxNumber, Max: maxNumber, Doc: doc}
}

// Field describes a field of a Config: see package config.
type Field = config.Field[Config]

// Fields lists the fields in the order of the documentation.
func Fields() []Field { return fields.Fields() }

// DefaultConfig returns the configuration with every field at its default: the reward is the progress along the line,
// and nothing ends an episode.
func DefaultConfig() Config { return fields.Default() }

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

// Validate checks every field against its range. The error joins one *ConfigError for each mistake, in the order of
// Fields. Agents may be 0, for 1.
func (c Config) Validate() error {
	c = c.resolved()
	wrong := fields.Check(c)
	if len(wrong) == 0 {
		wrong = c.checkTimes()
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

// checkTimes refuses times of more steps than can be counted.
func (c Config) checkTimes() (wrong []error) {
	for _, t := range []struct {
		name    string
		seconds float64
	}{
		{"ends.off_road_time", c.Ends.OffRoadTime}, {"ends.wrong_way_time", c.Ends.WrongWayTime},
		{"ends.stuck_time", c.Ends.StuckTime}, {"ends.max_time", c.Ends.MaxTime},
	} {
		if t.seconds/c.TimeStep > maxSteps {
			wrong = append(wrong, &ConfigError{Field: t.name, Value: config.Shortest(t.seconds),
				Allowed: fmt.Sprintf("at most %d steps of %s seconds", int(maxSteps), config.Shortest(c.TimeStep))})
		}
	}
	return wrong
}

// ValidateFor is Validate, and refuses more agents than the arrays may have columns, or channels, for with a number of
// envs >= 1.
func (c Config) ValidateFor(envs int) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return c.resolved().checkRoom(envs)
}

// checkRoom refuses more agents than the arrays may have columns, or channels, for.
func (c Config) checkRoom(envs int) error {
	if int64(envs)*int64(c.Agents)*reward.Floats > exec.MaxElements {
		return &ConfigError{Field: "agents", Value: fmt.Sprint(c.Agents),
			Allowed: fmt.Sprintf("at most %d for %d envs", int64(exec.MaxElements)/reward.Floats/int64(envs), envs)}
	}
	if int64(envs)*int64(c.Agents)*int64(c.Channels) > exec.MaxElements {
		return &ConfigError{Field: "channels", Value: fmt.Sprint(c.Channels),
			Allowed: fmt.Sprintf("at most %d for %d agents", exec.MaxElements/(envs*c.Agents), envs*c.Agents)}
	}
	return nil
}

// settings returns the settings of the kernels.
func (c Config) settings() []float32 {
	w := c.Weights
	s := make([]float32, reward.Settings)
	for k, x := range map[int]float64{
		reward.Progress: w.Progress, reward.Passed: w.Passed, reward.Lap: w.Lap, reward.WrongWay: w.WrongWay,
		reward.OffRoad: w.OffRoad, reward.Collision: w.Collision, reward.Smoothness: w.Smoothness,
		reward.Lateral: w.Lateral, reward.Travel: w.Travel, reward.NearBorder: w.NearBorder, reward.Failure: w.Failure,
		reward.TimeStep: c.TimeStep, reward.BackwardSpeed: c.BackwardSpeed, reward.StuckProgress: c.Ends.StuckProgress,
		reward.NearDistance: c.NearDistance,
	} {
		s[k] = float32(x)
	}
	return s
}

// rules returns the limits of the kernels.
func (c Config) rules() reward.Rules {
	e := c.Ends
	r := reward.Rules{WrongWay: c.steps(e.WrongWayTime), Stuck: c.steps(e.StuckTime), Laps: int32(e.Laps),
		Steps: int32(e.MaxSteps)}
	if e.OffRoad {
		r.OffRoad = max(1, c.steps(e.OffRoadTime))
	}
	if n := c.steps(e.MaxTime); n > 0 && (r.Steps == 0 || n < r.Steps) {
		r.Steps = n
	}
	for bit, set := range map[int32]bool{reward.ByCollision: e.Collision, reward.Walls: c.Walls,
		reward.ByAny: e.Env == Any, reward.ByPause: e.Paused} {
		if set {
			r.Bits |= bit
		}
	}
	return r
}

// steps returns the least number of steps that take a time; 0 for 0. A time that differs from a whole number of steps
// by rounding errors alone takes that number.
func (c Config) steps(seconds float64) int32 {
	return int32(math.Ceil(seconds / c.TimeStep * (1 - 1e-9)))
}
