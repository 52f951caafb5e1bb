package command

import (
	"fmt"
	"math"
	"strconv"
)

// degreesFlag is the value of a flag for an angle that is given in degrees and stored in radians. It implements
// pflag.Value.
type degreesFlag struct {
	radians *float64
	most    float64 // degrees
}

func degrees(radians *float64, most float64) degreesFlag { return degreesFlag{radians, most} }

// Set implements pflag.Value. pflag prefixes the error with the flag and its value.
func (d degreesFlag) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v > 0 && v <= d.most) {
		return fmt.Errorf("must be a number of degrees > 0 and <= %v", d.most)
	}
	*d.radians = v * math.Pi / 180
	return nil
}

// String implements pflag.Value. It returns "" for the default, so that the help omits it.
func (d degreesFlag) String() string {
	if d.radians == nil || *d.radians == 0 {
		return ""
	}
	return strconv.FormatFloat(*d.radians*180/math.Pi, 'g', -1, 64)
}

// Type implements pflag.Value.
func (d degreesFlag) Type() string { return "degrees" }
