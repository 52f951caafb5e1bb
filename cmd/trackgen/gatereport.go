package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// gateReport is the output of generate for gate courses.
type gateReport struct {
	Version   string       `json:"version"`
	Course    string       `json:"course"` // gates
	Generator string       `json:"generator"`
	Device    deviceReport `json:"device"`
	Epoch     int32        `json:"epoch"`
	FirstSeed int32        `json:"first_seed"`
	LastSeed  int32        `json:"last_seed"`
	export.GateSummary
	Redrawn          int      `json:"redrawn"`              // number of courses that are not the first candidate
	Components       []share  `json:"components,omitempty"` // only for a mixed batch, in the order of the mixture
	Seconds          float64  `json:"seconds"`              // time to generate the courses
	CoursesPerSecond float64  `json:"courses_per_second"`
	Files            []string `json:"files"`
}

func newGateOrigins(c trackgen.GateConfig) *origins {
	o := new(origins)
	var generators []string
	for _, component := range c.Mix {
		generators = append(generators, component.Generator)
	}
	for k, name := range numberedNames(generators) {
		o.components = append(o.components, share{name: name, Generator: generators[k], Weight: c.Mix[k].Weight})
	}
	return o
}

// newGateReport returns the report of a completed run.
func newGateReport(p gatePlan, device trackgen.DeviceInfo, summary export.GateSummary, from *origins, done result,
	files []string) gateReport {
	envs := p.config.NumEnvs
	r := gateReport{
		Version: version(), Course: courseGates, Generator: p.config.Generator, Device: describeDevice(device),
		Epoch: p.epoch, FirstSeed: p.seedsOf(0, 1)[0], LastSeed: p.seedsOf(envs-1, envs)[0], GateSummary: summary,
		Redrawn: from.redrawn, Components: from.components, Seconds: done.elapsed.Seconds(), Files: files,
	}
	if done.elapsed > 0 {
		r.CoursesPerSecond = float64(summary.Envs) / r.Seconds
	}
	return r
}

func (r gateReport) writeText(w io.Writer) error {
	var text strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&text, "  %-10s "+format+"\n", append([]any{name}, args...)...)
	}
	plural := "s"
	if r.Envs == 1 {
		plural = ""
	}
	fmt.Fprintf(&text, "%d %s gate course%s\n", r.Envs, r.Generator, plural)
	line("seeds", "%d to %d, epoch %d", r.FirstSeed, r.LastSeed, r.Epoch)
	line("valid", "%d of %d (%.1f %%)", r.Valid, r.Envs, 100*r.Yield)
	for _, c := range r.Components {
		line("", "%s (weight %.4g): %d of %d", c.name, c.Weight, c.Valid, c.Envs)
	}
	if r.Redrawn > 0 {
		line("redrawn", "%d, where the first candidate was not valid", r.Redrawn)
	}
	if len(r.Reasons) > 0 {
		line("not valid", "%s", reasonCountsText(r.Reasons))
	}
	if r.FrameFallbacks > 0 {
		line("fallbacks", "%d gates without a level direction face x, in %d of %d courses", r.FrameFallbacks,
			r.FallbackEnvs, r.Envs)
	}
	if g := r.Gates; g != nil {
		line("gates", "mean %.4g, median %.4g, from %.0f to %.0f", g.Mean, g.Median, g.Min, g.Max)
	}
	line("time", "%v, %.0f courses/s", time.Duration(r.Seconds*float64(time.Second)).Round(time.Millisecond),
		r.CoursesPerSecond)
	line("device", "%s", report{Device: r.Device}.deviceText())
	for _, file := range r.Files {
		line("wrote", "%s", file)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
