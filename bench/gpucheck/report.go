//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

// Results of a check.
const (
	passed  = "passed"
	failed  = "FAILED"
	skipped = "skipped"
	notRun  = "not run"
)

// row is one check in the table and in the JSON file.
type row struct {
	Check    string             `json:"check"`
	Result   string             `json:"result"` // passed, FAILED, skipped or not run
	Reason   string             `json:"reason,omitempty"`
	Seconds  float64            `json:"seconds"`
	Measured map[string]float64 `json:"measured,omitempty"` // by name, which ends with the unit
}

// String returns the row in one line.
func (r row) String() string {
	text := fmt.Sprintf("%s: %s (%.1f s)", r.Check, r.Result, r.Seconds)
	if r.Reason != "" {
		text += ": " + r.Reason
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

// report is the content of the JSON file.
type report struct {
	Date    string  `json:"date"`
	Device  string  `json:"device"` // empty if there is no GPU
	Driver  string  `json:"driver"`
	Vulkan  string  `json:"vulkan"` // the Vulkan device, empty if there is none
	Limit   float64 `json:"limit_seconds"`
	Seconds float64 `json:"seconds"`
	Rows    []row   `json:"rows"`
}

// table returns the report for people.
func (r report) table() string {
	var text strings.Builder
	fmt.Fprintf(&text, "\nCUDA: %s\nVulkan: %s\n\n", orNone(strings.TrimSuffix(r.Device+", "+r.Driver, ", ")),
		orNone(r.Vulkan))
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "CHECK\tRESULT\tSECONDS\tMEASURED")
	for _, row := range r.Rows {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%.1f\t%s\n", row.Check, row.Result, row.Seconds, row.measured())
	}
	_ = w.Flush()
	fmt.Fprintf(&text, "\n%d passed, %d failed, %d skipped, %d not run; %.0f of %.0f seconds\n",
		r.count(passed), r.count(failed), r.count(skipped), r.count(notRun), r.Seconds, r.Limit)
	return text.String()
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func (r report) count(result string) (n int) {
	for _, row := range r.Rows {
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

// write writes the report to a file.
func (r report) write(path string) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	if err := os.WriteFile(path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
