//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/trackgen-go/trackgen/bench/gpucheck/facts"
)

// Results of a check.
const (
	passed  = "passed"
	failed  = "FAILED"
	skipped = "skipped"
	notRun  = "not run"
)

// row is one check in the table.
type row struct {
	Check    string
	Result   string // passed, FAILED, skipped or not run
	Reason   string
	Seconds  float64
	Measured map[string]float64 // by name, which ends with the unit

	facts facts.Facts
	times *timed
}

// String returns the row in one line, with a shortened reason.
func (r row) String() string {
	text := fmt.Sprintf("%s: %s (%.1f s)", r.Check, r.Result, r.Seconds)
	if r.Reason != "" {
		text += ": " + short(r.Reason)
	}
	return text
}

// measured lists the measurements by name.
func (r row) measured() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(r.Measured)) {
		parts = append(parts, fmt.Sprintf("%s %.4g", name, r.Measured[name]))
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	return strings.Join(parts, ", ")
}

// report is the content of the JSON file, which is also the last line of the output: everything that docs/hardware.md
// asks about a GPU. What a check that did not run would have found out is null or left out; Checks says why it did not
// run. Times and sizes are in the units of their names.
type report struct {
	Date    string  `json:"date"`
	Seconds float64 `json:"seconds"`
	Limit   float64 `json:"limit_seconds"`
	GPU     string  `json:"gpu"` // empty if there is none
	Driver  string  `json:"driver"`

	Device     *facts.Device      `json:"device"`
	Opened     *facts.Opened      `json:"opened"`
	Trials     []facts.Trial      `json:"conditionals"` // those of the probe, each tried alone
	Nesting    *facts.Nesting     `json:"nesting"`
	Unused     *facts.Unused      `json:"unused_handle"`
	Modules    map[string]float64 `json:"modules_ms"`
	Loading    *facts.Loading     `json:"compiling"`
	Columns    []string           `json:"kernel_columns"`
	Kernels    map[string][]int   `json:"kernels"` // of groups: see Columns
	UserObject *float64           `json:"user_object_ms"`
	Vulkan     []facts.Vulkan     `json:"vulkan"`
	Timed      []string           `json:"times_columns"`
	Times      map[string]timesOf `json:"times"` // by device: see Timed
	Checks     counts             `json:"checks"`

	rows []row
}

// timesOf holds times by generator and number of envs.
type timesOf map[string]map[string][]float64

// counts says what became of the checks. Those that did not pass are named.
type counts struct {
	Passed  int       `json:"passed"`
	Failed  []outcome `json:"failed"`
	Skipped []outcome `json:"skipped"`
	NotRun  []outcome `json:"not_run"`
}

// outcome is why some checks did not pass.
type outcome struct {
	Reason string   `json:"reason"`
	Checks []string `json:"checks"`
}

// The columns of kernels, and of times in the order in which the tests name their measurements.
var (
	kernelColumns = []string{"threads", "registers", "shared_bytes", "local_bytes", "blocks_per_multiprocessor"}
	timesColumns  = []string{"first_ms", "eager_ms", "replay_ms", "none_ms", "all_ms", "nodes"}
	measuredNames = []string{"first ms", "eager ms", "replay ms", "regenerate none ms", "regenerate all ms", "nodes"}
)

// add puts the result of a check into the report.
func (r *report) add(row row) {
	r.rows = append(r.rows, row)
	r.addFacts(row.facts)
	if value, ok := row.Measured["returned ms"]; ok {
		rounded := round(value)
		r.UserObject = &rounded
	}
	if row.times != nil && row.Measured != nil {
		r.addTimes(row)
	}
	switch row.Result {
	case passed:
		r.Checks.Passed++
	case failed:
		r.Checks.Failed = outcomes(r.Checks.Failed, row)
	case skipped:
		r.Checks.Skipped = outcomes(r.Checks.Skipped, row)
	case notRun:
		r.Checks.NotRun = outcomes(r.Checks.NotRun, row)
	}
}

func (r *report) addFacts(found facts.Facts) {
	if found.Device != nil {
		r.Device = found.Device
	}
	if found.Opened != nil {
		r.Opened = found.Opened
		r.Opened.Reason = short(r.Opened.Reason)
		r.Opened.FirstMilliseconds = round(r.Opened.FirstMilliseconds)
		r.Opened.SecondMilliseconds = round(r.Opened.SecondMilliseconds)
	}
	if found.Nesting != nil {
		r.Nesting = found.Nesting
		r.Nesting.Reason = short(r.Nesting.Reason)
	}
	if found.Unused != nil {
		r.Unused = found.Unused
	}
	if found.Loading != nil {
		l := found.Loading
		r.Loading = &facts.Loading{AloneMilliseconds: round(l.AloneMilliseconds),
			TogetherMilliseconds: round(l.TogetherMilliseconds), KeptMilliseconds: round(l.KeptMilliseconds),
			WarmMilliseconds: round(l.WarmMilliseconds), FirstColdMilliseconds: round(l.FirstColdMilliseconds),
			FirstWarmMilliseconds: round(l.FirstWarmMilliseconds)}
	}
	for _, trial := range found.Trials {
		trial.Reason, trial.Milliseconds = short(trial.Reason), round(trial.Milliseconds)
		r.Trials = append(r.Trials, trial)
	}
	for _, m := range found.Modules {
		if r.Modules == nil {
			r.Modules = make(map[string]float64)
		}
		r.Modules[m.Name] = round(m.Milliseconds)
	}
	for _, k := range found.Kernels {
		if r.Kernels == nil {
			r.Kernels = make(map[string][]int)
		}
		r.Kernels[k.Name] = []int{k.Threads, k.Registers, k.SharedBytes, k.LocalBytes, k.Blocks}
	}
	for _, v := range found.Vulkan {
		v.Reason = short(v.Reason)
		r.Vulkan = append(r.Vulkan, v)
	}
}

