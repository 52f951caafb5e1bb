package layers

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/internal/suggest"
)

// Layer names a part of the pictures of courses.
type Layer string

// The layers.
const (
	Checkpoints Layer = "checkpoints" // of tracks: bars across the road; gates are checkpoints themselves
	Props       Layer = "props"       // of tracks: props along the outer border
	Field       Layer = "field"       // of tracks: signed distances to the borders
	Ground      Layer = "ground"      // of tracks: heights of the ground, and those below the sample cars
	Posts       Layer = "posts"       // of gates: the discs with which boxes collide
	Frames      Layer = "frames"      // of gates: their frames, and sample balls that touch them or not
	Line        Layer = "line"        // of gates: the smooth line through them
	Speed       Layer = "speed"       // how fast a car can be, along the centreline or the line
	Cars        Layer = "cars"        // boxes of sample cars, and whether they collide
	Ways        Layer = "ways"        // of sample cars: their way in a step, and where they first touch something on it
	Others      Layer = "others"      // of sample cars: those that touch each other
	Contacts    Layer = "contacts"    // of sample cars: the nearest point, and on tracks the normal there
)

// OfTracks lists the layers of tracks, in the order in which they are drawn.
func OfTracks() []Layer {
	return []Layer{Ground, Field, Speed, Checkpoints, Props, Contacts, Ways, Cars, Others}
}

// OfGates lists the layers of gate courses, in the order in which they are drawn.
func OfGates() []Layer { return []Layer{Line, Speed, Posts, Frames, Contacts, Ways, Cars, Others} }

// The values of Config.Collision.
const (
	segments = "segments"
	sdf      = "sdf"
)

// Limits of Config.
const (
	maxLength     = 1e6
	minResolution = 8
	maxResolution = 1024
	maxCars       = 1024
	maxPoints     = 65536
	maxSamples    = 1024
)

// Config says which layers are computed, and how. Make one with DefaultConfig and change fields of it. Lengths are in
// the unit of the batch.
type Config struct {
	// Layers: default nil, which is all that the batch can have.
	Layers []Layer
	// CheckpointSpacing is the distance of successive checkpoints along a track: a number > 0 and <= 1000000, or 0, the
	// default, for a sixteenth of the mean length of the tracks.
	CheckpointSpacing float64
	// MaxCheckpoints is the largest number of checkpoints of a track: a whole number >= 3 and <= 65536, or 0, the default,
	// for as many as the spacing gives, and half as many more.
	MaxCheckpoints int
	// PropSpacing is the distance of successive props along the outer border: a number > 0 and <= 1000000, or 0, the
	// default, for a 48th of the mean length of the tracks.
	PropSpacing float64
	// PropMode is "points", the default, or "segments".
	PropMode string
	// FieldResolution is the number of cells along each side of a distance field. Default: 128; a whole number >= 8 and
	// <= 1024.
	FieldResolution int
	// GroundResolution is the number of cells along each side of the ground. Default: 64; a whole number >= 8 and <= 1024.
	GroundResolution int
	// Collision is how sample cars find the borders of tracks: "segments", the default, or "sdf", by the distance field.
	Collision string
	// SamplesPerGate is the number of points of the line for each gate. Default: 8; a whole number >= 2 and <= 1024.
	SamplesPerGate int
	// Speed has the limits of the car whose speeds are shown.
	Speed speed.Config
	// PostRadius is the radius of the posts of gates: a number > 0 and <= 1000000, or 0, the default, for a tenth of the
	// width of the gates.
	PostRadius float64
	// FrameThickness and FrameDepth are those of the frames of gates, across the opening and along the course, and
	// BallRadius is that of the balls that stand for agents there: each a number > 0 and <= 1000000, or 0, the default,
	// for a tenth, a tenth and an eighth of the mean width of the gates.
	FrameThickness, FrameDepth, BallRadius float64
	// Cars is the number of sample cars of each env, and of sample balls. Default: 8; a whole number >= 1 and <= 1024.
	Cars int
	// Seed draws the sample cars. Default: 0.
	Seed int32
	// Numbers are the numbers of the envs in the batch of which they are a part; nil: 0, 1, .... The cars of an env
	// depend on its number.
	Numbers []int
}

// DefaultConfig returns the configuration with every field at its default.
func DefaultConfig() Config {
	return Config{PropMode: "points", FieldResolution: 128, GroundResolution: 64, Collision: segments,
		SamplesPerGate: line.DefaultConfig().SamplesPerGate, Cars: 8, Speed: speed.DefaultConfig()}
}

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches config.ErrConfig.
type ConfigError = config.Error

// check checks every field. allowed are the layers of the kind of batch, which has so many envs. The error joins one
// *ConfigError for each mistake.
func (c Config) check(allowed []Layer, envs int) error {
	var wrong []error
	refuse := func(field string, value any, allowed string) {
		wrong = append(wrong, &ConfigError{Field: field, Value: fmt.Sprint(value), Allowed: allowed})
	}
	names := Names(allowed)
	for _, layer := range c.Layers {
		if !slices.Contains(allowed, layer) {
			refuse("layers", fmt.Sprintf("%q", layer),
				"some of "+strings.Join(names, ", ")+suggest.Phrase(string(layer), names))
		}
	}
	for _, length := range []struct {
		field string
		value float64
	}{{"checkpoint_spacing", c.CheckpointSpacing}, {"prop_spacing", c.PropSpacing}, {"post_radius", c.PostRadius},
		{"frame_thickness", c.FrameThickness}, {"frame_depth", c.FrameDepth}, {"ball_radius", c.BallRadius}} {
		if length.value != 0 && !(length.value > 0 && length.value <= maxLength) {
			refuse(length.field, length.value, fmt.Sprintf("a number > 0 and <= %.0f, or 0 for the default", float64(maxLength)))
		}
	}
	if c.PropMode != "points" && c.PropMode != "segments" {
		refuse("prop_mode", fmt.Sprintf("%q", c.PropMode), "points or segments")
	}
	if c.Collision != segments && c.Collision != sdf {
		refuse("collision", fmt.Sprintf("%q", c.Collision), "segments or sdf")
	}
	whole := func(field string, value, low, high int) {
		if value < low || value > high {
			refuse(field, value, fmt.Sprintf("a whole number >= %d and <= %d", low, high))
		}
	}
	whole("field_resolution", c.FieldResolution, minResolution, maxResolution)
	whole("ground_resolution", c.GroundResolution, minResolution, maxResolution)
	whole("samples_per_gate", c.SamplesPerGate, 2, maxSamples)
	if c.MaxCheckpoints != 0 {
		whole("max_checkpoints", c.MaxCheckpoints, 3, maxPoints)
	}
	whole("cars", c.Cars, 1, maxCars)
	if c.Numbers != nil && len(c.Numbers) != envs {
		refuse("numbers", fmt.Sprintf("%d of them", len(c.Numbers)), fmt.Sprintf("%d, one for each env", envs))
	}
	return errors.Join(append(wrong, c.Speed.Validate())...)
}

// Names returns the names of layers.
func Names(layers []Layer) []string {
	var names []string
	for _, layer := range layers {
		names = append(names, string(layer))
	}
	return names
}

// has reports whether one of the layers is computed.
func (c Config) has(layers ...Layer) bool {
	for _, layer := range layers {
		if len(c.Layers) == 0 || slices.Contains(c.Layers, layer) {
			return true
		}
	}
	return false
}

// number returns the number of env e.
func (c Config) number(e int) int {
	if c.Numbers == nil {
		return e
	}
	return c.Numbers[e]
}
