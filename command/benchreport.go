package command

import (
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/bench/measure"
	"github.com/trackgen-go/trackgen/export"
)

// writeBenchTables writes the report as text: the machines, the batches, their stages, and the batches that were not
// measured. If estimate is set, it adds what an H200 could do.
func writeBenchTables(w io.Writer, r benchReport, columns int, estimate bool) error {
	head := fmt.Sprintf("trackgen %s, %s, %s, %d cores, %s\n", r.Version, r.Go, r.Platform, r.Cores, r.Date)
	if r.steps() != "" {
		head += "times of a step of a " + r.steps() + "\n"
	}
	if _, err := io.WriteString(w, fold(head, columns)); err != nil {
		return err
	}
	tables := []table{r.machineTable(), r.scalingTable(), r.workTable(estimate), r.resultTable(estimate), r.stageTable(),
		r.stepTable()}
	for _, t := range tables {
		if len(t.rows) == 0 {
			continue
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		if err := t.write(w, columns); err != nil {
			return err
		}
	}
	return nil
}

func (r benchReport) machineTable() table {
	t := table{head: []string{"DEVICE", "DESCRIPTION", "LANES", "COPY", "ARITHMETIC"}, keys: 1}
	for _, m := range r.Machines {
		lanes := "-"
		if m.Lanes > 0 {
			lanes = fmt.Sprint(m.Lanes)
		}
		t.add(m.Device, m.Description, lanes, fmt.Sprintf("%.1f GB/s", m.Roofline.BytesPerSecond/1e9),
			fmt.Sprintf("%.2f Gop/s", m.Roofline.OperationsPerSecond/1e9))
	}
	return t
}

// thing returns what an env of the batches has, as the head of a column; things returns its plural.
func (r benchReport) thing() string  { return strings.ToUpper(thingOf(r.Course)) }
func (r benchReport) things() string { return strings.ToUpper(thingsOf(r.Course)) }

func (r benchReport) scalingTable() table {
	t := table{head: []string{"GENERATOR", r.things(), "WORKERS", "TIME", "SPREAD", "EFFICIENCY"}, keys: 3}
	for _, c := range r.Scaling {
		t.add(c.Generator, fmt.Sprint(c.Envs), fmt.Sprint(c.Workers), shortTime(c.Time.Median),
			percent(c.Time.Spread()), percent(c.Efficiency))
	}
	return t
}

func (r benchReport) workTable(estimate bool) table {
	t := table{head: []string{"GENERATOR", "OPERATIONS/" + r.thing(), "BYTES/" + r.thing()}, keys: 1}
	if estimate {
		t.head = append(t.head, "H200 COULD")
	}
	t.head = append(t.head, "MOST OF IT IN")
	for _, g := range r.Work {
		row := []string{g.Generator, fmt.Sprintf("%.0f", g.Operations), fmt.Sprintf("%.0f", g.Bytes)}
		if estimate {
			row = append(row, fmt.Sprintf("%.2g %s/s", 1/g.Floor(1, measure.H200), thingsOf(r.Course)))
		}
		t.add(append(row, heaviest(g))...)
	}
	return t
}

func (r benchReport) resultTable(estimate bool) table {
	t := table{head: []string{"DEVICE", "GENERATOR", r.things(), "TIME", "SPREAD", "FLOOR", "TIMES FLOOR"}, keys: 3}
	if estimate {
		t.head = append(t.head, "H200 FLOOR")
	}
	t.head = append(t.head, r.things()+"/S", "PER CORE", "REPLAY", "FIRST CALL", "RECORD", "1 %", "10 %", "100 %",
		"LAUNCHES", "NODES", "MEMORY/"+r.thing())
	for _, b := range r.Results {
		row := []string{b.Device, b.Generator, fmt.Sprint(b.Envs), shortTime(b.Generate.Median),
			percent(b.Generate.Spread()), shortTime(b.Floor), fmt.Sprintf("%.1f", b.TimesFloor)}
		if estimate {
			row = append(row, shortTime(b.H200Floor))
		}
		perCore := "-"
		if b.TracksPerSecondPerCore > 0 {
			perCore = fmt.Sprintf("%.0f", b.TracksPerSecondPerCore)
		}
		t.add(append(row, fmt.Sprintf("%.0f", b.TracksPerSecond), perCore, shortTime(b.Replay.Median),
			shortTime(b.FirstCall), shortTime(b.Capture), medianText(b.Regenerate[0]), medianText(b.Regenerate[1]),
			medianText(b.Regenerate[2]), fmt.Sprint(b.Launches), fmt.Sprint(b.Nodes), bytesText(b.BytesPerEnv))...)
	}
	return t
}

// steps returns what the steps are of that were measured, "" for generations.
func (r benchReport) steps() string {
	switch {
	case r.Race:
		return "race"
	case r.Step:
		return "course"
	}
	return ""
}

// nameOf returns the name of a generator in lists that hold reports of tracks and of gate courses.
func (r benchReport) nameOf(generator string) string {
	if r.Course == courseGates {
		generator = gatesOf(generator)
	}
	switch {
	case r.Race:
		generator += " race"
	case r.Step:
		generator += " step"
	}
	return generator
}

func (r benchReport) stageTable() table {
	t := table{head: []string{"DEVICE", "GENERATOR", r.things(), "STAGES"}, keys: 3}
	for _, b := range r.Results {
		if r.steps() != "" {
			break // stepTable has their stages
		}
		var stages []string
		for _, stage := range b.Stages {
			stages = append(stages, stage.Name+" "+shortTime(stage.Time.Median))
		}
		t.add(b.Device, b.Generator, fmt.Sprint(b.Envs), strings.Join(stages, ", "))
	}
	for _, s := range r.Skipped {
		t.add(s.Device, s.Generator, fmt.Sprint(s.Envs), "NOT MEASURED: "+s.Reason)
	}
	return t
}

// stepTable has the stages of steps, and in the last row of each batch the whole step.
func (r benchReport) stepTable() table {
	t := table{head: []string{"DEVICE", "GENERATOR", r.things(), "STAGE", "TIME", "SPREAD", "FLOOR", "TIMES FLOOR",
		"PER AGENT", "AGENT STEPS/S"}, keys: 4}
	for _, b := range r.Results {
		if r.steps() == "" {
			break
		}
		agents := float64(b.Agents * b.Envs)
		for _, s := range append(slices.Clone(b.Stages), measure.Stage{Name: "step", Time: b.Generate, Floor: b.Floor}) {
			of := s.Time.Median.Seconds()
			t.add(b.Device, b.Generator, fmt.Sprint(b.Envs), s.Name, shortTime(s.Time.Median), percent(s.Time.Spread()),
				shortTime(s.Floor), timesFloor(s), fmt.Sprintf("%.1f ns", 1e9*of/agents), fmt.Sprintf("%.0f", agents/of))
		}
	}
	return t
}

// timesFloor returns how many times its floor a stage takes, or "-" if it has none.
func timesFloor(s measure.Stage) string {
	if s.Floor == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", s.Time.Median.Seconds()/s.Floor.Seconds())
}

// bytesText returns a number of bytes, or "-" where it is not known.
func bytesText(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprint(n)
}

func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }

