package curriculum

import (
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/raceline"
)

const (
	maxTries  = 64
	maxNumber = 1e6
)

// Config has the settings of a curriculum. Make one with DefaultConfig and change fields of it.
type Config struct {
	// Label: what targets are numbers of: a label of package difficulty. Default: time_per_length; one of lap_time,
	// time_per_length, mean_speed, min_speed, longest_straight, width_margin, length, max_curvature, corners,
	// slow_corners, medium_corners, fast_corners, hairpins.
	Label string
	// Tries: most candidates that are generated for an env at a time. Default: 8; a whole number >= 1 and <= 64.
	Tries int
	// Tolerance: distance from the target up to which a candidate ends the search. Default: 0; a number >= 0 and <=
	// 1000000.
	Tolerance float64

	// Car is the car of the racing lines, of whose laps the labels tell. Its width is that of the labels, too.
	Car raceline.Config
	// Labels has the classes of corners. CarWidth is replaced by that of Car.
	Labels difficulty.Config
}

// fields describes every field of Config but those of Car and of Labels, which have tables of their own.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Curriculum"}}, "", []config.Field[Config]{
	{Name: "label", Default: "time_per_length", Choices: []string{"lap_time", "time_per_length", "mean_speed", "min_speed",
		"longest_straight", "width_margin", "length", "max_curvature", "corners", "slow_corners", "medium_corners",
		"fast_corners", "hairpins"},
		Doc: "what targets are numbers of: a label of package difficulty"},
	{Name: "tries", Default: 8, Min: 1, Max: maxTries, Doc: "most candidates that are generated for an env at a time"},
	{Name: "tolerance", Default: 0.0, Max: maxNumber,
		Doc: "distance from the target up to which a candidate ends the search"},
})

// Field describes a field of a Config: see package config.
type Field = config.Field[Config]

// Fields lists the fields in the order of the documentation, without those of Car and of Labels.
func Fields() []Field { return fields.Fields() }

// DefaultConfig returns the configuration with every field at its default.
func DefaultConfig() Config {
	c := fields.Default()
	c.Car, c.Labels = raceline.DefaultConfig(), difficulty.DefaultConfig()
	return c
}

// ErrConfig matches every error in a configuration.
var ErrConfig = config.ErrConfig

// ConfigError names a wrong field of a configuration, its value and what is allowed. It matches ErrConfig.
type ConfigError = config.Error

// Validate checks every field against its range. The error joins one *ConfigError for each mistake.
func (c Config) Validate() error {
	c.Labels.CarWidth = c.Car.CarWidth
	return errors.Join(append(fields.Check(c), c.Car.Validate(), c.Labels.Validate())...)
}

// place returns the column of the label in the packed labels, and 1 if it is one of integers, else 0.
func (c Config) place() (at, whole int32) {
	columns := difficulty.Schema.Columns()
	k := slices.IndexFunc(columns, func(of column.Column) bool { return of.Name == c.Label })
	for _, before := range columns[:k] {
		if before.Type == columns[k].Type {
			at++
		}
	}
	if columns[k].Type == kernel.Int32 {
		whole = 1
	}
	return at, whole
}
