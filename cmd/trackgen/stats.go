package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/bench/quality"
	"github.com/trackgen-go/trackgen/export"
)

type statsFlags struct {
	envs   string
	format string
	plot   string
	quiet  bool
}

func (a *app) statsCommand() *cobra.Command {
	var f statsFlags
	command := &cobra.Command{
		Use:   "stats FILE.npz",
		Short: "Measure the tracks of an .npz file",
		Long: `Stats measures the tracks of an .npz file: how many are valid, how long and how compact they are, how they
would drive. The measures are those of the published comparison of generators:

  yield               valid tracks of all
  length              mean length of the centreline
  compactness         mean, and the median, of 4 pi area / length squared: 1 for a circle
  chicanes            mean number of changes of direction in a lap
  straight            mean part of the points with less than half the mean curvature
  peak curvature      mean of the largest curvature of each track
  lap                 mean time of a lap at a lateral acceleration of 1
  self-crossing       part of the loops that cross themselves before relaxation
  moved               how far relaxation moves a point; like self-crossing, it needs the loops before relaxation,
                      which are not in an .npz file

All but the yield are over the valid tracks. --plot draws the distribution of each measure.

On a terminal it prints a table, else JSON, with null for what is not in the file; --format text, json or csv says which.
As csv it prints one row for each valid track.

Exit codes: 0 done, 1 the run failed, 2 bad usage or input (nothing was written), 130 interrupted.`,
		Example: `  trackgen stats tracks.npz
  trackgen stats tracks.npz --plot stats.png
  trackgen stats tracks.npz --env 0-99 --format csv > tracks.csv
  trackgen stats tracks.npz | jq .compactness`,
		Args:        oneFile("stats"),
		Annotations: fileArguments(roleInput),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"npz"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: a.run(func(ctx context.Context, arguments []string) error {
			return a.stats(ctx, arguments[0], f)
		}),
	}
	flags := command.Flags()
	envFlag(command, &f.envs, "measure")
	formatFlag(command, &f.format, reportDefault, summaryFormats...)
	fileFlag(command, &f.plot, "plot", "", roleOutput, "`file` for a picture of the distributions: .png or .svg")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no messages, only errors")
	return command
}

// statsReport is the output of stats. A field is nil if there is no valid track, or if the file lacks the data to
// compute it.
type statsReport struct {
	File              string              `json:"file"`
	Generator         string              `json:"generator,omitempty"`
	Envs              int                 `json:"envs"`
	Valid             int                 `json:"valid"`
	Yield             float64             `json:"yield"`
	Reasons           export.ReasonCounts `json:"reasons"`
	SelfCrossing      *float64            `json:"self_crossing"`
	Displacement      *float64            `json:"displacement"`
	Length            *float64            `json:"length"`
	Compactness       *float64            `json:"compactness"`
	CompactnessMedian *float64            `json:"compactness_median"`
	Chicanes          *float64            `json:"chicanes"`
	Straight          *float64            `json:"straight"`
	PeakCurvature     *float64            `json:"peak_curvature"`
	LapTime           *float64            `json:"lap_time"`
}

// measured holds the measurements of one valid track.
type measured struct {
	env  int
	seed int32
	quality.Loop
}

func (a *app) stats(ctx context.Context, path string, f statsFlags) error {
	chosen, err := a.reportFormat(f.format, summaryFormats...)
	if err != nil {
		return err
	}
	var plotFormat format
	if f.plot != "" {
		if plotFormat, err = fileFormat("--plot", f.plot, "", pictureFormats...); err != nil {
			return err
		}
		if err := export.Probe(f.plot); err != nil {
			return badInput(err)
		}
	}
	report, tracks, err := measureFile(ctx, path, f.envs)
	if err != nil {
		return err
	}
	if f.plot != "" {
		if err := plotStats(f.plot, plotFormat, report, tracks); err != nil {
			return err
		}
		if !f.quiet {
			a.message("drew the distributions of %s: %s", tracksText(len(tracks)), f.plot)
		}
	}
	switch chosen {
	case formatText:
		return report.writeText(a.stdout)
	case formatCSV:
		return writeMeasures(a.stdout, tracks)
	default:
		return writeJSON(a.stdout, report)
	}
}

// measureFile measures the valid tracks of a file, or those among the selected envs if envs is not empty.
func measureFile(ctx context.Context, path, envs string) (statsReport, []measured, error) {
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return statsReport{}, nil, badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	chosen := selection{{0, reader.Shape().Envs - 1}}
	if envs != "" {
		if chosen, err = parseSelection(envs, reader.Shape().Envs, reader.Names()); err != nil {
			return statsReport{}, nil, badInputf("--env: %w", err)
		}
	}
	var summariser quality.Summariser
	var summary export.Summarizer
	var tracks []measured
	err = readTracks(ctx, reader, chosen.last()+1, func(chunk *trackgen.Batch, first int) (bool, error) {
		part := &trackgen.Batch{NMax: chunk.NMax}
		for e := range chunk.Envs {
			if !chosen.contains(first + e) {
				continue
			}
			if err := part.Append(chunk, e); err != nil {
				return false, err
			}
			before := len(summariser.Loops())
			summariser.Add(oneTrack(chunk, e), nil)
			if loops := summariser.Loops(); len(loops) > before {
				tracks = append(tracks, measured{env: first + e, seed: chunk.Seed[e], Loop: loops[before]})
			}
		}
		return true, summary.Add(part)
	})
	if err != nil {
		return statsReport{}, nil, err
	}
	return newStatsReport(path, reader.Metadata().Config.Generator, summariser.Row(""), summary.Summary(), len(tracks)),
		tracks, nil
}

