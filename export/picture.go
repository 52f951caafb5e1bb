package export

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Picture holds the options of a picture: a grid of tracks seen from above, each in a cell with its env and seed. The
// road is filled between its borders. The start line crosses it at point 0, and an arrow shows the direction of travel.
// Invalid tracks are drawn in red with the reason; a track without finite points shows only the reason. Texts that are
// wider than a cell take two lines, and longer ones end in an ellipsis. The zero value is ready for use.
//
// All valid tracks have the same scale, so that their sizes can be compared; a bar shows the scale. An invalid track
// may have any size, so it is shrunk to its cell if necessary.
type Picture struct {
	Envs     []int    // tracks of the batch to show, in this order; nil: the first DefaultTracks
	Numbers  []int    // number shown for each env of the batch, if the batch is part of a larger one; nil: its index
	Labels   []string // heading of each env of the batch, such as the name of a circuit; nil: env and seed
	Kinds    []string // shown below each env of the batch, such as its generator in a mixed batch; nil: nothing
	Unit     string   // unit of lengths, such as "m"; empty: track units
	Columns  int      // cells per row; 0: chosen so that the page is slightly wider than high
	CellSize int      // side of a cell in pixels, 100 to 2000; 0: DefaultCellSize
	FitCells bool     // fit each track to its cell instead of using one scale for all
	Title    string   // heading; may be empty
	Density  float64  // PNG: pixels of the image per pixel of the layout, 0.5 to 8; 0: 1
}

// ErrPicture matches the errors of a Picture with options that cannot be drawn.
var ErrPicture = errors.New("export: invalid picture")

type pictureError struct{ text string }

func errPicture(format string, args ...any) error {
	return &pictureError{fmt.Sprintf(format, args...)}
}

func (e *pictureError) Error() string { return e.text }

// Is reports that every pictureError matches ErrPicture.
func (e *pictureError) Is(target error) bool { return target == ErrPicture }

// Defaults of Picture.
const (
	DefaultTracks   = 30
	DefaultCellSize = 220
)

// Limits of Picture.
const (
	minCellSize, maxCellSize = 100, 2000
	minDensity, maxDensity   = 0.5, 8
	maxSide                  = 1 << 15 // pixels of the image
	maxPixels                = 1 << 26 // pixels of the image
)

// Dimensions of the page, in pixels.
const (
	pageMargin   = 16
	cellGap      = 10
	titleHeight  = 34
	footerHeight = 26
	labelHeight  = 24
	noteHeight   = 20
	lineHeight   = 15  // of further lines of a label or a note
	mostLines    = 2   // of a label, and of a note
	roomyCell    = 180 // side of a cell with room for more than one line of a note
	seedGap      = 6   // at least, between a label and the seed behind it
	cellPadding  = 10
	narrowRoad   = 5 // a narrower road is drawn without a centreline
)

// Maximum lengths of the lines of a track, in sides of a cell. A longer centreline is drawn without dashes. A track
// with longer borders is not drawn, because nothing could be recognized. Real tracks have lines of a few sides to about
// ten.
const (
	longestDashed = 100
	longestDrawn  = 1000
)

// Colours: dark asphalt on white cards, signal yellow for the start and the direction, muted red for invalid tracks.
var (
	pageColor    = rgb{0xf4, 0xf3, 0xef}
	cardColor    = rgb{0xff, 0xff, 0xff}
	cardEdge     = rgb{0xdd, 0xda, 0xd2}
	textColor    = rgb{0x26, 0x2b, 0x33}
	mutedColor   = rgb{0x7b, 0x81, 0x8a}
	roadColor    = rgb{0x5b, 0x64, 0x70}
	borderColor  = rgb{0x2a, 0x30, 0x39}
	dashColor    = rgb{0xf2, 0xf3, 0xf5}
	startColor   = rgb{0xff, 0xc2, 0x1a}
	invalidText  = rgb{0xa8, 0x3a, 0x32}
	invalidRoad  = rgb{0xee, 0xcb, 0xc6}
	invalidEdge  = rgb{0xc4, 0x73, 0x69}
	invalidDash  = rgb{0xff, 0xff, 0xff}
	invalidStart = rgb{0xa8, 0x3a, 0x32}
)

