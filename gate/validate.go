package gate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernels/gate"
)

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

// generatorField is the name of the field whose choices registered generators extend.
const generatorField = "generator"

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "gate: "

// during returns err with a note of what a function of the package was doing.
func during(op string, err error) error { return exec.Doing(prefix+op, err) }

// Resolved returns c with the ordering filled in if it is derived. It leaves that of a mixed batch as it is, because it
// depends on the component.
func (c Config) Resolved() Config {
	switch {
	case c.Ordering != "" || c.Generator == Mixed:
	case c.Generator == Repulsive:
		c.Ordering = orderings[gate.Raw]
	default:
		c.Ordering = orderings[gate.ByAngle]
	}
	return c
}

// Validate checks every field against its range and the fields against one another. The error joins one *ConfigError
// for each mistake, in the order of Fields.
func (c Config) Validate() error {
	// These are zero together only in a configuration that began as Config{}.
	if c.NumEnvs == 0 && c.Output.MaxGates == 0 && c.Validity.MinGates == 0 {
		return &ConfigError{Field: "the configuration", Value: "without its defaults",
			Allowed: "one that began as DefaultConfig()"}
	}
	wrong := append(fields.Check(c), generation.CheckMix(Kind(), c)...)
	if len(wrong) == 0 {
		wrong = c.checkTogether()
	}
	return errors.Join(wrong...)
}

// checkLimits validates the limits of all courses against one another.
func (c Config) checkLimits() []error {
	var wrong []error
	if c.Output.MaxGates < c.Validity.MinGates {
		wrong = append(wrong, &ConfigError{Field: "output.max_gates", Value: fmt.Sprint(c.Output.MaxGates),
			Allowed: fmt.Sprintf("at least validity.min_gates (%d)", c.Validity.MinGates)})
	}
	for _, pair := range []struct {
		low, high         float64
		lowName, highName string
	}{
		{c.Elevation.Min, c.Elevation.Max, "elevation.min", "elevation.max"},
		{c.Validity.MinDistance, orUnlimited(c.Validity.MaxDistance), "validity.min_distance", "validity.max_distance"},
		{c.Validity.MinTurn, orUnlimited(c.Validity.MaxTurn), "validity.min_turn", "validity.max_turn"},
	} {
		if pair.low > pair.high {
			wrong = append(wrong, &ConfigError{Field: pair.highName, Value: config.Shortest(pair.high),
				Allowed: fmt.Sprintf("at least %s (%s)", pair.lowName, config.Shortest(pair.low))})
		}
	}
	return wrong
}

// checkTogether validates fields against one another.
func (c Config) checkTogether() []error {
	wrong := c.checkLimits()
	for k, kind := range c.kinds() {
		for _, err := range kind.checkSource() {
			if f, ok := FieldNamed(err.Field); ok && !f.Shared() && c.Generator == Mixed {
				err.Field = generation.InComponent(k, err.Field)
			}
			wrong = append(wrong, err)
		}
	}
	if most := c.MaxEnvs(); c.NumEnvs > most {
		wrong = append(wrong, &ConfigError{Field: "num_envs", Value: fmt.Sprint(c.NumEnvs),
			Allowed: fmt.Sprintf("at most %d in one batch of this configuration", most)})
	}
	return wrong
}

// orUnlimited returns a limit, 0 standing for none.
func orUnlimited(limit float64) float64 {
	if limit == 0 {
		return math.Inf(1)
	}
	return limit
}

// checkSource validates the fields of the control points against one another and against the number of gates. c is
// resolved, and not mixed.
func (c Config) checkSource() []*ConfigError {
	var wrong []*ConfigError
	refuse := func(field, value, allowed string, args ...any) {
		wrong = append(wrong, &ConfigError{Field: field, Value: value, Allowed: fmt.Sprintf(allowed, args...)})
	}
	if c.Corners.MaxCount < c.Corners.MinCount {
		refuse("corners.max_count", fmt.Sprint(c.Corners.MaxCount), "at least corners.min_count (%d)", c.Corners.MinCount)
	}
	if c.Voronoi.Sites < c.Voronoi.ControlPoints {
		refuse("voronoi.sites", fmt.Sprint(c.Voronoi.Sites), "at least voronoi.control_points (%d)", c.Voronoi.ControlPoints)
	}
	wrong = append(wrong, c.checkCurve()...)
	s := c.source()
	if !slices.Contains(s.orderings, c.Ordering) {
		refuse("ordering", fmt.Sprintf("%q", c.Ordering), "one of %s with the generator %s", strings.Join(s.orderings, ", "),
			c.Generator)
	}
	most := s.most(c)
	if most < c.Validity.MinGates {
		refuse("validity.min_gates", fmt.Sprint(c.Validity.MinGates),
			"at most %d, the largest number of gates that %s makes (%s)", most, c.Generator, s.mostField)
	}
	if most > c.Output.MaxGates {
		refuse("output.max_gates", fmt.Sprint(c.Output.MaxGates),
			"at least %d, the largest number of gates that %s makes (%s)", most, c.Generator, s.mostField)
	}
	return wrong
}

// MaxEnvs returns the maximum number of envs in one batch of this configuration. Kernels index with int32, which bounds
// it.
func (c Config) MaxEnvs() int {
	stride := max(c.Output.MaxGates, len(c.Mix)+1)
	for _, kind := range c.kinds() {
		stride = max(stride, kind.source().stride(kind))
	}
	return math.MaxInt32 / max(1, stride)
}
