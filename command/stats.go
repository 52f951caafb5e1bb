package command

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/bench/quality"
	"github.com/trackgen-go/trackgen/export"
	"github.com/trackgen-go/trackgen/export/labels"
)

type statsFlags struct {
	envs   string
	format string
	plot   string
	quiet  bool
	labels labelFlags
}

func (a *app) statsCommand() *cobra.Command {
	var f statsFlags
	command := &cobra.Command{
		Use:   "stats FILE",
		Short: "Measure the tracks of an .npz file, or gate courses",
		Long: `Stats measures the tracks of an .npz file: how many are valid, how long and how compact they are, how they
would drive. The measures are those of the published comparison of generators:

  yield               valid tracks of all
  length              mean length of the centreline
  compactness         mean, and the median, of 4 pi area / length squared: 1 for a circle
  chicanes            mean number of changes of direction in a lap
  straight            mean part of the points with less than half the mean curvature
  peak curvature      mean of the largest curvature of each track
  lap time            mean time of a lap at a lateral acceleration of 1
  self-crossing       part of the loops that cross themselves before relaxation
  displacement        how far relaxation moves a point; like self-crossing, it needs the loops before relaxation,
                      which are not in an .npz file

With --labels it also prints the means of the labels of the valid tracks, which say how hard a track is to drive:
lap time, speeds, corners of each class and the longest straight of its racing line, the room beside the car.
The label lap_time, to which --where refers, is of a racing line and such a car, and another than the measure lap time.
--where measures only the tracks whose labels match: a condition of labels and numbers with the operators
< <= > >= == != + - * /, and, or, not, and parentheses. The labels are
` + labelNames() + `. The limits of the car
are those of a small race car in metres; on a circuit, try --car-width 2 --max-speed 80
--max-lateral-acceleration 20 --max-acceleration 10 --max-braking 20.

All but the yield are over the valid tracks. Lengths are in track units, of imported circuits in metres, and a
lap is then in seconds. A mixed batch also has a row for each of its generators. --plot draws the distribution
of each measure.

Of gate courses, it measures the yield with the reasons, the gates of a course, and over all gates of the valid
courses the distance to the next one, the angle by which the course turns, and the difference in height. A file
of gate courses may also be the .json, .csv or .parquet that generate and export write.

On a terminal it prints a table, else JSON, with null for what is not in the file; --format text, json or csv
says which. As csv it prints one row for each valid track or course.

How long it takes: 10,000 tracks less than a second, with labels about ten seconds on one core.

Exit codes: 0 done, 1 the run failed, 2 bad usage or input (nothing was written), 130 interrupted.`,
		Example: `  trackgen stats tracks.npz
  trackgen stats tracks.npz --labels --where 'lap_time < 4 and hairpins >= 2'
  trackgen stats tracks.npz --plot stats.png
  trackgen stats tracks.npz --env 0-99 --format csv > tracks.csv
  trackgen stats gates.npz --plot distances.png
  trackgen stats tracks.npz | jq .compactness`,
		Args:        oneFile("stats"),
		Annotations: fileArguments(roleInput),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return courseExtensions, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	command.RunE = a.run(func(ctx context.Context, arguments []string) error {
		f.labels.note(command)
		return a.stats(ctx, arguments[0], f)
	})
	flags := command.Flags()
	envFlag(command, &f.envs, "measure")
	formatFlag(command, &f.format, reportDefault, summaryFormats...)
	fileFlag(command, &f.plot, "plot", "", roleOutput, "`file` for a picture of the distributions: .png or .svg")
	flags.BoolVar(&f.labels.show, "labels", false, "also print the labels, means or one column for each")
	f.labels.add(command, "measure")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "no messages, only errors")
	return command
}

// statsReport is the output of stats.
type statsReport struct {
	File      string `json:"file"`
	Generator string `json:"generator,omitempty"`
	Unit      string `json:"unit,omitempty"` // of lengths; absent for track units
	statsRow
	Labels     map[string]float64 `json:"labels,omitempty"`     // means over the valid tracks, with --labels
	Components []componentStats   `json:"components,omitempty"` // only for a mixed batch, in the order of the mixture
}

// componentStats are the statistics of the tracks of one component of a mixed batch.
type componentStats struct {
	name      string  // see componentNames
	Generator string  `json:"generator"`
	Weight    float64 `json:"weight"`
	statsRow
}

// statsRow holds the statistics of some tracks. A field is nil if there is no valid track, or if the file lacks the
// data to compute it.
type statsRow struct {
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
	env       int
	seed      int32
	component int       // of a mixed batch
	generator string    // empty for a measured circuit
	name      string    // empty if the track has none
	labels    []float64 // in the order of labels.Names; nil without --labels
	quality.Loop
}

// tally adds up the statistics of tracks.
type tally struct {
	loops   quality.Summariser
	summary export.Summarizer
}

// add adds the chosen tracks of a chunk.
func (t *tally) add(chunk *trackgen.Batch, chosen []int) error {
	part := &trackgen.Batch{NMax: chunk.NMax}
	if err := part.Append(chunk, chosen...); err != nil {
		return err
	}
	for _, e := range chosen {
		t.loops.Add(oneTrack(chunk, e), nil)
	}
	return t.summary.Add(part)
}

