// Command compare prints the quality table of the generators, next to the published one where there is one, and the
// yield of valid tracks by the number of relaxation sweeps and of candidates.
//
//	go run ./bench/compare [-envs 512] [-seed 0] [-generators bezier,polar] [-sweeps 25,40,50,150] [-candidates 1,4]
//		[-device cpu] [-json]
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
	"strconv"
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
	sweepsList := flags.String("sweeps", "25,40,50,150",
		"comma-separated numbers of relaxation sweeps to compare the yield at; empty for none")
	candidatesList := flags.String("candidates", "1,4",
		"comma-separated numbers of candidates to compare the yield at; empty for none")
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
	// Zero would select the default of one env.
	if *envs < 1 {
		return fmt.Errorf("%w: -envs is %d: must be at least 1", errUsage, *envs)
	}
	sweeps, err := parseNumbers("-sweeps", *sweepsList)
	if err != nil {
		return err
	}
	candidates, err := parseNumbers("-candidates", *candidatesList)
	if err != nil {
		return err
	}
	tables, err := compare(*deviceName, strings.Split(*generators, ","), *envs, int32(*seed), sweeps, candidates)
	if err != nil {
		return err
	}
	if *asJSON {
		encoder := json.NewEncoder(stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(tables)
	}
	if err := printTable(stdout, tables.Quality, *seed); err != nil {
		return err
	}
	if err := printSweeps(stdout, tables.Sweeps, sweeps, *envs); err != nil {
		return err
	}
	return printCandidates(stdout, tables.Candidates)
}

func parseNumbers(name, text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var numbers []int
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%w: %s is %q: must be whole numbers from 1, separated by commas", errUsage, name, text)
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

// tables is the output of compare.
type tables struct {
	Quality    []quality.Row  `json:"quality"`
	Sweeps     []sweepRow     `json:"sweeps"`
	Candidates []candidateRow `json:"candidates"`
}

// sweepRow is the yield of one generator after each number of sweeps.
type sweepRow struct {
	Generator string    `json:"generator"`
	Sweeps    []int     `json:"sweeps"`
	Yield     []float64 `json:"yield"`
}

// compare generates with every generator and measures the batches.
func compare(deviceName string, generators []string, envs int, seed int32, sweeps,
	candidates []int) (out tables, err error) {
	device, err := backend.Open(deviceName)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, device.Close()) }()
	for _, name := range generators {
		config := track.DefaultConfig()
		config.Generator, config.NumEnvs = name, envs
		row, err := measure(device, config, seed)
		if err != nil {
			return out, err
		}
		out.Quality = append(out.Quality, row)
		best, err := compareCandidates(device, config, seed, candidates)
		if err != nil {
			return out, err
		}
		out.Candidates = append(out.Candidates, best...)
		if len(sweeps) == 0 {
			continue
		}
		after := sweepRow{Generator: name, Sweeps: sweeps}
		for _, n := range sweeps {
			config.Relax.Sweeps = n
			row, err := measure(device, config, seed)
			if err != nil {
				return out, err
			}
			after.Yield = append(after.Yield, row.Yield)
		}
		out.Sweeps = append(out.Sweeps, after)
	}
	return out, nil
}

// measure generates one batch and measures it.
func measure(device backend.Device, config track.Config, seed int32) (_ quality.Row, err error) {
	generator, err := track.NewGenerator(device, config, track.WithSeed(seed))
	if err != nil {
		return quality.Row{}, err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	batch, err := generator.Track().Batch(context.Background())
	if err != nil {
		return quality.Row{}, err
	}
	spaced, err := generator.Spaced().Read(context.Background())
	if err != nil {
		return quality.Row{}, err
	}
	return quality.Summarise(config.Generator, batch, spaced), nil
}

func printTable(w io.Writer, rows []quality.Row, seed int) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table,
		"generator\tenvs\tyield\tself-crossing\tmoved\tlength\tcompactness\tmedian\tchicanes\tstraight\tpeak "+
			"curvature\tlap\t")
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

// printSweeps prints the yield after each number of sweeps, and the published yields where there are some.
func printSweeps(w io.Writer, rows []sweepRow, sweeps []int, envs int) error {
	if len(rows) == 0 {
		return nil
	}
	fmt.Fprintf(w, "\nyield by the number of relaxation sweeps\n")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "generator\tenvs\t")
	for _, n := range sweeps {
		fmt.Fprintf(table, "%d\t", n)
	}
	fmt.Fprintln(table)
	for _, row := range rows {
		fmt.Fprintf(table, "%s\t%d\t", row.Generator, envs)
		for _, yield := range row.Yield {
			fmt.Fprintf(table, "%.4f\t", yield)
		}
		fmt.Fprintln(table)
		if row.Generator != track.Bezier {
			continue
		}
		fmt.Fprintf(table, "published\t%d\t", quality.PublishedSweepsEnvs)
		for _, n := range sweeps {
			if yield, ok := quality.PublishedSweeps[n]; ok {
				fmt.Fprintf(table, "%.3f\t", yield)
			} else {
				fmt.Fprint(table, "-\t")
			}
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

func printRow(w io.Writer, label string, r quality.Row) {
	fmt.Fprintf(w, "%s\t%d\t%.4f\t%.6f\t%.5f\t%.3f\t%.4f\t%.4f\t%.2f\t%.4f\t%.3f\t%.3f\t\n", label, r.Envs, r.Yield,
		r.SelfCrossing, r.Displacement, r.Length, r.Compactness, r.CompactnessMedian, r.Chicanes, r.Straight, r.PeakCurvature,
		r.LapTime)
}
