package track

import (
	"errors"
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
)

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "track: "

// during returns err with a note of what a function of the package was doing.
func during(op string, err error) error { return exec.Doing(prefix+op, err) }

// Resolved returns c with output.spacing filled in if it is derived and all envs have the same half width. It leaves
// relax.band and the ranges as they are, because their values depend on the env.
func (c Config) Resolved() Config {
	if !c.variesWidth() {
		c.Output.Spacing = c.spacing(c.Road.HalfWidth)
	}
	return c
}

// Validate checks every field against its range and the fields against one another. The error joins one *ConfigError
// for each mistake, in the order of Fields.
func (c Config) Validate() error {
	// All of these are zero only in a configuration that began as Config{}.
	if c.Scale == 0 && c.Road.HalfWidth == 0 && c.Output.MaxPoints == 0 {
		return &ConfigError{Field: "the configuration", Value: "without its defaults",
			Allowed: "one that began as DefaultConfig()"}
	}
	wrong := append(fields.Check(c), generation.CheckMix(Kind(), c)...)
	if len(wrong) == 0 {
		wrong = c.Resolved().checkTogether()
	}
	return errors.Join(wrong...)
}

// checkTogether validates fields against one another. c is resolved.
func (c Config) checkTogether() []error {
	var wrong []error
	if c.Generator == Mixed {
		wrong = c.checkComponents()
	} else {
		for _, err := range c.checkLoop() {
			wrong = append(wrong, err)
		}
	}
	wrong = append(wrong, c.checkElevation()...)
	if most := c.MaxEnvs(); most == 0 {
		// Only the close points that the relaxation remembers can be too many for a single env.
		wrong = append(wrong, &ConfigError{Field: "relax.separation_cache_slots",
			Value: fmt.Sprint(c.Relax.SeparationCacheSlots), Allowed: fmt.Sprintf("at most %d with output.max_points %d",
				math.MaxInt32/c.Output.MaxPoints, c.Output.MaxPoints)})
	} else if c.NumEnvs > most {
		wrong = append(wrong, &ConfigError{Field: "num_envs", Value: fmt.Sprint(c.NumEnvs),
			Allowed: fmt.Sprintf("at most %d in one batch of this configuration", most)})
	}
	return wrong
}

// checkLoop validates the fields of the first loop against one another. c is resolved and has one generator.
func (c Config) checkLoop() []*ConfigError {
	var wrong []*ConfigError
	if c.Corners.MaxCount < c.Corners.MinCount {
		wrong = append(wrong, &ConfigError{Field: "corners.max_count", Value: fmt.Sprint(c.Corners.MaxCount),
			Allowed: fmt.Sprintf("at least corners.min_count (%d)", c.Corners.MinCount)})
	}
	if c.Voronoi.Sites < c.Voronoi.ControlPoints {
		wrong = append(wrong, &ConfigError{Field: "voronoi.sites", Value: fmt.Sprint(c.Voronoi.Sites),
			Allowed: fmt.Sprintf("at least voronoi.control_points (%d)", c.Voronoi.ControlPoints)})
	}
	scale := c.Scale
	if c.Generator == Bezier && c.Bezier.StyleSampling && c.Bezier.ScaleRange != (Range{}) {
		scale = c.Bezier.ScaleRange.Min
	}
	shortestLoop := c.spec().Shortest(c) * math.Abs(scale)
	spacing := c.spacing(c.halfWidths().Max) // the widest road needs the fewest points
	if need := math.Ceil(shortestLoop / spacing); float64(c.Output.MaxPoints) < need {
		wrong = append(wrong, &ConfigError{Field: "output.max_points", Value: fmt.Sprint(c.Output.MaxPoints),
			Allowed: fmt.Sprintf("at least %.0f, or no track fits: %s loops of scale %s are at least %s long "+
				"and output.spacing is %s", need, c.Generator, shortest(scale), shortest(shortestLoop),
				shortest(spacing))})
	}
	for _, f := range fields.Fields() {
		if r, ok := f.Value(c).(Range); ok && r != (Range{}) && f.Group() == "bezier" && !c.Bezier.StyleSampling {
			wrong = append(wrong, &ConfigError{Field: f.Name, Value: r.String(),
				Allowed: "left out unless bezier.style_sampling is true"})
		}
	}
	return append(wrong, c.checkRepulsive()...)
}

// MaxEnvs returns the maximum number of envs in one batch of this configuration. Kernels index with int32, which bounds
// it.
func (c Config) MaxEnvs() int {
	c = c.Resolved()
	stride := max(c.Output.MaxPoints, c.Output.LoopPoints, c.spec().Stride(c))
	if c.hasHills() {
		stride = max(stride, c.Elevation.ControlPoints)
	}
	if c.relaxesLarge() {
		stride = max(stride, c.Output.MaxPoints*max(2, c.separationSlots()))
	}
	return math.MaxInt32 / max(1, stride)
}
