package collision

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
)

// Limits and defaults of FieldConfig.
const (
	minResolution     = 8
	maxResolution     = 4096
	defaultResolution = 128
)

// FieldConfig has the settings of a Field.
type FieldConfig struct {
	// Boxes is the number of boxes per env, B: a whole number >= 1 and <= 65536, or 0 for 1.
	Boxes int
	// Resolution is the number of cells along each side of the grid of an env, R: a whole number >= 8 and <= 4096, or 0
	// for 128.
	Resolution int
	// Padding is the width of the ground around the bounding box of a track, in track units: a number > 0 and <= 1000000,
	// or 0 for a tenth of the larger side of the box.
	Padding float64
}

// Validate checks every field against its range. The error joins one *config.Error for each mistake.
func (c FieldConfig) Validate() error {
	var resolution, padding error
	if c.Resolution != 0 && (c.Resolution < minResolution || c.Resolution > maxResolution) {
		resolution = &config.Error{Field: "resolution", Value: fmt.Sprint(c.Resolution),
			Allowed: fmt.Sprintf("a whole number >= %d and <= %d, or 0 for %d", minResolution, maxResolution,
				defaultResolution)}
	}
	if c.Padding != 0 && checkLength("padding", c.Padding) != nil {
		padding = &config.Error{Field: "padding", Value: config.Text(c.Padding),
			Allowed: fmt.Sprintf("a number > 0 and <= %d, or 0 for the default", int(maxLength))}
	}
	return errors.Join(checkItems("boxes", c.Boxes), resolution, padding)
}

// resolved returns the configuration with the numbers for which 0 stands.
func (c FieldConfig) resolved() FieldConfig {
	c.Boxes = orOne(c.Boxes)
	if c.Resolution == 0 {
		c.Resolution = defaultResolution
	}
	return c
}

// checkCells refuses more cells than an array may have. The configuration is resolved.
func (c FieldConfig) checkCells(envs int) error {
	if int64(c.Resolution)*int64(c.Resolution)*int64(envs) <= exec.MaxElements {
		return nil
	}
	return &config.Error{Field: "resolution", Value: fmt.Sprint(c.Resolution),
		Allowed: fmt.Sprintf("one with at most %d cells in all %d envs", int64(exec.MaxElements), envs)}
}
