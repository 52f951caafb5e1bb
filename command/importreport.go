package command

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/trackgen-go/trackgen"
	"github.com/trackgen-go/trackgen/export"
)

// importReport is the output of import.
type importReport struct {
	Version  string          `json:"version"`
	Device   deviceReport    `json:"device"`
	Circuits []circuitReport `json:"circuits"`
	Files    []string        `json:"files"` // the files that were written
}

// circuitReport describes one circuit. Lengths are in metres.
type circuitReport struct {
	Name string `json:"name"`
	export.ImportedCircuit
	Kind       string         `json:"kind"`        // of the file
	Columns    []columnReport `json:"columns"`     // of the file; empty if it has none
	Notes      []string       `json:"notes"`       // what was not used, and what was assumed
	Repeated   int            `json:"repeated"`    // repeated points of the file, which were omitted
	FileLength float64        `json:"file_length"` // of the closed line through the points of the file
	Valid      bool           `json:"valid"`
	Reasons    []string       `json:"reasons"` // why the track is invalid
	Length     number32       `json:"length"`
	Count      int32          `json:"count"` // points of the track
	Spacing    number32       `json:"spacing"`
	Winding    number32       `json:"winding"` // +1 counter-clockwise, -1 clockwise, 0 neither
	Crossings  int32          `json:"crossings"`
	Width      widthReport    `json:"width"`    // of the whole road
	ToOneSide  widthReport    `json:"one_side"` // from the centreline to a border
	Tightest   *bendReport    `json:"tightest"` // null if there is no bend
	Smoothed   float64        `json:"smoothed"` // largest distance of the curve from a point of the file
	Sag        float64        `json:"sag"`      // largest distance of the curve from the lines between points of the track
	Heights    *heightReport  `json:"heights"`  // of the curve, as for smoothed; null if the track is level

	Curvature  *curvatureReport  `json:"curvature"`  // null if every bend has room for the road
	Separation *separationReport `json:"separation"` // null if the road meets itself nowhere, and after --relax
	Trimmed    *trimReport       `json:"trimmed"`    // null without --trim-inner
	Remedies   []string          `json:"remedies"`   // options that make room for the road
}

// maxSag is the largest distance of the track from the curve that the report does not mention, as a fraction of the
// smallest width to one side.
const maxSag = 0.2

// widthReport is a range of widths in metres.
type widthReport struct {
	Min number32 `json:"min"`
	Max number32 `json:"max"`
}

// add extends the range to include a width. The first width starts the range.
func (w *widthReport) add(v float32, first bool) {
	if first {
		w.Min, w.Max = number32(v), number32(v)
	}
	w.Min, w.Max = min(w.Min, number32(v)), max(w.Max, number32(v))
}

// bendReport is a point of a bend of the centreline. Lengths are in metres.
type bendReport struct {
	Radius float64  `json:"radius"`
	At     number32 `json:"at"` // arc length from the first point
	X      number32 `json:"x"`
	Y      number32 `json:"y"`
}

// number32 is a float32 that is written to JSON with the digits of a float32, or as null if it is not finite.
type number32 float32

// MarshalJSON implements json.Marshaler.
func (n number32) MarshalJSON() ([]byte, error) {
	v := float64(n)
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return fmt.Append(nil, float32(n)), nil
}

// describeCircuit returns the report of env e of a batch, which was made from circuit c with options.
func describeCircuit(c *trackgen.CircuitFile, source export.ImportedCircuit, b *trackgen.Batch, e int,
	options trackgen.ImportOptions) (circuitReport, error) {
	r := circuitReport{
		Name: c.Name, ImportedCircuit: source, Kind: c.Kind, Columns: describeColumns(c),
		Notes:    append([]string{}, c.Notes...),
		Repeated: c.Repeated, FileLength: c.PolygonLength(),
		Valid: b.Valid[e] != 0, Reasons: append([]string{}, b.Reason[e].Names()...), Length: number32(b.Length[e]),
		Count:   b.Count[e],
		Winding: number32(b.Winding[e]), Crossings: b.Crossings[e],
		Remedies: []string{},
	}
	if b.Count[e] > 0 {
		r.Spacing = number32(b.Length[e] / float32(b.Count[e]))
	}
	for i := range int(b.Count[e]) {
		right, left := b.WidthRight[e*b.NMax+i], b.WidthLeft[e*b.NMax+i]
		r.Width.add(right+left, i == 0)
		r.ToOneSide.add(min(right, left), i == 0)
		r.ToOneSide.add(max(right, left), false)
	}
	if !options.Relax || c.Heights() {
		survey, err := trackgen.SurveyCircuit(options, c.Circuit)
		if err != nil {
			return r, err
		}
		r.Heights = describeHeights(survey.Heights)
		if !options.Relax {
			r.addSurvey(survey, options, c.Circuit)
			return r, nil
		}
	}
	if i, radius := tightestBend(b.Points(b.Center, e)); i >= 0 {
		p := b.Center[e*b.NMax+i]
		r.Tightest = &bendReport{Radius: radius, At: number32(b.Arclen[e*b.NMax+i]), X: number32(p.X), Y: number32(p.Y)}
	}
	r.Curvature = relaxedBends(b, e)
	return r, nil
}

