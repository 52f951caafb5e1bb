package command

import (
	"fmt"
	"strings"
	"time"

	"github.com/trackgen-go/trackgen"
)

// runReport is the part of the output of generate that says what was generated, of tracks and of gate courses.
type runReport struct {
	Version   string       `json:"version"`
	Course    string       `json:"course,omitempty"` // gates; absent for tracks
	Generator string       `json:"generator"`
	Device    deviceReport `json:"device"`
	Epoch     int32        `json:"epoch"`
	FirstSeed int32        `json:"first_seed"`
	LastSeed  int32        `json:"last_seed"`
}

func newRunReport(course, generator string, device trackgen.DeviceInfo, s schedule, envs int) runReport {
	return runReport{
		Version: version(), Course: course, Generator: generator, Device: describeDevice(device), Epoch: s.epoch,
		FirstSeed: s.seedsOf(0, 1)[0], LastSeed: s.seedsOf(envs-1, envs)[0],
	}
}

// reportText is the text of a report of generate.
type reportText struct{ strings.Builder }

// line appends a line with a name and a formatted value.
func (t *reportText) line(name, format string, args ...any) {
	fmt.Fprintf(t, "  %-10s "+format+"\n", append([]any{name}, args...)...)
}

// head appends the lines that reports start with. thing is what an env holds.
func (t *reportText) head(r runReport, thing string, envs, valid int, yield float64, components []share) {
	fmt.Fprintln(t, countText(envs, r.Generator+" "+thing))
	t.line("seeds", "%d to %d, epoch %d", r.FirstSeed, r.LastSeed, r.Epoch)
	t.line("valid", "%d of %d (%.1f %%)", valid, envs, 100*yield)
	for _, c := range components {
		t.line("", "%s (weight %.4g): %d of %d", c.name, c.Weight, c.Valid, c.Envs)
	}
}

// tail appends the lines that reports end with.
func (t *reportText) tail(r runReport, things string, seconds, perSecond float64, files []string) {
	t.line("time", "%v, %.0f %s/s", time.Duration(seconds*float64(time.Second)).Round(time.Millisecond), perSecond, things)
	t.line("device", "%s", r.Device.text())
	for _, file := range files {
		t.line("wrote", "%s", file)
	}
}

// text returns the name of the device with its description and its workers.
func (d deviceReport) text() string {
	text := d.Name
	if d.Description != "" {
		text += ": " + d.Description
	}
	switch {
	case d.Workers == 1:
		text += ", 1 worker"
	case d.Workers > 1:
		text += fmt.Sprintf(", %d workers", d.Workers)
	}
	return text
}