var (
	titleStyle = textStyle{size: 17, color: textColor, bold: true}
	labelStyle = textStyle{size: 12, color: textColor, bold: true}
	seedStyle  = textStyle{size: 11, color: mutedColor, anchor: anchorEnd}
	noteStyle  = textStyle{size: 11, color: mutedColor}
	scaleStyle = textStyle{size: 11, color: mutedColor}
)

// page is a picture with its defaults filled in and its cells laid out.
type page struct {
	Picture
	batch         *track.Batch
	width, height float64
	scale         float64 // pixels per track unit of the valid tracks; 0 if each track has its own scale
	faces         *faces
	texts         map[int]cellText // by env
	heading, foot float64          // heights of the labels and of the notes, the same in all cells
}

// cellText holds the texts of a cell, in lines that fit.
type cellText struct {
	name   string // all of them, for tooltips
	label  []styledText
	beside []styledText // the seed behind the label; none if it stands below
	note   []styledText
}

// styledText is a line of text.
type styledText struct {
	textStyle
	content string
}

func styled(s textStyle, lines []string, most float64) (out []styledText) {
	s.most = most
	for _, line := range lines {
		out = append(out, styledText{s, line})
	}
	return out
}

// layOut checks the picture and computes everything that does not depend on the canvas.
func layOut(b *track.Batch, p Picture) (*page, error) {
	if err := checkBatch(b); err != nil {
		return nil, err
	}
	if p.Envs == nil {
		for e := range min(b.Envs, DefaultTracks) {
			p.Envs = append(p.Envs, e)
		}
	}
	if len(p.Envs) == 0 {
		return nil, errPicture("export: the picture shows no tracks: expected at least one")
	}
	for _, e := range p.Envs {
		if e < 0 || e >= b.Envs {
			return nil, errPicture("export: the picture shows env %d: must be 0 to %d", e, b.Envs-1)
		}
	}
	if p.Numbers != nil && len(p.Numbers) != b.Envs {
		return nil, errPicture("export: the picture numbers %d envs: expected %d, one for each env of the batch",
			len(p.Numbers), b.Envs)
	}
	if p.Labels != nil && len(p.Labels) != b.Envs {
		return nil, errPicture("export: the picture labels %d envs: expected %d, one for each env of the batch",
			len(p.Labels), b.Envs)
	}
	if p.Kinds != nil && len(p.Kinds) != b.Envs {
		return nil, errPicture("export: the picture has kinds of %d envs: expected %d, one for each env of the batch",
			len(p.Kinds), b.Envs)
	}
	if p.Columns == 0 {
		p.Columns = int(math.Ceil(math.Sqrt(float64(len(p.Envs)) * 6 / 5)))
	}
	if p.Columns < 1 {
		return nil, errPicture("export: columns is %d: must be at least 1", p.Columns)
	}
	p.Columns = min(p.Columns, len(p.Envs))
	if p.CellSize == 0 {
		p.CellSize = DefaultCellSize
	}
	if p.CellSize < minCellSize || p.CellSize > maxCellSize {
		return nil, errPicture("export: the cell size is %d: must be %d to %d pixels", p.CellSize, minCellSize, maxCellSize)
	}
	if p.Density == 0 {
		p.Density = 1
	}
	if !(p.Density >= minDensity && p.Density <= maxDensity) {
		return nil, errPicture("export: the density is %v: must be %v to %v", p.Density, minDensity, maxDensity)
	}
	out := &page{Picture: p, batch: b, faces: newFaces(1)}
	rows := (len(p.Envs) + p.Columns - 1) / p.Columns
	out.width = float64(2*pageMargin + p.Columns*(p.CellSize+cellGap) - cellGap)
	out.height = out.top() + float64(rows*(p.CellSize+cellGap)-cellGap) + pageMargin
	if w, h := out.width*p.Density, out.height*p.Density; w > maxSide || h > maxSide || w*h > maxPixels {
		return nil,
			errPicture(
				"export: %d tracks in cells of %d pixels make a picture of %.0f x %.0f: at most %d a side and %d in all; show "+
					"fewer tracks",
				len(p.Envs), p.CellSize, w, h, maxSide, maxPixels)
	}
	if err := out.layOutTexts(); err != nil {
		return nil, err
	}
	if !p.FitCells {
		out.scale = out.commonScale()
		if out.scale > 0 {
			out.height += footerHeight
		}
	}
	return out, nil
}

