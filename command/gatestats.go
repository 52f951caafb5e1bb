package command

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// gateStatsReport is the output of stats for gate courses.
type gateStatsReport struct {
	File      string `json:"file"`
	Course    string `json:"course"` // gates
	Generator string `json:"generator,omitempty"`
	gateStatsRow
	Components []gateComponentStats `json:"components,omitempty"` // only for a mixed batch, in the order of the mixture
}

// gateComponentStats are the statistics of the courses of one component of a mixed batch.
type gateComponentStats struct {
	name      string  // see numberedNames
	Generator string  `json:"generator"`
	Weight    float64 `json:"weight"`
	gateStatsRow
}

// gateStatsRow holds the statistics of some courses. A field is nil without a valid course.
type gateStatsRow struct {
	export.GateSummary
	Distance         *export.Statistics `json:"distance"`          // to the next gate
	Turn             *export.Statistics `json:"turn"`              // in radians; nil too without a valid course of 3 gates
	HeightDifference *export.Statistics `json:"height_difference"` // to the next gate
}

// gateTally adds up the statistics of courses.
type gateTally struct {
	summarizer export.GateSummarizer
	courses    []measuredCourse
}

// add adds the chosen courses of a chunk. measured are those that are valid.
func (t *gateTally) add(chunk *trackgen.GateBatch, chosen []int, measured []measuredCourse) error {
	t.courses = append(t.courses, measured...)
	part := &trackgen.GateBatch{MaxGates: chunk.MaxGates}
	return errors.Join(part.Append(chunk, chosen...), t.summarizer.Add(part))
}

func (t *gateTally) row() gateStatsRow {
	return gateStatsRow{
		GateSummary:      t.summarizer.Summary(),
		Distance:         export.StatisticsOf(gateValues(t.courses, distances)),
		Turn:             export.StatisticsOf(gateValues(t.courses, turns)),
		HeightDifference: export.StatisticsOf(gateValues(t.courses, heights)),
	}
}

// measuredCourse holds the measurements of one valid course.
type measuredCourse struct {
	env       int
	seed      int32
	component int    // of a mixed batch
	generator string // empty in a file of another program
	export.GateMeasures
}

// gateStats is stats for a file of gate courses.
func (a *app) gateStats(ctx context.Context, path string, f statsFlags, chosen, plotFormat format) error {
	report, courses, err := measureGateFile(ctx, path, f.envs, a.screen(f.quiet))
	if err != nil {
		return err
	}
	if f.plot != "" {
		if err := plotGateStats(f.plot, plotFormat, report, courses); err != nil {
			return err
		}
		if !f.quiet {
			a.message("drew the distributions of %s: %s", countText(len(courses), "course"), f.plot)
		}
	}
	switch chosen {
	case formatText:
		return report.writeText(a.stdout, columnsOf(a.stdout.w))
	case formatCSV:
		return writeCourses(a.stdout, courses)
	default:
		return writeJSON(a.stdout, report)
	}
}

// measureGateFile measures the valid courses of a file, or those among the selected envs if envs is not empty.
func measureGateFile(ctx context.Context, path, envs string, screen io.Writer) (r gateStatsReport,
	list []measuredCourse, err error) {
	reader, err := export.OpenGates(path)
	if err != nil {
		return r, nil, badInput(err)
	}
	defer reader.Close() //nolint:errcheck // the file was only read
	chosen, err := chosenEnvs(envs, reader.Shape().Envs, nil)
	if err != nil {
		return r, nil, err
	}
	bar := newProgress(screen, "measuring", "courses", chosen.last()+1)
	defer bar.Done()
	config := reader.Metadata().Config
	var all gateTally
	components := make([]gateTally, len(config.Mix))
	err = readChunks(ctx, reader, chosen.last()+1, func(chunk *trackgen.GateBatch, first int) (bool, error) {
		defer bar.Add(chunk.Envs)
		envs, courses, err := measureChunk(chunk, first, chosen, config)
		if err != nil {
			return false, badInputf("%q: %w", path, err)
		}
		for k := range components {
			mine := slices.DeleteFunc(slices.Clone(envs), func(e int) bool { return !isComponent(chunk.Component, e, k) })
			measured := slices.DeleteFunc(slices.Clone(courses), func(c measuredCourse) bool {
				return !isComponent(chunk.Component, c.env-first, k)
			})
			err = errors.Join(err, components[k].add(chunk, mine, measured))
		}
		return true, errors.Join(err, all.add(chunk, envs, courses))
	})
	if err != nil {
		return r, nil, err
	}
	bar.Finish()
	r = gateStatsReport{File: path, Course: courseGates, Generator: config.Generator, gateStatsRow: all.row()}
	for k, name := range numberedNames(mixedGenerators(config)) {
		r.Components = append(r.Components, gateComponentStats{name: name, Generator: config.Mix[k].Generator,
			Weight: config.Mix[k].Weight, gateStatsRow: components[k].row()})
	}
	return r, all.courses, nil
}

// measureChunk returns the chosen envs of a chunk whose first env is env first of the file, and the measurements of
// those that are valid.
func measureChunk(chunk *trackgen.GateBatch, first int, chosen selection, config trackgen.GateConfig) (envs []int,
	courses []measuredCourse, err error) {
	for e := range chunk.Envs {
		if !chosen.contains(first + e) {
			continue
		}
		envs = append(envs, e)
		if chunk.Valid[e] == 0 {
			continue
		}
		course := measuredCourse{env: first + e, seed: chunk.Seed[e], generator: config.Generator,
			GateMeasures: export.MeasureGates(chunk, e)}
		for k := range config.Mix {
			if isComponent(chunk.Component, e, k) {
				course.component, course.generator = k, config.Mix[k].Generator
			}
		}
		if err := course.check(); err != nil {
			return nil, nil, err
		}
		courses = append(courses, course)
	}
	return envs, courses, nil
}

