package spawn

import (
	"errors"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/spawn"
)

// Range is a closed interval [Min, Max].
type Range = config.Range

// Values of Mode.
const (
	Start    = "start"
	Anywhere = "anywhere"
	Grid     = "grid"
)

// Values of Attitude.
const (
	Level   = "level"
	Pitched = "pitched"
)

// Config has the settings of a spawner. Make one with DefaultConfig and change fields of it.
type Config struct {
	// Agents: agents in each env, A. Default: 1; a whole number >= 1 and <= 1024.
	Agents int
	// Seed: seed of env 0 if there are no seeds of a source; env e has the seed after e others. Default: 0; a whole number
	// >= -2147483648 and <= 2147483647.
	Seed int
	// Mode: where agents begin: in front of the start of the line, anywhere along it, or in front of the start on a grid.
	// Default: start; one of start, anywhere, grid.
	Mode string
	// Attitude: whether agents are level, as cars, or look along the line in space. Default: level; one of level, pitched.
	Attitude string
	// Behind: distance from the front of the first agent to the start, with the modes start and grid. Default: 0; a number
	// >= 0 and <= 1000000.
	Behind float64
	// Lateral: range of the offset to the right, in parts of the room on that side. Default: [0, 0]; a pair [min, max]
	// with min <= max, each >= -1 and <= 1.
	Lateral Range
	// Corridor: room on either side of a line without widths. Default: 0; a number >= 0 and <= 1000000.
	Corridor float64
	// Yaw: range of the angle from the direction of the line, counter-clockwise, in radians. Default: [0, 0]; a pair [min,
	// max] with min <= max, each >= -3.141592653589793 and <= 3.141592653589793.
	Yaw Range
	// Height: range of the height above the line. Default: [0, 0]; a pair [min, max] with min <= max, each >= -1000000 and
	// <= 1000000.
	Height Range
	// Speed: range of the speed at the begin, in track units per second. Default: [0, 0]; a pair [min, max] with min <=
	// max, each >= -1000000 and <= 1000000.
	Speed Range
	// Gap: least distance along the line between agents of an env, with the mode anywhere. Default: 0: twice the diagonal
	// of the box of an agent; a number > 0 and <= 1000000, or 0 for the default.
	Gap float64

	Grid GridConfig
}

// GridConfig has the settings of the mode grid.
type GridConfig struct {
	// Columns: agents in each row. Default: 2; a whole number >= 1 and <= 1024.
	Columns int
	// RowSpacing: distance between rows. Default: 0: one and a half lengths of the box of an agent; a number > 0 and <=
	// 1000000, or 0 for the default.
	RowSpacing float64
	// Stagger: how much farther back each column is than the one on its left. Default: 0; a number >= 0 and <= 1000000.
	Stagger float64
	// Spread: part of the room over which the columns are spread evenly. Default: 1; a number >= 0 and <= 1.
	Spread float64
}

// Limits of Config.
const (
	maxAgents = 1024
	maxLength = 1e6
)

// fields describes every field of Config.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Spawn"}, {Name: "grid", Title: "Grid"}}, "",
	[]config.Field[Config]{
		{Name: "agents", Default: 1, Min: 1, Max: maxAgents, Doc: "agents in each env, A"},
		{Name: "seed", Default: 0, Min: math.MinInt32, Max: math.MaxInt32,
			Doc: "seed of env 0 if there are no seeds of a source; env e has the seed after e others"},
		{Name: "mode", Default: Start, Choices: []string{Start, Anywhere, Grid},
			Doc: "where agents begin: in front of the start of the line, anywhere along it, or in front of the start on a grid"},
		{Name: "attitude", Default: Level, Choices: []string{Level, Pitched},
			Doc: "whether agents are level, as cars, or look along the line in space"},
		{Name: "behind", Default: 0.0, Max: maxLength, Unit: config.Length,
			Doc: "distance from the front of the first agent to the start, with the modes start and grid"},
		{Name: "lateral", Default: Range{}, Min: -1, Max: 1,
			Doc: "range of the offset to the right, in parts of the room on that side"},
		{Name: "corridor", Default: 0.0, Max: maxLength, Unit: config.Length,
			Doc: "room on either side of a line without widths"},
		{Name: "yaw", Default: Range{}, Min: -math.Pi, Max: math.Pi, Unit: config.Angle,
			Doc: "range of the angle from the direction of the line, counter-clockwise, in radians"},
		{Name: "height", Default: Range{}, Min: -maxLength, Max: maxLength, Unit: config.Length,
			Doc: "range of the height above the line"},
		{Name: "speed", Default: Range{}, Min: -maxLength, Max: maxLength, Unit: config.Length,
			Doc: "range of the speed at the begin, in track units per second"},
		{Name: "gap", Derived: "twice the diagonal of the box of an agent", MinOpen: true, Max: maxLength,
			Unit: config.Length, Doc: "least distance along the line between agents of an env, with the mode anywhere"},

		{Name: "grid.columns", Default: 2, Min: 1, Max: maxAgents, Doc: "agents in each row"},
		{Name: "grid.row_spacing", Derived: "one and a half lengths of the box of an agent", MinOpen: true, Max: maxLength,
			Unit: config.Length, Doc: "distance between rows"},
		{Name: "grid.stagger", Default: 0.0, Max: maxLength, Unit: config.Length,
			Doc: "how much farther back each column is than the one on its left"},
		{Name: "grid.spread", Default: 1.0, Max: 1, Doc: "part of the room over which the columns are spread evenly"},
	})

// Field describes a field of a Config: see package config.
type Field = config.Field[Config]

// Fields lists the fields in the order of the documentation.
func Fields() []Field { return fields.Fields() }

// DefaultConfig returns the configuration with every field at its default: one agent per env, at rest in front of the
// start.
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

// ValidateFor is Validate, and refuses more agents than the arrays may have columns for with a number of envs >= 1.
func (c Config) ValidateFor(envs int) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return c.resolved().checkRoom(envs)
}

// checkRoom refuses more agents than the arrays may have columns for.
func (c Config) checkRoom(envs int) error {
	if int64(envs)*int64(c.Agents)*spawn.Spots <= exec.MaxElements {
		return nil
	}
	return &ConfigError{Field: "agents", Value: fmt.Sprint(c.Agents),
		Allowed: fmt.Sprintf("at most %d for %d envs", exec.MaxElements/spawn.Spots/envs, envs)}
}

// settings returns the settings of the kernel.
func (c Config) settings() []float32 {
	s := make([]float32, spawn.Settings)
	for k, x := range map[int]float64{
		spawn.LateralMin: c.Lateral.Min, spawn.LateralMax: c.Lateral.Max, spawn.YawMin: c.Yaw.Min,
		spawn.YawMax: c.Yaw.Max, spawn.HeightMin: c.Height.Min, spawn.HeightMax: c.Height.Max,
		spawn.SpeedMin: c.Speed.Min, spawn.SpeedMax: c.Speed.Max, spawn.Behind: c.Behind, spawn.Corridor: c.Corridor,
		spawn.Gap: c.Gap, spawn.RowSpacing: c.Grid.RowSpacing, spawn.Stagger: c.Grid.Stagger, spawn.Spread: c.Grid.Spread,
	} {
		s[k] = float32(x)
	}
	return s
}

// mode returns the number of the mode.
func (c Config) mode() int32 {
	return map[string]int32{Start: spawn.Start, Anywhere: spawn.Anywhere, Grid: spawn.Grid}[c.Mode]
}