// heaviest returns the name of the kernel with the most operations, and its share of all operations.
func heaviest(g measure.GeneratorWork) string {
	most := measure.KernelWork{}
	for _, k := range g.Kernels {
		if k.Operations >= most.Operations {
			most = k
		}
	}
	return fmt.Sprintf("%s, %.0f %%", path.Base(most.Kernel), 100*most.Operations/max(g.Operations, 1))
}

func medianText(t *measure.Times) string {
	if t == nil {
		return "-"
	}
	return shortTime(t.Median)
}

// shortTime returns a time rounded to three digits.
func shortTime(s measure.Seconds) string {
	d := time.Duration(s)
	unit := time.Duration(1)
	for d >= 1000*unit {
		unit *= 10
	}
	return d.Round(unit).String()
}

// writeBenchCSV writes one row per measured time, so that tables of different versions can be joined.
func writeBenchCSV(w io.Writer, r benchReport) error {
	rows := csv.NewWriter(w)
	_ = rows.Write([]string{"device", "generator", "envs", "figure", "runs", "median_seconds", "low_seconds",
		"high_seconds", "floor_seconds"}) // Error returns it below
	number := func(s measure.Seconds) string { return strconv.FormatFloat(s.Seconds(), 'g', -1, 64) }
	for _, c := range r.Scaling {
		_ = rows.Write([]string{"cpu", r.nameOf(c.Generator), strconv.Itoa(c.Envs), fmt.Sprintf("workers_%d", c.Workers),
			strconv.Itoa(c.Time.Runs), number(c.Time.Median), number(c.Time.Low), number(c.Time.High), ""})
	}
	for _, b := range r.Results {
		figure := func(name string, t measure.Times, floor measure.Seconds) {
			least := ""
			if floor > 0 {
				least = number(floor)
			}
			_ = rows.Write([]string{b.Device, r.nameOf(b.Generator), strconv.Itoa(b.Envs), name, strconv.Itoa(t.Runs),
				number(t.Median), number(t.Low), number(t.High), least})
		}
		eachFigure(b, figure)
	}
	rows.Flush()
	return rows.Error()
}

