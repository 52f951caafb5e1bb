package rangefinder

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/rangefinder"
)

// Values of Config.Frame.
const (
	// Level keeps the beams level, at the yaw of the agent. It is that of cars.
	Level = "level"
	// Body puts the beams in the plane of the body, with its full attitude. It is that of drones.
	Body = "body"
)

// Limits of settings.
const (
	maxAgents = 65536
	maxBeams  = 65536
	maxLength = 1e6
)

// Config has the settings of a RangeFinder. Make one with DefaultConfig or F1Tenth and change fields of it.
type Config struct {
	// Agents: agents in each env, A. Default: 1; a whole number >= 1 and <= 65536.
	Agents int
	// Beams: beams of each agent, B, counter-clockwise. Default: 64; a whole number >= 1 and <= 65536.
	Beams int
	// FieldOfView: angle from the first beam to the last; at 2 pi, to the first again. Default: 4.71238898038469; a number
	// >= 0 and <= 6.283185307179586.
	FieldOfView float64
	// Offset: angle of the middle of the field of view from the front of the agent, to the left. Default: 0; a number >=
	// -6.283185307179586 and <= 6.283185307179586.
	Offset float64
	// Range: largest distance that is measured. Default: 30; a number > 0 and <= 1000000.
	Range float64
	// PlaceX: place of the sensor ahead of the position of the agent. Default: 0; a number >= -1000000 and <= 1000000.
	PlaceX float64
	// PlaceY: place of the sensor to its left. Default: 0; a number >= -1000000 and <= 1000000.
	PlaceY float64
	// PlaceZ: place of the sensor above it. Default: 0; a number >= -1000000 and <= 1000000.
	PlaceZ float64
	// Frame: whether beams are level, or in the plane of the body. Default: level; one of level, body.
	Frame string
	// SeeAgents: whether beams hit other agents of the env, which need half extents. Default: false; true or false.
	SeeAgents bool
	// DiscRadius: radius of discs and posts. Default: 0.05; a number > 0 and <= 1000000.
	DiscRadius float64
	// FrameThickness: thickness of the frames of gates across the opening. Default: 0.1; a number > 0 and <= 1000000.
	FrameThickness float64
	// FrameDepth: thickness of the frames of gates along the course. Default: 0.1; a number > 0 and <= 1000000.
	FrameDepth float64
	// Sigma: standard deviation of the noise of a beam that hits something. Default: 0; a number >= 0 and <= 1000000.
	Sigma float64
	// Dropout: probability that such a beam measures nothing. Default: 0; a number >= 0 and <= 1.
	Dropout float64
	// Seed: seed of the noise of env 0, where the source has no seeds; that of env e is e more. Default: 0; a whole
	// number >= -2147483648 and <= 2147483647.
	Seed int
}

// fields describes every field of Config.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Range finder"}}, "", []config.Field[Config]{
	{Name: "agents", Default: 1, Min: 1, Max: maxAgents, Doc: "agents in each env, A"},
	{Name: "beams", Default: 64, Min: 1, Max: maxBeams, Doc: "beams of each agent, B, counter-clockwise"},
	{Name: "field_of_view", Default: 1.5 * math.Pi, Max: 2 * math.Pi, Unit: config.Angle,
		Doc: "angle from the first beam to the last; at 2 pi, to the first again"},
	{Name: "offset", Default: 0.0, Min: -2 * math.Pi, Max: 2 * math.Pi, Unit: config.Angle,
		Doc: "angle of the middle of the field of view from the front of the agent, to the left"},
	{Name: "range", Default: 30.0, MinOpen: true, Max: maxLength, Unit: config.Length,
		Doc: "largest distance that is measured"},
	{Name: "place_x", Default: 0.0, Min: -maxLength, Max: maxLength, Unit: config.Length,
		Doc: "place of the sensor ahead of the position of the agent"},
	{Name: "place_y", Default: 0.0, Min: -maxLength, Max: maxLength, Unit: config.Length,
		Doc: "place of the sensor to its left"},
	{Name: "place_z", Default: 0.0, Min: -maxLength, Max: maxLength, Unit: config.Length,
		Doc: "place of the sensor above it"},
	{Name: "frame", Default: Level, Choices: []string{Level, Body},
		Doc: "whether beams are level, or in the plane of the body"},
	{Name: "see_agents", Default: false, Doc: "whether beams hit other agents of the env, which need half extents"},
	{Name: "disc_radius", Default: 0.05, MinOpen: true, Max: maxLength, Unit: config.Length,
		Doc: "radius of discs and posts"},
	{Name: "frame_thickness", Default: 0.1, MinOpen: true, Max: maxLength, Unit: config.Length,
		Doc: "thickness of the frames of gates across the opening"},
	{Name: "frame_depth", Default: 0.1, MinOpen: true, Max: maxLength, Unit: config.Length,
		Doc: "thickness of the frames of gates along the course"},
	{Name: "sigma", Default: 0.0, Max: maxLength, Unit: config.Length,
		Doc: "standard deviation of the noise of a beam that hits something"},
	{Name: "dropout", Default: 0.0, Max: 1, Doc: "probability that such a beam measures nothing"},
	{Name: "seed", Default: 0, Min: math.MinInt32, Max: math.MaxInt32,
		Doc: "seed of the noise of env 0, where the source has no seeds; that of env e is e more"},
})

