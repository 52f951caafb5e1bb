package command

import (
	"fmt"
	"io"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// maxGateCircuits is the largest number of circuits that the text of a report lists.
const maxGateCircuits = 20

// gatesReport is the output of the command gates. Lengths are in metres.
type gatesReport struct {
	Version string       `json:"version"`
	Course  string       `json:"course"` // gates
	Device  deviceReport `json:"device"`
	Every   float64      `json:"every"` // distance between gates along a track
	export.GateSummary
	Circuits []circuitGates `json:"circuits,omitempty"` // only for files of circuits
	Seconds  float64        `json:"seconds"`            // time to place the gates
	Files    []string       `json:"files"`

	named []*trackgen.CircuitFile
}

// circuitGates describes the gates along one circuit.
type circuitGates struct {
	Name    string   `json:"name"`
	Gates   int32    `json:"gates"`
	Valid   bool     `json:"valid"`
	Reasons []string `json:"reasons"`
}

// newGatesReport returns the report of a run that begins.
func newGatesReport(p gatesAlong, device trackgen.DeviceInfo, files []string) *gatesReport {
	r := &gatesReport{Version: version(), Course: courseGates, Device: describeDevice(device),
		Every: p.config.Along.Spacing, Files: files}
	if s, ok := p.source.(*tracksOfCircuits); ok {
		r.named = s.circuits
	}
	return r
}

// add adds the next courses.
func (r *gatesReport) add(b *trackgen.GateBatch) {
	for e := 0; e < b.Envs && len(r.Circuits) < len(r.named); e++ {
		r.Circuits = append(r.Circuits, circuitGates{Name: r.named[len(r.Circuits)].Name, Gates: b.Count[e],
			Valid: b.Valid[e] == 1, Reasons: append([]string{}, b.Reason[e].Names()...)})
	}
}

func (r *gatesReport) writeText(w io.Writer) error {
	var text reportText
	fmt.Fprintln(&text, countText(r.Envs, "gate course")+" along tracks")
	text.line("every", "%g", r.Every)
	text.line("valid", "%d of %d (%.1f %%)", r.Valid, r.Envs, 100*r.Yield)
	if len(r.Reasons) > 0 {
		text.line("not valid", "%s", reasonCountsText(r.Reasons))
	}
	if g := r.Gates; g != nil {
		text.line("gates", "mean %.4g, median %.4g, from %.0f to %.0f", g.Mean, g.Median, g.Min, g.Max)
	}
	if len(r.Circuits) <= maxGateCircuits {
		for _, c := range r.Circuits {
			text.line("circuit", "%s: %s", c.Name, countText(int(c.Gates), "gate"))
		}
	}
	text.line("device", "%s", r.Device.text())
	for _, file := range r.Files {
		text.line("wrote", "%s", file)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
