package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
)

// formFlags are the flags of import for borders in two files, and for the direction and the start of the circuits.
type formFlags struct {
	left, right string
}

// add adds the flags to a command.
func (f *formFlags) add(command *cobra.Command, reading *trackgen.ReadOptions) {
	fileFlag(command, &f.left, "left", "", roleInput, "`file` of the left border of a circuit, with --right")
	fileFlag(command, &f.right, "right", "", roleInput, "`file` of the right border")
	flags := command.Flags()
	flags.BoolVar(&reading.Reverse, "reverse", false, "drive the circuits the other way round")
	flags.Var(startFlag{&reading.Start}, "start",
		"start of the circuit: `metres` along its line, or x,y for the nearest place (default: the first point)")
	flags.Var(coordinatesFlag{&reading.Coordinates}, "coordinates",
		"`unit` of GeoJSON and CSV files: degrees or metres (default: what the file says)")
	completeFlag(command, "coordinates", "degrees", "metres")
}

// check returns an error unless there is something to read.
func (f *formFlags) check(arguments []string) error {
	switch {
	case (f.left == "") != (f.right == ""):
		return errors.New("--left and --right are the borders of one circuit: give both")
	case len(arguments) == 0 && f.left == "":
		return errors.New("import takes one or more files, or --left and --right, and has none")
	}
	return nil
}

// borders returns the circuit between the borders that the flags name, or nil if they name none.
func (f *formFlags) borders(options trackgen.ReadOptions) (*trackgen.CircuitFile, error) {
	if f.left == "" {
		return nil, nil
	}
	c, err := trackgen.ReadBorders(f.left, f.right, options)
	if err != nil {
		return nil, withHint(err)
	}
	return c, nil
}

// startFlag is the value of --start. It implements pflag.Value.
type startFlag struct{ start *trackgen.CircuitStart }

// Set implements pflag.Value. pflag prefixes the error with the flag and its value.
func (f startFlag) Set(text string) error {
	var values []float64
	for field := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil {
			return errors.New("must be a distance such as 250, or a place such as 12.5,-3, in metres")
		}
		values = append(values, v)
	}
	switch len(values) {
	case 1:
		*f.start = trackgen.CircuitStart{Along: values[0]}
	case 2:
		*f.start = trackgen.CircuitStart{Near: &[2]float64{values[0], values[1]}}
	default:
		return errors.New("must be a distance such as 250, or a place such as 12.5,-3, in metres")
	}
	return nil
}

// String implements pflag.Value. The default is the first point of the file.
func (f startFlag) String() string { return "" }

// Type implements pflag.Value.
func (f startFlag) Type() string { return "metres" }

// coordinatesFlag is the value of --coordinates. It implements pflag.Value.
type coordinatesFlag struct{ coordinates *trackgen.Coordinates }

// Set implements pflag.Value. pflag prefixes the error with the flag and its value.
func (f coordinatesFlag) Set(text string) error {
	for _, c := range []trackgen.Coordinates{trackgen.CoordinatesDegrees, trackgen.CoordinatesMetres} {
		if text == c.String() {
			*f.coordinates = c
			return nil
		}
	}
	return fmt.Errorf("must be %s or %s", trackgen.CoordinatesDegrees, trackgen.CoordinatesMetres)
}

// String implements pflag.Value. The default is what the file says.
func (f coordinatesFlag) String() string { return "" }

// Type implements pflag.Value.
func (f coordinatesFlag) Type() string { return "unit" }