// top returns the y coordinate of the first row of cells.
func (p *page) top() float64 {
	if p.Title == "" {
		return pageMargin
	}
	return pageMargin + titleHeight
}

// plotSize returns the size of the area for a track inside a cell.
func (p *page) plotSize() (width, height float64) {
	return float64(p.CellSize - 2*cellPadding), float64(p.CellSize-cellPadding) - p.heading - p.foot
}

// commonScale returns the largest scale at which every valid track of the picture fits; 0 if no track limits it.
func (p *page) commonScale() float64 {
	scale := math.Inf(1)
	for _, e := range p.Envs {
		if p.batch.Valid[e] != 0 {
			scale = min(scale, p.fitScale(p.bounds(e)))
		}
	}
	if math.IsInf(scale, 1) {
		return 0
	}
	return scale
}

// fitScale returns the largest scale at which the bounds fit into a cell. It is infinite for a single point or none.
func (p *page) fitScale(b bounds) float64 {
	width, height := p.plotSize()
	if b.empty() || b.max == b.min {
		return math.Inf(1)
	}
	return min(width/(b.max.x-b.min.x), height/(b.max.y-b.min.y))
}

// bounds is a rectangle. It is empty if max is less than min.
type bounds struct{ min, max point }

func (b bounds) empty() bool { return b.max.x < b.min.x }

// bounds returns the bounds of everything drawn for env e, in track units.
func (p *page) bounds(e int) bounds {
	inf := math.Inf(1)
	out := bounds{min: point{inf, inf}, max: point{-inf, -inf}}
	for _, array := range [][]kernel.Vec3{p.batch.Center, p.batch.Outer, p.batch.Inner} {
		for _, v := range p.batch.Points(array, e) {
			if finite(v.X) && finite(v.Y) {
				x, y := float64(v.X), float64(v.Y)
				out.min = point{min(out.min.x, x), min(out.min.y, y)}
				out.max = point{max(out.max.x, x), max(out.max.y, y)}
			}
		}
	}
	return out
}

// draw draws the whole page.
func (p *page) draw(c canvas) error {
	c.fill([][]point{rectangle(0, 0, p.width, p.height)}, pageColor)
	if p.Title != "" {
		title, err := p.faces.fit(titleStyle, printable(p.Title), p.width-2*pageMargin)
		if err != nil {
			return err
		}
		style := titleStyle
		style.most = p.width - 2*pageMargin
		c.text(point{pageMargin, pageMargin + 17}, style, title)
	}
	for i, e := range p.Envs {
		left := float64(pageMargin + i%p.Columns*(p.CellSize+cellGap))
		top := p.top() + float64(i/p.Columns*(p.CellSize+cellGap))
		if err := p.drawCell(c, e, left, top); err != nil {
			return err
		}
	}
	if p.scale > 0 {
		p.drawScaleBar(c)
	}
	return nil
}

// layOutTexts fits the texts of all cells, and sets the heights that the longest of them need.
func (p *page) layOutTexts() error {
	p.texts = make(map[int]cellText, len(p.Envs))
	labels, notes := 1, 1
	for _, e := range p.Envs {
		text, err := p.textOf(e)
		if err != nil {
			return err
		}
		p.texts[e] = text
		labels, notes = max(labels, len(text.label)), max(notes, len(text.note))
	}
	p.heading, p.foot = labelHeight+lineHeight*float64(labels-1), noteHeight+lineHeight*float64(notes-1)
	return nil
}

