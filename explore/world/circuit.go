package world

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

const (
	// mostCircuits limits the circuits of a file.
	mostCircuits = 64
	// mostCircuitPoints limits the points of all circuits of a file together: relaxation and tests look at each pair.
	mostCircuitPoints = 1 << 16
)

// circuitHead is the JSON of the frame that says how a file was read.
type circuitHead struct {
	Kind     string          `json:"kind"` // circuits
	Circuits []circuitReport `json:"circuits"`
}

type circuitReport struct {
	Name    string   `json:"name"`
	File    string   `json:"file"` // kind of the file
	Points  int      `json:"points"`
	Length  float64  `json:"length"` // of the polygon through the points
	Widths  bool     `json:"widths"`
	Heights bool     `json:"heights"`
	Columns []string `json:"columns"`
	Notes   []string `json:"notes"`
}

// imported are the tracks of a file.
type imported struct {
	batch    *trackgen.Batch
	reports  []circuitReport
	metadata *export.Import
	options  trackgen.ImportOptions
}

// circuit answers the call "generate" for the circuits of a file.
func (w *World) circuit(ctx context.Context, r Request, file []byte, emit Emit) error {
	start := time.Now()
	made, err := w.importFile(ctx, r, file)
	if err != nil {
		return err
	}
	took := time.Since(start)
	if err := emit(Frame{Head: circuitHead{"circuits", made.reports}}); err != nil {
		return err
	}
	c := trackgen.DefaultConfig()
	c.Validity.MaxGrade = made.options.MaxGrade
	if err := emit(trackFrame(made.batch, 0, faultsOf(made.batch, c))); err != nil {
		return err
	}
	return emit(Frame{Head: done{Kind: "done", Envs: made.batch.Envs, Valid: made.batch.NumValid(),
		Milliseconds: float64(took.Microseconds()) / 1000}})
}

// importFile reads the circuits of a file and makes tracks of them.
func (w *World) importFile(ctx context.Context, r Request, file []byte) (made imported, err error) {
	c, err := configure(circuitLanguage, r.Settings, nil, circuitConfig.validate)
	if err != nil {
		return made, err
	}
	name := fileName(r.File)
	circuits, err := readCircuits(name, file, c)
	if err != nil {
		return made, err
	}
	made.options, made.metadata = c.importing(), &export.Import{Options: c.importing()}
	lines := make([]trackgen.Circuit, len(circuits))
	for i, f := range circuits {
		f.Name = cmp.Or(f.Name, strings.TrimSuffix(name, filepath.Ext(name)))
		report := circuitReport{Name: f.Name, File: f.Kind, Points: len(f.X), Length: f.PolygonLength(), Widths: f.Widths(),
			Heights: f.Heights(), Columns: []string{}, Notes: append([]string{}, f.Notes...)}
		for _, column := range f.Columns {
			report.Columns = append(report.Columns, fmt.Sprintf("%s is %s", column.Name, column.Content))
		}
		source := export.ImportedCircuit{File: name, SHA256: hex.EncodeToString(f.SHA256[:]), Points: len(f.X),
			Projection: f.Projection}
		if c.Recenter {
			x, y := f.Recenter()
			source.Origin = &[2]float64{x, y}
		}
		if c.HalfWidth != 0 && allHaveWidths(circuits[i:]) {
			f.Right, f.Left = nil, nil
		}
		lines[i], made.reports = f.Circuit, append(made.reports, report)
		made.metadata.Circuits = append(made.metadata.Circuits, source)
	}
	if err := ctx.Err(); err != nil {
		return made, err
	}
	if err := affordCircuits(made.options, lines); err != nil {
		return made, err
	}
	tracks, err := trackgen.Import(ctx, w.device, made.options, lines...)
	if err != nil {
		return made, err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	made.batch, err = tracks.Batch(ctx)
	return made, err
}

// readCircuits reads the circuits of a file, each with a width.
func readCircuits(name string, file []byte, c circuitConfig) ([]*trackgen.CircuitFile, error) {
	if len(file) == 0 {
		return nil, refuse("file", "empty", "a file with a circuit: CSV, GeoJSON, KML, GPX, cones, or one of TrackGen")
	}
	circuits, err := trackgen.ReadCircuitsFrom(name, bytes.NewReader(file), c.reading())
	switch problems, ok := problemsOf(err, "file"); {
	case ok:
		return nil, &Refused{problems}
	case err != nil:
		return nil, err
	case len(circuits) > mostCircuits:
		return nil, refuse("file", fmt.Sprint("a file of ", len(circuits), " circuits"), fmt.Sprint("at most ", mostCircuits))
	}
	points := 0
	for _, f := range circuits {
		points += len(f.X)
		if !f.Widths() && c.HalfWidth == 0 {
			return nil, &Refused{[]Problem{{Field: "half_width", Value: "", Allowed: "a number > 0 and <= 1000000",
				Message: fmt.Sprintf("%s has no widths: give half_width", name)}}}
		}
	}
	if points > mostCircuitPoints {
		return nil, refuse("file", fmt.Sprint("a file of ", points, " points"), fmt.Sprint("at most ", mostCircuitPoints))
	}
	return circuits, nil
}

// affordCircuits refuses tracks of too many points.
func affordCircuits(options trackgen.ImportOptions, lines []trackgen.Circuit) error {
	total := 0
	for _, line := range lines {
		survey, err := trackgen.SurveyCircuit(options, line)
		if err != nil {
			return err
		}
		if total += survey.Points; total > mostCircuitPoints {
			return refuse("spacing", fmt.Sprint("so small that the tracks have ", total, " points"),
				fmt.Sprintf("so large that they have at most %d", mostCircuitPoints))
		}
	}
	return nil
}

// allHaveWidths reports whether all files have widths, so that half_width replaces them.
func allHaveWidths(circuits []*trackgen.CircuitFile) bool {
	for _, c := range circuits {
		if !c.Widths() {
			return false
		}
	}
	return true
}

// fileName returns the last part of a name that a page gave, without what a terminal or a file system would interpret.
func fileName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > 100 {
		name = string(runes[:100])
	}
	return cmp.Or(name, "circuit")
}

// joined joins errors.
func joined(list []error) error { return errors.Join(list...) }