// isComponent reports whether env e of a mixed batch is one of component k. Files of other programs may have any
// number, or none.
func isComponent(components []int32, e, k int) bool {
	return components != nil && components[e] == int32(k)
}

// check returns an error for a course that no program should call valid, as only files of other programs do.
func (c measuredCourse) check() error {
	if len(c.Distances) < 2 {
		return fmt.Errorf("env %d is valid, but has fewer than 2 gates", c.env)
	}
	for i, d := range c.Distances {
		if math.IsNaN(d) || math.IsInf(d, 0) {
			return fmt.Errorf("env %d is valid, but gate %d or the next one has a position that is not finite", c.env, i)
		}
	}
	return nil
}

func distances(c measuredCourse) []float64 { return c.Distances }
func turns(c measuredCourse) []float64     { return c.Turns }
func heights(c measuredCourse) []float64   { return c.Heights }

// gateValues returns one measure of all gates.
func gateValues(list []measuredCourse, of func(measuredCourse) []float64) (values []float64) {
	for _, course := range list {
		values = append(values, of(course)...)
	}
	return values
}

func (r gateStatsReport) writeText(w io.Writer, columns int) error {
	text := statsText{width: 19}
	figures := func(name, unit string, s *export.Statistics) {
		if s == nil {
			text.line(name, "no valid course")
			return
		}
		text.line(name, "mean %.4g, median %.4g, from %.4g to %.4g%s", s.Mean, s.Median, s.Min, s.Max, unit)
	}
	text.head(r.File, r.Generator, "courses", r.counts())
	text.line("fallbacks", "%d gates without a level direction, in %d courses", r.FrameFallbacks, r.FallbackEnvs)
	figures("gates", "", r.Gates)
	figures("distance", "", r.Distance)
	figures("turn", " rad", r.Turn)
	figures("height difference", "", r.HeightDifference)
	return text.write(w, columns, r.componentTable())
}

func (r gateStatsRow) counts() statsCounts { return statsCounts{r.Envs, r.Valid, r.Yield, r.Reasons} }

// componentTable returns a table with a row for each component, nil if there is none. Distances, turns and differences
// in height are means.
func (r gateStatsReport) componentTable() *table {
	if len(r.Components) == 0 {
		return nil
	}
	t := &table{head: []string{"GENERATOR", "WEIGHT", "COURSES", "VALID", "YIELD", "GATES", "DISTANCE", "TURN",
		"HEIGHT DIFFERENCE", "FALLBACKS"}, keys: 1}
	if len(r.Reasons) > 0 {
		t.head = append(t.head, "NOT VALID")
	}
	for _, c := range r.Components {
		mean := func(s *export.Statistics) string {
			if s == nil {
				return "-"
			}
			return fmt.Sprintf("%.4g", s.Mean)
		}
		row := append(c.counts().cells(c.name, c.Weight),
			mean(c.Gates), mean(c.Distance), mean(c.Turn), mean(c.HeightDifference), fmt.Sprint(c.FrameFallbacks))
		if len(r.Reasons) > 0 {
			row = append(row, reasonCountsText(c.Reasons))
		}
		t.add(row...)
	}
	return t
}

// writeCourses writes a CSV table with one row per valid course.
func writeCourses(w io.Writer, list []measuredCourse) error {
	rows := csv.NewWriter(w)
	_ = rows.Write([]string{"env", "seed", "gates", "length", "min_distance", "max_distance", "min_turn", "max_turn",
		"max_height_difference", "component", "generator"}) // Error returns it below
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, c := range list {
		length := 0.0
		for _, d := range c.Distances {
			length += d
		}
		row := []string{strconv.Itoa(c.env), strconv.Itoa(int(c.seed)), strconv.Itoa(len(c.Distances)), number(length),
			number(slices.Min(c.Distances)), number(slices.Max(c.Distances)), "", "", number(slices.Max(c.Heights)),
			strconv.Itoa(c.component), c.generator}
		if c.Turns != nil {
			row[6], row[7] = number(slices.Min(c.Turns)), number(slices.Max(c.Turns))
		}
		_ = rows.Write(row)
	}
	rows.Flush()
	return rows.Error()
}

// plotGateStats draws the distributions of the measurements.
func plotGateStats(path string, chosen format, r gateStatsReport, list []measuredCourse) error {
	var gates []float64
	for _, c := range list {
		gates = append(gates, float64(len(c.Distances)))
	}
	histograms := []export.Histogram{
		{Name: "gates", Axis: "gates of a course", Values: gates, Whole: true},
		{Name: "distance", Axis: "length units to the next gate", Values: gateValues(list, distances)},
		{Name: "turn", Axis: "rad at a gate", Values: gateValues(list, turns)},
		{Name: "height difference", Axis: "length units to the next gate", Values: gateValues(list, heights)},
	}
	kind := strings.TrimPrefix(adjectiveOf(r.Generator)+" gate course", " ") // files of other programs have no generator
	title := fmt.Sprintf("%s, %d valid (%.1f %%)", countText(r.Envs, kind), r.Valid, 100*r.Yield)
	return writeHistograms(path, chosen, title, histograms)
}
