package command

import (
	"io"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// gateReport is the output of generate for gate courses.
type gateReport struct {
	runReport
	export.GateSummary
	Redrawn          int      `json:"redrawn"`              // number of courses that are not the first candidate
	Components       []share  `json:"components,omitempty"` // only for a mixed batch, in the order of the mixture
	Seconds          float64  `json:"seconds"`              // time to generate the courses
	CoursesPerSecond float64  `json:"courses_per_second"`
	Notes            []string `json:"notes"` // settings that have no effect
	Files            []string `json:"files"`
}

func newGateOrigins(c trackgen.GateConfig) *origins {
	o := new(origins)
	for k, name := range numberedNames(mixedGenerators(c)) {
		o.components = append(o.components, share{name: name, Generator: c.Mix[k].Generator, Weight: c.Mix[k].Weight})
	}
	return o
}

// mixedGenerators returns the generator of each component of a mixed batch.
func mixedGenerators(c trackgen.GateConfig) (generators []string) {
	for _, component := range c.Mix {
		generators = append(generators, component.Generator)
	}
	return generators
}

// newGateReport returns the report of a completed run.
func newGateReport(p gatePlan, device trackgen.DeviceInfo, summary export.GateSummary, from *origins, done result,
	files []string) gateReport {
	r := gateReport{
		runReport:   newRunReport(courseGates, p.config.Generator, device, p.schedule, p.config.NumEnvs),
		GateSummary: summary, Redrawn: from.redrawn, Components: from.components, Seconds: done.elapsed.Seconds(),
		Notes: []string{}, Files: files,
	}
	if note := levelNote(hillsOfGates(p.config)); note != "" {
		r.Notes = append(r.Notes, note)
	}
	if done.elapsed > 0 {
		r.CoursesPerSecond = float64(summary.Envs) / r.Seconds
	}
	return r
}

func (r gateReport) writeText(w io.Writer) error {
	var text reportText
	text.head(r.runReport, "gate course", r.Envs, r.Valid, r.Yield, r.Components)
	if r.Redrawn > 0 {
		text.line("redrawn", "%d, where the first candidate was not valid", r.Redrawn)
	}
	if len(r.Reasons) > 0 {
		text.line("not valid", "%s", reasonCountsText(r.Reasons))
	}
	if r.FrameFallbacks > 0 {
		text.line("fallbacks", "%d gates without a level direction face x, in %d of %d courses", r.FrameFallbacks,
			r.FallbackEnvs, r.Envs)
	}
	if g := r.Gates; g != nil {
		text.line("gates", "mean %.4g, median %.4g, from %.0f to %.0f", g.Mean, g.Median, g.Min, g.Max)
	}
	for _, note := range r.Notes {
		text.line("note", "%s", note)
	}
	text.tail(r.runReport, "courses", r.Seconds, r.CoursesPerSecond, r.Files)
	_, err := io.WriteString(w, text.String())
	return err
}