func (t *tally) row() statsRow {
	summary, row := t.summary.Summary(), t.loops.Row("")
	r := statsRow{Envs: summary.Envs, Valid: summary.Valid, Yield: summary.Yield, Reasons: summary.Reasons}
	if len(t.loops.Loops()) > 0 {
		r.Length, r.Compactness, r.CompactnessMedian = &row.Length, &row.Compactness, &row.CompactnessMedian
		r.Chicanes, r.Straight, r.PeakCurvature, r.LapTime = &row.Chicanes, &row.Straight, &row.PeakCurvature, &row.LapTime
	}
	return r
}

func (a *app) stats(ctx context.Context, path string, f statsFlags) (err error) {
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
	if export.HoldsGates(path) {
		if err := f.labels.refuseGates(path); err != nil {
			return err
		}
		return a.gateStats(ctx, path, f, chosen, plotFormat)
	}
	labeller, err := f.labels.open(a, f.quiet, " or --labels")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, labeller.close()) }()
	report, tracks, err := measureFile(ctx, path, f, labeller, a.screen(f.quiet))
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
		return report.writeText(a.stdout, columnsOf(a.stdout.w))
	case formatCSV:
		return writeMeasures(a.stdout, tracks, f.labels.show)
	default:
		return writeJSON(a.stdout, report)
	}
}

