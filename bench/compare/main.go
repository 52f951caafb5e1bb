// Command compare prints the quality table of the generators, beside the published one where that applies.
//
//	go run ./bench/compare [-envs 512] [-seed 0] [-generators bezier,polar] [-device cpu] [-json]
//
// It exits with 1 if a run fails and with 2 if an argument is wrong.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all"
	"github.com/trackgen-go/trackgen/bench/quality"
	"github.com/trackgen-go/trackgen/track"
)

func main() {
	switch err := run(os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil || errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage), errors.Is(err, track.ErrConfig), errors.Is(err, backend.ErrInvalid):
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("wrong argument")

func run(arguments []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(stderr)
	envs := flags.Int("envs", 512, "tracks per generator")
	seed := flags.Int("seed", 0, "seed of the first env; env e has seed+e")
	generators := flags.String("generators", strings.Join(track.Generators(), ","), "comma-separated generators")
	deviceName := flags.String("device", "cpu", "device to generate on")
	asJSON := flags.Bool("json", false, "print JSON instead of a table")
	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return fmt.Errorf("%w: %w", errUsage, err)
	}
	if *seed < math.MinInt32 || *seed > math.MaxInt32 {
		return fmt.Errorf("%w: -seed is %d: must be from %d to %d", errUsage, *seed, math.MinInt32, math.MaxInt32)
	}
	device, err := backend.Open(*deviceName)
	if err != nil {
		return err
	}
	var rows []quality.Row
	for _, name := range strings.Split(*generators, ",") {
		row, measureErr := measure(device, name, *envs, int32(*seed))
		if measureErr != nil {
			return errors.Join(measureErr, device.Close())
		}
		rows = append(rows, row)
	}
	if err := device.Close(); err != nil {
		return err
	}
	if *asJSON {
		encoder := json.NewEncoder(stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(rows)
	}
	return printTable(stdout, rows, *seed)
}

// measure generates one batch and measures it.
func measure(device backend.Device, name string, envs int, seed int32) (_ quality.Row, err error) {
	// An explicit zero would read as the default of one env.
	if envs < 1 {
		return quality.Row{}, fmt.Errorf("%w: -envs is %d: must be at least 1", errUsage, envs)
	}
	generator, err := track.NewGenerator(device, track.Config{Generator: name, NumEnvs: envs}, track.WithSeed(seed))
	if err != nil {
		return quality.Row{}, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	batch, err := generator.Track().Batch(context.Background())
	if err != nil {
		return quality.Row{}, err
	}
	spaced, err := generator.Spaced().Read()
	if err != nil {
		return quality.Row{}, err
	}
	return quality.Summarise(name, batch, spaced), nil
}

func printTable(w io.Writer, rows []quality.Row, seed int) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "generator\tenvs\tyield\tself-crossing\tmoved\tlength\tcompactness\tmedian\tchicanes\tstraight\tpeak curvature\tlap\t")
	for _, row := range rows {
		printRow(table, row.Generator, row)
		if published, ok := quality.PublishedRow(row.Generator); ok && row.Envs == published.Envs && seed == 0 {
			printRow(table, "published", published)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, `
self-crossing: part of the loops that cross themselves before relaxation, rounding noise on straight pieces included
moved: mean distance that relaxation moves a point; the columns after it are means over the valid tracks
compactness, median: 4 pi area / length squared, 1 for a circle; chicanes: changes of direction in a lap
straight: part of the points with less than half the mean curvature; lap: time at a lateral acceleration of 1
`)
	return err
}

func printRow(w io.Writer, label string, r quality.Row) {
	fmt.Fprintf(w, "%s\t%d\t%.4f\t%.6f\t%.5f\t%.3f\t%.4f\t%.4f\t%.2f\t%.4f\t%.3f\t%.3f\t\n", label, r.Envs, r.Yield,
		r.SelfCrossing, r.Displacement, r.Length, r.Compactness, r.CompactnessMedian, r.Chicanes, r.Straight, r.PeakCurvature, r.LapTime)
}