// textOf returns the texts of the cell of env e.
func (p *page) textOf(e int) (cellText, error) {
	env := e
	if p.Numbers != nil {
		env = p.Numbers[e]
	}
	label := "env " + strconv.Itoa(env)
	seed := "seed " + strconv.Itoa(int(numberOf(p.batch.Seed, e)))
	if epoch := numberOf(p.batch.Epoch, e); epoch != 0 {
		seed += ", epoch " + strconv.Itoa(int(epoch))
	}
	if p.Labels != nil {
		label, seed = printable(p.Labels[e]), ""
	}
	note, noted := p.noteOf(e)
	text := cellText{name: strings.TrimSuffix(label+", "+seed, ", ") + ": " + note}

	width := float64(p.CellSize - 2*cellPadding)
	labelWidth, err := p.faces.width(labelStyle, label)
	if err != nil {
		return text, err
	}
	seedWidth, err := p.faces.width(seedStyle, seed)
	if err != nil {
		return text, err
	}
	labelLines, noteLines := mostLines, mostLines
	if p.CellSize < roomyCell {
		noteLines = 1
	}
	below := false // whether the seed stands below the label
	switch {
	case seed == "":
	case labelWidth+seedGap+seedWidth <= width, p.CellSize < roomyCell:
		labelLines = 1
		most := width - labelWidth - seedGap
		if seed, err = p.faces.fit(seedStyle, seed, most); err != nil {
			return text, err
		}
		text.beside = styled(seedStyle, []string{seed}, most)
	default:
		labelLines, below = 1, true
	}
	lines, err := p.faces.wrap(labelStyle, label, width, labelLines)
	if err != nil {
		return text, err
	}
	text.label = styled(labelStyle, lines, width)
	if below {
		style := seedStyle
		style.anchor = anchorStart
		if seed, err = p.faces.fit(style, seed, width); err != nil {
			return text, err
		}
		text.label = append(text.label, styled(style, []string{seed}, width)...)
	}
	lines, err = p.faces.wrap(noted, note, width, noteLines)
	text.note = styled(noted, lines, width)
	return text, err
}

// noteOf returns the note below env e: its length, or why it is invalid.
func (p *page) noteOf(e int) (string, textStyle) {
	style := noteStyle
	note := fmt.Sprintf("length %s, %d points", lengthText(float64(p.batch.Length[e]), p.Unit), p.batch.Count[e])
	if p.batch.Valid[e] == 0 {
		note, style.color = strings.Join(ReasonNames(p.batch, e), ", "), invalidText
	}
	if p.Kinds != nil && p.Kinds[e] != "" {
		note = printable(p.Kinds[e]) + ": " + note
	}
	return note, style
}

// lengthText formats a length with about four digits, and adds its unit.
func lengthText(v float64, unit string) string {
	return strings.TrimSuffix(shortNumber(v, 4)+" "+printable(unit), " ")
}