// oneTrack returns a batch that contains only env e of b and shares the memory of b.
func oneTrack(b *trackgen.Batch, e int) *trackgen.Batch {
	lo, hi := e*b.NMax, (e+1)*b.NMax
	return &trackgen.Batch{Envs: 1, NMax: b.NMax, HostColumns: trackgen.Columns{
		Center: b.Center[lo:hi], Valid: b.Valid[e : e+1], Reason: b.Reason[e : e+1], Count: b.Count[e : e+1],
	}}
}

func newStatsReport(path, generator string, row quality.Row, summary export.Summary, measured int) statsReport {
	r := statsReport{
		File: path, Generator: generator, Envs: summary.Envs, Valid: summary.Valid, Yield: summary.Yield,
		Reasons: summary.Reasons,
	}
	if measured > 0 {
		r.Length, r.Compactness, r.CompactnessMedian = &row.Length, &row.Compactness, &row.CompactnessMedian
		r.Chicanes, r.Straight, r.PeakCurvature, r.LapTime = &row.Chicanes, &row.Straight, &row.PeakCurvature, &row.LapTime
	}
	return r
}

func (r statsReport) writeText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(table, "%s\t"+format+"\n", append([]any{name}, args...)...)
	}
	figure := func(name, verb string, value *float64, missing string) {
		if value == nil {
			line(name, "%s", missing)
			return
		}
		line(name, verb, *value)
	}
	line("file", "%s", r.File)
	if r.Generator != "" {
		line("generator", "%s", r.Generator)
	}
	line("tracks", "%d", r.Envs)
	line("valid", "%d", r.Valid)
	if len(r.Reasons) > 0 {
		var reasons []string
		for _, reason := range r.Reasons {
			reasons = append(reasons, fmt.Sprintf("%s %d", reason.Reason, reason.Envs))
		}
		line("not valid", "%s", strings.Join(reasons, ", "))
	}
	line("yield", "%.4f", r.Yield)
	const absent, none = "not in this file", "no valid track"
	figure("self-crossing", "%.6f", r.SelfCrossing, absent)
	figure("moved", "%.5f", r.Displacement, absent)
	figure("length", "%.4g", r.Length, none)
	figure("compactness", "%.4f", r.Compactness, none)
	figure("compactness, median", "%.4f", r.CompactnessMedian, none)
	figure("chicanes", "%.2f", r.Chicanes, none)
	figure("straight", "%.4f", r.Straight, none)
	figure("peak curvature", "%.4g", r.PeakCurvature, none)
	figure("lap", "%.4g", r.LapTime, none)
	return table.Flush()
}

// writeMeasures writes a CSV table with one row per valid track.
func writeMeasures(w io.Writer, tracks []measured) error {
	rows := csv.NewWriter(w)
	_ = rows.Write([]string{"env", "seed", "length", "compactness", "chicanes", "straight", "peak_curvature",
		"lap_time"}) // Error returns it below
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, t := range tracks {
		_ = rows.Write([]string{strconv.Itoa(t.env), strconv.Itoa(int(t.seed)), number(t.Length), number(t.Compactness),
			strconv.Itoa(t.Chicanes), number(t.Straight), number(t.PeakCurvature), number(t.LapTime)})
	}
	rows.Flush()
	return rows.Error()
}

// plotStats draws the distributions of the measurements.
func plotStats(path string, chosen format, r statsReport, tracks []measured) error {
	collect := func(value func(measured) float64) []float64 {
		list := make([]float64, len(tracks))
		for i, t := range tracks {
			list[i] = value(t)
		}
		return list
	}
	histograms := []export.Histogram{
		{Name: "length", Axis: "track units", Values: collect(func(t measured) float64 { return t.Length })},
		{Name: "compactness", Axis: "4 pi area / length squared",
			Values: collect(func(t measured) float64 { return t.Compactness })},
		{Name: "chicanes", Axis: "changes of direction in a lap",
			Values: collect(func(t measured) float64 { return float64(t.Chicanes) }), Whole: true},
		{Name: "straight", Axis: "part of the points", Values: collect(func(t measured) float64 { return t.Straight })},
		{Name: "peak curvature", Axis: "1 / track units", Values: collect(
			func(t measured) float64 { return t.PeakCurvature })},
		{Name: "lap", Axis: "time at a lateral acceleration of 1",
			Values: collect(func(t measured) float64 { return t.LapTime })},
	}
	kind := r.Generator + " tracks"
	if r.Generator == "" {
		kind = "tracks"
	}
	title := fmt.Sprintf("%d %s, %d valid (%.1f %%)", r.Envs, kind, r.Valid, 100*r.Yield)
	return export.WriteFile(path, func(w io.Writer) error {
		if chosen == formatSVG {
			return export.WriteHistogramsSVG(w, title, histograms)
		}
		return export.WriteHistogramsPNG(w, title, histograms)
	})
}
