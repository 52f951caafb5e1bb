package line

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
)

// Limits of Config.
const (
	minSamples = 2
	maxSamples = 1024
)

// Config has the settings of a course line. Make one with DefaultConfig and change fields of it.
type Config struct {
	// SamplesPerGate: points of the line from one gate to the next, that of the gate included. Default: 8; a whole number
	// >= 2 and <= 1024.
	SamplesPerGate int
}

// fields describes every field of Config.
var fields = config.NewTable([]config.Group{{Name: "", Title: "Course line"}}, "", []config.Field[Config]{
	{Name: "samples_per_gate", Default: 8, Min: minSamples, Max: maxSamples,
		Doc: "points of the line from one gate to the next, that of the gate included"},
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

// Validate checks every field against its range. The error joins one *ConfigError for each mistake.
func (c Config) Validate() error { return errors.Join(fields.Check(c)...) }

// checkPoints refuses more points than an array may have.
func (c Config) checkPoints(gates int) error {
	if int64(gates)*int64(c.SamplesPerGate) <= exec.MaxElements {
		return nil
	}
	return &ConfigError{Field: "samples_per_gate", Value: fmt.Sprint(c.SamplesPerGate),
		Allowed: fmt.Sprintf("one with at most %d points for all %d gates", int64(exec.MaxElements), gates)}
}