// Field describes a field of a Config: see package config.
type Field = config.Field[Config]

// Fields lists the fields in the order of the documentation.
func Fields() []Field { return fields.Fields() }

// DefaultConfig returns the configuration with every field at its default.
func DefaultConfig() Config { return fields.Default() }

// F1Tenth returns the configuration of the lidar of the F1TENTH simulator (github.com/f1tenth/f1tenth_gym): 1080 beams
// over 270 degrees, up to 30 m, with noise of a standard deviation of 0.01 m.
func F1Tenth() Config {
	c := DefaultConfig()
	c.Beams, c.FieldOfView, c.Range, c.Sigma = 1080, 1.5*math.Pi, 30, 0.01
	return c
}

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

// isNoisy reports whether the ranges have noise.
func (c Config) isNoisy() bool { return c.Sigma > 0 || c.Dropout > 0 }

// ValidateFor is Validate, and refuses scans of more elements than an array may have with a number of envs >= 1.
func (c Config) ValidateFor(envs int) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return c.resolved().checkRoom(envs)
}

// checkRoom refuses scans of more elements than an array may have.
func (c Config) checkRoom(envs int) error {
	if int64(envs)*int64(c.Agents)*int64(c.Beams) <= exec.MaxElements {
		return nil
	}
	return &ConfigError{Field: "beams", Value: fmt.Sprint(c.Beams),
		Allowed: fmt.Sprintf("at most %d for %d agents in each of %d envs",
			exec.MaxElements/(int64(envs)*int64(c.Agents)), c.Agents, envs)}
}

// runs returns the number of runs of beams of an agent, which are the items of the kernels.
func (c Config) runs() int { return (c.Beams + rangefinder.Run - 1) / rangefinder.Run }

// hasRings reports whether runs of beams are rings, which the kernel fans needs: level, with sectors between beams that
// are less than a quarter of a turn, and much wider than rounding reaches.
func (c Config) hasRings() bool {
	if c.Frame != Level {
		return false
	}
	gap := c.gap()
	return gap >= 2e-5 && gap <= 1.5
}

// ringBeams returns how many beams share the visits to borders on a device: as many as there are where items run one
// after another, and fewer where many run at once.
func (c Config) ringBeams(device backend.Device) int {
	if device.Info().Workers > 0 {
		return min(c.Beams, 1024)
	}
	return min(c.Beams, rangefinder.Run)
}

// gap returns the angle between two beams.
func (c Config) gap() float64 {
	if c.Beams == 1 {
		return 1 // of no importance
	}
	angles := c.Angles()
	return angles[1] - angles[0]
}

// Angles returns the angles of the beams from the front of the agent, to the left (L-30).
func (c Config) Angles() []float64 {
	angles := make([]float64, max(c.Beams, 0))
	gaps := float64(c.Beams - 1)
	if c.FieldOfView >= 2*math.Pi {
		gaps++
	}
	for k := range angles {
		angles[k] = c.Offset
		if gaps > 0 {
			angles[k] += c.FieldOfView * (float64(k)/gaps - 0.5)
		}
	}
	return angles
}

// turns returns the cosines and sines of the angles.
func (c Config) turns() (list []kernel.Vec2) {
	for _, angle := range c.Angles() {
		list = append(list, directionOf(angle))
	}
	return list
}

// rings returns the directions of the rings of runs of beams: for each run, those of its beams, dark ones that divide
// the rest of the turn, and the middle of the beams.
func (c Config) rings(run int) []kernel.Vec2 {
	angles := c.Angles()
	var list []kernel.Vec2
	for beams := range slices.Chunk(angles, run) {
		at := len(list)
		first, last := beams[0], beams[len(beams)-1]
		for _, angle := range beams {
			list = append(list, directionOf(angle))
		}
		rest := 2*math.Pi - (last - first)
		for k := range rangefinder.Dark {
			list = append(list, directionOf(last+rest*float64(k+1)/(rangefinder.Dark+1)))
		}
		list = append(list, list[at], directionOf((first+last)/2))
		list = append(list, make([]kernel.Vec2, at+int(rangefinder.RingSize(int32(run)))-len(list))...)
	}
	return list
}

// directionOf returns the cosine and the sine of an angle.
func directionOf(angle float64) kernel.Vec2 {
	sin, cos := math.Sincos(angle)
	return kernel.V2(snapped(cos), snapped(sin))
}

// snapped returns x in float32, or 0 if it is as small as the rounding of an angle makes it.
func snapped(x float64) float32 {
	if math.Abs(x) < 1e-15 {
		return 0
	}
	return float32(x)
}