// shortNumber formats a number with the given number of digits. It writes more digits where the alternative is an
// exponent.
func shortNumber(v float64, digits int) string {
	if size := math.Abs(v); size >= math.Pow10(digits-1) && size < 1e9 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// drawCell draws the card of env e.
func (p *page) drawCell(c canvas, e int, left, top float64) error {
	side := float64(p.CellSize)
	text := p.texts[e]
	lines, drawn := p.lines(e, left, top)
	if most := longestDrawn * side; drawn && max(lines.outerLength, lines.centerLength, lines.innerLength) > most {
		drawn = false
		noted := noteStyle
		noted.color = invalidText
		note := fmt.Sprintf("not drawn: longer than %d cells", longestDrawn)
		text.name += ", " + note
		fitting, err := p.faces.fit(noted, note, side-2*cellPadding)
		if err != nil {
			return err
		}
		text.note = styled(noted, []string{fitting}, side-2*cellPadding)
	}
	c.group(text.name)
	c.fill([][]point{rectangle(left, top, side, side)}, cardColor)
	c.line(rectangle(left+0.5, top+0.5, side-1, side-1), stroke{width: 1, color: cardEdge, closed: true})
	for i, line := range text.label {
		c.text(point{left + cellPadding, top + 17 + lineHeight*float64(i)}, line.textStyle, line.content)
	}
	for _, seed := range text.beside {
		c.text(point{left + side - cellPadding, top + 17}, seed.textStyle, seed.content)
	}
	for i, line := range text.note {
		y := top + side - 8 - lineHeight*float64(len(text.note)-1-i)
		c.text(point{left + cellPadding, y}, line.textStyle, line.content)
	}
	if drawn {
		p.drawTrack(c, e, lines)
	}
	return nil
}

// projection maps track units to pixels.
type projection struct {
	center point // in track units
	middle point // the same point in pixels
	scale  float64
}

func (t projection) at(v kernel.Vec3) point {
	return point{
		round(t.middle.x + float64((float64(v.X)-t.center.x)*t.scale)),
		round(t.middle.y - float64((float64(v.Y)-t.center.y)*t.scale)),
	}
}

// loop maps the real points of an array to pixels and skips those that are not finite.
func (t projection) loop(points []kernel.Vec3) []point {
	out := make([]point, 0, len(points))
	for _, v := range points {
		if finite(v.X) && finite(v.Y) {
			out = append(out, t.at(v))
		}
	}
	return out
}

func (p *page) projection(e int, left, top float64) (projection, bool) {
	b := p.bounds(e)
	if b.empty() {
		return projection{}, false
	}
	width, height := p.plotSize()
	scale := p.fitScale(b)
	if p.scale > 0 {
		scale = min(scale, p.scale)
	}
	if math.IsInf(scale, 1) {
		scale = 1
	}
	return projection{
		center: point{float64(b.min.x+b.max.x) / 2, float64(b.min.y+b.max.y) / 2},
		middle: point{left + cellPadding + width/2, top + p.heading + cellPadding/2 + height/2},
		scale:  scale,
	}, true
}

// trackLines holds the lines of a track, in pixels.
type trackLines struct {
	projection
	outer, center, inner                   []point
	outerLength, centerLength, innerLength float64
}

// lines returns the lines of env e, or false if the track has no finite points.
func (p *page) lines(e int, left, top float64) (trackLines, bool) {
	t, ok := p.projection(e, left, top)
	if !ok {
		return trackLines{}, false
	}
	l := trackLines{projection: t}
	l.outer, l.outerLength = thin(t.loop(p.batch.Points(p.batch.Outer, e)))
	l.center, l.centerLength = thin(t.loop(p.batch.Points(p.batch.Center, e)))
	l.inner, l.innerLength = thin(t.loop(p.batch.Points(p.batch.Inner, e)))
	return l, true
}

// drawTrack draws the road of env e.
func (p *page) drawTrack(c canvas, e int, l trackLines) {
	road, edge, dash, start := roadColor, borderColor, dashColor, startColor
	if p.batch.Valid[e] == 0 {
		road, edge, dash, start = invalidRoad, invalidEdge, invalidDash, invalidStart
	}
	// The inner border runs backward, so every piece of road between the borders winds in the same direction. Then the
	// nonzero rule fills exactly the road, even if it crosses itself. For a road that does not cross itself, the
	// even-odd rule would give the same result.
	c.fill([][]point{l.outer, reversed(l.inner)}, road)
	for _, border := range [][]point{l.outer, l.inner} {
		c.line(border, stroke{width: 1.2, color: edge, closed: true})
	}
	width := p.roadWidth(e, l.projection)
	if width >= narrowRoad && l.centerLength <= longestDashed*float64(p.CellSize) {
		c.line(l.center, stroke{width: 1, color: dash, closed: true, dash: clamp(0.25*width, 2, 6)})
	}
	p.drawStart(c, e, l.projection, l.center, width, start)
}

// drawStart draws the start line and the arrow behind it.
func (p *page) drawStart(c canvas, e int, t projection, center []point, width float64, color rgb) {
	if p.batch.Count[e] == 0 {
		return
	}
	first := e * p.batch.NMax
	line := t.loop([]kernel.Vec3{p.batch.Outer[first], p.batch.Inner[first]})
	if len(line) == 2 && line[0] != line[1] {
		c.line(line, stroke{width: clamp(0.14*width, 1.5, 4), color: color})
	}
	length := clamp(0.6*width, 8, 16)
	tail, tip := walk(center, 0.5*length), walk(center, 1.5*length)
	norm := distance(tail, tip)
	if norm < 1 {
		return
	}
	dx, dy := (tip.x-tail.x)/norm, (tip.y-tail.y)/norm
	half := 0.42 * length
	c.fill([][]point{{
		tip,
		{round(tail.x - float64(dy*half)), round(tail.y + float64(dx*half))},
		{round(tail.x + float64(dx*(0.25*length))), round(tail.y + float64(dy*(0.25*length)))},
		{round(tail.x + float64(dy*half)), round(tail.y - float64(dx*half))},
	}}, color)
}

// roadWidth returns the width of the road in pixels, at the first point where both borders are finite.
func (p *page) roadWidth(e int, t projection) float64 {
	outer, inner := p.batch.Points(p.batch.Outer, e), p.batch.Points(p.batch.Inner, e)
	for i := range outer {
		if across := t.loop([]kernel.Vec3{outer[i], inner[i]}); len(across) == 2 {
			return distance(across[0], across[1])
		}
	}
	return 0
}

// drawScaleBar draws a bar below the cells. Its length is a round number.
func (p *page) drawScaleBar(c canvas) {
	c.group("scale")
	units := roundLength(0.5 * float64(p.CellSize) / p.scale)
	length := round(units * p.scale)
	y := p.height - pageMargin - 3.5
	ends := []point{{pageMargin + 0.5, y}, {pageMargin + 0.5 + length, y}}
	mark := stroke{width: 1, color: mutedColor}
	c.line(ends, mark)
	for _, end := range ends {
		c.line([]point{{end.x, y - 4}, {end.x, y + 4}}, mark)
	}
	text := lengthText(units, p.Unit)
	switch {
	case p.Unit == "" && units == 1:
		text += " unit"
	case p.Unit == "":
		text += " units"
	}
	c.text(point{ends[1].x + 8, y + 4}, scaleStyle, text)
}

// roundLength returns the largest number of the form 1, 2 or 5 times a power of ten that is at most v.
func roundLength(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	switch {
	case v >= 5*power:
		return 5 * power
	case v >= 2*power:
		return 2 * power
	default:
		return power
	}
}

// thin drops points that are less than 0.7 pixels from the previous one, because they would only make bends ragged. It
// returns the remaining points and their length.
func thin(points []point) (out []point, length float64) {
	const closest = 0.7
	for _, p := range points {
		if len(out) == 0 {
			out = append(out, p)
			continue
		}
		if step := distance(p, out[len(out)-1]); step >= closest {
			out = append(out, p)
			length += step
		}
	}
	return out, length
}

func reversed(points []point) []point {
	out := make([]point, 0, len(points))
	for i := len(points) - 1; i >= 0; i-- {
		out = append(out, points[i])
	}
	return out
}

// walk returns the point at the given length along the polyline, or its last point if the polyline is shorter.
func walk(points []point, length float64) point {
	if len(points) == 0 {
		return point{}
	}
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		step := distance(a, b)
		if step >= length && step > 0 {
			p := between(a, b, length/step)
			return point{round(p.x), round(p.y)}
		}
		length -= step
	}
	return points[len(points)-1]
}

func rectangle(x, y, width, height float64) []point {
	return []point{{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}}
}

func clamp(v, low, high float64) float64 { return max(low, min(high, v)) }

// printable replaces unprintable characters with spaces.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
}