// addTimes adds the measurements of a check that measures times.
func (r *report) addTimes(row row) {
	device, generator, envs := row.times.device, row.times.generator, fmt.Sprint(row.times.envs)
	if r.Times == nil {
		r.Times = make(map[string]timesOf)
	}
	if r.Times[device] == nil {
		r.Times[device] = make(timesOf)
	}
	if r.Times[device][generator] == nil {
		r.Times[device][generator] = make(map[string][]float64)
	}
	values := make([]float64, len(measuredNames))
	for i, name := range measuredNames {
		values[i] = round(row.Measured[name])
	}
	r.Times[device][generator][envs] = values
}

// outcomes adds a check to those that have the same reason.
func outcomes(list []outcome, row row) []outcome {
	reason := short(row.Reason)
	for i := range list {
		if list[i].Reason == reason {
			list[i].Checks = append(list[i].Checks, row.Check)
			return list
		}
	}
	return append(list, outcome{reason, []string{row.Check}})
}

// longest is the maximum length of a text from a program in the JSON file; gpu.log has the whole text.
const longest = 160

// short shortens a text.
func short(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= longest {
		return string(runes)
	}
	return string(runes[:longest-1]) + "…"
}

// round rounds to four significant digits.
func round(x float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(x))))
	if scale < 1 {
		return math.Round(x)
	}
	return math.Round(x*scale) / scale
}

// table returns the report for people.
func (r report) table() string {
	var text strings.Builder
	fmt.Fprintf(&text, "\nCUDA: %s\nVulkan: %s\n\n", orNone(strings.TrimSuffix(r.GPU+", "+r.Driver, ", ")),
		orNone(r.vulkanNames()))
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "CHECK\tRESULT\tSECONDS\tMEASURED")
	rows, shared := shareReasons(r.rows)
	for _, row := range rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%.1f\t%s\n", row.Check, row.Result, row.Seconds, row.measured())
	}
	_ = w.Flush()
	for i, reason := range shared {
		fmt.Fprintf(&text, "\n(%d) %s\n", i+1, reason)
	}
	fmt.Fprintf(&text, "\n%d passed, %d failed, %d skipped, %d not run; %.0f of %.0f seconds\n",
		r.count(passed), r.count(failed), r.count(skipped), r.count(notRun), r.Seconds, r.Limit)
	return text.String()
}

// shareReasons replaces a reason that several rows have by a number in brackets, and returns these reasons in the order
// of their numbers: without a GPU nearly all rows have one and the same long reason.
func shareReasons(rows []row) (numbered []row, shared []string) {
	uses := make(map[string]int)
	for _, row := range rows {
		uses[row.Reason]++
	}
	numbered = slices.Clone(rows)
	for i, row := range numbered {
		if row.Reason == "" || uses[row.Reason] == 1 {
			continue
		}
		number := slices.Index(shared, row.Reason)
		if number < 0 {
			number, shared = len(shared), append(shared, row.Reason)
		}
		numbered[i].Reason = fmt.Sprintf("(%d)", number+1)
	}
	return numbered, shared
}

func (r report) vulkanNames() string {
	var names []string
	for _, v := range r.Vulkan {
		names = append(names, v.Name+" ("+v.Driver+")")
	}
	return strings.Join(names, ", ")
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func (r report) count(result string) (n int) {
	for _, row := range r.rows {
		if row.Result == result {
			n++
		}
	}
	return n
}

// code is the exit code of the program.
func (r report) code() int {
	switch {
	case r.count(failed) > 0:
		return 1
	case r.count(notRun) > 0:
		return 2
	}
	return 0
}

// encode returns the report as one line of JSON.
func (r report) encode() ([]byte, error) {
	r.Columns, r.Timed = kernelColumns, timesColumns
	r.Seconds = round(r.Seconds)
	r.Trials, r.Vulkan = listed(r.Trials), listed(r.Vulkan)
	c := &r.Checks
	c.Failed, c.Skipped, c.NotRun = listed(c.Failed), listed(c.Skipped), listed(c.NotRun)
	data, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding the report: %w", err)
	}
	return append(data, '\n'), nil
}

// listed returns an empty list for nil, which JSON would write as null.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// write writes the report to a file and returns its content.
func (r report) write(path string) ([]byte, error) {
	data, err := r.encode()
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, fmt.Errorf("writing the report: %w", err)
	}
	return data, nil
}
