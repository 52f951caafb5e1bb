package heightfield

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
)

// Modes of BlendConfig.
const (
	// Nearest gives a cell the height of the nearest point of the centreline. Where two parts of the track are equally
	// near, the heights have a step. The reference system has the same heights.
	Nearest = "nearest"

	// Smooth blends the heights off the road. Let d be the distance of a point from the nearest point of the centreline,
	// and r its distance from the road, that is, from the area between the borders. The height is the mean of the heights
	// of all segments of the centreline, each at its own nearest point, with the weights
	//
	//	length * (1 - (d_i - d) / reach)^2    where d_i < d + reach, else 0        reach = min(2 r, blend.length)
	//
	// where d_i is the distance of segment i. On the road reach is 0, and the height is that of Nearest, with the same
	// bits. Off the road the heights are continuous, because each distance is. From the border outwards they change
	// gradually from those of the nearest point to the mean: at the distance r, no segment that is more than 2 r farther
	// away than the nearest one counts.
	//
	// Limits: between two roads that nearly touch, the ground is as steep as the way between them is short. Where a road
	// crosses itself on a bridge, the ground under it has a step, because it is on both roads. Between the middles of two
	// cells the height is whatever a program interpolates.
	Smooth = "smooth"
)

// Limits of Config.
const (
	minResolution = 8
	maxResolution = 4096
	maxLength     = 1e6
)

// Config has the settings of the grids. Make one with DefaultConfig and change fields of it. Lengths are in track
// units.
type Config struct {
	// Resolution: cells along each side of the grid of an env. Default: 64; a whole number >= 8 and <= 4096.
	Resolution int
	// Padding: width of the ground around the bounding box of a track. Default: 0: a tenth of the larger side of the box;
	// a number > 0 and <= 1000000, or 0 for the default.
	Padding float64

	Blend BlendConfig
}

// BlendConfig says how the ground continues between parts of a track.
type BlendConfig struct {
	// Mode: the height of a cell: that of the nearest point of the centreline, or off the road a mean of the heights of
	// several segments. Default: nearest; one of nearest, smooth.
	Mode string
	// Length: of smooth: how much farther than the nearest segment one may be to count. Default: 0: twice the distance of
	// the cell from the road, which is also the most; a number > 0 and <= 1000000, or 0 for the default.
	Length float64
}

// fields describes every field of Config.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Grid"}, {Name: "blend", Title: "Blending"}}, "",
	[]config.Field[Config]{
		{Name: "resolution", Default: 64, Min: minResolution, Max: maxResolution,
			Doc: "cells along each side of the grid of an env"},
		{Name: "padding", Unit: config.Length, Derived: "a tenth of the larger side of the box", MinOpen: true,
			Max: maxLength, Doc: "width of the ground around the bounding box of a track"},
		{Name: "blend.mode", Default: Nearest, Choices: []string{Nearest, Smooth},
			Doc: "the height of a cell: that of the nearest point of the centreline, or off the road a mean of the " +
				"heights of several segments"},
		{Name: "blend.length", Unit: config.Length, MinOpen: true, Max: maxLength,
			Derived: "twice the distance of the cell from the road, which is also the most",
			Doc:     "of smooth: how much farther than the nearest segment one may be to count"},
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
func (c Config) Validate() error {
	if c.Resolution == 0 && c.Blend.Mode == "" { // these are zero together only in a configuration that began as Config{}
		return &ConfigError{Field: "the configuration", Value: "without its defaults",
			Allowed: "one that began as DefaultConfig()"}
	}
	return errors.Join(fields.Check(c)...)
}

// MaxEnvs returns the maximum number of envs in one batch of this configuration. Kernels index with int32, which bounds
// it.
func (c Config) MaxEnvs() int { return exec.MaxElements / max(1, c.cells()) }

// cells returns the number of cells of a grid.
func (c Config) cells() int { return c.Resolution * c.Resolution }

// checkEnvs refuses more cells than an array may have.
func (c Config) checkEnvs(envs int) error {
	if envs <= c.MaxEnvs() {
		return nil
	}
	return &ConfigError{Field: "resolution", Value: fmt.Sprint(c.Resolution),
		Allowed: fmt.Sprintf("one with at most %d cells in all %d envs", int64(exec.MaxElements), envs)}
}