// eachFigure calls figure with the name, the value and the floor of each time of a result, 0 for none.
func eachFigure(b measure.Result, figure func(name string, t measure.Times, floor measure.Seconds)) {
	once := func(s measure.Seconds) measure.Times { return measure.Times{Runs: 1, Median: s, Low: s, High: s} }
	figure("first_call", once(b.FirstCall), 0)
	figure("generate", b.Generate, b.Floor)
	figure("capture", once(b.Capture), 0)
	figure("replay", b.Replay, b.Floor)
	for i, percent := range measure.Percentages {
		if b.Regenerate[i] != nil {
			figure(fmt.Sprintf("regenerate_%d%%", percent), *b.Regenerate[i], 0)
		}
	}
	for _, stage := range b.Stages {
		figure("stage_"+stage.Name, stage.Time, stage.Floor)
	}
}

// writeBenchGo writes the report in the format of Go benchmarks, which benchstat reads.
func writeBenchGo(w io.Writer, r benchReport) error {
	platform := strings.SplitN(r.Platform, "/", 2)
	name := func(generator string) string { return strings.ReplaceAll(r.nameOf(generator), " ", "_") }
	var text strings.Builder
	fmt.Fprintf(&text, "goos: %s\ngoarch: %s\npkg: github.com/trackgen-go/trackgen\n", platform[0], platform[1])
	for _, c := range r.Scaling {
		fmt.Fprintf(&text, "Benchmark/cpu/%s/workers=%d/E=%d-%d\t%d\t%d ns/op\n", name(c.Generator), c.Workers, c.Envs,
			r.Cores, c.Time.Runs, int64(c.Time.Median))
	}
	for _, b := range r.Results {
		eachFigure(b, func(figure string, t measure.Times, _ measure.Seconds) {
			fmt.Fprintf(&text, "Benchmark/%s/%s/%s/E=%d-%d\t%d\t%d ns/op\n", b.Device, name(b.Generator), figure, b.Envs,
				r.Cores, t.Runs, int64(t.Median))
		})
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// writeBenchPicture plots the time of a generation over the batch size, with one line per device and generator.
func writeBenchPicture(w io.Writer, r benchReport, picture format) error {
	title := "Time of one generation"
	if r.steps() != "" {
		title = "Time of one step"
	}
	chart := export.Chart{Title: title, XAxis: thingsOf(r.Course) + " in the batch", YAxis: "seconds"}
	for _, b := range r.Results {
		name := b.Device + " " + b.Generator
		if last := len(chart.Series) - 1; last < 0 || chart.Series[last].Name != name {
			chart.Series = append(chart.Series, export.Series{Name: name,
				Color: slices.Index(trackgen.Generators(), b.Generator), Dash: b.Device != r.Machines[0].Device})
		}
		series := &chart.Series[len(chart.Series)-1]
		series.Points = append(series.Points, export.ChartPoint{X: float64(b.Envs), Y: b.Generate.Median.Seconds()})
	}
	if picture == formatSVG {
		return export.WriteChartSVG(w, chart)
	}
	return export.WriteChartPNG(w, chart)
}