// tightestBend returns the index of the point of a closed line at which the circle through the point and its two
// neighbours is smallest, and the radius of that circle. The index is -1 if the line has no bends.
func tightestBend(points []trackgen.Vec3) (at int, radius float64) {
	at, radius = -1, math.Inf(1)
	for i := range points {
		if bend, _ := bendAt(points, i); bend < radius {
			at, radius = i, bend
		}
	}
	return at, radius
}

// bendAt returns the radius of the circle through a point of a closed line and its two neighbours, +Inf on a straight,
// and whether the line bends left there.
func bendAt(points []trackgen.Vec3, i int) (radius float64, left bool) {
	n := len(points)
	p, q, r := points[(i+n-1)%n], points[i], points[(i+1)%n]
	ax, ay := float64(q.X)-float64(p.X), float64(q.Y)-float64(p.Y)
	bx, by := float64(r.X)-float64(q.X), float64(r.Y)-float64(q.Y)
	area := ax*by - ay*bx // twice the area of the triangle
	product := math.Hypot(ax, ay) * math.Hypot(bx, by) * math.Hypot(ax+bx, ay+by)
	if !(math.Abs(area) > 0) {
		return math.Inf(1), false
	}
	return product / (2 * math.Abs(area)), area > 0
}

func (r importReport) writeText(w io.Writer) error {
	var text strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&text, "  %-10s "+format+"\n", append([]any{name}, args...)...)
	}
	for _, c := range r.Circuits {
		fmt.Fprintf(&text, "%s\n", c.Name)
		valid := "yes"
		if !c.Valid {
			valid = "no: " + strings.Join(c.Reasons, ", ")
		}
		line("valid", "%s", valid)
		direction := "winding around nothing"
		switch {
		case c.Winding < 0:
			direction = "clockwise"
		case c.Winding > 0:
			direction = "counter-clockwise"
		}
		line("length", "%.1f m, %s; the line that was read has %.1f m", float32(c.Length), direction, c.FileLength)
		line("points", "%d, %.2f m apart, made of %d points", c.Count, float32(c.Spacing), c.Points)
		if c.Sag > maxSag*float64(c.ToOneSide.Min) {
			line("", "the lines between them are up to %.2f m from the curve: a smaller --spacing follows it", c.Sag)
		}
		if len(c.Columns) > 0 {
			line("columns", "%s", columnsText(c.Columns))
		}
		line("width", "%.2f to %.2f m, to one side %.2f to %.2f m", float32(c.Width.Min), float32(c.Width.Max),
			float32(c.ToOneSide.Min), float32(c.ToOneSide.Max))
		if c.Tightest != nil {
			line("tightest", "radius %.2f m, %.0f m along, at (%.1f, %.1f)", c.Tightest.Radius, float32(c.Tightest.At),
				float32(c.Tightest.X), float32(c.Tightest.Y))
		}
		if h := c.Heights; h != nil {
			line("heights", "%s", h.text())
		}
		c.writeFaults(line)
		if c.Crossings > 0 {
			meaning := "taken for bridges"
			if !c.Valid {
				meaning = "of the centreline with itself"
			}
			line("crossings", "%d, %s", c.Crossings, meaning)
		}
		if c.Repeated > 0 {
			line("left out", "%s of the file, a repetition of the one before, or of the first at the end", pointsOf(c.Repeated))
		}
		if c.Origin != nil {
			line("origin", "(%.3f, %.3f) of the file is (0, 0)", c.Origin[0], c.Origin[1])
		}
		for _, note := range c.Notes {
			line("note", "%s", note)
		}
	}
	for _, file := range r.Files {
		line("wrote", "%s", file)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
