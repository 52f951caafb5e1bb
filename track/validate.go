package track

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/trackgen-go/trackgen/exec"
)

// ErrConfig matches every error of a configuration.
var ErrConfig = errors.New("track: invalid configuration")

// ConfigError says which field of a configuration is wrong and what would be right. It matches ErrConfig.
type ConfigError struct {
	Field   string // name as in configuration files
	Value   string
	Allowed string
	Err     error // why, where that takes more than the field; may be nil
}

// Error implements error.
func (e *ConfigError) Error() string {
	text := fmt.Sprintf("%s is %s: must be %s", e.Field, e.Value, e.Allowed)
	if e.Err != nil {
		text += " (" + e.Err.Error() + ")"
	}
	return text
}

func (e *ConfigError) Unwrap() error { return e.Err }

// Is reports that every ConfigError matches ErrConfig.
func (e *ConfigError) Is(target error) bool { return target == ErrConfig }

// prefix is in front of what the functions of the package say that they were doing, once in a message.
const prefix = "track: "

// during says what a function of the package was doing when err happened.
func during(op string, err error) error { return exec.Doing(prefix+op, err) }

// WithDefaults returns c with every unset field at its default. Derived defaults are filled in where they do not depend
// on an env: spacing is, relax_band and the style ranges are not.
func (c Config) WithDefaults() Config {
	c.Mix = c.mixWithDefaults()
	if len(c.Mix) > 0 && c.Generator == "" {
		c.Generator = Mixed
	}
	return c.fieldDefaults()
}

// fieldDefaults fills in the defaults of all fields but the components.
func (c Config) fieldDefaults() Config {
	for _, f := range fields {
		if f.Default != nil && f.Value(c) == nil {
			target := reflect.ValueOf(&c).Elem().FieldByIndex(f.index)
			if target.Kind() == reflect.Pointer {
				target.Set(reflect.New(target.Type().Elem()))
				target = target.Elem()
			}
			target.Set(reflect.ValueOf(f.Default))
		}
	}
	if c.Spacing == 0 {
		c.Spacing = 0.6 * c.HalfWidth
	}
	return c
}

// Validate checks every field against its range and the fields against one another. The error joins one *ConfigError for
// each thing that is wrong, in the order of Fields.
func (c Config) Validate() error {
	var wrong []error
	for _, f := range Fields() {
		if err := f.check(c); err != nil {
			wrong = append(wrong, err)
		}
	}
	wrong = append(wrong, c.checkMix()...)
	if len(wrong) == 0 {
		wrong = c.WithDefaults().checkTogether()
	}
	return errors.Join(wrong...)
}

// check validates the field alone; unset is always right.
func (f Field) check(c Config) error {
	refuse := func(value any) error {
		return &ConfigError{Field: f.Name, Value: fmt.Sprint(value), Allowed: f.Allowed()}
	}
	switch value := f.Value(c).(type) {
	case int:
		if !f.contains(float64(value)) {
			return refuse(value)
		}
	case float64:
		if !f.contains(value) {
			return refuse(value)
		}
	case Range:
		if !f.contains(value.Min) || !f.contains(value.Max) || value.Min > value.Max {
			return refuse(value)
		}
	case []int:
		if len(value) == 0 || slices.ContainsFunc(value, func(n int) bool { return !f.contains(float64(n)) }) {
			return refuse(listText(value))
		}
	case string:
		if !slices.Contains(f.Choices, value) {
			return &ConfigError{Field: f.Name, Value: fmt.Sprintf("%q", value), Allowed: f.Allowed()}
		}
	}
	return nil
}

// checkTogether validates fields against one another. c has its defaults.
func (c Config) checkTogether() []error {
	var wrong []error
	if c.Generator == Mixed {
		wrong = c.checkComponents()
	} else {
		for _, err := range c.checkLoop() {
			wrong = append(wrong, err)
		}
	}
	if c.RelaxBand > c.NMax {
		wrong = append(wrong, &ConfigError{Field: "relax_band", Value: fmt.Sprint(c.RelaxBand),
			Allowed: fmt.Sprintf("at most N_max (%d)", c.NMax)})
	}
	if most := c.MaxEnvs(); c.NumEnvs > most {
		wrong = append(wrong, &ConfigError{Field: "num_envs", Value: fmt.Sprint(c.NumEnvs),
			Allowed: fmt.Sprintf("at most %d in one batch of this configuration", most)})
	}
	return wrong
}

// checkLoop validates the fields of the first loop against one another. c has its defaults and one generator.
func (c Config) checkLoop() []*ConfigError {
	var wrong []*ConfigError
	if c.MaxNumPoints < c.MinNumPoints {
		wrong = append(wrong, &ConfigError{Field: "max_num_points", Value: fmt.Sprint(c.MaxNumPoints),
			Allowed: fmt.Sprintf("at least min_num_points (%d)", c.MinNumPoints)})
	}
	if c.VoronoiNumSites < c.VoronoiControlPoints {
		wrong = append(wrong, &ConfigError{Field: "voronoi_num_sites", Value: fmt.Sprint(c.VoronoiNumSites),
			Allowed: fmt.Sprintf("at least voronoi_control_points (%d)", c.VoronoiControlPoints)})
	}
	scale := c.Scale
	if c.StyleSampling && c.ScaleRange != nil && c.Generator == Bezier {
		scale = c.ScaleRange.Min
	}
	shortestLoop := c.spec().Shortest(c) * scale
	if need := math.Ceil(shortestLoop / c.Spacing); float64(c.NMax) < need {
		wrong = append(wrong, &ConfigError{Field: "N_max", Value: fmt.Sprint(c.NMax),
			Allowed: fmt.Sprintf("at least %.0f, or no track fits: %s loops of scale %s are at least %s long and spacing is %s",
				need, c.Generator, shortest(scale), shortest(shortestLoop), shortest(c.Spacing))})
	}
	for _, name := range []string{"rad_range", "scale_range", "handle_clamp_frac_range"} {
		f, _ := FieldNamed(name)
		if value, ok := f.Value(c).(Range); ok && !c.StyleSampling {
			wrong = append(wrong, &ConfigError{Field: name, Value: value.String(), Allowed: "left out unless style_sampling is true"})
		}
	}
	return append(wrong, c.checkRepulsive()...)
}

// MaxEnvs returns how many envs one batch of this configuration can hold at most: kernels index by int32.
func (c Config) MaxEnvs() int {
	c = c.WithDefaults()
	stride := max(c.NMax, c.NumPoints, c.spec().Stride(c))
	if c.relaxesLarge() {
		stride = max(stride, c.NMax*max(2, *c.RelaxSepCacheSlots))
	}
	return math.MaxInt32 / stride
}
