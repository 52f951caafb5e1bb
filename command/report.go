package command

import (
	"fmt"
	"io"
	"math"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// report is the output of generate.
type report struct {
	runReport
	export.Summary
	Redrawn         int      `json:"redrawn"`              // number of tracks that are not the first candidate
	Components      []share  `json:"components,omitempty"` // only for a mixed batch, in the order of the mixture
	Truncated       int      `json:"truncated"`            // number of tracks that needed more than N_max points
	CacheOverflows  int      `json:"cache_overflows"`      // how often relax.separation_cache_slots was too small
	Notes           []string `json:"notes"`                // explanations of truncated, cache_overflows and more
	Seconds         float64  `json:"seconds"`              // time to generate the tracks
	TracksPerSecond float64  `json:"tracks_per_second"`
	Files           []string `json:"files"`

	warnings []string // the notes that say that something is wrong
}

// share is the result of one component of a mixed batch.
type share struct {
	name      string  // see componentNames
	Generator string  `json:"generator"`
	Weight    float64 `json:"weight"`
	Envs      int     `json:"envs"`
	Valid     int     `json:"valid"`
}

// origins counts the candidates, the components and the narrow tracks of a batch that arrives in chunks.
type origins struct {
	redrawn    int
	components []share
	narrow     int // valid tracks that are little wider than their road
}

func newOrigins(c trackgen.Config) *origins {
	o := new(origins)
	for k, name := range componentNames(c) {
		o.components = append(o.components, share{name: name, Generator: c.Mix[k].Generator, Weight: c.Mix[k].Weight})
	}
	return o
}

func (o *origins) add(batch *trackgen.Batch) {
	o.count(batch.Candidate, batch.Component, batch.Valid)
	for e := range batch.Envs {
		if batch.Valid[e] != 0 && isNarrow(batch, e) {
			o.narrow++
		}
	}
}

// count counts the candidates and the components of a chunk.
func (o *origins) count(candidate, component, valid []int32) {
	for e := range valid {
		if candidate[e] > 0 {
			o.redrawn++
		}
		if k := int(component[e]); k < len(o.components) {
			o.components[k].Envs++
			o.components[k].Valid += int(valid[e])
		}
	}
}

// isNarrow reports whether a track is so short for its road that a circle of its length has a hole no wider than the
// road: its length is at most 2 pi road widths.
func isNarrow(batch *trackgen.Batch, e int) bool {
	first := e * batch.NMax
	width := float64(batch.WidthRight[first]) + float64(batch.WidthLeft[first])
	return float64(batch.Length[e]) <= 2*math.Pi*width
}

// newReport returns the report of a completed run.
func newReport(p plan, device trackgen.DeviceInfo, summary export.Summary, from *origins, done result,
	files []string) report {
	r := report{
		runReport: newRunReport("", p.config.Generator, device, p.schedule, p.config.NumEnvs),
		Summary:   summary, Redrawn: from.redrawn, Components: from.components, Truncated: done.counters.Truncated,
		CacheOverflows: done.counters.Dropped,
		Seconds:        done.elapsed.Seconds(), Files: append([]string{}, files...),
	}
	r.explain(p.config.Resolved(), from.narrow)
	if done.elapsed > 0 {
		r.TracksPerSecond = float64(summary.Envs) / r.Seconds
	}
	return r
}

// explain adds the notes: what numbers of the report mean, and which settings change them.
func (r *report) explain(c trackgen.Config, narrow int) {
	warn := func(format string, args ...any) { r.warnings = append(r.warnings, fmt.Sprintf(format, args...)) }
	if r.Truncated > 0 {
		need := "need"
		if r.Truncated == 1 {
			need = "needs"
		}
		warn("truncated: %d of the loops %s more points than N_max: raise output.max_points (%d), or output.spacing "+
			"(%s)", r.Truncated, need, c.Output.MaxPoints, spacingText(c))
	}
	if narrow > 0 {
		warn("narrow: %d of %d valid tracks are little more than a ring around a hole no wider than the road: lower "+
			"%s, or enlarge scale (%.4g)", narrow, r.Valid, widthSetting(c), c.Scale)
	}
	for _, note := range []string{levelNote(hillsOfTracks(c)), bankingNote(c)} {
		if note != "" {
			warn("%s", note)
		}
	}
	r.Notes = append([]string{}, r.warnings...)
	if r.CacheOverflows > 0 {
		slots := c.Relax.SeparationCacheSlots
		r.Notes = append(r.Notes, fmt.Sprintf("cache_overflows: %d times the relaxation found more than %d points close "+
			"to a point, and pushed it away from the first %d only. Validity is tested without this limit: a valid track is "+
			"valid. With invalid tracks, a larger relax.separation_cache_slots may help", r.CacheOverflows, slots, slots))
	}
}

// spacingText returns the value of output.spacing. A resolved configuration has none if the
// spacing depends on the env.
func spacingText(c trackgen.Config) string {
	if c.Output.Spacing == 0 {
		return "0.6 times the half width"
	}
	return fmt.Sprintf("%.4g", c.Output.Spacing)
}

// widthSetting names the setting that says how wide the roads are, with its value.
func widthSetting(c trackgen.Config) string {
	const drawn = "variation.half_width_range"
	if c.Generator == trackgen.Mixed {
		for _, component := range c.Mix {
			if component.Variation.HalfWidthRange != (trackgen.Range{}) {
				return drawn + " of the components"
			}
		}
	} else if c.Variation.HalfWidthRange != (trackgen.Range{}) {
		return fmt.Sprintf("%s (%s)", drawn, c.Variation.HalfWidthRange)
	}
	return fmt.Sprintf("road.half_width (%.4g)", c.Road.HalfWidth)
}

func (r report) writeText(w io.Writer) error {
	var text reportText
	text.head(r.runReport, "track", r.Envs, r.Valid, r.Yield, r.Components)
	if r.Redrawn > 0 {
		text.line("redrawn", "%d, where the first candidate was not good enough", r.Redrawn)
	}
	if len(r.Reasons) > 0 {
		text.line("not valid", "%s", reasonCountsText(r.Reasons))
	}
	if l := r.Length; l != nil {
		text.line("length", "mean %.4g, median %.4g, from %.4g to %.4g", l.Mean, l.Median, l.Min, l.Max)
	}
	if p := r.Points; p != nil {
		text.line("points", "mean %.4g, median %.4g, from %.0f to %.0f", p.Mean, p.Median, p.Min, p.Max)
	}
	for _, note := range r.warnings {
		text.line("note", "%s", note)
	}
	text.tail(r.runReport, "tracks", r.Seconds, r.TracksPerSecond, r.Files)
	_, err := io.WriteString(w, text.String())
	return err
}