// measureFile measures the valid tracks of a file that the flags select, with their labels if l is not nil. It shows
// its progress on screen, if that is a terminal.
func measureFile(ctx context.Context, path string, f statsFlags, l *labeller, screen io.Writer) (statsReport,
	[]measured, error) {
	reader, err := export.OpenNPZ(path)
	if err != nil {
		return statsReport{}, nil, badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	chosen, err := chosenEnvs(f.envs, reader.Shape().Envs, reader.Names())
	if err != nil {
		return statsReport{}, nil, err
	}
	metadata := reader.Metadata()
	mix := metadata.Config.Mix
	var all tally
	var tracks []measured
	var means labels.Means
	components := make([]tally, len(mix))
	bar := newProgress(screen, "measuring", "tracks", chosen.last()+1)
	defer bar.Done()
	err = readChunks(ctx, reader, chosen.last()+1, func(chunk *trackgen.Batch, first int) (bool, error) {
		defer bar.Add(chunk.Envs)
		parts := make([][]int, len(mix))
		of, err := l.label(ctx, chunk)
		if err != nil {
			return false, err
		}
		for e := range chunk.Envs {
			if !chosen.contains(first+e) || !l.matches(of, e) {
				continue
			}
			before := len(all.loops.Loops())
			if err := all.add(chunk, []int{e}); err != nil {
				return false, err
			}
			t := measured{env: first + e, seed: chunk.Seed[e], generator: metadata.Config.Generator, name: chunk.Name(e)}
			if k, ok := componentOf(chunk, e, len(mix)); ok {
				parts[k] = append(parts[k], e)
				t.component, t.generator = k, mix[k].Generator
			}
			if loops := all.loops.Loops(); len(loops) > before {
				t.Loop = loops[before]
				if f.labels.show {
					t.labels = labels.ValuesOf(of, e)
					means.Add(t.labels)
				}
				tracks = append(tracks, t)
			}
		}
		for k, part := range parts {
			if err := components[k].add(chunk, part); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	if err != nil {
		return statsReport{}, nil, err
	}
	bar.Finish()
	report := statsReport{File: path, Generator: metadata.Config.Generator, Unit: unitOf(metadata), statsRow: all.row(),
		Labels: means.ByName()}
	for k, name := range componentNames(metadata.Config) {
		report.Components = append(report.Components, componentStats{name: name, Generator: mix[k].Generator,
			Weight: mix[k].Weight, statsRow: components[k].row()})
	}
	return report, tracks, nil
}

// oneTrack returns a batch that contains only env e of b and shares the memory of b.
func oneTrack(b *trackgen.Batch, e int) *trackgen.Batch {
	lo, hi := e*b.NMax, (e+1)*b.NMax
	return &trackgen.Batch{Envs: 1, NMax: b.NMax, HostColumns: trackgen.Columns{
		Center: b.Center[lo:hi], Valid: b.Valid[e : e+1], Reason: b.Reason[e : e+1], Count: b.Count[e : e+1],
	}}
}

func (r statsReport) writeText(w io.Writer, columns int) error {
	text := statsText{width: 21}
	figure := func(name, verb string, value *float64, missing string) {
		if value == nil {
			text.line(name, "%s", missing)
			return
		}
		text.line(name, verb, *value)
	}
	length, curvature, lap := "%.4g", "%.4g", "%.4g"
	if r.Unit != "" {
		length, curvature, lap = "%.1f "+r.Unit, "%.4g / "+r.Unit, "%.1f s"
	}
	text.head(r.File, r.Generator, "tracks", r.counts())
	const absent, none = "not in this file", "no valid track"
	figure("self-crossing", "%.6f", r.SelfCrossing, absent)
	figure("displacement", "%.5f", r.Displacement, absent)
	figure("length", length, r.Length, none)
	figure("compactness", "%.4f", r.Compactness, none)
	figure("compactness, median", "%.4f", r.CompactnessMedian, none)
	figure("chicanes", "%.2f", r.Chicanes, none)
	figure("straight", "%.4f", r.Straight, none)
	figure("peak curvature", curvature, r.PeakCurvature, none)
	figure("lap time", lap, r.LapTime, none)
	for _, name := range labels.Names() {
		if mean, ok := r.Labels[name]; ok {
			text.line(name, "%.4g", mean)
		}
	}
	return text.write(w, columns, r.componentTable())
}

func (r statsRow) counts() statsCounts { return statsCounts{r.Envs, r.Valid, r.Yield, r.Reasons} }

// componentTable returns a table with a row for each component, nil if there is none.
func (r statsReport) componentTable() *table {
	if len(r.Components) == 0 {
		return nil
	}
	t := &table{head: []string{"GENERATOR", "WEIGHT", "TRACKS", "VALID", "YIELD", "LENGTH", "COMPACTNESS", "CHICANES",
		"STRAIGHT", "PEAK CURVATURE", "LAP"}, keys: 1}
	if len(r.Reasons) > 0 {
		t.head = append(t.head, "NOT VALID")
	}
	for _, c := range r.Components {
		figure := func(verb string, value *float64) string {
			if value == nil {
				return "-"
			}
			return fmt.Sprintf(verb, *value)
		}
		row := append(c.counts().cells(c.name, c.Weight),
			figure("%#.4g", c.Length), figure("%.4f", c.Compactness), figure("%.2f", c.Chicanes),
			figure("%.4f", c.Straight), figure("%#.4g", c.PeakCurvature), figure("%#.4g", c.LapTime))
		if len(r.Reasons) > 0 {
			row = append(row, reasonCountsText(c.Reasons))
		}
		t.add(row...)
	}
	return t
}

// reasonCountsText returns reasons with the number of tracks that they concern, "-" for none.
func reasonCountsText(counts export.ReasonCounts) string {
	var reasons []string
	for _, c := range counts {
		reasons = append(reasons, fmt.Sprintf("%s %d", c.Reason, c.Envs))
	}
	if len(reasons) == 0 {
		return "-"
	}
	return strings.Join(reasons, ", ")
}

// writeMeasures writes a CSV table with one row per valid track, and with labels if the tracks are labelled.
func writeMeasures(w io.Writer, tracks []measured, labelled bool) error {
	rows := csv.NewWriter(w)
	head := []string{"env", "seed", "length", "compactness", "chicanes", "straight", "peak_curvature",
		"lap_time", "component", "generator", "name"}
	if labelled {
		for _, name := range labels.Names() {
			head = append(head, "label_"+name)
		}
	}
	_ = rows.Write(head) // Error returns it below
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, t := range tracks {
		row := []string{strconv.Itoa(t.env), strconv.Itoa(int(t.seed)), number(t.Length), number(t.Compactness),
			strconv.Itoa(t.Chicanes), number(t.Straight), number(t.PeakCurvature), number(t.LapTime),
			strconv.Itoa(t.component), t.generator, t.name}
		if labelled {
			for _, v := range t.labels {
				row = append(row, number(v))
			}
		}
		_ = rows.Write(row)
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
	unit, lap := "track units", "time at a lateral acceleration of 1"
	if r.Unit != "" {
		unit, lap = r.Unit, "seconds at a lateral acceleration of 1 m/s²"
	}
	histograms := []export.Histogram{
		{Name: "length", Axis: unit, Values: collect(func(t measured) float64 { return t.Length })},
		{Name: "compactness", Axis: "4 pi area / length squared",
			Values: collect(func(t measured) float64 { return t.Compactness })},
		{Name: "chicanes", Axis: "changes of direction in a lap",
			Values: collect(func(t measured) float64 { return float64(t.Chicanes) }), Whole: true},
		{Name: "straight", Axis: "part of the points", Values: collect(func(t measured) float64 { return t.Straight })},
		{Name: "peak curvature", Axis: "1 / " + unit, Values: collect(
			func(t measured) float64 { return t.PeakCurvature })},
		{Name: "lap", Axis: lap, Values: collect(func(t measured) float64 { return t.LapTime })},
	}
	kind := "track"
	switch {
	case r.Unit != "":
		kind = "circuit"
	case r.Generator != "":
		kind = r.Generator + " track"
	}
	title := fmt.Sprintf("%s, %d valid (%.1f %%)", countText(r.Envs, kind), r.Valid, 100*r.Yield)
	return writeHistograms(path, chosen, title, histograms)
}

// writeHistograms draws distributions to a file.
func writeHistograms(path string, chosen format, title string, histograms []export.Histogram) error {
	return export.WriteFile(path, func(w io.Writer) error {
		if chosen == formatSVG {
			return export.WriteHistogramsSVG(w, title, histograms)
		}
		return export.WriteHistogramsPNG(w, title, histograms)
	})
}
